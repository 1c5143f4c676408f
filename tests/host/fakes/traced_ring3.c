/* SPDX-License-Identifier: BSD-2-Clause */
/* traced_ring3.c - ring 3, and the rings between, played: code runs where they
 * see it, in a copy of its pages. */
#define _GNU_SOURCE
#include "asm/ring3_window.h"
#include "tests/host/fakes/traced_parts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Descriptors of ring 0. */
#define CODE_64 UINT64_C(0x00af9a000000ffff)
#define DATA    UINT64_C(0x00cf92000000ffff)

#define CODE_D (UINT64_C(1) << 54)

#define IA32_LSTAR 0xC0000082

#define PAGE        4096
#define PAGES       128 /* at most */
#define FAULT_BYTES 16
#define PRESENT     1u
#define ADDRESS     UINT64_C(0x000ffffffffff000)

extern int hw_msr_read(uint32_t msr, uint64_t *value);

static const uint64_t gdt[] = {0, CODE_64, DATA};

void ring3_read(struct ring3_registers *out)
{
    *out = (struct ring3_registers){
        .cr3 = traced_cr3,
        .gdt = {.limit = sizeof(gdt) - 1, .base = (uintptr_t)gdt},
        .ss = 2 * sizeof(gdt[0])};
}

static uint64_t *below(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ADDRESS);
}

uint8_t *traced_user_data(void)
{
    return traced.cpl == 3 ? (uint8_t *)TRACED_USER + RING3_CODE_PAGES * PAGE
                           : NULL;
}

/* What a root table maps at TRACED_USER: the pages as they are now. */
static void copy_pages(const uint64_t *root)
{
    static uint8_t *user;
    const uint64_t entry = root[(uint64_t)TRACED_USER >> 39];

    if ((entry & PRESENT) == 0)
        return;
    if (user == NULL)
        user = mmap((void *)TRACED_USER, PAGES * PAGE,
                    PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (user != (uint8_t *)TRACED_USER)
        abort();
    const uint64_t *pages = below(below(below(entry)[0])[0]);
    for (unsigned n = 0; n < PAGES && (pages[n] & PRESENT) != 0; n++)
        memcpy(user + n * PAGE, below(pages[n]), PAGE);
}

void ring3_load(const struct ring3_registers *in)
{
    traced_cr3 = in->cr3;
    copy_pages(below(in->cr3));
    traced.rings = in->gdt.base != (uintptr_t)gdt;
    /* RSP0 of its TSS leads to the structure. */
    traced.ring_gdt = (const uint64_t *)in->gdt.base;
    if (traced.rings) {
        const uint64_t *low = (const uint64_t *)(in->gdt.base + in->tr);
        const uint64_t tss = (low[0] >> 16 & 0xffffff) |
                             (low[0] >> 56 & 0xff) << 24 | low[1] << 32;
        uint64_t rsp0;
        memcpy(&rsp0, (const void *)(tss + 4), sizeof(rsp0));
        traced.at_rsp0 = *(const uint64_t *)rsp0;
    }
}

/* IRETQ to CS. */
void traced_enter_ring(uint64_t cs)
{
    traced.cpl = traced.rings ? cs & 3 : 0;
    traced.is_32 = traced.cpl != 0 && (traced.ring_gdt[cs / 8] & CODE_D) != 0;
}

/* An exception at ring 3, handled by ring3_fault. */
bool traced_leave_ring(ucontext_t *u, unsigned vector)
{
    if (traced.cpl == 0)
        return false;
    traced.cpl = 0;
    traced.is_32 = false;
    REG(u, REG_RAX) = vector;
    REG(u, REG_RBX) = traced.at_rsp0;
    struct pt_step now = traced_step(traced.at, (uintptr_t)ring3_fault,
                                     traced_processor.choices.cycles_slow);
    now.from_user = true;
    now.vector = (uint8_t)vector;
    pt_event(&traced_processor, &now);
    traced_output();
    REG(u, REG_RIP) = (uintptr_t)ring3_fault;
    return true;
}

/* That of ring3_fault: TF stays. */
static bool is_fault_popf(void)
{
    return traced.at - (uintptr_t)ring3_fault < FAULT_BYTES;
}

/* SYSCALL, SYSRET, MOV to segment registers, POPF. */
bool traced_play_ring(ucontext_t *u, const uint8_t *code)
{
    uint64_t lstar = 0, next = traced.at + (code[0] == 0x9d ? 1 : 2);

    if (code[0] == 0x0f && code[1] == 0x05) {
        REG(u, REG_RCX) = next;
        REG(u, REG_R11) = REG(u, REG_EFL);
        if (hw_msr_read(IA32_LSTAR, &lstar) >= 0)
            return false;
        next = lstar;
        traced.cpl = 0;
    } else if (code[0] == 0x48 && code[1] == 0x0f && code[2] == 0x07) {
        next = REG(u, REG_RCX);
        REG(u, REG_EFL) = REG(u, REG_R11) | TRACED_TF;
        traced.cpl = 3;
    } else if (code[0] == 0x9d && is_fault_popf()) {
        const uint64_t *stack = (const uint64_t *)REG(u, REG_RSP);
        REG(u, REG_EFL) = *stack | TRACED_TF;
        REG(u, REG_RSP) += sizeof(*stack);
    } else if (code[0] != 0x8e) {
        return false;
    }
    REG(u, REG_RIP) = next;
    traced_retired(next);
    return true;
}
