/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore_device.h - off-core response and the uncore of a client processor, or
 * the same with one deviation, everywhere or in one part. */
#ifndef TESTS_HOST_CASES_UNCORE_UNCORE_DEVICE_H
#define TESTS_HOST_CASES_UNCORE_UNCORE_DEVICE_H

#include "asm/line_access.h"
#include "asm/memory_windows.h"
#include "src/base/msr.h"
#include "src/uncore/uncore.h"
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
    OFFCORE_CACHED, /* cached reads are counted too */
    OFFCORE_ZERO_IS_ALL,
    OFFCORE_TWICE,
    OFFCORE_BBH_DEAD,
    OFFCORE_PMC2_DEAD,
    OFFCORE_LOSES, /* one read in four */
    OFFCORE_REQUEST_IGNORED,
    OFFCORE_SUPPLIER_IGNORED,
    OFFCORE_RESPONSE_IGNORED,
    OFFCORE_RESERVED_TAKEN,
    OFFCORE_SNOOP_IGNORED,
    OFFCORE_STORES_ARE_READS,
    OFFCORE_BIT_LOST,
    CLOCK_DEAD,
    CLOCK_WITHOUT_GLOBAL,
    CLOCK_WITHOUT_OWN,
    CLOCK_UNSTEADY,
    CBOX_NONE,
    CBOX_DEAD, /* one of them */
    CBOX_CACHED,
    CBOX_NO_STATE,
    CBOX_TWICE,
    CBOX_FIRST, /* all lines in one */
    ARB_COUNTER1_DEAD,
    ARB_CACHED,
    ARB_NO_OCCUPANCY,
    ARB_OCCUPANCY_IS_REQUESTS,
    ARB_READS_ARE_WRITES,
    ARB_NO_WRITES,
    CTRL_WAKE_LOST,
    CTRL_CORES_LOST,
    PMI_WITHOUT_DEBUGCTL,
    PMI_WITHOUT_CORE,
    PMI_NOT_FORWARDED,
    STATUS_NONE,
    STATUS_ALL,
    FREEZE_IGNORED,
    FREEZE_ALWAYS,
    DEVIATIONS,
};

/* Where an overflow deviates. */
enum part { EVERYWHERE, OF_FIXED, OF_ARB, OF_CBOX, OF_ONE_CORE, PARTS };

/* --- The device ---------------------------------------------------------- */

#define BOXES      4
#define CACHED_MAX 4096

static struct {
    enum deviation is;
    enum part part;
    uint32_t ctrl, status; /* of the uncore */
    uint64_t memory;       /* the supplier that a miss has */
    uint64_t valid;        /* bits of MSR_OFFCORE_RSP_x that are taken */
    const void *cached[CACHED_MAX];
    unsigned cached_count;
    uint64_t tsc;
    unsigned windows; /* of the clock, for the unsteady one */
    unsigned clock_bits;
    bool interrupts_on;
    bool dirty; /* what is stored to has been before */
    unsigned interrupts;
} device;
static unsigned clock_bits; /* 0: as the model's table has it */

static uint64_t *msr(uint32_t number)
{
    return &fake_msr(number)->value;
}

static void interrupt(void)
{
    bool core = (*msr(device.ctrl) & 1) != 0 || device.is == PMI_WITHOUT_CORE;
    bool asked =
        (*msr(0x1d9) & BIT(13)) != 0 || device.is == PMI_WITHOUT_DEBUGCTL;

    if (!core || !asked || !device.interrupts_on)
        return;
    device.interrupts++;
    *msr(0x38e) |= BIT(61);
}

/* By the bit of the status; MSR_UNC_PERF_GLOBAL_CTRL[4:0] selects cores. */
static bool is_there(uint64_t status)
{
    const uint64_t cores = *msr(device.ctrl) & 31;

    return device.part == EVERYWHERE ||
           (device.part == OF_FIXED && status == 1) ||
           (device.part == OF_ARB && status == 2) ||
           (device.part == OF_CBOX && status == 8) ||
           (device.part == OF_ONE_CORE && (cores & (cores - 1)) == 0 &&
            cores != 0);
}

/* Adds to a counter whose select or control has EN. */
static void add(uint32_t select, uint32_t counter, uint64_t n, unsigned bits,
                uint64_t status)
{
    const enum deviation is = is_there(status) ? device.is : NONE;
    uint64_t value = *msr(counter) + n;

    *msr(counter) = value & BITS(bits - 1, 0);
    if (value >> bits == 0 ||
        ((*msr(select) & BIT(20)) == 0 && is != PMI_NOT_FORWARDED))
        return;
    if (is != STATUS_NONE)
        *msr(device.status) |= is == STATUS_ALL ? 0xb : status;
    interrupt();
    if (((*msr(device.ctrl) & BIT(31)) != 0 && is != FREEZE_IGNORED) ||
        is == FREEZE_ALWAYS) {
        *msr(device.ctrl) &= ~BIT(29);
        *msr(counter) = 0;
    }
}

