/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.c - what goes wrong with the registers of the counters: their bits,
 * what a write does, whose they are, RDPMC, and what CPUID says of them. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/lbr/lbr.h"

FAULT(reserved_global_ctrl,
      .what = "[any] reserved bits of IA32_PERF_GLOBAL_CTRL do not raise #GP",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"})

FAULT(reserved_fixed_ctrl,
      .what = "[any] reserved bits of IA32_FIXED_CTR_CTRL do not raise #GP",
      .caught = {"haswell on 1 counter_reserved_bits FAIL"})

FAULT(reserved_status_reset,
      .what = "[any] reserved bits of MSR 390H do not raise #GP",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"})

FAULT(reserved_status_set,
      .what = "[any with perfmon 4] reserved bits of "
              "IA32_PERF_GLOBAL_STATUS_SET do not raise #GP",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"})

FAULT(reserved_fixed_wide,
      .what = "[any] IA32_FIXED_CTRn take a value wider than they are",
      .caught = {"haswell on 1 fixed_counter_writes FAIL"})

FAULT(status_writable,
      .what = "[any] a write of IA32_PERF_GLOBAL_STATUS does not raise #GP",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"})

FAULT(inuse_writable,
      .what = "[any with perfmon 4] a write of IA32_PERF_GLOBAL_INUSE does "
              "not raise #GP",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(reset_clears_all,
      .what = "[any] MSR 390H clears every overflow bit, whatever is written",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(reset_clears_nothing, .what = "[any] MSR 390H clears nothing",
      .caught = {"haswell on 1 counter_pmi FAIL"})

FAULT(counter_zero_extended,
      .what = "[any] a write of IA32_PMC1 is not sign-extended",
      .caught = {"skylake-2018 on 1 counter3_full_width_alias FAIL"})

FAULT(counter_takes_edx, .what = "[any] a write of IA32_PMC0 takes EDX too",
      .caught = {"skylake-2018 on 1 counter3_full_width_alias FAIL"})

FAULT(counter_clears_status,
      .what = "[any] a write of a counter clears its overflow bit",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(wide_clears_status,
      .what = "[any] a write of IA32_A_PMCn clears its overflow bit",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL",
                 "sandybridge on 1 counter_overflow_bits FAIL"})

FAULT(status_of_core,
      .what = "[any with perfmon 4] a bit that IA32_PERF_GLOBAL_STATUS_SET "
              "sets is set on both threads of a core",
      .caught = {"skylake-2018 on 2 counter_thread_scope FAIL"})

FAULT(reset_misses_frozen,
      .what = "[any with perfmon 4] MSR 390H does not clear CTR_Frz",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"})

FAULT(reset_stores,
      .what = "[any] MSR 390H stores what is written in the status",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL"})

FAULT(set_ignored,
      .what = "[any with perfmon 4] IA32_PERF_GLOBAL_STATUS_SET sets nothing",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"})

FAULT(set_misses_fixed,
      .what = "[any with perfmon 4] IA32_PERF_GLOBAL_STATUS_SET does not set "
              "the bits of fixed counters",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"})

FAULT(set_misses_ds,
      .what = "[any with perfmon 4] IA32_PERF_GLOBAL_STATUS_SET does not set "
              "OvfBuffer",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"})

FAULT(set_stores,
      .what = "[any with perfmon 4] IA32_PERF_GLOBAL_STATUS_SET clears what "
              "it does not set",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"})

FAULT(fixed_sign_extended,
      .what = "[any] a write of IA32_FIXED_CTR1 is sign-extended from bit 31",
      .caught = {"skylake-2018 on 1 fixed_counter_writes FAIL"})

FAULT(fixed_written_next,
      .what = "[any] a write of IA32_FIXED_CTR2 goes to IA32_FIXED_CTR1",
      .caught = {"haswell on 1 fixed_counter_writes FAIL"})

FAULT(fixed2_read_only,
      .what = "[any] a write of IA32_FIXED_CTR2 changes nothing",
      .caught = {"skylake-2018 on 1 fixed_counter_writes FAIL"})

FAULT(wide_sign_extended,
      .what = "[any] a write of IA32_A_PMC0 is sign-extended from bit 31",
      .caught = {"skylake-2018 on 1 counter_carry FAIL"})

FAULT(wide_of_next, .what = "[any] IA32_A_PMC2 is IA32_PMC1",
      .caught = {"haswell on 1 counter_carry FAIL"})

FAULT(select_clears_counter,
      .what = "[any] a write of PERFEVTSELn sets IA32_PMCn to 0",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(select_drops_int, .what = "[any] PERFEVTSELn.INT stays 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"})

FAULT(select_drops_pc, .what = "[any] PERFEVTSEL1.PC stays 0",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"})

FAULT(select_drops_any, .what = "[any] PERFEVTSELn.ANY stays 0",
      .caught = {"haswell on 1 counter_registers FAIL"})

FAULT(select_cmask_4_bits, .what = "[any] PERFEVTSELn[31:28] stay 0",
      .caught = {"haswell on 1 counter_mask_edge FAIL"})

FAULT(select2_is_select0,
      .what = "[any] a write of PERFEVTSEL2 changes PERFEVTSEL0 too",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"})

FAULT(global_ctrl_clears_status,
      .what = "[any] a write of IA32_PERF_GLOBAL_CTRL clears the status",
      .caught = {"skylake-2018 on 1 counter_overflow_bits FAIL"})

FAULT(selects_of_core,
      .what = "[any] both threads of a core have one PERFEVTSEL0",
      .caught = {"skylake-2018 on 2 counters_independent FAIL"})

FAULT(fixed_ctrl_of_core,
      .what = "[any] both threads of a core have one IA32_FIXED_CTR_CTRL",
      .caught = {"skylake-2018 on 2 counter_enable_bits FAIL"})

FAULT(global_ctrl_of_core,
      .what = "[any] both threads of a core have one IA32_PERF_GLOBAL_CTRL",
      .caught = {"skylake-2018 on 2 counter_thread_scope FAIL"})

FAULT(counters_of_core,
      .what = "[any] both threads of a core have one IA32_PMC0",
      .caught = {"skylake-2018 on 2 counter_thread_scope FAIL"})

FAULT(set_misses_frozen,
      .what = "[any with perfmon 4] IA32_PERF_GLOBAL_STATUS_SET does not set "
              "CTR_Frz",
      .caught = {"skylake-2018 on 1 global_status_set FAIL"})

static bool is_fixed(uint32_t number)
{
    return number - IA32_FIXED_CTR0 < FIXED_MAX;
}

static bool is_select(uint32_t number)
{
    return number - IA32_PERFEVTSEL0 < COUNTERS_MAX;
}

static uint64_t extended(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)value & COUNTER_MASK;
}

static uint64_t select_value(const struct processor *p, uint32_t number,
                             uint64_t value)
{
    if (has_fault(p, FAULT_select_drops_int))
        return value & ~EVTSEL_INT;
    if (has_fault(p, FAULT_select_drops_pc) && number == IA32_PERFEVTSEL0 + 1)
        return value & ~BIT(19);
    if (has_fault(p, FAULT_select_drops_any))
        return value & ~EVTSEL_ANY;
    return has_fault(p, FAULT_select_cmask_4_bits) ? value & ~BITS(31, 28)
                                                   : value;
}

static uint64_t reset_value(const struct processor *p, uint64_t value)
{
    switch (p->machine->fault) {
    case FAULT_reset_beside_keeps_frozen:
        return value == STATUS_CTR_FRZ ? value : value & ~STATUS_CTR_FRZ;
    case FAULT_reserved_status_reset:
        return value & ~(BITS(54, 35) | BITS(57, 56) | BITS(31, 8));
    case FAULT_reset_clears_all:
        return value | (p->pmu.global_status & (BITS(34, 32) | BITS(7, 0)));
    case FAULT_reset_clears_nothing:
        return 0;
    case FAULT_reset_misses_frozen:
        return value & ~STATUS_CTR_FRZ;
    default:
        return value;
    }
}

static uint64_t set_value(const struct processor *p, uint64_t value)
{
    switch (p->machine->fault) {
    case FAULT_reserved_status_set:
        return value & ~(BITS(54, 35) | BITS(57, 56) | BITS(31, 8));
    case FAULT_set_ignored:
        return 0;
    case FAULT_set_misses_fixed:
        return value & ~BITS(34, 32);
    case FAULT_set_misses_frozen:
        return value & ~STATUS_CTR_FRZ;
    case FAULT_set_misses_ds:
        return value & ~STATUS_DS_OVF;
    default:
        return value;
    }
}

/* Fields of counters that count keep their OS and USR. */
static uint64_t fields_kept(const struct pmu_state *pmu, uint64_t value)
{
    for (unsigned n = 0; n < FIXED_MAX; n++) {
        const uint64_t levels = (FIXED_OS | FIXED_USR) << (4 * n);

        if ((pmu->global_ctrl >> (32 + n) & 1) != 0 &&
            (pmu->fixed_ctrl & levels) != 0 && (value & levels) != 0)
            value = (value & ~levels) | (pmu->fixed_ctrl & levels);
    }
    return value;
}

uint64_t faults_register_value(const struct processor *p, uint32_t number,
                               uint64_t value)
{
    if (p->machine->fault == FAULT_none)
        return value;
    if (is_select(number))
        return select_value(p, number, value);
    if (is_fixed(number) && has_fault(p, FAULT_reserved_fixed_wide))
        return value & COUNTER_MASK;
    if (number == IA32_FIXED_CTR0 + 1 &&
        has_fault(p, FAULT_fixed_sign_extended))
        return extended(value);
    if (number == IA32_FIXED_CTR0 + 2 && has_fault(p, FAULT_fixed2_read_only))
        return p->pmu.fixed[2];
    if (number == IA32_A_PMC0 && has_fault(p, FAULT_wide_sign_extended))
        return extended(value);
    if (number == IA32_PERF_GLOBAL_CTRL &&
        has_fault(p, FAULT_reserved_global_ctrl))
        return value & (BITS(34, 32) | (BIT(p->counters) - 1));
    if (number == IA32_FIXED_CTR_CTRL &&
        has_fault(p, FAULT_running_fixed_keeps_levels))
        return fields_kept(&p->pmu, value);
    if (number == IA32_FIXED_CTR0 + 1 && value == 0 &&
        (p->pmu.global_ctrl & BIT(33)) != 0 &&
        has_fault(p, FAULT_running_fixed_1_not_zeroed))
        return p->pmu.fixed[1];
    if (number == IA32_FIXED_CTR_CTRL &&
        has_fault(p, FAULT_reserved_fixed_ctrl))
        return value & BITS(11, 0);
    if (number == IA32_PERF_GLOBAL_STATUS_RESET)
        return reset_value(p, value);
    return number == IA32_PERF_GLOBAL_STATUS_SET ? set_value(p, value) : value;
}

static void write_both(struct processor *p, uint32_t number)
{
    struct processor *s = p->sibling;

    if (s == NULL)
        return;
    if (number == IA32_PERFEVTSEL0 && has_fault(p, FAULT_selects_of_core))
        s->pmu.select[0] = p->pmu.select[0];
    if (number == IA32_FIXED_CTR_CTRL && has_fault(p, FAULT_fixed_ctrl_of_core))
        s->pmu.fixed_ctrl = p->pmu.fixed_ctrl;
    if (number == IA32_PERF_GLOBAL_CTRL &&
        has_fault(p, FAULT_global_ctrl_of_core))
        s->pmu.global_ctrl = p->pmu.global_ctrl;
    if (number == IA32_PMC0 && has_fault(p, FAULT_counters_of_core))
        s->pmu.counter[0] = p->pmu.counter[0];
    if (number == IA32_PERF_GLOBAL_STATUS_SET &&
        has_fault(p, FAULT_status_of_core))
        s->pmu.global_status |= p->pmu.global_status;
    pmu_update(s);
}

static void counter_written(struct processor *p, unsigned n, uint64_t value)
{
    uint64_t status = p->pmu.global_status & ~BIT(n);

    if (n == 1 && has_fault(p, FAULT_counter_zero_extended))
        p->pmu.counter[1] &= BITS(31, 0);
    if (n == 0 && has_fault(p, FAULT_counter_takes_edx))
        p->pmu.counter[0] = value & COUNTER_MASK;
    if (has_fault(p, FAULT_counter_clears_status))
        p->pmu.global_status = status;
}

/* Has a counter overflowed that could interrupt now? */
static bool has_overflowed(const struct pmu_state *pmu)
{
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((pmu->global_status & pmu->global_ctrl & BIT(n)) != 0 &&
            (pmu->select[n] & EVTSEL_INT) != 0)
            return true;
    for (unsigned n = 0; n < FIXED_MAX; n++)
        if ((pmu->global_status & pmu->global_ctrl & BIT(32 + n)) != 0 &&
            (pmu->fixed_ctrl >> (4 * n) & FIXED_PMI) != 0)
            return true;
    return false;
}

/* Counters that go on have lost an instruction. */
static void lose_one(struct processor *p, uint64_t ctrl)
{
    const uint64_t both = ctrl != p->faults.ctrl ? ctrl & p->faults.ctrl : 0;

    p->faults.ctrl = ctrl;
    for (unsigned n = 0; n < p->counters; n++)
        if ((both >> n & 1) != 0 && (p->pmu.select[n] & EVTSEL_EVENT) == 0xC0 &&
            has_fault(p, FAULT_live_ctrl_loses_one))
            p->pmu.counter[n] = (p->pmu.counter[n] - 1) & COUNTER_MASK;
}

bool faults_register_written(struct processor *p, uint32_t number,
                             uint64_t value, bool good)
{
    struct pmu_state *pmu = &p->pmu;

    if (p->machine->fault == FAULT_none)
        return good;
    if (number == IA32_PERF_GLOBAL_STATUS &&
        has_fault(p, FAULT_status_writable))
        return true;
    if (number == IA32_PERF_GLOBAL_INUSE && has_fault(p, FAULT_inuse_writable))
        return true;
    if (!good)
        return false;
    if (number == IA32_PERF_GLOBAL_CTRL)
        lose_one(p, value);
    if (number == IA32_PERF_GLOBAL_STATUS_RESET &&
        (value & STATUS_LBR_FRZ) != 0 &&
        !faults_rule(p->machine, LBR_KEPT_UNFROZEN, true))
        lbr_empty(p);
    if (number - IA32_PMC0 < COUNTERS_MAX)
        counter_written(p, number - IA32_PMC0, value);
    if (number - IA32_A_PMC0 < COUNTERS_MAX &&
        has_fault(p, FAULT_wide_clears_status))
        pmu->global_status &= ~BIT(number - IA32_A_PMC0);
    if (is_select(number) && has_fault(p, FAULT_select_clears_counter))
        pmu->counter[number - IA32_PERFEVTSEL0] = 0;
    if (number == IA32_PERFEVTSEL0 + 2 &&
        has_fault(p, FAULT_select2_is_select0))
        pmu->select[0] = pmu->select[2];
    if (number == IA32_FIXED_CTR0 + 2 && has_fault(p, FAULT_fixed_written_next))
        pmu->fixed[1] = value;
    if (number == IA32_A_PMC0 + 2 && has_fault(p, FAULT_wide_of_next))
        pmu->counter[1] = pmu->counter[2];
    if (number == IA32_PERF_GLOBAL_CTRL &&
        has_fault(p, FAULT_global_ctrl_clears_status))
        pmu->global_status = 0;
    if (number == IA32_PERF_GLOBAL_STATUS_SET && has_fault(p, FAULT_set_stores))
        pmu->global_status = value;
    if (number == IA32_PERF_GLOBAL_STATUS_RESET &&
        has_fault(p, FAULT_reset_stores))
        pmu->global_status = value;
    if (number == IA32_PERFEVTSEL0 + 1 &&
        !faults_rule(p->machine, SELECT_1_KEEPS_2, true))
        pmu->select[2] &= ~EVTSEL_INT;
    if (number == IA32_PERF_GLOBAL_STATUS_RESET &&
        (value & STATUS_CTR_FRZ) != 0 &&
        !faults_rule(p->machine, FREEZE_ENDS_AT_ONCE, true))
        pmu->frozen = UINT64_MAX;
    if (faults_about(p->machine, PMI_AT_WRITE, number) && has_overflowed(pmu))
        pmu->pmi = true;
    write_both(p, number);
    return true;
}
