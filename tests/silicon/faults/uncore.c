/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore.c - what goes wrong with off-core response and the uncore. */
#include "tests/silicon/faults/hooks.h"

FAULT(offcore_counts_cached,
      .what = "[any] off-core response counts reads that the core's own "
              "caches serve",
      .caught = { "haswell on 1 offcore_counts FAIL" })

FAULT(offcore_ignores_request,
      .what = "[any] MSR_OFFCORE_RSP_x[15:0] choose nothing: any of them "
              "counts every request",
      .caught = { "sandybridge on 1 offcore_counts FAIL" })

FAULT(offcore_ignores_supplier,
      .what = "[any] MSR_OFFCORE_RSP_x[30:17] choose nothing: any of them "
              "counts every supplier",
      .caught = { "skylake-2018 on 1 offcore_counts FAIL" })

FAULT(offcore_reserved_accepted,
      .what = "[any] reserved bits of MSR_OFFCORE_RSP_x do not raise #GP",
      .caught = { "haswell on 1 offcore_reserved FAIL" })

FAULT(offcore_rsp1_is_rsp0,
      .what = "[any] event BBH counts what MSR_OFFCORE_RSP_0 says",
      .caught = { "haswell on 1 offcore_counts FAIL" })

FAULT(uncore_clock_stands,
      .what = "[any client] the clock of the uncore stands still",
      .caught = { "haswell on 1 uncore_clock FAIL" })

FAULT(uncore_lookups_halved,
      .what = "[any client] C-Boxes count every second lookup",
      .caught = { "skylake-2018 on 1 uncore_cboxes FAIL" })

FAULT(uncore_lookups_double,
      .what = "[any client] C-Boxes count every lookup twice",
      .caught = { "haswell on 1 uncore_cboxes FAIL" })

FAULT(uncore_one_box,
      .what = "[any client] all lines are looked up in the first C-Box",
      .caught = { "skylake-2018 on 1 uncore_cboxes FAIL" })

FAULT(uncore_config_wrong,
      .what = "[any client] MSR_UNC_CBO_CONFIG is 0",
      .caught = { "haswell on 1 uncore_cboxes FAIL" })

FAULT(uncore_arb_silent,
      .what = "[any client] the ARB counts no requests",
      .caught = { "ivybridge on 1 uncore_arb FAIL" })

FAULT(uncore_occupancy_silent,
      .what = "[any client] the ARB counts no occupancy",
      .caught = { "haswell on 1 uncore_arb FAIL" })

FAULT(uncore_occupancy_of_requests,
      .what = "[any client] the ARB's occupancy is the number of requests",
      .caught = { "haswell on 1 uncore_arb FAIL" })

FAULT(uncore_reserved_accepted,
      .what = "[any client] reserved bits of the uncore's registers do not "
              "raise #GP",
      .caught = { "skylake-2018 on 1 uncore_reserved FAIL" })

FAULT(uncore_pmi_missing,
      .what = "[any client] counters of the uncore send no interrupt",
      .caught = { "haswell on 1 uncore_pmi FAIL" })

FAULT(uncore_freeze_ignored,
      .what = "[any client] the uncore goes on counting after its interrupt",
      .caught = { "sandybridge on 1 uncore_pmi FAIL" })

FAULT(uncore_status_missing,
      .what = "[any client] MSR_UNC_PERF_GLOBAL_STATUS stays 0",
      .caught = { "haswell on 1 uncore_pmi FAIL" })
