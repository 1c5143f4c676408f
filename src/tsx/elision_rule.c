/* SPDX-License-Identifier: BSD-2-Clause */
/* elision_rule.c - retry, wait, or take the lock. */
#include "src/tsx/elision_rule.h"

#include "src/tsx/status.h"

#define REASONS                                                      \
    (RTM_STATUS_XABORT | RTM_STATUS_CONFLICT | RTM_STATUS_CAPACITY | \
     RTM_STATUS_BREAKPOINT)

static bool lock_was_busy(uint32_t status)
{
    return (status & RTM_STATUS_XABORT) != 0 &&
           (status & RTM_STATUS_CODE) >> 24 == ELISION_LOCK_BUSY;
}

enum elision_next elision_next(const struct elision_rule *rule, uint32_t status,
                               unsigned attempts)
{
    if (attempts >= rule->attempts_max)
        return ELISION_LOCK;
    if (lock_was_busy(status))
        return ELISION_WAIT;
    if ((status & RTM_STATUS_RETRY) != 0)
        return ELISION_RETRY;
    if (rule->retry_on_conflict_alone &&
        (status & REASONS) == RTM_STATUS_CONFLICT)
        return ELISION_RETRY;
    return ELISION_LOCK;
}
