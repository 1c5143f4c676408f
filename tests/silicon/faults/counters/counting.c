/* SPDX-License-Identifier: BSD-2-Clause */
/* counting.c - what goes wrong with counters, their MSRs and interrupts. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(counter1_loses_while_traced,
      .what = "[any with Processor Trace] IA32_PMC1 misses one branch in 8 "
              "while TraceEn is 1",
      .caught = {"skylake-2017 on 1 pt_while_sampling FAIL"})

FAULT(rtm_start_counts_one_more,
      .what = "[any with RTM] RTM_RETIRED.START counts the first transaction "
              "of a window twice",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"})

FAULT(rtm_aborted_by_event_not_counted,
      .what = "RTM_RETIRED.ABORTED does not count aborts by an interrupt",
      .caught = {"skylake-2018 on 1 tsx_interrupt_abort FAIL"})

FAULT(rtm_aborted_not_counted,
      .what = "[any with RTM] RTM_RETIRED.ABORTED leaves out aborts by XABORT",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"})

FAULT(rtm_commit_counts_aborts,
      .what = "[any with RTM] RTM_RETIRED.COMMIT counts aborts, too",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"})

FAULT(hle_events_count_rtm,
      .what = "[any with HLE] HLE_RETIRED counts transactions begun by XBEGIN",
      .caught = {"haswell on 1 tsx_retired_events FAIL"})

FAULT(in_tx_counts_outside,
      .what = "[any with RTM] IN_TX counts outside of transactions, too",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"})

FAULT(in_txcp_keeps_aborted,
      .what = "[any with RTM] IN_TXCP counts what an abort has undone",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"})

FAULT(in_tx_without_tsx, .what = "[any without TSX] IN_TX can be set",
      .caught = {"sandybridge on 1 tsx_in_txcp_counter2 FAIL"})

FAULT(counter3_garbles_though_forced,
      .what = "[B] counter 3 misbehaves although bit 0 is set",
      .caught = {"skylake-2018 on 1 counter3_counts_force_abort FAIL",
                 "skylake-server-2019 on 1 counter3_counts_force_abort FAIL"})

FAULT(counter3_loses_one,
      .what = "[any] one window in 10 misses one event of counter 3",
      .caught = {"haswell on 1 counter3_counts_alone FAIL",
                 "skylake-2018 on 1 events_in_groups FAIL"})

FAULT(counter3_garbles_in_a,
      .what = "[A] counter 3 misbehaves around transactions",
      .caught = {"skylake-2017 on 1 counter3_counts_under_rtm FAIL"})

FAULT(counter3_garbles_in_c,
      .what = "[C] counter 3 misbehaves around forced aborts",
      .caught = {"skylake-2021 on 1 counter3_counts_under_rtm FAIL",
                 "skylake-2021 on 1 counter3_any_force_abort FAIL"})

FAULT(counter3_garbles_in_sdv,
      .what = "[C] counter 3 misbehaves while bit 2 is set",
      .caught = {"skylake-2021 on 1 counter3_counts_sdv FAIL"})

FAULT(counter3_garbles_at_ring3,
      .what = "[C] counter 3 misbehaves by transactions at ring 3",
      .caught = {"skylake-2021 on 1 tsx_ring3 FAIL"})

FAULT(counter3_forced_at_ring3,
      .what = "[B] RTM_FORCE_ABORT = 1 makes counter 3 misbehave at ring 3",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"})

FAULT(counter3_branches_off,
      .what = "[any] counter 3 counts one branch too many in a window",
      .caught = {"sandybridge on 1 counter3_counts_alone FAIL",
                 "sandybridge on 1 events_in_groups FAIL"})

FAULT(counter3_cycles_twice, .what = "[any] counter 3 counts every cycle twice",
      .caught = {"skylake-2017 on 1 counter3_counts_alone FAIL"})

FAULT(evtsel3_rewritten,
      .what = "[A C F] PERFEVTSEL3 changes by itself after a transaction",
      .caught = {"skylake-2017 on 1 counter3_registers_hold FAIL",
                 "skylake-2021 on 1 counter3_registers_hold FAIL"})

FAULT(global_ctrl3_cleared,
      .what = "[A C F] GLOBAL_CTRL[3] is cleared after a transaction",
      .caught = {"cometlake-2022 on 1 counter3_registers_hold FAIL"})

FAULT(inuse3_stuck, .what = "[any with perfmon 4] GLOBAL_INUSE[3] is always 1",
      .caught = {"skylake-2017 on 1 counter3_registers_hold FAIL"})

FAULT(alias_split, .what = "[any] 4C4H and C4H are two registers",
      .caught = {"skylake-2017 on 1 counter3_full_width_alias FAIL"})

FAULT(alias_no_sign_extension,
      .what = "[any] a write to C4H is not sign-extended",
      .caught = {"haswell on 1 counter3_full_width_alias FAIL"})

FAULT(full_width_no_gp,
      .what = "[any] 4C4H takes a value wider than the counter",
      .caught = {"sandybridge on 1 counter3_full_width_alias FAIL"})

FAULT(overflow_late, .what = "[any] counter 3 overflows one event late",
      .caught = {"skylake-2017 on 1 counter3_overflow FAIL"})

FAULT(overflow_sets_bit2,
      .what = "[any] overflow of counter 3 sets GLOBAL_STATUS[2] too",
      .caught = {"skylake-2018 on 1 counter3_overflow FAIL"})

FAULT(overflow_silent, .what = "[any] overflow of counter 3 sets no status",
      .caught = {"haswell on 1 counter3_overflow FAIL"})

FAULT(rdpmc3_stale,
      .what = "[any] RDPMC of counter 3 returns the value before the last "
              "write",
      .caught = {"skylake-2018 on 1 counter3_full_width_alias FAIL"})

FAULT(counter5_dead, .what = "[any with 8 counters] counter 5 never counts",
      .caught = {"skylake-2018 off 1 counters_above_3 FAIL"})

FAULT(counter7_faults,
      .what = "[any with 8 counters] the registers of counter 7 raise #GP",
      .caught = {"skylake-2017 off 1 counters_above_3 FAIL"})

FAULT(counter_count_shrinks,
      .what = "[B] CPUID 0AH says 3 counters while bit 0 is clear",
      .caught = {"skylake-2018 on 1 counter_count_constant FAIL"})

FAULT(evtsel_reserved_accepted,
      .what = "[any] reserved bits of PERFEVTSELn do not raise #GP",
      .caught = {"sandybridge on 1 counter_reserved_bits FAIL",
                 "sandybridge on 1 tsx_in_txcp_counter2 FAIL"})

FAULT(msr_gp_surprise, .what = "[any] IA32_PERF_GLOBAL_CTRL raises #GP",
      .caught = {"skylake-2018 on 1 counter3_counts_alone ERROR"})

FAULT(pmi_missing, .what = "[any] no performance monitoring interrupt is sent",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

FAULT(pmi_twice,
      .what = "[any] each performance monitoring interrupt is sent twice",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"})

bool faults_accept_in_tx(const struct processor *p)
{
    return has_fault(p, FAULT_in_tx_without_tsx);
}

bool faults_accept_evtsel(const struct processor *p)
{
    return has_fault(p, FAULT_evtsel_reserved_accepted);
}

bool faults_accept_wide(const struct processor *p)
{
    return has_fault(p, FAULT_full_width_no_gp);
}

bool faults_refuse_counter(const struct processor *p, unsigned n)
{
    return n == 7 && has_fault(p, FAULT_counter7_faults);
}

bool faults_refuse_global_ctrl(const struct processor *p)
{
    return has_fault(p, FAULT_msr_gp_surprise);
}

bool faults_no_sign_extension(const struct processor *p, unsigned n)
{
    return n == 3 && has_fault(p, FAULT_alias_no_sign_extension);
}

bool faults_write_counter(struct processor *p, unsigned n, uint64_t value,
                          bool wide)
{
    if (n != 3)
        return true;
    p->faults.stale3 = p->pmu.counter[3];
    if (!wide)
        return true;
    p->faults.wide3 = value;
    return !has_fault(p, FAULT_alias_split);
}

uint64_t faults_read_wide(const struct processor *p, unsigned n, uint64_t value)
{
    return n == 3 && has_fault(p, FAULT_alias_split) ? p->faults.wide3 : value;
}

uint64_t faults_rdpmc(const struct processor *p, unsigned n, uint64_t value)
{
    return n == 3 && has_fault(p, FAULT_rdpmc3_stale) ? p->faults.stale3
                                                      : value;
}

unsigned faults_counters(const struct processor *p, unsigned counters)
{
    if (has_fault(p, FAULT_counter_count_shrinks) &&
        p->cpu->regime == REGIME_B &&
        (p->tsx.force_abort & RTM_FORCE_ABORT) == 0)
        return 3;
    return counters;
}

void faults_window_opened(struct processor *p)
{
    struct fault_state *f = &p->faults;

    f->overflowed = 0;
    f->starts_twice = has_fault(p, FAULT_rtm_start_counts_one_more);
    f->adds_branch = has_fault(p, FAULT_counter3_branches_off);
    f->loses_event =
        has_fault(p, FAULT_counter3_loses_one) && random_one_in(&p->random, 10);
}

bool faults_count_outside(const struct processor *p)
{
    return has_fault(p, FAULT_in_tx_counts_outside);
}

bool faults_keep_aborted(const struct processor *p)
{
    return has_fault(p, FAULT_in_txcp_keeps_aborted);
}

static uint32_t counter3_count(struct processor *p, uint32_t count)
{
    uint64_t event = p->pmu.select[3] & EVTSEL_EVENT;

    if (count != 0 && p->faults.loses_event) {
        p->faults.loses_event = false;
        return count - 1;
    }
    if (count != 0 && p->faults.adds_branch && event == 0xC4) {
        p->faults.adds_branch = false;
        return count + 1;
    }
    if (event == 0x3C && has_fault(p, FAULT_counter3_cycles_twice))
        return 2 * count;
    return count;
}

uint32_t faults_count(struct processor *p, unsigned n, uint32_t count)
{
    if (p->machine->fault == FAULT_none)
        return count;
    if (n == 1 && has_fault(p, FAULT_counter1_loses_while_traced) &&
        pt_tracing(p) && p->faults.of_branch)
        return random_one_in(&p->random, 8) ? 0 : count;
    if (n == 3)
        return counter3_count(p, count);
    return n == 5 && has_fault(p, FAULT_counter5_dead) ? 0 : count;
}

/* The carry arrives with the event after the one that wraps. */
static uint64_t late_status(struct processor *p, uint64_t status,
                            bool *overflow)
{
    bool was_late = p->faults.late;

    p->faults.late = *overflow && !was_late;
    if (was_late)
        return status | BIT(3);
    *overflow = false;
    return 0;
}

