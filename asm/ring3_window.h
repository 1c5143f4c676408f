/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3_window.h - a measured window that is half at ring 3 (ring3_window.asm),
 * and what it takes to get there: descriptor tables, a TSS for exceptions, page
 * tables. src/counting/ring3.h builds them.
 */
#ifndef ASM_RING3_WINDOW_H
#define ASM_RING3_WINDOW_H

#include "asm/counting_window.h"
#include "asm/lbr_bodies.h"

#include <stdint.h>

/* In this order ring3_window.asm knows it. */
struct ring3 {
    uint64_t kernel_rsp;
    uint64_t user_code; /* linear address at which ring 3 sees ring3_code */
    uint64_t cs, ss;    /* the firmware's */
    uint64_t user_cs, user_ss;
    int64_t vector; /* of the exception that ended it, or HW_NO_FAULT */
    /* Of window_ring3_tx(). */
    uint32_t aborts; /* not 0: XABORT 33H ends it, not XEND */
    uint32_t status; /* EAX at its fallback; all ones: it has committed */
    uint32_t msr;    /* that opens the window, and is 0 afterwards */
};

/* SDM 3A, "Memory-Management Registers"; what ring 3 and SYSCALL change. */
struct ring3_registers {
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) gdt;
    uint16_t tr;
    uint16_t cs, ss, ds, es, fs, gs;
    uint64_t cr3, cr4;
};
void ring3_read(struct ring3_registers *out);
/* Loads GDTR and CR3, TR where it is not 0 (a TSS that is not busy), and DS,
 * ES, FS and GS. */
void ring3_load(const struct ring3_registers *in);

/* A page, for ring 3 to execute. IA32_LSTAR has to be ring3_system_call. */
extern const uint8_t ring3_code[], ring3_code_again[]; /* where SYSRET goes */
extern const uint8_t ring3_system_call[];
/* Where an exception at ring 3 goes on at ring 0, with RAX = vector and all
 * else as it was (efi/exceptions.c). */
extern const uint8_t ring3_fault[];

/* cells[0] is the address of a struct ring3. Opens the window at ring 0, goes
 * to ring 3 by IRETQ, back by SYSCALL, there again by SYSRET and back by
 * SYSCALL, and closes it. */
uint64_t window_ring3(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
/* What is executed at each level, but for those four: two of them are executed
 * at ring 0 and lead to ring 3, two the other way. */
extern const struct window_shape window_ring3_kernel_shape;
extern const struct window_shape window_ring3_user_shape;
/* Its taken branches, from ring3_code on. */
extern const struct lbr_row window_ring3_rows[];
#define WINDOW_RING3_TRANSFERS 4

/* The same, at ring 3 once: a transaction, of so many instructions between
 * XBEGIN and what ends it. */
uint64_t window_ring3_tx(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
#define RING3_TX_INSTRUCTIONS 17
#define RING3_TX_CODE         0x33

/* RDPMC with ECX = index, at ring 3. Then ring3->vector says whether it
 * faulted, and what it read is returned. Writes 0 to IA32_PERF_GLOBAL_CTRL
 * (38FH). */
uint64_t ring3_rdpmc(struct ring3 *ring3, uint32_t index);

#endif
