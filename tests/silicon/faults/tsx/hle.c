/* SPDX-License-Identifier: BSD-2-Clause */
/* hle.c - what goes wrong with lock elision. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/counters/counters.h"

FAULT(hle_lock_written,
      .what = "[A with HLE] the lock is written between XACQUIRE and "
              "XRELEASE, for all to see",
      .caught = {"haswell on 2 hle_lock_unseen FAIL"})

FAULT(hle_elides_after_2018,
      .what = "[B C] XACQUIRE elides a lock although EDX[13] is set",
      .caught = {"skylake-2018 on 1 hle_never_elides FAIL",
                 "skylake-2018 on 2 hle_lock_seen FAIL"})

FAULT(hle_xtest_zero,
      .what = "[A with HLE] XTEST sets ZF between XACQUIRE and XRELEASE",
      .caught = {"haswell on 1 hle_elision FAIL"})

FAULT(hle_mismatch_commits,
      .what = "[A with HLE] an XRELEASE that does not match its XACQUIRE "
              "commits",
      .caught = {"haswell on 1 hle_mismatch FAIL"})

FAULT(hle_reads_lock_free,
      .what = "[A with HLE] a load of the elided lock gives the value in "
              "memory",
      .caught = {"haswell on 1 hle_elision FAIL"})

FAULT(hle_abort_sets_eax,
      .what = "[A with HLE] an abort between XACQUIRE and XRELEASE changes "
              "EAX",
      .caught = {"haswell on 1 hle_mismatch FAIL"})

FAULT(hle_abort_keeps_stores,
      .what = "[A with HLE] an abort between XACQUIRE and XRELEASE does not "
              "undo the stores of the body",
      .caught = {"haswell on 1 hle_mismatch FAIL"})

FAULT(hle_abort_goes_on,
      .what = "[A with HLE] after an abort execution goes on after the "
              "XACQUIRE, without the lock",
      .caught = {"haswell on 1 hle_mismatch FAIL"})

FAULT(hle_lock_takes_stores,
      .what = "[A with HLE] a plain store to an elided lock does not abort",
      .caught = {"skylake-2017 on 2 hle_nesting FAIL"})

FAULT(hle_inner_release_commits,
      .what = "[A with HLE] the XRELEASE of an inner lock commits",
      .caught = {"skylake-2017 on 2 hle_nesting FAIL"})

FAULT(hle_elides_with_sdv,
      .what = "[C] XACQUIRE elides a lock while bit 2 of MSR 10FH is set",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"})

FAULT(
    hle_release_second_byte,
    .what =
        "[A] XRELEASE of a lock that differs in its second byte alone commits",
    .caught = {"skylake-2017 on 1 hle_mismatch FAIL"},
    .breaks = LOCK_SECOND_BYTE)

FAULT(hle_release_third_byte,
      .what =
          "[A] XRELEASE of a lock that differs in its third byte alone commits",
      .caught = {"skylake-2017 on 1 hle_mismatch FAIL"},
      .breaks = LOCK_THIRD_BYTE)

FAULT(hle_release_of_1_byte,
      .what = "[A] any XRELEASE of a lock of one byte commits",
      .caught = {"skylake-2017 on 1 hle_mismatch FAIL"},
      .breaks = LOCK_OF_1_BYTE)

FAULT(
    hle_release_of_2_bytes,
    .what =
        "[A] XRELEASE of a lock of two bytes commits though the second differs",
    .caught = {"skylake-2017 on 1 hle_mismatch FAIL"},
    .breaks = LOCK_OF_2_BYTES)

FAULT(hle_ring3_commit_twice,
      .what = "[A] HLE_RETIRED.COMMIT counts a section at ring 3 twice",
      .caught = {"skylake-2017 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_SECTION_ONCE)

FAULT(hle_ring3_abort_not_counted,
      .what = "[A] HLE_RETIRED.ABORTED leaves out sections at ring 3",
      .caught = {"skylake-2017 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_SECTION_ABORT)

FAULT(hle_ring3_releases_any,
      .what = "[A] any XRELEASE at ring 3 of a lock that is elided commits",
      .caught = {"skylake-2017 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_LOCK_COMPARED)

FAULT(hle_abort_keeps_rbp,
      .what = "[A] an abort of an elided section does not restore RBP",
      .caught = {"skylake-2017 on 1 hle_abort_state FAIL"},
      .breaks = ELISION_RESTORES_RBP)

FAULT(hle_ring3_keeps_r9,
      .what = "[A] an abort of a section at ring 3 does not restore R9",
      .caught = {"skylake-2017 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_SECTION_RESTORES)

FAULT(hle_inner_xtest_zero,
      .what = "[A] XTEST sets ZF in an elided section inside another",
      .caught = {"skylake-2017 on 1 hle_nesting FAIL"})

FAULT(hle_release_of_inner, .what = "[A] any XRELEASE of an inner lock commits",
      .caught = {"skylake-2017 on 1 hle_mismatch FAIL"}, .breaks = LOCK_INSIDE)

bool faults_write_lock(const struct machine *m)
{
    return fault_is(m, FAULT_hle_lock_written);
}

bool faults_lock_looks_free(const struct processor *p)
{
    return has_fault(p, FAULT_hle_reads_lock_free);
}

bool faults_release_any(const struct processor *p)
{
    return has_fault(p, FAULT_hle_mismatch_commits);
}

FAULT(hle_conflict_sets_eax,
      .what = "[A with HLE] EAX has the status after an abort of an elided "
              "section by a conflict",
      .caught = {"haswell on 2 hle_lock_conflict FAIL"})

bool faults_hle_sets_eax(const struct processor *p, enum tx_cause cause)
{
    return has_fault(p, FAULT_hle_abort_sets_eax) ||
           (has_fault(p, FAULT_hle_conflict_sets_eax) &&
            cause == TX_CAUSE_CONFLICT);
}

bool faults_hle_hidden(const struct processor *p, unsigned nest)
{
    return has_fault(p, FAULT_hle_xtest_zero) ||
           (nest > 1 && has_fault(p, FAULT_hle_inner_xtest_zero));
}

bool faults_hle_goes_on(const struct processor *p, bool hle)
{
    return hle && has_fault(p, FAULT_hle_abort_goes_on);
}

bool faults_lock_stores(const struct processor *p)
{
    return has_fault(p, FAULT_hle_lock_takes_stores);
}

bool faults_inner_release_ends(const struct processor *p)
{
    return has_fault(p, FAULT_hle_inner_release_commits);
}

bool faults_elides(const struct processor *p, bool elides)
{
    if (has_fault(p, FAULT_hle_elides_with_sdv))
        return elides || tsx_sdv(p);
    if (has_fault(p, FAULT_hle_elides_after_2018))
        return tsx_force_abort_visible(p);
    return elides;
}

FAULT(
    hle_conflict_elided_again,
    .what = "[A with HLE] a lock is elided again after an abort by a conflict",
    .caught = {"haswell on 2 pebs_tx_conflict FAIL"},
    .breaks = CONFLICT_LOCK_TAKEN)

FAULT(hle_reads_unmonitored,
      .what = "[A] what an elided section reads beside the lock is not "
              "monitored",
      .caught = {"skylake-2017 on 2 hle_lock_conflict FAIL"},
      .breaks = ELISION_READS)

FAULT(hle_writes_unmonitored,
      .what = "[A] what an elided section writes is not monitored",
      .caught = {"skylake-2017 on 2 hle_lock_conflict FAIL"},
      .breaks = ELISION_WRITES)

FAULT(hle_release_ends_rtm,
      .what = "[A with HLE] the XRELEASE of a critical section in an RTM "
              "transaction ends that",
      .caught = {"haswell on 2 hle_nesting FAIL",
                 "skylake-2017 on 2 hle_nesting FAIL"},
      .breaks = RELEASE_NOT_OF_RTM)

FAULT(hle_crossed_release_written,
      .what = "[A with HLE] a lock that is released before an inner one is "
              "left taken in memory",
      .caught = {"haswell on 1 hle_nesting FAIL",
                 "skylake-2017 on 1 hle_nesting FAIL"},
      .breaks = CROSSED_UNSEEN)

FAULT(hle_ring3_abort_of_no_kind,
      .what = "[A with HLE] aborts of sections at ring 3 are in no category of "
              "C8H",
      .caught = {"haswell on 1 tsx_ring3 FAIL",
                 "skylake-2017 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_SECTION_KINDS)

FAULT(hle_exception_keeps_xmm,
      .what = "[A with HLE] an abort of an elided section by an exception does "
              "not restore XMM0 to XMM7",
      .caught = {"haswell on 1 hle_abort_state FAIL"},
      .quantity = ELISION_PIECES, .number = TX_CAUSE_EXCEPTION, .set = 1)

FAULT(hle_capacity_keeps_fcw,
      .what = "[A with HLE] an abort of an elided section by too many stores "
              "does not restore the control word of the x87",
      .caught = {"haswell on 1 hle_abort_state FAIL"},
      .quantity = ELISION_PIECES, .number = TX_CAUSE_WRITES, .set = 4)

FAULT(hle_breakpoint_keeps_mxcsr,
      .what = "[A with HLE] an abort of an elided section by INT3 does not "
              "restore MXCSR",
      .caught = {"haswell on 1 hle_abort_state FAIL"},
      .quantity = ELISION_PIECES, .number = TX_CAUSE_DEBUG, .set = 2)

FAULT(hle_capacity_keeps_stores,
      .what = "[A with HLE] an abort of an elided section by too many stores "
              "undoes none of them",
      .caught = {"haswell on 1 hle_abort_state FAIL"},
      .quantity = ELISION_PIECES, .number = TX_CAUSE_WRITES, .set = 8)

FAULT(hle_exception_keeps_stores,
      .what = "[A with HLE] an abort of an elided section by an exception "
              "undoes no store",
      .caught = {"haswell on 1 hle_abort_state FAIL"},
      .quantity = ELISION_PIECES, .number = TX_CAUSE_EXCEPTION, .set = 8)

FAULT(hle_conflict_keeps_stores,
      .what = "[A with HLE] an abort of an elided section by a conflict undoes "
              "no store",
      .caught = {"haswell on 2 hle_lock_conflict FAIL",
                 "skylake-2017 on 2 hle_lock_conflict FAIL"},
      .quantity = ELISION_PIECES, .number = TX_CAUSE_CONFLICT, .set = 8)

FAULT(hle_inner_restores_inner,
      .what = "[A with HLE] an abort in an elided section inside another "
              "restores the registers as at the inner XACQUIRE",
      .caught = {"haswell on 1 hle_nesting FAIL",
                 "skylake-2017 on 1 hle_nesting FAIL"},
      .breaks = INNER_REGISTERS)

FAULT(hle_inner_keeps_outer,
      .what = "[A with HLE] an abort in an elided section inside another does "
              "not undo stores from before the inner XACQUIRE",
      .caught = {"haswell on 1 hle_nesting FAIL",
                 "skylake-2017 on 1 hle_nesting FAIL"},
      .breaks = INNER_STORES)

FAULT(hle_cpuid_in_events,
      .what = "[A with HLE] HLE_RETIRED.ABORTED_EVENTS has aborts by CPUID, "
              "not ABORTED_UNFRIENDLY",
      .caught = {"haswell on 1 tsx_mem_events FAIL",
                 "skylake-2017 on 1 tsx_mem_events FAIL"},
      .quantity = SECTION_EVENTS, .number = TX_CAUSE_INSTRUCTION,
      .clear = TX_EVENT_UNFRIENDLY, .set = TX_EVENT_EVENTS)

FAULT(hle_capacity_not_in_mem,
      .what = "[A with HLE] HLE_RETIRED.ABORTED_MEM leaves out aborts by too "
              "many stores",
      .caught = {"haswell on 1 tsx_mem_events FAIL",
                 "skylake-2017 on 1 tsx_mem_events FAIL"},
      .quantity = SECTION_EVENTS, .number = TX_CAUSE_WRITES,
      .clear = TX_EVENT_MEM)

FAULT(hle_commit_keeps_cycles,
      .what = "[A with HLE] an elided section that commits leaves "
              "Cycles_Last_TX (B8H) as it was",
      .caught = {"haswell on 1 pebs_tx_cycles FAIL",
                 "skylake-2017 on 1 pebs_tx_cycles FAIL"},
      .breaks = SECTION_SETS_CYCLES)

FAULT(hle_lock_unshared,
      .what = "[A with HLE] a load of another processor from an elided lock "
              "aborts the section",
      .caught = {"haswell on 2 hle_lock_unseen FAIL",
                 "skylake-2017 on 2 hle_lock_unseen FAIL"},
      .breaks = LOCK_READS_SHARED)

FAULT(hle_interrupt_keeps_xmm,
      .what = "[A with HLE] an abort of an elided section by an interrupt does "
              "not restore XMM0 to XMM7",
      .caught = {"haswell on 1 tsx_interrupt_abort FAIL"},
      .quantity = ELISION_PIECES, .number = TX_CAUSE_EVENT, .set = 1)

FAULT(hle_interrupt_keeps_stores,
      .what = "[A with HLE] an abort of an elided section by an interrupt "
              "undoes no store",
      .caught = {"haswell on 1 tsx_interrupt_abort FAIL"},
      .quantity = ELISION_PIECES, .number = TX_CAUSE_EVENT, .set = 8)
