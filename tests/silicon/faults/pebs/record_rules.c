/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_rules.c - what goes wrong with fields of PEBS records, and with what
 * makes them. Each entry
 * names what it breaks: rules.h.
 */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/fault.h"

FAULT(pebs_needs_counter_0,
      .what = "[any] no counter makes records with 3F1H[0] = 0",
      .caught = {"skylake-2017 on 1 load_latency_address FAIL"},
      .breaks = PEBS_OF_OWN_BIT)

FAULT(pebs_ignores_in_tx,
      .what = "[A B F; C with bit 2] a counter that makes records counts "
              "outside of transactions with IN_TX = 1",
      .caught = {"skylake-2017 on 1 pebs_inside_tx FAIL",
                 "haswell on 1 pebs_inside_tx FAIL"},
      .breaks = PEBS_HAS_IN_TX)

FAULT(pebs_applicable_enabled,
      .what = "[format 3] 90H shows every counter that is enabled for "
              "PEBS",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"},
      .breaks = APPLICABLE_OVERFLOWED)

FAULT(info_stale,
      .what = "[any with RTM] B8H of a record of no abort is that of the "
              "last abort",
      .caught = {"skylake-2017 on 1 pebs_tx_cycles FAIL"},
      .breaks = INFO_OF_THIS_ONE)

FAULT(data_address_d1_missing,
      .what = "[any with data addresses] records of D1H to D3H have no "
              "address",
      .caught = {"skylake-2017 on 1 data_address FAIL"},
      .breaks = ADDRESS_OF_MISSES)

FAULT(pebs_rflags_bit_1, .what = "[any] 00H has RFLAGS[1] = 0",
      .caught = {"skylake-2017 on 1 pebs_buffer_bounds FAIL"},
      .quantity = RECORD_WORD, .number = 0x00, .clear = 2)

FAULT(pebs_rbx_off, .what = "[any] 18H is one more than RBX",
      .caught = {"skylake-2017 on 1 pebs_buffer_bounds FAIL"},
      .quantity = RECORD_WORD, .number = 0x18, .add = 1)

FAULT(pebs_r8_high_zero, .what = "[any] 50H has R8[63:32] = 0",
      .caught = {"skylake-2017 on 1 pebs_buffer_bounds FAIL"},
      .quantity = RECORD_WORD, .number = 0x50,
      .clear = UINT64_C(0xFFFFFFFF) << 32)

FAULT(pebs_r9_zero, .what = "[any] 58H is 0",
      .caught = {"skylake-2017 on 1 pebs_buffer_bounds FAIL"},
      .quantity = RECORD_WORD, .number = 0x58, .clear = UINT64_MAX)

FAULT(pebs_r15_off, .what = "[any] 88H[40] is another one than R15 has",
      .caught = {"skylake-2017 on 1 pebs_record_layout FAIL"},
      .quantity = RECORD_WORD, .number = 0x88, .add = UINT64_C(1) << 40)

FAULT(pebs_rip_high_zero, .what = "[any] 08H is one less than RIP",
      .caught = {"skylake-2017 on 1 pdir_skid FAIL"}, .quantity = RECORD_WORD,
      .number = 0x08, .add = (uint64_t)(-1))

FAULT(pebs_status_reserved, .what = "[format 3] 90H[4] is 1",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"},
      .quantity = RECORD_WORD, .number = 0x90, .set = 0x10)

FAULT(data_address_high_lost,
      .what = "[any with data addresses] 98H[31:24] are 0",
      .caught = {"skylake-2017 on 1 data_address FAIL"},
      .quantity = RECORD_WORD, .number = 0x98, .clear = 0xFF000000)

FAULT(load_latency_high_junk, .what = "[any] A8H[63:32] are not 0",
      .caught = {"skylake-2017 on 1 data_address FAIL"},
      .quantity = RECORD_WORD, .number = 0xA8, .set = UINT64_C(1) << 40)

FAULT(info_reserved_63, .what = "[any with RTM] B8H[63] is 1",
      .caught = {"skylake-2017 on 1 pebs_counter3 FAIL"},
      .quantity = RECORD_WORD, .number = 0xB8, .set = UINT64_C(1) << 63)

FAULT(info_32_missing, .what = "[A with HLE] B8H[32] is never set",
      .caught = {"skylake-2017 on 2 pebs_hle_abort FAIL"},
      .quantity = INFORMATION, .number = ANY_NUMBER, .clear = UINT64_C(1) << 32)

FAULT(info_writes_as_reads,
      .what = "[any with RTM] B8H[39] is set too after too many stores",
      .caught = {"skylake-2017 on 2 pebs_tx_abort FAIL"},
      .quantity = INFORMATION, .number = 5, .set = UINT64_C(1) << 39)

FAULT(info_conflict_with_capacity,
      .what = "[any with RTM] B8H[37] is set after too many loads",
      .caught = {"skylake-2017 on 2 pebs_tx_abort FAIL"},
      .quantity = INFORMATION, .number = 6, .set = UINT64_C(1) << 37)

