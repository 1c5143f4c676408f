/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * version5.c - what goes wrong with what performance monitoring version 5 and
 * IA32_PERF_METRICS add.
 */
#include "tests/silicon/model/fault.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/metrics.h"

FAULT(
    version5_three_fixed,
    .what = "[perfmon version 5] CPUID 0AH has EDX[4:0] = 3 and 30CH is there",
    .caught = {"icelake-server on 1 counter_enumeration FAIL"},
    .quantity = OF_EDX, .number = 0x0A, .add = (uint64_t)(-1))

FAULT(version5_ctrl_drops_35,
      .what = "[perfmon version 5] GLOBAL_CTRL[35] stays 0",
      .caught = {"icelake-server on 1 perf_metrics FAIL",
                 "icelake-server on 1 counter_registers FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38F, .clear = BIT(35))

FAULT(version5_ctrl_drops_48,
      .what = "[perfmon version 5] GLOBAL_CTRL[48] stays 0",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38F, .clear = BIT(48))

FAULT(version5_fixed_ctrl_drops_pmi_3,
      .what = "[perfmon version 5] IA32_FIXED_CTR_CTRL[15] stays 0",
      .caught = {"icelake-server on 1 counter_registers FAIL",
                 "icelake-server on 1 counter_pmi FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38D, .clear = BIT(15))

FAULT(version5_fixed_ctrl_drops_usr_3,
      .what = "[perfmon version 5] IA32_FIXED_CTR_CTRL[13] stays 0",
      .caught = {"icelake-server on 1 perf_metrics FAIL",
                 "icelake-server on 1 counter_enumeration FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x38D, .clear = BIT(13))

FAULT(version5_status_misses_35,
      .what = "[perfmon version 5] GLOBAL_STATUS[35] reads 0",
      .caught = {"icelake-server on 1 counter_pmi FAIL",
                 "icelake-server on 1 counter_overflow_bits FAIL"},
      .quantity = OF_MSR_READ, .number = 0x38E, .clear = BIT(35))

FAULT(version5_fixed_3_absent, .what = "[perfmon version 5] 30CH raises #GP",
      .caught = {"icelake-server on 1 perf_metrics FAIL",
                 "icelake-server on 1 counter_enumeration FAIL"},
      .quantity = OF_MSR_REFUSED, .number = 0x30C)

FAULT(version5_slots_off,
      .what = "[perfmon version 5] fixed counter 3 counts one slot less",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .quantity = FIXED_COUNTED, .number = 3, .add = (uint64_t)(-1))

FAULT(version5_slots_event_off,
      .what = "[perfmon version 5] event A4H/01H counts one slot more",
      .caught = {"icelake-server on 1 perf_metrics FAIL"}, .quantity = COUNTED,
      .number = 0x01A4, .add = 1)

FAULT(version5_pmc7_drops_low,
      .what = "[perfmon version 5] a write of IA32_A_PMC7 loses bit 0",
      .caught = {"icelake-server on 1 counter_carry FAIL",
                 "icelake-server on 1 counter3_full_width_alias FAIL"},
      .quantity = OF_MSR_WRITTEN, .number = 0x4C8, .clear = 1)

FAULT(version5_pmc5_refused, .what = "[perfmon version 5] C6H raises #GP",
      .caught = {"icelake-server on 1 perf_metrics FAIL",
                 "icelake-server on 1 counter_enumeration FAIL"},
      .quantity = OF_MSR_REFUSED, .number = 0xC6)

FAULT(
    metrics_sum_short,
    .what = "[perfmon version 5] IA32_PERF_METRICS has no backend bound slots",
    .caught = {"icelake-server on 1 perf_metrics FAIL"},
    .quantity = METRICS_READ, .number = ANY_NUMBER, .clear = BITS(31, 24))

FAULT(metrics_retiring_zero,
      .what = "[perfmon version 5] IA32_PERF_METRICS has no retiring slots",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = ANY_NUMBER, .clear = BITS(7, 0))

FAULT(metrics_always,
      .what =
          "[perfmon version 5] IA32_PERF_METRICS counts with 38FH[48] = 0, too",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .breaks = METRICS_NEED_ENABLE)

FAULT(
    metrics_speculation_zero,
    .what =
        "[perfmon version 5] IA32_PERF_METRICS has no slots of bad speculation",
    .caught = {"icelake-server on 1 perf_metrics FAIL"},
    .quantity = METRICS_READ, .number = ANY_NUMBER, .clear = BITS(15, 8))

FAULT(
    metrics_frontend_zero,
    .what = "[perfmon version 5] IA32_PERF_METRICS has no frontend bound slots",
    .caught = {"icelake-server on 1 perf_metrics FAIL"},
    .quantity = METRICS_READ, .number = ANY_NUMBER, .clear = BITS(23, 16))

FAULT(metrics_mispredicts_zero,
      .what = "[two levels of metrics] IA32_PERF_METRICS has no slots of "
              "branch mispredicts",
      .caught = {"sapphirerapids on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = ANY_NUMBER, .clear = BITS(47, 40))

FAULT(metrics_fetch_latency_zero,
      .what = "[two levels of metrics] IA32_PERF_METRICS has no slots of fetch "
              "latency",
      .caught = {"sapphirerapids on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = ANY_NUMBER, .clear = BITS(55, 48))

FAULT(metrics_memory_bound_zero,
      .what =
          "[two levels of metrics] IA32_PERF_METRICS has no memory bound slots",
      .caught = {"sapphirerapids on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = ANY_NUMBER, .clear = BITS(63, 56))

FAULT(metrics_part_too_large,
      .what = "[two levels of metrics] heavy operations are more than retiring",
      .caught = {"sapphirerapids on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = ANY_NUMBER, .set = BITS(39, 32))

FAULT(metrics_without_slots,
      .what =
          "[perfmon version 5] IA32_PERF_METRICS counts with 38FH[35] = 0, too",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .breaks = METRICS_NEED_SLOTS)

FAULT(metrics_ring_3_lost,
      .what = "[perfmon version 5] IA32_PERF_METRICS does not count at ring 3",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .quantity = METRICS_COUNTED, .number = 1, .clear = 1)

FAULT(metrics_cleared_by_rdmsr,
      .what = "[perfmon version 5] RDMSR of IA32_PERF_METRICS clears it",
      .caught = {"icelake-server on 1 perf_metrics FAIL",
                 "sapphirerapids on 1 perf_metrics FAIL"},
      .breaks = METRICS_KEPT_BY_RDMSR)

FAULT(metrics_cleared_by_rdpmc,
      .what = "[perfmon version 5] RDPMC of IA32_PERF_METRICS clears it",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .breaks = METRICS_KEPT_BY_RDPMC)

FAULT(metrics_zero_while_counting,
      .what = "[perfmon version 5] IA32_PERF_METRICS reads 0 while it counts",
      .caught = {"icelake-server on 1 perf_metrics FAIL",
                 "sapphirerapids on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = METRICS_LIVE, .clear = UINT64_MAX)

FAULT(metrics_zero_by_rdpmc_while_counting,
      .what = "[perfmon version 5] RDPMC of IA32_PERF_METRICS gives 0 while it "
              "counts",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = METRICS_LIVE_RDPMC,
      .clear = UINT64_MAX)

FAULT(metrics_retiring_only_while_counting,
      .what = "[perfmon version 5] IA32_PERF_METRICS has retiring slots alone "
              "while it counts",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = METRICS_LIVE, .clear = BITS(31, 8))

FAULT(metrics_lost_by_field,
      .what = "[perfmon version 5] IA32_PERF_METRICS reads 0 once 38DH[13:12] "
              "stops it",
      .caught = {"icelake-server on 1 perf_metrics FAIL"},
      .quantity = METRICS_READ, .number = METRICS_HELD, .clear = UINT64_MAX)

FAULT(reset_misses_metrics,
      .what = "[perfmon version 5] MSR 390H does not clear OVF_PERF_METRICS",
      .caught = {"icelake-server on 1 global_status_set FAIL",
                 "sapphirerapids on 1 global_status_set FAIL"},
      .quantity = STATUS_RESET, .number = ANY_NUMBER, .clear = BIT(48))
