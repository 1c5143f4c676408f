/* SPDX-License-Identifier: BSD-2-Clause */
/* With FREEZE_LBRS_ON_PMI an overflow that interrupts freezes the records of
 * branches at ring 3 and in transactions as elsewhere. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/ring3.h"
#include "src/lbr/stack.h"
#include "src/tsx/probe.h"

#define BEFORE 60 /* instructions before the overflow: the body has more */
#define TRIES  20 /* where transactions may abort for no reason of their own */

static const struct way {
    const char *what;
    const uint8_t *body;
    bool tx;
} ways[] = {
    {"outside of transactions", ring3_body_plain, false},
    {"in a transaction", ring3_body_committed, true},
    {"in an inner transaction", ring3_body_nested, true},
    {"after an inner XEND", ring3_body_after_inner, true},
};

/* False where it could not be tried. */
static bool try_way(struct lbr *l, const struct ring3_session *s,
                    const struct way *way, unsigned level, bool freeze)
{
    const uint64_t bits = freeze ? IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI : 0;
    struct test_context *t = l->t;
    struct bank before = bank_of(BIT(0), 0xc0), after;
    bool overflowed = false;

    /* Set-up. */
    before.pmi = BANK_PMI;
    before.cell = (uintptr_t)s->ring3;
    before.pmc[0] = bank_mask(test_cpu(t), 0) - BEFORE;
    before.select[0] |= IA32_PERFEVTSEL_INT;
    s->ring3->level = level;
    s->ring3->body = (uint32_t)(way->body - ring3_body);

    /* Measured, until no abort came before the overflow. */
    for (unsigned k = 0; k < TRIES && !overflowed; k++) {
        hw_poll();
        if (!lbr_turn(l, bits, true) ||
            !ring3_count(s, &before, window_ring3_body, &after) ||
            !lbr_turn(l, 0, false))
            return false;
        overflowed = after.pmc[0] < before.pmc[0];
    }

    /* Check. */
    check(t, after.interrupts != 0,
          "%s at ring %u: IA32_PMC0 (C1H) was to overflow after %u "
          "instructions, and made no interrupt",
          way->what, level, BEFORE);
    const bool frozen = (after.status & IA32_PERF_GLOBAL_STATUS_LBR_FRZ) != 0;
    check(t, frozen == freeze,
          "%s at ring %u, FREEZE_LBRS_ON_PMI = %d: LBR_Frz, "
          "IA32_PERF_GLOBAL_STATUS (38EH)[58], is %d after the interrupt; "
          "wanted %d",
          way->what, level, freeze, frozen, freeze);
    return !frozen || counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_LBR_FRZ);
}

TEST(lbr_freeze_in_contexts,
     .asks = "Does FREEZE_LBRS_ON_PMI do its work at ring 3 and in "
             "transactions?",
     .cite = "SDM 3B, \"Streamlined Freeze_LBRs_On_PMI\", \"Freezing LBR and "
             "Performance Counters on PMI\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PERFMON_4 | NEED_LBR,
               .counters = 1})
{
    const bool transactions = probe_state_if_any(t);
    struct ring3_session s;
    struct lbr l;

    /* Set-up. */
    if (!counters_claim(t) || !lbr_claim(&l, t) || !ring3_prepare(&s, t))
        return;

    /* Measured, and checked one by one. */
    for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        for (unsigned n = 0; n < 4; n++)
            if ((!ways[i].tx || transactions) &&
                !try_way(&l, &s, &ways[i], n / 2 * 3, n % 2 != 0))
                return;
}
