/* SPDX-License-Identifier: BSD-2-Clause */
/* groups.c - schedules groups for this processor and counts them. */
#include "src/counting/groups.h"

#include "src/base/msr.h"
#include "src/counting/selects.h"

/* The state of counter 3 is that of now. */
static bool make_schedule(struct test_context *t, const uint64_t selects[],
                          unsigned count, unsigned counters,
                          struct schedule *out)
{
    struct placement places[SCHEDULE_EVENTS_MAX];
    char why[CONSTRAINTS_WHY_BYTES];
    uint64_t force_abort = 0;

    if (test_regime(t) == REGIME_B &&
        !get_msr(t, TSX_FORCE_ABORT, &force_abort))
        return false;
    struct constraints_cpu cpu =
        constraints_cpu_of(test_cpu(t), test_regime(t), force_abort);
    cpu.counters = counters < cpu.counters ? counters : cpu.counters;
    for (unsigned e = 0; e < count && e < SCHEDULE_EVENTS_MAX; e++)
        if (!constraints_find(&cpu,
                              &(struct event_wanted){.select = selects[e]},
                              &places[e], why)) {
            skip(t, "event %02lXH/%02lXH %s", selects[e] & 0xff,
                 selects[e] >> 8 & 0xff, why);
            return false;
        }
    enum schedule_error error = schedule_make(places, count, out);
    if (error != SCHEDULE_OK)
        broken(t, "groups of %u counters: %s", counters,
               schedule_error_text(error));
    return error == SCHEDULE_OK;
}

static void add_count(struct groups_counted *c, unsigned e, uint64_t got,
                      bool first)
{
    if (first || got < c->least[e])
        c->least[e] = got;
    if (first || got > c->most[e])
        c->most[e] = got;
    c->total[e] += got;
}

static bool count_group(struct test_context *t, const uint64_t selects[],
                        unsigned count, unsigned group, window_function *window,
                        struct groups_counted *c)
{
    struct selects s = {{0}, {0}, 0};
    unsigned set = 0;

    for (unsigned e = 0; e < count; e++)
        if (c->schedule.group[e] == group) {
            s.select[c->schedule.counter[e]] = selects[e];
            set |= 1u << c->schedule.counter[e];
        }
    /* What the previous group selected must not count, nor be in use. */
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
        if (!set_msr_again(t, IA32_PERFEVTSEL(n), 0))
            return false;
    for (unsigned i = 0; i < c->windows; i++) {
        if (!selects_window(t, &s, set, window))
            return false;
        c->repeated += s.repeated;
        for (unsigned e = 0; e < count; e++)
            if (c->schedule.group[e] == group)
                add_count(c, e, s.got[c->schedule.counter[e]], i == 0);
    }
    return true;
}

bool groups_count(struct test_context *t, const uint64_t selects[],
                  unsigned count, unsigned counters, unsigned windows,
                  window_function *window, struct groups_counted *out)
{
    *out = (struct groups_counted){.windows = windows};
    if (!make_schedule(t, selects, count, counters, &out->schedule))
        return false;
    for (unsigned g = 0; g < out->schedule.groups; g++)
        if (!count_group(t, selects, count, g, window, out))
            return false;
    return true;
}
