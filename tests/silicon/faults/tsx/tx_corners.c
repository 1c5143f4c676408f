/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_corners.c - transactions and elided sections that are right in the plain
 * case, and wrong for one cause, width, ring or level. Each entry names what
 * it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

#include "tests/silicon/model/tsx/tsx.h"

FAULT(hint_of_byte_immediate,
      .what = "[A with HLE] XRELEASE MOV of an immediate byte is ignored",
      .caught = {"haswell on 1 hle_elision FAIL",
                 "skylake-2017 on 1 hle_elision FAIL"},
      .quantity = HINTS, .number = 0xC6, .clear = 3)

FAULT(hint_of_quad_immediate,
      .what = "[A with HLE] XRELEASE MOV of an immediate to 8 bytes is ignored",
      .caught = {"haswell on 1 hle_elision FAIL",
                 "skylake-2017 on 1 hle_elision FAIL"},
      .breaks = HINT_OF_QUAD_IMMEDIATE)

FAULT(shared_reads_conflict,
      .what = "[A B F; C with bit 2] a read by another processor of a line "
              "that a transaction only reads aborts it",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL",
                 "sapphirerapids on 2 tsx_conflict_read FAIL"},
      .breaks = READS_ARE_SHARED)

FAULT(interrupt_keeps_xmm,
      .what = "[A B F; C with bit 2] an abort by an interrupt "
              "does not restore XMM0 to XMM7",
      .caught = {"skylake-2017 on 1 tsx_interrupt_abort FAIL"},
      .quantity = KEPT_PIECES, .number = TX_CAUSE_EVENT, .set = 1)

FAULT(reads_keep_mxcsr,
      .what = "[A B F; C with bit 2] an abort by too many loads "
              "does not restore MXCSR",
      .caught = {"skylake-2017 on 1 tsx_read_capacity FAIL"},
      .quantity = KEPT_PIECES, .number = TX_CAUSE_READS, .set = 2)

FAULT(force_abort_ends_late,
      .what = "[B] the first XBEGIN after bit 0 was cleared still aborts",
      .caught = {"skylake-2018 on 1 force_abort_aborts_all FAIL"},
      .breaks = FORCE_ENDS_AT_ONCE)

FAULT(aborted_wrmsr_writes,
      .what = "[A B F; C with bit 2] a WRMSR in a transaction aborts it, and "
              "writes",
      .caught = {"skylake-2017 on 1 tsx_aborting_instructions FAIL"},
      .breaks = ABORTED_WRMSR_UNDONE)

FAULT(in_tx_traced_branches,
      .what = "[PT and TSX] IN_TX counts no branches while TraceEn is 1",
      .caught = {"skylake-2018 on 1 pt_ring3_tx FAIL"},
      .breaks = IN_TX_WHILE_TRACED)

FAULT(tx_info_of_hle_before,
      .what = "[A] HLE_Abort of B8H is 1 for an RTM abort after one of HLE",
      .caught = {"skylake-2017 on 1 pebs_tx_abort FAIL",
                 "haswell on 1 pebs_tx_abort FAIL"},
      .breaks = RECORD_OF_ITS_KIND)

FAULT(second_line_not_read,
      .what = "[A B F; C with bit 2] the second line of a load is"
              " not in the read set",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = READS_SECOND_LINE)

FAULT(conflict_of_tx_unseen,
      .what = "[A B F; C with bit 2] an access by another "
              "transaction is no conflict",
      .caught = {"skylake-2017 on 2 tsx_lock_elision FAIL"},
      .breaks = TX_CONFLICTS)

FAULT(lock_xend_taken,
      .what = "[any with RTM] XEND, XTEST, XABORT and XBEGIN with"
              " LOCK raise no #UD",
      .caught = {"skylake-2017 on 1 tsx_xend_outside FAIL"},
      .breaks = LOCK_REFUSED)

FAULT(pause_ring3_passes,
      .what = "[A B F; C with bit 2] PAUSE at ring 3 does not "
              "abort",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_PAUSE_ABORTS)

FAULT(int3_ring3_delivered,
      .what = "[A B F; C with bit 2] INT3 in a transaction at "
              "ring 3 aborts it and is delivered too",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_INT3_ABORTS)

FAULT(debugged_sets_bd,
      .what = "[A B F; C with bit 2] DR6[13] is 1 too after an "
              "advanced breakpoint",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .quantity = DEBUGGED_DR6, .number = ANY_NUMBER, .set = 0x2000)

