/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * extended.c - what goes wrong with the bits that ask for adaptive records.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"

FAULT(fixed_adaptive_drops_0, .what = "[adaptive records] 38DH[32] stays 0",
      .caught = {"icelake-server on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38D, .clear = BIT(32))

FAULT(select_adaptive_drops_6,
      .what = "[adaptive records] PERFEVTSEL6.Adaptive_Record stays 0",
      .caught = {"icelake-server on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x18C, .clear = BIT(34))

FAULT(extended_fixed_none,
      .what = "[adaptive records] 3F1H[35:32] make no records",
      .caught = {"icelake-server on 1 pebs_fixed_counters FAIL"},
      .breaks = FIXED_MAKE_RECORDS)

FAULT(extended_fixed_always,
      .what =
          "[adaptive records] fixed counters make records without 3F1H[35:32]",
      .caught = {"icelake-server on 1 pebs_fixed_counters FAIL"},
      .breaks = FIXED_NEED_ENABLE)

FAULT(extended_fixed_resets_as_general,
      .what = "[adaptive records] fixed counter n is reloaded from 40H + 8n of "
              "the DS "
              "area",
      .caught = {"icelake-server on 1 pebs_fixed_counters FAIL"},
      .breaks = FIXED_HAVE_OWN_RESET)

FAULT(pebs_format_5_area_4,
      .what =
          "[PEBS format 5] the DS area is that of format 4: resets of fixed "
          "counters at 80H to 98H",
      .caught = {"graniterapids on 1 pebs_fixed_counters FAIL"},
      .breaks = AREA_OF_FORMAT_5)

FAULT(extended_fixed_all_groups,
      .what = "[adaptive records] 38DH[32 + 4n] is taken for 1",
      .caught = {"icelake-server on 1 pebs_fixed_counters FAIL"},
      .breaks = FIXED_WHERE_ASKED)

FAULT(extended_fixed_not_named,
      .what = "[adaptive records] [35:32] of the applicable counters stay 0",
      .caught = {"icelake-server on 1 pebs_fixed_counters FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(0, 0x10),
      .clear = BITS(35, 32))

FAULT(extended_fixed_2_reset_zero,
      .what = "[adaptive records] IA32_FIXED_CTR2 is reloaded with 0",
      .caught = {"icelake-server on 1 pebs_fixed_counters FAIL"},
      .quantity = RECORD_RESET, .number = 34, .clear = UINT64_MAX)

FAULT(extended_4_to_7_none,
      .what = "[adaptive records] 3F1H[7:4] make no records",
      .caught = {"icelake-server on 1 pebs_applicable_counter FAIL",
                 "icelake-server on 1 pebs_enable_bits FAIL"},
      .breaks = ABOVE_3_MAKE_RECORDS)

FAULT(extended_4_to_7_resets,
      .what = "[adaptive records] counters 4 to 7 are reloaded from 40H to 58H "
              "of the "
              "DS area",
      .caught = {"icelake-server on 1 pebs_reload FAIL"},
      .breaks = ABOVE_3_HAVE_OWN_RESET)

FAULT(extended_7_named_too,
      .what = "[adaptive records] [7] of the applicable counters is 1",
      .caught = {"icelake-server on 1 pebs_applicable_counter FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(0, 0x10), .set = BIT(7))

FAULT(extended_0_named_too,
      .what = "[adaptive records] [0] of the applicable counters is 1",
      .caught = {"icelake-server on 1 pebs_applicable_counter FAIL",
                 "icelake-server on 1 pebs_fixed_counters FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(0, 0x10), .set = BIT(0))

FAULT(pdist_skids,
      .what = "[12th generation on] PDist makes its record of the next event",
      .caught = {"sapphirerapids on 1 pdir_skid FAIL",
                 "alderlake on 2 pdir_skid FAIL"},
      .quantity = PDIST_SKID, .add = 1)

FAULT(
    pebs_threshold_inside_missed,
    .what = "[adaptive records] a threshold inside of a record is not reached",
    .caught = {"icelake-server on 1 pebs_threshold_pmi FAIL"},
    .breaks = THRESHOLD_INSIDE)

FAULT(pebs_of_misses_missing,
      .what = "[any] mispredicted branches (C5H) make no record",
      .caught = {"skylake-2018 on 1 pebs_events FAIL",
                 "sandybridge on 1 pebs_events FAIL",
                 "icelake-server on 1 pebs_events FAIL"},
      .breaks = MISSES_MAKE_RECORDS)

FAULT(pebs_of_misses_by_all,
      .what = "[any] with PEBS enabled, C5H counts the branches that are well "
              "predicted, too",
      .caught = {"skylake-2018 on 1 pebs_events FAIL",
                 "haswell on 1 pebs_events FAIL",
                 "sapphirerapids on 1 pebs_events FAIL"},
      .breaks = PEBS_HAS_MISSES_ALONE)

FAULT(extended_fixed_reset_32_bits,
      .what = "[adaptive records] a fixed counter is reloaded with bits 31:0 "
              "of its reset value, sign-extended",
      .caught = {"icelake-server on 1 pebs_fixed_counters FAIL",
                 "graniterapids on 1 pebs_fixed_counters FAIL",
                 "arrowlake on 1 pebs_fixed_counters FAIL"},
      .breaks = FIXED_RESET_WHOLE)
