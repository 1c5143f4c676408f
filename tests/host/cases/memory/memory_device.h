/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_device.h - a device that makes the records of precise store, load
 * latency and data address profiling as the manual says, and its deviations. */
#ifndef TESTS_HOST_CASES_MEMORY_MEMORY_DEVICE_H
#define TESTS_HOST_CASES_MEMORY_MEMORY_DEVICE_H

#include "asm/ring3_window.h"
#include "src/base/msr.h"
#include "src/memory/datala.h"
#include "src/memory/memory_sampling.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_body.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum deviation {
    NONE,
    ADDRESS_OF_PREVIOUS,
    ADDRESS_OFF_BY_8,
    ADDRESS_OUTSIDE,
    ADDRESS_OF_STORES_MISSING,
    ADDRESS_WIDE_OFF_BY_8, /* that of 16 bytes */
    ADDRESS_WITHOUT_FS,    /* its base */
    ADDRESS_WITHOUT_GS,
    ADDRESS_BEFORE_IMMEDIATE, /* relative to RIP */
    ADDRESS_EVEN,
    ADDRESS_OF_STRING_AFTER, /* where RDI is then */
    ADDRESS_OF_PUSH_BEFORE,  /* where RSP was */
    LATENCY_OF_BYTE_0,
    X87_SILENT,
    VEX_SILENT,
    POP_SILENT,
    ADDRESS_WITHOUT_INDEX,
    ADDRESS_OF_UPDATE_BEHIND, /* of its store */
    LOCK_OF_BYTE_0,
    DIRECT_SILENT,     /* MOVNTI */
    L1D_HIT_NOT_RING3, /* nor Locked Access, wrongly, */
    LOCK_AT_RING3,     /* but that is always 1 */
    L1D_HIT_INVERTED,
    L1D_HIT_ALWAYS,
    L1D_HIT_NEVER,
    L1D_HIT_NOT_OF_BYTES,
    STLB_ALWAYS,
    STLB_NEVER,
    STLB_NOT_OF_L1, /* where the line is there */
    LOCK_AT_BIT_4,
    LOCK_ALWAYS,
    LOCK_NEVER,
    LOCK_BY_PREFIX, /* alone */
    STATUS_MORE_BITS,
    LATENCY_JUNK,
    THRESHOLD_IGNORED,
    THRESHOLD_LESS_1,
    THRESHOLD_LOST,
    THRESHOLD_REACHED,   /* makes a record, too: each, */
    THRESHOLD_SOMETIMES, /* or one in eight */
    BELOW_SOMETIMES,     /* a record of flushed lines says 1 less than it */
    LATENCY_IS_THRESHOLD,
    SOURCE_SHIFTED,
    SOURCE_ALWAYS_L1,
    SOURCE_ALWAYS_MEMORY,
    SOURCE_RESERVED_BIT,
    NO_RECORDS,
    NO_SPLITS,
    LL_EN_IGNORED,
    PS_EN_IGNORED,
    ANY_LL_EN,
    STORES_AS_LOADS,
    PS_EN_OF_ANY,  /* counter */
    STORES_SILENT, /* D0H/06H: no store makes a record, */
    LOCKED_SILENT, /* or no locked one */
    STATE_BEFORE,
    LATENCY_CONSTANT,
    LATENCY_HUGE,
    EVENTS_OF_ALL_LOADS,
    EVENTING_IP_IS_RIP,
    EVENTING_IP_ONCE,
    RIP_OF_LATER,
    L1_MISSES_WITHOUT_L2,
    L2_HITS_WITH_MEMORY,
    L2_MISSES_WITH_L2,
    COUNTER_2_SILENT,
    SOME_OUTSIDE,      /* of the loop: every fourth record */
    LATENCIES_SWAPPED, /* of the two, where there are two */
    LATENCY_OF_8,      /* bits at most */
    LATENCY_THREEFOLD, /* the TSC's clocks since the record before, */
    LATENCY_FIVEFOLD,
    ALL_SLOWER,   /* loads, by 40 cycles, */
    SLOWER_LATER, /* or by 3, but for the first windows */
    L2_SLOWER,    /* as slow as L3 nearly: no one says how fast it is */
    L2_SLOWEST,   /* slower than L3 */
    L3_SAYS_MEMORY,
    SNOOP_NEVER,    /* of what another core has modified, */
    SNOOP_ALWAYS,   /* or has not */
    SNOOP_THIRD,    /* in every third record of each */
    SNOOP_MEMORY,   /* as if it were in no cache */
    SNOOP_LATER,    /* before Ice Lake as from it on */
    SNOOP_FORWARDS, /* the same, of all lines */
    NO_COUNTER,     /* is named in a record, */
    OTHER_COUNTER,  /* or another one */
    NO_TIME,        /* C0H */
    GROUP_UNKNOWN,  /* an adaptive record has one that there is not */
};

