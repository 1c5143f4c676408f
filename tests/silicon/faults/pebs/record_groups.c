/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_groups.c - what goes wrong with a group of adaptive records where
 * another is asked for too, or on one occasion: pebs_rules.inc.
 */
#include "tests/silicon/model/fault.h"

FAULT(adaptive_info_beside_lbrs,
      .what = "[adaptive records] TSX information is 0 where 3F2H asks for LBR "
              "entries too",
      .caught = {"icelake-server on 1 pebs_tx_abort FAIL"},
      .breaks = INFO_BESIDE_LBRS)

FAULT(adaptive_latency_beside_lbrs,
      .what = "[adaptive records] the latency is 0 where 3F2H asks for LBR "
              "entries too",
      .caught = {"icelake-server on 1 load_latency_threshold FAIL",
                 "alderlake on 1 load_latency_threshold FAIL"},
      .breaks = LATENCY_BESIDE_LBRS)

FAULT(adaptive_address_beside_xmm,
      .what = "[adaptive records] the address is 0 where 3F2H asks for XMM "
              "registers too",
      .caught = {"icelake-server on 1 data_address FAIL",
                 "sapphirerapids on 1 load_latency_address FAIL"},
      .breaks = ADDRESS_BESIDE_XMM)

FAULT(adaptive_source_beside_xmm,
      .what = "[adaptive records] the data source is 0 where 3F2H asks for XMM "
              "registers too",
      .caught = {"icelake-server on 1 load_latency_source FAIL"},
      .breaks = SOURCE_BESIDE_XMM)

FAULT(adaptive_ring3_lbr_types,
      .what = "[architectural LBRs] BR_TYPE is 0 in the LBR group of records "
              "of ring 3",
      .caught = {"sapphirerapids on 1 pebs_adaptive_lbrs FAIL",
                 "alderlake on 1 pebs_adaptive_lbrs FAIL"},
      .breaks = LBR_TYPES_IN_RING_3)

FAULT(adaptive_ring3_lbr_cycles,
      .what = "[adaptive records] cycles are 0 in the LBR group of records of "
              "ring 3",
      .caught = {"icelake-server on 1 pebs_adaptive_lbrs FAIL"},
      .breaks = LBR_CYCLES_OF_RING_3)

FAULT(adaptive_lbrs_without_far,
      .what = "[architectural LBRs] entries of far branches are 0 in the LBR "
              "group",
      .caught = {"sapphirerapids on 1 pebs_adaptive_lbrs FAIL"},
      .breaks = LBR_GROUP_HAS_FAR)

FAULT(adaptive_lbrs_without_abort,
      .what = "[adaptive records with RTM] TSX_ABORT is 0 in the LBR group",
      .caught = {"icelake-server on 1 pebs_adaptive_lbrs FAIL",
                 "sapphirerapids on 1 pebs_adaptive_lbrs FAIL"},
      .breaks = LBR_GROUP_HAS_ABORT)

FAULT(adaptive_lbrs_without_in_tx,
      .what = "[adaptive records with RTM] IN_TSX is 0 in the LBR group",
      .caught = {"icelake-server on 1 pebs_adaptive_lbrs FAIL"},
      .breaks = LBR_GROUP_HAS_IN_TX)

FAULT(snapshot_32_bits,
      .what = "[PEBS format 6] a counter of a record has [47:32] = 0",
      .caught = {"arrowlake on 1 pebs_adaptive_groups FAIL"},
      .breaks = SNAPSHOT_WHOLE)

FAULT(pebs_pop_before,
      .what = "[any with data addresses] the register that POP loads is that "
              "before it in its record",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL",
                 "haswell on 1 pebs_in_contexts FAIL",
                 "sapphirerapids on 1 pebs_in_contexts FAIL"},
      .breaks = POP_STATE_AFTER)

FAULT(pebs_reset_of_first,
      .what = "[any] counters that overflow together are reloaded from the "
              "reset value of the first of them",
      .caught = {"skylake-2018 on 1 pebs_applicable_counter FAIL",
                 "haswell on 1 pebs_applicable_counter FAIL",
                 "sandybridge on 1 pebs_applicable_counter FAIL",
                 "icelake-server on 1 pebs_applicable_counter FAIL"},
      .breaks = RESETS_THEIR_OWN)

FAULT(adaptive_of_any_counter,
      .what = "[adaptive records] a record has its groups where any counter "
              "with its bit in 3F1H has Adaptive_Record = 1",
      .caught = {"icelake-server on 1 pebs_adaptive_groups FAIL",
                 "sapphirerapids on 1 pebs_adaptive_groups FAIL"},
      .breaks = ADAPTIVE_OF_ITS_COUNTER)

FAULT(access_names_no_counter,
      .what = "[format 3] 90H is 0 in a record with a data address",
      .caught = {"skylake-2018 on 1 load_latency_address FAIL",
                 "skylake-2018 on 1 data_address FAIL",
                 "icelake-server on 1 load_latency_address FAIL"},
      .breaks = ACCESS_NAMES_COUNTER)

FAULT(access_has_no_time,
      .what = "[format 3] C0H is 0 in a record with a data address",
      .caught = {"skylake-2018 on 1 load_latency_address FAIL",
                 "skylake-2018 on 1 data_address FAIL",
                 "icelake-server on 1 load_latency_address FAIL"},
      .breaks = ACCESS_HAS_TSC)

FAULT(inst_names_no_counter,
      .what = "[format 3] 90H is 0 in a record of INST_RETIRED",
      .caught = {"skylake-2018 on 1 pdir_skid FAIL"},
      .breaks = INST_NAMES_COUNTER)

FAULT(inst_has_no_time,
      .what = "[format 3] C0H is 0 in a record of INST_RETIRED",
      .caught = {"skylake-2018 on 1 pdir_skid FAIL"}, .breaks = INST_HAS_TSC)

/* --- Where the buffer is -------------------------------------------------- */

FAULT(pebs_record_by_quadword,
      .what = "[any] a record begins at a multiple of 8, wherever the buffer "
              "does",
      .caught = {"skylake-2017 on 1 pebs_buffer_bounds FAIL",
                 "icelake-server on 1 pebs_buffer_bounds FAIL",
                 "sandybridge on 1 pebs_buffer_bounds FAIL"},
      .breaks = RECORD_BY_DOUBLEWORD)

FAULT(pebs_rflags_nt_lost, .what = "[any] RFLAGS.NT of a record is 0",
      .caught = {"skylake-2018 on 1 pebs_record_layout FAIL",
                 "icelake-server on 1 pebs_record_layout FAIL"},
      .quantity = RECORD_WORD, .number = 0x00, .clear = 1 << 14)

FAULT(ld_lat_clears_ll_en,
      .what = "[PEBS] a write of MSR_PEBS_LD_LAT clears 3F1H[35:32]",
      .caught = {"skylake-2018 on 1 pebs_registers_apart FAIL",
                 "sandybridge on 1 pebs_registers_apart FAIL"},
      .breaks = LD_LAT_KEEPS_ENABLE)
