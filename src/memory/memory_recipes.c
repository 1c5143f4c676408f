/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_recipes.c - the windows, and the addresses that they go over. */
#include "src/memory/memory_recipes.h"

#define WINDOW(name)                                             \
    memory_##name, memory_##name##_loop, memory_##name##_access, \
        memory_##name##_next, memory_##name##_end

#define LINE   UINT64_C(64)
#define PAGE   UINT64_C(4096)
#define INSIDE 40

/* L2: 16 lines of one set of an L1 data cache of 64 sets, of which it holds 8,
 * and prefetchers do not go over a page's end. L3: 32 lines of one set of an L2
 * cache of up to 1024 sets, of which it holds at most 16, spread over at least
 * two sets of the L3 cache (SDM 2A, CPUID, "Deterministic Cache Parameters",
 * of the processors of generation.h). The first round finds them elsewhere: 16
 * and 32 of 96 accesses. Steps of 37 lines lead the prefetcher of the adjacent
 * line nowhere. Accesses lie INSIDE their lines, so that an address is none of
 * a line. */
static const struct memory_recipe recipes[MEMORY_RECIPES] = {
    [LOADS_SPREAD] = {WINDOW(load), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_L1] = {WINDOW(load), true, false, INSIDE, LINE, 0x1c0},
    [LOADS_L2] = {WINDOW(load), true, false, INSIDE, PAGE, 0xf000},
    [LOADS_L3] = {WINDOW(load), false, false, INSIDE, 16 * PAGE, 0x1f0000},
    [LOADS_FLUSH] = {WINDOW(load_flush), true, false, INSIDE, 37 * LINE,
                     0xffc0},
    [LOADS_STLB] = {WINDOW(load_invlpg), true, false, INSIDE, PAGE, 0xf000},
    [LOADS_SPLIT] = {WINDOW(load), true, false, LINE - 4, 37 * LINE, 0x7fc0},
    [LOADS_WIDE] = {WINDOW(load_wide), true, false, 5, 16 * 1031, 0x7ff0},
    [LOADS_FS] = {WINDOW(load_fs), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_BYTE] = {WINDOW(load_byte), true, false, 5, 8 * 1031, 0x7ff8},
    [LOADS_X87] = {WINDOW(load_x87), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_VEX] = {WINDOW(load_vex), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_STLB_L1] = {WINDOW(load_invlpg), true, false, INSIDE, PAGE, 0x3000},
    [LOCKED] = {WINDOW(locked), true, true, 0, 8 * 1031, 0xfff8},
    [EXCHANGED] = {WINDOW(exchanged), true, true, 0, 8 * 1031, 0xfff8},
    [STORES_SPREAD] = {WINDOW(store), true, false, 0, 8 * 1031, 0xfff8},
    [STORES_L1] = {WINDOW(store), true, false, INSIDE, LINE, 0x1c0},
    [STORES_FLUSH] = {WINDOW(store_flush), true, false, INSIDE, 37 * LINE,
                      0xffc0},
    [STORES_STLB] = {WINDOW(store_invlpg), true, false, INSIDE, PAGE, 0xf000},
    [STORES_SPLIT] = {WINDOW(store), true, false, LINE - 4, 37 * LINE, 0x7fc0},
    [STORES_WIDE] = {WINDOW(store_wide), true, false, 5, 16 * 1031, 0x7ff0},
    [STORES_STRING] = {WINDOW(store_string), true, false, 0, 8 * 1031, 0xfff8},
    [STORES_DIRECT] = {WINDOW(store_direct), true, false, 0, 8 * 1031, 0xfff8},
    [STORES_PUSH] = {WINDOW(store_push), true, false, PAGE, 8 * 1031, 0x7ff8},
    [LOADS_INDEXED] = {WINDOW(load_indexed), true, false, 0, 8 * 1031, 0xfff8},
    [STORES_INDEXED] = {WINDOW(store_indexed), true, false, 0, 8 * 1031,
                        0xfff8},
    [LOADS_POP] = {WINDOW(load_pop), true, false, PAGE, 8 * 1031, 0x7ff8},
    [UPDATED] = {WINDOW(updated), true, false, 0, 8 * 1031, 0xfff8},
    [LOCKED_BYTE] = {WINDOW(locked_byte), true, true, 5, 8 * 1031, 0x7ff8},
    [LOADS_RETURN] = {WINDOW(load_return), true, false, PAGE, 8 * 1031, 0x7ff8},
    [LOADS_JUMP] = {WINDOW(load_jump), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_LEAVE] = {WINDOW(load_leave), true, false, PAGE, 8 * 1031, 0x7ff8},
    [LOADS_GS] = {WINDOW(load_gs), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_CONDITIONAL] = {WINDOW(load_conditional), true, false, 0, 8 * 1031,
                           0xfff8},
    [LOADS_STRING] = {WINDOW(load_string), true, false, PAGE, 8 * 1031, 0x7ff8},
    [LOADS_RELATIVE] = {WINDOW(load_relative), false, false, 0, 0, 0},
    [STORES_CALL] = {WINDOW(store_call), true, false, PAGE, 8 * 1031, 0x7ff8},
    [PUSHED] = {WINDOW(pushed), true, false, PAGE, 8 * 1031, 0x7ff8},
    [COMPARED] = {WINDOW(compared), true, true, 0, 8 * 1031, 0xfff8},
    [LOADS_BIT] = {WINDOW(load_bit), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_NARROW] = {WINDOW(load_narrow), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_DOWN] = {WINDOW(load_down), true, false, PAGE, 8 * 1031, 0x7ff8},
    [LOADS_LODS] = {WINDOW(load_lods), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_SCAS] = {WINDOW(load_scas), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_CALL] = {WINDOW(load_call), true, false, 0, 8 * 1031, 0xfff8},
    [STORES_POP] = {WINDOW(store_pop), true, false, PAGE, 8 * 1031, 0x7ff8},
    [ADDED] = {WINDOW(added), true, true, 0, 8 * 1031, 0xfff8},
    [LOADS_FAR] = {WINDOW(load_far), true, false, 0, 37 * LINE, 0xffc0},
    [STORES_FS] = {WINDOW(store_fs), true, false, 0, 8 * 1031, 0xfff8},
    [STORES_GS] = {WINDOW(store_gs), true, false, 0, 8 * 1031, 0xfff8},
    [STORES_PAGES] = {WINDOW(store), true, false, PAGE - 4, PAGE, 0x7000},
    [LOADS_PAGES] = {WINDOW(load), true, false, PAGE - 4, PAGE, 0x7000},
    [LOADS_TURNS] = {WINDOW(load_turns), true, false, 0, LINE, 0x1c0},
    [STORES_TURNS] = {WINDOW(store_turns), true, false, 0, LINE, 0x1c0},
    [STORES_TURNS_1] = {WINDOW(store_turns_1), true, false, 5, LINE, 0x1c0},
    [STORES_TURNS_2] = {WINDOW(store_turns_2), true, false, 8, LINE, 0x1c0},
    [STORES_TURNS_4] = {WINDOW(store_turns_4), true, false, 8, LINE, 0x1c0},
    [STORES_TURNS_16] = {WINDOW(store_turns_16), true, false, 5, LINE, 0x1c0},
    [LOCKED_STLB] = {WINDOW(locked_invlpg), true, true, INSIDE, PAGE, 0xf000},
};

