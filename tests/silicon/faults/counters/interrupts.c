/* SPDX-License-Identifier: BSD-2-Clause */
/* interrupts.c - what goes wrong with overflow, its interrupt, and what that
 * freezes. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"

FAULT(carry_lost_at_16, .what = "[any] IA32_PMC0 loses the carry from bit 15",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(carry_lost_at_31, .what = "[any] IA32_PMC1 loses the carry from bit 30",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"})

FAULT(carry_lost_at_32, .what = "[any] IA32_PMC0 loses the carry from bit 31",
      .caught = {"haswell on 1 counter_overflow_bits FAIL"})

FAULT(carry_lost_at_40, .what = "[any] IA32_PMC2 loses the carry from bit 39",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"})

FAULT(carry_lost_at_47, .what = "[any] IA32_PMC0 loses the carry from bit 46",
      .caught = {"haswell on 1 counter_carry FAIL"})

FAULT(fixed_carry_lost_at_32,
      .what = "[any] IA32_FIXED_CTR0 loses the carry from bit 31",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"})

FAULT(fixed_carry_lost_at_40,
      .what = "[any] IA32_FIXED_CTR1 loses the carry from bit 39",
      .caught = {"haswell on 1 counter_carry FAIL"})

FAULT(overflow_at_40, .what = "[any] IA32_PMC1 overflows at 40 bits",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"})

FAULT(overflow_sticks, .what = "[any] IA32_PMC0 stays at its largest value",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"})

FAULT(overflow_early,
      .what = "[any] IA32_PMC1 overflows where it becomes its largest value",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(overflow_of_next,
      .what = "[any] overflow of IA32_PMC0 sets GLOBAL_STATUS[1]",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(overflow_stops,
      .what = "[any] overflow of IA32_PMC0 clears its bit of GLOBAL_CTRL",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"})

FAULT(overflow_without_int_missing,
      .what = "[any] a counter without INT sets no overflow bit",
      .caught = {"haswell on 1 counter_overflow_bits FAIL"})

FAULT(overflow_clears_others,
      .what = "[any] an overflow clears the bits of the other counters",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(fixed_overflow_silent,
      .what = "[any] overflow of a fixed counter sets no bit",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(fixed_overflow_of_next,
      .what = "[any] overflow of IA32_FIXED_CTR0 sets GLOBAL_STATUS[33]",
      .caught = {"haswell on 1 counter_overflow_bits FAIL"})

FAULT(fixed_overflow_low,
      .what = "[any] overflow of IA32_FIXED_CTR1 sets GLOBAL_STATUS[1] too",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(fixed2_overflow_silent,
      .what = "[any] overflow of IA32_FIXED_CTR2 sets no bit",
      .caught = {"haswell on 1 counter_overflow_bits FAIL"})

FAULT(pmi_without_int, .what = "[any] a counter interrupts without INT",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"})

FAULT(pmi_of_counter_1_missing, .what = "[any] IA32_PMC1 does not interrupt",
      .caught = {"haswell on 1 counter_pmi FAIL"})

FAULT(pmi_of_fixed_missing, .what = "[any] fixed counters do not interrupt",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"})

FAULT(pmi_of_fixed_always,
      .what = "[any] fixed counters interrupt without their PMI bit",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"})

FAULT(pmi_of_fixed_by_next,
      .what = "[any] IA32_FIXED_CTR0 interrupts by the PMI bit of "
              "IA32_FIXED_CTR1",
      .caught = {"haswell on 1 counter_pmi FAIL"})

FAULT(pmi_though_masked,
      .what = "[any] a performance monitoring interrupt ignores the LVT's "
              "mask bit",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"})

FAULT(lvt_not_masked_by_topa,
      .what = "[PT] a ToPA PMI does not set the mask of its LVT entry",
      .caught = {"skylake-2018 on 1 pt_pmi_freezes FAIL"})

FAULT(lvt_not_masked,
      .what = "[any] a performance monitoring interrupt does not set the "
              "LVT's mask bit",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"})

FAULT(pmi_lost_while_off,
      .what = "[any] a performance monitoring interrupt is lost where "
              "RFLAGS.IF is 0",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"}, .breaks = PMI_WAITS)

FAULT(pmi_nmi_lost_while_off,
      .what = "[any] a performance monitoring interrupt as NMI is lost where "
              "RFLAGS.IF is 0",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"},
      .breaks = PMI_NMI_DOES_NOT_WAIT)

FAULT(pmi_next_vector,
      .what = "[any] a performance monitoring interrupt has the next vector",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"})

FAULT(freeze_ignored, .what = "[any] FREEZE_PERFMON_ON_PMI changes nothing",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL",
                 "haswell on 1 freeze_on_pmi FAIL"})

FAULT(freeze_always,
      .what = "[any] counters freeze on an interrupt without "
              "FREEZE_PERFMON_ON_PMI",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL"})

FAULT(freeze_without_pmi,
      .what = "[any] an overflow without INT freezes the counters",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"})

FAULT(freeze_legacy_in_4,
      .what = "[any with perfmon 4] an interrupt clears GLOBAL_CTRL instead "
              "of setting CTR_Frz",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"})

FAULT(freeze_bit_alone,
      .what = "[any with perfmon 4] counters go on though CTR_Frz is set",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"})

FAULT(freeze_spares_fixed,
      .what = "[any before perfmon 4] an interrupt that freezes leaves "
              "GLOBAL_CTRL[34:32]",
      .caught = {"haswell on 1 freeze_on_pmi FAIL"})

FAULT(freeze_one_counter,
      .what = "[any before perfmon 4] an interrupt that freezes clears "
              "GLOBAL_CTRL[0] alone",
      .caught = {"haswell on 1 freeze_on_pmi FAIL"})

FAULT(freeze_swapped,
      .what = "[any] FREEZE_LBRS_ON_PMI freezes counters, "
              "FREEZE_PERFMON_ON_PMI branch records",
      .caught = {"haswell on 1 freeze_on_pmi FAIL"})

FAULT(lbr_freeze_ignored, .what = "[any] FREEZE_LBRS_ON_PMI changes nothing",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"})

FAULT(lbr_freeze_clears_lbr,
      .what = "[any with perfmon 4] FREEZE_LBRS_ON_PMI clears DEBUGCTL.LBR",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"})

FAULT(lbr_freeze_always,
      .what = "[any with perfmon 4] an interrupt sets LBR_Frz without "
              "FREEZE_LBRS_ON_PMI",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"})

FAULT(lbr_freezes_without_int,
      .what = "[any with perfmon 4] an overflow without INT sets LBR_Frz",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL"})

FAULT(freeze_clears_too,
      .what = "[any with perfmon 4] an interrupt that freezes clears "
              "GLOBAL_CTRL too",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"})

FAULT(pmi_of_both_missing,
      .what = "[any] an instruction that overflows a general-purpose counter "
              "and a fixed one, both with interrupts, brings none",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"})

FAULT(pmi_beside_record_missing,
      .what = "[any] no interrupt of a counter that overflows where a record "
              "of another is due",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(overflow_clears_topa,
      .what = "[any with Processor Trace] an overflow clears GLOBAL_STATUS[55]",
      .caught = {"skylake-2017 on 1 pt_pmi_freezes FAIL"})

FAULT(topa_clears_overflows,
      .what = "[any with Processor Trace] an interrupt while GLOBAL_STATUS[55] "
              "is 1 clears the overflow bits",
      .caught = {"skylake-2017 on 1 pt_pmi_freezes FAIL"})

FAULT(overflow_loses_branches,
      .what = "[any with Processor Trace] an overflow loses the branches of "
              "the TNT that is not yet sent",
      .caught = {"skylake-2017 on 1 pt_while_sampling FAIL"})

/* The carry from below this bit is lost. */
static uint64_t without_carry(uint64_t old, uint64_t sum, unsigned bit)
{
    return (old & ~(BIT(bit) - 1)) | (sum & (BIT(bit) - 1));
}

