/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * schedule.h - splits a list of events into the fewest groups such that each
 * group can be counted at once: a counter for each event, nothing beside an
 * event that must be alone, one value in each MSR that events share. Pure; the
 * memory is the caller's and the stack's.
 *
 * The fewest, always: it begins at a lower bound, and each "no" for so many
 * groups is exact. Without events that want different values in one MSR the
 * bound is the answer (Hall's theorem, over the 2^PLACES sets of counters), and
 * one bipartite matching of events and (group, counter) finds it, in at most
 * events * events * PLACES steps. With them it is a search: a group that holds
 * two values of an MSR in the matching is given each of the values in turn, and
 * a matching that fails although it ignores the other groups cuts the branch.
 * That may grow exponentially with the number of values; so it is bounded by
 * SCHEDULE_STEPS_MAX matchings, and fails where they are not enough: no
 * schedule is ever returned that might not be the smallest.
 */
#ifndef SRC_COUNTING_SCHEDULE_H
#define SRC_COUNTING_SCHEDULE_H

#include "src/counting/constraints.h"

#define SCHEDULE_EVENTS_MAX 64
#define SCHEDULE_MSRS_MAX   4 /* that events share: as many as the table has */
#define SCHEDULE_STEPS_MAX  4000 /* matchings in all */

enum schedule_error {
    SCHEDULE_OK,
    SCHEDULE_TOO_MANY_EVENTS, /* more than SCHEDULE_EVENTS_MAX */
    SCHEDULE_TOO_MANY_MSRS,   /* more than SCHEDULE_MSRS_MAX */
    SCHEDULE_FITS_NOWHERE, /* an event without a counter; constraints_find() has
                          said why */
    SCHEDULE_UNDECIDED,    /* SCHEDULE_STEPS_MAX matchings did not decide */
    SCHEDULE_ERROR_COUNT
};

struct schedule {
    unsigned groups;
    uint8_t group[SCHEDULE_EVENTS_MAX];   /* of each event, from 0 */
    uint8_t counter[SCHEDULE_EVENTS_MAX]; /* its place: bits of
                                             placement.counters */
    unsigned event; /* SCHEDULE_FITS_NOWHERE: the first that does not fit */
    unsigned steps; /* matchings made */
};

/* Groups are numbered by their first events. No event: no group. On an error
 * `group`, `counter` and `groups` say nothing. */
enum schedule_error schedule_make(const struct placement events[],
                                  unsigned count, struct schedule *out)
    __attribute__((warn_unused_result));

/* One line of text. Never NULL. */
const char *schedule_error_text(enum schedule_error error);

#endif
