/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx.c - what goes wrong with transactions and with the MSRs of TSX. */
#include "tests/silicon/faults/hooks.h"

#include "tests/silicon/model/lines.h"
#include "tests/silicon/model/tsx.h"

FAULT(tfa_readable_unenumerated,
      .what = "[A F] MSR 10FH reads 0 although EDX[13] is clear",
      .caught = { "skylake-2017 on 1 force_abort_enumeration FAIL",
                  "cometlake-2022 on 1 force_abort_enumeration FAIL" })

FAULT(tfa_faults_though_enumerated,
      .what = "[B C E] MSR 10FH raises #GP although EDX[13] is set",
      .caught = { "skylake-2018 on 1 force_abort_enumeration FAIL" })

FAULT(tfa_reserved_accepted,
      .what = "[B C] reserved bits of MSR 10FH can be written without #GP",
      .caught = { "skylake-2018 on 1 force_abort_enumeration FAIL" })

FAULT(force_abort_lets_commit,
      .what = "[B] one XBEGIN in 50 commits although bit 0 is set",
      .caught = { "skylake-2018 on 1 force_abort_aborts_all FAIL" })

FAULT(force_abort_sets_eax,
      .what = "[B] one forced abort in 20 has EAX = 2",
      .caught = { "skylake-2018 on 1 force_abort_aborts_all FAIL" })

FAULT(force_abort_leaks_store,
      .what = "[B] one forced abort in 20 does not undo the stores of the "
              "body",
      .caught = { "skylake-2018 on 1 force_abort_aborts_all FAIL" })

FAULT(force_abort_keeps_registers,
      .what = "[B] one forced abort in 20 does not restore the registers",
      .caught = { "skylake-2018 on 1 force_abort_aborts_all FAIL" })

FAULT(force_abort_sticky,
      .what = "[B] aborts go on after bit 0 has been cleared",
      .caught = { "skylake-2018 on 1 force_abort_aborts_all FAIL" })

FAULT(force_abort_starts_late,
      .what = "[B] the first XBEGIN after bit 0 was set still commits",
      .caught = { "skylake-2018 on 1 force_abort_aborts_all FAIL" })

FAULT(force_abort_hides_rtm,
      .what = "[B] CPUID EBX[11] = 0 while bit 0 is set",
      .caught = { "skylake-2018 on 1 force_abort_aborts_all FAIL" })

FAULT(force_abort_shared_value,
      .what = "[B] bit 0 written on one processor reads as set on the others",
      .caught = { "skylake-2018 on 2 force_abort_thread_scope FAIL" })

FAULT(force_abort_shared_effect,
      .what = "[B] bit 0 set on one processor aborts on the others too",
      .caught = { "skylake-2018 on 2 force_abort_thread_scope FAIL" })

FAULT(always_abort_bit0_writable,
      .what = "[C] bit 0 of MSR 10FH takes what is written",
      .caught = { "skylake-2021 on 1 always_abort_default FAIL" })

FAULT(always_abort_bit0_zero,
      .what = "[C] bit 0 of MSR 10FH reads 0",
      .caught = { "skylake-2021 on 1 always_abort_default FAIL" })

FAULT(always_abort_commits,
      .what = "[C] one XBEGIN in 50 commits",
      .caught = { "skylake-2021 on 1 always_abort_default FAIL" })

FAULT(always_abort_unenumerated,
      .what = "[C] EDX[11] reads 0",
      .caught = { "skylake-2021 on 1 force_abort_aborts_all FAIL" })

FAULT(sdv_keeps_bit0,
      .what = "[C] bit 0 still reads 1 while bit 2 is set",
      .caught = { "skylake-2021 on 1 sdv_enable_rtm FAIL" })

FAULT(sdv_keeps_always_abort,
      .what = "[C] EDX[11] stays 1 while bit 2 is set",
      .caught = { "skylake-2021 on 1 sdv_enable_rtm FAIL" })

FAULT(sdv_sticky,
      .what = "[C] transactions commit after bit 2 has been cleared",
      .caught = { "skylake-2021 on 1 sdv_enable_rtm FAIL" })

FAULT(cpuid_clear_keeps_hle,
      .what = "[C] EBX[4] stays 1 while bit 1 is set",
      .caught = { "skylake-2021 on 1 tsx_cpuid_clear FAIL" })

FAULT(cpuid_clear_keeps_rtm,
      .what = "[C] EBX[11] stays 1 while bit 1 is set",
      .caught = { "skylake-2021 on 1 tsx_cpuid_clear FAIL" })

