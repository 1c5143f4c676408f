/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elided_lock.h - a lock that is elided by RTM, after white paper 604224,
 * section 1.3 (the rule: elision_rule.h).
 */
#ifndef SRC_TSX_ELIDED_LOCK_H
#define SRC_TSX_ELIDED_LOCK_H

#include "src/tsx/elision_rule.h"

/* 0: free. Alone on its cache line, and not written but through elide(). */
struct elide_lock {
    volatile uint32_t taken;
    char padding[124];
};

struct elide_figures {
    unsigned sections; /* = committed + locked */
    unsigned committed, locked;
    unsigned aborted;       /* transactions */
    unsigned conflicts;     /* of them with EAX[2] */
    unsigned without_retry; /* of these without EAX[1] */
};

/* Runs critical(argument) once under the lock: in a transaction, or, where the
 * rule says so, with the lock taken. Adds to *figures. False where the lock did
 * not become free in seconds: then critical() has not run. Needs RTM. What
 * critical() does must be fit for a transaction. */
bool elide(struct elide_lock *lock, const struct elision_rule *rule,
           void (*critical)(void *argument), void *argument,
           struct elide_figures *figures);

#endif
