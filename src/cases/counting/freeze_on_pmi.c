/* SPDX-License-Identifier: BSD-2-Clause */
/* With FREEZE_PERFMON_ON_PMI the overflow that interrupts stops all counters:
 * in IA32_PERF_GLOBAL_STATUS, until that is cleared, or in
 * IA32_PERF_GLOBAL_CTRL before version 4 of performance monitoring. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES 0xc4
#define TRIES    3 /* an SMI may clear the bit of IA32_DEBUGCTL (HSD052) */

/* How long it takes from an overflow to the freeze no manual says. */
#define TIMES        3 /* the work */
#define BRANCHES_ALL (TIMES * WORK_BRANCHES)

static void long_work(void *unused)
{
    for (unsigned i = 0; i < TIMES; i++)
        counting_work(unused);
}

struct freeze {
    struct test_context *t;
    uint64_t places;
    unsigned place; /* overflows */
    bool freeze, interrupts;
    bool lbrs, nmi; /* FREEZE_LBRS_ON_PMI too; delivered as NMI */
    bool together;  /* all general counters overflow, with the same branch */
};

/* False where it could not be tried. */
static bool run(const struct freeze *f, struct bank *before, struct bank *after)
{
    struct test_context *t = f->t;
    const uint64_t bit = (f->freeze ? IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI : 0) |
                         (f->lbrs ? IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI : 0);
    unsigned p = f->place;
    uint64_t debugctl, now = 0;

    if (!get_msr(t, IA32_DEBUGCTL, &debugctl))
        return false;
    debugctl &= ~(IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI |
                  IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI | IA32_DEBUGCTL_LBR);
    *before = bank_of(f->places, BRANCHES);
    before->pmi = f->nmi ? BANK_PMI_AS_NMI : BANK_PMI;
    *bank_value(before, p) =
        bank_mask(test_cpu(t), p) - (p > PLACE_FIXED0 ? 0 : 1);
    for (unsigned n = 0; n < COUNTERS_MAX && f->together; n++)
        before->pmc[n] = before->pmc[p];
    if (f->interrupts && p < PLACE_FIXED0)
        before->select[p] |= IA32_PERFEVTSEL_INT;
    else if (f->interrupts)
        before->fixed_ctrl |= IA32_FIXED_CTR_CTRL_PMI(p - PLACE_FIXED0);
    for (unsigned i = 0; i < TRIES; i++) {
        /* Not written again for the next overflow: the bit holds for all. */
        if (!get_msr(t, IA32_DEBUGCTL, &now) ||
            (now != (debugctl | bit) &&
             !set_msr(t, IA32_DEBUGCTL, debugctl | bit)) ||
            !bank_work(t, before, long_work, NULL, after) ||
            !get_msr(t, IA32_DEBUGCTL, &now))
            return false;
        if (now == (debugctl | bit))
            return true;
    }
    return check_equal(t, "IA32_DEBUGCTL (1D9H) after the interrupt", now,
                       debugctl | bit);
}

/* Whether the other counters stood still at the interrupt, or went on. */
static void judge_counts(const struct freeze *f, const struct bank *before,
                         const struct bank *after, bool frozen)
{
    char name[MSR_NAME_BYTES];

    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        uint64_t counted =
            (after->pmc[n] - before->pmc[n]) & bank_mask(test_cpu(f->t), n);
        if ((f->places >> n & 1) != 0 && n != f->place)
            check_known(f->t, (counted < BRANCHES_ALL) == frozen,
                        ERRATUM_FREEZE_PMC4_TO_7, frozen && n >= 4,
                        "%s counted %lu of %u branches; wanted %s",
                        msr_name(IA32_PMC(n), name), counted, BRANCHES_ALL,
                        frozen ? "it stopped before the last"
                               : "all, at least");
    }
}

/* Counts on for another time, writing nothing but 38FH. */
static bool count_again(const struct freeze *f, struct bank *now)
{
    struct test_context *t = f->t;

    if (!set_held_msr(t, IA32_PERF_GLOBAL_CTRL, f->places))
        return false;
    counting_work(NULL);
    if (!set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0))
        return false;
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((f->places >> p & 1) != 0)
            *bank_value(now, p) = msr_value(t, bank_msr(p));
    return true;
}

/* Version 4: enabled again, all stand still while CTR_Frz is 1, and count once
 * it is cleared. */
