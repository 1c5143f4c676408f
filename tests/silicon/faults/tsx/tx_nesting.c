/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_nesting.c - what goes wrong with transactions in one another, below the
 * stack, with breakpoints in elided sections. Each entry names what it breaks:
 * rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(abort_keeps_pushes,
      .what = "[A B F; C with bit 2] an abort does not undo what was stored "
              "below RSP as XBEGIN found it",
      .caught = {"skylake-2017 on 1 tsx_rollback_bytes FAIL"},
      .breaks = PUSHES_UNDONE)

FAULT(hle_breakpoint_at_begin,
      .what = "[HLE] a breakpoint in an elided section raises #DB at the "
              "XACQUIRE",
      .caught = {"skylake-2017 on 1 tsx_debug_breakpoint FAIL",
                 "haswell on 1 tsx_debug_breakpoint FAIL"},
      .breaks = ELISION_HIDES_DEBUG)

FAULT(nesting_sinks,
      .what = "[A B F; C with bit 2] after each abort in a nested region one "
              "transaction less can be in another",
      .caught = {"skylake-2017 on 1 tsx_nesting FAIL"},
      .breaks = NEST_MAX_STAYS)

FAULT(inner_xend_counts_two,
      .what = "[PMU; A B F; C with bit 2] the XEND of a nested region counts "
              "as two instructions",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = INNER_XEND_COUNTS_ONCE)

FAULT(xtest_not_counted,
      .what = "[PMU; A B F; C with bit 2] XTEST is not counted as an "
              "instruction",
      .caught = {"skylake-2017 on 1 tsx_in_tx_counts FAIL"},
      .breaks = XTEST_COUNTS)
