/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_forms.c - what goes wrong with the loads and stores of one form of
 * instruction, or of address, alone. */
#include "tests/silicon/model/fault.h"

FAULT(returns_load_above,
      .what = "[any with addresses in records] 98H of RET is that above",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 load_latency_address FAIL"},
      .breaks = RETURNS_LOAD_AT_RSP)

FAULT(calls_store_above,
      .what = "[any with addresses in records] 98H of CALL is RSP as it was",
      .caught = {"haswell on 1 data_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"},
      .breaks = CALLS_STORE_BELOW_RSP)

FAULT(leaves_are_no_loads,
      .what = "[any with events of memory] LEAVE is no load",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 memory_counts FAIL"},
      .breaks = LEAVES_ARE_LOADS)

FAULT(branches_load_nothing,
      .what = "[any with events of memory] JMP and CALL through memory are no "
              "loads",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 memory_counts FAIL"},
      .breaks = BRANCHES_LOAD)

FAULT(pushes_load_nothing,
      .what = "[any with events of memory] PUSH of memory is no load",
      .caught = {"haswell on 1 data_address FAIL",
                 "sandybridge on 1 memory_counts FAIL"},
      .breaks = PUSHES_LOAD)

FAULT(cmov_loads_nothing,
      .what = "[any with events of memory] CMOVcc is no load",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 memory_counts FAIL"},
      .breaks = FALSE_CONDITIONS_LOAD)

FAULT(string_load_at_rdi,
      .what = "[any with addresses in records] 98H of the load of MOVS is that "
              "of its store",
      .caught = {"haswell on 1 data_address FAIL"},
      .breaks = STRING_LOADS_AT_RSI)

FAULT(address_without_gs,
      .what = "[any with addresses in records] 98H leaves out the base of GS",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 data_address FAIL"},
      .breaks = ADDRESS_HAS_GS_BASE)

FAULT(address_before_immediate,
      .what = "[any with addresses in records] 98H relative to RIP leaves out "
              "the immediate",
      .caught = {"haswell on 1 data_address FAIL",
                 "skylake-2018 on 1 load_latency_address FAIL"},
      .breaks = ADDRESS_AFTER_IMMEDIATE)
