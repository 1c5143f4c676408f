/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * adaptive.c - what goes wrong with adaptive PEBS records, and with the
 * registers that ask for them.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"

FAULT(adaptive_always,
      .what = "[adaptive records] a record has its groups with "
              "PERFEVTSELn.Adaptive_Record = 0, too",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .breaks = ADAPTIVE_WHERE_ASKED)

FAULT(adaptive_one_entry_lost,
      .what = "[adaptive records] with one LBR entry asked for there is none",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .breaks = ONE_ENTRY_RECORDED)

FAULT(adaptive_tx_before_latency,
      .what = "[adaptive records] the memory group has TSX information in "
              "front of the latency",
      .caught = {"icelake-server on 1 pebs_tx_abort FAIL"},
      .breaks = TX_INFO_IS_LAST)

FAULT(adaptive_registers_as_before,
      .what = "[adaptive records] the registers are in the order of "
              "format 3",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .breaks = GPRS_BY_NUMBER)

FAULT(adaptive_branches_oldest_first,
      .what = "[adaptive records] the LBR group begins with the oldest "
              "record",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .breaks = LBRS_NEWEST_FIRST)

FAULT(adaptive_branches_are_oldest,
      .what = "[adaptive records] the LBR group of fewer entries has the "
              "oldest branches",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "sapphirerapids on 1 pebs_adaptive_groups FAIL"},
      .breaks = LBRS_ARE_NEWEST)

FAULT(adaptive_basic_has_rip,
      .what = "[adaptive records] the basic group has RIP, not EventingIP",
      .caught = {"icelake-server on 1 pebs_record_layout FAIL",
                 "icelake-server on 1 pebs_reload FAIL"},
      .breaks = BASIC_HAS_EVENTING_IP)

FAULT(adaptive_xmm_of_last,
      .what = "[adaptive records] XMM registers are those of the record "
              "before",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .breaks = XMM_OF_THIS_RECORD)

FAULT(adaptive_lbrs_well_predicted,
      .what = "[adaptive records] MISPRED is 0 in the LBR group",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "sapphirerapids on 1 pebs_adaptive_groups FAIL"},
      .breaks = RECORD_LBRS_HAVE_FLAGS)

FAULT(adaptive_no_memory, .what = "[adaptive records] 3F2H[0] is ignored",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(0))

FAULT(adaptive_no_registers, .what = "[adaptive records] 3F2H[1] is ignored",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(1))

FAULT(adaptive_no_xmm, .what = "[adaptive records] 3F2H[2] is ignored",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(2))

FAULT(adaptive_no_branches, .what = "[adaptive records] 3F2H[3] is ignored",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(3))

FAULT(adaptive_xmm_always,
      .what = "[adaptive records] a record that has groups has XMM "
              "registers",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .set = BIT(2))

FAULT(adaptive_all_branches,
      .what = "[adaptive records] the LBR group has 32 entries, whatever "
              "3F2H[31:24]",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER,
      .set = UINT64_C(31) << 24)

FAULT(adaptive_one_entry_less,
      .what = "[adaptive records] 3F2H[24] is taken for 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(24))

FAULT(adaptive_format_no_registers,
      .what = "[adaptive records] the record format has bit 1 = 0 though "
              "the registers are there",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .quantity = ADAPTIVE_FORMAT, .number = ANY_NUMBER, .clear = BIT(1))

FAULT(adaptive_format_no_entries,
      .what = "[adaptive records] the record format has [31:24] = 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_FORMAT, .number = ANY_NUMBER, .clear = BITS(31, 24))

FAULT(adaptive_size_without_basic,
      .what = "[adaptive records] the record size leaves out the basic "
              "group",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .quantity = ADAPTIVE_SIZE, .number = ANY_NUMBER, .add = (uint64_t)(-32))

FAULT(adaptive_size_zero, .what = "[adaptive records] the record size is 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .quantity = ADAPTIVE_SIZE, .number = ANY_NUMBER, .clear = UINT64_MAX)

FAULT(adaptive_ip_off,
      .what = "[adaptive records] the basic group has EventingIP + 1",
      .caught = {"icelake-server on 1 pebs_tx_abort FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(0, 0x08), .add = 1)

FAULT(adaptive_applicable_zero,
      .what = "[adaptive records] no applicable counter",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(0, 0x10),
      .clear = UINT64_MAX)

FAULT(adaptive_tsc_zero, .what = "[adaptive records] the TSC is 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_tsc FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(0, 0x18),
      .clear = UINT64_MAX)

FAULT(adaptive_tx_zero,
      .what = "[adaptive records] the memory group has no TSX information",
      .caught = {"icelake-server on 1 pebs_tx_abort FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(1, 0x18),
      .clear = UINT64_MAX)

FAULT(adaptive_rflags_zero, .what = "[adaptive records] RFLAGS is 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(2, 0x00),
      .clear = UINT64_MAX)

FAULT(adaptive_r15_off, .what = "[adaptive records] R15 is another",
      .caught = {"icelake-server on 1 pebs_reload FAIL",
                 "icelake-server on 1 pebs_tsc FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(2, 0x88), .add = 1)

FAULT(adaptive_branch_to_zero,
      .what = "[adaptive records] the first entry of the LBR group "
              "has TO = 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(4, 0x08),
      .clear = UINT64_MAX)

FAULT(extended_enable_drops_7, .what = "[adaptive records] 3F1H[7] stays 0",
      .caught = {"icelake-server on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F1, .clear = BIT(7))

FAULT(extended_enable_drops_35, .what = "[adaptive records] 3F1H[35] stays 0",
      .caught = {"icelake-server on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F1, .clear = BIT(35))

FAULT(data_cfg_drops_31, .what = "[adaptive records] 3F2H[31] stays 0",
      .caught = {"icelake-server on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F2, .clear = BIT(31))

FAULT(data_cfg_takes_4, .what = "[adaptive records] 3F2H[4] can be written",
      .caught = {"icelake-server on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_TAKEN, .number = 0x3F2, .set = BIT(4))

FAULT(adaptive_xmm15_half,
      .what = "[adaptive records] the upper half of XMM15 is 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(3, 0xF8),
      .clear = UINT64_MAX)

FAULT(adaptive_lbr_info_zero,
      .what = "[adaptive records] LBR entries of a record have INFO 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .breaks = RECORD_LBRS_HAVE_INFO)

FAULT(adaptive_entries_16,
      .what = "[adaptive records] the LBR group has 16 entries at most",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(28))

FAULT(retire_latency_too_long,
      .what = "[345H[17]] Retire Latency is FFFFH, whatever it was",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_FORMAT, .number = ANY_NUMBER,
      .set = UINT64_C(0xFFFF) << 32)

FAULT(retire_latency_unsupported,
      .what = "[adaptive records without 345H[17]] Record Format [47:32] is "
              "not 0",
      .caught = {"icelake-server on 1 pebs_adaptive_groups OBSERVED"},
      .quantity = ADAPTIVE_FORMAT, .number = ANY_NUMBER,
      .set = UINT64_C(7) << 32)

FAULT(adaptive_lbrs_silent,
      .what = "[any] no PEBS record is made while branches are recorded",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "skylake-2018 on 1 lbr_freeze_on_pebs FAIL"},
      .breaks = RECORD_WITH_LBRS)