FAULT(debugged_at_inner,
      .what = "[A B F; C with bit 2] an advanced breakpoint in a "
              "nested region goes back to the inner XBEGIN",
      .caught = {"skylake-2017 on 1 tsx_debug_advanced FAIL"},
      .breaks = DEBUGGED_AT_OUTERMOST)

FAULT(hle_mov_acquires, .what = "[A with HLE] F2H before MOV elides its store",
      .caught = {"haswell on 1 hle_prefixes FAIL"}, .quantity = HINTS,
      .number = 0xF289, .set = 1)

FAULT(hle_add_acquires,
      .what = "[A with HLE] F2H before ADD without LOCK elides "
              "its store",
      .caught = {"haswell on 1 hle_prefixes FAIL"}, .quantity = HINTS,
      .number = 0xF201, .set = 1)

FAULT(hle_locked_lock_unread,
      .what = "[A with HLE] a lock taken otherwise than by XCHG "
              "is not in the read set",
      .caught = {"haswell on 2 hle_lock_conflict FAIL"},
      .breaks = LOCKED_LOCK_MONITORED)

FAULT(hle_inner_lock_unread,
      .what = "[A with HLE] an inner lock is not in the read set",
      .caught = {"haswell on 2 hle_lock_conflict FAIL"},
      .breaks = INNER_LOCK_MONITORED)

FAULT(forced_takes_counts_3,
      .what = "[B] a forced abort takes back what IA32_PMC3 has "
              "counted since XBEGIN",
      .caught = {"skylake-2018 on 1 counter3_counts_force_abort FAIL"},
      .breaks = FORCED_KEEPS_COUNTER_3)

FAULT(txcp_keeps_elided,
      .what = "[A with HLE] IN_TXCP keeps what an abort of an "
              "elided section undoes",
      .caught = {"haswell on 1 hle_elision FAIL"}, .breaks = TXCP_OF_ELISION)

FAULT(rtm_disable_ring3_commits,
      .what = "[F] RTM_DISABLE lets transactions at ring 3 commit",
      .caught = {"cometlake-rtm-2022 on 1 tsx_ctrl_disable FAIL"},
      .breaks = RING3_DISABLE_ABORTS)

FAULT(in_tx_ignored_with_edge,
      .what = "[A B F; C with bit 2] IN_TX does nothing where "
              "EDGE is 1",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = IN_TX_WITH_EDGE)

FAULT(reads_not_in_mem,
      .what = "[any with RTM] RTM_RETIRED.ABORTED_MEM leaves out "
              "too many loads",
      .caught = {"skylake-2017 on 1 tsx_read_capacity FAIL"},
      .quantity = ABORT_EVENTS, .number = TX_CAUSE_READS, .clear = 8)

FAULT(writes_monitored_16,
      .what = "[A B F; C with bit 2] lines that a transaction "
              "writes are monitored up to the 16th",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = MONITORED, .number = 1, .clear = UINT64_MAX, .set = 16)

FAULT(writes_monitored_64,
      .what = "[A B F; C with bit 2] lines that a transaction "
              "writes are monitored up to the 64th",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = MONITORED, .number = 1, .clear = UINT64_MAX, .set = 64)

FAULT(abort_ring3_keeps_ymm,
      .what = "[A B F; C with bit 2] an abort at ring 3 does not "
              "restore the upper halves of YMM",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_RESTORES_YMM)

FAULT(abort_ring3_clears_ac,
      .what = "[A B F; C with bit 2] an abort at ring 3 leaves AC"
              " clear",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_RESTORES_AC)

FAULT(abort_keeps_avx_half,
      .what = "[A B F; C with bit 2] an abort does not undo the "
              "upper 16 bytes of a store of 32",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .breaks = WIDE_STORES_UNDONE)

