/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtm.h - what XBEGIN really does on this logical processor, tried rather than
 * taken from CPUID.
 */
#ifndef SRC_TSX_RTM_H
#define SRC_TSX_RTM_H

#include "src/harness/case.h"

/* The outcomes of a number of transactions. tried = committed + aborted + inner
 * + faulted. */
struct rtm_tally {
    unsigned tried, committed, aborted;
    unsigned inner;       /* aborted, but went on at an inner fallback */
    unsigned faulted;     /* XBEGIN, or what was inside, raised an exception */
    unsigned leaked;      /* of the aborted: a store remained in memory */
    unsigned unrestored;  /* of the aborted: a register was not restored */
    unsigned lost;        /* of the committed: the store is not in memory */
    unsigned eax_changed; /* of the committed: XBEGIN did not leave EAX alone */
    unsigned flagged;     /* of the committed: the body changed its flags */
    unsigned forced;      /* of the aborted: EAX was 0 */
    unsigned matched; /* of the aborted: all bits asked for are set in EAX */
    uint32_t status;  /* EAX of the last that matched, else of the last */
    uint32_t ever, always;     /* EAX of all aborts: bits set in one, in each */
    unsigned malformed;        /* of the aborted: no status there can be */
    uint32_t malformed_status; /* the last such */
    uint32_t other_status;     /* EAX of the last abort that was not forced */
    int vector;                /* of the last exception, else HW_NO_FAULT */
    unsigned empty, empty_committed; /* beside the others: nothing in them */
};

/* None tried yet. */
void rtm_clear(struct rtm_tally *out);

/* Enters EAX after an abort in ever, always and malformed. */
void rtm_add_status(uint32_t status, struct rtm_tally *out);

/* Tries `times` transactions of one store each, and after each RTM_EMPTY_EACH
 * of them one that is empty. XBEGIN that raises an exception is an outcome;
 * after RTM_FAULTS_MAX of them in a row it stops early, since nothing else will
 * come. */
#define RTM_FAULTS_MAX 16
#define RTM_EMPTY_EACH 16
void rtm_try(unsigned times, struct rtm_tally *out);

/* Checks what holds for any transaction in any state: an aborted one changes
 * nothing and leaves a status in EAX that there can be, a committed one makes
 * its store, XBEGIN that starts one leaves EAX alone (SDM 1, "RTM Memory
 * Ordering", "RTM Abort Status Definition"; "XBEGIN").
 */
void rtm_check_atomic(struct test_context *t, const struct rtm_tally *tally);

/* Checks that every transaction aborted with EAX = 0 and changed nothing
 * (white paper 604224, table A-1). An abort for a conflict, or one that sets
 * the retry bit alone, may come before the forced one: one, and one in
 * RTM_FORCED_OTHERS, is a figure. */
#define RTM_FORCED_OTHERS 1000
void rtm_check_forced(struct test_context *t, const struct rtm_tally *tally);

/* True where XBEGIN does not raise an exception. Else a SKIP that says so. */
bool rtm_usable(struct test_context *t);

#endif
