/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - what goes wrong with loads and stores in PEBS records. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/memory/memory_events.h"
#include "tests/silicon/model/msr.h"

FAULT(precise_store_previous,
      .what = "[any with precise store] 98H is the address of the store "
              "before",
      .caught = {"sandybridge on 1 precise_store_address FAIL"})

FAULT(precise_store_off,
      .what = "[any with precise store] 98H is 8 bytes after the store",
      .caught = {"ivybridge on 1 precise_store_address FAIL"})

FAULT(precise_store_hit_inverted,
      .what = "[any with precise store] A0H[0] is set for stores that miss "
              "the L1D",
      .caught = {"sandybridge on 1 precise_store_status FAIL"})

FAULT(precise_store_stlb_never,
      .what = "[any with precise store] A0H[4] is never set",
      .caught = {"sandybridge on 1 precise_store_status FAIL"})

FAULT(precise_store_lock_misplaced,
      .what = "[any with precise store] a locked store sets A0H[4] instead of "
              "A0H[5]",
      .caught = {"ivybridge on 1 precise_store_status FAIL"})

FAULT(precise_store_latency_junk,
      .what = "[any with precise store] A8H is a latency",
      .caught = {"sandybridge on 1 precise_store_address OBSERVED"})

FAULT(load_threshold_ignored,
      .what = "[any] MSR_PEBS_LD_LAT is ignored: all tagged loads are "
              "recorded",
      .caught = {"haswell on 1 load_latency_threshold FAIL",
                 "icelake-server on 1 load_latency_threshold FAIL",
                 "alderlake-n on 1 load_latency_threshold FAIL"})

FAULT(load_latency_low,
      .what = "[any] A8H is one less than the threshold that the load has "
              "exceeded",
      .caught = {"sandybridge on 1 load_latency_threshold FAIL"})

FAULT(load_source_shifted,
      .what = "[any] the data source of a load is in A0H[7:4]",
      .caught = {"skylake-2018 on 1 load_latency_source FAIL"})

FAULT(load_source_always_l1,
      .what = "[any] the data source of a load is always the L1D",
      .caught = {"haswell on 1 load_latency_source FAIL",
                 "icelake-server on 1 load_latency_source FAIL",
                 "alderlake-n on 1 load_latency_source FAIL"})

FAULT(load_address_line,
      .what = "[any] 98H of a load is the address of its line",
      .caught = {"broadwell on 1 load_latency_address FAIL",
                 "icelake-server on 1 load_latency_address FAIL",
                 "alderlake-n on 1 load_latency_address FAIL"})

FAULT(data_address_stale,
      .what = "[any with data addresses] 98H stays that of the first record",
      .caught = {"skylake-2018 on 1 data_address FAIL"})

FAULT(data_address_store_missing,
      .what = "[any with data addresses] 98H of a store is 0",
      .caught = {"haswell on 1 data_address FAIL",
                 "icelake-server on 1 data_address FAIL"})

FAULT(data_address_hit_inverted,
      .what = "[any with data addresses] A0H[0] is set for stores that miss "
              "the L1D",
      .caught = {"broadwell on 1 data_address FAIL"})

FAULT(data_address_status_set,
      .what = "[any with data addresses] A0H[5:4] are not 0",
      .caught = {"skylake-2018 on 1 data_address FAIL"})

FAULT(data_address_latency_set,
      .what = "[any with data addresses] A8H is a latency",
      .caught = {"skylake-2018 on 1 data_address FAIL"})

bool faults_load_is_slow(const struct processor *p, bool slow)
{
    return slow || has_fault(p, FAULT_load_threshold_ignored);
}

void faults_load_record(struct processor *p, struct data_record *d)
{
    uint64_t bits = d->status & (STATUS_STLB | STATUS_LOCKED);
    uint64_t source = d->status & ~bits;

    if (has_fault(p, FAULT_load_source_shifted))
        d->status = bits | source << 4;
    if (has_fault(p, FAULT_load_source_always_l1))
        d->status = bits | 1;
    if (has_fault(p, FAULT_load_latency_low)) {
        msr_read(p, MSR_PEBS_LD_LAT, &d->latency);
        d->latency--;
    }
    if (has_fault(p, FAULT_load_address_line))
        d->address &= ~(uint64_t)(CACHE_LINE_BYTES - 1);
}

void faults_store_record(const struct processor *p, const struct data_result *r,
                         struct data_record *d)
{
    if (has_fault(p, FAULT_precise_store_hit_inverted))
        d->status ^= STATUS_L1D_HIT;
    if (has_fault(p, FAULT_precise_store_previous))
        d->address = p->faults.previous_store;
    if (has_fault(p, FAULT_precise_store_off))
        d->address += 8;
    if (has_fault(p, FAULT_precise_store_stlb_never))
        d->status &= ~STATUS_STLB;
    if (has_fault(p, FAULT_precise_store_lock_misplaced))
        d->status =
            (d->status & ~STATUS_LOCKED) | (r->access.locked ? STATUS_STLB : 0);
    if (has_fault(p, FAULT_precise_store_latency_junk))
        d->latency = r->outcome.latency;
}

void faults_linear_record(struct processor *p, const struct data_result *r,
                          bool hit_valid, struct data_record *d)
{
    if (hit_valid && has_fault(p, FAULT_data_address_hit_inverted))
        d->status ^= STATUS_L1D_HIT;
    if (has_fault(p, FAULT_data_address_stale)) {
        if (p->faults.first_address == 0)
            p->faults.first_address = d->address;
        d->address = p->faults.first_address;
    }
    if (r->access.kind == DATA_STORE &&
        has_fault(p, FAULT_data_address_store_missing))
        d->address = 0;
    if (has_fault(p, FAULT_data_address_status_set))
        d->status |= (r->outcome.stlb_miss ? STATUS_STLB : 0) | STATUS_LOCKED;
    if (has_fault(p, FAULT_data_address_latency_set))
        d->latency = r->outcome.latency;
}

void faults_note_stores(struct processor *p, const struct data_result *results,
                        unsigned count)
{
    if (!has_fault(p, FAULT_precise_store_previous))
        return;
    for (unsigned k = 0; k < count; k++)
        if (results[k].access.kind == DATA_STORE)
            p->faults.previous_store = results[k].access.linear;
}

FAULT(stores_stlb_never, .what = "[any] D0H/12H counts nothing",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "haswell on 1 data_address FAIL"},
      .breaks = STORES_MISS_STLB)

FAULT(l1_misses_zero, .what = "[any] D1H/08H counts nothing",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "haswell on 1 data_address FAIL"},
      .breaks = L1_MISSES_COUNT)

FAULT(local_dram_inverted,
      .what = "[any but Skylake] D3H/01H counts loads that are not from memory",
      .caught = {"haswell off 1 data_address FAIL"},
      .breaks = DRAM_IS_LOCAL_DRAM)

FAULT(l2_hits_zero, .what = "[any] D1H/02H counts nothing",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "haswell on 1 data_address FAIL"},
      .breaks = L2_HITS_COUNT)

FAULT(l3_misses_zero, .what = "[any] D1H/20H counts nothing",
      .caught = {"skylake-2018 on 1 data_address FAIL",
                 "icelake-server on 1 data_address FAIL"},
      .breaks = L3_MISSES_COUNT)