/* LOADS_L2 of Lion Cove, which has two L1 data caches, the second one of 256
 * sets and 12 ways: 32 lines of one set of each (perfmon's events of it,
 * MEM_LOAD_RETIRED.L1_HIT_L0 and .L1_HIT_L1, tell the two apart). */
static const struct memory_recipe loads_l2_after_two = {
    WINDOW(load), false, false, INSIDE, 4 * PAGE, 0x7c000};

const struct memory_recipe *memory_recipe_of(struct test_context *t,
                                             enum memory_recipe_id recipe)
{
    return recipe == LOADS_L2 && identity_generation(test_cpu(t)) == LION_COVE
               ? &loads_l2_after_two
               : &recipes[recipe];
}

struct memory_walk memory_recipe_walk(struct test_context *t,
                                      const struct memory_recipe *r)
{
    const void *at = r->in_buffer                    ? test_buffer(t)
                     : r == &recipes[LOADS_RELATIVE] ? memory_cell
                                                     : test_source(t);
    const bool larger = /* 2048 sets, of 16 ways; 4096 of 12 */
        r == &recipes[LOADS_L3] && (identity_generation(test_cpu(t)) &
                                    (SINCE_GOLDEN_COVE | GRACEMONT)) != 0;

    return (struct memory_walk){(uint64_t)(uintptr_t)at + r->at,
                                r->step << larger, r->mask << larger,
                                MEMORY_ACCESSES};
}
