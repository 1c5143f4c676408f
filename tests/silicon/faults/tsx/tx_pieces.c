/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_pieces.c - transactions that are right but for one byte, page, level or
 * event, or for what ran before them. Each entry names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/tsx/tsx.h"

FAULT(info_retry_stays,
      .what = "[A B F; C with bit 2] B8H[36] (Retry) is 1 where it was in the "
              "abort before",
      .caught = {"skylake-2017 off 2 pebs_tx_conflict FAIL"},
      .breaks = RETRY_OF_ITS_ABORT)

FAULT(info_cycles_with_commit,
      .what = "[A B F; C with bit 2] B8H[31:0] of an abort has the cycles of "
              "the transaction before, if that committed, too",
      .caught = {"skylake-2017 on 1 pebs_tx_cycles FAIL"},
      .breaks = CYCLES_WITHOUT_COMMITTED)

FAULT(tx_watch_first_byte,
      .what = "[A B F; C with bit 2] a breakpoint is compared with the first "
              "byte alone of a store in a transaction",
      .caught = {"skylake-2017 on 1 tsx_debug_breakpoint FAIL"},
      .breaks = STORES_WATCHED_WHOLE)

FAULT(tx_inner_store_unwatched,
      .what = "[A B F; C with bit 2] a breakpoint on data is not hit by a "
              "store of an inner transaction",
      .caught = {"skylake-2017 on 1 tsx_debug_breakpoint FAIL"},
      .breaks = INNER_STORES_WATCHED)

FAULT(tx_split_byte_unread,
      .what = "[A B F; C with bit 2] of a load with one byte on its second "
              "line that line is not in the read set",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .breaks = READS_LAST_BYTE)

FAULT(tx_second_page_unread,
      .what = "[A B F; C with bit 2] of a load on two pages the second is not "
              "in the read set",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .breaks = READS_SECOND_PAGE)

FAULT(tracking_forgets_reads,
      .what = "[sapphirerapids] XSUSLDTRK empties the read set",
      .caught = {"sapphirerapids off 2 tsx_load_tracking FAIL"},
      .breaks = SUSPENDED_KEEPS_READS)

FAULT(tracking_suspended_outside,
      .what = "[sapphirerapids] XSUSLDTRK outside of a transaction holds for "
              "the next one",
      .caught = {"sapphirerapids off 2 tsx_load_tracking FAIL"},
      .breaks = SUSPENDED_INSIDE)

FAULT(in_tx_not_of_cycles,
      .what = "[any with TSX] IN_TX is not heeded by counters of core cycles",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = CYCLES_HAVE_IN_TX)

FAULT(tx_inner_fault_delivered,
      .what = "[A B F; C with bit 2] #GP in an inner transaction aborts it, "
              "and is delivered then",
      .caught = {"skylake-2017 on 1 tsx_exceptions_abort FAIL"},
      .breaks = INNER_FAULT_STAYS)

FAULT(ctrl_disable_untraced,
      .what = "[F] RTM_DISABLE does not abort while TraceEn is 1",
      .caught = {"cascadelake off 1 pt_forced_abort FAIL"},
      .breaks = DISABLE_WHILE_TRACED)

FAULT(tx_mem_not_of_ring3,
      .what = "[A B F; C with bit 2] TX_MEM does not count at ring 3",
      .caught = {"skylake-2017 off 2 tsx_conflict_events FAIL"},
      .breaks = RING3_CAUSES_COUNT)

FAULT(hle_lock_half_elided,
      .what = "[A with HLE] of an elided lock of 8 bytes the upper half reads "
              "inside as it was",
      .caught = {"haswell on 1 hle_elision FAIL"}, .breaks = LOCK_WHOLE_INSIDE)

FAULT(ctrl_disable_ends_late,
      .what = "[F] the first XBEGIN after RTM_DISABLE was cleared still aborts",
      .caught = {"cascadelake off 2 tsx_ctrl_disable FAIL"},
      .breaks = DISABLE_ENDS_AT_ONCE)