static struct {
    enum deviation is;
    unsigned format;
    bool ice_lake;    /* and later, */
    bool golden_cove; /* the 12th generation and later, */
    bool gracemont;   /* or that: D0H/05H are loads, 06H is every store */
    unsigned windows, records, counter;
    uint64_t since;       /* of the record before, or the window's begin */
    bool taken, modified; /* by processor 1; it has stored to the lines */
} device;

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static _Alignas(4096) uint8_t source[4096];
static struct test_context all[2]; /* the second one takes lines alone */
static struct test_context *const t = &all[0];

/* One access and what is true of it. */
struct access {
    uint64_t address, before; /* before: of the access before it */
    bool load, store, locked, split, l1, stlb_miss, wide, fs, exchanged, turns;
    bool byte, string, direct, push, x87, vex, pop, indexed;
    bool gs, relative;
    unsigned from, latency; /* data source, core clock cycles */
};

/* True where the access is one of the event's. */
static bool counts(uint64_t select, const struct access *a, unsigned number)
{
    const uint64_t threshold = fake_msr(MSR_PEBS_LD_LAT)->value;
    const bool reached = device.is == THRESHOLD_REACHED ||
                         (device.is == THRESHOLD_SOMETIMES && number % 24 == 0);

    if (device.is == EVENTS_OF_ALL_LOADS && (select & 0xff) != 0xcd && a->load)
        return true;
    switch (select & 0xffff) {
    case MEMORY_PRECISE_STORE:
        return a->store;
    case 0x06d0:
        return a->store && device.is != STORES_SILENT &&
               (!a->locked || device.is != LOCKED_SILENT);
    case 0x05d0:
    case MEMORY_LOAD_LATENCY:
        /* Tagged: every third. */
        return (a->load || device.is == STORES_AS_LOADS) && number % 3 == 0 &&
               (device.is == THRESHOLD_IGNORED ||
                a->latency + (device.is == THRESHOLD_LESS_1 ? 2
                              : reached                     ? 1
                                                            : 0) >
                    threshold);
    case 0x11d0:
        return a->load && a->stlb_miss;
    case 0x12d0:
        return a->store && a->stlb_miss;
    case 0x21d0:
        return a->load && a->locked;
    case 0x41d0:
        return a->load && a->split && device.is != NO_SPLITS;
    case 0x42d0:
        return a->store && a->split && device.is != NO_SPLITS;
    case 0x81d0:
        return a->load && !(a->x87 && device.is == X87_SILENT) &&
               !(a->vex && device.is == VEX_SILENT) &&
               !(a->pop && device.is == POP_SILENT);
    case 0x82d0:
        return a->store && !(a->direct && device.is == DIRECT_SILENT);
    case 0x01d1:
        return a->load && a->from == 1;
    case 0x02d1:
        return a->load && (a->from == 3 ||
                           (device.is == L2_HITS_WITH_MEMORY && a->from > 4));
    case 0x04d1:
    case 0x08d2:
        return a->load && a->from == 4;
    case 0x08d1:
        return a->load && a->from != 1 &&
               (device.is != L1_MISSES_WITHOUT_L2 || a->from != 3);
    case 0x10d1:
        return a->load && a->from > (device.is == L2_MISSES_WITH_L2 ? 1 : 3);
    case 0x20d1:
    case 0x01d3:
        return a->load && a->from > 4;
    }
    return false;
}