FAULT(cpuid_clear_sticky,
      .what = "[C] EBX[11] and EBX[4] stay 0 after bit 1 was cleared",
      .caught = { "skylake-2021 on 1 tsx_cpuid_clear FAIL" })

FAULT(xbegin_ud_though_enumerated,
      .what = "[A B C F] XBEGIN raises #UD although RTM is enumerated",
      .caught = { "skylake-2018 on 1 force_abort_enumeration FAIL" })

FAULT(commit_loses_store,
      .what = "[A B F; C with bit 2] one commit in 20 loses the stores of the "
              "body",
      .caught = { "skylake-2018 on 1 force_abort_aborts_all FAIL",
                  "skylake-2017 on 2 tsx_lock_elision FAIL",
                  "skylake-2017 on 1 hle_elision FAIL" })

FAULT(xabort_code_lost,
      .what = "[A B F; C with bit 2] EAX[31:24] is 0 after XABORT",
      .caught = { "skylake-2017 on 1 tsx_xabort_codes FAIL" })

FAULT(xabort_bit0_missing,
      .what = "[A B F; C with bit 2] EAX[0] is 0 after XABORT",
      .caught = { "skylake-2017 on 1 tsx_xabort_codes FAIL" })

FAULT(nested_bit_missing,
      .what = "[A B F; C with bit 2] EAX[5] is 0 after an abort in a nested "
              "region",
      .caught = { "skylake-2017 on 1 tsx_nesting FAIL" })

FAULT(inner_abort_to_inner_fallback,
      .what = "[A B F; C with bit 2] an abort in a nested region goes to that "
              "region's fallback",
      .caught = { "skylake-2017 on 1 tsx_nesting FAIL" })

FAULT(nesting_commits_early,
      .what = "[A B F; C with bit 2] the XEND of a nested region commits its "
              "stores",
      .caught = { "skylake-2017 on 1 tsx_nesting FAIL" })

FAULT(capacity_bit_missing,
      .what = "[A B F; C with bit 2] EAX[3] is 0 after too many stores",
      .caught = { "skylake-2017 on 1 tsx_write_capacity FAIL",
                  "skylake-2017 on 1 pebs_tx_abort FAIL" })

FAULT(debug_bit_missing,
      .what = "[A B F; C with bit 2] EAX[4] is 0 after a breakpoint",
      .caught = { "skylake-2017 on 1 tsx_debug_breakpoint FAIL" })

FAULT(exception_delivered_in_tx,
      .what = "[A B F; C with bit 2] an exception in a transaction aborts it "
              "and is delivered too",
      .caught = { "skylake-2017 on 1 tsx_exceptions_abort FAIL" })

FAULT(pause_does_not_abort,
      .what = "[A B F; C with bit 2] PAUSE in a transaction does not abort it",
      .caught = { "skylake-2017 on 1 tsx_aborting_instructions FAIL" })

FAULT(cpuid_does_not_abort,
      .what = "[A B F; C with bit 2] CPUID in a transaction does not abort it",
      .caught = { "skylake-2017 on 1 tsx_aborting_instructions FAIL" })

FAULT(xtest_always_zero,
      .what = "[A B F; C with bit 2] XTEST sets ZF inside a transaction too",
      .caught = { "skylake-2017 on 1 tsx_xtest FAIL",
                  "skylake-2017 on 1 hle_elision FAIL" })

FAULT(xend_outside_ignored,
      .what = "[A B F; C with bit 2] XEND outside a transaction does nothing",
      .caught = { "skylake-2017 on 1 tsx_xend_outside FAIL" })

FAULT(xabort_outside_aborts,
      .what = "[A B F; C with bit 2] XABORT outside a transaction raises #GP",
      .caught = { "skylake-2017 on 1 tsx_xabort_outside FAIL" })

FAULT(write_leaked_after_xabort,
      .what = "[A B F; C with bit 2] XABORT does not undo the stores of the "
              "body",
      .caught = { "skylake-2017 on 1 tsx_xabort_codes FAIL" })

FAULT(retry_bit_with_xabort,
      .what = "[A B F; C with bit 2] EAX[1] is 1 after XABORT",
      .caught = { "skylake-2017 on 1 tsx_xabort_codes FAIL" })