uint64_t faults_sum(const struct processor *p, unsigned n, uint64_t old,
                    uint64_t sum)
{
    switch (p->machine->fault) {
    case FAULT_carry_lost_at_16:
        return n == 0 ? without_carry(old, sum, 16) : sum;
    case FAULT_carry_lost_at_31:
        return n == 1 ? without_carry(old, sum, 31) : sum;
    case FAULT_carry_lost_at_32:
        return n == 0 ? without_carry(old, sum, 32) : sum;
    case FAULT_carry_lost_at_40:
        return n == 2 ? without_carry(old, sum, 40) : sum;
    case FAULT_carry_lost_at_47:
        return n == 0 ? without_carry(old, sum, 47) : sum;
    case FAULT_fixed_carry_lost_at_32:
        return n == 32 ? without_carry(old, sum, 32) : sum;
    case FAULT_fixed_carry_lost_at_40:
        return n == 33 ? without_carry(old, sum, 40) : sum;
    case FAULT_overflow_at_40:
        return n == 1 && ((old ^ sum) >> 40) != 0 ? sum | BIT(48) : sum;
    case FAULT_overflow_sticks:
        return n == 0 && sum > COUNTER_MASK ? COUNTER_MASK | BIT(48) : sum;
    case FAULT_overflow_early:
        return n == 1 && sum == COUNTER_MASK ? sum | BIT(48) : sum;
    default:
        return sum;
    }
}

