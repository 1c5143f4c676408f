/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_events.c - what goes wrong with RTM_RETIRED: starts, commits and aborts of
 * nested regions, and the categories of aborts. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/counters.h"
#include "tests/silicon/model/tsx.h"

bool faults_lose_interrupt(const struct processor *p)
{
    (void)p;
    return false;
}

bool faults_count_as_rtm(const struct processor *p)
{
    (void)p;
    return false;
}

uint8_t faults_nested_events(const struct processor *p, bool begins)
{
    (void)begins;
    (void)p;
    return 0;
}

unsigned faults_aborts_counted(const struct processor *p, unsigned depth)
{
    (void)depth;
    (void)p;
    return 1;
}

uint8_t faults_category(const struct processor *p, enum tx_cause cause,
                        uint8_t umasks)
{
    (void)cause;
    (void)p;

    return umasks;
}
