/* SPDX-License-Identifier: BSD-2-Clause */
/* With FREEZE_LBRS_ON_PMI the overflow that interrupts stops the recording of
 * branches, not the counters. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/bank.h"

#define BRANCHES           0xc4
#define MSR_LASTBRANCH_TOS 0x1c9u
#define TOS                BITS(4, 0) /* of 16 or 32 entries */
#define ROUNDS             4

/* How often the top of the stack moved while branches retired. False where it
 * cannot be read. */
static bool tos_moves(struct test_context *t, unsigned *moves)
{
    uint64_t before, after;

    *moves = 0;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (try_get_msr(t, MSR_LASTBRANCH_TOS, &before) != HW_NO_FAULT)
            return false;
        /* Another number of branches each time: they may just go round. */
        for (unsigned times = 0; times <= i; times++)
            counting_work(NULL);
        if (try_get_msr(t, MSR_LASTBRANCH_TOS, &after) != HW_NO_FAULT)
            return false;
        *moves += ((before ^ after) & TOS) != 0;
    }
    return true;
}

/* Counter 0 overflows and interrupts; *debugctl: as it is then. */
static bool overflow(struct test_context *t, uint64_t places,
                     uint64_t *debugctl, struct bank *after)
{
    struct bank before = bank_of(places, BRANCHES);

    before.pmi = BANK_PMI;
    before.pmc[0] = bank_mask(test_cpu(t), 0) - 1;
    before.select[0] |= IA32_PERFEVTSEL_INT;
    return set_msr(t, IA32_DEBUGCTL, *debugctl) &&
           bank_work(t, &before, counting_work, NULL, after) &&
           get_msr(t, IA32_DEBUGCTL, debugctl);
}

static void judge(struct test_context *t, bool freeze, uint64_t debugctl,
                  const struct bank *after)
{
    const bool streamlined = test_cpu(t)->perfmon_version >= 4;

    check(t, after->interrupts != 0,
          "overflow of IA32_PMC0 (C1H) with INT: no performance-monitoring "
          "interrupt came");
    check(t,
          ((after->status & IA32_PERF_GLOBAL_STATUS_LBR_FRZ) != 0) ==
              (freeze && streamlined),
          "FREEZE_LBRS_ON_PMI = %d, after the interrupt: LBR_Frz, "
          "IA32_PERF_GLOBAL_STATUS (38EH)[58], is %d; wanted %d",
          freeze, (after->status & IA32_PERF_GLOBAL_STATUS_LBR_FRZ) != 0,
          freeze && streamlined);
    check(t, ((debugctl & IA32_DEBUGCTL_LBR) != 0) == (!freeze || streamlined),
          "FREEZE_LBRS_ON_PMI = %d, after the interrupt: IA32_DEBUGCTL "
          "(1D9H)[0], LBR, is %lu; wanted %d",
          freeze, debugctl & IA32_DEBUGCTL_LBR, !freeze || streamlined);
    check(t, after->pmc[1] >= WORK_BRANCHES,
          "FREEZE_LBRS_ON_PMI = %d: IA32_PMC1 (C2H) counted %lu of %u branches "
          "past the interrupt; wanted all",
          freeze, after->pmc[1], WORK_BRANCHES);
}

/* With the stack as the interrupt left it, and, where it stopped that, as it is
 * once that is undone. */
static void judge_stack(struct test_context *t, uint64_t debugctl, bool freeze)
{
    unsigned moves;

    if (!tos_moves(t, &moves)) {
        note(t, "MSR_LASTBRANCH_TOS (1C9H) is not there: the records of "
                "branches were not looked at");
        return;
    }
    check(t, (moves == 0) == freeze,
          "FREEZE_LBRS_ON_PMI = %d, after the interrupt: MSR_LASTBRANCH_TOS "
          "(1C9H) moved in %u of %u pieces of work; wanted %s",
          freeze, moves, ROUNDS, freeze ? "none" : "some");
    if (!freeze)
        return;
    if (test_cpu(t)->perfmon_version >= 4)
        counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_LBR_FRZ);
    else
        set_msr(t, IA32_DEBUGCTL, debugctl | IA32_DEBUGCTL_LBR);
    if (tos_moves(t, &moves))
        check(t, moves != 0,
              "after the freeze was undone MSR_LASTBRANCH_TOS (1C9H) moved in "
              "0 of %u pieces of work",
              ROUNDS);
}

/* Version 4: software can set LBR_Frz too. */
static void try_by_software(struct test_context *t, uint64_t debugctl)
{
    unsigned frozen, free;

    if (!set_msr(t, IA32_DEBUGCTL, debugctl | IA32_DEBUGCTL_LBR) ||
        !set_msr(t, IA32_PERF_GLOBAL_STATUS_SET,
                 IA32_PERF_GLOBAL_STATUS_LBR_FRZ))
        return;
    bool there = tos_moves(t, &frozen);
    if (!counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_LBR_FRZ) || !there ||
        !tos_moves(t, &free))
        return;
    check(t, frozen == 0 && free != 0,
          "LBR_Frz set through IA32_PERF_GLOBAL_STATUS_SET (391H), with "
          "IA32_DEBUGCTL (1D9H)[0] = 1: MSR_LASTBRANCH_TOS (1C9H) moved in %u "
          "of %u pieces of work, and in %u after it was cleared through 390H; "
          "wanted none, and some",
          frozen, ROUNDS, free);
}

TEST(lbr_freeze_on_pmi,
     .asks = "Does FREEZE_LBRS_ON_PMI stop the records of branches, and them "
             "alone?",
     .cite = "SDM 3B, \"Freezing LBR and Performance Counters on PMI\", "
             "\"Enhancement in IA32_PERF_GLOBAL_STATUS\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 2})
{
    uint64_t places, found;

    if (test_cpu(t)->arch_lbr) {
        skip(t, "needs LBRs of IA32_DEBUGCTL (1D9H)[0]; here they are "
                "architectural ones (CPUID.7.0:EDX[19])");
        return;
    }
    places = bank_claim(t) & BITS(1, 0);
    if (places == 0 || !get_msr(t, IA32_DEBUGCTL, &found))
        return;
    for (unsigned freeze = 0; freeze < 2; freeze++) {
        uint64_t debugctl =
            found | IA32_DEBUGCTL_LBR |
            (freeze != 0 ? IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI : 0);
        struct bank after;

        if (!overflow(t, places, &debugctl, &after))
            return;
        judge(t, freeze != 0, debugctl, &after);
        judge_stack(t, debugctl, freeze != 0);
    }
    if (test_cpu(t)->perfmon_version >= 4)
        try_by_software(t, found);
}