FAULT(hinted_abort_as_hle,
      .what = "[A with HLE] HLE_RETIRED.ABORTED counts an RTM transaction with "
              "a section inside",
      .caught = {"skylake-2017 on 1 tsx_mem_events FAIL"},
      .breaks = HINTED_ABORT_IS_RTM)

FAULT(reads_alone_unmonitored,
      .what =
          "[A B F; C with bit 2] what a transaction without stores reads is "
          "not monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL",
                 "icelake-server off 2 tsx_conflict_write FAIL"},
      .breaks = UNSTORED_MONITORED)

FAULT(xtest_ud_while_disabled,
      .what = "[F] XTEST raises #UD while RTM_DISABLE is 1",
      .caught = {"cascadelake off 1 tsx_ctrl_disable FAIL"},
      .breaks = DISABLE_KEEPS_XTEST)

FAULT(hle_lock_line_lost,
      .what = "[A with HLE] what an elided section stores to the line of its "
              "lock is lost",
      .caught = {"haswell on 1 hle_elision FAIL"}, .breaks = LOCK_LINE_COMMITS)

FAULT(hle_lock_line_kept,
      .what = "[A with HLE] an abort of an elided section does not undo stores "
              "to the line of its lock",
      .caught = {"haswell on 1 hle_elision FAIL"}, .breaks = LOCK_LINE_UNDONE)

FAULT(tx_mem_conflict_of_another,
      .what = "[A B; C with bit 2] TX_MEM.ABORT_CONFLICT counts on the "
              "processor that causes the conflict, too",
      .caught = {"skylake-2017 off 2 tsx_conflict_events FAIL"},
      .breaks = CONFLICT_OF_ITS_OWN)

FAULT(conflict_bit_sticks,
      .what = "[A B F; C with bit 2] EAX[2] is 1 too in aborts after one by a "
              "conflict",
      .caught = {"skylake-2017 off 2 tsx_conflict_retry FAIL"},
      .breaks = STATUS_HAS_ITS_OWN)

FAULT(tx_mem_of_commits,
      .what = "[A B F; C with bit 2] TX_MEM.ABORT_CAPACITY counts commits of "
              "stores to many lines",
      .caught = {"skylake-2017 off 1 tsx_mem_events FAIL"},
      .breaks = COMMITS_NOT_IN_MEM)

FAULT(in_tx_takes_branches,
      .what = "[A B F; C with bit 2] an abort takes back branches counted with "
              "IN_TX",
      .caught = {"skylake-2017 off 1 tsx_in_tx_counts FAIL"},
      .breaks = IN_TX_KEEPS_BRANCHES)

FAULT(txcp_of_inner_end,
      .what = "[A B F; C with bit 2] IN_TXCP keeps what was counted before the "
              "end of an inner transaction",
      .caught = {"skylake-2017 off 1 tsx_in_tx_counts FAIL"},
      .breaks = INNER_KEEPS_CHECKPOINT)

FAULT(info_cycles_of_inner,
      .what = "[A B F; C with bit 2] B8H[31:0] counts from an inner XBEGIN on",
      .caught = {"skylake-2017 off 1 pebs_tx_cycles FAIL"},
      .breaks = CYCLES_OF_OUTERMOST)

FAULT(abort_keeps_bts,
      .what = "[A B F; C with bit 2] an abort does not undo BTS and BTC of "
              "memory",
      .caught = {"skylake-2017 off 1 tsx_rollback_bytes FAIL"},
      .breaks = BIT_STORES_UNDONE)

FAULT(deep_unmonitored,
      .what = "[A B F; C with bit 2] while a transaction is at the third level "
              "nothing is a conflict",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .breaks = DEEP_MONITORED)

