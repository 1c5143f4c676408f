/* SPDX-License-Identifier: BSD-2-Clause */
/* schedule.c - matchings of events and counters, and the search over them. */
#include "src/counting/schedule.h"

#include "src/base/mem.h"

#define NO_MSR SCHEDULE_MSRS_MAX
#define ANY    0xff /* label: the group may hold any value of the MSR */

struct search {
    const struct placement *events;
    unsigned count, groups, msrs, steps;
    unsigned
        values[SCHEDULE_MSRS_MAX]; /* how many different ones of each MSR */
    uint8_t need[SCHEDULE_MSRS_MAX]
                [SCHEDULE_EVENTS_MAX]; /* groups, of each value */
    uint32_t numbers[SCHEDULE_MSRS_MAX];
    uint8_t msr[SCHEDULE_EVENTS_MAX];   /* index into numbers[], or NO_MSR */
    uint8_t value[SCHEDULE_EVENTS_MAX]; /* number of the value, from 0 */
    uint8_t label[SCHEDULE_MSRS_MAX][SCHEDULE_EVENTS_MAX]; /* of groups */
    uint8_t owner[SCHEDULE_EVENTS_MAX]
                 [PLACES];              /* event + 1, of group and place */
    uint16_t seen[SCHEDULE_EVENTS_MAX]; /* set of places, of groups */
};

const char *schedule_error_text(enum schedule_error error)
{
    static const char *const text[SCHEDULE_ERROR_COUNT] = {
        [SCHEDULE_OK] = "no error",
        [SCHEDULE_TOO_MANY_EVENTS] = "more than 64 events",
        [SCHEDULE_TOO_MANY_MSRS] = "events share more than 4 MSRs",
        [SCHEDULE_FITS_NOWHERE] = "an event fits no counter",
        [SCHEDULE_UNDECIDED] =
            ("too many values of shared MSRs to find the fewest "
             "groups; 4000 matchings did not decide"),
    };

    return (unsigned)error < SCHEDULE_ERROR_COUNT ? text[error]
                                                  : "unknown error";
}

/* Numbers the MSRs, and the different values of each. */
static enum schedule_error number_msrs(struct search *s)
{
    for (unsigned e = 0; e < s->count; e++) {
        const struct placement *event = &s->events[e];
        unsigned m = 0;
        s->msr[e] = NO_MSR;
        if (event->msr == 0 || event->alone)
            continue;
        while (m < s->msrs && s->numbers[m] != event->msr)
            m++;
        if (m == SCHEDULE_MSRS_MAX)
            return SCHEDULE_TOO_MANY_MSRS;
        if (m == s->msrs)
            s->numbers[s->msrs++] = event->msr;
        s->msr[e] = (uint8_t)m;
        s->value[e] = (uint8_t)s->values[m];
        for (unsigned i = 0; i < e; i++)
            if (s->msr[i] == m && s->events[i].value == event->value)
                s->value[e] = s->value[i];
        s->values[m] += s->value[e] == s->values[m];
    }
    return SCHEDULE_OK;
}

/* The fewest groups for the events of one value, or for all of them (NO_MSR),
 * of those that are not alone: n events that may only be in a set of places
 * need n / places groups (Hall's theorem: and no more than the worst set does).
 */
static unsigned fewest_groups(const struct search *s, unsigned m, unsigned v)
{
    unsigned most = 0, all = 0;

    for (unsigned e = 0; e < s->count; e++)
        all |= s->events[e].counters;
    for (unsigned set = all; set != 0; set = (set - 1) & all) {
        unsigned n = 0, places = 0;
        for (unsigned left = set; left != 0; left &= left - 1)
            places++;
        for (unsigned e = 0; e < s->count; e++)
            n += !s->events[e].alone && (s->events[e].counters & ~set) == 0 &&
                 (m == NO_MSR || (s->msr[e] == m && s->value[e] == v));
        if ((n + places - 1) / places > most)
            most = (n + places - 1) / places;
    }
    return most;
}

