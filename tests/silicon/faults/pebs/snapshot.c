/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshot.c - what goes wrong with the group of counters of adaptive records.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"

FAULT(snapshot_no_counters, .what = "[PEBS format 6] 3F2H[4] is ignored",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(4))

FAULT(snapshot_no_metrics, .what = "[PEBS format 6] 3F2H[5] is ignored",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(5))

FAULT(snapshot_without_9,
      .what = "[PEBS format 6] IA32_PMC9 is in no record, whatever 3F2H[41]",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(41))

FAULT(snapshot_without_slots,
      .what = "[PEBS format 6] IA32_FIXED_CTR3 is in no record, whatever "
              "3F2H[51]",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_GROUPS, .number = ANY_NUMBER, .clear = BIT(51))

FAULT(snapshot_header_zero,
      .what = "[PEBS format 6] the header of the counters has no sets",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(5, 0x00),
      .clear = UINT64_MAX)

FAULT(snapshot_metrics_unsaid,
      .what = "[PEBS format 6] the header of the counters says nothing of "
              "metrics",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(5, 0x08),
      .clear = UINT64_MAX)

FAULT(snapshot_first_zero,
      .what = "[PEBS format 6] the first counter of a record is 0",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(5, 0x10),
      .clear = UINT64_MAX)

FAULT(snapshot_ninth_of_another,
      .what = "[PEBS format 6] the ninth counter of a record has the value of "
              "another",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .quantity = ADAPTIVE_WORD, .number = ADAPTIVE_AT(5, 0x50),
      .add = UINT64_C(1) << 20)

FAULT(snapshot_of_the_last,
      .what = "[PEBS format 6] general-purpose counters are those of the "
              "record before",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .breaks = SNAPSHOT_NOW)

FAULT(snapshot_metrics_before_base,
      .what = "[PEBS format 6] metrics are in front of their base",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .breaks = SNAPSHOT_BASE_FIRST)

FAULT(data_cfg_drops_41, .what = "[PEBS format 6] 3F2H[41] stays 0",
      .caught = {"arrowlake on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F2, .clear = BIT(41))

FAULT(data_cfg_drops_51, .what = "[PEBS format 6] 3F2H[51] stays 0",
      .caught = {"arrowlake on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F2, .clear = BIT(51))

FAULT(data_cfg_drops_5, .what = "[PEBS format 6] 3F2H[5] stays 0",
      .caught = {"arrowlake on 1 pebs_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F2, .clear = BIT(5))

FAULT(extended_enable_drops_9, .what = "[ten counters] 3F1H[9] stays 0",
      .caught = {"arrowlake on 1 pebs_registers FAIL",
                 "arrowlake on 1 pebs_applicable_counter FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x3F1, .clear = BIT(9))

FAULT(snapshot_fixed_1_is_0,
      .what = "[PEBS format 6] IA32_FIXED_CTR1 of a record is that of "
              "IA32_FIXED_CTR0",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .breaks = SNAPSHOT_FIXED_OWN)

FAULT(retire_latency_ring3_full,
      .what = "[Retire Latency] it is FFFFH in a record of ring 3",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .breaks = RETIRE_LATENCY_RING_3)

FAULT(adaptive_info_of_next,
      .what = "[adaptive] INFO of an entry of the LBR group is that of the "
              "entry after it",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "sapphirerapids on 1 pebs_adaptive_groups FAIL"},
      .breaks = LBRS_HAVE_OWN_INFO)
