/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counting_window.h - measured windows (asm/counting_window.asm and
 * asm/counting_kinds.asm): an exactly known body between two WRMSRs to
 * IA32_PERF_GLOBAL_CTRL.
 */
#ifndef ASM_COUNTING_WINDOW_H
#define ASM_COUNTING_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/* What lies strictly between the two WRMSRs, counted by the assembler. An
 * aborted transaction has between 0 and its share of `inside` of the
 * instructions, and one branch less. Dwords in this order, as
 * counting_window.asm writes them. */
struct window_shape {
    uint32_t instructions; /* where every transaction commits */
    uint32_t branches;     /* likewise; XBEGIN is not counted among them */
    uint32_t transactions;
    uint32_t inside; /* instructions from XBEGIN to XEND, both included */
};
_Static_assert(sizeof(struct window_shape) == 16, "four dwords");

#define WINDOW_CELLS 4

/* Writes enable to IA32_PERF_GLOBAL_CTRL (38FH), runs the body, writes 0 there.
 * Returns how many transactions aborted. A value that 38FH refuses raises an
 * exception that ends the job; so does XBEGIN without RTM. Four cells of the
 * caller's are written. */
uint64_t window_plain(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_slow(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_long(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_compare(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_branches(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_rep(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_random(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_indirect(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_returns(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_paused(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_live(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_rtm(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_rtm_long(uint64_t enable, uint64_t cells[WINDOW_CELLS]);

/* cells[0] of window_live() is the address of one: the register is written with
 * value[0] after LIVE_FIRST of the window's LIVE_BRANCHES, with value[1] after
 * LIVE_SECOND more. Before each write the counter is read by RDPMC and by
 * RDMSR. Neither is guarded: all that is written and read was tried before. */
struct window_live {
    uint32_t rdpmc, rdmsr; /* ECX of the two that read */
    uint32_t msr, zero;
    uint64_t value[2];
    uint64_t by_rdpmc[2], by_rdmsr[2]; /* what they read */
};
_Static_assert(offsetof(struct window_live, msr) == 8 &&
                   offsetof(struct window_live, value) == 16 &&
                   offsetof(struct window_live, by_rdpmc) == 32 &&
                   offsetof(struct window_live, by_rdmsr) == 48,
               "as counting_window.asm has it");
#define LIVE_FIRST    3
#define LIVE_SECOND   5
#define LIVE_BRANCHES 12
/* From the first write, without it, to the second, with it. */
#define LIVE_BETWEEN (2 * LIVE_SECOND + 15)
/* From there to the WRMSR that closes the window, both not counted. */
#define LIVE_AFTER (2 * (LIVE_BRANCHES - LIVE_FIRST - LIVE_SECOND) + 4)

/* For bank_work(): so many jumps, some hundred cycles apart. */
#define WORK_BRANCHES 12
void counting_work(void *unused);

/* The WRMSR after which nothing counts any more, and the first byte after the
 * last instruction: an interrupt of its is before. */
extern const uint8_t window_long_closing[], window_long_end[];

extern const struct window_shape
    window_plain_shape;                             /* branches of four kinds */
extern const struct window_shape window_slow_shape; /* divisions: time */
extern const struct window_shape window_long_shape; /* divisions, jumps */
extern const struct window_shape window_branches_shape; /* of every kind */
extern const struct window_shape window_rep_shape;      /* REP, as one each */
/* Written with 0 and with enable again in between: two WRMSRs close it. */
extern const struct window_shape window_paused_shape;
extern const struct window_shape window_live_shape;
extern const struct window_shape window_rtm_shape;      /* two transactions */
extern const struct window_shape window_rtm_long_shape; /* one, 27 inside */

#endif