uint64_t faults_overflow_bits(struct processor *p, unsigned n, uint64_t bits)
{
    uint64_t select = n < 32 ? p->pmu.select[n] : 0;

    switch (p->machine->fault) {
    case FAULT_overflow_of_next:
        return n == 0 ? BIT(1) : bits;
    case FAULT_overflow_once:
        bits &= ~p->faults.overflowed;
        p->faults.overflowed |= BIT(n);
        return bits;
    case FAULT_overflow_stops:
        if (n == 0)
            p->pmu.global_ctrl &= ~BIT(0);
        return bits;
    case FAULT_overflow_without_int_missing:
        return n < 32 && (select & EVTSEL_INT) == 0 ? 0 : bits;
    case FAULT_overflow_clears_topa:
        p->pmu.global_status &= ~STATUS_TOPA_PMI;
        return bits;
    case FAULT_overflow_loses_branches:
        p->pt.tnt_bits = p->pt.tnt_count = 0;
        return bits;
    case FAULT_overflow_clears_others:
        p->pmu.global_status = 0;
        return bits;
    case FAULT_fixed_overflow_silent:
        return n < 32 ? bits : 0;
    case FAULT_fixed_overflow_of_next:
        return n == 32 ? BIT(33) : bits;
    case FAULT_fixed_overflow_low:
        return n == 33 ? bits | BIT(1) : bits;
    case FAULT_fixed2_overflow_silent:
        return n == 34 ? 0 : bits;
    default:
        return bits;
    }
}

static void freeze_now(struct processor *p)
{
    if (p->cpu->perfmon_version >= 4)
        p->pmu.global_status |= STATUS_CTR_FRZ;
    else
        p->pmu.global_ctrl = 0;
    pmu_update(p);
}

bool faults_interrupts(struct processor *p, unsigned n, bool interrupts)
{
    switch (p->machine->fault) {
    case FAULT_pmi_without_int:
        return interrupts || n < 32;
    case FAULT_pmi_of_counter_1_missing:
        return interrupts && n != 1;
    case FAULT_pmi_of_fixed_missing:
        return interrupts && n < 32;
    case FAULT_pmi_of_fixed_always:
        return interrupts || n >= 32;
    case FAULT_pmi_of_fixed_by_next:
        return n == 32 ? (p->pmu.fixed_ctrl >> 4 & FIXED_PMI) != 0 : interrupts;
    case FAULT_pmi_of_both_missing:
        if (n < 32 || !interrupts || !p->pmu.overflow_pmi)
            return interrupts;
        p->pmu.overflow_pmi = false;
        return false;
    case FAULT_pmi_beside_record_missing:
        return interrupts && (n >= 32 || p->pebs.armed == 0 ||
                              (p->pebs.enable >> n & 1) != 0);
    case FAULT_lbr_freezes_without_int:
        if (!interrupts && p->cpu->perfmon_version >= 4)
            p->pmu.global_status |= STATUS_LBR_FRZ;
        return interrupts;
    case FAULT_freeze_without_pmi:
        if (!interrupts)
            freeze_now(p);
        return interrupts;
    default:
        return interrupts;
    }
}

