/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_fixture.h - the windows of loads and stores over that device, and the
 * cases over it. */
#ifndef TESTS_HOST_CASES_MEMORY_MEMORY_FIXTURE_H
#define TESTS_HOST_CASES_MEMORY_MEMORY_FIXTURE_H

#include "tests/host/cases/memory/memory_device.h"

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
        if (a.turns && (a.address & 64) != 0)
            a.from = 0xc, a.latency = 230, a.l1 = false;
        else if (a.turns)
            a.from = 1, a.latency = 5, a.l1 = true;
        if (!counts(select, &a, k))
            continue;
        if (left != 0) {
            left--;
            continue;
        }
        device.counter = counter;
        write_record(&a, select, loop);
        left = -area->pebs_reset[counter] & BITS(47, 0);
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
    const uint64_t from = a->relative ? (uintptr_t)memory_cell
                          : far       ? (uintptr_t)source
                                      : (uintptr_t)memory;
    const uint64_t most = a->relative ? sizeof(memory_cell)
                          : far       ? TEST_SOURCE_BYTES
                                      : TEST_BUFFER_BYTES;
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
    assert_true(a->gs || fake_msr(IA32_GS_BASE)->value == 79);
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
    device.since = fake_tsc;
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
       assert_int_equal(fake_msr(IA32_FS_BASE)->value, MEMORY_SEGMENT))
WINDOW(load_flush, a.load = true, FLUSHED)
WINDOW(load_invlpg, a.load = a.stlb_miss = true)
WINDOW(store, a.store = true)
WINDOW(store_wide, a.store = a.wide = true)
WINDOW(store_flush, a.store = true, FLUSHED)
WINDOW(store_invlpg, a.store = a.stlb_miss = true)
WINDOW(locked, a.load = a.store = a.locked = true)
WINDOW(locked_invlpg, a.load = a.store = a.locked = a.stlb_miss = true)
WINDOW(load_byte, a.load = a.byte = true)
WINDOW(load_x87, a.load = a.x87 = true)
WINDOW(load_vex, a.load = a.vex = true)
WINDOW(store_string, a.store = a.string = true)
WINDOW(store_direct, a.store = a.direct = true)
WINDOW(store_push, a.store = a.push = true)
WINDOW(load_indexed, a.load = a.indexed = true)
WINDOW(store_indexed, a.store = a.indexed = true)
WINDOW(load_pop, a.load = a.pop = true)
WINDOW(updated, a.load = a.store = true)
WINDOW(locked_byte, a.load = a.store = a.locked = a.byte = true)
WINDOW(exchanged, a.load = a.store = a.locked = a.exchanged = true)
WINDOW(load_return, a.load = true)
WINDOW(load_jump, a.load = true)
WINDOW(load_leave, a.load = true)
WINDOW(load_gs, a.load = a.gs = true;
       assert_int_equal(fake_msr(IA32_GS_BASE)->value, MEMORY_SEGMENT))
WINDOW(load_conditional, a.load = true)
WINDOW(load_string, a.load = true)
WINDOW(load_relative, a.load = a.relative = true)
WINDOW(store_call, a.store = true)
WINDOW(pushed, a.load = a.store = true)
WINDOW(compared, a.load = a.store = a.locked = true)
WINDOW(load_bit, a.load = true)
WINDOW(load_narrow, a.load = true)
WINDOW(load_down, a.load = true)
WINDOW(load_lods, a.load = true)
WINDOW(load_scas, a.load = a.string = true)
WINDOW(load_call, a.load = true)
WINDOW(store_pop, a.store = true)
WINDOW(load_far, a.load = a.stlb_miss = true, FLUSHED, a.latency += 100)
WINDOW(load_turns, a.load = a.turns = true)
WINDOW(store_turns, a.store = a.turns = true)
WINDOW(store_turns_1, a.store = a.turns = true, a.byte = true)
WINDOW(store_turns_2, a.store = a.turns = true)
WINDOW(store_turns_4, a.store = a.turns = true)
WINDOW(store_turns_16, a.store = a.turns = true, a.wide = true)
WINDOW(store_fs, a.store = a.fs = true;
       assert_int_equal(fake_msr(IA32_FS_BASE)->value, MEMORY_SEGMENT))
WINDOW(store_gs, a.store = a.gs = true;
       assert_int_equal(fake_msr(IA32_GS_BASE)->value, MEMORY_SEGMENT))
WINDOW(added, a.load = a.store = a.locked = true)

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
    device.ice_lake = model >= 0x6a && !device.gracemont;
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
    fake_msr(IA32_GS_BASE)->value = 79;
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
    assert_int_equal(fake_msr(IA32_GS_BASE)->value, 79);
    if (deviation != THRESHOLD_LOST)
        assert_int_equal(fake_msr(MSR_PEBS_LD_LAT)->value, 77);
    return t->verdict;
}

#endif
