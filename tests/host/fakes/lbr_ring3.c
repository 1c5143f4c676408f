/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_ring3.c - the windows around code of ring 3, whose branches, and those to
 * it and back, go to the stack. */
#include "asm/ring3_window.h"
#include "asm/rtm_store.h"
#include "src/lbr/branches.h"
#include "src/tsx/status.h"
#include "tests/host/fakes/lbr_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static _Alignas(4096) uint64_t root[512];
static uint64_t gdt[1];

const struct lbr_row window_ring3_rows[] = {
    {LBR_JCC, 0, 4},
    {LBR_FAR | LBR_TO_USR, 4, 8},
    {LBR_JCC | LBR_FROM_USR | LBR_TO_USR, 8, 12},
    {LBR_FAR | LBR_FROM_USR, 12, 16},
    {LBR_END, 16, 16}};
const struct lbr_row ring3_body_changes_rows[] = {
    {LBR_FAR | LBR_TO_USR, 4, 8},
    {LBR_REL_CALL | LBR_FROM_USR | LBR_TO_USR, 8, 12},
    {LBR_RET | LBR_FROM_USR | LBR_TO_USR, 12, 10},
    {LBR_FAR | LBR_FROM_USR, 12, 16},
    {LBR_END, 16, 16}};
#define RING3_ROW(kind, from, to)                        \
    {                                                    \
        (kind) | LBR_FROM_USR | LBR_TO_USR, (from), (to) \
    }
#define RING3_BIT(n) RING3_ROW(LBR_JCC, 16 + (n), 32 + (n))
const struct lbr_row ring3_body_bits_rows[] = {{LBR_FAR | LBR_TO_USR, 4, 8},
                                               RING3_ROW(LBR_IND_JMP, 8, 10),
                                               RING3_ROW(LBR_REL_JMP, 10, 12),
                                               RING3_ROW(LBR_REL_JMP, 12, 16),
                                               RING3_BIT(0),
                                               RING3_BIT(1),
                                               RING3_BIT(2),
                                               RING3_BIT(3),
                                               RING3_BIT(4),
                                               RING3_BIT(5),
                                               RING3_BIT(6),
                                               RING3_BIT(7),
                                               RING3_BIT(8),
                                               RING3_BIT(9),
                                               RING3_BIT(10),
                                               RING3_BIT(11),
                                               {LBR_FAR | LBR_FROM_USR, 12, 16},
                                               {LBR_END, 16, 16}};
const struct lbr_row ring3_body_kinds_rows[] = {
    {LBR_FAR | LBR_TO_USR, 4, 8},
    RING3_ROW(LBR_IND_JMP, 8, 10),
    RING3_ROW(LBR_JCC, 10, 12),
    RING3_ROW(LBR_JCC, 12, 14),
    RING3_ROW(LBR_REL_JMP, 14, 16),
    RING3_ROW(LBR_IND_JMP, 16, 18),
    RING3_ROW(LBR_REL_CALL, 18, 20),
    RING3_ROW(LBR_IND_CALL, 20, 22),
    RING3_ROW(LBR_RET, 22, 24),
    {LBR_FAR | LBR_FROM_USR, 12, 16},
    {LBR_END, 16, 16}};
const struct lbr_row window_ring3_tx_rows[] = {
    {LBR_FAR | LBR_TO_USR, 4, 8},
    {LBR_JCC | LBR_IN_TX | LBR_FROM_USR | LBR_TO_USR, 8, 12},
    {LBR_FAR | LBR_FROM_USR, 12, 16},
    {LBR_END, 16, 16}};

static uint64_t at(const void *label)
{
    return (uintptr_t)label;
}

/* Is this row of a window one that leaves a record? */
static bool remains(const struct lbr_row *rows, unsigned n,
                    const struct ring3 *ring3)
{
    const uint32_t *data = (const uint32_t *)(uintptr_t)ring3->data;
    const bool calls = lbr_device.format == ARCH
                           ? (fake_msr(IA32_LBR_CTL)->value & BIT(3)) != 0
                           : (fake_msr(MSR_LBR_SELECT)->value & BIT(9)) != 0;
    const unsigned bit = n - (RING3_BITS_FAST + 1);

    if (calls && !lbr_is(RETURNED_KEPT))
        return n == RING3_KINDS_CALL;
    return rows != ring3_body_bits_rows || bit >= LBR_BITS ||
           (*data >> bit & 1) != 0;
}

