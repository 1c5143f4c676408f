/* SPDX-License-Identifier: BSD-2-Clause */
/* crossing_freeze.c - a PMI at ring 3 that freezes last branch records. */
#include "src/counting/bank.h"
#include "src/lbr/crossing.h"

#define INSTRUCTIONS 0xc0
#define BEFORE       60 /* of them, up to the overflow: the body has more */

/* Recorded up to here, from before the window on. */
static void judge(struct lbr *l, const struct ring3_session *s,
                  const struct bank *after, bool on)
{
    struct test_context *t = l->t;
    const bool streamlined = test_cpu(t)->perfmon_version >= 4;
    const bool frozen = (after->status & IA32_PERF_GLOBAL_STATUS_LBR_FRZ) != 0;

    check(t, frozen == streamlined,
          "LBR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[58], is %d after it; wanted "
          "%d",
          frozen, streamlined);
    check(t, on == streamlined, "%s, is %d after it; wanted %d",
          lbr_enable_name(l), on, streamlined);
    check_known(t, ring3_executes(s, l->records[0].to),
                ERRATUM_LBR_FROM_AT_FREEZE, true,
                "the interrupt was at 0x%lx, and the newest record is from "
                "0x%lx to 0x%lx; wanted one that leads to ring 3",
                after->rip, l->records[0].from, l->records[0].to);
}

struct work {
    struct lbr *l;
    const struct ring3_session *s;
    bool on; /* still recorded */
};

/* Branches are recorded meanwhile alone, as what the harness does around a
 * window is long; the counter counts in the inner window alone. */
static void recorded(void *argument)
{
    struct work *work = argument;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)work->s->ring3};

    lbr_turn_held(work->l, IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI, true);
    window_ring3_body(BIT(0), cells);
    work->on = lbr_is_on(work->l);
    lbr_turn_held(work->l, IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI, false);
}

static bool overflow(struct work *work, struct bank *after)
{
    const struct ring3_session *s = work->s;
    struct bank before = bank_of(BIT(0), INSTRUCTIONS);

    before.pmi = BANK_PMI;
    before.live = true;
    before.ctrl = 0;
    before.select[0] |= IA32_PERFEVTSEL_INT;
    before.pmc[0] = bank_mask(test_cpu(s->t), 0) - BEFORE;
    if (!lbr_empty(work->l) ||
        !lbr_turn(work->l, IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI, false) ||
        !lbr_hold(work->l))
        return false;
    ring3_begin(s);
    const bool ok = bank_work(s->t, &before, recorded, work, after);
    ring3_end(s);
    if (ok && s->ring3->vector != HW_NO_FAULT)
        broken(s->t, "vector %ld at ring 3", s->ring3->vector);
    return ok && s->ring3->vector == HW_NO_FAULT;
}

bool lbr_crossing_freeze(struct lbr *l)
{
    struct test_context *t = l->t;
    struct ring3_session s;
    struct work work = {.l = l, .s = &s};
    struct bank after;

    if (!ring3_prepare(&s, t))
        return false;
    s.ring3->level = 3;
    s.ring3->body = (uint32_t)(ring3_body_plain - ring3_body);

    /* Measured. */
    if (!overflow(&work, &after) || !lbr_read(l))
        return false;

    /* Check. */
    check(t, after.interrupts != 0,
          "IA32_PMC0 (C1H) was to overflow after %u instructions, and made no "
          "interrupt",
          BEFORE);
    if (after.interrupts != 0 && ring3_executes(&s, after.rip))
        judge(l, &s, &after, work.on);
    return lbr_turn(l, 0, false) &&
           (test_cpu(t)->perfmon_version < 4 ||
            counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_LBR_FRZ));
}
