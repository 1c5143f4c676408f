/* SPDX-License-Identifier: BSD-2-Clause */
/* transaction_freeze.c - last branch records of a PMI that aborts a
 * transaction. */
#include "src/lbr/crossing.h"
#include "src/tsx/probe.h"

#define BRANCHES 0xc4
#define JUMPS    512 /* and as many other branches, in a transaction */

struct transactions {
    struct lbr *l;
    uint64_t freeze; /* of IA32_DEBUGCTL */
    unsigned aborted;
    bool on; /* still recorded */
};

static void recorded_transactions(void *argument)
{
    struct transactions *work = argument;
    struct tsx_block block = {.body = tsx_body_jumps, .count = JUMPS};

    lbr_turn_held(work->l, work->freeze, true);
    for (unsigned n = 0; n < 2; n++)
        work->aborted += tsx_inside(&block) == TSX_ABORTED;
    work->on = lbr_is_on(work->l);
    lbr_turn_held(work->l, work->freeze, false);
}

/* A record right after that of an abort is from where the abort went to. */
static bool follows_abort(const struct lbr *l)
{
    for (unsigned n = 0; n + 1 < l->model.depth; n++)
        if (l->records[n + 1].abort &&
            l->records[n].from == l->records[n + 1].to)
            return true;
    return false;
}

/* FREEZE_LBRS_ON_PMI = 0. */
static void judge_records(const struct lbr *l, const struct transactions *work,
                          const struct bank *after)
{
    unsigned aborts = 0;
    bool there = false;

    for (unsigned n = 0; n < l->model.depth; n++) {
        aborts += l->records[n].abort;
        there |= l->records[n].abort && l->records[n].to == after->rip;
    }
    check(l->t, aborts != 0,
          "a PMI came, and %u transactions aborted: no record has TSX_ABORT; "
          "wanted one of each",
          work->aborted);
    check(l->t, !there || follows_abort(l),
          "a PMI came at 0x%lx, where a transaction had aborted to; no record "
          "from there follows that of the abort",
          after->rip);
}

/* FREEZE_LBRS_ON_PMI = 1: as for a PMI outside of transactions. */
static void judge_frozen(const struct lbr *l, const struct transactions *work,
                         const struct bank *after)
{
    const bool streamlined = test_cpu(l->t)->perfmon_version >= 4;
    const bool frozen = (after->status & IA32_PERF_GLOBAL_STATUS_LBR_FRZ) != 0;

    check(l->t, frozen == streamlined && work->on == streamlined,
          "FREEZE_LBRS_ON_PMI = 1: a PMI came at 0x%lx, and %u transactions "
          "aborted: LBR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[58], is %d, and "
          "%s, %d; wanted %d and %d",
          after->rip, work->aborted, frozen, lbr_enable_name(l), work->on,
          streamlined, streamlined);
}

static bool try_one(struct lbr *l, uint64_t places, uint64_t freeze)
{
    struct transactions work = {.l = l, .freeze = freeze};
    struct bank before = bank_of(places & BIT(0), BRANCHES), after;

    before.pmi = BANK_PMI;
    before.select[0] |= IA32_PERFEVTSEL_IN_TX | IA32_PERFEVTSEL_INT;
    before.pmc[0] = bank_mask(test_cpu(l->t), 0) - JUMPS;
    l->select = MSR_LBR_SELECT_FAR_ALONE;
    if (!lbr_filter(l) || !lbr_empty(l) || !lbr_turn(l, freeze, false) ||
        !lbr_hold(l) ||
        !bank_work(l->t, &before, recorded_transactions, &work, &after) ||
        !lbr_read(l))
        return false;
    l->select = 0;
    if (after.interrupts != 0 && work.aborted != 0) {
        if (freeze == 0)
            judge_records(l, &work, &after);
        else
            judge_frozen(l, &work, &after);
    }
    return lbr_filter(l) && set_msr(l->t, IA32_DEBUGCTL, l->off) &&
           (freeze == 0 || test_cpu(l->t)->perfmon_version < 4 ||
            counters_clear_status(l->t, IA32_PERF_GLOBAL_STATUS_LBR_FRZ));
}

bool lbr_transaction_freeze(struct lbr *l, uint64_t places)
{
    if ((places & BIT(0)) == 0 || !l->model.tsx || !probe_state_if_any(l->t))
        return true;
    return try_one(l, places, IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI) &&
           try_one(l, places, 0);
}
