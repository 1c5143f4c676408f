/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_windows.c - stands in for asm/counter3_look.asm, elision_try.asm,
 * hle_*.asm, ring3_window.asm, rtm_store.asm, tsx_*.asm and counting_*.asm on
 * the host, where no MSR can be written: nothing is run, no transaction
 * commits. Weak, so that a test can bring its own.
 */
#include "asm/counter3_look.h"
#include "asm/elision_try.h"
#include "asm/hle_nested.h"
#include "asm/hle_regions.h"
#include "asm/ring3_window.h"
#include "asm/rtm_store.h"
#include "asm/tsx_bodies.h"
#include "asm/tsx_state.h"
#include "asm/counting_window.h"
#include "src/base/hw.h"

#define FAKE __attribute__((weak))

/* Counted by hand in counting_window.asm, beside the assembler that counts them
 * there.
 */
FAKE const struct window_shape window_plain_shape = {21, 8, 0, 0};
FAKE const struct window_shape window_slow_shape = {20, 0, 0, 0};
FAKE const struct window_shape window_long_shape = {139, 8, 0, 0};
FAKE const struct window_shape window_paused_shape = {20, 7, 0, 0};
FAKE const struct window_shape window_live_shape = {59, 12, 0, 0};
FAKE const struct window_shape window_rtm_shape = {28, 5, 2, 8};
FAKE const struct window_shape window_rtm_long_shape = {30, 1, 1, 27};

#define BODY(name) FAKE const uint8_t name[256 * TSX_XABORT_BYTES] = {0};
BODY(window_long_closing)
BODY(ring3_code)
BODY(ring3_system_call)
BODY(ring3_body)
BODY(ring3_body_straight)
BODY(ring3_body_ptwrite)
BODY(ring3_body_loads)
BODY(ring3_body_loads_pops)
BODY(ring3_body_crosses)
BODY(ring3_body_crosses_load)
BODY(ring3_body_crosses_store)
BODY(ring3_body_string)
BODY(ring3_body_string_at)
BODY(ring3_body_changes)
BODY(ring3_body_iret)
BODY(ring3_body_iret_at)
BODY(ring3_body_iret_to)
BODY(ring3_body_kinds)
BODY(ring3_body_bits)
BODY(ring3_body_elsewhere)
BODY(ring3_state_hold)
BODY(ring3_aborts_held)
BODY(ring3_aborts_held_at)
BODY(ring3_aborts_held_resume)
BODY(ring3_aborts_rtm)
BODY(ring3_aborts_rtm_at)
BODY(ring3_aborts_rtm_resume)
BODY(ring3_aborts_writes)
BODY(ring3_aborts_writes_at)
BODY(ring3_aborts_writes_resume)
BODY(ring3_aborts_reads)
BODY(ring3_aborts_reads_at)
BODY(ring3_aborts_reads_resume)
BODY(ring3_aborts_ud2)
BODY(ring3_aborts_ud2_at)
BODY(ring3_aborts_ud2_resume)
BODY(ring3_aborts_cpuid)
BODY(ring3_aborts_cpuid_at)
BODY(ring3_aborts_cpuid_resume)
BODY(ring3_aborts_hle)
BODY(ring3_aborts_hle_at)
BODY(ring3_aborts_hle_resume)
BODY(ring3_aborts_hle_acquire)
BODY(ring3_ud2)
BODY(ring3_body_visits)
BODY(ring3_body_visits_back)
BODY(ring3_body_visits_returned)
BODY(ring3_sections_match)
BODY(ring3_sections_match_acquire)
BODY(ring3_sections_match_release)
BODY(ring3_sections_other)
BODY(ring3_sections_other_acquire)
BODY(ring3_sections_other_release)
BODY(ring3_aborts_inner)
BODY(ring3_aborts_inner_at)
BODY(ring3_aborts_inner_resume)
BODY(ring3_body_stores)
BODY(ring3_state_leaf7)
BODY(ring3_body_plain)
BODY(ring3_body_committed)
BODY(ring3_body_nested)
BODY(ring3_body_after_inner)
BODY(ring3_body_after_commit)
BODY(ring3_body_aborted)
BODY(ring3_body_nested_aborted)
FAKE const uint32_t ring3_body_ptwrite_at[4] = {0};
FAKE const uint8_t ring3_tx_abort[1] = {0}, ring3_tx_fallback[1] = {0};
#define ROWS(name) FAKE const struct lbr_row name[1] = {{LBR_END, 0, 0}};
ROWS(lbr_body_held_rows)
ROWS(window_ring3_rows)
ROWS(window_ring3_tx_rows)
ROWS(ring3_body_changes_rows)
ROWS(ring3_body_kinds_rows)
ROWS(ring3_body_bits_rows)
FAKE const struct ring3_access ring3_body_accesses[1] = {{0}};
FAKE const struct window_shape ring3_body_shape = {0, 0, 0, 0};
FAKE const struct window_shape ring3_body_ends_shape = {0, 0, 0, 0};
BODY(tsx_bodies_xabort)
BODY(tsx_body_nest_xabort)
BODY(tsx_body_cpuid)
BODY(tsx_body_pause)
BODY(tsx_body_ud2)
BODY(tsx_body_int1)
BODY(tsx_body_divide)
BODY(tsx_body_hint)
BODY(tsx_body_nest)
BODY(tsx_body_push_xabort)
BODY(tsx_body_elided)
BODY(lbr_body_held)
BODY(tsx_body_load)
BODY(tsx_body_write_lines)
BODY(tsx_body_nest_write_lines)
BODY(tsx_body_write_lines_xabort)
BODY(tsx_body_read_lines)
BODY(tsx_body_nest_read_lines)
BODY(tsx_body_read_lines_xabort)
BODY(tsx_body_store)

