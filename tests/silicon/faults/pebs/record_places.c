/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_places.c - what goes wrong with PEBS records at some places alone:
 * bits of a register, one counter, beside other facilities, of some loads.
 */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/memory/memory_events.h"
#include "tests/silicon/model/pebs/pebs_hooks.h"
#include "tests/silicon/model/counters/pmu_msr.h"

FAULT(pebs_rflags_of_lost, .what = "[any] RFLAGS.OF of a record is 0",
      .caught = {"skylake-2018 on 1 pebs_eventing_ip FAIL"},
      .quantity = RECORD_WORD, .number = 0x00, .clear = BIT(11))

FAULT(pebs_rflags_df_lost, .what = "[any] RFLAGS.DF of a record is 0",
      .caught = {"skylake-2018 on 1 pebs_record_layout FAIL"},
      .quantity = RECORD_WORD, .number = 0x00, .clear = BIT(10))

FAULT(pebs_rax_low_zero, .what = "[any] RAX[31:0] of a record is 0",
      .caught = {"skylake-2018 on 1 pebs_record_layout FAIL"},
      .quantity = RECORD_WORD, .number = 0x10, .clear = BITS(31, 0))

FAULT(pebs_rcx_bit_40, .what = "[any] RCX[40] of a record is 0",
      .caught = {"skylake-2018 on 1 pebs_record_layout FAIL"},
      .quantity = RECORD_WORD, .number = 0x20, .clear = BIT(40))

FAULT(pebs_r13_bit_31, .what = "[any] R13[31] of a record is 0",
      .caught = {"skylake-2018 on 1 pebs_record_layout FAIL"},
      .quantity = RECORD_WORD, .number = 0x78, .clear = BIT(31))

FAULT(pebs_rbp_bit_61, .what = "[any] RBP[61] of a record is 0",
      .caught = {"skylake-2018 on 1 pebs_record_layout FAIL"},
      .quantity = RECORD_WORD, .number = 0x40, .clear = BIT(61))

FAULT(pebs_eventing_ip_of_2,
      .what = "[format 2, 3] EventingIP of IA32_PMC2 is one more",
      .caught = {"skylake-2018 on 1 pebs_reload FAIL"})

FAULT(pebs_rip_of_3, .what = "[any] RIP in records of IA32_PMC3 is one less",
      .caught = {"skylake-2018 on 1 pebs_reload FAIL"})

FAULT(pebs_rip_back,
      .what = "[any] RIP in the record of a branch to a lower address is 2 "
              "bytes after the branch",
      .caught = {"skylake-2018 on 1 pebs_eventing_ip FAIL",
                 "sandybridge on 1 pebs_eventing_ip FAIL"})

FAULT(pebs_info_of_1,
      .what = "[format 2, 3] B8H[33] is set in records of IA32_PMC1",
      .caught = {"skylake-2018 on 1 pebs_reload FAIL"})

FAULT(pebs_tsc_of_2, .what = "[format 3] TSC of records of IA32_PMC2 is 0",
      .caught = {"skylake-2018 on 1 pebs_reload FAIL"})

FAULT(load_latency_of_bytes_0,
      .what = "[any] A8H is 0 in the record of a load of one byte",
      .caught = {"skylake-2018 on 1 load_latency_address FAIL",
                 "sandybridge on 1 load_latency_address FAIL"})

FAULT(string_address_after,
      .what = "[any] 98H of a string store is RDI as it is after it",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"},
      .breaks = STRING_STORES_AT_RDI)

FAULT(push_address_before,
      .what = "[any] 98H of a PUSH is RSP as it was before it",
      .caught = {"haswell on 1 data_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"},
      .breaks = PUSHES_BELOW_RSP)

FAULT(x87_loads_not_counted,
      .what = "[any] D0H/81H does not count loads by x87 instructions",
      .caught = {"skylake-2018 on 1 memory_counts FAIL",
                 "sandybridge on 1 memory_counts FAIL"},
      .breaks = X87_LOADS_COUNT)

FAULT(vex_loads_not_counted,
      .what = "[any with VEX] D0H/81H does not count loads with a VEX prefix",
      .caught = {"skylake-2018 on 1 memory_counts FAIL",
                 "haswell on 1 data_address FAIL"},
      .breaks = VEX_LOADS_COUNT)

FAULT(movnti_not_counted, .what = "[any] D0H/82H does not count MOVNTI",
      .caught = {"skylake-2018 on 1 memory_counts FAIL",
                 "skylake-2018 on 1 data_address FAIL"},
      .breaks = DIRECT_STORES_COUNT)

