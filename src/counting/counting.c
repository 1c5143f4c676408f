/* SPDX-License-Identifier: BSD-2-Clause */
/* counting.c - runs the trials of one event after the other and judges them. */
#include "src/counting/counting.h"

#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/counting/judge.h"

#define SHOWN 1 /* trials shown in full, of each kind of deviation */

static const struct pmu_event events[] = {EVENT_INSTRUCTIONS, EVENT_BRANCHES,
                                          EVENT_CORE_CYCLES};

/* All the trials of one event. */
struct tally {
    struct counters c;
    const struct window_shape *shape;
    unsigned least;
    unsigned trials, commits, aborts;
    unsigned outside;           /* trials whose reference is out of bounds */
    unsigned odd[COUNTERS_MAX]; /* trials in which the counter differs */
    unsigned shown_reference, shown_odd;
    uint64_t lowest, highest; /* what the reference counted */
    unsigned whole;           /* trials in which no transaction aborted */
    uint64_t whole_lowest, whole_highest; /* of these */
};

static const char *reference_name(const struct counters *c)
{
    static const char *const fixed[] = {"IA32_FIXED_CTR0 (309H)",
                                        "IA32_FIXED_CTR1 (30AH)"};

    return c->fixed ? fixed[c->event->fixed & 1] : "IA32_PMC0 (C1H)";
}

static void show(const struct tally *y, unsigned trial, const struct sample *s,
                 uint64_t reference)
{
    struct run *t = y->c.t;
    const uint64_t *gp = s->gp;

    note(t,
         "%s, trial %u: %s counted %lu; IA32_PMC0-3 %lu %lu %lu %lu; "
         "%lu of %u transactions aborted",
         y->c.event->name, trial, reference_name(&y->c),
         (unsigned long)reference, (unsigned long)gp[0], (unsigned long)gp[1],
         (unsigned long)gp[2], (unsigned long)gp[3], (unsigned long)s->aborted,
         y->shape->transactions);
    if (y->c.count > 4)
        note(t, "%s, trial %u: IA32_PMC4-7 %lu %lu %lu %lu", y->c.event->name,
             trial, (unsigned long)gp[4], (unsigned long)gp[5],
             (unsigned long)gp[6], (unsigned long)gp[7]);
}

static void widen(uint64_t *lowest, uint64_t *highest, uint64_t value,
                  bool first)
{
    if (first || value < *lowest)
        *lowest = value;
    if (first || value > *highest)
        *highest = value;
}

/* Adds one trial. True where it counted what it should. */
static bool take(struct tally *y, unsigned trial, const struct sample *s)
{
    enum pmu_event_kind kind = y->c.event->kind;
    uint64_t reference = y->c.fixed ? s->fixed : s->gp[0];
    struct judge_bounds bounds = judge_bounds(y->shape, kind, s->aborted);
    unsigned odd = judge_outliers(s->gp, y->c.count, reference,
                                  judge_margin(kind, reference));
    bool outside = reference < bounds.least || reference > bounds.most;

    y->trials++;
    y->aborts += (unsigned)s->aborted;
    y->commits += y->shape->transactions - (unsigned)s->aborted;
    widen(&y->lowest, &y->highest, reference, y->trials == 1);
    if (s->aborted == 0)
        widen(&y->whole_lowest, &y->whole_highest, reference, y->whole++ == 0);
    y->outside += outside;
    for (unsigned n = 0; n < y->c.count; n++)
        y->odd[n] += odd >> n & 1;
    if ((outside && y->shown_reference++ < SHOWN) ||
        (odd >> y->least != 0 && y->shown_odd++ < SHOWN))
        show(y, trial, s, reference);
    return odd == 0 && !outside;
}

