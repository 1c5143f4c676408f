/* SPDX-License-Identifier: BSD-2-Clause */
/* groups.c - schedules groups for this processor and counts them. */
#include "src/counting/groups.h"

#include "src/base/msr.h"
#include "src/counting/selects.h"

/* The state of counter 3 is that of now. */
static bool make_plan(struct run *t, const uint64_t selects[], unsigned count,
                      unsigned counters, struct plan *out)
{
    struct placement places[PLAN_EVENTS_MAX];
    char why[CONSTRAINTS_WHY_BYTES];
    uint64_t force_abort = 0;

    if (run_regime(t) == REGIME_B && !get_msr(t, TSX_FORCE_ABORT, &force_abort))
        return false;
    struct constraints_cpu cpu =
        constraints_cpu_of(run_cpu(t), run_regime(t), force_abort);
    cpu.counters = counters < cpu.counters ? counters : cpu.counters;
    for (unsigned e = 0; e < count && e < PLAN_EVENTS_MAX; e++)
        if (!constraints_find(&cpu,
                              &(struct event_wanted){.select = selects[e]},
                              &places[e], why)) {
            skip(t, "event %02lXH/%02lXH %s", (unsigned long)selects[e] & 0xff,
                 (unsigned long)selects[e] >> 8 & 0xff, why);
            return false;
        }
    enum plan_error error = plan_make(places, count, out);
    if (error != PLAN_OK)
        broken(t, "groups of %u counters: %s", counters,
               plan_error_text(error));
    return error == PLAN_OK;
}

static void take(struct groups_counted *c, unsigned e, uint64_t got, bool first)
{
    if (first || got < c->least[e])
        c->least[e] = got;
    if (first || got > c->most[e])
        c->most[e] = got;
    c->total[e] += got;
}

static bool count_group(struct run *t, const uint64_t selects[], unsigned count,
                        unsigned group, window_function *window,
                        struct groups_counted *c)
{
    struct selects s = {{0}, {0}, 0};
    unsigned set = 0;

    for (unsigned e = 0; e < count; e++)
        if (c->plan.group[e] == group) {
            s.select[c->plan.counter[e]] = selects[e];
            set |= 1u << c->plan.counter[e];
        }
    /* What the previous group selected must not count, nor be in use. */
    for (unsigned n = 0; n < counters_available(run_cpu(t)); n++)
        if (!counters_put(t, IA32_PERFEVTSEL(n), 0))
            return false;
    for (unsigned i = 0; i < c->windows; i++) {
        if (!selects_window(t, &s, set, window))
            return false;
        c->repeated += s.repeated;
        for (unsigned e = 0; e < count; e++)
            if (c->plan.group[e] == group)
                take(c, e, s.got[c->plan.counter[e]], i == 0);
    }
    return true;
}

bool groups_count(struct run *t, const uint64_t selects[], unsigned count,
                  unsigned counters, unsigned windows, window_function *window,
                  struct groups_counted *out)
{
    *out = (struct groups_counted){.windows = windows};
    if (!make_plan(t, selects, count, counters, &out->plan))
        return false;
    for (unsigned g = 0; g < out->plan.groups; g++)
        if (!count_group(t, selects, count, g, window, out))
            return false;
    return true;
}