uint64_t faults_freezes(const struct processor *p, uint64_t debugctl)
{
    uint64_t lbrs = debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI;
    uint64_t counters = debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI;

    switch (p->machine->fault) {
    case FAULT_freeze_ignored:
        return debugctl & ~DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    case FAULT_freeze_always:
        return debugctl | DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    case FAULT_freeze_swapped:
        return (debugctl & ~(DEBUGCTL_FREEZE_LBRS_ON_PMI |
                             DEBUGCTL_FREEZE_PERFMON_ON_PMI)) |
               lbrs << 1 | counters >> 1;
    case FAULT_lbr_freeze_ignored:
        return debugctl & ~DEBUGCTL_FREEZE_LBRS_ON_PMI;
    case FAULT_lbr_freeze_always:
        return p->cpu->perfmon_version >= 4
                   ? debugctl | DEBUGCTL_FREEZE_LBRS_ON_PMI
                   : debugctl;
    default:
        return debugctl;
    }
}

/* It has frozen by these bits; ctrl: GLOBAL_CTRL before. */
void faults_frozen(struct processor *p, uint64_t debugctl, uint64_t ctrl)
{
    struct pmu_state *pmu = &p->pmu;
    bool v4 = p->cpu->perfmon_version >= 4;

    if ((debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI) != 0 && v4 &&
        has_fault(p, FAULT_lbr_freeze_clears_lbr))
        msr_write(p, IA32_DEBUGCTL, debugctl & ~DEBUGCTL_LBR);
    if (has_fault(p, FAULT_topa_clears_overflows) &&
        (pmu->global_status & STATUS_TOPA_PMI) != 0)
        pmu->global_status &= ~(BITS(34, 32) | BITS(7, 0));
    if ((debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) == 0)
        return;
    if (v4 && has_fault(p, FAULT_freeze_legacy_in_4)) {
        pmu->global_status &= ~STATUS_CTR_FRZ;
        pmu->global_ctrl = 0;
    }
    if (v4 && has_fault(p, FAULT_freeze_clears_too))
        pmu->global_ctrl = 0;
    if (!v4 && has_fault(p, FAULT_freeze_spares_fixed))
        pmu->global_ctrl = ctrl & BITS(34, 32);
    if (!v4 && has_fault(p, FAULT_freeze_one_counter))
        pmu->global_ctrl = ctrl & ~BIT(0);
}

bool faults_counts_frozen(const struct processor *p)
{
    return has_fault(p, FAULT_freeze_bit_alone);
}

uint32_t faults_lvt(const struct processor *p, uint32_t lvt, uint32_t mask)
{
    if (has_fault(p, FAULT_pmi_though_masked))
        return lvt & ~mask;
    return has_fault(p, FAULT_pmi_next_vector) ? lvt + 1 : lvt;
}

uint32_t faults_lvt_mask(const struct processor *p, uint32_t mask)
{
    if (has_fault(p, FAULT_lvt_not_masked_by_topa) &&
        (p->pmu.global_status & STATUS_TOPA_PMI) != 0)
        return 0;
    if (has_fault(p, FAULT_pebs_pmi_lvt_open) && p->faults.pmi_of_record)
        return 0;
    return has_fault(p, FAULT_lvt_not_masked) ? 0 : mask;
}

FAULT(lvt_delivery_cleared,
      .what = "[any] a PMI clears the delivery mode of LVTPC",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL",
                 "skylake-2018 on 1 pebs_threshold_pmi FAIL"},
      .breaks = LVT_KEEPS_DELIVERY)
