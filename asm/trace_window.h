/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_window.h - code that runs between a WRMSR that sets TraceEn and one
 * that clears it (asm/trace_window.asm), and what it leaves in a trace. The
 * same window with IA32_DEBUGCTL is that of last branch records (lbr_bodies.h).
 */
#ifndef ASM_TRACE_WINDOW_H
#define ASM_TRACE_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* In this order for trace_window.asm. The caller fills it. */
struct trace_window {
    uint64_t control; /* of the MSR, with [0] = 1 (TraceEn, LBR) */
    const uint8_t *body;
    uint64_t argument, count;   /* RSI and RDI of the body */
    volatile uint64_t cells[4]; /* what some bodies read or write */
    uint64_t tsc;               /* RDTSC, just before TraceEn is set */
    uint32_t msr;               /* IA32_RTIT_CTL (570H), IA32_DEBUGCTL (1D9H) */
};
_Static_assert(offsetof(struct trace_window, body) == 0x08, "body");
_Static_assert(offsetof(struct trace_window, argument) == 0x10, "argument");
_Static_assert(offsetof(struct trace_window, cells) == 0x20, "cells");
_Static_assert(offsetof(struct trace_window, tsc) == 0x40, "tsc");
_Static_assert(offsetof(struct trace_window, msr) == 0x48, "msr");

/* Writes control, jumps to the body, writes control without bit 0. Returns
 * HW_NO_FAULT, or the vector of the first WRMSR, which was then all. Flags and
 * registers are given back. The journal has to have the MSR. */
int trace_window(struct trace_window *window);

/* After the WRMSR that sets TraceEn; the WRMSR that clears it. */
extern const uint8_t trace_window_on[], trace_window_on_next[],
    trace_window_off_at[];
/* Where bodies jump to at their end. */
extern const uint8_t trace_window_off[];

/* The 256 gates of the calling processor's IDT, copied; the same window while
 * the IDT is such gates. An exception that ends the job gives back the IDT. */
#define TRACE_GATES_BYTES 4096u
void trace_gates(uint8_t gates[TRACE_GATES_BYTES]);
int trace_window_gates(struct trace_window *window,
                       uint8_t gates[TRACE_GATES_BYTES]);
/* The same while the GDT is this one, of so many bytes. */
int trace_window_segments(struct trace_window *window,
                          uint8_t gates[TRACE_GATES_BYTES], const void *gdt,
                          uint16_t bytes);
/* Handlers: they go on where the body said, after a fault without and with an
 * error code, or where the processor would. */
extern const uint8_t trace_handler[], trace_handler_error[],
    trace_handler_trap[];
extern const uint8_t trace_handler_end[]; /* the IRETQ of the first */
#define TRACE_INT 0x81 /* the vector of a software interrupt */

/* What a body leaves: rows up to a kind of 0. */
struct trace_row {
    uint32_t kind; /* enum path_kind */
    int32_t at;    /* the address, from the start of the body; or a number */
};

#define TRACE_BODY(name)         \
    extern const uint8_t name[]; \
    extern const struct trace_row name##_path[]

TRACE_BODY(trace_body_nothing);
/* Every kind of conditional branch, taken and not. */
TRACE_BODY(trace_body_conditions);
/* TRACE_PATTERN conditional branches in no regular order. */
TRACE_BODY(trace_body_pattern);
#define TRACE_PATTERN 120
/* Jumps, calls and returns: direct, indirect, far. */
TRACE_BODY(trace_body_transfers);
/* Calls and returns: paired, nested, deeper than 64, and returns that go
 * elsewhere than to their call. */
TRACE_BODY(trace_body_returns);

/* Count turns of three calls in one another, and of jumps in and around them;
 * the rows are those of one turn, but for the branch back. */
TRACE_BODY(trace_body_calls);
#define TRACE_CALLS_JUMPS 7

/* Count turns of two jumps, TRACE_CHAIN cycles at least between them; rows as
 * of trace_body_calls. IA32_PERF_GLOBAL_CTRL (38FH) is argument meanwhile, 0
 * afterwards; the journal has to have it. */
