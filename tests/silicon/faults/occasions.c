/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * occasions.c - what goes wrong on one occasion alone: on one counter, at one
 * ring, at one place, beside another feature.
 */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/pebs/pebs_hooks.h"

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

FAULT(offcore_of_core,
      .what = "[client, SMT] off-core responses of the other thread count, too",
      .caught = {"skylake-2018 on 2 offcore_counts FAIL"},
      .breaks = OFFCORE_OF_THREAD)

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

FAULT(instructions_long_twice,
      .what = "[any] an instruction of 10 bytes or more counts twice",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = LONG_COUNTS_ONCE)

FAULT(instructions_on_pages_twice,
      .what = "[any] an instruction on two pages counts twice",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = PAGES_COUNT_ONCE)

FAULT(calls_indirect_missing,
      .what = "[any] an indirect CALL does not count as a call",
      .caught = {"skylake-2018 on 1 branch_kinds FAIL"},
      .breaks = INDIRECT_CALL_IS_CALL)

FAULT(wide_1_reads_32_bits,
      .what = "[any with full-width writes] 4C2H reads 32 bits of IA32_PMC1",
      .caught = {"skylake-2018 on 1 counter_registers FAIL"},
      .quantity = OF_MSR_READ, .number = 0x4C2,
      .clear = UINT64_C(0xFFFFFFFF) << 32)

FAULT(reset_beside_keeps_frozen,
      .what = "[any with perfmon 4] 390H does not clear CTR_Frz where it "
              "clears another bit, too",
      .caught = {"skylake-2018 on 1 freeze_on_pmi FAIL"})

FAULT(rtm_commit_misses_64th,
      .what = "[A B F; C with bit 2] RTM_RETIRED.COMMIT misses every 64th",
      .caught = {"skylake-2018 on 1 tsx_retired_events FAIL"},
      .breaks = EVERY_COMMIT_COUNTS)

