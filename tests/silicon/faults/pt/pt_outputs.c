/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_outputs.c - what goes wrong where packets are written: the single range,
 * tables and regions.
 */
#include "tests/silicon/model/hooks.h"

FAULT(pt_error_not_set, .what = "[PT] an operational error does not set Error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .rule = PT_SET_ERROR)

FAULT(
    pt_mask_gap_accepted,
    .what = "[PT with single range] a mask that is not contiguous is no error",
    .caught = {"skylake-2018 on 1 pt_output_offset FAIL"}, .rule = PT_MASK_GOOD,
    .is = true)

FAULT(
    pt_base_overlap_accepted,
    .what = "[PT with single range] a base that overlaps the mask is no error",
    .caught = {"skylake-2018 on 1 pt_output_offset FAIL"}, .rule = PT_BASE_GOOD,
    .is = true)

FAULT(pt_offset_ignored,
      .what = "[PT] the first 64 bytes of the output are left out",
      .caught = {"skylake-2018 on 1 pt_transaction_unchanged FAIL"},
      .value = PT_OFFSET_USED, .set = 64)

FAULT(pt_offset_off_by_one,
      .what = "[PT] output begins a byte after OutputOffset",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL",
                 "skylake-2018 on 1 pt_range_wrap FAIL",
                 "skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_OFFSET_USED, .add = 1)

FAULT(pt_region_short, .what = "[PT] a ToPA region ends one byte early",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_REGION_BYTES, .add = (uint64_t)(-1))

FAULT(pt_region_4k,
      .what = "[PT] a ToPA region is 4 KiB whatever its Size says",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_REGION_BYTES, .clear = UINT64_MAX, .set = 4096)

FAULT(pt_end_with_int_accepted,
      .what = "[PT] INT or STOP in an END entry is no error",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .rule = PT_END_ALONE, .is = true)

FAULT(pt_second_entry_accepted,
      .what = "[PT of one ToPA entry] a second output entry is no error",
      .caught = {"broadwell on 1 pt_topa_reserved FAIL"}, .rule = PT_END_SECOND,
      .is = true)

FAULT(pt_region_misaligned_accepted,
      .what = "[PT] a region that is not aligned to its size is no error",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .rule = PT_REGION_ALIGNED, .is = true)

FAULT(pt_table_misaligned_accepted,
      .what = "[PT] a ToPA table that is not aligned to 4 KiB is no error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .rule = PT_TABLE_BAD)

FAULT(pt_end_ignored, .what = "[PT] END leads to the table that it is in",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .rule = PT_END_FOLLOWED)

FAULT(pt_topa_stop_without_stopped, .what = "[PT] STOP does not set Stopped",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .rule = PT_TOPA_SET_STOPPED)

FAULT(pt_int_of_all,
      .what = "[PT] a full region makes an interrupt without INT",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"}, .rule = PT_INT,
      .is = true)

FAULT(pt_int_lost_by_stop,
      .what = "[PT] an entry with INT and STOP makes no interrupt",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .rule = PT_INT_OF_STOP)

FAULT(pt_stop_offset_zero, .what = "[PT] after STOP, OutputOffset is 0",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_STOP_POINTERS, .clear = UINT64_MAX << 32)

FAULT(pt_stop_index_next,
      .what = "[PT] after STOP, the table offset is that of the next entry",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_STOP_POINTERS, .add = 128)

FAULT(pt_table_index_ignored,
      .what = "[PT with ToPA tables] output begins at entry 0 of a table "
              "whatever MaskOrTableOffset says",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_TABLE_INDEX, .clear = 3)

FAULT(pt_offset_last_refused,
      .what = "[PT] the last OutputOffset of an output is an operational error",
      .caught = {"skylake-2018 on 1 pt_range_wrap FAIL"},
      .value = PT_OFFSET_MAX, .add = (uint64_t)(-1))

FAULT(pt_entry_bit_1_ignored,
      .what = "[PT] bit 1 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 1)

FAULT(pt_entry_bit_10_ignored,
      .what = "[PT] bit 10 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 10)

FAULT(pt_entry_bit_39_ignored,
      .what = "[PT] bit 39 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 39)

FAULT(pt_pmi_missing,
      .what = "[PT] INT of a ToPA entry sets GLOBAL_STATUS[55] and makes no "
              "interrupt",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"}, .rule = PT_PMI)

FAULT(pt_end_loses_byte,
      .what =
          "[PT] the last byte before TraceEn is cleared does not get to memory",
      .caught = {"skylake-2018 on 1 pt_hle_path FAIL"}, .value = PT_LOST_AT_END,
      .set = 1)

FAULT(pt_region_twice, .what = "[PT] a ToPA region is twice its Size",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_REGION_BYTES, .clear = 0x1000, .set = 0x2000)

FAULT(pt_entry_bit_3_ignored,
      .what = "[PT] bit 3 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 3)

FAULT(pt_entry_bit_5_ignored,
      .what = "[PT] bit 5 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 5)

FAULT(pt_entry_bit_11_ignored,
      .what = "[PT] bit 11 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 11)

FAULT(pt_entry_bit_63_ignored,
      .what = "[PT] bit 63 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 63)

FAULT(pt_error_is_stopped,
      .what = "[PT] an operational error sets Stopped instead of Error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_ERROR_BIT, .clear = UINT64_MAX, .set = 1 << 5)

FAULT(pt_pmi_stops_trace, .what = "[PT] the interrupt of INT freezes tracing",
      .caught = {"skylake-2018 on 1 pt_rtm_abort_causes FAIL"},
      .rule = PT_GOES_ON_PMI)

FAULT(pt_topa_skips_entry,
      .what =
          "[PT with ToPA tables] each second entry of a ToPA table is left out",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_TOPA_STEP, .add = 128)

FAULT(pt_end_keeps_index,
      .what = "[PT with ToPA tables] END does not set the table offset to 0",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"}, .rule = PT_END_INDEX)

FAULT(pt_region_long, .what = "[PT] a ToPA region ends a byte late",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_REGION_BYTES, .add = 1)

FAULT(pt_offset_size_accepted,
      .what = "[PT] an OutputOffset that is the size of the output is no error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_OFFSET_MAX, .add = 1)

FAULT(pt_stop_pointers_low,
      .what = "[PT] after STOP, OutputOffset is one too low",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .value = PT_STOP_POINTERS, .add = (uint64_t)(-(INT64_C(1) << 32)))

FAULT(pt_end_first_accepted,
      .what = "[PT] END in entry 0 of a ToPA table is no error",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .rule = PT_END_NOT_FIRST, .is = true)

FAULT(pt_entry_bit_52_ignored,
      .what = "[PT] bit 52 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 52)

FAULT(pt_entry_bit_40_ignored,
      .what = "[PT] bit 40 of a ToPA entry, which is reserved, is ignored",
      .caught = {"skylake-2018 on 1 pt_topa_reserved FAIL"},
      .value = PT_ENTRY_BITS, .set = UINT64_C(1) << 40)

FAULT(
    pt_end_elsewhere_accepted,
    .what =
        "[PT of one ToPA entry] an END entry that points elsewhere is no error",
    .caught = {"broadwell on 1 pt_topa_reserved FAIL"}, .rule = PT_END_TO_SELF,
    .is = true)

FAULT(
    pt_int_late,
    .what = "[PT] INT of a ToPA entry interrupts where the next region is full",
    .caught = {"skylake-2018 on 1 pt_topa_output FAIL",
               "broadwell on 1 pt_topa_output FAIL"},
    .rule = PT_INT_AT_END)

FAULT(pt_stop_clears_trace_en, .what = "[PT] STOP clears TraceEn",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL",
                 "broadwell on 1 pt_topa_output FAIL"},
      .rule = PT_STOP_KEEPS_EN)

FAULT(pt_range_clears_trace_en,
      .what = "[PT with ranges] TraceStop clears TraceEn",
      .caught = {"skylake-2018 on 1 pt_trace_stop FAIL"},
      .rule = PT_RANGE_KEEPS_EN)

FAULT(pt_error_clears_trace_en,
      .what = "[PT] an operational error clears TraceEn",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL",
                 "broadwell on 1 pt_topa_reserved FAIL"},
      .rule = PT_ERROR_KEEPS_EN)

FAULT(pt_int_again,
      .what = "[PT] INT of a ToPA entry interrupts again with the next packets",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"}, .rule = PT_INT_ONCE)

FAULT(pt_size_low_bits,
      .what = "[PT] a ToPA Size of 8 and more is taken as 8 less",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"}, .value = PT_SIZE,
      .clear = 8)

FAULT(pt_end_size_refused,
      .what = "[PT] an END entry whose Size is not 0 is an operational error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .rule = PT_END_SIZE_IGNORED)

FAULT(pt_second_int_missing,
      .what = "[PT with ToPA tables] INT interrupts once in a trace",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"}, .rule = PT_EVERY_INT)

FAULT(pt_range_128k_refused,
      .what = "[PT with single range] a single range of 128 KiB or more is an "
              "operational error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_MASK_LOOKED, .clear = BIT(16))

FAULT(pt_range_4k,
      .what = "[PT with single range] a single range is of 4 KiB at most",
      .caught = {"skylake-2018 on 1 pt_range_wrap FAIL"},
      .value = PT_RANGE_MASK, .clear = ~(uint64_t)0xFFF)

FAULT(pt_table_of_one_page,
      .what = "[PT with ToPA tables] a ToPA table has 512 entries at most",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_TABLE_INDEX, .clear = ~(uint64_t)511)

FAULT(pt_mask_high_gap_accepted,
      .what = "[PT with single range] a mask with a gap above bit 11 is no "
              "error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_MASK_LOOKED, .clear = BITS(31, 12))

FAULT(pt_base_high_overlap_accepted,
      .what = "[PT with single range] a base that overlaps the mask above bit "
              "11 is no error",
      .caught = {"skylake-2018 on 1 pt_output_offset FAIL"},
      .value = PT_BASE_LOOKED, .clear = BITS(31, 12))

FAULT(pt_int_of_later_silent,
      .what = "[PT with ToPA] INT of an entry that is not the first of its "
              "table sets the status, and there is no interrupt",
      .caught = {"skylake-2018 on 1 pt_topa_output FAIL"},
      .rule = PT_INT_OF_LATER)

FAULT(pt_ring3_int_missing,
      .what = "[PT with ToPA] INT of a region that ring 3 fills does nothing",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_INT_IN_RING_3)

FAULT(pt_ring3_int_silent,
      .what = "[PT with ToPA] INT of a region that ring 3 fills sets the "
              "status, and there is no interrupt",
      .caught = {"skylake-2018 on 1 pt_ring3 FAIL"}, .rule = PT_PMI_IN_RING_3)

FAULT(pt_ring3_stop_without_stopped,
      .what = "[PT with ToPA] STOP of a region that ring 3 fills does not set "
              "Stopped",
      .caught = {"sapphirerapids on 1 pt_ring3 FAIL"},
      .rule = PT_STOPPED_IN_RING_3)
