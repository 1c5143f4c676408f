/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore.c - what goes wrong with off-core response and the uncore. */
#include "tests/silicon/model/hooks.h"

FAULT(offcore_ring3_stores_read,
      .what = "[4th to 11th generation] stores of ring 3 are data reads to "
              "off-core events",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL",
                 "haswell on 1 events_in_contexts FAIL"},
      .breaks = OFFCORE_RFO_IN_RING_3)

FAULT(offcore_tx_stores_read,
      .what = "[A B F; C with bit 2] stores of transactions are data reads to "
              "off-core events",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL"},
      .breaks = OFFCORE_RFO_IN_TX)

FAULT(offcore_nested_lost,
      .what = "[A B F; C with bit 2] off-core events count nothing in an inner "
              "transaction",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL",
                 "icelake-server on 1 events_in_contexts FAIL"},
      .breaks = OFFCORE_IN_NESTED)

FAULT(offcore_counts_cached,
      .what = "[any] off-core response counts reads that the core's own "
              "caches serve",
      .caught = {"haswell on 1 offcore_counts FAIL"})

FAULT(offcore_ignores_request,
      .what = "[any] MSR_OFFCORE_RSP_x[15:0] choose nothing: any of them "
              "counts every request",
      .caught = {"sandybridge on 1 offcore_counts FAIL"})

