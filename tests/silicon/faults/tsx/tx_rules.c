/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_rules.c - what aborts, and what an abort leaves and says. Each entry
 * names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

#include "tests/silicon/model/tsx/tsx.h"

FAULT(in_tx_ignored_by_4,
      .what = "[A B F; C with bit 2] IA32_PMC4 counts outside of transactions "
              "with IN_TX = 1",
      .caught = {"skylake-2018 off 1 tsx_in_tx_counts FAIL"},
      .quantity = SELECT_TAKEN, .number = 4, .clear = UINT64_C(1) << 32)

FAULT(xend_outside_ud,
      .what = "[any with RTM] XEND outside of a transaction raises #UD",
      .caught = {"skylake-2017 on 1 tsx_xend_outside FAIL"},
      .breaks = XEND_OUTSIDE_IS_GP)

FAULT(forced_abort_keeps_stores,
      .what = "[B C F] a forced abort does not undo stores",
      .caught = {"skylake-2021 on 1 always_abort_default FAIL"},
      .breaks = FORCED_UNDOES_STORES)

FAULT(forced_abort_says_retry,
      .what = "[B C F] EAX[1] is 1 after a forced abort",
      .caught = {"skylake-2021 on 1 always_abort_default FAIL"},
      .breaks = FORCED_STATUS_ZERO)

FAULT(force_abort_bit_used_up,
      .what = "[B] a forced abort clears RTM_FORCE_ABORT",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
      .breaks = FORCE_BIT_STAYS)

FAULT(force_abort_reads_zero, .what = "[B] RTM_FORCE_ABORT reads 0",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
      .quantity = OF_MSR_READ, .number = 0x10F, .clear = 1)

FAULT(sdv_clears_cpuid_clear,
      .what = "[C] setting SDV_ENABLE_RTM clears TSX_CPUID_CLEAR",
      .caught = {"skylake-2021 on 1 force_abort_values FAIL"},
      .breaks = SDV_KEEPS_CPUID_CLEAR)

FAULT(abort_changes_cr2,
      .what = "[any with RTM] a page fault that aborts changes CR2",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL"},
      .breaks = ABORT_KEEPS_CR2)

FAULT(abort_keeps_rbx, .what = "[any with RTM] an abort does not restore RBX",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = ANY_NUMBER, .set = 1 << 0)

FAULT(abort_keeps_rdx, .what = "[any with RTM] an abort does not restore RDX",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = ANY_NUMBER, .set = 1 << 2)

FAULT(abort_keeps_rsi, .what = "[any with RTM] an abort does not restore RSI",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = ANY_NUMBER, .set = 1 << 3)

FAULT(abort_keeps_r9, .what = "[any with RTM] an abort does not restore R9",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = ANY_NUMBER, .set = 1 << 7)

FAULT(abort_keeps_r10, .what = "[any with RTM] an abort does not restore R10",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = ANY_NUMBER, .set = 1 << 8)

FAULT(abort_keeps_r12, .what = "[any with RTM] an abort does not restore R12",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = ANY_NUMBER, .set = 1 << 10)

FAULT(abort_keeps_r14, .what = "[any with RTM] an abort does not restore R14",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = ANY_NUMBER, .set = 1 << 12)

