/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hybrid.c - what goes wrong with the second kind of cores of a hybrid machine.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"

FAULT(second_kind_first_events,
      .what = "[hybrid] cores of the second kind count by the umasks of the "
              "first",
      .caught = {"alderlake off 2 branch_kinds FAIL"},
      .breaks = KIND_HAS_ITS_EVENTS)

FAULT(second_kind_five_counters,
      .what = "[hybrid] cores of the second kind have no IA32_PMC5",
      .caught = {"alderlake off 2 counter_enumeration FAIL"},
      .breaks = KIND_HAS_ITS_COUNTERS)

FAULT(second_kind_fixed_3,
      .what =
          "[hybrid] cores of the second kind take the bits of fixed counter "
          "3, which they have not",
      .caught = {"alderlake off 2 counter_reserved_bits FAIL"},
      .breaks = KIND_HAS_ITS_FIXED)
