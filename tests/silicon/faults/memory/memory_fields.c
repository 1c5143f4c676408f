/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_fields.c - what goes wrong with addresses, status and latency of loads
 * and stores in records. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/memory/memory_events.h"

FAULT(load_latency_of_8_bits,
      .what = "[any] A8H of a load is 255 where it took longer",
      .caught = {"skylake-2018 on 1 load_latency_threshold FAIL",
                 "icelake-server on 1 load_latency_threshold FAIL"},
      .breaks = LATENCY_HAS_16_BITS)

FAULT(load_stlb_never, .what = "[any] A0H[4] of a load is never set",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_stlb_always, .what = "[any] A0H[4] of a load is always set",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_lock_never, .what = "[any] A0H[5] of a load is never set",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_lock_always, .what = "[any] A0H[5] of a load is always set",
      .caught = {"skylake-2017 on 1 load_latency_address FAIL",
                 "skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_status_reserved, .what = "[any] A0H[6] of a load is set",
      .caught = {"skylake-2017 on 1 load_latency_address FAIL",
                 "skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_address_off, .what = "[any] 98H of a load is 8 bytes after it",
      .caught = {"skylake-2017 on 1 load_latency_address FAIL",
                 "skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_address_page,
      .what = "[any] 98H of a load is the address of its page",
      .caught = {"skylake-2017 on 1 load_latency_address FAIL",
                 "skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_source_unknown,
      .what = "[any] the data source of a load is always 0",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_source_reserved,
      .what = "[any] the data source of a load is always 0FH",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL"})

FAULT(precise_store_hit_always,
      .what = "[any with precise store] A0H[0] is always set",
      .caught = {"sandybridge on 1 precise_store_status FAIL"})

FAULT(precise_store_hit_never,
      .what = "[any with precise store] A0H[0] is never set",
      .caught = {"sandybridge on 1 precise_store_status FAIL"})

FAULT(precise_store_stlb_always,
      .what = "[any with precise store] A0H[4] is always set",
      .caught = {"sandybridge on 1 precise_store_status FAIL"})

FAULT(precise_store_lock_always,
      .what = "[any with precise store] A0H[5] is always set",
      .caught = {"sandybridge on 1 precise_store_address FAIL",
                 "sandybridge on 1 precise_store_status FAIL"})

FAULT(precise_store_lock_never,
      .what = "[any with precise store] A0H[5] is never set",
      .caught = {"sandybridge on 1 precise_store_address FAIL",
                 "sandybridge on 1 precise_store_status FAIL"})

FAULT(precise_store_reserved, .what = "[any with precise store] A0H[1] is set",
      .caught = {"sandybridge on 1 precise_store_address OBSERVED"})

FAULT(precise_store_line,
      .what = "[any with precise store] 98H is the address of the line",
      .caught = {"sandybridge on 1 precise_store_address FAIL",
                 "sandybridge on 1 precise_store_status FAIL"})

FAULT(data_address_line,
      .what = "[any with data addresses] 98H is the address of the line",
      .caught = {"haswell on 1 data_address FAIL"})

FAULT(data_address_off,
      .what = "[any with data addresses] 98H is one byte after the access",
      .caught = {"haswell on 1 data_address FAIL"})

FAULT(data_address_hit_never,
      .what = "[any with data addresses] A0H[0] is never set",
      .caught = {"haswell on 1 data_address FAIL"})

FAULT(data_address_hit_always,
      .what = "[any with data addresses] A0H[0] is always set",
      .caught = {"haswell on 1 data_address FAIL"})

FAULT(data_address_reserved, .what = "[any with data addresses] A0H[1] is set",
      .caught = {"haswell on 1 data_address FAIL"})

FAULT(latency_lock_missing, .what = "[E cores] A0H[4] (Lock) is always 0",
      .caught = {"alderlake-n on 1 load_latency_source FAIL",
                 "alderlake-n on 1 load_latency_address FAIL"},
      .quantity = LATENCY_STATUS, .clear = BIT(4))

FAULT(latency_stlb_missing, .what = "[E cores] A0H[5] (STLB miss) is always 0",
      .caught = {"alderlake-n on 1 load_latency_source FAIL"},
      .quantity = LATENCY_STATUS, .clear = BIT(5))

FAULT(latency_10_missing, .what = "[Lion Cove] A0H[10] (STLB miss) is always 0",
      .caught = {"arrowlake on 1 load_latency_source FAIL"},
      .quantity = LATENCY_STATUS, .clear = BIT(4))

FAULT(latency_11_missing, .what = "[Lion Cove] A0H[11] (Lock) is always 0",
      .caught = {"arrowlake on 1 load_latency_address FAIL"},
      .quantity = LATENCY_STATUS, .clear = BIT(5))

FAULT(store_latency_off,
      .what = "[E cores] the address of a store's latency is off by 8 bytes",
      .caught = {"alderlake-n on 1 load_latency_address FAIL"},
      .quantity = STORE_LATENCY_ADDRESS, .add = 8)

FAULT(load_latency_constant, .what = "[any] A8H of a load is always the same",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL",
                 "skylake-2017 on 1 load_latency_threshold FAIL"})

FAULT(precise_store_ring3_miss,
      .what = "[2nd and 3rd generation] A0H[0] of a store is 0 at ring 3",
      .caught = {"sandybridge on 1 precise_store_status FAIL",
                 "ivybridge on 1 precise_store_status FAIL"})

FAULT(load_lock_of_previous,
      .what = "[any] A0H[5] (Lock) is 1 in the record after that of a locked "
              "load, too",
      .caught = {"skylake-2018 on 1 pebs_in_contexts FAIL",
                 "haswell on 1 pebs_in_contexts FAIL"})

FAULT(load_latency_8_bits, .what = "[any] A8H[15:8] of a load is 0",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL",
                 "skylake-2017 on 1 load_latency_threshold FAIL"})

FAULT(load_latency_previous,
      .what = "[any] A8H is the latency of the load before",
      .caught = {"skylake-2017 on 1 load_latency_address FAIL"})

FAULT(load_latency_reversed,
      .what = "[any] A8H is the smaller, the longer a load took",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL",
                 "skylake-2017 on 1 load_latency_threshold FAIL"})

FAULT(load_latency_16_times,
      .what = "[any] A8H of a load is 16 times its latency",
      .caught = {"skylake-2017 on 1 load_latency_threshold FAIL"})

FAULT(load_source_l2_l3, .what = "[any] the data sources 3 and 4 are swapped",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_status_swapped,
      .what = "[any] A0H[4] and A0H[5] of a load are swapped",
      .caught = {"skylake-2017 on 1 load_latency_source FAIL"})

FAULT(load_address_previous,
      .what = "[any] 98H is the address of the load before",
      .caught = {"skylake-2017 on 1 load_latency_address FAIL",
                 "skylake-2017 on 1 load_latency_source FAIL"})

FAULT(data_address_load_missing,
      .what = "[any with data addresses] 98H of a load is 0",
      .caught = {"haswell on 1 data_address FAIL"})

FAULT(data_address_previous,
      .what = "[any with data addresses] 98H is the address of the access "
              "recorded before",
      .caught = {"haswell on 1 data_address FAIL"})

enum kind { LOAD, STORE, DATA };

/* clang-format off */
static const struct {
    enum fault_id fault;
    enum kind kind;
    uint64_t status_and, status_or, address_and, address_add;
} rows[] = {
    {FAULT_load_stlb_never, LOAD, ~STATUS_STLB, 0, UINT64_MAX, 0},
    {FAULT_load_stlb_always, LOAD, UINT64_MAX, STATUS_STLB, UINT64_MAX, 0},
    {FAULT_load_lock_never, LOAD, ~STATUS_LOCKED, 0, UINT64_MAX, 0},
    {FAULT_load_lock_always, LOAD, UINT64_MAX, STATUS_LOCKED, UINT64_MAX, 0},
    {FAULT_load_status_reserved, LOAD, UINT64_MAX, BIT(6), UINT64_MAX, 0},
    {FAULT_load_address_off, LOAD, UINT64_MAX, 0, UINT64_MAX, 8},
    {FAULT_load_address_page, LOAD, UINT64_MAX, 0, ~UINT64_C(0xFFF), 0},
    {FAULT_load_source_unknown, LOAD, ~UINT64_C(15), 0, UINT64_MAX, 0},
    {FAULT_load_source_reserved, LOAD, UINT64_MAX, 15, UINT64_MAX, 0},
    {FAULT_precise_store_hit_always, STORE, UINT64_MAX, STATUS_L1D_HIT, UINT64_MAX, 0},
    {FAULT_precise_store_hit_never, STORE, ~STATUS_L1D_HIT, 0, UINT64_MAX, 0},
    {FAULT_precise_store_stlb_always, STORE, UINT64_MAX, STATUS_STLB, UINT64_MAX, 0},
    {FAULT_precise_store_lock_always, STORE, UINT64_MAX, STATUS_LOCKED, UINT64_MAX, 0},
    {FAULT_precise_store_lock_never, STORE, ~STATUS_LOCKED, 0, UINT64_MAX, 0},
    {FAULT_precise_store_reserved, STORE, UINT64_MAX, BIT(1), UINT64_MAX, 0},
    {FAULT_precise_store_line, STORE, UINT64_MAX, 0, ~UINT64_C(63), 0},
    {FAULT_data_address_line, DATA, UINT64_MAX, 0, ~UINT64_C(63), 0},
    {FAULT_data_address_off, DATA, UINT64_MAX, 0, UINT64_MAX, 1},
    {FAULT_data_address_hit_never, DATA, ~STATUS_L1D_HIT, 0, UINT64_MAX, 0},
    {FAULT_data_address_hit_always, DATA, UINT64_MAX, STATUS_L1D_HIT, UINT64_MAX, 0},
    {FAULT_data_address_reserved, DATA, UINT64_MAX, BIT(1), UINT64_MAX, 0},
};
/* clang-format on */

static void change(const struct processor *p, enum kind kind,
                   struct data_record *d)
{
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        if (has_fault(p, rows[n].fault) && rows[n].kind == kind) {
            d->status = (d->status & rows[n].status_and) | rows[n].status_or;
            d->address =
                (d->address & rows[n].address_and) + rows[n].address_add;
        }
}

static void exchange(uint64_t *value, uint64_t *with)
{
    uint64_t was = *value;

    *value = *with;
    *with = was;
}

static uint64_t swapped(uint64_t status)
{
    return (status & BITS(3, 0)) | (status >> 1 & STATUS_STLB) |
           (status << 1 & STATUS_LOCKED);
}

void faults_load_fields(struct processor *p, struct data_record *d)
{
    if (p->machine->fault == FAULT_none)
        return;
    change(p, LOAD, d);
    if (has_fault(p, FAULT_load_source_l2_l3) && (d->status & 7) - 3 < 2)
        d->status ^= 7;
    if (has_fault(p, FAULT_load_status_swapped))
        d->status = swapped(d->status);
    if (has_fault(p, FAULT_load_latency_constant))
        d->latency = 600;
    if (has_fault(p, FAULT_load_lock_of_previous)) {
        const bool locked = (d->status & STATUS_LOCKED) != 0;

        if (p->faults.was_locked)
            d->status |= STATUS_LOCKED;
        p->faults.was_locked = locked;
    }
    if (has_fault(p, FAULT_load_latency_8_bits))
        d->latency &= BITS(7, 0);
    if (has_fault(p, FAULT_load_latency_reversed))
        d->latency = 1000 - d->latency;
    if (has_fault(p, FAULT_load_latency_16_times))
        d->latency *= 16;
    if (has_fault(p, FAULT_load_latency_previous))
        exchange(&d->latency, &p->faults.previous_word);
    if (has_fault(p, FAULT_load_address_previous))
        exchange(&d->address, &p->faults.previous_word);
}

void faults_store_fields(const struct processor *p, struct data_record *d)
{
    change(p, STORE, d);
    if (has_fault(p, FAULT_precise_store_ring3_miss) && p->faults.of_user)
        d->status &= ~STATUS_L1D_HIT;
}

void faults_data_fields(struct processor *p, bool load, struct data_record *d)
{
    change(p, DATA, d);
    if (has_fault(p, FAULT_data_address_load_missing) && load)
        d->address = 0;
    if (has_fault(p, FAULT_data_address_previous))
        exchange(&d->address, &p->faults.previous_word);
}

FAULT(address_without_r12,
      .what = "[any with addresses in records] 98H leaves out R12 as index",
      .caught = {"haswell on 1 data_address FAIL",
                 "haswell on 1 load_latency_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"},
      .breaks = ADDRESS_HAS_INDEX_12)

FAULT(pops_are_no_loads, .what = "[any with events of memory] POP is no load",
      .caught = {"haswell on 1 data_address FAIL",
                 "haswell on 1 memory_counts FAIL",
                 "skylake-2018 on 1 load_latency_address FAIL"},
      .breaks = POPS_ARE_LOADS)

FAULT(updates_store_behind,
      .what = "[any with addresses in records] 98H of the store of ADD to "
              "memory is behind it",
      .caught = {"haswell on 1 data_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL"},
      .breaks = UPDATES_STORE_IN_PLACE)

FAULT(bytes_not_locked,
      .what = "[any with load latency] a locked access of a byte is not "
              "locked",
      .caught = {"skylake-2018 on 1 load_latency_address FAIL",
                 "sandybridge on 1 precise_store_address FAIL",
                 "haswell on 1 memory_counts FAIL"},
      .breaks = BYTES_ARE_LOCKED)

FAULT(latency_l2_walk_is_l3,
      .what = "[CDH] a load that hits the L2 and misses the STLB names the L3",
      .caught = {"skylake-2018 on 1 load_latency_source FAIL",
                 "haswell on 1 load_latency_source FAIL"},
      .breaks = L2_WITH_STLB_MISS)

FAULT(latency_splits_miss_stlb,
      .what = "[CDH] STLB_MISS is set in the record of a load of two lines",
      .caught = {"skylake-2018 on 1 load_latency_source FAIL",
                 "icelake-server on 1 load_latency_source FAIL"},
      .breaks = STLB_NOT_OF_SPLITS)

FAULT(latency_of_cache_8_bits,
      .what = "[latency in two fields] that of the cache is FFH at most",
      .caught = {"sapphirerapids on 1 load_latency_threshold FAIL",
                 "alderlake on 1 load_latency_threshold FAIL"},
      .breaks = LATENCY_OF_CACHE_WHOLE)

FAULT(latency_dram_hits_stlb,
      .what = "[CDH] STLB_MISS is 0 in the record of a load from DRAM",
      .caught = {"skylake-2018 on 1 load_latency_source FAIL",
                 "haswell on 1 load_latency_source FAIL"},
      .breaks = STLB_MISS_OF_DRAM)

FAULT(latency_stlb_hides_lock,
      .what = "[CDH] Lock is 0 in the record of a load that misses the STLB",
      .caught = {"skylake-2018 on 1 load_latency_source FAIL",
                 "sapphirerapids on 1 load_latency_source FAIL"},
      .breaks = STLB_MISS_OF_LOCKED)

FAULT(loads_by_level_of_ring_0,
      .what = "[memory events] D1H counts no load of ring 3",
      .caught = {"skylake-2018 on 1 events_in_contexts FAIL",
                 "haswell on 1 events_in_contexts FAIL"},
      .breaks = LOADS_IN_RING_3)

FAULT(latencies_swapped,
      .what = "[latency in two fields] A8H[15:0] is that of the cache, and "
              "[47:32] that of the instruction",
      .caught = {"sapphirerapids on 1 load_latency_source FAIL",
                 "alderlake on 1 load_latency_source FAIL"},
      .breaks = LATENCY_OF_INSTRUCTION_FIRST)
