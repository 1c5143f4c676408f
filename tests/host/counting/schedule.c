/* SPDX-License-Identifier: BSD-2-Clause */
/* test_schedule.c - schedules obey the rules, and none has fewer groups:
 * compared with brute force on random lists. */
#include "src/counting/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SMALL 9 /* events that brute force can do */
#define LISTS 10000

static uint64_t random_next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    return z ^ z >> 29;
}

/* One counter each, from the set. */
static bool assignable(const struct placement events[], unsigned set,
                       unsigned used)
{
    if (set == 0)
        return true;
    unsigned e = (unsigned)__builtin_ctz(set);
    for (unsigned c = 0; c < PLACES; c++)
        if ((events[e].counters & ~used) >> c & 1 &&
            assignable(events, set & (set - 1), used | 1u << c))
            return true;
    return false;
}

/* The rules, as they stand in schedule.h. */
static bool fits(const struct placement events[], unsigned set)
{
    for (unsigned a = 0; a < SMALL; a++)
        for (unsigned b = 0; b < SMALL; b++)
            if (a != b && (set >> a & 1) && (set >> b & 1) &&
                (events[a].alone ||
                 (events[a].msr != 0 && events[a].msr == events[b].msr &&
                  events[a].value != events[b].value)))
                return false;
    return assignable(events, set, 0);
}

/* The fewest groups for each set of events, from those of smaller sets. */
static unsigned fewest(const struct placement events[], unsigned count)
{
    static uint8_t best[1 << SMALL];
    static bool fit[1 << SMALL];

    for (unsigned set = 1; set < 1u << count; set++) {
        fit[set] = fits(events, set);
        best[set] = 0xff;
        for (unsigned part = set; part != 0; part = (part - 1) & set)
            if (fit[part] && best[set & ~part] + 1 < best[set])
                best[set] = (uint8_t)(best[set & ~part] + 1);
    }
    return best[(1u << count) - 1];
}

/* Every event in one group, on a counter of its own that it may have. */
static void check_rules(const struct placement events[], unsigned count,
                        const struct schedule *schedule)
{
    bool used[SCHEDULE_EVENTS_MAX] = {false};
    unsigned next = 0;

    for (unsigned a = 0; a < count; a++) {
        assert_true(schedule->group[a] < schedule->groups);
        assert_true(schedule->group[a] <= next);
        next += schedule->group[a] == next;
        used[schedule->group[a]] = true;
        assert_true(schedule->counter[a] < PLACES);
        assert_true(events[a].counters >> schedule->counter[a] & 1);
        for (unsigned b = 0; b < a; b++) {
            if (schedule->group[b] != schedule->group[a])
                continue;
            assert_int_not_equal(schedule->counter[a], schedule->counter[b]);
            assert_false(events[a].alone || events[b].alone);
            if (events[a].msr != 0 && events[a].msr == events[b].msr)
                assert_int_equal(events[a].value, events[b].value);
        }
    }
    for (unsigned g = 0; g < schedule->groups; g++)
        assert_true(used[g]);
}

/* A list of the kind there is, or of any kind. */
static void draw(uint64_t *state, struct placement events[], unsigned count)
{
    const unsigned there = 3 + (unsigned)(random_next(state) % 2);
    const unsigned values = 1 + (unsigned)(random_next(state) % 4);
    const unsigned msrs = (unsigned)(random_next(state) % 4);
    const unsigned sharing = (unsigned)(random_next(state) % 8);
    const bool wild = random_next(state) % 2;

    for (unsigned e = 0; e < count; e++) {
        uint64_t r = random_next(state);
        unsigned all = (1u << there) - 1;
        events[e] = (struct placement){.counters = all};
        if (wild)
            events[e].counters = 1 + (unsigned)(r >> 8) % all;
        else if (r % 4 == 0)
            events[e].counters = 1u << (r >> 8) % there;
        if (msrs != 0 && (r >> 16) % 8 > sharing) {
            events[e].msr = 0x1a6 + (uint32_t)(r >> 24) % msrs;
            events[e].value = (r >> 32) % values;
        }
        events[e].alone = (r >> 40) % 16 == 0;
    }
}

