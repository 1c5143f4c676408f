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
    /* Of window_ring3_body(). */
    uint32_t level;           /* 0 or 3 */
    uint64_t data, user_data; /* a page, and where ring 3 sees it */
    uint32_t body;            /* which way: its distance from ring3_body */
    /* Not 0: components of XCR0 that are enabled meanwhile, and CR4.OSXSAVE. */
    uint32_t components;
    uint64_t old_xcr0, old_cr4; /* ring3_window.asm's own */
};
_Static_assert(offsetof(struct ring3, body) == 0x58,
               "as ring3_window.asm has it");
_Static_assert(offsetof(struct ring3, old_cr4) == 0x68,
               "as ring3_window.asm has it");

/* SDM 3A, "Memory-Management Registers"; what ring 3 and SYSCALL change. */
struct ring3_registers {
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) gdt;
    uint16_t tr;
    uint16_t cs, ss, ds, es, fs, gs;
    uint64_t cr3, cr4;
    uint64_t cr0; /* is read alone */
};
void ring3_read(struct ring3_registers *out);
/* Loads GDTR and CR3, TR where it is not 0 (a TSS that is not busy), and DS,
 * ES, FS and GS. */
void ring3_load(const struct ring3_registers *in);

/* A page, for ring 3 to execute. IA32_LSTAR has to be ring3_system_call. */
extern const uint8_t ring3_code[], ring3_code_again[]; /* where SYSRET goes */
extern const uint8_t ring3_system_call[];
/* Where an exception at ring 3 goes on at ring 0, with RAX = vector, RBX = what
 * is at RSP0 of the TSS, the address of the struct ring3, and all else as it
 * was (efi/exceptions.c). */
extern const uint8_t ring3_fault[];

/* cells[0] is the address of a struct ring3. Opens the window at ring 0, goes
 * to ring 3 by IRETQ, back by SYSCALL, there again by SYSRET and back by
 * SYSCALL, and closes it. R13 is the number of SYSCALLs to come. Until the
 * first one RCX is `msr`, and R11 the address of the struct; at ring 3 each
 * turn of the first loop adds its R8, 5 to 1, to R11. */
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
/* Its taken branches where it commits. */
extern const struct lbr_row window_ring3_tx_rows[];
#define RING3_TX_INSTRUCTIONS 17
#define RING3_TX_CODE         0x33
/* Where it begins, its XBEGIN, what ends it, the fallback. In it are the
 * branches of a loop of so many turns, and the one to XABORT. */
extern const uint8_t ring3_tx[], ring3_tx_begin[], ring3_tx_end[],
    ring3_tx_abort[], ring3_tx_fallback[];
#define RING3_TX_TURNS          7
#define RING3_TX_FALLBACK_BYTES 21 /* up to its SYSCALL, and that */

/* cells[0] is the address of a struct ring3. One body, at ring 0 or at ring 3,
 * in the window from its begin on: counted for ring 0 alone, or for ring 3. Of
 * RING3_BODY_TURNS turns, in each of which each kind of instruction stands. */
uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
#define RING3_BODY_TURNS 8
/* RING3_CODE_PAGES from ring3_code on have it. The ways to it: as it is; from
 * XBEGIN to XEND; in an inner transaction; after one has ended by XEND; after
 * an empty one has committed; and to XABORT 33H, of one and of an inner one. */
#define RING3_CODE_PAGES 3
#define RING3_CODE_BYTES (RING3_CODE_PAGES * UINT64_C(4096))
/* After the data page: more than a transaction can store to. What is stored is
 * what is there. */
#define RING3_MORE_BYTES 65536u
extern const uint8_t ring3_body[], ring3_body_plain[], ring3_body_committed[],
    ring3_body_nested[], ring3_body_after_inner[], ring3_body_after_commit[],
    ring3_body_aborted[], ring3_body_nested_aborted[];
