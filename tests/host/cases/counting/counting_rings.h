/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_rings.h - windows of counting_pieces.h, at ring 0 and at others. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_RINGS_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_RINGS_H

#include "asm/ring3_window.h"
#include "src/counting/ring3.h"
#include "tests/host/cases/counting/counting_case.h"

#include <stdlib.h>

/* Any numbers do; the transfers from ring to ring are in the pieces alone. */
const struct window_shape window_long_shape = {139, 8, 0, 0};
const struct window_shape window_branches_shape = {40, 32, 0, 0};
const struct window_shape window_rep_shape = {8, 0, 0, 0};
const struct window_shape window_ring3_kernel_shape = {30, 3, 0, 0};
const struct window_shape window_ring3_user_shape = {50, 20, 0, 0};

static const struct piece piece_long = {.instructions = 139, .jumps = 8};
static const struct piece piece_branches = {.instructions = 40,
                                            .taken = 6,
                                            .falling = 3,
                                            .calls = 7,
                                            .returns = 5,
                                            .jumps = 6,
                                            .indirect = 2,
                                            .indirect_calls = 2,
                                            .far = 3};
static const struct piece piece_rep = {.instructions = 8};
static const struct piece pieces_ring3[] = {
    {.ring = 0, .instructions = 32, .jumps = 3, .far = 2},
    {.ring = 3, .instructions = 52, .jumps = 20, .far = 2, .cycles = 8000}};

static _Alignas(4096) uint64_t firmware_root[512], firmware_gdt[8];
static struct ring3_registers loaded;
static bool *ring3_beside;                 /* told of each window_ring3() */
static int64_t ring3_raises = HW_NO_FAULT; /* what runs at ring 3 */

static bool loaded_is_ours(void)
{
    return loaded.cr3 != 0 && loaded.cr3 != (uintptr_t)firmware_root;
}

void ring3_read(struct ring3_registers *out)
{
    firmware_root[0] = 0x1003;
    for (unsigned i = 1; i < 8; i++)
        firmware_gdt[i] = 0x1111 * i;
    *out = (struct ring3_registers){.gdt = {.limit = sizeof(firmware_gdt) - 1,
                                            .base = (uintptr_t)firmware_gdt},
                                    .cs = 0x38,
                                    .ss = 0x30,
                                    .cr3 = (uintptr_t)firmware_root};
}

/* The IRET to ring 3 empties FS and GS: SDM 2, "IRET/IRETD/IRETQ". */
void ring3_load(const struct ring3_registers *in)
{
    loaded = *in;
    if (loaded_is_ours())
        *msr(IA32_FS_BASE) = *msr(IA32_GS_BASE) = 0;
}

WINDOW(long)
WINDOW(branches)
WINDOW(rep)

/* SDM 3A, "Segment Descriptors": P, S, code readable and L, or data writable;
 * "TSS Descriptor in 64-bit mode": available, of 104 bytes. SDM 2B, SYSCALL,
 * SYSRET: where IA32_STAR has their selectors. */
static void check_segments(const struct ring3 *ring3)
{
    const uint64_t code = UINT64_C(0x00209a0000000000),
                   data = UINT64_C(0x0000920000000000);
    const uint64_t *gdt = (const uint64_t *)(uintptr_t)loaded.gdt.base;
    const uint64_t star = *msr(IA32_STAR), ring = ring3->user_cs & 3;
    const uint64_t kernel = star >> 32 & 0xffff, user = star >> 48;
    const uint64_t *tss = &gdt[loaded.tr / 8];

    assert_memory_equal(gdt, firmware_gdt, sizeof(firmware_gdt));
    assert_true(loaded.tr + 15u <= loaded.gdt.limit);
    assert_int_equal(gdt[kernel / 8], code);
    assert_int_equal(gdt[kernel / 8 + 1], data);
    assert_int_equal(ring3->user_cs | 3, user + 16);
    assert_int_equal(ring3->user_ss | 3, user + 8);
    assert_int_equal(gdt[ring3->user_cs / 8], code | ring << 45);
    assert_int_equal(gdt[ring3->user_ss / 8], data | ring << 45);
    assert_int_equal(tss[0] >> 40 & 0xff, 0x89);
    assert_int_equal(tss[0] & 0xffff, 103);
    const uint64_t base =
        (tss[0] >> 16 & 0xffffff) | (tss[0] >> 56 & 0xff) << 24 | tss[1] << 32;
    uint64_t stack;
    memcpy(&stack, (const uint8_t *)(uintptr_t)base + 4, sizeof(stack));
    /* RSP0, at which the exceptions find the struct. */
    assert_int_equal(stack % 16, 0);
    assert_int_equal(*(const uint64_t *)(uintptr_t)stack, (uintptr_t)ring3);
}

