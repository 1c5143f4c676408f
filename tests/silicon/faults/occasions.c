/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * occasions.c - what goes wrong on one occasion alone: on one counter, at one
 * ring, at one place, beside another feature.
 */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/pebs_hooks.h"

FAULT(pebs_r10_r11_of_counter_2,
      .what = "[any] 60H and 68H, R10 and R11, are exchanged in records of "
              "IA32_PMC2",
      .caught = {"skylake-2018 on 1 pebs_reload FAIL",
                 "haswell on 1 pebs_reload FAIL"})

FAULT(pebs_rip_page_start,
      .what = "[any] RIP of a record is one less where it is the first byte "
              "of a page",
      .caught = {"skylake-2018 on 1 pebs_eventing_ip FAIL",
                 "sandybridge on 1 pebs_eventing_ip FAIL"})

FAULT(pebs_eventing_ip_page_start,
      .what = "[format 2, 3] EventingIP of a record is one less where it is "
              "the first byte of a page",
      .caught = {"skylake-2018 on 1 pebs_eventing_ip FAIL"})

FAULT(pebs_ring3_eventing_ip,
      .what = "[format 2, 3] EventingIP of a record of ring 3 is RIP",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL"})

FAULT(pebs_ring3_rsp_zero, .what = "[any] 48H, RSP, is 0 at ring 3",
      .caught = {"skylake-2018 on 1 pebs_ring3 FAIL",
                 "sandybridge on 1 pebs_ring3 FAIL"})

FAULT(info_cycles_of_aborts,
      .what = "[any with RTM] Cycles_Last_TX is of the last abort after a "
              "commit",
      .caught = {"skylake-2017 on 1 pebs_tx_cycles FAIL"},
      .breaks = COMMIT_SETS_CYCLES)

FAULT(offcore_any_needs_snoop,
      .what = "[client] ANY of MSR_OFFCORE_RSP_x is ignored where a supplier "
              "is set",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"})

FAULT(offcore_one_of_both,
      .what = "[client] event BBH misses a request that B7H has counted",
      .caught = {"skylake-2018 on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_BOTH_COUNT)

FAULT(offcore_two_requests_twice,
      .what = "[client] with data reads and reads for ownership both set "
              "each counts twice",
      .caught = {"sandybridge on 1 offcore_counts FAIL"},
      .breaks = OFFCORE_COUNTS_ONCE)

FAULT(uncore_status_first_alone,
      .what = "[client] an overflow sets no bit of "
              "MSR_UNC_PERF_GLOBAL_STATUS beside another",
      .caught = {"skylake-2018 on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_STATUS_ADDS)

FAULT(uncore_freeze_clears_fixed,
      .what = "[client] a freeze of the uncore sets MSR_UNC_PERF_FIXED_CTR "
              "to 0",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_FREEZE_KEEPS_FIXED)

FAULT(uncore_freeze_clears_pair,
      .what = "[client] a freeze of the uncore sets the other counter of the "
              "unit to 0",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_FREEZE_KEEPS_PAIR)

static bool starts_page(uint64_t address)
{
    return (address & BITS(11, 0)) == 0;
}

void faults_pebs_occasion(const struct processor *p, uint64_t counters,
                          uint64_t *words)
{
    const uint64_t r10 = words[PEBS_R10];

    switch (p->machine->fault) {
    case FAULT_pebs_r10_r11_of_counter_2:
        if (counters == BIT(2)) {
            words[PEBS_R10] = words[PEBS_R11];
            words[PEBS_R11] = r10;
        }
        break;
    case FAULT_pebs_rip_page_start:
        words[PEBS_RIP] -= starts_page(words[PEBS_RIP]);
        break;
    case FAULT_pebs_eventing_ip_page_start:
        words[WORD_EVENTING_IP] -= starts_page(words[WORD_EVENTING_IP]);
        break;
    case FAULT_pebs_ring3_eventing_ip:
        if (p->faults.of_user)
            words[WORD_EVENTING_IP] = words[PEBS_RIP];
        break;
    case FAULT_pebs_ring3_rsp_zero:
        if (p->faults.of_user)
            words[PEBS_RSP] = 0;
        break;
    default:
        break;
    }
}