static uint64_t address_of(const struct access *a)
{
    switch (device.is) {
    case ADDRESS_OF_PREVIOUS:
        return a->before;
    case ADDRESS_OFF_BY_8:
        return a->address + 8;
    case ADDRESS_OUTSIDE:
        return a->address ^ UINT64_C(1) << 40;
    case ADDRESS_OF_STORES_MISSING:
        return a->store ? 0 : a->address;
    case ADDRESS_WIDE_OFF_BY_8:
        return a->address + (a->wide ? 8 : 0);
    case ADDRESS_WITHOUT_GS:
        return a->address - (a->gs ? MEMORY_SEGMENT : 0);
    case ADDRESS_BEFORE_IMMEDIATE:
        return a->address - (a->relative ? 4 : 0);
    case ADDRESS_WITHOUT_FS:
        return a->address - (a->fs ? MEMORY_SEGMENT : 0);
    case ADDRESS_OF_STRING_AFTER:
        return a->address + (a->string ? MEMORY_STRING_BYTES : 0);
    case ADDRESS_OF_PUSH_BEFORE:
        return a->address + (a->push ? 8 : 0);
    case ADDRESS_WITHOUT_INDEX:
        return a->address - (a->indexed ? 24 : 0);
    case ADDRESS_OF_UPDATE_BEHIND:
        return a->address + (a->load && a->store && !a->locked ? 8 : 0);
    case ADDRESS_EVEN:
        return a->address & ~UINT64_C(1);
    default:
        return a->address;
    }
}

static bool hit_of(const struct access *a)
{
    return device.is == L1D_HIT_INVERTED
               ? !a->l1
               : (a->l1 && device.is != L1D_HIT_NEVER &&
                  (!a->byte || device.is != L1D_HIT_NOT_OF_BYTES)) ||
                     device.is == L1D_HIT_ALWAYS;
}

static uint64_t tlb_and_lock(const struct access *a)
{
    bool stlb = (a->stlb_miss && device.is != STLB_NEVER &&
                 (device.is != STLB_NOT_OF_L1 || !a->l1)) ||
                device.is == STLB_ALWAYS;
    bool lock = (a->locked && device.is != LOCK_NEVER &&
                 (device.is != LOCK_BY_PREFIX || !a->exchanged) &&
                 (device.is != LOCK_OF_BYTE_0 || !a->byte)) ||
                device.is == LOCK_ALWAYS;

    if (device.is == LOCK_AT_BIT_4)
        return (stlb || lock) ? BIT(4) : 0;
    /* The other way round (Linux, arch/x86/events/intel/ds.c). */
    if (device.gracemont)
        return (lock ? BIT(4) : 0) | (stlb ? BIT(5) : 0);
    return (stlb ? BIT(4) : 0) | (lock ? BIT(5) : 0);
}

static uint64_t source_of(const struct access *a)
{
    switch (device.is) {
    case SOURCE_SHIFTED:
        return (uint64_t)a->from << 1;
    case SOURCE_ALWAYS_L1:
        return 1;
    case SOURCE_ALWAYS_MEMORY:
        return 0xa;
    case SOURCE_RESERVED_BIT:
        return a->from | BIT(6);
    case L3_SAYS_MEMORY:
        return a->from == 4 ? 0xa : a->from;
    default:
        return a->from;
    }
}

/* Lines that another core has: by the tables of the generations. */
static unsigned snooped(bool modified)
{
    const bool says = device.is == SNOOP_THIRD    ? device.records++ % 3 == 0
                      : device.is == SNOOP_NEVER  ? false
                      : device.is == SNOOP_ALWAYS ? true
                                                  : modified;

    if (device.is == SNOOP_MEMORY)
        return 0xc;
    if (device.is == SNOOP_FORWARDS)
        return 7;
    return (says ? 6u : 5u) + (device.is == SNOOP_LATER || device.ice_lake);
}

static bool has_latency(uint64_t select)
{
    return select == (device.gracemont ? 0x05d0 : MEMORY_LOAD_LATENCY) ||
           (device.gracemont && select == 0x06d0);
}