uint64_t faults_overflow(struct processor *p, unsigned n, uint64_t status,
                         bool *overflow)
{
    if (n != 3)
        return status;
    if (has_fault(p, FAULT_overflow_late))
        return late_status(p, status, overflow);
    if (has_fault(p, FAULT_overflow_sets_bit2) && *overflow)
        return status | BIT(2);
    if (!has_fault(p, FAULT_overflow_silent))
        return status;
    *overflow = false;
    return 0;
}

bool faults_hide_pmi(const struct processor *p)
{
    return has_fault(p, FAULT_pmi_missing);
}

bool faults_pmi_again(const struct processor *p)
{
    return has_fault(p, FAULT_pmi_twice);
}

bool faults_start_again(struct processor *p)
{
    bool again = p->faults.starts_twice;

    p->faults.starts_twice = false;
    return again;
}

uint8_t faults_aborted_events(const struct processor *p, enum tx_cause cause,
                              uint8_t umasks)
{
    if (cause == TX_CAUSE_XABORT && has_fault(p, FAULT_rtm_aborted_not_counted))
        return 0;
    if (cause == TX_CAUSE_EVENT &&
        has_fault(p, FAULT_rtm_aborted_by_event_not_counted))
        return 0;
    if (has_fault(p, FAULT_rtm_commit_counts_aborts))
        umasks |= TX_EVENT_COMMIT;
    return umasks;
}

