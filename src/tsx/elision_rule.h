/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elision_rule.h - what lock elision does after an abort. Pure: it only
 * decides.
 *
 * White paper 604224, section 1.3: with CPUID.07H.0:EDX[13] = 1 an abort may
 * have the conflict bit alone, without the retry bit; it is handled like a
 * normal conflict. For other aborts the retry bit is taken into account.
 */
#ifndef SRC_TSX_ELISION_RULE_H
#define SRC_TSX_ELISION_RULE_H

#include <stdbool.h>
#include <stdint.h>

/* XABORT with this code: the lock was found taken inside the transaction. */
#define ELISION_LOCK_BUSY 0xffu

enum elision_next {
    ELISION_RETRY, /* try the transaction again */
    ELISION_WAIT,  /* wait until the lock is free, then try again */
    ELISION_LOCK,  /* take the lock, without a transaction */
};

struct elision_rule {
    unsigned attempts_max;        /* transactions before the lock is taken */
    bool retry_on_conflict_alone; /* section 1.3; false: the older rule */
};
#define ELISION_PAPER                                      \
    {                                                      \
        .attempts_max = 8, .retry_on_conflict_alone = true \
    }
#define ELISION_RETRY_BIT_ONLY                              \
    {                                                       \
        .attempts_max = 8, .retry_on_conflict_alone = false \
    }

/* After `attempts` aborted transactions, the last of which left `status` in
 * EAX. A status with bits set that are reserved is judged by the others. EAX[5]
 * says where an abort happened, not why, and does not count as a reason. */
enum elision_next elision_next(const struct elision_rule *rule, uint32_t status,
                               unsigned attempts);

#endif
