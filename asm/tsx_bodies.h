/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx_bodies.h - one block of code, a body, run once inside a transaction or
 * outside (asm/tsx_block.asm). Bodies are in asm/tsx_bodies.asm,
 * asm/tsx_aborting.asm, asm/tsx_displaced.asm, asm/tsx_holding.asm and
 * asm/tsx_memory.asm.
 */
#ifndef ASM_TSX_BODIES_H
#define ASM_TSX_BODIES_H

#include <stddef.h>
#include <stdint.h>

/* What running a body once answers; otherwise the vector, 0 to 31, of an
 * exception that was delivered. */
#define TSX_COMMITTED (-1)
#define TSX_ABORTED   (-2) /* went on at the outermost fallback */
#define TSX_INNER     (-3) /* aborted, and went on at an inner fallback */
#define TSX_RAN       (-4) /* tsx_outside(): the body came to its end */

/* In this order for tsx_body.inc. The caller fills body, argument, count,
 * cell and flags. */
struct tsx_block {
    const uint8_t *body;
    uint64_t end;             /* tsx_block.asm's own */
    uint64_t argument, count; /* RSI and RDX of the body */
    volatile uint64_t cell;   /* inverted in the transaction, before the body */
    volatile uint64_t flags;  /* what some bodies write */
    uint32_t status;          /* EAX at the end or at a fallback */
    uint32_t unrestored; /* registers that were not as before the body, of 14 */
    uint32_t below;      /* of TSX_BELOW quadwords below the stack, the same */
    /* Where an exception was delivered: its error code, and RAX then. */
    uint32_t error;
    uint64_t fault_rax;
};
#define TSX_BELOW 3
_Static_assert(offsetof(struct tsx_block, argument) == 0x10, "argument");
_Static_assert(offsetof(struct tsx_block, cell) == 0x20, "cell");
_Static_assert(offsetof(struct tsx_block, flags) == 0x28, "flags");
_Static_assert(offsetof(struct tsx_block, status) == 0x30, "status");
_Static_assert(offsetof(struct tsx_block, unrestored) == 0x34, "unrestored");
_Static_assert(offsetof(struct tsx_block, below) == 0x38, "below");
_Static_assert(offsetof(struct tsx_block, error) == 0x3c, "error");
_Static_assert(offsetof(struct tsx_block, fault_rax) == 0x40, "fault_rax");

/* Status is EAX after XEND, ~0 where neither XBEGIN nor the body changed it, or
 * the abort status; on an exception it is not changed, but is the vector where
 * XBEGIN itself raised it: there registers are compared, too. */
int tsx_inside(struct tsx_block *block);
int tsx_outside(struct tsx_block *block);

/* enter(block) with this in DR0 to DR3 and in DR7; these and DR6 are put back.
 */
int tsx_watched(int (*enter)(struct tsx_block *), struct tsx_block *block,
                uint64_t dr0, uint64_t dr7);

/* enter(block) as above, and what the debug registers hold then. */
struct tsx_debug {
    uint64_t dr0, dr6, dr7; /* before */
    uint64_t dr6_after, dr7_after;
};
int tsx_debugged(int (*enter)(struct tsx_block *), struct tsx_block *block,
                 struct tsx_debug *debug);

/* enter(block) while these bits of CR0 are set; CR0, x87 and SSE state are put
 * back. */
int tsx_with_cr0(int (*enter)(struct tsx_block *), struct tsx_block *block,
                 uint64_t bits);
#define TSX_CR0_TS (UINT64_C(1) << 3)
#define TSX_CR0_NE (UINT64_C(1) << 5)

/* CR2: of no use to anybody but the handler of the next #PF. */
uint64_t tsx_cr2_get(void);
void tsx_cr2_set(uint64_t value);

/* --- Bodies -------------------------------------------------------------- */

extern const uint8_t tsx_body_nothing[];
extern const uint8_t tsx_body_xtest[]; /* flags: RFLAGS after XTEST */
extern const uint8_t tsx_body_xend[];
/* LOCK before each; outside alone. */
extern const uint8_t tsx_body_lock_xbegin[], tsx_body_lock_xend[],
    tsx_body_lock_xabort[], tsx_body_lock_xtest[];
/* 66H, F2H, F3H before XEND and XTEST, the same. */
#define TSX_PREFIXED(ROW)      \
    ROW(op_xend, "66H XEND")   \
    ROW(f2_xend, "F2H XEND")   \
    ROW(f3_xend, "F3H XEND")   \
    ROW(op_xtest, "66H XTEST") \
    ROW(f2_xtest, "F2H XTEST") \
    ROW(f3_xtest, "F3H XTEST")