/* "4-Level Paging": present, writable, for ring 3, Accessed and Dirty; the
 * code, then the data. */
static void check_paging(const struct ring3 *ring3)
{
    const uint64_t *table = (const uint64_t *)(uintptr_t)loaded.cr3;

    if ((ring3->user_cs & 3) != 3) {
        assert_int_equal(ring3->user_code, (uintptr_t)ring3_code);
        assert_int_equal(ring3->user_data, ring3->data);
        return;
    }
    assert_int_equal(table[0], firmware_root[0]);
    assert_int_equal(ring3->user_code % (UINT64_C(1) << 39), 0);
    assert_true(ring3->user_code >> 39 < 256);
    for (unsigned level = 0; level < 3; level++) {
        const uint64_t entry = table[level == 0 ? ring3->user_code >> 39 : 0];
        assert_int_equal(entry & 0xfff, 0x67);
        table = (const uint64_t *)(uintptr_t)(entry & ~UINT64_C(0xfff));
    }
    for (unsigned i = 0; i < RING3_CODE_PAGES; i++)
        assert_int_equal(table[i], ((uintptr_t)ring3_code + 4096 * i) | 0x67);
    assert_int_equal(table[RING3_CODE_PAGES], ring3->data | 0x67);
    for (unsigned i = 1; i <= RING3_MORE_BYTES / 4096; i++)
        assert_int_equal(table[RING3_CODE_PAGES + i],
                         table[RING3_CODE_PAGES + 1] + 4096 * (i - 1));
    assert_int_equal(table[RING3_CODE_PAGES + 1] & 0xfff, 0x67);
    assert_int_equal(ring3->user_data,
                     ring3->user_code + 4096 * RING3_CODE_PAGES);
}

static struct ring3 *enter_ring3(const uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (void *)(uintptr_t)cells[0];

    assert_true(loaded_is_ours());
    check_segments(ring3);
    check_paging(ring3);
    assert_int_equal(*msr(IA32_LSTAR), (uintptr_t)ring3_system_call);
    assert_int_equal(*msr(IA32_FMASK), 0x257fd5);
    assert_true((*msr(IA32_EFER) & IA32_EFER_SCE) != 0);
    assert_int_equal(ring3->cs, 0x38);
    assert_int_equal(ring3->ss, 0x30);
    assert_int_equal(ring3->msr, IA32_PERF_GLOBAL_CTRL);
    ring3->vector = ring3_raises;
    return ring3;
}

uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = enter_ring3(cells);

    assert_int_equal(ring3->user_cs & 3, 3);
    if (ring3_beside != NULL)
        *ring3_beside = true;
    run_window(enable, pieces_ring3, 2);
    return 0;
}

uint64_t ring3_rdpmc(struct ring3 *ring3, uint32_t index)
{
    uint64_t value = 0;

    assert_true(loaded_is_ours());
    ring3->vector =
        (hw_cr4() & HW_CR4_PCE) != 0 ? hw_pmc_read(index, &value) : HW_GP;
    return value;
}

/* The firmware's tables are there again. */
static inline enum verdict rings_end(void)
{
    const enum verdict verdict = counting_end();

    assert_false(loaded_is_ours());
    return verdict;
}

#endif
