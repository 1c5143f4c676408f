/* SPDX-License-Identifier: BSD-2-Clause */
/* soak.c - runs, until one is not well or the time is over. */
#include "src/session/soak.h"

#include "src/base/mem.h"
#include "src/harness/verdict.h"
#include "src/session/one_test.h"

static bool is_well(const struct jobs *jobs, bool *observed)
{
    bool well = true;

    *observed = false;
    for (unsigned p = 0; p < jobs->processors; p++) {
        const struct test_context *t = &jobs->contexts[p];
        if (t->excluded)
            continue;
        well = well && !t->lost && t->end != HW_EXCEPTION &&
               t->verdict != VERDICT_SKIP && t->verdict != VERDICT_FAIL &&
               t->verdict != VERDICT_ERROR;
        *observed = *observed || (!t->lost && t->observed != 0);
    }
    return well;
}

void soak_run(struct soak *soak, struct jobs *jobs, const struct test *test,
              uint64_t seed, bool all, const struct options *options)
{
    uint64_t start = hw_ms();
    bool well, observed;

    for (unsigned p = 0; p < jobs->processors; p++)
        if (!jobs->contexts[p].lost) /* else it may be writing still */
            memset(jobs->contexts[p].carried, 0, TEST_CARRIED_BYTES);
    do {
        soak->seed = seed + soak->runs;
        one_test(jobs, test, soak->seed, all, options);
        well = is_well(jobs, &observed);
        soak->runs++;
        soak->observed += observed;
        soak->took_ms = hw_ms() - start;
        soak->tick(soak->context);
    } while (well && soak->took_ms < soak->ms);
}

void soak_write(struct ktap *out, const struct soak *soak,
                const struct finding *found)
{
    const struct provoked_windows *beside = found->windows;
    unsigned bad =
        found->verdict == VERDICT_FAIL || found->verdict == VERDICT_ERROR;

    if (beside[BESIDE_TRANSACTIONS].of != 0)
        ktap_note(out,
                  "soak: %s: counter 3 wrong in %lu of %lu windows beside "
                  "transactions, in %lu of %lu without; %u runs in %lu s, the "
                  "last with seed=%lu, FAIL or ERROR in %u of %u",
                  found->test, beside[BESIDE_TRANSACTIONS].wrong,
                  beside[BESIDE_TRANSACTIONS].of, beside[BESIDE_NOTHING].wrong,
                  beside[BESIDE_NOTHING].of, soak->runs, soak->took_ms / 1000,
                  soak->seed, bad, soak->runs);
    else
        ktap_note(out,
                  "soak: %s: OBSERVED in %u of %u runs; %u runs in %lu s, the "
                  "last with seed=%lu, FAIL or ERROR in %u of %u",
                  found->test, soak->observed, soak->runs, soak->runs,
                  soak->took_ms / 1000, soak->seed, bad, soak->runs);
}