/* The clock up to now: half as fast as the TSC. */
static void advance(void)
{
    uint64_t now = hw_tsc(), ticks = (now - device.tsc) / 2;
    bool global = (*msr(device.ctrl) & BIT(29)) != 0;
    bool own = (*msr(0x394) & BIT(22)) != 0;

    device.tsc = now;
    if (device.is == CLOCK_UNSTEADY && ticks > 1000)
        ticks /= 1 + device.windows++ % 2;
    if (device.is != CLOCK_DEAD &&
        (global || device.is == CLOCK_WITHOUT_GLOBAL) &&
        (own || device.is == CLOCK_WITHOUT_OWN))
        add(0x394, 0x395, ticks, device.clock_bits, 1);
}

static int access(uint32_t number, const uint64_t *written)
{
    advance();
    if (written == NULL)
        return HW_NO_FAULT;
    if (number == 0x390)
        *msr(0x38e) &= ~*written;
    if (number == 0x395 && *written >> device.clock_bits != 0)
        return HW_GP;
    if ((number == 0x1a6 || number == 0x1a7) &&
        (*written & ~device.valid) != 0 && device.is != OFFCORE_RESERVED_TAKEN)
        return HW_GP;
    if ((number == device.ctrl || number == 0x394 || number - 0x3b2 < 2 ||
         number - 0x700 < 2) &&
        *written >> 32 != 0)
        return HW_GP;
    return HW_NO_FAULT;
}

/* Whether a request that misses is one of those selected; the snoop missed. */
static bool selected(uint64_t response, uint64_t request)
{
    uint64_t supplier = response & BITS(30, 17);
    uint64_t snoop =
        response &
        (device.is == OFFCORE_SNOOP_IGNORED ? BITS(37, 31) : BIT(33));

    if (response == 0 && device.is == OFFCORE_ZERO_IS_ALL)
        return true;
    if ((response & request) == 0 &&
        !(device.is == OFFCORE_REQUEST_IGNORED && (response & 3) != 0))
        return false;
    if ((response & BIT(16)) != 0 || device.is == OFFCORE_RESPONSE_IGNORED)
        return true;
    if (device.is != OFFCORE_SUPPLIER_IGNORED)
        supplier &= device.memory;
    return supplier != 0 && snoop != 0;
}

static void count_in_core(bool hit, unsigned nth, uint64_t request)
{
    for (unsigned c = 0; c < 4; c++) {
        uint64_t event = *msr(0x186 + c) & 0xffff;
        bool bb = event == 0x1bb;
        if ((*msr(0x38f) & BIT(c)) == 0 || (*msr(0x186 + c) & BIT(17)) == 0 ||
            (event != 0x1b7 && !bb) || (hit && device.is != OFFCORE_CACHED) ||
            !selected(*msr(bb ? 0x1a7 : 0x1a6), request) ||
            (bb && device.is == OFFCORE_BBH_DEAD) ||
            (c == 2 && device.is == OFFCORE_PMC2_DEAD) ||
            (nth % 4 == 0 && device.is == OFFCORE_LOSES))
            continue;
        *msr(0xc1 + c) += device.is == OFFCORE_TWICE ? 2 : 1;
    }
}

static bool counts(uint32_t select, uint64_t event)
{
    return (*msr(device.ctrl) & BIT(29)) != 0 &&
           (*msr(select) & BIT(22)) != 0 && (*msr(select) & 0xffff) == event;
}

static void count_in_uncore(bool hit, unsigned box)
{
    for (uint32_t n = 0; n < 2; n++) {
        uint32_t select = 0x700 + 0x10 * box + n, counter = select + 6;
        bool dead = box == 1 && device.is == CBOX_DEAD;
        if (!dead && (!hit || device.is == CBOX_CACHED) &&
            counts(select, 0x1f34))
            add(select, counter, device.is == CBOX_TWICE ? 2 : 1, 44, 8);
        if (!dead && !hit && device.is != CBOX_NO_STATE &&
            counts(select, 0x1834))
            add(select, counter, device.is == CBOX_TWICE ? 2 : 1, 44, 8);
        if ((n == 0 || device.is != ARB_COUNTER1_DEAD) &&
            (!hit || device.is == ARB_CACHED) && counts(0x3b2 + n, 0x181))
            add(0x3b2 + n, 0x3b0 + n, 1, 44, 2);
        if (!hit && device.is == ARB_READS_ARE_WRITES &&
            counts(0x3b2 + n, 0x2081))
            add(0x3b2 + n, 0x3b0 + n, 1, 44, 2);
        if (n == 0 && !hit && device.is != ARB_NO_OCCUPANCY &&
            counts(0x3b2, 0x180))
            add(0x3b2, 0x3b0, device.is == ARB_OCCUPANCY_IS_REQUESTS ? 1 : 30,
                44, 2);
    }
}

void lines_flush(const void *const lines[], uint64_t count)
{
    (void)lines;
    (void)count;
    device.cached_count = 0;
}