FAULT(conflict_write_not_seen,
      .what = "[A B F; C with bit 2] a write by another processor to a line "
              "of the read set does not abort",
      .caught = { "skylake-2017 on 2 tsx_conflict_write FAIL 60" })

FAULT(conflict_read_not_seen,
      .what = "[A B F; C with bit 2] a read by another processor of a line of "
              "the write set does not abort",
      .caught = { "skylake-2017 on 2 tsx_conflict_read FAIL 60" })

FAULT(conflict_bit_missing,
      .what = "[A B F; C with bit 2] EAX[2] is 0 after a conflict",
      .caught = { "skylake-2017 on 2 tsx_conflict_retry FAIL" })

FAULT(conflict_keeps_stores,
      .what = "[A B F; C with bit 2] an abort by a conflict does not undo the "
              "stores of the body",
      .caught = { "skylake-2017 on 2 tsx_conflict_write FAIL" })

FAULT(read_capacity_bit_missing,
      .what = "[A B F; C with bit 2] EAX[3] is 0 after too many loads",
      .caught = { "skylake-2017 on 1 tsx_read_capacity FAIL" })

bool faults_keep_stores(const struct processor *p, enum tx_cause cause)
{
    return (cause == TX_CAUSE_CONFLICT &&
            has_fault(p, FAULT_conflict_keeps_stores)) ||
           (cause == TX_CAUSE_XABORT &&
            has_fault(p, FAULT_write_leaked_after_xabort));
}

bool faults_inner_fallback(const struct processor *p)
{
    return has_fault(p, FAULT_inner_abort_to_inner_fallback);
}

bool faults_ignore_xend(const struct processor *p)
{
    return has_fault(p, FAULT_xend_outside_ignored);
}

bool faults_nested_commit(const struct processor *p)
{
    return has_fault(p, FAULT_nesting_commits_early);
}

bool faults_xtest_zero(const struct processor *p)
{
    return has_fault(p, FAULT_xtest_always_zero);
}

bool faults_refuse_xabort(const struct processor *p)
{
    return has_fault(p, FAULT_xabort_outside_aborts);
}

bool faults_deliver_exception(const struct processor *p)
{
    return has_fault(p, FAULT_exception_delivered_in_tx);
}

/* The bits that a fault clears, or sets. */
uint32_t faults_abort_status(const struct processor *p, enum tx_cause cause,
                             uint32_t status)
{
    if (has_fault(p, FAULT_nested_bit_missing))
        status &= ~TX_STATUS_NESTED;
    if (has_fault(p, FAULT_xabort_bit0_missing))
        status &= ~TX_STATUS_XABORT;
    if (has_fault(p, FAULT_xabort_code_lost))
        status &= ~TX_STATUS_CODE(0xFF);
    if (has_fault(p, FAULT_conflict_bit_missing))
        status &= ~TX_STATUS_CONFLICT;
    if (has_fault(p, FAULT_retry_bit_with_xabort) && cause == TX_CAUSE_XABORT)
        status |= TX_STATUS_RETRY;
    if (has_fault(p, cause == TX_CAUSE_READS ? FAULT_read_capacity_bit_missing
                                             : FAULT_capacity_bit_missing))
        status &= ~TX_STATUS_CAPACITY;
    if (has_fault(p, FAULT_debug_bit_missing))
        status &= ~TX_STATUS_DEBUG;
    return status;
}

bool faults_let_pass(const struct processor *p, const struct instruction *i)
{
    return has_fault(p, i->is_pause ? FAULT_pause_does_not_abort
                                    : FAULT_cpuid_does_not_abort);
}

unsigned faults_conflict_sets(const struct machine *m, unsigned sets,
                              bool write)
{
    if (fault_is(m, FAULT_conflict_write_not_seen))
        sets &= ~LINE_READ;
    if (!write && (fault_is(m, FAULT_conflict_read_not_seen) ||
                   faults_write_lock(m)))
        return 0;
    return sets;
}

