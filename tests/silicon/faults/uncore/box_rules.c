/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * box_rules.c - off-core response and the uncore. Each entry
 * names what it breaks: rules.h.
 */
#include "tests/silicon/model/fault.h"

FAULT(uncore_counts_disabled,
      .what = "[any client] boxes count though the global enable bit is 0",
      .caught = {"haswell on 1 uncore_clock FAIL"},
      .breaks = UNCORE_NEEDS_ENABLE)

FAULT(uncore_clock_without_en,
      .what = "[any client] MSR_UNC_PERF_FIXED_CTR counts without its "
              "enable bit",
      .caught = {"haswell on 1 uncore_clock FAIL"},
      .breaks = UNCORE_FIXED_NEEDS_EN)

FAULT(uncore_pmi_without_ovf_en,
      .what = "[any client] overflows of the uncore interrupt without "
              "OVF_EN",
      .caught = {"haswell on 1 uncore_pmi FAIL"},
      .breaks = UNCORE_PMI_NEEDS_OVF_EN)

FAULT(uncore_freeze_always,
      .what = "[any client] an overflow stops the uncore though bit 31 is "
              "0",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_FREEZE_ASKED_FOR)

FAULT(uncore_counter_1_dead,
      .what = "[any client] counter 1 of a C-Box does not count",
      .caught = {"haswell on 1 uncore_cboxes FAIL"}, .breaks = UNCORE_COUNTER_1)

FAULT(uncore_counter_1_select_0,
      .what = "[any client] counter 1 of a C-Box counts by the select of "
              "counter 0",
      .caught = {"haswell on 1 uncore_selects FAIL",
                 "skylake-2018 on 1 uncore_selects FAIL"},
      .breaks = UNCORE_SELECT_1)

FAULT(uncore_second_line_lost,
      .what = "[any client] the second line of a load is not looked up",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .breaks = LOOKUPS_OF_BOTH_LINES)

FAULT(arb_counter_1_dead,
      .what = "[any client] counter 1 of the ARB does not count",
      .caught = {"haswell on 1 uncore_arb FAIL"}, .breaks = ARB_COUNTER_1)

FAULT(uncore_status_arb_as_cbox,
      .what = "[any client] overflows of the ARB set the status bit of "
              "the C-Boxes",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .quantity = UNCORE_OVERFLOWS, .number = 2, .clear = 2, .set = 8)

FAULT(uncore_status_cbox_as_fixed,
      .what = "[any client] overflows of C-Boxes set the status bit of "
              "the fixed counter",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .quantity = UNCORE_OVERFLOWS, .number = 8, .clear = 8, .set = 1)

FAULT(uncore_status_fixed_missing,
      .what = "[any client] overflows of the fixed counter set no status",
      .caught = {"haswell on 1 uncore_pmi FAIL"}, .quantity = UNCORE_OVERFLOWS,
      .number = 1, .clear = 1)

FAULT(uncore_status_fixed_both,
      .what = "[any client] overflows of the fixed counter set the bit of "
              "the ARB too",
      .caught = {"haswell on 1 uncore_pmi FAIL"}, .quantity = UNCORE_OVERFLOWS,
      .number = 1, .set = 2)

FAULT(uncore_box_1_select_read_only,
      .what = "[any client] MSR_UNC_CBO_1_PERFEVTSEL0 stays 0",
      .caught = {"haswell on 1 uncore_cboxes FAIL"}, .quantity = OF_MSR_WRITTEN,
      .number = 0x710, .clear = UINT64_MAX)

FAULT(uncore_box_0_counter_low,
      .what = "[any client] MSR_UNC_CBO_0_PERFCTR1[0] stays 0",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x707, .clear = 1)

FAULT(uncore_arb_counter_high,
      .what = "[any client] MSR_UNC_ARB_PERFCTR0[43] stays 0",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3B0, .clear = UINT64_C(1) << 43)

FAULT(uncore_fixed_ctrl_drops_ovf_en,
      .what = "[any client] MSR_UNC_PERF_FIXED_CTRL[20] stays 0",
      .caught = {"haswell on 1 uncore_pmi FAIL"}, .quantity = OF_MSR_WRITTEN,
      .number = 0x394, .clear = 1 << 20)

