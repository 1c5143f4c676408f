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

FAULT(first_kind_counter_6_dead,
      .what = "[hybrid] IA32_PMC6 of cores of the first kind, which CPUID does "
              "not tell, counts nothing",
      .caught = {"alderlake off 2 counters_above_3 FAIL",
                 "alderlake off 2 branch_kinds FAIL"},
      .quantity = SELECTED, .number = 6, .clear = UINT64_MAX)

FAULT(first_kind_counter_7_other_umask,
      .what = "[hybrid] PERFEVTSEL7 of cores of the first kind loses [15:8]",
      .caught = {"alderlake off 2 counter_registers FAIL",
                 "alderlake off 2 branch_kinds FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x18D, .clear = BITS(15, 8))

FAULT(first_kind_counter_7_no_record,
      .what = "[hybrid] 3F1H[7] of cores of the first kind stays 0",
      .caught = {"alderlake off 2 pebs_registers FAIL",
                 "alderlake off 2 pebs_applicable_counter FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F1, .clear = BIT(7))
