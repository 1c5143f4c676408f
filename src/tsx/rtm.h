/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtm.h - what XBEGIN really does on this logical processor, tried rather than
 * taken from CPUID.
 */
#ifndef SRC_TSX_RTM_H
#define SRC_TSX_RTM_H

#include "src/case.h"

/* The outcomes of a number of transactions. tried = committed + aborted +
 * faulted. */
struct rtm_tally {
    unsigned tried, committed, aborted, faulted;
    unsigned forced;       /* of the aborted: EAX was 0 */
    unsigned leaked;       /* of the aborted: the store remained in memory */
    unsigned unrestored;   /* of the aborted: a register kept its change */
    unsigned lost;         /* of the committed: the store is not in memory */
    unsigned eax_changed;  /* of the committed: EAX was not left alone */
    uint32_t other_status; /* EAX of the last abort that was not forced */
    int vector;            /* of the last fault, else HW_NO_FAULT */
};

/* Tries `times` transactions of one store each. XBEGIN that raises an exception
 * is an outcome; after RTM_FAULTS_MAX of them in a row it stops early, since
 * nothing else will come. */
#define RTM_FAULTS_MAX 16
void rtm_try(unsigned times, struct rtm_tally *out);

/* Checks what holds for any transaction in any state: an aborted one leaves
 * nothing behind, a committed one its store, XBEGIN that starts one leaves EAX
 * alone (SDM 1, "RTM Memory Ordering", "XBEGIN"). `state` is for the line. */
void rtm_check_atomic(struct run *t, const char *state,
                      const struct rtm_tally *tally);

/* Checks that every transaction aborted with EAX = 0 and left nothing behind
 * (white paper 604224, table A-1). */
void rtm_check_forced(struct run *t, const char *state,
                      const struct rtm_tally *tally);

/* True where XBEGIN does not raise an exception. Else a SKIP that says so. */
bool rtm_usable(struct run *t);

#endif