static void fewest_of_random_lists(void **state)
{
    struct placement events[SMALL];
    uint64_t seed = 5;
    unsigned searched = 0, groups = 0;
    struct schedule schedule;

    (void)state;
    for (unsigned i = 0; i < LISTS; i++) {
        unsigned count = 1 + i % SMALL;
        memset(events, 0, sizeof(events));
        draw(&seed, events, count);
        assert_int_equal(schedule_make(events, count, &schedule), SCHEDULE_OK);
        check_rules(events, count, &schedule);
        assert_int_equal(schedule.groups, fewest(events, count));
        searched += schedule.steps > 1;
        groups += schedule.groups;
    }
    /* The search was needed, and groups had more than one event. */
    assert_true(searched > 50);
    assert_true(groups < LISTS * 3);
}

/* Long lists: the rules hold, and no list of events that share nothing needs
 * more than its matching. */
static void long_lists(void **state)
{
    struct placement events[SCHEDULE_EVENTS_MAX + 1];
    uint64_t seed = 6;
    struct schedule schedule;

    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        unsigned count = SCHEDULE_EVENTS_MAX - i % 32;
        draw(&seed, events, count);
        assert_int_equal(schedule_make(events, count, &schedule), SCHEDULE_OK);
        check_rules(events, count, &schedule);
    }
    for (unsigned e = 0; e <= SCHEDULE_EVENTS_MAX; e++)
        events[e] = (struct placement){.counters = e % 4 == 0 ? 2 : 0xf};
    assert_int_equal(schedule_make(events, SCHEDULE_EVENTS_MAX, &schedule),
                     SCHEDULE_OK);
    assert_int_equal(schedule.groups, SCHEDULE_EVENTS_MAX / 4);
    assert_int_equal(schedule_make(events, SCHEDULE_EVENTS_MAX + 1, &schedule),
                     SCHEDULE_TOO_MANY_EVENTS);
}

static void errors(void **state)
{
    struct placement events[6] = {{.counters = 1}, {.counters = 0}};
    struct schedule schedule;

    (void)state;
    assert_int_equal(schedule_make(events, 0, &schedule), SCHEDULE_OK);
    assert_int_equal(schedule.groups, 0);
    assert_int_equal(schedule_make(events, 2, &schedule),
                     SCHEDULE_FITS_NOWHERE);
    assert_int_equal(schedule.event, 1);
    for (unsigned e = 0; e < 5; e++)
        events[e] = (struct placement){.counters = 0xf, .msr = e + 1};
    assert_int_equal(schedule_make(events, 5, &schedule),
                     SCHEDULE_TOO_MANY_MSRS);
    for (unsigned e = 0; e < SCHEDULE_ERROR_COUNT; e++)
        assert_true(strlen(schedule_error_text((enum schedule_error)e)) > 5);
    assert_string_equal(schedule_error_text(SCHEDULE_ERROR_COUNT),
                        "unknown error");
}

/* Two MSRs whose values must be paired big with small: the search has to find
 * it, or to show that there is no such pairing. */
static void pairings(void **state)
{
    static const uint8_t first[] = {1, 2, 3, 1, 2, 3};
    struct placement events[24] = {{0}};
    unsigned count = 0;
    struct schedule schedule;

    (void)state;
    for (unsigned v = 0; v < 6; v++)
        for (unsigned i = 0; i < 4; i++)
            events[count++] =
                (struct placement){.counters = 0xf,
                                   .msr = i < first[v] ? 0x1a6 : 0x1a7,
                                   .value = v};
    assert_int_equal(schedule_make(events, count, &schedule), SCHEDULE_OK);
    check_rules(events, count, &schedule);
    assert_int_equal(schedule.groups, 6);
    /* One event more of the largest value, in place of one of the smallest. */
    for (unsigned e = 0; e < count; e++)
        if (events[e].msr == 0x1a6 && events[e].value == 0)
            events[e].value = 2;
    assert_int_equal(schedule_make(events, count, &schedule), SCHEDULE_OK);
    check_rules(events, count, &schedule);
    assert_true(schedule.groups >= 6 && schedule.groups <= 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewest_of_random_lists),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(errors),
        cmocka_unit_test(pairings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
