/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_ends.c - where an abort goes, what it ends and leaves: each entry names
 * what it breaks (rules.h).
 */
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(prefixed_xend_taken,
      .what = "[any with RTM] XEND and XTEST with 66H, F2H or F3H raise no #UD",
      .caught = {"skylake-2017 on 1 tsx_xend_outside FAIL"},
      .breaks = PREFIX_REFUSED)

FAULT(abort_runs_on,
      .what = "[A B F; C with bit 2] after an abort XTEST says that a "
              "transaction runs, and XEND does nothing",
      .caught = {"skylake-2017 on 1 tsx_xend_outside FAIL",
                 "skylake-2017 on 1 tsx_xtest FAIL"},
      .breaks = ABORT_ENDS)

FAULT(nested_abort_runs_on,
      .what = "[A B F; C with bit 2] after an abort in a nested region XTEST "
              "says that a transaction runs, and XEND does nothing",
      .caught = {"skylake-2017 on 1 tsx_xend_outside FAIL",
                 "skylake-2017 on 1 tsx_xtest FAIL"},
      .breaks = NESTED_ABORT_ENDS)

FAULT(xbegin_rel16_unsigned,
      .what = "[A B F; C with bit 2] rel16 of XBEGIN is zero-extended",
      .caught = {"skylake-2017 on 1 tsx_xabort_codes FAIL"},
      .breaks = SHORT_IS_SIGNED)

FAULT(xbegin_rel16_off_by_one,
      .what = "[A B F; C with bit 2] rel16 of XBEGIN counts from a byte after "
              "the next instruction",
      .caught = {"skylake-2017 on 1 tsx_xabort_codes FAIL"},
      .breaks = SHORT_FROM_NEXT)

FAULT(xbegin_rel32_as_16,
      .what = "[A B F; C with bit 2] of rel32 of XBEGIN bits 31:16 are those "
              "of bit 15",
      .caught = {"skylake-2017 on 1 tsx_xabort_codes FAIL"},
      .breaks = LONG_IS_WHOLE)

FAULT(debugged_keeps_registers,
      .what = "[A B F; C with bit 2] where an advanced breakpoint raises #DB "
              "registers are not restored",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .breaks = DEBUGGED_RESTORES)

FAULT(debugged_sets_eax,
      .what = "[A B F; C with bit 2] where an advanced breakpoint raises #DB "
              "EAX is the abort status",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .breaks = DEBUGGED_KEEPS_EAX)

FAULT(abort_undoes_last_store,
      .what = "[A B F; C with bit 2] of two stores to the same bytes an abort "
              "undoes the second alone",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .breaks = SECOND_STORE_UNDONE)

FAULT(abort_keeps_fstp,
      .what = "[A B F; C with bit 2] an abort does not undo the last two of "
              "the ten bytes of FSTP",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .breaks = X87_STORES_UNDONE)