FAULT(nested_abort_keeps_ymm,
      .what = "[A B F; C with bit 2] an abort in an inner transaction does not "
              "restore the upper halves of YMM",
      .caught = {"skylake-2017 off 1 tsx_abort_state FAIL"},
      .breaks = NESTED_RESTORES_YMM)

FAULT(capacity_keeps_ymm,
      .what = "[A B F; C with bit 2] an abort by too many stores does not "
              "restore the upper halves of YMM",
      .caught = {"skylake-2017 off 1 tsx_abort_state FAIL"},
      .breaks = CAPACITY_RESTORES_YMM)

FAULT(rtm_start_twice_after_conflict,
      .what = "[A B F; C with bit 2] RTM_RETIRED.START counts twice after an "
              "abort by a conflict",
      .caught = {"skylake-2017 off 2 tsx_conflict_events FAIL"},
      .breaks = STARTS_COUNT_ONCE)

FAULT(interrupt_to_inner_fallback,
      .what = "[A B F; C with bit 2] an interrupt in a nested region goes on "
              "at the fallback of the inner XBEGIN",
      .caught = {"skylake-2017 off 1 tsx_interrupt_abort FAIL"},
      .quantity = INNER_FALLBACK, .number = TX_CAUSE_EVENT)

FAULT(conflict_to_inner_fallback,
      .what = "[A B F; C with bit 2] a conflict in a nested region goes on at "
              "the fallback of the inner XBEGIN",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .quantity = INNER_FALLBACK, .number = TX_CAUSE_CONFLICT)

FAULT(wide_stores_unseen,
      .what = "[A B F; C with bit 2] another processor's store of 16 bytes is "
              "no conflict",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .quantity = STORES_UNSEEN, .number = 16)

FAULT(word_stores_unseen,
      .what = "[A B F; C with bit 2] another processor's store of 2 bytes is "
              "no conflict",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .quantity = STORES_UNSEEN, .number = 2)

FAULT(ring3_interrupt_keeps_rbx,
      .what = "[A B F; C with bit 2] an interrupt's abort at ring 3 does not "
              "restore RBX",
      .caught = {"skylake-2018 off 1 tsx_ring3_state FAIL"},
      .breaks = RING3_INTERRUPT_RESTORES)

FAULT(ring3_gp_delivered,
      .what =
          "[A B F; C with bit 2] #GP at ring 3 aborts a transaction, and is "
          "delivered",
      .caught = {"skylake-2018 off 1 tsx_ring3_state FAIL"},
      .quantity = RING3_DELIVERED, .number = 13)

FAULT(ring3_x87_fault_delivered,
      .what =
          "[A B F; C with bit 2] #MF at ring 3 aborts a transaction, and is "
          "delivered",
      .caught = {"skylake-2018 off 1 tsx_ring3_state FAIL"},
      .quantity = RING3_DELIVERED, .number = 16)

FAULT(ring3_abort_leaves_zf,
      .what = "[A B F; C with bit 2] an abort at ring 3 leaves RFLAGS.ZF 1 "
              "where XBEGIN found 0",
      .caught = {"skylake-2018 off 1 tsx_ring3_state FAIL"},
      .breaks = RING3_CLEARS_ZF)

FAULT(pushf_not_undone,
      .what = "[A B F; C with bit 2] an abort does not undo what PUSHF stored",
      .caught = {"skylake-2018 off 1 tsx_rollback_bytes FAIL"},
      .breaks = FLAGS_STORES_UNDONE)

FAULT(movss_not_undone,
      .what = "[A B F; C with bit 2] an abort does not undo what MOVSS stored",
      .caught = {"skylake-2018 off 1 tsx_rollback_bytes FAIL"},
      .breaks = VECTOR_STORES_UNDONE)

FAULT(ring3_conflict_keeps_r15,
      .what = "[A B F; C with bit 2] an abort by a conflict at ring 3 does not "
              "restore R15",
      .caught = {"skylake-2017 off 2 tsx_conflict_events FAIL"},
      .breaks = RING3_CONFLICT_RESTORES)