BODY(tsx_body_hold_load)
BODY(tsx_body_hold_untracked)
BODY(tsx_body_hold_resumed)
BODY(tsx_body_hold_before)
BODY(tsx_body_nest_jump)
BODY(tsx_body_ended_jump)
BODY(tsx_body_hold_suspended_store)
BODY(tsx_body_suspended_end)
BODY(tsx_body_suspended_begin)
BODY(tsx_body_suspended_twice)
BODY(tsx_body_suspended_once)
BODY(tsx_body_hold_store)
BODY(tsx_body_nothing)
BODY(tsx_body_publish_up)
BODY(tsx_body_publish_down)
BODY(tsx_body_store_1)
BODY(tsx_body_store_2)
BODY(tsx_body_store_4)
BODY(tsx_body_store_8)
BODY(tsx_body_store_16)
BODY(tsx_body_store_nt)
BODY(tsx_body_store_xchg)
BODY(tsx_body_store_pair)
BODY(tsx_body_store_nested)
BODY(tsx_body_store_kinds)
BODY(tsx_body_store_xadd)
BODY(tsx_body_store_rep)
BODY(tsx_body_jumps)
BODY(tsx_body_long)
BODY(tsx_body_long_xabort)
BODY(tsx_body_hold_written)
BODY(tsx_fallback)
BODY(tsx_xbegin_at)
BODY(tsx_xend_at)
BODY(tsx_change_nothing)
BODY(tsx_change_general)
BODY(tsx_change_direction)
BODY(tsx_change_xmm)
BODY(tsx_change_both)
BODY(tsx_change_ymm)
BODY(tsx_change_upper)
BODY(tsx_change_zmm)
BODY(tsx_change_x87)
BODY(tsx_change_memory)
BODY(tsx_change_stored)
BODY(tsx_state_begin)
BODY(tsx_state_outside)
BODY(tsx_begin_hle)
BODY(tsx_state_commit)
BODY(tsx_end_xabort)
BODY(tsx_end_nested)
BODY(tsx_end_deep)
BODY(tsx_end_nested_load)
BODY(tsx_end_pause)
BODY(tsx_end_cpuid)
BODY(tsx_end_ud2)
BODY(tsx_end_read)
BODY(tsx_end_reads)
BODY(tsx_end_load)
BODY(tsx_end_int3)
BODY(tsx_end_capacity)
BODY(tsx_end_string)