#define TSX_PREFIXED_LABEL(name, what) \
    extern const uint8_t tsx_body_##name[], tsx_body_##name##_fault[];
TSX_PREFIXED(TSX_PREFIXED_LABEL)
/* EAX: the difference of two RDPMCs of IA32_PMC0, the second so many
 * instructions after the first. */
extern const uint8_t tsx_body_rdpmc[];
#define TSX_RDPMC_AMID 24
/* TSX_LONG instructions; then XABORT 64H. tsx_inside() adds TSX_LONG_MORE
 * instructions at most between XBEGIN and XEND, both included. */
extern const uint8_t tsx_body_long[], tsx_body_long_xabort[];
#define TSX_LONG      64
#define TSX_LONG_MORE 18
/* Count transactions, one in another; XABORT TSX_NEST_NONE where XTEST, after
 * an inner XBEGIN or XEND, says that none runs. */
extern const uint8_t tsx_body_nest[];
#define TSX_NEST_LEVEL 12   /* instructions of each */
#define TSX_NEST_NONE  0x44 /* 45H: an inner XBEGIN changed EAX */
/* XABORT 5AH in the innermost of count, in one another. */
extern const uint8_t tsx_body_nest_deep[];
extern const uint8_t tsx_body_nest_xabort[]; /* XABORT 5AH in an inner one */
/* XABORT 33H after the XEND of an inner one that wrote flags; 44H where XTEST
 * says, there, that no transaction runs. */
extern const uint8_t tsx_body_nest_xend_xabort[];
/* The first 8 bytes of each of count lines of 64 bytes from argument on: 64
 * times the line's number, counted from 1. */
extern const uint8_t tsx_body_write_lines[];
extern const uint8_t tsx_body_nest_write_lines[]; /* in an inner transaction */
extern const uint8_t tsx_body_write_lines_xabort[]; /* then XABORT 65H */
/* One quadword of each of 8 * count lines from argument on; count at least 1.
 */
extern const uint8_t tsx_body_read_lines[];
extern const uint8_t tsx_body_nest_read_lines[]; /* in an inner transaction */
/* The same; then XABORT 65H. */
extern const uint8_t tsx_body_read_lines_xabort[];
/* Access argument, let count turns of a loop pass, and look again: flags change
 * where another processor came between. The store is of TSX_HELD, then of 0. */
extern const uint8_t tsx_body_hold_load[], tsx_body_hold_store[],
    tsx_body_hold_written[],                 /* that does not look again */
    tsx_body_hold_both[];                    /* a load and a store */
extern const uint8_t tsx_body_hold_nested[], /* a load in an inner one, */
    tsx_body_hold_deep[];                    /* at the third level */
/* A load in a transaction of its own, which stores nothing. */
extern const uint8_t tsx_body_hold_unstored[];
/* A load in an inner one, which ends then; of 16 bytes by REP LODS; a store in
 * an inner one, which ends then; in one that lasts. */
extern const uint8_t tsx_body_hold_ended[], tsx_body_hold_string[],
    tsx_body_hold_store_ended[], tsx_body_hold_store_nested[];
extern const uint8_t tsx_body_hold_loads[]; /* of so many lines in a row: */
#define TSX_HELD_LINES 192
extern const uint8_t tsx_body_hold_kinds[]; /* not again; of a line each, by */
#define TSX_HELD_KINDS                                                        \
    {                                                                         \
        "POP", "CMP", "TEST", "MOVZX of a byte", "BT", "IMUL",                \
            "CMOV whose condition is false", "LODS", "SCAS", "PUSH", "PADDQ", \
            "CVTSI2SD", "MOVSXD", "MOV of a byte", "MOV of 2 bytes",          \
            "MOV of 4 bytes", "MOVDQA", "CMP with a constant",                \
            "TEST with a constant", "AND", "BSF", "CMPXCHG that fails",       \
            "MOV of 8 bytes", "MUL"                                           \
    }
extern const uint8_t tsx_body_hold_store_kinds[]; /* the same of stores */
#define TSX_HELD_STORE_KINDS                                                 \
    {                                                                        \
        "MOV of a byte", "MOV of 2 bytes", "MOV of 4 bytes", "PUSH", "CALL", \
            "STOS", "MOVUPS", "MOVQ", "MOVAPS", "OR", "NOT",                 \
            "MOV of a constant", "CMPXCHG", "BTS", "SETZ"                    \
    }
extern const uint8_t tsx_body_hold_stores[]; /* to so many: */
#define TSX_STORED_LINES 128
/* The load of 8 bytes from 60 after argument on, of its line and the next; by
 * LOCK XADD of 0. */
