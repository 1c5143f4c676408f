/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3 makes records like the others: always, but where counter 3 itself
 * may hold unexpected values. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define BIT3 (1u << 3)

/* At most 8 records. */
static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = BIT3,
    .first_period = {0, 0, 0, 30},
    .period = {0, 0, 0, 30},
    .room = 16,
    .threshold = 16,
};

/* True where the records are those of counter 3, each right. */
static bool records_are_right(struct sampling *p)
{
    struct pebs_record record;
    bool ok = p->records >= 2 && p->records <= PEBS_EVENTS / config.period[3];

    for (unsigned n = 0; ok && n < p->records; n++) {
        enum pebs_error error =
            pebs_decode(p->buffer + n * p->size, p->size, p->format, &record);
        uint64_t event = record.r15 - PEBS_PLANTED(15);
        ok = error == PEBS_OK && event >= 1 && event <= PEBS_EVENTS &&
             pebs_judge_planted(&record, &p->state, (unsigned)event) == 0 &&
             ((record.global_status | record.applicable_counter) & 0xf) == BIT3;
    }
    return ok;
}

static void try_counter3(struct sampling *p, const char *what, bool promised)
{
    struct test_context *t = p->t;
    unsigned trials = test_trials(t, 50, 10), wrong = 0, records = 0;
    struct rtm_tally tally;

    /* Measured: the regime speaks of RTM in use. */
    for (unsigned i = 0; i < trials; i++) {
        if (test_cpu(t)->rtm)
            rtm_try(1, &tally);
        if (!sampling_run(p, &config, 0))
            return;
        wrong += !records_are_right(p);
        records += p->records;
    }

    /* Check. */
    counter3_report(t, promised, what, wrong, trials);
    note(t, "%u windows, %u records of IA32_PMC3 (C4H)", trials, records);
}

TEST(pebs_counter3, .asks = "Does counter 3 make records like the others?",
     .cite = "White paper 604224, sections 1.2 and 2; SDM 3B, tables \"PEBS "
             "Facility Comparison\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    struct sampling p;
    uint64_t value;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;
    if (test_regime(t) == REGIME_B &&
        !force_abort_change(t, TSX_FORCE_ABORT_RTM_FORCE_ABORT, 0, &value))
        return;

    /* Measured, and checked. */
    try_counter3(&p, "the records of IA32_PMC3 (C4H) are wrong",
                 counter3_is_reliable(t));
    if (test_regime(t) == REGIME_B)
        try_counter3(
            &p,
            "the records of IA32_PMC3 (C4H) are wrong with RTM_FORCE_ABORT = 1",
            counter3_make_reliable(t));
}
