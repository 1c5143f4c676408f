/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx.c - what goes wrong with transactions. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/memory/lines.h"
#include "tests/silicon/model/pt/pt.h"
#include "tests/silicon/model/tsx/tsx.h"

#define VECTOR_NM 7
#define VECTOR_MF 16

FAULT(commit_loses_store,
      .what = "[A B F; C with bit 2] one commit in 20 loses the stores of the "
              "body",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL",
                 "skylake-2017 on 2 tsx_lock_elision FAIL",
                 "skylake-2017 on 1 hle_elision FAIL"})

FAULT(inner_abort_to_inner_fallback,
      .what = "[A B F; C with bit 2] an abort in a nested region goes to that "
              "region's fallback",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"},
      .quantity = INNER_FALLBACK, .number = ANY_NUMBER)

FAULT(nesting_commits_early,
      .what = "[A B F; C with bit 2] the XEND of a nested region commits its "
              "stores",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"})

FAULT(exception_delivered_in_tx,
      .what = "[A B F; C with bit 2] an exception in a transaction aborts it "
              "and is delivered too",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL"})

FAULT(nm_delivered_in_tx,
      .what = "[A B F; C with bit 2] #NM in a transaction is delivered after "
              "the abort",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL"})

FAULT(mf_delivered_in_tx,
      .what = "[A B F; C with bit 2] #MF in a transaction is delivered after "
              "the abort",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL"})

FAULT(pause_does_not_abort,
      .what = "[A B F; C with bit 2] PAUSE in a transaction does not abort it",
      .caught = {"skylake-2017 on 1 tsx_aborting_instructions FAIL"})

FAULT(cpuid_does_not_abort,
      .what = "[A B F; C with bit 2] CPUID in a transaction does not abort it",
      .caught = {"skylake-2017 on 1 tsx_aborting_instructions FAIL"})

FAULT(xtest_always_zero,
      .what = "[A B F; C with bit 2] XTEST sets ZF inside a transaction too",
      .caught = {"skylake-2017 on 1 tsx_xtest FAIL",
                 "skylake-2017 on 1 hle_elision FAIL"})

FAULT(xend_outside_ignored,
      .what = "[A B F; C with bit 2] XEND outside a transaction does nothing",
      .caught = {"skylake-2017 on 1 tsx_xend_outside FAIL"})

FAULT(xabort_outside_aborts,
      .what = "[A B F; C with bit 2] XABORT outside a transaction raises #GP",
      .caught = {"skylake-2017 on 1 tsx_xabort_outside FAIL"})

FAULT(write_leaked_after_xabort,
      .what = "[A B F; C with bit 2] XABORT does not undo the stores of the "
              "body",
      .caught = {"skylake-2017 on 1 tsx_xabort_codes FAIL"})

FAULT(conflict_write_not_seen,
      .what = "[A B F; C with bit 2] a write by another processor to a line "
              "of the read set does not abort",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL 60",
                 "haswell on 2 hle_lock_conflict FAIL"})

FAULT(conflict_read_not_seen,
      .what = "[A B F; C with bit 2] a read by another processor of a line of "
              "the write set does not abort",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL 8",
                 "skylake-2017 on 2 tsx_commit_atomic FAIL"})

FAULT(conflict_both_not_seen,
      .what = "[A B F; C with bit 2] a read by another processor of a line in "
              "both sets does not abort",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"})

FAULT(conflict_written_not_seen,
      .what = "[A B F; C with bit 2] a write to a line that a transaction has "
              "only written is no conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"})

FAULT(conflict_keeps_stores,
      .what = "[A B F; C with bit 2] an abort by a conflict does not undo the "
              "stores of the body",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"})

bool faults_keep_stores(const struct processor *p, enum tx_cause cause,
                        bool hle)
{
    if (hle &&
        (has_fault(p, FAULT_hle_abort_keeps_stores) ||
         (faults_quantity(p->machine, ELISION_PIECES, cause, 0) & 8) != 0))
        return true;
    return (cause == TX_CAUSE_CONFLICT &&
            has_fault(p, FAULT_conflict_keeps_stores)) ||
           (cause == TX_CAUSE_XABORT &&
            has_fault(p, FAULT_write_leaked_after_xabort));
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

bool faults_deliver_exception(const struct processor *p, unsigned vector)
{
    return has_fault(p, FAULT_exception_delivered_in_tx) ||
           (vector == VECTOR_NM && has_fault(p, FAULT_nm_delivered_in_tx)) ||
           (vector == VECTOR_MF && has_fault(p, FAULT_mf_delivered_in_tx));
}

bool faults_let_pass(const struct processor *p, const struct instruction *i)
{
    return has_fault(p, i->is_pause ? FAULT_pause_does_not_abort
                                    : FAULT_cpuid_does_not_abort);
}

unsigned faults_conflict_sets(const struct machine *m, unsigned sets,
                              bool write)
{
    if (!faults_rule(m, READS_ARE_SHARED, true) && (sets & LINE_READ) != 0)
        return sets | LINE_WRITTEN;
    if (!write && sets == (LINE_READ | LINE_WRITTEN) &&
        fault_is(m, FAULT_conflict_both_not_seen))
        return 0;
    if (write && sets == LINE_WRITTEN &&
        fault_is(m, FAULT_conflict_written_not_seen))
        return 0;
    if (fault_is(m, FAULT_conflict_write_not_seen))
        sets &= ~LINE_READ;
    if (!write &&
        (fault_is(m, FAULT_conflict_read_not_seen) || faults_write_lock(m)))
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

FAULT(forced_retry_while_traced,
      .what = "[B C F] a forced abort leaves EAX[1] while TraceEn is 1",
      .caught = {"icelake-server on 1 pt_forced_abort FAIL",
                 "skylake-2018 on 1 pt_forced_abort FAIL"})

FAULT(
    forced_without_store_commits,
    .what = "[B C F] a transaction that stores nothing is not forced to abort",
    .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL",
               "skylake-2021 on 1 always_abort_default FAIL",
               "cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL",
               "cometlake-2022 on 1 tsx_mcu_opt_ctrl FAIL"})

void faults_doomed(struct processor *p, struct tx_decision *decision)
{
    if (p->machine->fault == FAULT_none)
        return;
    spare_doomed(p, decision);
    if (has_fault(p, FAULT_forced_without_store_commits))
        decision->at_xend = decision->stores_alone = true;
    if (has_fault(p, FAULT_forced_retry_while_traced) && pt_tracing(p))
        decision->status = TX_STATUS_RETRY;
    p->faults.first_after_force = false;
}

void faults_may_commit(struct processor *p, struct tx_decision *decision)
{
    if (has_fault(p, FAULT_commit_loses_store))
        decision->lose_stores = random_one_in(&p->random, 20);
}