FAULT(rtm_ring3_counts_os,
      .what = "[A B F; C with bit 2] RTM_RETIRED of transactions at ring 3 "
              "counts with OS, not with USR",
      .caught = {"skylake-2018 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_TX_IS_USER)

FAULT(in_tx_ring3_nothing,
      .what = "[A B F; C with bit 2] IN_TX counts nothing at ring 3",
      .caught = {"haswell on 1 tsx_ring3 FAIL"}, .breaks = RING3_IN_TX)

FAULT(xabort_ring3_no_code,
      .what = "[A B F; C with bit 2] EAX[31:24] is 0 after XABORT at ring 3",
      .caught = {"skylake-2018 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_XABORT_CODE)

FAULT(rtm_ring3_commit_aborted,
      .what = "[A B F; C with bit 2] a commit at ring 3 counts as an abort, "
              "too",
      .caught = {"skylake-2017 on 1 tsx_ring3 FAIL"},
      .breaks = RING3_COMMITS_ONCE)

FAULT(tx_ignores_dr1,
      .what = "[A B F; C with bit 2] a data breakpoint of DR1 is not hit in a "
              "transaction",
      .caught = {"skylake-2018 on 1 tsx_debug_breakpoint FAIL"},
      .quantity = TX_WATCHED, .number = 1, .clear = 1)

FAULT(tx_ignores_dr3,
      .what = "[A B F; C with bit 2] a data breakpoint of DR3 is not hit in a "
              "transaction",
      .caught = {"skylake-2018 on 1 tsx_debug_breakpoint FAIL"},
      .quantity = TX_WATCHED, .number = 3, .clear = 1)

FAULT(pt_begin_loses_tnt,
      .what = "[A B F; C with bit 2] the results before a transaction are lost",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL",
                 "broadwell on 1 pt_tx_path FAIL"},
      .rule = PT_BEGIN_TNT, .is = false)

FAULT(pt_commit_loses_tnt,
      .what = "[A B F; C with bit 2] the results before a commit are lost",
      .caught = {"skylake-2018 on 1 pt_tx_path FAIL"}, .rule = PT_COMMIT_TNT,
      .is = false)

FAULT(pt_cyc_12_bits, .what = "[PT with CYC] CYC has 12 bits of the cycles",
      .caught = {"skylake-2018 on 1 pt_cycles FAIL",
                 "cometlake-2022 on 1 pt_cycles FAIL"},
      .value = PT_CYCLES, .clear = ~UINT64_C(0xFFF))

FAULT(uncore_read_clears_counter,
      .what = "[client] a read of a counter of a box sets it to 0",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_READ_KEEPS_COUNTER)

FAULT(uncore_enable_clears_status,
      .what = "[client] EN of MSR_UNC_PERF_GLOBAL_CTRL clears the status",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_ENABLE_KEEPS_STATUS)

FAULT(uncore_running_not_written,
      .what = "[client] a write of a counter of the uncore is lost while EN of "
              "MSR_UNC_PERF_GLOBAL_CTRL is 1",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_TAKES_WHILE_ENABLED)

FAULT(pt_filter_ignored_beside_stop,
      .what = "[PT with two ranges] a filter of ADDR1 has no effect where "
              "ADDR0 is a TraceStop range",
      .caught = {"skylake-2018 on 1 pt_filter_ip FAIL"}, .rule = PT_BESIDE_STOP,
      .is = false)

FAULT(pdir_skids_beside,
      .what = "[any with PDIR] PDIR skids while another counter counts",
      .caught = {"skylake-2018 on 1 pdir_skid FAIL",
                 "haswell on 1 pdir_skid FAIL",
                 "icelake-server on 1 pdir_skid FAIL"},
      .breaks = PDIR_BESIDE_OTHERS)

FAULT(rdpmc_stale_in_tx,
      .what = "[A B F; C with bit 2] RDPMC in a transaction gives what the "
              "counter was at XBEGIN",
      .caught = {"skylake-2018 on 1 tsx_in_tx_counts FAIL"},
      .breaks = RDPMC_LIVE_IN_TX)

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

FAULT(force_again_clears_counter,
      .what = "[B] 10FH[0] written with 1 clears IA32_PMC3",
      .caught = {"skylake-2018 on 1 counter3_counts_force_abort FAIL"},
      .breaks = FORCE_AGAIN_KEEPS_COUNTER)

FAULT(force_again_disables,
      .what = "[B] 10FH[0] written with 1 clears EN of PERFEVTSEL3",
      .caught = {"skylake-2018 on 1 counter3_counts_force_abort FAIL"},
      .breaks = FORCE_AGAIN_KEEPS_SELECT)

FAULT(force_again_clears_status,
      .what = "[B] 10FH[0] written with 1 clears GLOBAL_STATUS[3]",
      .caught = {"skylake-2018 on 1 counter3_counts_force_abort FAIL"},
      .breaks = FORCE_AGAIN_KEEPS_STATUS)

FAULT(force_refused_with_pebs,
      .what = "[B] a write of 10FH changes nothing while 3F1H is not 0",
      .caught = {"skylake-2018 on 1 pebs_registers_apart FAIL"},
      .breaks = FORCE_TAKEN_WITH_PEBS)

FAULT(locked_stores_are_loads,
      .what = "[any] D0H/21H counts the store of a locked access, too",
      .caught = {"skylake-2018 on 1 memory_counts FAIL"},
      .breaks = LOCKED_STORES_ARE_NO_LOADS)

FAULT(uncore_write_clears_status,
      .what = "[uncore] a write of a counter clears the status",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_WRITE_KEEPS_STATUS)

FAULT(uncore_status_keeps_disabled,
      .what = "[uncore] EN cannot be set while the status is not 0",
      .caught = {"haswell on 1 uncore_overflow FAIL"},
      .breaks = UNCORE_STATUS_LETS_ENABLE)