/* What every schedule needs: of all events, and of each MSR, a group holding no
 * more than one value. */
static unsigned lower_bound(struct search *s)
{
    unsigned least = fewest_groups(s, NO_MSR, 0);

    for (unsigned m = 0; m < s->msrs; m++) {
        unsigned sum = 0;
        for (unsigned v = 0; v < s->values[m]; v++)
            sum += s->need[m][v] = (uint8_t)fewest_groups(s, m, v);
        least = sum > least ? sum : least;
    }
    return least;
}

/* True where the groups without a label are enough for what each value still
 * needs. */
static bool labels_suffice(const struct search *s)
{
    for (unsigned m = 0; m < s->msrs; m++) {
        unsigned labelled[SCHEDULE_EVENTS_MAX] = {0}, unlabelled = 0;
        for (unsigned g = 0; g < s->groups; g++)
            if (s->label[m][g] == ANY)
                unlabelled++;
            else
                labelled[s->label[m][g]]++;
        for (unsigned v = 0; v < s->values[m]; v++) {
            if (labelled[v] >= s->need[m][v])
                continue;
            if (s->need[m][v] - labelled[v] > unlabelled)
                return false;
            unlabelled -= s->need[m][v] - labelled[v];
        }
    }
    return true;
}

static bool label_allows(const struct search *s, unsigned e, unsigned g)
{
    unsigned m = s->msr[e];

    return m == NO_MSR || s->label[m][g] == ANY ||
           s->label[m][g] == s->value[e];
}

/* True where group g holds another value of the MSR of event e. */
static bool holds_other_value(const struct search *s, unsigned e, unsigned g)
{
    for (unsigned c = 0; c < PLACES && s->msr[e] != NO_MSR; c++) {
        unsigned other = s->owner[g][c] - 1u;
        if (s->owner[g][c] != 0 && s->msr[other] == s->msr[e] &&
            s->value[other] != s->value[e])
            return true;
    }
    return false;
}

/* A free place, and none that would be split later. */
static bool place_in_free(struct search *s, unsigned e)
{
    for (unsigned g = 0; g < s->groups; g++) {
        if (!label_allows(s, e, g) || holds_other_value(s, e, g))
            continue;
        for (unsigned c = 0; c < PLACES; c++)
            if ((s->events[e].counters >> c & 1) != 0 && s->owner[g][c] == 0) {
                s->owner[g][c] = (uint8_t)(e + 1);
                return true;
            }
    }
    return false;
}

/* A place, from which another event may have to move on. Recursion ends: each
 * place is seen once. */
static bool place_by_moving(struct search *s, unsigned e)
{
    for (unsigned g = 0; g < s->groups; g++) {
        if (!label_allows(s, e, g))
            continue;
        for (unsigned c = 0; c < PLACES; c++) {
            if ((s->events[e].counters & ~(unsigned)s->seen[g]) >> c & 1) {
                s->seen[g] |= (uint16_t)(1u << c);
                if (s->owner[g][c] == 0 ||
                    place_by_moving(s, s->owner[g][c] - 1u)) {
                    s->owner[g][c] = (uint8_t)(e + 1);
                    return true;
                }
            }
        }
    }
    return false;
}

/* All events placed, as the labels allow. Two values of an MSR may meet in a
 * group that has no label for it. */
static bool place_all(struct search *s)
{
    bool unplaced[SCHEDULE_EVENTS_MAX] = {false};

    memset(s->owner, 0, sizeof(s->owner));
    for (unsigned e = 0; e < s->count; e++)
        unplaced[e] = !s->events[e].alone && !place_in_free(s, e);
    for (unsigned e = 0; e < s->count; e++) {
        memset(s->seen, 0, sizeof(s->seen));
        if (unplaced[e] && !place_by_moving(s, e))
            return false;
    }
    return true;
}

