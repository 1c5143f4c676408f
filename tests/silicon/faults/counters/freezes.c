/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * freezes.c - what goes wrong with what an interrupt of the counters waits for,
 * and with what it freezes.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"

FAULT(ring3_nmi_lost,
      .what = "[any] the NMI of an overflow at ring 3 does not come",
      .caught = {"skylake-2018 on 1 pmi_in_contexts FAIL",
                 "sandybridge on 1 pmi_in_contexts FAIL"},
      .breaks = NMI_RING_3)

FAULT(ring3_fixed_2_silent,
      .what = "[any] an overflow of fixed counter 2 at ring 3 makes no "
              "interrupt",
      .caught = {"skylake-2018 on 1 pmi_in_contexts FAIL"},
      .breaks = FIXED_2_PMI_RING_3)

FAULT(
    freeze_of_core,
    .what = "[any] an interrupt freezes the counters of both threads of a core",
    .caught = {"skylake-2018 on 2 counter_thread_scope FAIL",
               "haswell on 2 counter_thread_scope FAIL"},
    .breaks = FREEZE_OF_THREAD)

FAULT(frozen_slots_count,
      .what = "[perfmon version 5] IA32_FIXED_CTR3 counts while CTR_Frz is 1",
      .caught = {"icelake-server on 1 perf_metrics FAIL",
                 "icelake-server on 1 freeze_on_pmi FAIL"},
      .quantity = COUNTERS_FROZEN, .number = ANY_NUMBER, .clear = BIT(35))

FAULT(frozen_metrics_count,
      .what = "[perfmon version 5] IA32_PERF_METRICS counts while CTR_Frz is 1",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .breaks = FREEZE_HAS_METRICS)

FAULT(pmi_outranks_cr8,
      .what = "[any] a performance monitoring interrupt does not wait for CR8",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL",
                 "haswell on 1 counter_pmi FAIL"},
      .breaks = PMI_HAS_PRIORITY)

FAULT(freezes_once,
      .what = "[any] FREEZE_PERFMON_ON_PMI freezes at one interrupt, until "
              "IA32_DEBUGCTL is written again",
      .caught = {"haswell on 1 freeze_on_pmi FAIL",
                 "skylake-2018 on 1 freeze_on_pmi FAIL"},
      .breaks = FREEZES_AGAIN)

FAULT(lbr_frozen_one_late,
      .what = "[any with perfmon 4] one more record is made after the overflow "
              "that is to freeze them",
      .caught = {"sapphirerapids on 1 lbr_freeze_on_pmi FAIL",
                 "skylake-2018 on 1 lbr_freeze_on_pebs FAIL"},
      .quantity = LBR_LATE, .number = ANY_NUMBER, .add = 1)

FAULT(frozen_fixed_rdpmc_zero,
      .what = "[any with perfmon 4] RDPMC of a fixed counter gives 0 while "
              "CTR_Frz is 1",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"},
      .breaks = RDPMC_FIXED_FROZEN)

FAULT(overflowed_rdpmc_stays,
      .what = "[any] RDPMC of a counter gives its largest value while its bit "
              "of GLOBAL_STATUS is 1",
      .caught = {"skylake-2018 on 1 rdpmc_indices FAIL",
                 "haswell on 1 rdpmc_indices FAIL"},
      .breaks = RDPMC_OVERFLOWED)

FAULT(overflowed_fixed_rdpmc_zero,
      .what = "[any] RDPMC of a fixed counter gives 0 while its bit of "
              "GLOBAL_STATUS is 1",
      .caught = {"skylake-2018 on 1 rdpmc_indices FAIL",
                 "icelake-server on 1 rdpmc_indices FAIL"},
      .breaks = RDPMC_FIXED_OVERFLOWED)

FAULT(user_alone_no_pmi,
      .what = "[any] a counter with USR = 1 and OS = 0 does not interrupt",
      .caught = {"skylake-2018 on 1 pmi_in_contexts FAIL",
                 "sandybridge on 1 pmi_in_contexts FAIL"},
      .breaks = PMI_OF_USER_ALONE)

FAULT(fixed_user_alone_no_pmi,
      .what = "[any] a fixed counter whose field of 38DH has USR alone does "
              "not interrupt",
      .caught = {"skylake-2018 on 1 pmi_in_contexts FAIL",
                 "haswell on 1 pmi_in_contexts FAIL"},
      .breaks = FIXED_PMI_OF_USER_ALONE)

FAULT(running_int_late,
      .what = "[any] PERFEVTSELn.INT keeps its value while its counter counts",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL",
                 "sandybridge on 1 counter_pmi FAIL"},
      .breaks = INT_AT_ONCE)

FAULT(running_fixed_pmi_late,
      .what = "[any] the PMI bits of 38DH keep their values while counters "
              "count",
      .caught = {"skylake-2018 on 1 counter_pmi FAIL",
                 "icelake-server on 1 counter_pmi FAIL"},
      .breaks = FIXED_PMI_AT_ONCE)

FAULT(fixed_1_stops_recorded,
      .what = "[any] IA32_FIXED_CTR1 stands still while branches are recorded",
      .caught = {"skylake-2018 on 1 lbr_stack FAIL",
                 "sandybridge on 1 lbr_stack FAIL",
                 "sapphirerapids on 1 lbr_stack FAIL"},
      .breaks = FIXED_1_BESIDE_LBRS)

FAULT(fixed_2_stops_traced,
      .what = "[any with Processor Trace] IA32_FIXED_CTR2 stands still while "
              "TraceEn is 1",
      .caught = {"skylake-2018 on 1 pt_pmi_freezes FAIL",
                 "icelake-client on 1 pt_pmi_freezes FAIL"},
      .breaks = FIXED_2_TRACED)

FAULT(record_of_2_lost_traced,
      .what = "[any with Processor Trace] IA32_PMC2 makes no record while "
              "TraceEn is 1",
      .caught = {"skylake-2018 on 1 pt_while_sampling FAIL",
                 "icelake-server on 1 pt_while_sampling FAIL"},
      .breaks = RECORD_OF_2_TRACED)

FAULT(reset_of_both_freezes_one,
      .what = "[any with perfmon 4] a write to 390H with [59] and [58] does "
              "not clear LBR_Frz",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pmi FAIL",
                 "sapphirerapids on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = RESET_CLEARS_BOTH_FRZ)

FAULT(lbr_tx_pmi_freezes_not,
      .what = "[A B F; C with bit 2] a PMI in a transaction does not stop the "
              "records of branches",
      .caught = {"skylake-2017 on 1 lbr_freeze_on_pmi FAIL",
                 "haswell on 1 lbr_freeze_on_pmi FAIL",
                 "sapphirerapids on 1 lbr_freeze_on_pmi FAIL"},
      .breaks = LBR_FROZEN_IN_TX)