/* The faults that change one forced abort in so many. */
static void spare_doomed(struct processor *p, struct tx_decision *decision)
{
    bool b = p->cpu->regime == REGIME_B, c = p->cpu->regime == REGIME_C;

    if ((b && has_fault(p, FAULT_force_abort_lets_commit)) ||
        (c && has_fault(p, FAULT_always_abort_commits))) {
        if (random_one_in(&p->random, 50))
            decision->fate = TX_RUNS;
    } else if (b && has_fault(p, FAULT_force_abort_starts_late)) {
        if (p->faults.first_after_force)
            decision->fate = TX_RUNS;
    } else if (b && has_fault(p, FAULT_force_abort_sets_eax)) {
        if (random_one_in(&p->random, 20))
            decision->status = TX_STATUS_RETRY;
    } else if (b && (has_fault(p, FAULT_force_abort_leaks_store) ||
                     has_fault(p, FAULT_force_abort_keeps_registers))) {
        if (!random_one_in(&p->random, 20))
            return;
        decision->at_xend = true;
        decision->leak_stores = has_fault(p, FAULT_force_abort_leaks_store);
        decision->leak_registers = !decision->leak_stores;
    }
}

void faults_doomed(struct processor *p, struct tx_decision *decision)
{
    if (p->machine->fault == FAULT_none)
        return;
    spare_doomed(p, decision);
    p->faults.first_after_force = false;
}

void faults_may_commit(struct processor *p, struct tx_decision *decision)
{
    if (has_fault(p, FAULT_commit_loses_store))
        decision->lose_stores = random_one_in(&p->random, 20);
}

bool faults_hidden(const struct processor *p, bool hidden)
{
    return hidden ||
           (has_fault(p, FAULT_cpuid_clear_sticky) && p->faults.was_cleared);
}

bool faults_forced(const struct processor *p, bool forced)
{
    const struct machine *m = p->machine;

    if (has_fault(p, FAULT_force_abort_sticky) && p->faults.was_forced)
        return true;
    if (has_fault(p, FAULT_force_abort_shared_effect) &&
        (m->faults.force_abort & RTM_FORCE_ABORT) != 0)
        return true;
    return forced;
}

bool faults_rtm_visible(const struct processor *p, bool forced, bool visible)
{
    if (has_fault(p, FAULT_cpuid_clear_keeps_rtm))
        return true;
    if (has_fault(p, FAULT_force_abort_hides_rtm) &&
        p->cpu->regime == REGIME_B && forced)
        return false;
    return visible;
}

bool faults_hle_visible(const struct processor *p, bool visible)
{
    return visible || has_fault(p, FAULT_cpuid_clear_keeps_hle);
}

bool faults_always_abort_visible(const struct processor *p, bool visible)
{
    if (has_fault(p, FAULT_always_abort_unenumerated))
        return false;
    return visible || has_fault(p, FAULT_sdv_keeps_always_abort);
}

bool faults_force_abort_readable(const struct processor *p)
{
    return has_fault(p, FAULT_tfa_readable_unenumerated);
}

bool faults_force_abort_refused(const struct processor *p)
{
    return has_fault(p, FAULT_tfa_faults_though_enumerated);
}

uint64_t faults_force_abort_value(const struct processor *p, uint64_t value)
{
    if (p->cpu->regime == REGIME_B &&
        has_fault(p, FAULT_force_abort_shared_value))
        return p->machine->faults.force_abort;
    if (p->cpu->regime != REGIME_C)
        return value;
    if (has_fault(p, FAULT_always_abort_bit0_writable))
        return p->tsx.force_abort;
    if (has_fault(p, FAULT_sdv_keeps_bit0))
        return value | RTM_FORCE_ABORT;
    if (has_fault(p, FAULT_always_abort_bit0_zero))
        return value & ~RTM_FORCE_ABORT;
    return value;
}

bool faults_accept_force_abort(const struct processor *p)
{
    return has_fault(p, FAULT_tfa_reserved_accepted);
}

void faults_force_abort_written(struct processor *p, uint64_t value)
{
    struct fault_state *f = &p->faults;

    f->first_after_force =
        (value & ~p->tsx.force_abort & RTM_FORCE_ABORT) != 0;
    f->was_forced = f->was_forced || (value & RTM_FORCE_ABORT) != 0;
    f->was_cleared = f->was_cleared || (value & TSX_CPUID_CLEAR) != 0;
    f->was_sdv = f->was_sdv || (value & SDV_ENABLE_RTM) != 0;
    p->machine->faults.force_abort = value;
}

bool faults_bit0_writable(const struct processor *p)
{
    return has_fault(p, FAULT_always_abort_bit0_writable);
}

bool faults_aborts_all(const struct processor *p, bool aborts)
{
    return aborts && !(has_fault(p, FAULT_sdv_sticky) && p->faults.was_sdv);
}

bool faults_rtm_invalid(const struct processor *p)
{
    return has_fault(p, FAULT_xbegin_ud_though_enumerated);
}