FAULT(abort_keeps_mxcsr_ftz,
      .what = "[A B F; C with bit 2] an abort does not restore MXCSR[15]",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"})

FAULT(exception_leaves_frame,
      .what = "[A B F; C with bit 2] an exception that aborts writes to the "
              "stack below RSP",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL"},
      .breaks = EXCEPTION_KEEPS_STACK)

FAULT(xend_outside_error,
      .what = "[any with RTM] XEND outside of a transaction raises #GP with an "
              "error code that is not 0",
      .caught = {"skylake-2017 on 1 tsx_xend_outside FAIL"},
      .breaks = XEND_ERROR_0)

FAULT(xend_forced_ignored,
      .what = "[B] XEND outside of a transaction raises no #GP while "
              "RTM_FORCE_ABORT is 1",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
      .breaks = XEND_FORCED_IS_GP)

FAULT(ctrl_clear_hides_another,
      .what = "[F] TSX_CPUID_CLEAR of 122H clears CPUID.07H.0:EBX[5] too",
      .caught = {"cascadelake on 1 tsx_ctrl_disable FAIL"},
      .breaks = CLEAR_HIDES_ALONE)

FAULT(inner_end_drops_sets,
      .what = "[A B F; C with bit 2] the XEND of a nested region ends the "
              "monitoring of all lines that were accessed before",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = INNER_SETS_STAY)

FAULT(conflicts_lost_nested,
      .what = "[A B F; C with bit 2] while a nested region runs no access of "
              "another processor is a conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = OUTER_WHILE_NESTED)

FAULT(inner_writes_unmonitored,
      .what = "[A B F; C with bit 2] lines that a nested region writes are not "
              "monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .breaks = INNER_WRITES_MONITORED)

FAULT(string_loads_unmonitored,
      .what = "[A B F; C with bit 2] lines of loads with REP are not monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = STRINGS_MONITORED)

FAULT(byte_stores_unseen,
      .what = "[A B F; C with bit 2] another processor's store of one byte is "
              "no conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .quantity = STORES_UNSEEN, .number = 1)

FAULT(split_stores_unseen,
      .what = "[A B F; C with bit 2] another processor's store on two lines is "
              "no conflict on the second",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = SPLIT_STORES_CONFLICT)

FAULT(abort_clears_overflow,
      .what = "[any with RTM] an abort clears the overflow bits of 38EH",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = ABORT_KEEPS_STATUS)

FAULT(hle_inner_start,
      .what = "[A with HLE] HLE_RETIRED.START counts inner locks too",
      .caught = {"haswell on 1 hle_nesting FAIL"},
      .breaks = INNER_LOCK_NO_START)

FAULT(vector_loads_unmonitored,
      .what = "[A B F; C with bit 2] lines of loads by MOVUPS are not "
              "monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = VECTORS_MONITORED)

FAULT(commit_loses_wide,
      .what = "[A B F; C with bit 2] a commit loses the second 16 bytes of a "
              "store of 32",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .breaks = WIDE_STORES_COMMIT)

FAULT(abort_by_instruction_keeps_df,
      .what = "[any with RTM] an abort by CPUID does not restore DF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_FLAGS, .number = TX_CAUSE_INSTRUCTION, .set = 1 << 10)

FAULT(abort_by_reads_keeps_rsi,
      .what = "[any with RTM] an abort by the read set does not restore RSI",
      .caught = {"skylake-2017 on 1 tsx_read_capacity FAIL"},
      .quantity = KEPT_REGISTERS, .number = TX_CAUSE_READS, .set = 1 << 3)

FAULT(interrupts_count_as_memory,
      .what = "[any with RTM] RTM_RETIRED.ABORTED_MEM counts aborts by an "
              "interrupt, too",
      .caught = {"skylake-2018 on 1 tsx_interrupt_abort FAIL"},
      .quantity = ABORT_EVENTS, .number = TX_CAUSE_EVENT, .set = TX_EVENT_MEM)

FAULT(xabort_counts_as_unfriendly,
      .what = "[any with RTM] RTM_RETIRED.ABORTED_UNFRIENDLY counts aborts by "
              "XABORT, too",
      .caught = {"skylake-2018 on 1 tsx_retired_events FAIL"},
      .quantity = ABORT_EVENTS, .number = TX_CAUSE_XABORT,
      .set = TX_EVENT_UNFRIENDLY)

FAULT(rtm_cpuid_ring3_event,
      .what = "[A B F; C with bit 2] RTM_RETIRED.ABORTED_EVENTS counts aborts "
              "by CPUID at ring 3, ABORTED_UNFRIENDLY does not",
      .caught = {"skylake-2017 on 1 tsx_ring3 FAIL"}, .quantity = RING3_EVENTS,
      .number = TX_CAUSE_INSTRUCTION, .clear = 0x20, .set = 0x80)

FAULT(rtm_conflict_ring3_event,
      .what = "[A B F; C with bit 2] RTM_RETIRED.ABORTED_EVENTS counts aborts "
              "by a conflict at ring 3, ABORTED_MEM does not",
      .caught = {"skylake-2017 on 2 tsx_conflict_events FAIL"},
      .quantity = RING3_EVENTS, .number = TX_CAUSE_CONFLICT, .clear = 0x08,
      .set = 0x80)

FAULT(rtm_interrupt_ring3_unfriendly,
      .what = "[A B F; C with bit 2] RTM_RETIRED.ABORTED_UNFRIENDLY counts "
              "aborts by an interrupt at ring 3",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .quantity = RING3_EVENTS, .number = TX_CAUSE_EVENT, .set = 0x20)

FAULT(txcp_ring3_kept,
      .what = "[A B F; C with bit 2] IN_TXCP keeps what an abort at ring 3 "
              "undoes",
      .caught = {"skylake-2017 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_TXCP_ROLLED)

FAULT(hle_exception_keeps_rcx,
      .what = "[A with HLE] an abort of an elided section by an exception does "
              "not restore RCX",
      .caught = {"haswell on 1 hle_abort_state FAIL"}, .quantity = ELISION_KEPT,
      .number = TX_CAUSE_EXCEPTION, .set = 1 << 1)

FAULT(hle_capacity_keeps_rdx,
      .what = "[A with HLE] an abort of an elided section by too many stores "
              "does not restore RDX",
      .caught = {"haswell on 1 hle_abort_state FAIL"}, .quantity = ELISION_KEPT,
      .number = TX_CAUSE_WRITES, .set = 1 << 2)

FAULT(hle_conflict_keeps_rbx,
      .what = "[A with HLE] an abort of an elided section by a conflict does "
              "not restore RBX",
      .caught = {"haswell on 2 hle_lock_conflict FAIL",
                 "skylake-2017 on 2 hle_lock_conflict FAIL"},
      .quantity = ELISION_KEPT, .number = TX_CAUSE_CONFLICT, .set = 1 << 0)

FAULT(hle_interrupt_keeps_rbx,
      .what = "[A with HLE] an abort of an elided section by an interrupt does "
              "not restore RBX",
      .caught = {"haswell on 1 tsx_interrupt_abort FAIL"},
      .quantity = ELISION_KEPT, .number = TX_CAUSE_EVENT, .set = 1 << 0)

FAULT(rtm_commit_inner_ring3,
      .what = "[A B F; C with bit 2] RTM_RETIRED.COMMIT counts XEND of an "
              "inner transaction at ring 3, too",
      .caught = {"skylake-2017 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_INNER_NO_COMMIT)

FAULT(rtm_reads_inner_event,
      .what = "[A B F; C with bit 2] RTM_RETIRED.ABORTED_EVENTS counts aborts "
              "by too many loads in an inner transaction, ABORTED_MEM does not",
      .caught = {"skylake-2017 on 1 tsx_read_capacity FAIL"},
      .quantity = INNER_EVENTS, .number = TX_CAUSE_READS, .clear = 0x08,
      .set = 0x80)

FAULT(rtm_exception_inner_uncounted,
      .what = "[A B F; C with bit 2] RTM_RETIRED.ABORTED does not count aborts "
              "by an exception in an inner transaction",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = INNER_EVENTS, .number = TX_CAUSE_EXCEPTION,
      .clear = TX_EVENT_ABORTED)

FAULT(rtm_pause_inner_event,
      .what = "[A B F; C with bit 2] aborts by PAUSE or CPUID in an inner "
              "transaction are in no category of RTM_RETIRED",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = INNER_EVENTS, .number = TX_CAUSE_INSTRUCTION, .clear = 0x20)

FAULT(conflict_of_ring3_not_seen,
      .what = "[A B F; C with bit 2] accesses of another processor at ring 3 "
              "are no conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = RING3_CONFLICTS)

FAULT(memory_type_keeps_r12,
      .what = "[A B F; C with bit 2] an abort by uncacheable memory does not "
              "restore R12",
      .caught = {"skylake-2018 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = TX_CAUSE_MEMORY_TYPE,
      .set = 1 << 10)

FAULT(memory_type_sets_capacity,
      .what = "[A B F; C with bit 2] EAX[3] is 1 after an abort by uncacheable "
              "memory",
      .caught = {"skylake-2018 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = TX_CAUSE_MEMORY_TYPE,
      .set = TX_STATUS_CAPACITY)

FAULT(tx_mem_elision_no_conflict,
      .what = "[A with HLE] TX_MEM.ABORT_CONFLICT leaves out elided sections",
      .caught = {"haswell on 2 hle_lock_conflict FAIL"},
      .breaks = ELISION_CONFLICTS_COUNT)