static bool judge_until_cleared(const struct freeze *f, struct bank *stopped)
{
    struct test_context *t = f->t;
    struct bank again = {.pmi = BANK_NO_PMI}, free = {.pmi = BANK_NO_PMI};
    char name[MSR_NAME_BYTES];

    if (!count_again(f, &again) ||
        !counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_CTR_FRZ) ||
        !count_again(f, &free))
        return false;
    for (unsigned p = 0; p < PLACES_END; p++) {
        if ((f->places >> p & 1) == 0)
            continue;
        uint64_t frozen = *bank_value(&again, p) - *bank_value(stopped, p);
        check_known(t, frozen == 0, ERRATUM_FREEZE_PMC4_TO_7,
                    p >= 4 && p < PLACE_FIXED0,
                    "%s counted %ld more while CTR_Frz (38EH[59]) was 1; "
                    "wanted 0",
                    msr_name(bank_msr(p), name), (long)frozen);
        const uint64_t counted = *bank_value(&free, p) - *bank_value(&again, p);
        const uint64_t least = p < PLACE_FIXED0 ? WORK_BRANCHES : 1;
        check(t, counted - least < BIT(32),
              "%s went from 0x%lx to 0x%lx after CTR_Frz was cleared through "
              "390H; wanted it to count on, %lu at least",
              msr_name(bank_msr(p), name), *bank_value(&again, p),
              *bank_value(&free, p), least);
    }
    return true;
}

/* Version 4: "to unfreeze", 390H is all that it takes: counters whose bits of
 * 38FH are 1 go on at once. An overflow is cleared by the same write. */
static bool judge_resumes(const struct freeze *f)
{
    const uint64_t overflow = IA32_PERF_GLOBAL_STATUS_OVF_PMC(0);
    struct test_context *t = f->t;
    struct bank all = bank_of(f->places, BRANCHES), after;
    char name[MSR_NAME_BYTES];

    if (!bank_window(t, &all, window_plain, &after) ||
        !set_msr(t, IA32_PERF_GLOBAL_STATUS_SET,
                 IA32_PERF_GLOBAL_STATUS_CTR_FRZ | overflow) ||
        !set_held_msr(t, IA32_PERF_GLOBAL_CTRL, f->places) ||
        !counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_CTR_FRZ | overflow))
        return false;
    counting_work(NULL);
    if (!set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0))
        return false;
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        if ((f->places >> n & 1) == 0)
            continue;
        uint64_t counted = msr_value(t, IA32_PMC(n)) - after.pmc[n];
        check(t, counted >= WORK_BRANCHES,
              "%s, enabled and frozen, counted %lu of %u branches after "
              "CTR_Frz was cleared through 390H; wanted all, at least",
              msr_name(IA32_PMC(n), name), counted, WORK_BRANCHES);
    }
    return true;
}

/* What is frozen can be written, and holds it: that is how a handler sets the
 * next period. */
static bool judge_written(const struct freeze *f, struct bank *stopped)
{
    const uint64_t used = f->places & (IA32_PERF_GLOBAL_INUSE_FC(3) - 1);
    struct test_context *t = f->t;
    char name[MSR_NAME_BYTES];
    uint64_t inuse;

    if (!get_msr(t, IA32_PERF_GLOBAL_INUSE, &inuse))
        return false;
    check(t, (inuse & used) == used,
          "IA32_PERF_GLOBAL_INUSE (392H) is 0x%lx while CTR_Frz (38EH[59]) is "
          "1; wanted the bits of all counters that are programmed, 0x%lx",
          inuse, used);

    for (unsigned p = 0; p < PLACES_END; p++) {
        if ((f->places >> p & 1) == 0)
            continue;
        *bank_value(stopped, p) = 0x1000 * (p + 1u);
        if (!set_msr_again(t, bank_msr(p), *bank_value(stopped, p)))
            return false;
        uint64_t got = msr_value(t, bank_msr(p)), rdpmc = ~got;
        (void)hw_pmc_read(
            p < PLACE_FIXED0 ? p : RDPMC_FIXED | (p - PLACE_FIXED0), &rdpmc);
        check(t, got == *bank_value(stopped, p) && rdpmc == got,
              "%s written with 0x%lx while CTR_Frz (38EH[59]) was 1 reads "
              "0x%lx, and by RDPMC 0x%lx",
              msr_name(bank_msr(p), name), *bank_value(stopped, p), got, rdpmc);
    }
    return true;
}