/* The first group with two values of an MSR. */
static bool find_mixed(const struct search *s, unsigned *msr, unsigned *group)
{
    for (unsigned g = 0; g < s->groups; g++)
        for (unsigned c = 0; c < PLACES; c++) {
            unsigned e = s->owner[g][c] - 1u;
            if (s->owner[g][c] != 0 && holds_other_value(s, e, g)) {
                *msr = s->msr[e];
                *group = g;
                return true;
            }
        }
    return false;
}

/* SCHEDULE_OK: placed; SCHEDULE_FITS_NOWHERE: too few groups. A group with a
 * label holds what one without holds of that value, and nothing else: to try
 * all the labels is to try everything. Recursion ends: each level sets a label,
 * of msrs * groups. */
static enum schedule_error solve(struct search *s)
{
    unsigned m, g;
    enum schedule_error error = SCHEDULE_FITS_NOWHERE;

    if (s->steps == SCHEDULE_STEPS_MAX)
        return SCHEDULE_UNDECIDED;
    s->steps++;
    if (!labels_suffice(s) || !place_all(s))
        return SCHEDULE_FITS_NOWHERE;
    if (!find_mixed(s, &m, &g))
        return SCHEDULE_OK;
    for (unsigned v = 0; v < s->values[m] && error == SCHEDULE_FITS_NOWHERE;
         v++) {
        s->label[m][g] = (uint8_t)v;
        error = solve(s);
    }
    s->label[m][g] = ANY;
    return error;
}

/* Every value needs a group, and groups are alike: the values of the MSR that
 * has the most are given to the first groups, which costs no solution. */
static enum schedule_error solve_groups(struct search *s)
{
    unsigned most = 0;

    for (unsigned m = 1; m < s->msrs; m++)
        if (s->values[m] > s->values[most])
            most = m;
    for (s->groups = lower_bound(s); s->groups <= s->count; s->groups++) {
        memset(s->label, ANY, sizeof(s->label));
        for (unsigned v = 0; v < s->values[most]; v++)
            s->label[most][v] = (uint8_t)v;
        enum schedule_error error = solve(s);
        if (error != SCHEDULE_FITS_NOWHERE)
            return error;
    }
    return SCHEDULE_FITS_NOWHERE; /* not reached: one group an event is enough
                                   */
}

/* Groups in the order of their first events; an event that is alone has one of
 * its own. */
static void write_schedule(const struct search *s, struct schedule *out)
{
    uint8_t named[SCHEDULE_EVENTS_MAX] = {0}; /* new number + 1 */

    for (unsigned e = 0; e < s->count; e++) {
        if (s->events[e].alone) {
            out->counter[e] = (uint8_t)__builtin_ctz(s->events[e].counters);
            out->group[e] = (uint8_t)out->groups++;
        }
        for (unsigned g = 0; g < s->groups; g++)
            for (unsigned c = 0; c < PLACES; c++)
                if (s->owner[g][c] == e + 1) {
                    if (named[g] == 0)
                        named[g] = (uint8_t)++out->groups;
                    out->group[e] = (uint8_t)(named[g] - 1);
                    out->counter[e] = (uint8_t)c;
                }
    }
}

enum schedule_error schedule_make(const struct placement events[],
                                  unsigned count, struct schedule *out)
{
    struct search s = {.events = events, .count = count};

    *out = (struct schedule){0};
    if (count > SCHEDULE_EVENTS_MAX)
        return SCHEDULE_TOO_MANY_EVENTS;
    for (unsigned e = 0; e < count; e++)
        if (events[e].counters == 0) {
            out->event = e;
            return SCHEDULE_FITS_NOWHERE;
        }
    enum schedule_error error = number_msrs(&s);
    if (error == SCHEDULE_OK)
        error = solve_groups(&s);
    out->steps = s.steps;
    if (error == SCHEDULE_OK)
        write_schedule(&s, out);
    return error;
}