FAULT(offcore_1_dead, .what = "[any with off-core] event BBH counts nothing",
      .caught = {"haswell on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_1_COUNTS)

FAULT(offcore_0_twice,
      .what = "[any with off-core] event B7H counts each request twice",
      .caught = {"haswell on 1 offcore_counts FAIL"},
      .quantity = OFFCORE_COUNTED, .number = 0, .add = 1)

FAULT(offcore_rfo_both,
      .what = "[any with off-core] a store is a data read, too",
      .caught = {"haswell on 1 offcore_counts FAIL"},
      .quantity = OFFCORE_REQUEST, .number = 2, .set = 1)

FAULT(uncore_enable_ignored,
      .what = "[any client] counters of the uncore count without EN",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = UNCORE_SELECTED, .number = ANY_NUMBER, .set = 1 << 22)

FAULT(uncore_edge_ignored,
      .what = "[any client] EDGE of the uncore changes nothing",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = UNCORE_SELECTED, .number = ANY_NUMBER, .clear = 1 << 18)

FAULT(uncore_cmask_ignored,
      .what = "[any client] CMASK of the uncore changes nothing",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = UNCORE_SELECTED, .number = ANY_NUMBER, .clear = 0x1F << 24)

FAULT(uncore_inv_ignored,
      .what = "[any client] INV of the uncore changes nothing",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = UNCORE_SELECTED, .number = ANY_NUMBER, .clear = 1 << 23)

FAULT(uncore_select_drops_inv,
      .what = "[any client] INV of MSR_UNC_CBO_0_PERFEVTSEL0 stays 0",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x700, .clear = 1 << 23)

FAULT(uncore_select_drops_edge,
      .what = "[any client] EDGE of MSR_UNC_CBO_2_PERFEVTSEL1 stays 0",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x721, .clear = 1 << 18)

FAULT(uncore_select_drops_cmask,
      .what = "[any client] CMASK[4:3] of MSR_UNC_CBO_1_PERFEVTSEL0 stay "
              "0",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x710, .clear = 3 << 27)

FAULT(uncore_select_drops_umask,
      .what = "[any client] UMASK[7] of MSR_UNC_ARB_PERFEVTSEL1 stays 0",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3B3, .clear = 1 << 15)

FAULT(uncore_ctrl_drops_wake,
      .what = "[any client] MSR_UNC_PERF_GLOBAL_CTRL[30] stays 0",
      .caught = {"haswell on 1 uncore_reserved FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x391, .clear = 1 << 30)

FAULT(uncore_ctrl_core_0_only,
      .what = "[any client] MSR_UNC_PERF_GLOBAL_CTRL[3:1] stay 0",
      .caught = {"haswell off 2 uncore_reserved FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x391, .clear = 0xE)

FAULT(uncore_pmi_to_all,
      .what = "[any client] an interrupt of the uncore goes to all cores",
      .caught = {"haswell off 2 uncore_pmi FAIL"}, .quantity = UNCORE_CORES,
      .number = ANY_NUMBER, .set = UINT64_MAX)

FAULT(uncore_pmi_to_first,
      .what = "[any client] an interrupt of the uncore goes to core 0",
      .caught = {"haswell off 2 uncore_pmi FAIL"}, .quantity = UNCORE_CORES,
      .number = ANY_NUMBER, .clear = UINT64_MAX, .set = 1)

FAULT(uncore_lookup_any_state,
      .what = "[any client] C-Boxes count lookups of every state",
      .caught = {"haswell on 1 uncore_selects FAIL"}, .quantity = LOOKUP_STATE,
      .number = ANY_NUMBER, .set = 0xF)

FAULT(uncore_lookup_no_filter,
      .what = "[any client] C-Boxes count reads and writes, whichever is "
              "asked for",
      .caught = {"haswell on 1 uncore_selects FAIL"}, .quantity = LOOKUP_BY,
      .number = ANY_NUMBER, .set = 0x30)

FAULT(uncore_snoops_silent,
      .what = "[any client] C-Boxes count no snoop responses",
      .caught = {"haswell off 2 uncore_snoops FAIL"},
      .quantity = SNOOP_RESPONSE, .number = ANY_NUMBER, .clear = 0xFF)

FAULT(uncore_snoops_all_hit,
      .what = "[any client] C-Boxes take every snoop response for HIT",
      .caught = {"haswell off 2 uncore_snoops FAIL"},
      .quantity = SNOOP_RESPONSE, .number = ANY_NUMBER, .clear = 0xFF, .set = 4)

FAULT(uncore_writes_all,
      .what = "[any client] the ARB counts every request as a write",
      .caught = {"haswell on 1 uncore_arb FAIL"}, .breaks = ARB_TAKES_WRITES,
      .is = true)

FAULT(uncore_writes_none,
      .what = "[any client] the ARB counts no request as a write",
      .caught = {"haswell on 1 uncore_arb FAIL"}, .breaks = ARB_TAKES_WRITES)

FAULT(offcore_ignores_snoop,
      .what = "[any with off-core] MSR_OFFCORE_RSP_x[37:31] choose "
              "nothing: any of them counts every response",
      .caught = {"haswell on 1 offcore_counts FAIL"}, .quantity = OFFCORE_SNOOP,
      .number = ANY_NUMBER, .set = UINT64_C(0x7F) << 31)

FAULT(offcore_snoop_silent,
      .what = "[any with off-core] MSR_OFFCORE_RSP_x[36:33] count nothing",
      .caught = {"haswell off 2 offcore_snoops FAIL"},
      .quantity = OFFCORE_SNOOP, .number = ANY_NUMBER,
      .clear = UINT64_C(0xF) << 33)

FAULT(offcore_needs_no_snoop,
      .what = "[any with off-core] MSR_OFFCORE_RSP_x counts with a "
              "supplier and no snoop",
      .caught = {"haswell on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_NEEDS_SNOOP)

FAULT(uncore_edge_one_box,
      .what = "[any client] EDGE of counter 1 of C-Box 1 changes nothing",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = UNCORE_SELECTED, .number = 3, .clear = 1 << 18)

FAULT(uncore_inv_of_arb_1,
      .what = "[any client] INV of counter 1 of the ARB changes nothing",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .quantity = UNCORE_SELECTED, .number = ARB_NUMBER + 1, .clear = 1 << 23)

FAULT(uncore_status_read_clears,
      .what = "[any client] a read of MSR_UNC_PERF_GLOBAL_STATUS clears it",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_READ_KEEPS_STATUS)

FAULT(uncore_overflow_clears_en,
      .what = "[any client] an overflow clears EN of its counter",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_OVERFLOW_RUNS_ON)

FAULT(
    uncore_absent_box,
    .what = "[any client] registers of a C-Box exist beyond MSR_UNC_CBO_CONFIG",
    .caught = {"sandybridge on 1 uncore_cboxes OBSERVED",
               "ivybridge on 1 uncore_cboxes OBSERVED"},
    .breaks = UNCORE_ABSENT_REFUSED)

FAULT(uncore_freeze_clears_cores,
      .what = "[any client] a freeze clears the core select of "
              "MSR_UNC_PERF_GLOBAL_CTRL",
      .caught = {"haswell on 1 uncore_pmi FAIL"},
      .breaks = UNCORE_FREEZE_KEEPS_CORES)

FAULT(uncore_carry_lost_at_32,
      .what = "[any client] counters of boxes lose the carry from bit 31",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_CARRIES_32)

FAULT(offcore_lowest_request,
      .what = "[any with off-core] of several request bits of "
              "MSR_OFFCORE_RSP_x the lowest alone counts",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_ALL_REQUESTS)

FAULT(offcore_any_filters_snoop,
      .what = "[any with off-core] MSR_OFFCORE_RSP_x[37:31] choose although "
              "ANY is set",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_ANY_ALONE)

FAULT(offcore_dram_unknown,
      .what = "[2nd to 5th generation] reads that DRAM supplies are counted "
              "under NO_SUPP [17] of MSR_OFFCORE_RSP_x, not under LOCAL [22]",
      .caught = {"haswell on 1 offcore_counts FAIL",
                 "sandybridge on 1 offcore_counts FAIL"},
      .quantity = OFFCORE_SUPPLIER, .number = 1 << 22, .clear = 1 << 22,
      .set = 1 << 17)

FAULT(offcore_dram_modified,
      .what = "[any with off-core] reads that DRAM supplies are counted under "
              "HITM [36] of MSR_OFFCORE_RSP_x, too",
      .caught = {"haswell on 1 offcore_counts FAIL",
                 "icelake-server on 1 offcore_counts FAIL"},
      .quantity = OFFCORE_SNOOP, .number = ANY_NUMBER, .set = UINT64_C(1) << 36)

FAULT(offcore_reads_are_streaming,
      .what = "[6th to 10th generation] data reads are counted under STRM_ST "
              "[11] of MSR_OFFCORE_RSP_x, too",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"},
      .quantity = OFFCORE_REQUEST, .number = 1, .set = 1 << 11)

FAULT(offcore_reads_are_locks,
      .what = "[2nd and 3rd generation] data reads are counted under BUS_LOCKS "
              "[10] of MSR_OFFCORE_RSP_x, too",
      .caught = {"sandybridge on 1 offcore_counts FAIL"},
      .quantity = OFFCORE_REQUEST, .number = 1, .set = 1 << 10)

FAULT(offcore_rfo_any_supplier,
      .what = "[any with off-core] each of MSR_OFFCORE_RSP_x[30:17] counts "
              "every read for ownership",
      .caught = {"haswell on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_RFO_FROM_ONE)

FAULT(uncore_freeze_of_clock,
      .what = "[any client] FREEZE stops MSR_UNC_PERF_FIXED_CTR alone",
      .caught = {"haswell on 1 uncore_overflow FAIL",
                 "sandybridge on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_FREEZE_OF_ALL)

FAULT(uncore_cmask_greater,
      .what = "[any client] C-Boxes count cycles of more events than CMASK, "
              "not of as many",
      .caught = {"haswell on 1 uncore_selects FAIL"},
      .breaks = UNCORE_CMASK_EQUAL)

FAULT(uncore_snoops_miss,
      .what = "[any client] UNC_CBO_XSNP_RESPONSE.MISS counts each response",
      .caught = {"haswell off 2 uncore_snoops FAIL"},
      .quantity = SNOOP_RESPONSE, .number = ANY_NUMBER, .set = 1)