FAULT(offcore_ignores_supplier,
      .what = "[any] MSR_OFFCORE_RSP_x[30:17] choose nothing: any of them "
              "counts every supplier",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"})

FAULT(offcore_reserved_accepted,
      .what = "[any] reserved bits of MSR_OFFCORE_RSP_x do not raise #GP",
      .caught = {"haswell on 1 offcore_reserved FAIL"})

FAULT(offcore_rsp1_is_rsp0,
      .what = "[any] event BBH counts what MSR_OFFCORE_RSP_0 says",
      .caught = {"haswell on 1 offcore_counts FAIL"})

FAULT(uncore_clock_stands,
      .what = "[any client] the clock of the uncore stands still",
      .caught = {"haswell on 1 uncore_clock FAIL"})

FAULT(uncore_lookups_halved,
      .what = "[any client] C-Boxes count every second lookup",
      .caught = {"skylake-2018 on 1 uncore_cboxes FAIL"})

FAULT(uncore_lookups_double,
      .what = "[any client] C-Boxes count every lookup twice",
      .caught = {"haswell on 1 uncore_cboxes FAIL"})

FAULT(uncore_one_box,
      .what = "[any client] all lines are looked up in the first C-Box",
      .caught = {"skylake-2018 on 1 uncore_cboxes FAIL"})

FAULT(uncore_config_wrong, .what = "[any client] MSR_UNC_CBO_CONFIG is 0",
      .caught = {"haswell on 1 uncore_cboxes FAIL"})

FAULT(uncore_arb_silent, .what = "[any client] the ARB counts no requests",
      .caught = {"ivybridge on 1 uncore_arb FAIL"})

FAULT(uncore_occupancy_silent,
      .what = "[any client] the ARB counts no occupancy",
      .caught = {"haswell on 1 uncore_arb FAIL"})

FAULT(uncore_occupancy_of_requests,
      .what = "[any client] the ARB's occupancy is the number of requests",
      .caught = {"haswell on 1 uncore_arb FAIL"})

FAULT(uncore_reserved_accepted,
      .what = "[any client] reserved bits of the uncore's registers do not "
              "raise #GP; only OBSERVED, because no source says that they do",
      .caught = {"skylake-2018 on 1 uncore_reserved PASS"})

FAULT(uncore_pmi_missing,
      .what = "[any client] counters of the uncore send no interrupt; only "
              "OBSERVED, because Linux calls it broken on some",
      .caught = {"haswell on 1 uncore_pmi PASS"})

FAULT(uncore_freeze_ignored,
      .what = "[any client] the uncore goes on counting after its interrupt",
      .caught = {"sandybridge on 1 uncore_pmi FAIL"})

FAULT(uncore_status_missing,
      .what = "[any client] MSR_UNC_PERF_GLOBAL_STATUS stays 0",
      .caught = {"haswell on 1 uncore_pmi FAIL"})

uint64_t faults_offcore_request(const struct processor *p, uint64_t request,
                                uint64_t all)
{
    return has_fault(p, FAULT_offcore_ignores_request) ? all : request;
}

uint64_t faults_offcore_supplier(const struct processor *p, uint64_t supplier)
{
    return has_fault(p, FAULT_offcore_ignores_supplier) ? ~UINT64_C(0)
                                                        : supplier;
}

uint32_t faults_offcore_register(const struct processor *p, uint32_t number)
{
    return has_fault(p, FAULT_offcore_rsp1_is_rsp0) ? MSR_OFFCORE_RSP_0
                                                    : number;
}

bool faults_count_cached(const struct processor *p)
{
    return has_fault(p, FAULT_offcore_counts_cached);
}

bool faults_accept_offcore(const struct processor *p)
{
    return has_fault(p, FAULT_offcore_reserved_accepted);
}

bool faults_hide_uncore_status(const struct machine *m)
{
    return fault_is(m, FAULT_uncore_status_missing);
}

bool faults_hide_uncore_pmi(const struct machine *m)
{
    return fault_is(m, FAULT_uncore_pmi_missing);
}

bool faults_uncore_runs_on(const struct machine *m)
{
    return fault_is(m, FAULT_uncore_freeze_ignored);
}

bool faults_uncore_clock_stands(const struct machine *m)
{
    return fault_is(m, FAULT_uncore_clock_stands);
}

unsigned faults_box(const struct machine *m, unsigned box)
{
    return fault_is(m, FAULT_uncore_one_box) ? 0 : box;
}

unsigned faults_lookup_weight(const struct machine *m)
{
    if (fault_is(m, FAULT_uncore_lookups_halved))
        return m->uncore.lookups % 2;
    return fault_is(m, FAULT_uncore_lookups_double) ? 2 : 1;
}

uint64_t faults_arb_requests(const struct machine *m, uint64_t requests)
{
    return fault_is(m, FAULT_uncore_arb_silent) ? 0 : requests;
}

uint64_t faults_arb_occupancy(const struct machine *m, uint64_t cycles)
{
    if (fault_is(m, FAULT_uncore_occupancy_silent))
        return 0;
    return fault_is(m, FAULT_uncore_occupancy_of_requests) ? 1 : cycles;
}

uint64_t faults_uncore_config(const struct machine *m, uint64_t config)
{
    return fault_is(m, FAULT_uncore_config_wrong) ? 0 : config;
}

bool faults_accept_uncore(const struct machine *m)
{
    return fault_is(m, FAULT_uncore_reserved_accepted);
}

FAULT(offcore_requests_of_both,
      .what = "[4th to 11th generation] events B7H and BBH count what either "
              "of MSR_OFFCORE_RSP_0 and _1 requests",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL",
                 "haswell on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_OWN_REQUESTS)

FAULT(offcore_response_of_other,
      .what = "[4th to 11th generation] where one of MSR_OFFCORE_RSP_0 and _1 "
              "has no response, that of the other is taken",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL",
                 "haswell on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_OWN_RESPONSE)

FAULT(uncore_arb_select_clears,
      .what = "[any client] 0 written to MSR_UNC_ARB_PERFEVTSEL1 sets its "
              "counter to 0",
      .caught = {"skylake-2018 on 1 uncore_overflow FAIL"},
      .breaks = ARB_SELECT_KEEPS_COUNTER)

FAULT(uncore_fixed_ctrl_clears_status,
      .what = "[any client] a write of MSR_UNC_PERF_FIXED_CTRL clears the bit "
              "of the fixed counter in the status",
      .caught = {"skylake-2018 on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_CTRL_KEEPS_STATUS)