FAULT(info_34_missing, .what = "[any with RTM] B8H[34] is never set",
      .caught = {"skylake-2017 on 2 pebs_hle_abort FAIL"},
      .quantity = INFORMATION, .number = ANY_NUMBER, .clear = UINT64_C(1) << 34)

FAULT(info_35_missing, .what = "[any with RTM] B8H[35] is never set",
      .caught = {"skylake-2017 on 2 pebs_tx_conflict FAIL"},
      .quantity = INFORMATION, .number = ANY_NUMBER, .clear = UINT64_C(1) << 35)

FAULT(info_retry_missing, .what = "[any with RTM] B8H[36] is never set",
      .caught = {"skylake-2017 on 2 pebs_tx_conflict FAIL"},
      .quantity = INFORMATION, .number = ANY_NUMBER, .clear = UINT64_C(1) << 36)

FAULT(info_retry_always, .what = "[any with RTM] B8H[36] is always set",
      .caught = {"skylake-2017 on 2 pebs_tx_abort FAIL"},
      .quantity = INFORMATION, .number = ANY_NUMBER, .set = UINT64_C(1) << 36)

FAULT(info_reads_missing, .what = "[any with RTM] B8H[39] is never set",
      .caught = {"skylake-2017 on 2 pebs_tx_abort FAIL"},
      .quantity = INFORMATION, .number = ANY_NUMBER, .clear = UINT64_C(1) << 39)

FAULT(info_cycles_zero,
      .what = "[any with RTM] B8H[31:0] is 0 in the record of an abort",
      .caught = {"skylake-2017 on 2 pebs_hle_abort FAIL"},
      .quantity = INFORMATION, .number = ANY_NUMBER, .clear = 0xFFFFFFFF)

FAULT(ds_area_latched,
      .what = "[any] IA32_DS_AREA is taken the first time alone",
      .caught = {"skylake-2018 on 1 pebs_buffer_bounds FAIL"},
      .breaks = DS_AREA_TAKEN)

FAULT(pebs_ignores_levels,
      .what = "[any] a counter that is enabled for PEBS counts at every "
              "privilege level",
      .caught = {"skylake-2018 on 1 pebs_enable_bits FAIL"},
      .breaks = PEBS_HAS_LEVELS)

FAULT(pebs_ignores_umasks,
      .what = "[any] a counter that is enabled for PEBS takes UMASK for 0",
      .caught = {"skylake-2017 on 1 data_address FAIL",
                 "skylake-2018 on 1 pebs_events FAIL"},
      .breaks = PEBS_HAS_UMASKS)

FAULT(pebs_clears_select_en, .what = "[any] a record clears PERFEVTSELn.EN",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL",
                 "skylake-2018 on 1 pebs_enable_bits FAIL"},
      .breaks = RECORD_KEEPS_EN)

FAULT(precise_store_event_silent,
      .what = "[any with precise store] CDH/02H counts nothing",
      .caught = {"sandybridge on 1 precise_store_address FAIL"},
      .quantity = COUNTED, .number = 0x2CD, .add = (uint64_t)(-1))

FAULT(pebs_r14_off, .what = "[any] 80H is one more than R14",
      .caught = {"skylake-2018 on 1 pebs_record_layout FAIL"},
      .quantity = RECORD_WORD, .number = 0x80, .add = 1)

FAULT(pebs_record_at_base,
      .what = "[any] each record is written at the base of the buffer",
      .caught = {"skylake-2018 on 1 pebs_buffer_bounds FAIL"},
      .breaks = RECORD_AT_INDEX)

FAULT(pebs_full_interrupts,
      .what = "[any] a record that does not fit brings an interrupt",
      .caught = {"skylake-2017 on 1 pebs_threshold_pmi FAIL"},
      .breaks = PEBS_FULL_SILENT)

FAULT(pebs_reset_less,
      .what = "[any] a counter is reloaded with one less than its reset value",
      .caught = {"skylake-2017 on 1 pebs_reload FAIL"},
      .quantity = RECORD_RESET, .number = ANY_NUMBER, .add = (uint64_t)(-1))

FAULT(
    load_threshold_high,
    .what = "[any] loads have to exceed MSR_PEBS_LD_LAT_THRESHOLD by 64 cycles",
    .caught = {"skylake-2017 on 1 load_latency_threshold FAIL"},
    .quantity = LOAD_THRESHOLD, .number = ANY_NUMBER, .add = 64)

FAULT(load_threshold_of_3_low,
      .what = "[any] of MSR_PEBS_LD_LAT bits 5:0 alone are compared for "
              "IA32_PMC3",
      .caught = {"skylake-2017 on 1 load_latency_threshold FAIL"},
      .breaks = LOAD_THRESHOLD_OF_3)

FAULT(load_latency_at_threshold,
      .what = "[any] a load whose latency is the threshold is recorded",
      .caught = {"skylake-2017 on 1 load_latency_threshold FAIL"},
      .breaks = LOAD_GREATER)