void lines_read(const void *const lines[], uint64_t count)
{
    for (unsigned i = 0; i < count; i++) {
        bool hit = false;
        for (unsigned k = 0; k < device.cached_count; k++)
            hit = hit || device.cached[k] == lines[i];
        if (!hit)
            device.cached[device.cached_count++ % CACHED_MAX] = lines[i];
        count_in_core(hit, i, BIT(0));
        if ((uintptr_t)lines[i] % 64 > 56) /* of two lines */
            count_in_core(hit, i, BIT(0));
        count_in_uncore(hit, device.is == CBOX_FIRST ? 0 : i % BOXES);
    }
}

void memory_store_flush(uint64_t enable, const struct memory_walk *walk)
{
    (void)enable;
    for (unsigned i = 0; i < walk->count; i++) {
        count_in_core(false, i,
                      device.is == OFFCORE_STORES_ARE_READS ? BIT(0) : BIT(1));
        count_in_uncore(false, 0);
        for (uint32_t n = 0; n < 2 && device.dirty; n++)
            if (counts(0x3b2 + n, 0x181) ||
                (counts(0x3b2 + n, 0x2081) && device.is != ARB_NO_WRITES))
                add(0x3b2 + n, 0x3b0 + n, 1, 44, 2);
    }
    device.dirty = true;
}

void memory_locked_flush(uint64_t enable, const struct memory_walk *walk)
{
    memory_store_flush(enable, walk);
}

bool hw_pmi_begin(bool nmi)
{
    (void)nmi;
    device.interrupts_on = true;
    device.interrupts = 0;
    return true;
}

unsigned hw_pmi_count(void)
{
    return device.interrupts;
}

void hw_pmi_end(void)
{
    device.interrupts_on = false;
}

/* --- The cases over it --------------------------------------------------- */

static struct test_context all[1];

/* Where the next one deviates. */
static enum part next_part;

static void power_on(const struct test *test, uint16_t model,
                     enum deviation deviation)
{
    static _Alignas(4096) char buffer[TEST_BUFFER_BYTES],
        source[TEST_SOURCE_BYTES];
    static struct hw_result results[1];
    struct test_context *t = &all[0];

    memset(&device, 0, sizeof(device));
    memset(all, 0, sizeof(all));
    fake_reset();
    t->cpu = (struct identity){.vendor = "GenuineIntel",
                               .family = 6,
                               .model = model,
                               .perfmon_version = model < 0x4e ? 3 : 4,
                               .counters = 4,
                               .counter_bits = 48,
                               .fixed_counters = 3,
                               .fixed_set = 7,
                               .fixed_bits = 48,
                               .full_width_writes = true};
    t->regime = REGIME_A;
    t->all = all;
    t->results = results;
    t->processors = 1;
    t->buffer = buffer;
    t->source = source;
    context_begin(t, test, 1);

    device.is = deviation;
    device.part = next_part;
    device.ctrl = model < 0x4e ? 0x391 : 0xe01;
    device.status = device.ctrl + 1;
    device.clock_bits = clock_bits != 0 ? clock_bits : model < 0x4e ? 48 : 44;
    device.memory = model == 0x5e ? BIT(26) : BIT(22);
    device.valid = model == 0x2a ? 0x3f807f8fff : 0x3fffff8fff;
    for (uint32_t n = 0x394; n <= 0x395; n++)
        *msr(n) = 0;
    for (uint32_t n = 0x3b0; n <= 0x3b3; n++)
        *msr(n) = 7;
    for (uint32_t box = 0; box < BOXES; box++)
        for (uint32_t n = 0; n < 2; n++)
            *msr(0x700 + 0x10 * box + n) = *msr(0x706 + 0x10 * box + n) = 7;
    *msr(0x396) = deviation == CBOX_NONE ? 0
                  : model == 0x3c        ? BOXES + 1
                                         : BOXES;
    *msr(device.ctrl) = 1;
    *msr(device.status) = 0;
    *msr(0x1d9) = 1;
    *msr(0x1a6) = *msr(0x1a7) = 0x10001;
    if (deviation == OFFCORE_BIT_LOST)
        fake_msr(0x1a7)->writable = ~BIT(18);
    if (deviation == CTRL_WAKE_LOST)
        fake_msr(device.ctrl)->writable = ~BIT(30);
    if (deviation == CTRL_CORES_LOST)
        fake_msr(device.ctrl)->writable = ~BITS(4, 0);
    fake_device = access;
}

static enum verdict verdict_of(const struct test *test, uint16_t model,
                               enum deviation deviation)
{
    power_on(test, model, deviation);
    fake_body(&all[0]);
    restore_msrs(&all[0]);
    /* As found, whatever came of it. */
    assert_int_equal(*msr(device.ctrl), 1);
    assert_int_equal(*msr(0x1d9), 1);
    assert_int_equal(*msr(0x1a6), 0x10001);
    assert_int_equal(*msr(0x3b2), 7);
    assert_int_equal(*msr(0x737), 7);
    return all[0].verdict;
}

#endif