/* After the LEA of a way, where the body ends, and where an abort goes; in the
 * body, where two RETs go to, and an indirect CALL. */
extern const uint8_t ring3_body_committed_begin[], ring3_body_committed_end[],
    ring3_body_nested_begin[], ring3_body_nested_end[],
    ring3_body_after_inner_begin[], ring3_body_after_inner_end[],
    ring3_body_aborted_begin[], ring3_body_aborted_end[],
    ring3_body_nested_aborted_begin[], ring3_body_nested_aborted_end[],
    ring3_body_plain_begin[], ring3_body_plain_end[], ring3_body_fallback[],
    ring3_body_returns[], ring3_body_calls[], ring3_body_returns_again[];
/* Instead of the body: loads into each general-purpose register but RSP, in the
 * order of their numbers in ModR/M, from RING3_LOADS_AT + 8n of the data page:
 * by turns MOV, XCHG, ADD, XOR. Register n holds RING3_STATE_PLANTED + n
 * before. RSP is RING3_LOADS_STACK of the page, where a load before
 * the first one is from, too. Then so many POPs. */
extern const uint8_t ring3_body_loads[], ring3_body_loads_pops[];
#define RING3_LOADS_AT    3072
#define RING3_LOADS_POPS  7
#define RING3_LOADS_STACK (RING3_BODY_STACK - RING3_LOADS_POPS * 8)
/* Instead of the body, at ring 3 alone: by turns loads and stores of a quadword
 * at RING3_CROSSED of the data page, half of it in the next page. */
extern const uint8_t ring3_body_crosses[], ring3_body_crosses_load[],
    ring3_body_crosses_store[];
#define RING3_CROSSED 4092
/* Instead of the body: REP STOS of so many bytes, from RING3_LOADS_AT on. */
extern const uint8_t ring3_body_string[], ring3_body_string_at[];
#define RING3_STRING_BYTES 512
#define RING3_REP_BYTES    3
/* Instead of the body: PTWRITE of the quadword that the data page begins with:
 * a register, half of it, the memory, half of that; where each is, from
 * ring3_code on. */
extern const uint8_t ring3_body_ptwrite[];
extern const uint32_t ring3_body_ptwrite_at[];
/* Instead of the body: a store to the address that the data page begins with.
 */
extern const uint8_t ring3_body_stores[];
/* Instead of the body: a jump to the address that the data page begins with,
 * with RDI and RSI the next two quadwords. It is to end by an exception: R14 is
 * no address of ring 3. */
extern const uint8_t ring3_body_elsewhere[];
/* Instead of the body: an IRETQ, and where it goes, at its own ring. */
extern const uint8_t ring3_body_iret[], ring3_body_iret_at[],
    ring3_body_iret_to[];
/* Instead of the body: a CALL, whose RET goes to the other. */
extern const uint8_t ring3_body_changes[], ring3_body_changed[];
/* Its taken branches, of the window at ring 3. */
extern const struct lbr_row ring3_body_changes_rows[];
/* Instead of the body: a CALL, in which SYSCALL goes to ring 0 and comes back;
 * where that is, a RET, and where that goes to. */
extern const uint8_t ring3_body_visits[], ring3_body_visits_back[],
    ring3_body_visits_returned[];
/* Instead of the body: each kind of near branch; of the calls one, in that row,
 * does not return. */
extern const uint8_t ring3_body_kinds[];
extern const struct lbr_row ring3_body_kinds_rows[];
#define RING3_KINDS_CALL 6
/* Instead of the body: two jumps, the second much sooner after the first than
 * that after what is before it; then LBR_BITS conditional branches, of which n
 * is taken where bit n of the data page's first doubleword is 1. */
extern const uint8_t ring3_body_bits[];
extern const struct lbr_row ring3_body_bits_rows[];
#define RING3_BITS_FAST       3 /* the row of the second */
#define RING3_BODY_XEND_BYTES 3
/* A way without the body, which may be entered at each of so many NOPs, a byte
 * each; the instructions of the window before them, without the WRMSR that
 * opens it. */