/* The reference, which no regime calls into question. */
static void judge_reference(const struct tally *y)
{
    struct run *t = y->c.t;
    const struct pmu_event *e = y->c.event;
    struct judge_bounds whole = judge_bounds(y->shape, e->kind, 0);

    check(t, y->outside == 0,
          "%s: %s out of bounds in %u of %u trials; wanted %lu to %lu where "
          "all transactions commit",
          e->name, reference_name(&y->c), y->outside, y->trials,
          (unsigned long)whole.least, (unsigned long)whole.most);
    if (e->kind != COUNTS_TIME && y->whole != 0)
        check(t, y->whole_lowest == y->whole_highest,
              "%s: %s counted %lu to %lu over the same window; wanted one "
              "count in all trials",
              e->name, reference_name(&y->c), (unsigned long)y->whole_lowest,
              (unsigned long)y->whole_highest);
    note(t,
         "%s: %s counted %lu to %lu in %u trials, %u repeated for an SMI; "
         "between the WRMSRs %u instructions, %u of them branches",
         e->name, reference_name(&y->c), (unsigned long)y->lowest,
         (unsigned long)y->highest, y->trials, y->c.repeated,
         y->shape->instructions, y->shape->branches);
}

static void judge_counters(const struct tally *y, bool firm3)
{
    struct run *t = y->c.t;
    const char *event = y->c.event->name;

    for (unsigned n = 0; n < y->c.count; n++) {
        if (n == 3)
            continue;
        if (n >= y->least)
            check(t, y->odd[n] == 0,
                  "IA32_PMC%u (%XH) counted %s differently from %s in %u of "
                  "%u trials; wanted 0",
                  n, IA32_PMC(n), event, reference_name(&y->c), y->odd[n],
                  y->trials);
        else if (y->odd[n] != 0)
            note(t,
                 "IA32_PMC%u (%XH) counted %s differently from %s in %u "
                 "of %u trials",
                 n, IA32_PMC(n), event, reference_name(&y->c), y->odd[n],
                 y->trials);
    }
    if (y->c.count > 3 && y->least <= 3) {
        static const char *const what[] = {
            "IA32_PMC3 (C4H) miscounts instructions",
            "IA32_PMC3 (C4H) miscounts branches",
            "IA32_PMC3 (C4H) miscounts core cycles",
        };
        counter3_say(t, firm3, what[y->c.event->kind], y->odd[3], y->trials);
    }
}

static void count_event(struct run *t, enum counting_window kind,
                        unsigned count, bool firm3, unsigned least,
                        const struct pmu_event *event)
{
    bool time = event->kind == COUNTS_TIME;
    window_function *window = kind != COUNTING_PLAIN ? window_rtm
                              : time                 ? window_slow
                                                     : window_plain;
    struct tally y = {.shape = kind != COUNTING_PLAIN ? &window_rtm_shape
                               : time                 ? &window_slow_shape
                                                      : &window_plain_shape,
                      .least = least};
    unsigned trials = run_trials(t, 1000, 1000);
    struct sample s = {{0}, 0, 0};

    if (!counters_program(&y.c, t, count, event, firm3))
        return;
    for (unsigned i = 0; i < trials; i++) {
        if (!counters_sample(&y.c, window, &s))
            return;
        if (!take(&y, i, &s))
            counters_repair(&y.c);
    }

    judge_reference(&y);
    judge_counters(&y, firm3);
    if (kind == COUNTING_FORCED)
        check(t, y.commits == 0,
              "%s: %u of %u transactions committed; "
              "wanted 0",
              event->name, y.commits, y.commits + y.aborts);
    else if (kind == COUNTING_RTM)
        note(t, "%s: %u of %u transactions committed", event->name, y.commits,
             y.commits + y.aborts);
}

void counting_run(struct run *t, enum counting_window window, unsigned count,
                  bool firm3, unsigned least)
{
    if (!counters_take(t))
        return;
    for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (counters_have_event(run_cpu(t), &events[i]))
            count_event(t, window, count, firm3, least, &events[i]);
        else
            note(t, "%s: not enumerated (CPUID.0AH:EBX[%u])", events[i].name,
                 events[i].missing);
    }
}