bool faults_count_as_hle(const struct processor *p)
{
    return has_fault(p, FAULT_hle_events_count_rtm);
}

bool faults_garble_counter3(const struct processor *p)
{
    switch (p->cpu->regime) {
    case REGIME_A:
        return p->cpu->has_rtm && has_fault(p, FAULT_counter3_garbles_in_a);
    case REGIME_B:
        return has_fault(p, FAULT_counter3_garbles_though_forced) ||
               (p->tsx.user && has_fault(p, FAULT_counter3_forced_at_ring3));
    case REGIME_C:
        if (p->tsx.user && has_fault(p, FAULT_counter3_garbles_at_ring3))
            return true;
        return has_fault(p, tsx_sdv(p) ? FAULT_counter3_garbles_in_sdv
                                       : FAULT_counter3_garbles_in_c);
    default:
        return false;
    }
}

bool faults_garble_always(const struct processor *p)
{
    return has_fault(p, FAULT_counter3_garbles_though_forced) ||
           has_fault(p, FAULT_counter3_garbles_in_a) ||
           has_fault(p, FAULT_counter3_garbles_in_c) ||
           has_fault(p, FAULT_counter3_garbles_in_sdv) ||
           has_fault(p, FAULT_counter3_garbles_at_ring3) ||
           has_fault(p, FAULT_counter3_forced_at_ring3);
}

void faults_after_transaction(struct processor *p)
{
    if (p->cpu->regime == REGIME_B)
        return;
    if (has_fault(p, FAULT_evtsel3_rewritten))
        counter3_rewrite_select(p);
    if (has_fault(p, FAULT_global_ctrl3_cleared))
        counter3_disable(p);
}
