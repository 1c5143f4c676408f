/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_forms.c - transactions that miss one form of an instruction: a width, an
 * opcode, loads or stores of others. Each entry names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(byte_loads_unseen,
      .what = "[A B F; C with bit 2] another processor's load of 1 byte is no "
              "conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = LOADS_UNSEEN, .number = 1)

FAULT(word_loads_unseen,
      .what = "[A B F; C with bit 2] another processor's load of 2 bytes is no "
              "conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = LOADS_UNSEEN, .number = 2)

FAULT(wide_loads_unseen,
      .what = "[A B F; C with bit 2] another processor's load of 16 bytes is "
              "no conflict",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = LOADS_UNSEEN, .number = 16)

FAULT(split_loads_unseen,
      .what = "[A B F; C with bit 2] another processor's load on two lines is "
              "no conflict on the second",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .breaks = SPLIT_LOADS_CONFLICT)

FAULT(
    byte_stores_unmonitored,
    .what = "[A B F; C with bit 2] lines of stores of a byte are not monitored",
    .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
    .quantity = UNWRITTEN_FORMS, .number = 0x88)

FAULT(pushes_unmonitored,
      .what = "[A B F; C with bit 2] lines of what PUSH of RCX stores are not "
              "monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = UNWRITTEN_FORMS, .number = 0x51)

FAULT(calls_unmonitored,
      .what = "[A B F; C with bit 2] lines of return addresses that CALL "
              "stores are not monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = UNWRITTEN_FORMS, .number = 0xE8)

FAULT(
    stos_unmonitored,
    .what = "[A B F; C with bit 2] lines of what STOS stores are not monitored",
    .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
    .quantity = UNWRITTEN_FORMS, .number = 0xAB)

FAULT(movups_unmonitored,
      .what =
          "[A B F; C with bit 2] lines of what MOVUPS stores are not monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = UNWRITTEN_FORMS, .number = 0x0F11)

FAULT(constants_unmonitored,
      .what = "[A B F; C with bit 2] lines of what MOV of a constant stores "
              "are not monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_read FAIL"},
      .quantity = UNWRITTEN_FORMS, .number = 0xC7)

FAULT(
    byte_loads_unmonitored,
    .what = "[A B F; C with bit 2] lines of loads of a byte are not monitored",
    .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
    .quantity = UNREAD_FORMS, .number = 0x8A)

FAULT(
    movdqa_unmonitored,
    .what = "[A B F; C with bit 2] lines of loads by MOVDQA are not monitored",
    .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
    .quantity = UNREAD_FORMS, .number = 0x0F6F)

FAULT(constant_compares_unmonitored,
      .what = "[A B F; C with bit 2] lines of what is compared with a constant "
              "are not monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .quantity = UNREAD_FORMS, .number = 0x83)

FAULT(products_unmonitored,
      .what = "[A B F; C with bit 2] lines of what MUL and TEST of a constant "
              "read are not monitored",
      .caught = {"skylake-2017 on 2 tsx_conflict_write FAIL"},
      .quantity = UNREAD_FORMS, .number = 0xF7)

FAULT(abort_keeps_cmpxchg8b,
      .what = "[A B F; C with bit 2] an abort does not undo CMPXCHG8B",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .quantity = KEPT_FORMS, .number = 0x0FC7)

FAULT(abort_keeps_enter,
      .what = "[A B F; C with bit 2] an abort does not undo ENTER",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .quantity = KEPT_FORMS, .number = 0xC8)

FAULT(abort_keeps_movhpd,
      .what = "[A B F; C with bit 2] an abort does not undo MOVHPS and MOVHPD",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .quantity = KEPT_FORMS, .number = 0x0F17)

FAULT(abort_keeps_xchg_byte,
      .what = "[A B F; C with bit 2] an abort does not undo XCHG of a byte",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .quantity = KEPT_FORMS, .number = 0x86)

FAULT(zeroed_keeps_ymm,
      .what = "[A B F; C with bit 2] an abort does not restore upper halves of "
              "YMM registers that are all 0 then",
      .caught = {"skylake-2017 on 1 tsx_abort_state FAIL"},
      .breaks = ZEROED_RESTORES_YMM)

FAULT(breakpoint_keeps_ymm,
      .what = "[A B F; C with bit 2] an abort by a breakpoint of DR0 to DR3 "
              "does not restore the upper halves of YMM",
      .caught = {"skylake-2017 on 1 tsx_debug_breakpoint FAIL"},
      .breaks = WATCHED_RESTORES_YMM)

FAULT(many_lines_kept,
      .what = "[A B F; C with bit 2] XABORT undoes the first 64 lines that the "
              "body stored to, and no more",
      .caught = {"skylake-2017 on 1 tsx_write_capacity FAIL"},
      .breaks = MANY_LINES_UNDONE)

FAULT(txcp_os_alone_kept,
      .what = "[A B F; C with bit 2] IN_TXCP keeps what an abort undoes where "
              "USR is 0",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = TXCP_OF_OS_ALONE)

FAULT(tx_store_of_2_unwatched,
      .what = "[A B F; C with bit 2] a breakpoint is not hit by a store of 2 "
              "bytes in a transaction",
      .caught = {"skylake-2017 on 1 tsx_debug_breakpoint FAIL"},
      .quantity = TX_UNWATCHED, .number = 2)

FAULT(tx_store_of_16_unwatched,
      .what = "[A B F; C with bit 2] a breakpoint is not hit by a store of 16 "
              "bytes in a transaction",
      .caught = {"skylake-2017 on 1 tsx_debug_breakpoint FAIL"},
      .quantity = TX_UNWATCHED, .number = 16)