FAULT(locked_not_monitored,
      .what = "[A B F; C with bit 2] lines of locked instructions"
              " are not monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = LOCKED_MONITORED)

FAULT(nested_conflict_plain,
      .what = "[A B F; C with bit 2] EAX[5] is 0 after a conflict in an inner "
              "transaction",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = NESTED_BIT_OF_CONFLICTS)

FAULT(conflict_ring3_unsaid,
      .what = "[A B F; C with bit 2] EAX[2] is 0 after a conflict at ring 3",
      .caught = {"skylake-2017 on 2 tsx_conflict_events FAIL"},
      .breaks = RING3_HAS_CONFLICT)

FAULT(hle_cpuid_passes,
      .what = "[A with HLE] CPUID does not abort an elided section",
      .caught = {"haswell on 1 hle_abort_state FAIL"},
      .breaks = ELISION_ENDED_BY_CPUID)

FAULT(int1_delivered,
      .what = "[A B F; C with bit 2] INT1 in a transaction aborts it and is "
              "delivered too",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL"},
      .breaks = INT1_ABORTS)

FAULT(deep_code_short,
      .what = "[A B F; C with bit 2] EAX[31] is 0 after XABORT at the third "
              "level and deeper",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"},
      .breaks = DEEP_CODE_WHOLE)

FAULT(large_commits_twice,
      .what = "[A B F; C with bit 2] RTM_RETIRED.COMMIT counts two where 32 "
              "lines or more are written",
      .caught = {"skylake-2017 on 1 tsx_retired_events FAIL"},
      .breaks = LARGE_COMMITS_ONCE)

FAULT(reads_inner_not_nested,
      .what = "[A B F; C with bit 2] EAX[5] is 0 after too many loads in an "
              "inner region",
      .caught = {"skylake-2017 on 1 tsx_read_capacity FAIL"},
      .breaks = NESTED_BIT_OF_READS)

FAULT(memory_type_inner_not_nested,
      .what = "[A B F; C with bit 2] EAX[5] is 0 after a load of uncacheable "
              "memory in an inner region",
      .caught = {"skylake-2018 on 1 tsx_abort_status FAIL"},
      .breaks = NESTED_BIT_OF_MEMORY_TYPES)

FAULT(capacity_inner_unsaid,
      .what = "[A B F; C with bit 2] EAX[3] is 0 after too many loads or "
              "stores in an inner region",
      .caught = {"skylake-2017 on 1 tsx_read_capacity FAIL",
                 "skylake-2017 on 1 tsx_write_capacity FAIL"},
      .breaks = NESTED_HAS_CAPACITY)

FAULT(inner_abort_keeps_x87,
      .what = "[A B F; C with bit 2] an abort in an inner region does not "
              "restore the tags of the x87",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .breaks = NESTED_RESTORES_X87)

FAULT(abort_keeps_cmpxchg16b,
      .what = "[A B F; C with bit 2] an abort does not undo the upper half of "
              "LOCK CMPXCHG16B",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .breaks = PAIR_STORES_UNDONE)

FAULT(inner_keeps_last_byte,
      .what = "[A B F; C with bit 2] an abort does not undo the last byte of a "
              "line where it was stored to in an inner region",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .breaks = NESTED_LAST_UNDONE)

FAULT(capacity_ring3_unsaid,
      .what = "[A B F; C with bit 2] EAX[3] is 0 after an abort at ring 3",
      .caught = {"skylake-2017 on 1 tsx_ring3_state FAIL"},
      .breaks = RING3_HAS_CAPACITY)

FAULT(capacity_cycles_zero,
      .what = "[A B F; C with bit 2] B8H[31:0] is 0 after too many loads or "
              "stores",
      .caught = {"skylake-2017 on 1 pebs_tx_cycles FAIL"},
      .breaks = CAPACITY_SETS_CYCLES)

FAULT(ring3_cycles_zero,
      .what = "[A B F; C with bit 2] B8H[31:0] is 0 after an abort at ring 3",
      .caught = {"skylake-2017 on 1 pebs_in_contexts FAIL"},
      .breaks = RING3_SETS_CYCLES)

FAULT(interrupt_ring3_capacity,
      .what = "[A B F; C with bit 2] EAX[3] is 1 after an abort by an "
              "interrupt at ring 3",
      .caught = {"skylake-2017 on 1 pmi_in_contexts FAIL"},
      .breaks = RING3_EVENT_PLAIN)

FAULT(conflict_keeps_ymm,
      .what = "[A B F; C with bit 2] an abort by a conflict does not restore "
              "the upper halves of YMM0 to YMM15",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .breaks = CONFLICT_RESTORES_YMM)

FAULT(abort_moves_fs,
      .what = "[A B F; C with bit 2] an abort sets the base of FS to the "
              "address of XBEGIN",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .breaks = ABORT_KEEPS_FS)

FAULT(nested_exception_keeps_rsp,
      .what = "[A B F; C with bit 2] an exception in an inner transaction does "
              "not restore RSP",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .breaks = NESTED_EXCEPTION_RESTORES_RSP)