FAULT(reads_count_as_commit,
      .what = "[A B F; C with bit 2] RTM_RETIRED.COMMIT counts an abort by too "
              "many loads",
      .caught = {"skylake-2017 off 1 tsx_read_capacity FAIL"},
      .quantity = ABORT_EVENTS, .number = TX_CAUSE_READS,
      .set = TX_EVENT_COMMIT)

FAULT(tx_events_no_pmi,
      .what = "[A B F; C with bit 2] the overflow of a counter of RTM_RETIRED "
              "makes no interrupt",
      .caught = {"skylake-2017 off 1 tsx_interrupt_abort FAIL"},
      .breaks = PMI_OF_TX_EVENTS)

FAULT(txcp_checkpoint_of_abort_before,
      .what = "[A B F; C with bit 2] IN_TXCP: an abort after another takes the "
              "counter back to where the first one did",
      .caught = {"skylake-2017 off 1 tsx_interrupt_abort FAIL"},
      .breaks = CHECKPOINT_AFTER_ABORT)

FAULT(info_nested_conflict_missing,
      .what = "[A B F; C with bit 2] B8H[37] is 0 where a conflict aborts a "
              "nested region",
      .caught = {"skylake-2017 off 2 pebs_tx_conflict FAIL"},
      .breaks = NESTED_HAS_CONFLICT)

FAULT(xtest_clears_df, .what = "[any with TSX] XTEST clears DF",
      .caught = {"skylake-2017 off 1 tsx_xabort_outside FAIL",
                 "skylake-2017 off 1 tsx_abort_state FAIL"},
      .breaks = XTEST_KEEPS_DF)

FAULT(abort_amid_string,
      .what =
          "[A B F; C with bit 2] an abort amid an instruction with REP does "
          "not restore RCX, RSI and RDI",
      .caught = {"skylake-2017 off 1 tsx_abort_state FAIL"},
      .breaks = STRINGS_ARE_RESTORED)

FAULT(fallback_of_two_pages,
      .what = "[any with RTM] the fallback of an XBEGIN on two pages is a byte "
              "late",
      .caught = {"skylake-2017 off 1 tsx_xabort_codes FAIL"},
      .breaks = FALLBACK_FROM_NEXT)

FAULT(interrupt_keeps_df,
      .what = "[A B F; C with bit 2] an abort by an interrupt does not restore "
              "DF",
      .caught = {"skylake-2017 off 1 tsx_interrupt_abort FAIL"},
      .quantity = KEPT_FLAGS, .number = TX_CAUSE_EVENT, .set = 1 << 10)

FAULT(reads_keep_df,
      .what = "[A B F; C with bit 2] an abort by too many loads does not "
              "restore DF",
      .caught = {"skylake-2017 off 1 tsx_read_capacity FAIL"},
      .quantity = KEPT_FLAGS, .number = TX_CAUSE_READS, .set = 1 << 10)

FAULT(conflict_keeps_df,
      .what = "[A B F; C with bit 2] an abort by a conflict does not restore "
              "DF",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .quantity = KEPT_FLAGS, .number = TX_CAUSE_CONFLICT, .set = 1 << 10)

FAULT(interrupt_keeps_fcw,
      .what = "[A B F; C with bit 2] an abort by an interrupt does not restore "
              "the control word of the x87",
      .caught = {"skylake-2017 off 1 tsx_interrupt_abort FAIL"},
      .quantity = KEPT_PIECES, .number = TX_CAUSE_EVENT, .set = 4)

FAULT(reads_keep_fcw,
      .what = "[A B F; C with bit 2] an abort by too many loads does not "
              "restore the control word of the x87",
      .caught = {"skylake-2017 off 1 tsx_read_capacity FAIL"},
      .quantity = KEPT_PIECES, .number = TX_CAUSE_READS, .set = 4)