TRACE_BODY(trace_body_counted);
#define TRACE_CHAIN 48
TRACE_BODY(trace_body_dense); /* the same; the other has thousands more */

/* In and out of the range from trace_range_first to trace_range_last, both
 * included, by all kinds of branches; its path is that of a filter of it. */
TRACE_BODY(trace_body_range);
/* The same of one up to before trace_range_last, out of it by a return. */
TRACE_BODY(trace_body_range_return);
/* Under a filter from trace_called_first, to which a call from outside returns,
 * to trace_called_last. */
TRACE_BODY(trace_body_range_called);
extern const uint8_t trace_called_first[], trace_called_last[];
extern const uint8_t trace_range_before[], trace_range_first[],
    trace_range_taken[], /* the target of a conditional branch alone */
    trace_range_last[], trace_range_after[];
/* Calls trace_range_before and trace_range_after, which return to those of its
 * addresses, and then the argument. */
extern const uint8_t trace_body_stop[];
extern const uint32_t trace_body_stop_at[2];
/* Count turns of a jump and a branch; cells[0] is how often 38EH[55]
 * (Trace_ToPA_PMI) was 1, which is then cleared. */
extern const uint8_t trace_body_int[];
/* IA32_RTIT_STATUS (571H), read late in the window, is cells[0],
 * then IA32_RTIT_CTL (570H) cells[1]. */
TRACE_BODY(trace_body_status);
#define TRACE_STATUS_BYTES 91 /* to within its last instruction */
/* Writes CR3 with what it holds, which is then in cells[0]; with the argument,
 * which maps the same; and back, with an indirect jump after each of the two.
 */
TRACE_BODY(trace_body_cr3);
extern const uint8_t trace_body_cr3_own[],  /* the first write, */
    trace_body_cr3_back[],                  /* after the last */
    trace_body_cr3_end[];                   /* the last jump's target */
#define TRACE_CR3_BYTES 3                   /* of a write */
extern const uint8_t trace_body_cr3_read[]; /* cells[0], [1] are CR3, CR4 */
/* Jumps to itself at argument higher, and TRACE_ALIAS_STEP above that, under a
 * CR3 of count; INT3 there, whose handler is to be the label's first alias. */
TRACE_BODY(trace_body_alias);
extern const uint8_t trace_alias_handler[];
#define TRACE_ALIAS_STEP  (UINT64_C(1) << 21)
#define TRACE_ALIAS_BYTES 256 /* of its code, at most */
/* The same with a PTWRITE, at its one row of a FUP. */
TRACE_BODY(trace_body_alias_ptwrite);
/* The same with calls, returns and a far return. */
TRACE_BODY(trace_body_alias_calls);
/* The same with transactions. RAX after the abort is cells[1], after the commit
 * cells[2]. */
TRACE_BODY(trace_body_alias_tx);
#define TRACE_XABORT 0x5a

/* The same to and fro between that alias, whose bits TRACE_FAR_FIRST and so
 * many from there on are 0, and the addresses where one of them is 1; each pair
 * of jumps is two rows with the alias. */
TRACE_BODY(trace_body_far);
#define TRACE_FAR_FIRST 21
#define TRACE_FAR_BITS  26
#define TRACE_FAR_BYTES 1024 /* of its code, at most */
/* IA32_RTIT_CTL (570H) is written with what it holds, twice. */
TRACE_BODY(trace_body_rewrite);

/* Into code of 32 and 16 bits and back, under a gate for #BP with its handler.
 * argument: the selector of a 32-bit code segment at privilege level 0, which a
 * 16-bit one follows; both from 0 on, of 4 GB. This code and RSP are below. */
TRACE_BODY(trace_body_modes);
extern const uint8_t trace_mode_handler[];
/* Its path under a filter up to before that address. */
extern const uint8_t trace_modes_end[];
extern const struct trace_row trace_body_modes_range_path[];

/* Calls and returns, under a filter of CR3 as it is: the argument, which maps
 * the same, is CR3 in the first, and at the second. */
TRACE_BODY(trace_body_cr3_returns);
/* The same under a filter up to before that address; INT3 in the call has that
 * handler, outside. */
