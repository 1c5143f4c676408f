/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_fixture.h - a device that makes the records of precise store, load
 * latency and data address profiling as the manual says, and its deviations. */
#ifndef TESTS_HOST_CASES_MEMORY_FIXTURE_H
#define TESTS_HOST_CASES_MEMORY_FIXTURE_H

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

#define CASES(C)              \
    C(precise_store_address)  \
    C(precise_store_status)   \
    C(precise_store_counters) \
    C(precise_store_enable)   \
    C(load_latency_address)   \
    C(load_latency_enable)    \
    C(load_latency_threshold) \
    C(load_latency_source)    \
    C(load_latency_snoop)     \
    C(data_address)
#define DECLARE(name) extern const struct test test_##name;
CASES(DECLARE)

enum deviation {
    NONE,
    ADDRESS_OF_PREVIOUS,
    ADDRESS_OFF_BY_8,
    ADDRESS_OUTSIDE,
    ADDRESS_OF_STORES_MISSING,
    ADDRESS_WIDE_OFF_BY_8, /* that of 16 bytes */
    ADDRESS_WITHOUT_FS,    /* its base */
    ADDRESS_EVEN,
    ADDRESS_OF_STRING_AFTER, /* where RDI is then */
    ADDRESS_OF_PUSH_BEFORE,  /* where RSP was */
    LATENCY_OF_BYTE_0,
    X87_SILENT,
    VEX_SILENT,
    DIRECT_SILENT,     /* MOVNTI */
    L1D_HIT_NOT_RING3, /* nor Locked Access, wrongly, */
    LOCK_AT_RING3,     /* but that is always 1 */
    L1D_HIT_INVERTED,
    L1D_HIT_ALWAYS,
    L1D_HIT_NEVER,
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
    ALL_SLOWER,        /* loads, by 40 cycles, */
    SLOWER_LATER,      /* or by 3, but for the first windows */
    L2_SLOWER,         /* as slow as L3 nearly: no one says how fast it is */
    L2_SLOWEST,        /* slower than L3 */
    L3_SAYS_MEMORY,
    SNOOP_NEVER,   /* of what another core has modified, */
    SNOOP_ALWAYS,  /* or has not */
    SNOOP_THIRD,   /* in every third record of each */
    SNOOP_MEMORY,  /* as if it were in no cache */
    GROUP_UNKNOWN, /* an adaptive record has one that there is not */
};

static struct {
    enum deviation is;
    unsigned format;
    bool golden_cove; /* the 12th generation and later, */
    bool gracemont;   /* or that: D0H/05H are loads, 06H is every store */
    unsigned windows, records;
    bool taken, modified; /* by processor 1; it has stored to the lines */
} device;

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static _Alignas(4096) uint8_t source[4096];
static struct test_context all[2]; /* the second one takes lines alone */
static struct test_context *const t = &all[0];

/* One access and what is true of it. */
struct access {
    uint64_t address, before; /* before: of the access before it */
    bool load, store, locked, split, l1, stlb_miss, wide, fs, exchanged;
    bool byte, string, direct, push, x87, vex;
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
               !(a->vex && device.is == VEX_SILENT);
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
    case ADDRESS_WITHOUT_FS:
        return a->address - (a->fs ? MEMORY_FS_BASE : 0);
    case ADDRESS_OF_STRING_AFTER:
        return a->address + (a->string ? MEMORY_STRING_BYTES : 0);
    case ADDRESS_OF_PUSH_BEFORE:
        return a->address + (a->push ? 8 : 0);
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
               : (a->l1 && device.is != L1D_HIT_NEVER) ||
                     device.is == L1D_HIT_ALWAYS;
}