extern const uint8_t ring3_body_straight[];
#define RING3_STRAIGHT_NOPS   192
#define RING3_STRAIGHT_BEFORE 15
/* The status after an abort that went to the fallback of an inner XBEGIN: bits
 * that EAX never has. */
#define RING3_BODY_INNER 0x00aa0000u
/* What accesses the data page in the body: where it is and what follows it,
 * counted from ring3_code; the place on the page, and the bytes on the stack
 * after it. Up to one of which `at` is 0. The doubleword at the page's begin
 * has to be RING3_BODY_CELL: CF is 1 before its locked addition, and after it
 * 0. */
struct ring3_access {
    uint32_t at, next, kind, place, stacked;
};
extern const struct ring3_access ring3_body_accesses[];
#define RING3_BODY_CELL   0x80000000u
#define RING3_BODY_STACK  2048
#define RING3_BODY_LOAD   1u
#define RING3_BODY_STORE  2u
#define RING3_BODY_LOCKED 4u
#define RING3_BODY_SPLIT  8u
#define RING3_BODY_MOVES  16u /* a line further in each turn */
#define RING3_BODY_GOES   32u /* a CALL or RET */
/* Of the body, and of what is before and after it on the plain way. At ring 0
 * the window has some instructions more, one of them a branch. */
extern const struct window_shape ring3_body_shape, ring3_body_ends_shape;
#define RING3_BODY_AROUND 13

/* More ways for window_ring3_body(), at ring 3 alone: a transaction that
 * changes registers and memory, and then aborts by this; its status is that of
 * the struct ring3. What its fallback finds is on the data page, whose first
 * 780H bytes are to be as before. */
extern const uint8_t ring3_state_xabort[], /* A5H */
    ring3_state_inner_xabort[],            /* 5AH */
    ring3_state_deep_xabort[],             /* 33H, at level 4 */
    ring3_state_ended_xabort[],            /* 33H, after an inner one ended */
    ring3_state_ud2[], ring3_state_pause[], ring3_state_int3[],
    ring3_state_int1[], ring3_state_divide[],
    ring3_state_load[],  /* from an address that is not canonical, */
    ring3_state_stack[], /* the same by RSP */
    ring3_state_x87[],   /* #MF where CR0.NE = 1: a division by zero */
    ring3_state_fault[], /* a store to a page of ring 0, inside */
    ring3_state_cpuid[],
    ring3_state_stores[], /* to each line of RING3_MORE_BYTES, inside */
    ring3_state_hold[];   /* that of held[0], or XABORT 44H a while later */
/* Transactions that commit, and what is read in them: in results[]; XEND where
 * there is none. */
extern const uint8_t ring3_state_commits[], ring3_state_xend[];
/* CPUID with EAX = 7, ECX = 0: EBX and EDX, in results[0]. */
extern const uint8_t ring3_state_leaf7[];
/* RING3_ABORTS transactions that XABORT 33H, CPUID, UD2, CPUID in an inner one
 * ends, elided sections that PAUSE does; that instruction, and where an abort
 * goes on. */
extern const uint8_t ring3_aborts_rtm[], ring3_aborts_rtm_at[],
    ring3_aborts_rtm_resume[], ring3_aborts_cpuid[], ring3_aborts_cpuid_at[],
    ring3_aborts_cpuid_resume[], ring3_aborts_ud2[], ring3_aborts_ud2_at[],
    ring3_aborts_ud2_resume[], ring3_aborts_inner[], ring3_aborts_inner_at[],
    ring3_aborts_inner_resume[], ring3_aborts_hle[], ring3_aborts_hle_at[],
    ring3_aborts_hle_resume[];
/* As many that store to all lines of the data page and of RING3_MORE_BYTES, and
 * that load from these and from RING3_SHOWN pages after them, before XABORT
 * 33H: their EAX in results[]. */
