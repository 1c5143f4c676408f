/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_fixture.h - firmware's tables, as ring3_prepare() finds them, and what
 * is loaded in their place. */
#ifndef TESTS_HOST_CASES_RING3_FIXTURE_H
#define TESTS_HOST_CASES_RING3_FIXTURE_H

#include "asm/ring3_window.h"
#include "tests/host/cases/case_fixture.h"

static _Alignas(4096) uint64_t firmware_root[512];
static uint64_t firmware_gdt[8];
static struct ring3_registers firmware, loaded;

void ring3_read(struct ring3_registers *out)
{
    *out = firmware;
}

/* The IRET to ring 3 empties FS and GS: SDM 2, "IRET/IRETD/IRETQ". */
void ring3_load(const struct ring3_registers *in)
{
    loaded = *in;
    if (in->cr3 != firmware.cr3)
        *msr(IA32_FS_BASE) = *msr(IA32_GS_BASE) = 0;
}

/* Before fake_processors(). */
static void ring3_firmware(void)
{
    static const uint32_t msrs[] = {IA32_FS_BASE, IA32_GS_BASE, IA32_EFER,
                                    IA32_STAR,    IA32_LSTAR,   IA32_FMASK};

    for (unsigned i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++)
        fake_msr(msrs[i])->value = 0x100 + i;
    firmware = (struct ring3_registers){.cs = 0x38, .ss = 0x30};
    firmware.gdt.base = (uintptr_t)firmware_gdt;
    firmware.gdt.limit = sizeof(firmware_gdt) - 1;
    firmware.cr3 = (uintptr_t)firmware_root;
    loaded = firmware;
}

/* CPUID at ring 3, with these bits of EBX the other way round. */
static inline void ring3_leaf7(const uint64_t cells[WINDOW_CELLS],
                               uint32_t changed)
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    struct ring3_state *s = (void *)(uintptr_t)ring3->data;
    struct hw_cpuid leaf;

    assert_int_equal(ring3->body, (uint32_t)(ring3_state_leaf7 - ring3_body));
    assert_true(loaded.cr3 != firmware.cr3);
    hw_cpuid(7, 0, &leaf);
    s->results[0] = (leaf.ebx ^ changed) | (uint64_t)leaf.edx << 32;
    ring3->vector = HW_NO_FAULT;
}

/* What the fallback of a transaction finds that an abort has undone. */
static inline void ring3_restored(const struct ring3 *ring3,
                                  struct ring3_state *s)
{
    for (unsigned i = 0; i < sizeof(s->before); i++)
        s->before[i] = s->after[i] = (uint8_t)(i ^ 0x3c);
    for (unsigned n = 0; n < 16; n++)
        s->found[n] = RING3_STATE_PLANTED + n;
    s->found[4] = ring3->user_data + RING3_BODY_STACK;
    s->found[0] = (RING3_STATE_PLANTED & ~UINT64_C(0xffffffff)) | ring3->status;
    s->flags = s->planted_flags | 0x202;
    for (unsigned i = 0; i < sizeof(s->upper_after); i++)
        s->upper_after[i] = s->memory[RING3_STATE_UPPER + i];
}

/* All is as it was: firmware's tables are loaded, and these its MSRs. */
static inline void ring3_expect_firmware(void)
{
    assert_int_equal(loaded.cr3, firmware.cr3);
    assert_int_equal(loaded.gdt.base, firmware.gdt.base);
    assert_int_equal(fake_msr(IA32_FS_BASE)->value, 0x100);
    assert_int_equal(fake_msr(IA32_GS_BASE)->value, 0x101);
    assert_int_equal(fake_msr(IA32_EFER)->value, 0x102);
    assert_int_equal(fake_msr(IA32_STAR)->value, 0x103);
    assert_int_equal(fake_msr(IA32_LSTAR)->value, 0x104);
    assert_int_equal(fake_msr(IA32_FMASK)->value, 0x105);
}

#endif