static uint64_t tlb_and_lock(const struct access *a)
{
    bool stlb = (a->stlb_miss && device.is != STLB_NEVER &&
                 (device.is != STLB_NOT_OF_L1 || !a->l1)) ||
                device.is == STLB_ALWAYS;
    bool lock = (a->locked && device.is != LOCK_NEVER &&
                 (device.is != LOCK_BY_PREFIX || !a->exchanged)) ||
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
    return says ? (device.golden_cove ? 7 : 6) : 5;
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
            : device.is == LATENCY_HUGE       ? UINT64_C(1) << 60
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

/* "Basic Info", "Memory Access Info", "GPRs": all of 208 bytes. Of later ones
 * the latency is two: [15:0] of the instruction, [47:32] of the access. */
static void adapt(const struct pebs_format3 *r, uint64_t quadwords[26])
{
    const uint64_t other = r->latency + 40;

    quadwords[0] =
        UINT64_C(0xd0) << 48 | 3 | (device.is == GROUP_UNKNOWN ? BIT(10) : 0);
    quadwords[1] = r->eventing_ip;
    quadwords[2] = 1;
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
    static const size_t sizes[] = {0, 176, 192, 200, 208};
    uint64_t adapted[26] = {0};
    struct pebs_ds_area *area =
        (struct pebs_ds_area *)(uintptr_t)fake_msr(IA32_DS_AREA)->value;
    struct pebs_format3 record = {
        .rip = (uint64_t)(uintptr_t)loop + 16,
        .eventing_ip = (uint64_t)(uintptr_t)loop + 16 -
                       ((a->locked && !a->exchanged) || a->fs || a->vex
                            ? MEMORY_PREFIX_BYTES
                            : MEMORY_ACCESS_BYTES),
        .rdi = a->address + (a->string ? MEMORY_STRING_BYTES : 0),
        .rax = device.is == STATE_BEFORE ? a->before : a->address};
    size_t size = sizes[device.format];

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
    adapt(&record, adapted);
    memcpy((void *)(uintptr_t)area->pebs_index,
           device.format == 4 ? (const void *)adapted : &record, size);
    area->pebs_index += size;
}

/* The facility's bits have to be set, and the counter the one promised. */
static bool enabled(uint64_t select, unsigned counter)
{
    const uint64_t enable = fake_msr(IA32_PEBS_ENABLE)->value;

    if (device.format == 4 && (fake_msr(IA32_PERFEVTSEL(counter))->value &
                               IA32_PERFEVTSEL_ADAPTIVE) == 0)
        return false;
    if (device.gracemont)
        return enable == BIT(counter) &&
               (counter < 2 || !has_latency(select)) &&
               (counter == 0 || select != 0x06d0);
    /* LL_EN is none; LD_BLOCKS.STORE_FORWARD beside it, on IA32_PMC0 */
    if (device.format == 4 && select == MEMORY_LOAD_LATENCY)
        return enable == BIT(counter) &&
               (!device.golden_cove ||
                (counter != 0 &&
                 (fake_msr(IA32_PERFEVTSEL(0))->value & 0x40ffff) == 0x408203));
    if (select == MEMORY_PRECISE_STORE && device.format == 4)
        return counter == 0 && device.golden_cove;
    if (select == MEMORY_PRECISE_STORE)
        return (counter == 3 || device.is == PS_EN_OF_ANY) &&
               (enable == (BIT(63) | BIT(counter)) ||
                device.is == PS_EN_IGNORED);
    if (select == MEMORY_LOAD_LATENCY)
        return (enable == (BIT(32 + counter) | BIT(counter)) ||
                device.is == LL_EN_IGNORED ||
                (device.is == ANY_LL_EN && enable >> 32 != 0)) &&
               (device.format > 1 || counter == 3);
    if (counter == 2 && device.is == COUNTER_2_SILENT)
        return false;
    return (enable & ~BITS(device.format == 4 ? 7 : 3, 0)) == 0 &&
           (enable >> counter & 1) != 0;
}

static void walk_counter(unsigned counter, const struct memory_walk *walk,
                         struct access a, const uint8_t *loop)
{
    const uint64_t select = fake_msr(IA32_PERFEVTSEL(counter))->value & 0xffff;
    const struct pebs_ds_area *area =
        (struct pebs_ds_area *)(uintptr_t)fake_msr(IA32_DS_AREA)->value;
    uint64_t left = -fake_msr(IA32_PMC(counter))->value & BITS(47, 0);

    for (unsigned k = 0; k < walk->count && enabled(select, counter); k++) {
        hw_tsc(); /* it takes time */
        a.before = k == 0 ? 0 : a.address;
        a.address = walk->base + (k * walk->step & walk->mask);
        a.split = a.address % 64 > 56;
        if (!counts(select, &a, k))
            continue;
        if (left != 0) {
            left--;
            continue;
        }
        write_record(&a, select, loop);
        left = -area->pebs_counter_reset[counter] & BITS(47, 0);
    }
}

/* Accesses are where a test may make them: in its buffer, or, of loads alone,
 * in what it may read. None leaves its line but those that are to. */
static void assert_inside(const struct memory_walk *walk,
                          const struct access *a)
{
    const uint64_t far = walk->step >= 65536, bytes = a->wide   ? 16
                                                      : a->byte ? 1
                                                                : 8;
    const uint64_t from = far ? (uintptr_t)source : (uintptr_t)memory;
    const uint64_t most = far ? TEST_SOURCE_BYTES : TEST_BUFFER_BYTES;
    /* SDM 2A, CPUID leaf 4: of the sets of an L1, or of an L2, cache. */
    const uint64_t sets = a->from == 3                             ? 64
                          : a->from != 4                           ? 0
                          : device.golden_cove || device.gracemont ? 2048
                                                                   : 1024;
    uint64_t lines[64] = {0};
    unsigned distinct = 0;

    assert_true(!far || !a->store);
    for (unsigned k = 0; k < walk->count; k++) {
        const uint64_t at = walk->base + (k * walk->step & walk->mask);
        const bool crosses = at % 64 + bytes > 64;
        unsigned n = 0;

        assert_true(at >= from && at + bytes <= from + most);
        assert_int_equal(at % 16, a->wide   ? 5
                                  : a->byte ? 5 | (at & 8)
                                  : crosses ? 12
                                            : at & 8);
        assert_true(a->wide || crosses == (walk->base % 64 == 60));
        while (n < distinct && lines[n] != at / 64)
            n++;
        if (n == distinct && distinct < 64)
            lines[distinct++] = at / 64;
        assert_true(sets == 0 || at / 64 % sets == walk->base / 64 % sets);
    }
    if (a->from == 3)
        assert_int_equal(distinct, 16); /* of which it holds 8, */
    if (a->from == 4)
        assert_int_equal(distinct, 32); /* or 16 */
    if (a->from == 0xc)
        assert_int_equal(distinct, walk->count < 64 ? walk->count : 64);
    assert_true(a->fs || fake_msr(IA32_FS_BASE)->value == 78); /* as found */
}

static bool at_ring3;

/* The records of one counter after those of another. */
static void walk_through(uint64_t enable, const struct memory_walk *walk,
                         struct access a, const uint8_t *loop)
{
    assert_int_equal(enable & ~BITS(device.format == 4 ? 7 : 3, 0), 0);
    /* Of no counter that is not enabled. */
    assert_int_equal(fake_msr(IA32_PEBS_ENABLE)->value & BITS(7, 0) & ~enable,
                     0);
    if (!at_ring3) /* there it is a page of its own */
        assert_inside(walk, &a);
    device.windows++;
    for (unsigned n = 0; n < (device.format == 4 ? 8 : 4); n++)
        if ((enable >> n & 1) != 0)
            walk_counter(n, walk, a, loop);
}

/* Where a plain access finds its line, by the distance to the one before. */
static struct access plain(const struct memory_walk *walk)
{
    struct access a = {.from = 1, .latency = 5, .l1 = true};

    if (walk->step == 4096 && walk->mask > 0x7000)
        a.from = 3, a.latency = 12, a.l1 = false;
    if (walk->step >= 65536)
        a.from = 4, a.latency = 42, a.l1 = false;
    if (device.is == ALL_SLOWER)
        a.latency += 40;
    if (device.is == SLOWER_LATER && device.windows >= 3)
        a.latency += 3;
    if (device.is == L2_SLOWER && a.from == 3)
        a.latency = 40;
    if (device.is == L2_SLOWEST && a.from == 3)
        a.latency = 50;
    return a;
}

#define WINDOW(name, ...)                                                   \
    void memory_##name(uint64_t enable, const struct memory_walk *walk)     \
    {                                                                       \
        struct access a = plain(walk);                                      \
        __VA_ARGS__;                                                        \
        if (fake_current == 1) {                                            \
            assert_false(a.l1); /* it flushes the line, for itself alone */ \
            device.taken = true;                                            \
            device.modified = a.store;                                      \
            return;                                                         \
        }                                                                   \
        walk_through(enable, walk, a, memory_##name##_loop);                \
    }
#define FLUSHED a.from = 0xc, a.latency = 230, a.l1 = false
WINDOW(load, a.load = true)
WINDOW(load_wide, a.load = a.wide = true)
WINDOW(load_fs, a.load = a.fs = true;
       assert_int_equal(fake_msr(IA32_FS_BASE)->value, MEMORY_FS_BASE))
WINDOW(load_flush, a.load = true, FLUSHED)
WINDOW(load_invlpg, a.load = a.stlb_miss = true)
WINDOW(store, a.store = true)
WINDOW(store_wide, a.store = a.wide = true)
WINDOW(store_flush, a.store = true, FLUSHED)
WINDOW(store_invlpg, a.store = a.stlb_miss = true)
WINDOW(locked, a.load = a.store = a.locked = true)
WINDOW(load_byte, a.load = a.byte = true)
WINDOW(load_x87, a.load = a.x87 = true)
WINDOW(load_vex, a.load = a.vex = true)
WINDOW(store_string, a.store = a.string = true)
WINDOW(store_direct, a.store = a.direct = true)
WINDOW(store_push, a.store = a.push = true)
WINDOW(exchanged, a.load = a.store = a.locked = a.exchanged = true)

/* Ring 3, of firmware's tables in which nothing is: stores to the page. */
static _Alignas(4096) uint64_t firmware_root[512], firmware_gdt[8];

void ring3_read(struct ring3_registers *out)
{
    *out = (struct ring3_registers){.gdt = {.limit = sizeof(firmware_gdt) - 1,
                                            .base = (uintptr_t)firmware_gdt},
                                    .cs = 0x38,
                                    .ss = 0x30,
                                    .cr3 = (uintptr_t)firmware_root};
}

void ring3_load(const struct ring3_registers *in)
{
    at_ring3 = in->cr3 != (uintptr_t)firmware_root;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    const struct memory_walk walk = {.base = ring3->user_data + 2040,
                                     .count = 40};
    const struct access a = {.store = true,
                             .l1 = device.is != L1D_HIT_NOT_RING3,
                             .locked = device.is == LOCK_AT_RING3};

    assert_true(at_ring3 && ring3->level == 3);
    ring3->vector = HW_NO_FAULT;
    walk_through(enable, &walk, a, memory_store_loop);
    return 0;
}

/* --- The cases over it --------------------------------------------------- */

static uint8_t smt_shift = 1;

/* What was written to MSR_PEBS_LD_LAT. */
static uint64_t thresholds[64];
static unsigned thresholds_count;

static int note_threshold(uint32_t msr, const uint64_t *written)
{
    if (msr == MSR_PEBS_LD_LAT && written != NULL && thresholds_count < 64)
        thresholds[thresholds_count++] = *written;
    return HW_NO_FAULT;
}

static void power_on(const struct test *test, uint16_t model,
                     enum deviation deviation)
{
    static struct hw_result results[2];

    memset(&device, 0, sizeof(device));
    memset(all, 0, sizeof(all));
    fake_reset();
    static const uint32_t of_ring3[] = {IA32_FS_BASE, IA32_GS_BASE, IA32_EFER,
                                        IA32_STAR,    IA32_LSTAR,   IA32_FMASK};
    for (unsigned i = 0; i < sizeof(of_ring3) / sizeof(of_ring3[0]); i++)
        fake_msr(of_ring3[i])->value = 0;
    t->results = results;
    device.is = deviation;
    device.format = model < 0x3c ? 1 : model < 0x4e ? 2 : model < 0x6a ? 3 : 4;
    device.gracemont = model == 0xbe;
    device.golden_cove = model >= 0x8f && !device.gracemont;
    t->cpu = (struct identity){.vendor = "GenuineIntel",
                               .family = 6,
                               .model = model,
                               .perfmon_version = model < 0x4e ? 3 : 4,
                               .counters = device.format == 4 ? 8 : 4,
                               .counter_bits = 48,
                               .fixed_counters = 3,
                               .fixed_set = 7,
                               .fixed_bits = 48,
                               .leaf7_ebx = BIT(3), /* BMI1 */
                               .smt_shift = smt_shift,
                               .pebs_format = (uint8_t)device.format,
                               .full_width_writes = true};
    t->regime = REGIME_A;
    t->all = all;
    t->processors = 1;
    t->buffer = memory;
    t->source = source;
    context_begin(t, test, 1);
    context_fill(t);
    fake_msr(IA32_DS_AREA)->value = 0x1234;
    fake_msr(IA32_PEBS_ENABLE)->value = 0;
    fake_msr(MSR_PEBS_DATA_CFG)->value = 0;
    for (unsigned n = 4; n < t->cpu.counters; n++)
        fake_msr(IA32_PERFEVTSEL(n))->value = fake_msr(IA32_PMC(n))->value =
            fake_msr(IA32_A_PMC(n))->value = 0;
    fake_msr(MSR_PEBS_LD_LAT)->value = 77;
    fake_msr(IA32_FS_BASE)->value = 78;
    thresholds_count = 0;
    fake_device = note_threshold;
    if (deviation == THRESHOLD_LOST)
        fake_msr(MSR_PEBS_LD_LAT)->writable = 7;
    if (test != &test_load_latency_snoop)
        return;
    fake_processors(2);
    all[1] = all[0];
    all[1].processor = 1;
    all[1].cpu.apic_id = 2; /* another core */
    all[0].processors = all[1].processors = 2;
}

static enum verdict verdict_of(const struct test *test, uint16_t model,
                               enum deviation deviation)
{
    power_on(test, model, deviation);
    fake_body(t);
    restore_msrs(t);
    assert_int_equal(fake_current, 0);
    t->text[t->text_bytes] = '\0';
    /* As found, whatever came of it. */
    assert_int_equal(fake_msr(IA32_DS_AREA)->value, 0x1234);
    assert_int_equal(fake_msr(IA32_PEBS_ENABLE)->value, 0);
    assert_int_equal(fake_msr(IA32_FS_BASE)->value, 78);
    if (deviation != THRESHOLD_LOST)
        assert_int_equal(fake_msr(MSR_PEBS_LD_LAT)->value, 77);
    return t->verdict;
}

#endif