/* Version 4: software can set CTR_Frz too. */
static bool try_by_software(const struct freeze *f)
{
    struct test_context *t = f->t;
    struct bank all = bank_of(f->places, BRANCHES), after;

    if (!bank_window(t, &all, window_plain, &after) ||
        !set_msr(t, IA32_PERF_GLOBAL_STATUS_SET,
                 IA32_PERF_GLOBAL_STATUS_CTR_FRZ))
        return false;
    return judge_written(f, &after) && judge_until_cleared(f, &after);
}

static bool try_overflow(const struct freeze *f)
{
    struct test_context *t = f->t;
    const bool frozen = f->freeze && f->interrupts;
    const bool streamlined = test_cpu(t)->perfmon_version >= 4;
    struct bank before, after;

    /* Measured. */
    if (!run(f, &before, &after))
        return false;

    /* Check. */
    check(t, (after.status >> f->place & 1) != 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx; wanted [%u] = 1",
          after.status, f->place);
    check(t, (after.interrupts != 0) == f->interrupts,
          "%u performance-monitoring interrupts", after.interrupts);
    check(t,
          ((after.status & IA32_PERF_GLOBAL_STATUS_CTR_FRZ) != 0) ==
              (frozen && streamlined),
          "CTR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[59], is %d; wanted %d",
          (after.status & IA32_PERF_GLOBAL_STATUS_CTR_FRZ) != 0,
          frozen && streamlined);
    check(t, after.ctrl == (frozen && !streamlined ? 0 : f->places),
          "IA32_PERF_GLOBAL_CTRL (38FH) is 0x%lx after it; wanted 0x%lx",
          after.ctrl, frozen && !streamlined ? 0 : f->places);
    judge_counts(f, &before, &after, frozen);
    return !frozen || !streamlined || judge_until_cleared(f, &after);
}

static bool try_place(const struct freeze *f)
{
    char name[MSR_NAME_BYTES];
    bool tried = false;

    WITH_PREFIX (
        f->t, "overflow of %s%s, FREEZE_PERFMON_ON_PMI = %d%s, interrupt %s%s",
        msr_name(bank_msr(f->place), name),
        f->together ? " and all others" : "", f->freeze,
        f->lbrs ? ", FREEZE_LBRS_ON_PMI = 1" : "",
        f->interrupts ? "enabled" : "disabled", f->nmi ? ", as NMI" : "")
        tried = try_overflow(f);
    return tried;
}

TEST(freeze_on_pmi,
     .asks = "Does FREEZE_PERFMON_ON_PMI stop every counter, until it is "
             "undone?",
     .cite = "SDM 3B, \"Freezing LBR and Performance Counters on PMI\", table "
             "\"Legacy and Streamlined Operation with Freeze_Perfmon_On_PMI = "
             "1, Counter Overflowed\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 2})
{
    struct freeze f = {.t = t, .places = bank_claim(t)};

    if (f.places == 0)
        return;
    if (!counters_can_freeze(t)) {
        skip(t, "needs IA32_DEBUGCTL (1D9H)[12], which a hypervisor refuses or "
                "this microcode spoils");
        return;
    }
    for (unsigned p = 0; p < PLACES_END; p++) {
        f.place = p;
        f.freeze = f.interrupts = true;
        if ((f.places >> p & 1) != 0 && !try_place(&f))
            return;
    }
    f.place = 0;
    f.nmi = true;
    if (!try_place(&f))
        return;
    f.nmi = false;
    f.together = true;
    if (!try_place(&f))
        return;
    f.together = false;
    f.lbrs = true;
    if (!try_place(&f))
        return;
    f.lbrs = f.interrupts = false;
    for (unsigned p = 0; p < PLACES_END; p++) {
        f.place = p;
        if ((p == 0 || p >= PLACE_FIXED0) && (f.places >> p & 1) != 0 &&
            !try_place(&f))
            return;
    }
    f.place = 0;
    f.freeze = false;
    f.interrupts = true;
    if (try_place(&f) && test_cpu(t)->perfmon_version >= 4)
        WITH_PREFIX (t,
                     "CTR_Frz set through IA32_PERF_GLOBAL_STATUS_SET (391H)")
            (void)(try_by_software(&f) && judge_resumes(&f));
}