FAULT(abort_keeps_zf, .what = "[any with RTM] an abort does not restore ZF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_FLAGS, .number = ANY_NUMBER, .set = 1 << 6)

FAULT(abort_keeps_pf, .what = "[any with RTM] an abort does not restore PF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_FLAGS, .number = ANY_NUMBER, .set = 1 << 2)

FAULT(abort_keeps_sf, .what = "[any with RTM] an abort does not restore SF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_FLAGS, .number = ANY_NUMBER, .set = 1 << 7)

FAULT(abort_keeps_of, .what = "[any with RTM] an abort does not restore OF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_FLAGS, .number = ANY_NUMBER, .set = 1 << 11)

FAULT(conflict_keeps_cf,
      .what = "[any with RTM] an abort by a conflict does not restore CF",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .quantity = KEPT_FLAGS, .number = TX_CAUSE_CONFLICT, .set = 1 << 0)

FAULT(conflict_keeps_r13,
      .what = "[any with RTM] an abort by a conflict does not restore R13",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .quantity = KEPT_REGISTERS, .number = TX_CAUSE_CONFLICT, .set = 1 << 11)

FAULT(capacity_keeps_of,
      .what = "[any with RTM] an abort by the write set does not restore OF",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_FLAGS, .number = TX_CAUSE_WRITES, .set = 1 << 11)

FAULT(conflict_sets_code,
      .what = "[any with RTM] EAX[31:24] are not 0 after a conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_retry FAIL"},
      .quantity = ABORT_STATUS, .number = 7, .set = 0x5A000000)

FAULT(capacity_sets_code,
      .what = "[any with RTM] EAX[31:24] are not 0 after too many stores",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 5, .set = 0x5A000000)

FAULT(debug_sets_code,
      .what = "[any with RTM] EAX[31:24] are not 0 after a breakpoint",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 8, .set = 0x5A000000)

FAULT(exception_sets_code,
      .what = "[any with RTM] EAX[31:24] are not 0 after an exception",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 1, .set = 0x5A000000)

FAULT(instruction_sets_code,
      .what = "[any with RTM] EAX[31:24] are not 0 after an instruction "
              "that aborts",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 2, .set = 0x5A000000)

FAULT(exception_sets_retry_code,
      .what = "[any with RTM] EAX[5] is 1 after an exception at depth 1",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 1, .set = 0x20)

FAULT(conflict_sets_debug,
      .what = "[any with RTM] EAX[4] is 1 after a conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = ABORT_STATUS, .number = 7, .set = 0x10)

FAULT(xtest_keeps_pf, .what = "[any with RTM] XTEST leaves PF as it is",
      .caught = {"skylake-2017 on 1 tsx_xtest FAIL"}, .quantity = XTEST_KEEPS,
      .number = ANY_NUMBER, .set = 1 << 2)

FAULT(abort_keeps_r11, .what = "[any with RTM] an abort does not restore R11",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = KEPT_REGISTERS, .number = ANY_NUMBER, .set = 1 << 9)

FAULT(debugged_by_dr7,
      .what = "[any with RTM] DR7.RTM alone brings #DB at XBEGIN, without "
              "IA32_DEBUGCTL.RTM",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .breaks = DEBUGGED_NEEDS_DEBUGCTL)

FAULT(debugged_by_debugctl,
      .what = "[any with RTM] IA32_DEBUGCTL.RTM alone brings #DB at "
              "XBEGIN, without DR7.RTM",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .breaks = DEBUGGED_NEEDS_DR7)

FAULT(exception_sets_conflict,
      .what = "[any with RTM] EAX[2] is 1 after an exception",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 1, .set = 4)

FAULT(instruction_sets_capacity,
      .what = "[any with RTM] EAX[3] is 1 after an instruction that "
              "aborts",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 2, .set = 8)

FAULT(xabort_sets_conflict, .what = "[any with RTM] EAX[2] is 1 after XABORT",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 4, .set = 4)

FAULT(xabort_sets_capacity, .what = "[any with RTM] EAX[3] is 1 after XABORT",
      .caught = {"skylake-2017 on 1 tsx_abort_status FAIL"},
      .quantity = ABORT_STATUS, .number = 4, .set = 8)

FAULT(hle_abort_keeps_registers,
      .what = "[A with HLE] an abort between XACQUIRE and XRELEASE does "
              "not restore the registers",
      .caught = {"skylake-2017 on 2 hle_mismatch FAIL"},
      .breaks = ELISION_RESTORES)

FAULT(nested_bit_deep,
      .what = "[any with RTM] EAX[5] is 0 after an abort at depth 3 and deeper",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"},
      .breaks = NESTED_BIT_AT_3)

FAULT(debugged_at_breakpoint,
      .what = "[any with RTM] with DR7.RTM and IA32_DEBUGCTL.RTM a breakpoint "
              "goes to the fallback",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .breaks = DEBUGGED_AT_XBEGIN)

FAULT(hle_hint_ud, .what = "[any] XACQUIRE and XRELEASE raise #UD",
      .caught = {"skylake-2017 on 1 hle_prefixes FAIL"}, .breaks = HINT_IGNORED)

FAULT(writes_sets_conflict,
      .what = "[any with RTM] EAX[2] is 1 after too many stores",
      .caught = {"skylake-2017 on 1 tsx_write_capacity FAIL"},
      .quantity = ABORT_STATUS, .number = 5, .set = 4)

FAULT(conflict_sets_capacity,
      .what = "[any with RTM] EAX[3] is 1 after a conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .quantity = ABORT_STATUS, .number = 7, .set = 8)

FAULT(debugged_dr6_rtm,
      .what = "[any with RTM] DR6[16] is 1 after an advanced breakpoint",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .quantity = DEBUGGED_DR6, .number = ANY_NUMBER, .set = 0x10000)

FAULT(abort_clears_dr7, .what = "[any with RTM] an abort clears DR7.RTM",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .breaks = ABORT_KEEPS_DR7)

FAULT(interrupt_sets_bit0,
      .what = "[any with RTM] EAX[0] is 1 after an interrupt",
      .caught = {"skylake-2017 on 1 tsx_interrupt_abort FAIL"},
      .quantity = ABORT_STATUS, .number = 0, .set = 1)

FAULT(interrupt_sets_conflict,
      .what = "[any with RTM] EAX[2] is 1 after an interrupt",
      .caught = {"skylake-2017 on 1 tsx_interrupt_abort FAIL",
                 "skylake-2018 on 1 pebs_inside_tx FAIL"},
      .quantity = ABORT_STATUS, .number = 0, .set = 4)

FAULT(interrupt_sets_capacity,
      .what = "[any with RTM] EAX[3] is 1 after an interrupt",
      .caught = {"skylake-2017 on 1 tsx_interrupt_abort FAIL",
                 "haswell on 1 pebs_inside_tx FAIL"},
      .quantity = ABORT_STATUS, .number = 0, .set = 8)

FAULT(interrupt_sets_debug,
      .what = "[any with RTM] EAX[4] is 1 after an interrupt",
      .caught = {"skylake-2017 on 1 tsx_interrupt_abort FAIL"},
      .quantity = ABORT_STATUS, .number = 0, .set = 0x10)

FAULT(interrupt_sets_code,
      .what = "[any with RTM] EAX[31:24] are not 0 after an interrupt",
      .caught = {"skylake-2017 on 1 tsx_interrupt_abort FAIL"},
      .quantity = ABORT_STATUS, .number = 0, .set = 0x5A000000)

FAULT(reads_sets_debug,
      .what = "[any with RTM] EAX[4] is 1 after too many loads",
      .caught = {"skylake-2017 on 1 tsx_read_capacity FAIL"},
      .quantity = ABORT_STATUS, .number = 6, .set = 0x10)

FAULT(aborted_lock_elided_again,
      .what = "[A with HLE] after an abort XACQUIRE elides again",
      .caught = {"skylake-2017 on 1 hle_abort_state FAIL"},
      .breaks = ABORTED_LOCK_TAKEN)

FAULT(writes_not_in_aborted,
      .what = "[any with RTM] RTM_RETIRED.ABORTED leaves out too many stores",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = ABORT_EVENTS, .number = 5, .clear = 4)

FAULT(forced_in_commit, .what = "[B] forced aborts count RTM_RETIRED.COMMIT",
      .caught = {"skylake-2018 on 1 tsx_retired_events FAIL"},
      .breaks = FORCED_NO_COMMIT)

FAULT(conflicts_not_in_aborted,
      .what = "[any with RTM] RTM_RETIRED.ABORTED leaves out conflicts",
      .caught = {"skylake-2017 on 2 tsx_conflict_events FAIL"},
      .quantity = ABORT_EVENTS, .number = 7, .clear = 4)

FAULT(conflicts_not_in_mem,
      .what = "[any with RTM] RTM_RETIRED.ABORTED_MEM leaves out conflicts",
      .caught = {"skylake-2017 on 2 tsx_conflict_events FAIL"},
      .quantity = ABORT_EVENTS, .number = 7, .clear = 8)

FAULT(conflicts_in_events_too,
      .what = "[any with RTM] RTM_RETIRED.ABORTED_EVENTS counts conflicts too",
      .caught = {"skylake-2017 on 2 tsx_conflict_events FAIL"},
      .quantity = ABORT_EVENTS, .number = 7, .set = 0x80)

FAULT(exceptions_in_no_category,
      .what = "[any with RTM] RTM_RETIRED.ABORTED_EVENTS leaves out exceptions",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = ABORT_EVENTS, .number = 1, .clear = 0x80)

FAULT(exceptions_not_in_aborted,
      .what = "[any with RTM] RTM_RETIRED.ABORTED leaves out exceptions",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .quantity = ABORT_EVENTS, .number = 1, .clear = 4)

FAULT(exceptions_as_events,
      .what = "[A B F; C with bit 2] B8H[35] is set, not [34], after #DE",
      .caught = {"haswell on 1 pebs_tx_abort FAIL"}, .quantity = INFORMATION,
      .number = 1, .clear = UINT64_C(1) << 34, .set = UINT64_C(1) << 35)

FAULT(in_txcp_on_3,
      .what = "[A with RTM] IN_TXCP of PERFEVTSEL3 can be set, and works",
      .caught = {"skylake-2017 on 1 tsx_in_txcp_counter2 FAIL"},
      .quantity = SELECT_BITS, .number = 3, .set = UINT64_C(1) << 33)

FAULT(nested_xbegin_eax, .what = "[any with RTM] a nested XBEGIN sets EAX to 0",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .quantity = NESTED_RAX, .number = ANY_NUMBER, .clear = UINT64_MAX)

FAULT(hint_of_byte, .what = "[A with HLE] XACQUIRE elides no lock of a byte",
      .caught = {"haswell on 1 hle_elision FAIL"}, .quantity = HINTS_OF_SIZE,
      .number = 1, .clear = 3)

FAULT(hint_of_word, .what = "[A with HLE] XACQUIRE elides no lock of a word",
      .caught = {"haswell on 1 hle_elision FAIL"}, .quantity = HINTS_OF_SIZE,
      .number = 2, .clear = 3)

FAULT(hint_of_quadword,
      .what = "[A with HLE] XACQUIRE elides no lock of a quadword",
      .caught = {"haswell on 1 hle_elision FAIL"}, .quantity = HINTS_OF_SIZE,
      .number = 8, .clear = 3)

FAULT(hint_of_mov, .what = "[A with HLE] XRELEASE MOV of a register is ignored",
      .caught = {"haswell on 1 hle_elision FAIL"}, .quantity = HINTS,
      .number = 0x89, .clear = 3)

FAULT(hint_of_cmpxchg,
      .what = "[A with HLE] XACQUIRE and XRELEASE CMPXCHG are ignored",
      .caught = {"haswell on 1 hle_elision FAIL"}, .quantity = HINTS,
      .number = 0x0FB1, .clear = 3)

FAULT(force_abort_not_taken_counting,
      .what = "[B] a write of MSR 10FH is ignored while counters count",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
      .breaks = FORCE_TAKEN_COUNTING)

FAULT(force_abort_not_while_counting,
      .what = "[B] RTM_FORCE_ABORT aborts nothing while counters count",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
      .breaks = FORCED_COUNTING)

FAULT(reads_monitored_16,
      .what = "[any with RTM] lines that a transaction reads are monitored up "
              "to the 16th",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .quantity = MONITORED, .number = 0, .clear = UINT64_MAX, .set = 16)

FAULT(reads_monitored_128,
      .what = "[any with RTM] lines that a transaction reads are monitored up "
              "to the 128th",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .quantity = MONITORED, .number = 0, .clear = UINT64_MAX, .set = 128)

FAULT(txcp_keeps_capacity,
      .what = "[any with RTM] IN_TXCP keeps what too many stores end",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .quantity = TXCP_KEPT, .number = TX_CAUSE_WRITES)

FAULT(txcp_keeps_interrupted,
      .what = "[any with RTM] IN_TXCP keeps what an interrupt ends",
      .caught = {"skylake-2017 on 1 tsx_interrupt_abort FAIL"},
      .quantity = TXCP_KEPT, .number = TX_CAUSE_EVENT)

FAULT(txcp_keeps_nested,
      .what = "[any with RTM] IN_TXCP keeps what an abort in a nested region "
              "undoes",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = TXCP_OF_NESTED)

FAULT(in_tx_outermost_alone,
      .what = "[any with RTM] IN_TX counts nothing in nested regions",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = IN_TX_NESTED)

FAULT(hle_aborts_as_rtm,
      .what = "[A with HLE] RTM_RETIRED.ABORTED counts aborts of HLE",
      .caught = {"haswell on 1 tsx_retired_events FAIL"},
      .breaks = ELISION_ABORT_NOT_AS_RTM)

FAULT(refused_write_taken,
      .what = "[C] a write of MSR 10FH that raises #GP changes bits 1 and 2",
      .caught = {"skylake-2021 on 1 force_abort_enumeration FAIL"},
      .breaks = REFUSED_KEEPS)

FAULT(interrupt_keeps_rsi,
      .what = "[any with RTM] an abort by an interrupt does not restore RSI",
      .caught = {"skylake-2017 on 1 tsx_interrupt_abort FAIL"},
      .breaks = INTERRUPT_RESTORES)

FAULT(abort_ring3_clears_df,
      .what = "[A B F; C with bit 2] an abort at ring 3 leaves DF clear",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_RESTORES_DF)

FAULT(abort_ring3_empties_x87,
      .what = "[A B F; C with bit 2] an abort at ring 3 leaves the x87 "
              "registers empty",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_RESTORES_X87)