FAULT(data_address_of_2,
      .what = "[format 2, 3] 98H of records of IA32_PMC2 is 0",
      .caught = {"skylake-2018 on 1 data_address FAIL"})

FAULT(pebs_rip_beside_lbr,
      .what = "[any] RIP of a record is one less while LBR is 1",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pebs FAIL"})

FAULT(pebs_makes_branch, .what = "[any] a record makes a branch record, too",
      .caught = {"skylake-2018 on 1 lbr_freeze_on_pebs FAIL"})

FAULT(load_source_ring3,
      .what = "[any] A0H of a load latency record of ring 3 is 0",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"})

FAULT(data_address_hit_ring3, .what = "[format 2, 3] A0H[0] is 0 at ring 3",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL"})

FAULT(data_address_second_page,
      .what = "[any] 98H of an access on two pages is on the second",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "haswell on 1 load_latency_address FAIL"})

FAULT(data_address_wide,
      .what = "[any] 98H of an access of 16 bytes is of its upper half",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "skylake-2018 on 1 load_latency_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"})

FAULT(data_address_even, .what = "[any] 98H[0] is 0",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "skylake-2018 on 1 load_latency_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"})

FAULT(data_address_without_fs,
      .what = "[any] 98H of an access relative to FS lacks its base",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "sandybridge on 1 load_latency_address FAIL"},
      .breaks = ADDRESS_HAS_FS_BASE)

FAULT(load_stlb_of_misses,
      .what = "[any] A0H[4] of a load that hits the L1 data cache is 0",
      .caught = {"skylake-2018 on 1 load_latency_source FAIL"})

FAULT(load_lock_by_prefix, .what = "[any] XCHG is taken for no locked access",
      .caught = {"skylake-2018 on 1 load_latency_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"},
      .breaks = XCHG_IS_LOCKED)

FAULT(ds_area_64_bytes,
      .what = "[any] bits 5:0 of IA32_DS_AREA are taken for 0",
      .caught = {"skylake-2018 on 1 pebs_buffer_bounds FAIL"})

FAULT(ds_area_of_page,
      .what = "[any] bits 11:0 of IA32_DS_AREA are taken for 0",
      .caught = {"skylake-2018 on 1 pebs_buffer_bounds FAIL"})

FAULT(data_cfg_shared, .what = "[adaptive records] 3F2H is one of both threads",
      .caught = {"icelake-server on 2 pebs_registers FAIL"},
      .quantity = OF_MSR_SHARED, .number = 0x3F2)

FAULT(pebs_abort_not_reloaded,
      .what = "[any with TSX] the record of an abort reloads no counter",
      .caught = {"skylake-2018 on 1 pebs_tx_abort FAIL"})

FAULT(pebs_memory_not_reloaded,
      .what = "[any] the record of a load or store reloads no counter",
      .caught = {"skylake-2018 on 1 data_address FAIL"})

FAULT(pebs_enable_needs_stop,
      .what = "[any] 3F1H, written while a counter counts, makes no records",
      .caught = {"skylake-2018 on 1 pebs_enable_bits FAIL"})

FAULT(
    pebs_pmi_lvt_open,
    .what = "[any] the interrupt at the threshold does not mask the LVT entry",
    .caught = {"skylake-2018 on 1 pebs_threshold_pmi FAIL"})

FAULT(l2_miss_of_hits,
      .what = "[any with data addresses] D1H/10H counts L2 hits too",
      .caught = {"skylake-2018 on 1 data_address FAIL"},
      .breaks = L2_MISSES_ALONE)

FAULT(l3_miss_of_l2,
      .what = "[any with data addresses] D1H/20H counts L2 hits, too",
      .caught = {"skylake-2018 on 1 data_address FAIL"},
      .breaks = L3_MISSES_ALONE)

FAULT(l1_miss_not_l2,
      .what = "[any with data addresses] D1H/08H leaves out L2 hits",
      .caught = {"skylake-2018 on 1 data_address FAIL"},
      .breaks = L1_MISSES_OF_L2)

FAULT(
    l2_hit_of_l3,
    .what = "[any with data addresses] D1H/02H counts L3 hits and misses, too",
    .caught = {"skylake-2018 on 1 data_address FAIL"}, .breaks = L2_HITS_ALONE)

