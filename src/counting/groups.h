/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * groups.h - a list of events counted group by group, as schedule.h splits it,
 * each group over windows of its own.
 */
#ifndef SRC_COUNTING_GROUPS_H
#define SRC_COUNTING_GROUPS_H

#include "src/harness/case.h"
#include "src/counting/counters.h"
#include "src/counting/schedule.h"

/* What each event of a list counted. */
struct groups_counted {
    struct schedule schedule;
    unsigned windows;                    /* of each group */
    unsigned repeated;                   /* because of an SMI */
    uint64_t least[SCHEDULE_EVENTS_MAX]; /* in one window */
    uint64_t most[SCHEDULE_EVENTS_MAX];  /* in one window */
    uint64_t total[SCHEDULE_EVENTS_MAX]; /* in all of them */
};

/* Splits `count` selects (IA32_PERFEVTSELx but for USR, OS and EN) into groups
 * on the counters of this processor, without those above PMC(counters - 1), and
 * runs the window `windows` times for each group. Needs counters_claim(). False
 * where an event fits nowhere (SKIP, with the reason) and where an access
 * faulted (ERROR is said). */
bool groups_count(struct test_context *t, const uint64_t selects[],
                  unsigned count, unsigned counters, unsigned windows,
                  window_function *window, struct groups_counted *out);

#endif
