/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counting_window.h - measured windows (asm/counting_window.asm): an exactly
 * known body between two WRMSRs to IA32_PERF_GLOBAL_CTRL.
 */
#ifndef ASM_COUNTING_WINDOW_H
#define ASM_COUNTING_WINDOW_H

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
uint64_t window_paused(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_rtm(uint64_t enable, uint64_t cells[WINDOW_CELLS]);
uint64_t window_rtm_long(uint64_t enable, uint64_t cells[WINDOW_CELLS]);

/* For bank_work(): so many jumps, some hundred cycles apart. */
#define WORK_BRANCHES 12
void counting_work(void *unused);

/* The first byte after its last instruction: an interrupt of its is before. */
extern const uint8_t window_long_end[];

extern const struct window_shape
    window_plain_shape;                             /* branches of four kinds */
extern const struct window_shape window_slow_shape; /* divisions: time */
extern const struct window_shape window_long_shape; /* divisions, jumps */
extern const struct window_shape window_branches_shape; /* of every kind */
extern const struct window_shape window_rep_shape;      /* REP, as one each */
/* Written with 0 and with enable again in between: two WRMSRs close it. */
extern const struct window_shape window_paused_shape;
extern const struct window_shape window_rtm_shape;      /* two transactions */
extern const struct window_shape window_rtm_long_shape; /* one, 27 inside */

#endif