FAULT(load_eventing_ip,
      .what = "[format 2, 3] EventingIP of a load latency record is 4 less",
      .caught = {"skylake-2018 on 1 load_latency_address FAIL"})

static bool crosses_page(const struct data_result *r)
{
    return r->access.linear % 4096 + r->access.bytes > 4096;
}

static bool of(uint64_t counters, unsigned n)
{
    return (counters >> n & 1) != 0;
}

static void make_branch(struct processor *p, const uint64_t *words)
{
    if (!lbr_records(p))
        return;
    p->lbr.tos = (p->lbr.tos + 1) % 16;
    p->lbr.from[p->lbr.tos] = words[WORD_EVENTING_IP];
    p->lbr.to[p->lbr.tos] = words[PEBS_RIP];
}

void faults_pebs_place(struct processor *p, uint64_t counters, uint64_t *words)
{
    if (has_fault(p, FAULT_pebs_eventing_ip_of_2) && of(counters, 2))
        words[WORD_EVENTING_IP]++;
    if (has_fault(p, FAULT_pebs_rip_of_3) && of(counters, 3))
        words[PEBS_RIP]--;
    if (has_fault(p, FAULT_pebs_rip_back) &&
        words[PEBS_RIP] < words[WORD_EVENTING_IP])
        words[PEBS_RIP] = words[WORD_EVENTING_IP] + 2;
    if (has_fault(p, FAULT_pebs_info_of_1) && of(counters, 1))
        words[WORD_TX_ABORT] |= BIT(33);
    if (has_fault(p, FAULT_pebs_tsc_of_2) && of(counters, 2))
        words[WORD_TSC] = 0;
    if (has_fault(p, FAULT_data_address_of_2) && of(counters, 2))
        words[WORD_ADDRESS] = 0;
    if (has_fault(p, FAULT_pebs_rip_beside_lbr) && lbr_records(p))
        words[PEBS_RIP]--;
    if (has_fault(p, FAULT_pebs_makes_branch))
        make_branch(p, words);
    if (has_fault(p, FAULT_load_source_ring3) && p->faults.of_user &&
        words[WORD_LATENCY] != 0)
        words[WORD_SOURCE] = 0;
    if (has_fault(p, FAULT_data_address_hit_ring3) && p->faults.of_user &&
        words[WORD_LATENCY] == 0)
        words[WORD_SOURCE] &= ~BIT(0);
    if (has_fault(p, FAULT_load_eventing_ip) && words[WORD_LATENCY] != 0)
        words[WORD_EVENTING_IP] -= 4;
}

void faults_place_data(struct processor *p, const struct data_result *r,
                       struct data_record *d)
{
    if (has_fault(p, FAULT_data_address_second_page) && crosses_page(r))
        d->address = (d->address | 4095) + 1;
    if (crosses_page(r))
        d->address = faults_quantity(p->machine, PAGE_END_ADDRESS,
                                     p->faults.of_user +
                                         2u * (r->access.kind == DATA_STORE),
                                     d->address);
    if (has_fault(p, FAULT_data_address_wide) && r->access.bytes == 16)
        d->address += 8;
    if (has_fault(p, FAULT_load_latency_of_bytes_0) && r->access.bytes == 1)
        d->latency = 0;
    if (has_fault(p, FAULT_data_address_even))
        d->address &= ~BIT(0);
    if (has_fault(p, FAULT_load_stlb_of_misses) &&
        r->outcome.level == CACHE_L1 && r->access.kind == DATA_LOAD)
        d->status &= ~STATUS_STLB;
}

uint64_t faults_ds_area_at(const struct processor *p, uint64_t area)
{
    if (has_fault(p, FAULT_ds_area_64_bytes))
        return area & ~BITS(5, 0);
    if (has_fault(p, FAULT_ds_area_of_page))
        return area & ~BITS(11, 0);
    return area;
}

uint64_t faults_place_reload(const struct processor *p, unsigned n,
                             uint64_t value)
{
    uint8_t event = (uint8_t)p->pmu.select[n];
    bool memory = (event >= 0xD0 && event <= 0xD3) || event == 0xCD;

    if ((has_fault(p, FAULT_pebs_abort_not_reloaded) && p->pebs.of_abort) ||
        (has_fault(p, FAULT_pebs_memory_not_reloaded) && memory))
        return p->pmu.counter[n];
    return value;
}

bool faults_place_silent(const struct processor *p)
{
    return has_fault(p, FAULT_pebs_enable_needs_stop) && p->faults.enabled_late;
}