extern const uint8_t tsx_body_hold_split[], tsx_body_hold_locked[],
    tsx_body_hold_vector[]; /* by MOVUPS */
#define TSX_HELD UINT64_MAX
/* With XSUSLDTRK and XRESLDTRK, which the processor has to have: a load between
 * the two, after them, before and between; a store between. The first and the
 * third do not look again. Then a store to flags between them and the
 * transaction's end, an inner one, another XSUSLDTRK; and nothing. */
extern const uint8_t tsx_body_hold_untracked[], tsx_body_hold_resumed[],
    tsx_body_hold_before[], tsx_body_hold_suspended_store[];
extern const uint8_t tsx_body_suspended_end[], tsx_body_suspended_begin[],
    tsx_body_suspended_twice[], tsx_body_suspended_once[];
/* Count turns of a loop, which take a cycle each at least; then XABORT 65H. */
extern const uint8_t tsx_body_spin[], tsx_body_spin_xabort[],
    tsx_body_nest_spin_xabort[], /* the loop and the XABORT in an inner one */
    tsx_body_spin_nest_xabort[]; /* the loop before it, the XABORT in it */
#define TSX_SPIN_STATUS 0x65000001u    /* of an abort by the XABORT */
extern const uint8_t tsx_body_store[]; /* of count at argument */
extern const uint8_t tsx_body_load[];  /* from argument */
/* The store in an inner transaction, whose XBEGIN is not to be gone back to: as
 * if it went to the inner fallback. */
extern const uint8_t tsx_body_nest_store[], tsx_body_nest_store_begin[];
/* The body at count, which aborts, in an inner transaction; after one that has
 * ended. */
extern const uint8_t tsx_body_nest_jump[], tsx_body_ended_jump[];
/* Count to the first 8 bytes of each of TSX_PUBLISHED lines from argument on,
 * the first line first, or last. */
extern const uint8_t tsx_body_publish_up[], tsx_body_publish_down[];
#define TSX_PUBLISHED 8
/* Of 1, 2, 4, 8, 16 bytes of count at argument (16: twice count), those of 1 to
 * 8 bytes twice; x87: of 10, by FSTP; by XCHG
 * and LOCK XADD over a quadword that is 0; nt: 8 by MOVNTI; rep: five times 8
 * by REP STOS; flags change where it does not read so inside. Then, where
 * TSX_STORE_ABORTS is set in count, XABORT 77H. */
extern const uint8_t tsx_body_store_1[], tsx_body_store_2[], tsx_body_store_4[],
    tsx_body_store_8[], tsx_body_store_16[], tsx_body_store_nt[],
    tsx_body_store_xchg[], tsx_body_store_xadd[], tsx_body_store_rep[],
    tsx_body_store_pair[], /* LOCK CMPXCHG16B */
    tsx_body_store_x87[];
/* The same of the quadwords at TSX_NESTED_PLACES from argument on: in the
 * outermost transaction, two inside, and after them; the last by a PUSH. */
extern const uint8_t tsx_body_store_nested[];
#define TSX_NESTED_PLACES           \
    {                               \
        0, 4096, 8192, 12288, 12296 \
    }
#define TSX_STORE_ABORTS (UINT64_C(1) << 63)
/* Changes so many quadwords from argument on, each by another instruction; then
 * XABORT 77H as above. */
extern const uint8_t tsx_body_store_kinds[];
#define TSX_STORE_KINDS                                                        \
    {                                                                          \
        "SETC", "BTS", "BTC", "STOS", "MOVS", "CMPXCHG", "NOT", "SHL", "ADD",  \
            "INC", "XADD", "ROL", "MOV of a selector", "POP", "CALL", "PUSHF", \
            "PUSH of a constant", "PUSH of memory", "MOV of a constant",       \
            "ADC", "SUB", "AND", "OR", "XOR", "SBB", "NEG", "DEC", "SAR",      \
            "RCR", "SHLD", "SHRD", "BTR", "MOVQ", "MOVSS", "MOVHPS",           \
            "LOCK OR", "MOVAPS", "MOVAPS, its upper half", "MOVDQA",           \
            "MOVDQA, its upper half", "MOVD", "ROR", "RCL",                    \
            "ADD of a register", "OR of a register", "ADC of a register",      \
            "SBB of a register", "AND of a register", "SUB of a register",     \
            "XOR of a register", "CMPXCHG8B", "ENTER", "MOVSD", "MOVHPD",      \
            "XCHG of a byte"                                                   \
    }
/* PUSHes count three times; then XABORT 77H. */
extern const uint8_t tsx_body_push_xabort[];
/* TSX_BRANCHES conditional branches, taken where the argument's bit is 1, the
 * lowest first; then XABORT 42H, where the second label is. */
