/* SPDX-License-Identifier: BSD-2-Clause */
/* elided_lock.c - transaction, wait, or the lock. */
#include "src/tsx/elided_lock.h"

#include "asm/elision_try.h"
#include "src/base/hw.h"
#include "src/tsx/status.h"

#define WAIT_TSC (UINT64_C(1) << 33) /* seconds, on any processor there is */

static bool wait_free(const struct elide_lock *lock, uint64_t start)
{
    while (lock->taken != 0) {
        __asm__ volatile("pause");
        if (hw_tsc() - start > WAIT_TSC)
            return false;
    }
    return true;
}

static bool take_lock(struct elide_lock *lock, uint64_t start)
{
    while (__atomic_exchange_n(&lock->taken, 1, __ATOMIC_ACQUIRE) != 0)
        if (!wait_free(lock, start))
            return false;
    return true;
}

static void count_abort(uint32_t status, struct elide_figures *figures)
{
    bool conflict = (status & RTM_STATUS_CONFLICT) != 0;

    figures->aborted++;
    figures->conflicts += conflict;
    figures->without_retry += conflict && (status & RTM_STATUS_RETRY) == 0;
}

bool elide(struct elide_lock *lock, const struct elision_rule *rule,
           void (*critical)(void *argument), void *argument,
           struct elide_figures *figures)
{
    uint64_t start = hw_tsc();
    enum elision_next next = ELISION_WAIT;
    unsigned attempts = 0;

    while (next != ELISION_LOCK) {
        if (next == ELISION_WAIT && !wait_free(lock, start))
            return false;
        uint32_t status = elision_try(&lock->taken, critical, argument);
        if (status == RTM_STATUS_STARTED) {
            figures->sections++;
            figures->committed++;
            return true;
        }
        count_abort(status, figures);
        next = elision_next(rule, status, ++attempts);
    }
    if (!take_lock(lock, start))
        return false;
    critical(argument);
    __atomic_store_n(&lock->taken, 0, __ATOMIC_RELEASE);
    figures->sections++;
    figures->locked++;
    return true;
}