extern const uint8_t ring3_aborts_writes[], ring3_aborts_writes_at[],
    ring3_aborts_writes_resume[], ring3_aborts_reads[], ring3_aborts_reads_at[],
    ring3_aborts_reads_resume[];
/* Two that read held[0], and wait a while before XABORT 33H: their EAX in
 * results[1] and results[0]. */
extern const uint8_t ring3_aborts_held[], ring3_aborts_held_at[],
    ring3_aborts_held_resume[];
/* RING3_ABORTS elided sections that end by XRELEASE, of the lock as it was, and
 * of another value. The status is how many were elided to their end. */
extern const uint8_t ring3_sections_match[], ring3_sections_other[];
/* In them, and in those that PAUSE ends. */
extern const uint8_t ring3_sections_match_acquire[],
    ring3_sections_match_release[], ring3_sections_other_acquire[],
    ring3_sections_other_release[], ring3_aborts_hle_acquire[];
#define RING3_HLE_TURNS 5 /* of a loop in each of the latter */
struct ring3_sections {   /* on the data page */
    uint32_t unused[2], lock, unused_too[13];
    uint32_t ran, locks, register_sum; /* 1 each, of each section */
};
_Static_assert(offsetof(struct ring3_sections, lock) == 8 &&
                   offsetof(struct ring3_sections, ran) == 64,
               "as ring3_state.inc has it");
#define RING3_ABORTS      8
#define RING3_STATE_BYTES 0x780
/* The status where the transaction has ended, and not at its fallback. */
#define RING3_STATE_LOST    0x00bb0000u
#define RING3_STATE_PLANTED UINT64_C(0x1b2c3d4e5f607100) /* and the number */
struct ring3_state {
    uint8_t memory[0x800];
    uint8_t before[512], after[512]; /* FXSAVE */
    uint64_t found[16];              /* RAX, RCX, RDX, RBX, RSP .. R15 */
    uint64_t flags;
    /* RFLAGS after XTEST outside, at levels 1, 2, 3, 2, 1; RAX after XABORT
     * outside and seven levels; empty transactions of 32, one after another,
     * that aborted; RFLAGS after XBEGIN and XEND that found all of
     * RING3_STATE_FLAGS, and none. */
    uint64_t results[10];
    uint8_t unused[0xd00 - 0xcd8];
    uint8_t upper_after[256]; /* halves of YMM0 to YMM15: if wide; */
    uint8_t kept[0x50];
    uint64_t planted_flags; /* before XBEGIN */
    uint32_t wide;          /* needs XCR0_AVX in ring3->components */
    uint32_t inner;         /* not 0: it ends a level further in */
    uint8_t unused_too[0xe80 - 0xe60];
    uint64_t held[8]; /* a line that ring3_state_hold reads */
};
/* What they are before: from there on in memory. */
#define RING3_STATE_UPPER 0x100
_Static_assert(offsetof(struct ring3_state, wide) == 0xe58,
               "as ring3_state.inc has it");
_Static_assert(offsetof(struct ring3_state, held) == 0xe80,
               "as ring3_state.inc has it");
_Static_assert(offsetof(struct ring3_state, found) == 0xc00,
               "as ring3_state.inc has it");
#define RING3_STATE_TESTS 6
#define RING3_STATE_EMPTY 32
#define RING3_STATE_BEGUN (5 + RING3_STATE_EMPTY) /* inner ones aside */

extern const uint8_t ring3_ud2[]; /* a UD2, in whatever mode */

/* RDPMC with ECX = index, at ring 3. Then ring3->vector says whether it
 * faulted, and what it read is returned. Writes 0 to IA32_PERF_GLOBAL_CTRL
 * (38FH). */
uint64_t ring3_rdpmc(struct ring3 *ring3, uint32_t index);
extern const uint8_t ring3_rdpmc_code[], ring3_rdpmc_at[]; /* the RDPMC */

#endif