FAULT(conflict_keeps_fcw,
      .what = "[A B F; C with bit 2] an abort by a conflict does not restore "
              "the control word of the x87",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .quantity = KEPT_PIECES, .number = TX_CAUSE_CONFLICT, .set = 4)

FAULT(interrupt_keeps_second_line,
      .what =
          "[A B F; C with bit 2] an abort by an interrupt does not undo the "
          "second line of a store on two",
      .caught = {"skylake-2017 off 1 tsx_interrupt_abort FAIL"},
      .quantity = KEPT_LINES, .number = TX_CAUSE_EVENT, .set = 1)

FAULT(reads_keep_second_line,
      .what = "[A B F; C with bit 2] an abort by too many loads does not undo "
              "the second line of a store on two",
      .caught = {"skylake-2017 off 1 tsx_read_capacity FAIL"},
      .quantity = KEPT_LINES, .number = TX_CAUSE_READS, .set = 1)

FAULT(exception_keeps_second_line,
      .what =
          "[A B F; C with bit 2] an abort by an exception does not undo the "
          "second line of a store on two",
      .caught = {"skylake-2017 off 1 tsx_abort_state FAIL"},
      .quantity = KEPT_LINES, .number = TX_CAUSE_EXCEPTION, .set = 1)

FAULT(conflict_keeps_inner_stores,
      .what = "[A B F; C with bit 2] an abort by a conflict does not undo what "
              "an inner transaction has stored",
      .caught = {"skylake-2017 off 2 tsx_conflict_write FAIL"},
      .quantity = KEPT_LINES, .number = TX_CAUSE_CONFLICT, .set = 2)

FAULT(interrupt_keeps_inner_stores,
      .what = "[A B F; C with bit 2] an abort by an interrupt does not undo "
              "what an inner transaction has stored",
      .caught = {"skylake-2017 off 1 tsx_interrupt_abort FAIL"},
      .quantity = KEPT_LINES, .number = TX_CAUSE_EVENT, .set = 2)

FAULT(interrupt_inner_not_nested,
      .what =
          "[A B F; C with bit 2] EAX[5] is 0 after an interrupt in an inner "
          "region",
      .caught = {"skylake-2017 off 1 tsx_interrupt_abort FAIL"},
      .breaks = NESTED_BIT_OF_EVENTS)

FAULT(inner_writes_read,
      .what = "[A B F; C with bit 2] another processor's load of what a "
              "transaction has written is no conflict while an inner one runs",
      .caught = {"skylake-2017 off 2 tsx_conflict_read FAIL"},
      .breaks = INNER_WRITES)

FAULT(register_adds_not_undone,
      .what = "[A B F; C with bit 2] an abort does not undo ADD, OR, ADC, SBB, "
              "AND, SUB and XOR of a register to memory",
      .caught = {"skylake-2018 off 1 tsx_rollback_bytes FAIL"},
      .breaks = REGISTER_ADDS_UNDONE)

FAULT(pops_unmonitored,
      .what = "[A B F; C with bit 2] lines that POP loads are not monitored",
      .caught = {"skylake-2018 on 2 tsx_conflict_write FAIL"},
      .breaks = POPS_MONITORED)

FAULT(nesting_keeps_mxcsr,
      .what = "[A B F; C with bit 2] an abort by nesting too deep does not "
              "restore MXCSR",
      .caught = {"skylake-2018 off 1 tsx_abort_state FAIL"},
      .quantity = KEPT_PIECES, .number = TX_CAUSE_NESTING, .set = 2)

FAULT(nesting_keeps_df,
      .what = "[A B F; C with bit 2] an abort by nesting too deep does not "
              "restore DF",
      .caught = {"skylake-2018 off 1 tsx_abort_state FAIL"},
      .quantity = KEPT_FLAGS, .number = TX_CAUSE_NESTING, .set = 1 << 10)