extern const uint8_t tsx_body_branches[], tsx_body_branches_xabort[],
    tsx_body_branches_xabort_at[];
#define TSX_BRANCHES 8
/* Count indirect jumps, each followed by a conditional branch. */
extern const uint8_t tsx_body_jumps[];
/* XACQUIRE XCHG and XRELEASE MOV of a lock at argument, which is 0. */
extern const uint8_t tsx_body_hint[];
extern const uint8_t tsx_body_hint_xabort[]; /* and XABORT 66H */
/* And in between a store of count to the next line. */
extern const uint8_t tsx_body_elided[];
extern const uint8_t tsx_body_ud2[], tsx_body_divide[], tsx_body_int3[],
    tsx_body_int1[];
/* #NM with CR0.TS, #MF with CR0.NE; for tsx_with_cr0(). */
extern const uint8_t tsx_body_sse[], tsx_body_x87[];
/* One instruction each. SGDT, FXSAVE (16-byte aligned), CLFLUSH, INVLPG and
 * MOVNTI act on argument; WRMSR writes count to the MSR with that number; MOV
 * to DR0 is for tsx_watched(). */
extern const uint8_t tsx_body_cpuid[], tsx_body_pause[], tsx_body_rdmsr[],
    tsx_body_wrmsr[], tsx_body_in[], tsx_body_out[], tsx_body_cli[],
    tsx_body_sti[], tsx_body_popfq[], tsx_body_iretq[], tsx_body_mov_cr0[],
    tsx_body_mov_cr2[], tsx_body_mov_cr3[], tsx_body_mov_cr4[],
    tsx_body_mov_cr8[], tsx_body_sgdt[], tsx_body_fxsave[], tsx_body_mov_dr0[],
    tsx_body_mov_es[], tsx_body_sldt[], tsx_body_clflush[], tsx_body_invlpg[],
    tsx_body_movnti[], tsx_body_fnop[];
/* XABORT with code n is 8 * n bytes from here. */
extern const uint8_t tsx_bodies_xabort[];
#define TSX_XABORT_BYTES 8

/* For tsx_outside(): a transaction that XABORT 21H ends, and in flags the
 * number of the fallback that it came to: 1 to 5. By rel16 before XBEGIN,
 * behind it; by rel32 more than 64 KB behind it, before it; with XBEGIN on two
 * pages. */
extern const uint8_t tsx_body_near_backward[], tsx_body_near_forward[],
    tsx_body_far_forward[], tsx_body_far_backward[], tsx_body_on_two_pages[];
#define TSX_DISPLACED_STATUS 0x21000001u
/* Where else than there it may go, in so many bytes, there is a fix-up. */
extern const uint8_t tsx_displaced[];
#define TSX_DISPLACED_BYTES 0x11000

/* Instructions of them that may raise an exception: where it is reported, and
 * all go on at tsx_resume. */
#define TSX_FAULTS(AT)             \
    AT(tsx_xend_at)                \
    AT(tsx_body_xtest_fault)       \
    AT(tsx_body_xend_fault)        \
    AT(tsx_body_lock_xbegin_fault) \
    AT(tsx_body_lock_xend_fault)   \
    AT(tsx_body_lock_xabort_fault) \
    AT(tsx_body_lock_xtest_fault)  \
    AT(tsx_body_store_fault)       \
    AT(tsx_body_store_trap)        \
    AT(tsx_body_load_fault)        \
    AT(tsx_body_load_trap)         \
    AT(tsx_body_ud2_fault)         \
    AT(tsx_body_divide_fault)      \
    AT(tsx_body_sse_fault)         \
    AT(tsx_body_x87_fault)         \
    AT(tsx_body_int3_trap)         \
    AT(tsx_body_int1_trap)         \
    AT(tsx_body_hint_fault)        \
    AT(tsx_body_elided_fault)      \
    AT(tsx_body_elided_trap)       \
    AT(tsx_body_unhint_fault)

/* Where an abort goes on, and so the RIP of an exception that is delivered all
 * the same: it has a fix-up too. So has each XABORT. */
extern const uint8_t tsx_fallback[];

/* The outermost XBEGIN and XEND; instructions that abort. */
extern const uint8_t tsx_xbegin_at[], tsx_xend_at[], tsx_body_nest_xabort_at[],
    tsx_body_ud2_fault[], tsx_body_divide_fault[], tsx_body_load_fault[];

/* The instruction of tsx_body_store, for an instruction breakpoint. */
extern const uint8_t tsx_body_store_fault[];

#endif