/* 98H, A0H, A8H */
static void describe(uint64_t select, const struct access *a,
                     struct pebs_format3 *record)
{
    record->data_linear_address = address_of(a);
    if (device.taken) {
        record->data_source = snooped(device.modified);
        record->latency = a->latency;
        return;
    }
    if (has_latency(select)) {
        record->data_source = source_of(a) | tlb_and_lock(a);
        record->latency =
            device.is == LATENCY_IS_THRESHOLD ? fake_msr(MSR_PEBS_LD_LAT)->value
            : device.is == LATENCY_CONSTANT   ? 300
            : device.is == LATENCY_OF_8 && a->latency > 255 ? 255
            : device.is == LATENCY_HUGE                     ? UINT64_C(1) << 60
            : device.is == LATENCY_THREEFOLD ? 3 * (fake_tsc - device.since)
            : device.is == LATENCY_FIVEFOLD  ? 5 * (fake_tsc - device.since)
            : device.is == BELOW_SOMETIMES && a->from == 0xc &&
                    fake_msr(MSR_PEBS_LD_LAT)->value > 4 &&
                    device.records++ % 8 == 0
                ? fake_msr(MSR_PEBS_LD_LAT)->value - 1
            : device.is == LATENCY_OF_BYTE_0 && a->byte ? 0
                                                        : a->latency;
    } else if (select == MEMORY_PRECISE_STORE) {
        record->data_source = hit_of(a) | tlb_and_lock(a);
    } else if (a->store) {
        record->data_source =
            hit_of(a) | (device.is == STATUS_MORE_BITS ? BIT(5) : 0);
    }
    if (device.is == LATENCY_JUNK && select != MEMORY_LOAD_LATENCY)
        record->latency = 7;
}

/* "Basic Info", "Memory Access Info", "GPRs": all of 208 bytes; with XMM
 * registers and one entry of "LBRs", where these are asked for, 488. */
#define ADAPTED_MAX 488
static size_t adapted_bytes(void)
{
    const uint64_t asked = fake_msr(MSR_PEBS_DATA_CFG)->value;

    return 208u + ((asked & BIT(2)) != 0 ? 256u : 0u) +
           ((asked & BIT(3)) != 0 ? 24u : 0u);
}

/* Of later ones the latency is two: [15:0] of the instruction, [47:32] of the
 * access. */
static void adapt(const struct pebs_format3 *r, uint64_t quadwords[])
{
    const uint64_t other = r->latency + 40;

    quadwords[0] = adapted_bytes() << 48 | fake_msr(MSR_PEBS_DATA_CFG)->value |
                   (device.is == GROUP_UNKNOWN ? BIT(10) : 0);
    quadwords[1] = r->eventing_ip;
    quadwords[2] = r->applicable_counter, quadwords[3] = r->tsc;
    quadwords[4] = r->data_linear_address;
    quadwords[5] = r->data_source;
    quadwords[6] = !(device.golden_cove || device.gracemont) || r->latency == 0
                       ? r->latency
                   : device.is == LATENCIES_SWAPPED ? other << 32 | r->latency
                                                    : r->latency << 32 | other;
    quadwords[9] = r->rip;
    quadwords[10] = r->rax;
    quadwords[17] = r->rdi;
}

static void write_record(const struct access *a, uint64_t select,
                         const uint8_t *loop)
{
    static const size_t sizes[] = {0, 176, 192, 200};
    uint64_t adapted[ADAPTED_MAX / 8] = {0};
    struct pebs_ds_area *area =
        (struct pebs_ds_area *)(uintptr_t)fake_msr(IA32_DS_AREA)->value;
    const uint64_t named = (uint64_t)(device.is != NO_COUNTER)
                           << (device.counter + (device.is == OTHER_COUNTER));
    struct pebs_format3 record = {
        .rip = (uint64_t)(uintptr_t)loop + 16,
        .eventing_ip = (uint64_t)(uintptr_t)loop + 13,
        .rdi = a->address + (a->string ? MEMORY_STRING_BYTES : 0),
        .rax = device.is == STATE_BEFORE ? a->before : a->address,
        .applicable_counter = named,
        .tsc = device.is == NO_TIME ? 0 : fake_tsc};
    size_t size = device.format == 4 ? adapted_bytes() : sizes[device.format];

    if (area->pebs_index + size > area->pebs_absolute_maximum ||
        device.is == NO_RECORDS)
        return;
    if (device.is == EVENTING_IP_IS_RIP ||
        (device.is == EVENTING_IP_ONCE && device.records++ == 0))
        record.eventing_ip = record.rip;
    if (device.is == RIP_OF_LATER)
        record.eventing_ip = record.rip, record.rip += 3;
    if (device.is == SOME_OUTSIDE && device.records++ % 4 == 0)
        record.rip += 1000;
    describe(select, a, &record);
    device.since = fake_tsc;
    adapt(&record, adapted);
    memcpy((void *)(uintptr_t)area->pebs_index,
           device.format == 4 ? (const void *)adapted : &record, size);
    area->pebs_index += size;
}

#endif