#define REGION(name, before, held, words)         \
    FAKE void hle_##name(struct hle_block *block) \
    {                                             \
        (void)block;                              \
    }
HLE_REGIONS(REGION)
REGION(again, 0, 1, "")
REGION(inner, 0, 1, "")

#define NEST(name)                              \
    FAKE void hle_##name(struct hle_nest *nest) \
    {                                           \
        (void)nest;                             \
    }
NEST(nested)
NEST(recursive)
NEST(written)
NEST(around_rtm)
NEST(in_rtm)
NEST(odd_mov)
NEST(odd_add)
NEST(odd_first)
NEST(odd_release)
NEST(last_prefix)

FAKE uint32_t elision_try(volatile uint32_t *lock, void (*critical)(void *),
                          void *argument)
{
    (void)lock;
    (void)critical;
    (void)argument;
    return 0;
}

FAKE int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    (void)cell;
    (void)value;
    *eax = 0;
    return RTM_ABORTED;
}

FAKE int rtm_empty(void)
{
    return RTM_ABORTED;
}

FAKE void rtm_shadow(bool transaction)
{
    (void)transaction;
}

FAKE void counter3_look(struct counter3_seen *out, bool has_in_use)
{
    hw_msr_read(0x189, &out->select);
    hw_msr_read(0x38f, &out->control);
    hw_msr_read(0xc4, &out->count);
    hw_msr_read(0xc2, &out->twin);
    if (has_in_use)
        hw_msr_read(0x392, &out->in_use);
}

FAKE int tsx_inside(struct tsx_block *block)
{
    block->status = 0;
    block->unrestored = 0;
    return TSX_ABORTED;
}

FAKE int tsx_outside(struct tsx_block *block)
{
    (void)block;
    return TSX_RAN;
}

FAKE int tsx_watched(int (*enter)(struct tsx_block *), struct tsx_block *block,
                     uint64_t dr0, uint64_t dr7)
{
    (void)dr0;
    (void)dr7;
    return enter(block);
}

FAKE int tsx_debugged(int (*enter)(struct tsx_block *), struct tsx_block *block,
                      struct tsx_debug *debug)
{
    debug->dr6_after = debug->dr6;
    debug->dr7_after = debug->dr7;
    return enter(block);
}

FAKE int tsx_with_cr0(int (*enter)(struct tsx_block *), struct tsx_block *block,
                      uint64_t bits)
{
    (void)bits;
    return enter(block);
}

FAKE int tsx_state(struct tsx_state *state)
{
    (void)state;
    return TSX_ABORTED;
}

FAKE void ring3_read(struct ring3_registers *out)
{
    *out = (struct ring3_registers){.cr3 = 0};
}

FAKE void ring3_load(const struct ring3_registers *in)
{
    (void)in;
}

FAKE uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)enable;
    (void)cells;
    return 0;
}

FAKE uint64_t window_ring3_tx(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)enable;
    (void)cells;
    return 0;
}

FAKE uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)enable;
    (void)cells;
    return 0;
}

FAKE uint64_t window_plain(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)enable;
    (void)cells;
    return 0;
}

FAKE uint64_t window_slow(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    return window_plain(enable, cells);
}

FAKE uint64_t window_long(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    return window_plain(enable, cells);
}

FAKE uint64_t window_random(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    return window_plain(enable, cells);
}

FAKE uint64_t window_live(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    return window_plain(enable, cells);
}

FAKE uint64_t window_rtm(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    return window_plain(enable, cells) + window_rtm_shape.transactions;
}

FAKE uint64_t window_rtm_long(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    return window_plain(enable, cells) + window_rtm_long_shape.transactions;
}

FAKE void counting_work(void *unused)
{
    (void)unused;
}