FAULT(pebs_full_reloads,
      .what = "[any] a record that does not fit reloads its counter",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL"},
      .breaks = PEBS_RESET_WITH_RECORD)

FAULT(pebs_reset_more,
      .what = "[any] a counter is reloaded with one more than its reset value",
      .caught = {"skylake-2017 on 1 pebs_reload FAIL"},
      .quantity = RECORD_RESET, .number = ANY_NUMBER, .add = 1)

FAULT(pebs_reset_1_more,
      .what = "[any] IA32_PMC1 is reloaded with one more than its reset value",
      .caught = {"skylake-2017 on 1 pebs_reload FAIL"},
      .quantity = RECORD_RESET, .number = 1, .add = 1)

FAULT(pebs_record_counted,
      .what = "[any] IA32_FIXED_CTR0 counts a record as an instruction",
      .caught = {"skylake-2017 on 1 pebs_reload FAIL"},
      .breaks = RECORD_IS_NO_INSTRUCTION)

FAULT(pebs_record_clears_fixed,
      .what = "[any] a record clears GLOBAL_STATUS[34:32]",
      .caught = {"skylake-2017 on 1 pebs_applicable_counter FAIL"},
      .breaks = RECORD_KEEPS_FIXED_STATUS)

FAULT(load_source_modified,
      .what = "[any] the data source of a line that another core has modified "
              "is 4",
      .caught = {"skylake-2018 off 2 load_latency_snoop FAIL"},
      .breaks = SOURCE_OF_MODIFIED)

FAULT(pebs_full_disables,
      .what = "[any] a record that does not fit ends PEBS until 3F1H is "
              "written",
      .caught = {"skylake-2017 on 1 pebs_buffer_full FAIL"},
      .breaks = PEBS_FULL_KEEPS_ENABLE)

FAULT(pebs_record_clears_debugctl,
      .what = "[any] a record clears IA32_DEBUGCTL",
      .caught = {"skylake-2017 on 1 pebs_reload FAIL"},
      .breaks = RECORD_KEEPS_DEBUGCTL)

FAULT(pebs_ring3_iopl,
      .what = "[any] RFLAGS of a record of ring 3 has IOPL = 3",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x00, .set = BITS(13, 12))

FAULT(pebs_ring3_rax, .what = "[any] RAX of a record of ring 3 is one more",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x10, .add = 1)

FAULT(pebs_ring3_rdx, .what = "[any] RDX of a record of ring 3 has bit 63 set",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x28, .set = BIT(63))

FAULT(pebs_ring3_r8, .what = "[any] R8 of a record of ring 3 has bit 32 set",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x50, .set = BIT(32))

FAULT(pebs_ring3_r12, .what = "[any] R12 of a record of ring 3 is one more",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x70, .add = 1)

FAULT(pebs_ring3_r13, .what = "[any] R13 of a record of ring 3 has bit 31 set",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x78, .set = BIT(31))

FAULT(pebs_ring3_r14, .what = "[any] R14 of a record of ring 3 is one more",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"},
      .quantity = RECORD_WORD_RING3, .number = 0x80, .add = 1)

FAULT(pebs_ring3_silent, .what = "[any] no record is made in ring 3",
      .caught = {"skylake-2017 on 1 pebs_ring3 FAIL"},
      .breaks = RECORD_IN_RING_3)

FAULT(pebs_of_one_level_silent,
      .what = "[any] a counter with OS alone, or USR, makes no record",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL",
                 "sandybridge on 1 pebs_ring3 FAIL"},
      .breaks = RECORD_OF_ONE_LEVEL)

FAULT(capabilities_deny_smm_freeze,
      .what = "[any] 345H[12] is 0 though IA32_DEBUGCTL[14] can be set",
      .caught = {"skylake-2018 on 1 perf_capabilities FAIL"},
      .quantity = OF_MSR_READ, .number = 0x345, .clear = 0x1000)

FAULT(capabilities_lbr_format,
      .what = "[any] 345H[5:0], the format of LBR, is 3FH",
      .caught = {"skylake-2018 on 1 perf_capabilities FAIL"},
      .quantity = OF_MSR_READ, .number = 0x345, .set = 0x3F)

FAULT(misc_enable_denies_pebs, .what = "[any] 1A0H[12] is 1 though PEBS works",
      .caught = {"skylake-2018 on 1 perf_capabilities FAIL"},
      .quantity = OF_MSR_READ, .number = 0x1A0, .set = 0x1000)

FAULT(pebs_pmi_no_freeze,
      .what = "[any] the interrupt of the PEBS threshold freezes nothing",
      .caught = {"skylake-2018 on 1 pebs_threshold_pmi FAIL"},
      .breaks = PEBS_PMI_FREEZES)

FAULT(record_without_if, .what = "[any] RFLAGS of a record has IF = 0",
      .caught = {"skylake-2018 on 1 pebs_threshold_pmi FAIL",
                 "icelake-server on 1 pebs_threshold_pmi FAIL"},
      .breaks = RECORD_HAS_IF)