TRACE_BODY(trace_body_event_returns);
extern const uint8_t trace_event_returns_end[], trace_event_returns_handler[];

/* Into a filter of these addresses by INT3, whose handler is the first, and by
 * a far return; out by IRETQ and by another. */
TRACE_BODY(trace_body_far_ways);
extern const uint8_t trace_far_first[], trace_far_last[];

/* TraceEn is 0 and 1 between a call and its return. */
TRACE_BODY(trace_body_restart);

/* #UD, #DE, #GP, #BP, INT TRACE_INT and a data breakpoint, which is a trap,
 * under gates with these handlers. */
TRACE_BODY(trace_body_events);
TRACE_BODY(trace_body_if);
/* #PF by a load from argument, then from count, under that for #PF. */
TRACE_BODY(trace_body_page_faults);
extern const uint8_t trace_body_events_end[]; /* of its code */

/* PTWRITE of argument and count, TRACE_PTWRITES times, of which
 * TRACE_PTWRITE_HALVES writes 4 bytes and TRACE_PTWRITE_COUNTS of count; where
 * each is in the body. One conditional branch before the first, and one more
 * before the second. */
TRACE_BODY(trace_body_ptwrite);
#define TRACE_PTWRITES       5
#define TRACE_PTWRITE_HALVES 0x05u /* a bit each, the first in bit 0 */
#define TRACE_PTWRITE_COUNTS 0x1cu
extern const uint32_t trace_body_ptwrite_at[TRACE_PTWRITES];
/* PTWRITE of argument in a transaction: a register, half of it, memory, half of
 * that; cells[0] counts those that commit. */
TRACE_BODY(trace_body_tx_ptwrite);
/* With prefixes that it must not have, under a gate for #UD. */
TRACE_BODY(trace_body_ptwrite_refused);

/* Transactions (asm/trace_tx.asm, asm/trace_tx_range.asm). RSI is a lock, two
 * lines of zeros. cells[0] counts what went as the path says: TRACE_TX_x. */
TRACE_BODY(trace_body_tx_commit);
TRACE_BODY(trace_body_tx_abort);
TRACE_BODY(trace_body_tx_range); /* under a filter from first to last */
#define TRACE_TX_COMMIT 1
#define TRACE_TX_ABORT  1 /* and cells[1] is EAX of both XABORT 5AH, by AND */
#define TRACE_TX_RANGE  7
extern const uint8_t trace_tx_first[], trace_tx_last[];
/* As trace_body_counted, of count turns of one that aborts; cells[0] of them by
 * XABORT. */
TRACE_BODY(trace_body_tx_counted);
extern const uint8_t trace_tx_fallback[]; /* of trace_body_tx_abort */
/* cells[0]: 1 where the lock was elided; without, no packet of it is left. */
TRACE_BODY(trace_body_tx_elision);
/* The same under a filter from first to last; the lock is two lines of zeros
 * again. Cells[0] of the first: 1 where it was elided to its end. The others
 * abort, and leave no packet of a transaction where it was not elided. */
TRACE_BODY(trace_body_elision_seen);
TRACE_BODY(trace_body_elision_back);
TRACE_BODY(trace_body_elision_out);

/* pebs_window() (pebs_window.h), which argument opens; its state goes to the
 * address that count is. The journal has to have 38FH. */
TRACE_BODY(trace_body_sampled);

/* Count turns of TRACE_LOOP_JUMPS indirect jumps, of which the first goes to
 * one of two places, by a generator that begins with argument, which is odd,
 * and takes one step a turn; and of a conditional branch, taken but for the
 * last. Leaves CR3 in cells[0]. */
extern const uint8_t trace_body_loop[];
/* The targets, from trace_body_loop; the first one's other place is a byte
 * after it. All of its code lies within TRACE_LOOP_BYTES. */
#define TRACE_LOOP_JUMPS 4
extern const uint32_t trace_body_loop_at[TRACE_LOOP_JUMPS];
#define TRACE_LOOP_BYTES    144
#define TRACE_LOOP_NEXT(x)  ((x)*UINT64_C(0x5851f42d4c957f2d))
#define TRACE_LOOP_OTHER(x) ((x) >> 63)

#endif
