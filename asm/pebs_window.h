/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_window.h - the window in which records are made (asm/pebs_window.asm).
 */
#ifndef ASM_PEBS_WINDOW_H
#define ASM_PEBS_WINDOW_H

#include <stdint.h>

/* Events in the window: conditional branches, none taken, and no others. Event
 * k, 1 to PEBS_EVENTS, is the branch at pebs_events + (k - 1) *
 * PEBS_EVENT_BYTES + PEBS_EVENT_BRANCH; the instruction after it is at
 * pebs_events + k * PEBS_EVENT_BYTES. */
#define PEBS_EVENTS       256
#define PEBS_EVENT_BYTES  10
#define PEBS_EVENT_BRANCH 4
extern const uint8_t pebs_events[];

/* What general register n, in the order of a record (RAX, RBX, RCX, RDX, RSI,
 * RDI, RBP, RSP, R8 .. R15), holds at each event; R15 holds it plus k, RSP is
 * not planted. All differ, in both halves. */
#define PEBS_PLANTED(n) \
    (UINT64_C(0x5eb5c0de00000000) + (n)*UINT64_C(0x0101010101))

/* Two more registers, as they are at each event. */
struct pebs_state {
    uint64_t rsp, rflags;
};

/* Opens the window by writing `enable` to IA32_PERF_GLOBAL_CTRL (38FH), closes
 * it with 0. The status flags at each event are `flags`, a set of CF [0], PF
 * [2], AF [4], ZF [6] and SF [7]. A value that 38FH refuses raises an exception
 * that ends the job. */
void pebs_window(uint64_t enable, uint64_t flags, struct pebs_state *state);

#endif
