/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * version6.c - what goes wrong with what performance monitoring version 6 adds,
 * and CPUID leaf 23H enumerates.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"

FAULT(umask2_ignored, .what = "[perfmon version 6] UMASK2 is taken for 0",
      .caught = {"arrowlake on 1 branch_kinds FAIL",
                 "arrowlake on 1 events_in_groups FAIL"},
      .quantity = SELECTED, .number = ANY_NUMBER, .clear = BITS(47, 40))

FAULT(umask2_of_2_ignored,
      .what = "[perfmon version 6] UMASK2 of IA32_PERFEVTSEL2 is taken for 0",
      .caught = {"arrowlake on 1 branch_kinds FAIL"}, .quantity = SELECTED,
      .number = 2, .clear = BITS(47, 40))

FAULT(umask2_drops_47, .what = "[perfmon version 6] PERFEVTSEL9[47] stays 0",
      .caught = {"arrowlake on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x18F, .clear = BIT(47))

FAULT(eq_drops, .what = "[perfmon version 6] PERFEVTSEL1[36] (EQ) stays 0",
      .caught = {"arrowlake on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x187, .clear = BIT(36))

FAULT(umask2_refused, .what = "[perfmon version 6] PERFEVTSEL3[40] raises #GP",
      .caught = {"arrowlake on 1 branch_kinds FAIL",
                 "arrowlake on 1 counter_registers FAIL"},
      .quantity = SELECT_BITS, .number = 3, .clear = BIT(40))

FAULT(leaf_23_nine_counters,
      .what = "[perfmon version 6] CPUID.23H.1:EAX[9] = 0, and IA32_PMC9 is "
              "there",
      .caught = {"arrowlake on 1 counter_enumeration FAIL"}, .quantity = OF_EAX,
      .number = 0x23, .clear = BIT(9))

FAULT(leaf_23_no_umask2,
      .what = "[perfmon version 6] CPUID.23H.0:EBX[0] = 0, and UMASK2 can be "
              "written",
      .caught = {"arrowlake on 1 counter_reserved_bits FAIL"},
      .quantity = OF_EBX, .number = 0x23, .clear = BIT(0))

FAULT(select_takes_48,
      .what = "[perfmon version 6] PERFEVTSEL0[48] raises no #GP",
      .caught = {"arrowlake on 1 counter_reserved_bits FAIL"},
      .quantity = OF_MSR_TAKEN, .number = 0x186, .set = BIT(48))

FAULT(other_name_refused,
      .what = "[perfmon version 6] 1914H, IA32_PMC5 once more, raises #GP",
      .caught = {"arrowlake on 1 counter_registers FAIL"},
      .quantity = OF_MSR_REFUSED, .number = 0x1914)

FAULT(other_name_narrow,
      .what = "[perfmon version 6] 1908H takes 32 bits of IA32_PMC2 alone",
      .caught = {"arrowlake on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x1908, .clear = BITS(63, 32))

FAULT(select_9_drops_umask, .what = "[ten counters] PERFEVTSEL9 loses [15:8]",
      .caught = {"arrowlake on 1 counter_registers FAIL",
                 "arrowlake on 1 branch_kinds FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x18F, .clear = BITS(15, 8))