static uint64_t cross(uint64_t enable, uint64_t cells[WINDOW_CELLS],
                      const struct lbr_row *rows)
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    uint64_t cycles = 0;

    assert_int_equal(ring3->msr,
                     lbr_device.format == ARCH ? IA32_LBR_CTL : IA32_DEBUGCTL);
    assert_int_equal(enable & 1, 1);
    ring3->vector = HW_NO_FAULT;
    ring3->status = UINT32_MAX;
    lbr_device.windows++;
    for (const struct lbr_row *row = rows; row->kind != LBR_END; row++) {
        const unsigned n = (unsigned)(row - rows);

        if (!remains(rows, n, ring3))
            continue;
        cycles = (lbr_is(RING3_ADDS_UP) ? cycles : 0) +
                 (n == RING3_BITS_FAST - 1 ? 200 : 7);
        lbr_add(row->kind,
                ((row->kind & LBR_FROM_USR) != 0 ? ring3->user_code
                                                 : at(ring3_code)) +
                    (uint64_t)row->from,
                ((row->kind & LBR_TO_USR) != 0 ? ring3->user_code
                                               : at(ring3_code)) +
                    (uint64_t)row->to,
                cycles);
    }
    return 0;
}

uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    return cross(enable, cells, window_ring3_rows);
}

/* Aborts by other causes. */
const uint8_t ring3_ends[0xc0] = {0};
#define LABEL(name, offset)      \
    __asm__(".globl " #name "\n" \
            ".set " #name ", ring3_ends + " #offset "\n");
LABEL(ring3_aborts_ud2, 0x00)
LABEL(ring3_aborts_ud2_at, 0x10)
LABEL(ring3_aborts_ud2_resume, 0x20)
LABEL(ring3_aborts_cpuid, 0x30)
LABEL(ring3_aborts_cpuid_at, 0x40)
LABEL(ring3_aborts_cpuid_resume, 0x50)
LABEL(ring3_aborts_inner, 0x60)
LABEL(ring3_aborts_inner_at, 0x70)
LABEL(ring3_aborts_inner_resume, 0x80)
LABEL(ring3_aborts_writes, 0x90)
LABEL(ring3_aborts_writes_at, 0xa0)
LABEL(ring3_aborts_writes_resume, 0xb0)

static bool abort_by(const struct ring3 *ring3)
{
    static const struct {
        const uint8_t *body, *at, *resume;
    } causes[] = {
        {ring3_aborts_ud2, ring3_aborts_ud2_at, ring3_aborts_ud2_resume},
        {ring3_aborts_cpuid, ring3_aborts_cpuid_at, ring3_aborts_cpuid_resume},
        {ring3_aborts_inner, ring3_aborts_inner_at, ring3_aborts_inner_resume},
        {ring3_aborts_writes, ring3_aborts_writes_at,
         ring3_aborts_writes_resume},
    };
    const uint64_t user = ring3->user_code - at(ring3_code);

    for (unsigned i = 0; i < 4; i++)
        if (ring3->body == (uint32_t)(causes[i].body - ring3_body)) {
            lbr_add(LBR_FAR | LBR_ABORT | LBR_FROM_USR | LBR_TO_USR,
                    user + at(causes[i].at), user + at(causes[i].resume), 7);
            return true;
        }
    return false;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    const struct ring3 *ring3 = (const struct ring3 *)(uintptr_t)cells[0];

    assert_int_equal(ring3->level, 3);
    if (ring3->body == (uint32_t)(ring3_body_plain - ring3_body)) {
        ((struct ring3 *)(uintptr_t)cells[0])->vector = HW_NO_FAULT;
        lbr_device.plain(ring3->user_code);
        return 0;
    }
    if (abort_by(ring3)) {
        cross(enable, cells, window_ring3_tx_rows + 3);
        return 0;
    }
    if (ring3->body == (uint32_t)(ring3_body_bits - ring3_body))
        return cross(enable, cells, ring3_body_bits_rows);
    if (ring3->body == (uint32_t)(ring3_body_kinds - ring3_body))
        return cross(enable, cells, ring3_body_kinds_rows);
    assert_int_equal(ring3->body, (uint32_t)(ring3_body_changes - ring3_body));
    return cross(enable, cells, ring3_body_changes_rows);
}

const uint8_t ring3_tx_abort[1] = {0}, ring3_tx_fallback[1] = {0};

uint64_t window_ring3_tx(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    const uint64_t user = ring3->user_code - at(ring3_code);

    cross(enable, cells, window_ring3_tx_rows);
    if (ring3->aborts == 0)
        return 0;
    lbr_add(LBR_FAR | LBR_ABORT | LBR_FROM_USR | LBR_TO_USR,
            user + at(ring3_tx_abort), user + at(ring3_tx_fallback), 7);
    lbr_add(LBR_FAR, user, at(ring3_code) + 16, 7);
    ring3->status = RTM_STATUS_XABORT | RING3_TX_CODE << 24;
    return 0;
}

void ring3_read(struct ring3_registers *out)
{
    *out = (struct ring3_registers){.cr3 = at(root), .gdt.base = at(gdt)};
}

int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    *cell = value;
    *eax = UINT32_MAX;
    return RTM_COMMITTED;
}
