/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_window.h - windows in which records are made (asm/pebs_window.asm).
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
/* In pebs_window() the instruction after this event is the first of a page, in
 * pebs_window_taken() the branch of the event after it. */
#define PEBS_PAGE_EVENT 128

/* What general register n, in the order of a record (RAX, RBX, RCX, RDX, RSI,
 * RDI, RBP, RSP, R8 .. R15), holds at each event; R15 holds it plus k, RSP is
 * not planted. All differ, in both halves. */
#define PEBS_PLANTED(n) \
    (UINT64_C(0x5eb5c0de00000000) + (n)*UINT64_C(0x0101010101))

/* In the flags of a window: each holds the complement of that; R15 plus k. */
#define PEBS_COMPLEMENT (UINT64_C(1) << 63)

/* Two more registers, as they are at each event; ~0: the others are planted as
 * PEBS_COMPLEMENT has it, else 0. */
struct pebs_state {
    uint64_t rsp, rflags, complement;
};

/* Opens the window by writing `enable` to IA32_PERF_GLOBAL_CTRL (38FH), closes
 * it with 0. The status flags at each event are `flags`, a set of CF [0], PF
 * [2], AF [4], ZF [6] and SF [7]; of the others DF [10], IOPL [13:12], AC [18]
 * and ID [21] may be set too. A value that 38FH refuses raises an exception
 * that ends the job. */
void pebs_window(uint64_t enable, uint64_t flags, struct pebs_state *state);

/* The same with PEBS_PLANTED(2 * n) and, above it, PEBS_PLANTED(2 * n + 1) in
 * XMMn, 0 to PEBS_XMM - 1, or their complements; they are as they were
 * afterwards. */
#define PEBS_XMM 16
void pebs_window_xmm(uint64_t enable, uint64_t flags, struct pebs_state *state);

/* The same with branches that are taken, and OF set: event k's branch is at
 * pebs_events_taken + (k - 1) * PEBS_TAKEN_BYTES + PEBS_EVENT_BRANCH, its
 * target at pebs_events_taken + k * PEBS_TAKEN_BYTES, and between the two are
 * PEBS_TAKEN_GAP bytes that are no instruction. */
#define PEBS_TAKEN_BYTES 8
#define PEBS_TAKEN_GAP   2
extern const uint8_t pebs_events_taken[];
void pebs_window_taken(uint64_t enable, uint64_t flags,
                       struct pebs_state *state);

/* The same with branches to lower addresses: event k's branch is at
 * PEBS_EVENTS_BACK + (k - 1) * PEBS_BACK_BYTES + PEBS_EVENT_BRANCH; that of the
 * last leads to pebs_events_back. */
#define PEBS_BACK_BYTES  (-8)
#define PEBS_EVENTS_BACK (pebs_events_back - PEBS_EVENTS * PEBS_BACK_BYTES)
extern const uint8_t pebs_events_back[];

/* Where the instructions of event k begin, in a window whose first event's are
 * at `first`, and the next ones so many bytes on. */
static inline uint64_t pebs_event_at(const uint8_t *first, int bytes,
                                     unsigned k)
{
    return (uint64_t)(uintptr_t)first + (uint64_t)(((int64_t)k - 1) * bytes);
}

void pebs_window_back(uint64_t enable, uint64_t flags,
                      struct pebs_state *state);

/* pebs_window() with the documented stop amid events: 38FH = 0 after event
 * PEBS_EVENTS, PEBS_LATE more, IA32_PEBS_ENABLE (3F1H) = 0, PEBS_LATE more. */
#define PEBS_LATE 32
void pebs_window_stopped(uint64_t enable, uint64_t flags,
                         struct pebs_state *state);

/* PEBS_TIMED events; times[k - 1] is the time-stamp counter before event k,
 * times[k] after it. Only R15 is as in pebs_window(). */
#define PEBS_TIMED 64
void pebs_window_timed(uint64_t enable, uint64_t times[PEBS_TIMED + 1],
                       struct pebs_state *state);
/* Where its events end. */
extern const uint8_t pebs_timed_end[];

#endif
