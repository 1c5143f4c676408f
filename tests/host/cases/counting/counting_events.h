/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_events.h - windows whose events of all kinds are known, for the
 * cases of which events there are. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_EVENTS_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_EVENTS_H

#include "asm/memory_windows.h"
#include "tests/host/cases/counting/counting_rings.h"

extern const struct test test_counter_enumeration, test_events_in_groups,
    test_memory_counts;

#define FIXED(n) (PLACE_FIXED0 + (n))
#define EVERY    0

static void set_wrong(unsigned place, uint64_t event, int64_t more,
                      unsigned window)
{
    device.wrong.place = place;
    device.wrong.event = event;
    device.wrong.ring = EVERYWHERE;
    device.wrong.more = more;
    device.wrong.window = window;
}

/* --- Windows ------------------------------------------------------------- */

static const struct piece piece_random = {
    .instructions = 300, .taken = 36, .falling = 32, .mispredicted = 30};
static struct {
    uint32_t locked_operations;
    uint32_t cached_references;
} machine;

WINDOW(plain)
WINDOW(random)

/* The walk, and some instructions of the call. */
static bool updates; /* what loads and stores is not locked */
static bool byte;    /* and not 8 of them, */
static bool wide;    /* or 16 */
static uint32_t turn = 7, branches = 1; /* instructions, and of them branches */

static void walk(uint64_t enable, const struct memory_walk *w, bool load,
                 bool store, bool flushed)
{
    const uint32_t n = (uint32_t)w->count;
    const bool split = w->base % 64 > (wide ? 64 - 16 : 64 - 8);
    const struct piece p = {
        .instructions = 30 + turn * n,
        .jumps = 4 + branches * n,
        .loads = 3 + (load ? n : 0),
        .stores = 2 + (store ? n : 0),
        .locked = load && store && !updates ? n * machine.locked_operations : 0,
        .split_loads = split && load && !byte ? n : 0,
        .split_stores = split && store ? n : 0,
        .references = flushed ? n : machine.cached_references,
        .misses = flushed ? n : 0,
        .cycles = 24000};

    assert_true(enable == *msr(IA32_PERF_GLOBAL_CTRL) && enable != 0);
    run_window(enable, &p, 1);
}

void memory_load_flush(uint64_t enable, const struct memory_walk *w)
{
    walk(enable, w, true, false, true);
}

void memory_store_flush(uint64_t enable, const struct memory_walk *w)
{
    walk(enable, w, false, true, true);
}

void memory_load(uint64_t enable, const struct memory_walk *w)
{
    walk(enable, w, true, false, false);
}

void memory_store(uint64_t enable, const struct memory_walk *w)
{
    walk(enable, w, false, true, false);
}

void memory_locked(uint64_t enable, const struct memory_walk *w)
{
    walk(enable, w, true, true, false);
}

void memory_load_byte(uint64_t enable, const struct memory_walk *w)
{
    byte = true;
    walk(enable, w, true, false, false);
    byte = false;
}

void memory_load_wide(uint64_t enable, const struct memory_walk *w)
{
    wide = true;
    walk(enable, w, true, false, false);
    wide = false;
}

void memory_store_wide(uint64_t enable, const struct memory_walk *w)
{
    wide = true;
    walk(enable, w, false, true, false);
    wide = false;
}

#define WALK(name, in_turn, of_branches, load, store, locked)             \
    void memory_##name(uint64_t enable, const struct memory_walk *walked) \
    {                                                                     \
        turn = in_turn, branches = of_branches;                           \
        updates = !(locked);                                              \
        walk(enable, walked, load, store, locked);                        \
        turn = 7, branches = 1, updates = false;                          \
    }
WALK(load_x87, 8, 1, true, false, false)
WALK(load_vex, 7, 1, true, false, false)
WALK(store_string, 7, 1, false, true, false)
WALK(store_direct, 7, 1, false, true, false)
WALK(store_push, 10, 1, false, true, false)
WALK(load_indexed, 11, 1, true, false, false)
WALK(store_indexed, 11, 1, false, true, false)
WALK(load_pop, 10, 1, true, false, false)
WALK(updated, 7, 1, true, true, false)
WALK(locked_byte, 7, 1, true, true, true)
WALK(load_return, 12, 2, true, true, false)
WALK(load_jump, 9, 2, true, true, false)
WALK(load_leave, 12, 1, true, false, false)
WALK(load_conditional, 7, 1, true, false, false)
WALK(load_string, 11, 1, true, true, false)
WALK(store_call, 10, 2, false, true, false)
WALK(pushed, 10, 1, true, true, false)
WALK(compared, 9, 1, true, true, true)
WALK(load_lods, 10, 1, true, false, false)
WALK(store_pop, 10, 1, true, true, false)
WALK(added, 8, 1, true, true, true)

static void begin(const struct test *test, uint16_t model)
{
    counting_begin(test, 4, 2);
    for (unsigned p = 0; p < PROCESSORS; p++)
        all[p].cpu.model = model;
    machine.locked_operations = 1;
    machine.cached_references = 1;
    *msr(0x1a0) = 0x81;
    *msr(0xce) = 24 << 8;
}

#endif
