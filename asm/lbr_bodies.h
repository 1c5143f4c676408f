/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lbr_bodies.h - code for trace_window() with IA32_DEBUGCTL (1D9H), and the
 * branches that it takes, written beside it by the assembler
 * (asm/lbr_bodies.asm, asm/lbr_tx.asm).
 */
#ifndef ASM_LBR_BODIES_H
#define ASM_LBR_BODIES_H

#include <stdint.h>

/* The kinds that MSR_LBR_SELECT tells apart (SDM 3B, "MSR_LBR_SELECT for Intel
 * microarchitecture code name Haswell"), from NEAR_REL_CALL on in its order.
 * The numbers are those of lbr_rows.inc. */
enum lbr_kind {
    LBR_END, /* from: the jump that leaves the body */
    LBR_JCC,
    LBR_REL_CALL,
    LBR_IND_CALL,
    LBR_RET,
    LBR_IND_JMP,
    LBR_REL_JMP,
    LBR_FAR,
    LBR_KINDS
};
#define LBR_KIND     0xffu
#define LBR_IN_TX    0x100u  /* inside of a transaction */
#define LBR_ABORT    0x200u  /* no branch: an abort */
#define LBR_FROM_USR 0x800u  /* at ring 3, before */
#define LBR_TO_USR   0x1000u /* and after */
#define LBR_MAY      0x2000u /* the record may be missing; IN_TSX is not said */

/* One taken branch, in the order of execution. Addresses are from the start of
 * the body. */
struct lbr_row {
    uint32_t kind; /* with the bits above */
    int32_t from, to;
};

#define LBR_BODY(name)           \
    extern const uint8_t name[]; \
    extern const struct lbr_row name##_rows[]

LBR_BODY(lbr_body_nothing);
/* Each kind; each condition, in two parts. At most 14 branches. */
LBR_BODY(lbr_body_kinds);
LBR_BODY(lbr_body_flags);
LBR_BODY(lbr_body_signs);
/* Two jumps, between which the window's MSR is written with what it holds. */
LBR_BODY(lbr_body_again);
/* LBR_BITS conditional branches, row n taken where bit n of argument is 1. */
LBR_BODY(lbr_body_bits);
LBR_BODY(lbr_body_bits_tx); /* in a transaction, after which cells[0] is 1 */
#define LBR_BITS 12
/* LBR_TARGETS indirect jumps, each to where its row says where bit n of
 * argument is 1, else so many bytes before, and a direct one after each. */
LBR_BODY(lbr_body_targets);
/* The same by calls, and a return that does not go back to the call. */
LBR_BODY(lbr_body_callees);
#define LBR_TARGETS       6
#define LBR_TARGETS_APART 1u
/* LBR_CHAIN jumps in a row; the body may begin at any of them. */
LBR_BODY(lbr_body_chain);
#define LBR_CHAIN 80
/* The rows are the calls that have not returned. */
LBR_BODY(lbr_body_calls);
/* LBR_CALLS calls, of which the last LBR_RETURNED have returned in the end; the
 * body may begin at any of them. argument: how many will not have returned. */
LBR_BODY(lbr_body_deep);
#define LBR_CALLS    40
#define LBR_RETURNED 4
/* #UD, #DE and, last, INT TRACE_INT, under gates with trace_handler; of each
 * there is one row, from where it is raised to where the handler goes on. */
LBR_BODY(lbr_body_exceptions);
/* A jump and a debug exception under a gate with trace_handler_trap, after
 * which there are no rows. cells[0] is 1; cells[1] is the window's MSR, [31:0],
 * afterwards. */
LBR_BODY(lbr_body_debug);
/* Two jumps; cells[] are IA32_PMC0 before and after the first, and before and
 * after the second. IA32_PERF_GLOBAL_CTRL (38FH) is 1 meanwhile, 0 afterwards;
 * the journal has to have it. */
LBR_BODY(lbr_body_short);
LBR_BODY(lbr_body_long);
/* Each kind of near branch after LBR_WAIT cycles or more. */
LBR_BODY(lbr_body_waits);
#define LBR_WAIT 64
/* With conditional branches between the two. */
LBR_BODY(lbr_body_between);

/* Transactions. argument: a lock, a line of zeros. cells[0] is 1 where it went
 * as the rows say; cells[1] is EAX at a fallback. */
LBR_BODY(lbr_body_commit);
LBR_BODY(lbr_body_calls_tx); /* the rows are as of lbr_body_calls */
LBR_BODY(lbr_body_xabort);
LBR_BODY(lbr_body_xabort_nested);
LBR_BODY(lbr_body_ud2);
LBR_BODY(lbr_body_divide);
LBR_BODY(lbr_body_cpuid);
LBR_BODY(lbr_body_pause);
LBR_BODY(lbr_body_int3);
#define LBR_XABORT 0x5a
/* Stores to LBR_LINES lines from argument on, in a loop; its row is that of
 * each turn. */
LBR_BODY(lbr_body_writes);
#define LBR_LINES 1024
/* A load from argument, then count turns of a loop; its row is that of each. */
LBR_BODY(lbr_body_held);
/* The second aborts once, and is executed again without elision; cells[0] is 1
 * where that execution is the last. */
LBR_BODY(lbr_body_elided);
LBR_BODY(lbr_body_elision_aborts);

#endif
