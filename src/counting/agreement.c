/* SPDX-License-Identifier: BSD-2-Clause */
/* agreement.c - runs the trials of one event after the other and judges them.
 */
#include "src/counting/agreement.h"

#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/counting/counters.h"
#include "src/counting/count_bounds.h"

#define A_FEW 4 /* instructions, that an erratum adds or leaves out */
#define SHOWN 1 /* trials shown in full, of each kind of deviation */

static const struct pmu_event events[] = {EVENT_INSTRUCTIONS, EVENT_BRANCHES,
                                          EVENT_CORE_CYCLES};

/* All the trials of one event. */
struct tally {
    struct counters c;
    const struct window_shape *shape;
    unsigned least;
    unsigned trials, commits, aborts;
    unsigned outside; /* trials whose reference is out of bounds */
    unsigned outliers[COUNTERS_MAX]; /* trials in which the counter differs */
    uint64_t furthest[COUNTERS_MAX]; /* of them: by how much at most */
    unsigned fixed_differs;          /* trials in which the fixed one does */
    uint64_t fixed_more, fixed_less; /* by so much at most */
    unsigned shown_reference, shown_outliers;
    uint64_t lowest, highest; /* what the reference counted */
    uint64_t sum, sum3;       /* it, and counter 3, in all trials */
    unsigned whole;           /* trials in which no transaction aborted */
    uint64_t whole_lowest, whole_highest; /* of these */
};

static const char *fixed_name(const struct counters *c)
{
    static const char *const fixed[] = {"IA32_FIXED_CTR0 (309H)",
                                        "IA32_FIXED_CTR1 (30AH)"};

    return fixed[c->event->fixed & 1];
}

/* Time has no exact count, and so no majority. */
static bool by_majority(const struct counters *c)
{
    return c->event->kind != COUNTS_TIME && c->count >= 3;
}

static const char *reference_name(const struct counters *c)
{
    return by_majority(c) ? "most of IA32_PMC0-2"
           : c->fixed     ? fixed_name(c)
                          : "IA32_PMC0 (C1H)";
}

static uint64_t reference_of(const struct counters *c, const struct sample *s)
{
    if (by_majority(c))
        return count_majority(s->gp);
    return c->fixed ? s->fixed : s->gp[0];
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void note_trial(const struct tally *y, unsigned trial,
                       const struct sample *s, uint64_t reference)
{
    struct test_context *t = y->c.t;
    const uint64_t *gp = s->gp;

    note(t,
         "%s, trial %u: %s counted %lu; IA32_PMC0-3 %lu %lu %lu %lu; "
         "%lu of %u transactions aborted",
         y->c.event->name, trial, reference_name(&y->c), reference, gp[0],
         gp[1], gp[2], gp[3], s->aborted, y->shape->transactions);
    if (y->c.count > 4)
        note(t, "%s, trial %u: IA32_PMC4-7 %lu %lu %lu %lu", y->c.event->name,
             trial, gp[4], gp[5], gp[6], gp[7]);
}

static void widen_range(uint64_t *lowest, uint64_t *highest, uint64_t value,
                        bool first)
{
    if (first || value < *lowest)
        *lowest = value;
    if (first || value > *highest)
        *highest = value;
}

/* The fixed counter is one more witness. */
static void add_fixed(struct tally *y, uint64_t fixed, uint64_t reference)
{
    y->fixed_differs += fixed != reference;
    if (fixed > reference && fixed - reference > y->fixed_more)
        y->fixed_more = fixed - reference;
    if (fixed < reference && reference - fixed > y->fixed_less)
        y->fixed_less = reference - fixed;
}

/* Adds one trial. True where it counted what it should. */
static bool add_trial(struct tally *y, unsigned trial, const struct sample *s)
{
    enum pmu_event_kind kind = y->c.event->kind;
    uint64_t reference = reference_of(&y->c, s);
    struct count_bounds bounds = count_bounds(y->shape, kind, s->aborted);
    unsigned outliers = count_outliers(s->gp, y->c.count, reference,
                                       count_margin(kind, reference));
    bool outside = reference < bounds.least || reference > bounds.most;

    y->trials++;
    y->aborts += (unsigned)s->aborted;
    y->commits += y->shape->transactions - (unsigned)s->aborted;
    widen_range(&y->lowest, &y->highest, reference, y->trials == 1);
    y->sum += reference;
    y->sum3 += s->gp[3];
    if (s->aborted == 0)
        widen_range(&y->whole_lowest, &y->whole_highest, reference,
                    y->whole++ == 0);
    y->outside += outside;
    for (unsigned n = 0; n < y->c.count; n++) {
        y->outliers[n] += outliers >> n & 1;
        if (distance(s->gp[n], reference) > y->furthest[n])
            y->furthest[n] = distance(s->gp[n], reference);
    }
    if (y->c.fixed && by_majority(&y->c))
        add_fixed(y, s->fixed, reference);
    if ((outside && y->shown_reference++ < SHOWN) ||
        (outliers >> y->least != 0 && y->shown_outliers++ < SHOWN))
        note_trial(y, trial, s, reference);
    return outliers == 0 && !outside;
}

/* The reference, which no regime calls into question. */
static void judge_reference(const struct tally *y)
{
    struct test_context *t = y->c.t;
    const struct pmu_event *e = y->c.event;
    struct count_bounds whole = count_bounds(y->shape, e->kind, 0);
    char ratio[64] = "", repeated[40] = "";
    /* Instructions retired are inconsistent on some processors, by a few. */
    const bool inconsistent = e->kind == COUNTS_INSTRUCTIONS &&
                              y->lowest + A_FEW >= whole.least &&
                              y->highest <= whole.most + A_FEW;

    check_known(t, y->outside == 0, ERRATUM_INSTRUCTIONS_INCONSISTENT,
                inconsistent && y->aborts == 0,
                "%s out of bounds in %u of %u trials; wanted %lu to %lu where "
                "all transactions commit",
                reference_name(&y->c), y->outside, y->trials, whole.least,
                whole.most);
    if (e->kind != COUNTS_TIME && y->whole != 0)
        check_known(t, y->whole_lowest == y->whole_highest,
                    ERRATUM_INSTRUCTIONS_INCONSISTENT, inconsistent,
                    "%s counted %lu to %lu over the same window; wanted one "
                    "count in all trials",
                    reference_name(&y->c), y->whole_lowest, y->whole_highest);
    /* No two counters of cycles start at once: a figure, not a claim. */
    if (e->kind == COUNTS_TIME && y->c.count > 3 && y->sum != 0 &&
        y->sum3 <= UINT64_MAX / 1000)
        text_format(ratio, sizeof(ratio),
                    "; IA32_PMC3 (C4H) %lu for 1000 of it",
                    1000 * y->sum3 / y->sum);
    if (y->c.repeated != 0)
        text_format(repeated, sizeof(repeated), ", %u repeated for an SMI",
                    y->c.repeated);
    note(t,
         "%s counted %lu to %lu in %u trials%s; window: %u instructions, %u "
         "branches%s",
         reference_name(&y->c), y->lowest, y->highest, y->trials, repeated,
         y->shape->instructions, y->shape->branches, ratio);
}

static void judge_fixed(const struct tally *y)
{
    bool signature;
    enum erratum erratum = bank_erratum(
        PLACE_FIXED0,
        y->c.event->kind == COUNTS_INSTRUCTIONS && y->fixed_less <= A_FEW,
        y->fixed_more, (struct count_bounds){0, 0}, &signature);

    if (y->c.fixed && by_majority(&y->c))
        check_known(y->c.t, y->fixed_differs == 0, erratum, signature,
                    "%s counted %s differently from most of IA32_PMC0-2 in %u "
                    "of %u trials, by up to %lu more and %lu less; wanted 0",
                    fixed_name(&y->c), y->c.event->name, y->fixed_differs,
                    y->trials, y->fixed_more, y->fixed_less);
}

/* PMC2 may be invalid where aborts overlap an access to it; instructions may be
 * a few off. */
static bool judge_counter(const struct tally *y, unsigned n)
{
    struct erratum_found found;
    const bool aborts =
        n == 2 && y->aborts != 0 &&
        errata_find(test_cpu(y->c.t), ERRATUM_PMC2_OVER_ABORTS, &found);

    return check_known(
        y->c.t, y->outliers[n] == 0,
        aborts ? ERRATUM_PMC2_OVER_ABORTS : ERRATUM_INSTRUCTIONS_INCONSISTENT,
        aborts || (y->c.event->kind == COUNTS_INSTRUCTIONS &&
                   y->furthest[n] <= A_FEW),
        "IA32_PMC%u (%XH) counted %s differently from %s in %u of %u trials, "
        "by up to %lu; wanted 0",
        n, IA32_PMC(n), y->c.event->name, reference_name(&y->c), y->outliers[n],
        y->trials, y->furthest[n]);
}

static void judge_counters(const struct tally *y, bool counter3_promised)
{
    struct test_context *t = y->c.t;
    const char *event = y->c.event->name;

    for (unsigned n = 0; n < y->c.count; n++) {
        if (n == 3 && !counter3_promised)
            continue;
        if (n >= y->least)
            (void)judge_counter(y, n);
        else if (y->outliers[n] != 0)
            note(t,
                 "IA32_PMC%u (%XH) counted %s differently from %s in %u "
                 "of %u trials",
                 n, IA32_PMC(n), event, reference_name(&y->c), y->outliers[n],
                 y->trials);
    }
    if (y->c.count > 3 && y->least <= 3 && !counter3_promised) {
        static const char *const what[] = {
            "IA32_PMC3 (C4H) miscounts instructions",
            "IA32_PMC3 (C4H) miscounts branches",
            "IA32_PMC3 (C4H) miscounts core cycles, by more than an eighth",
        };
        observe(t, what[y->c.event->kind], y->outliers[3], y->trials);
    }
}

static void count_event(struct test_context *t, enum agreement_window kind,
                        unsigned count, bool counter3_promised, unsigned least,
                        const struct pmu_event *event)
{
    bool time = event->kind == COUNTS_TIME;
    window_function *window = kind != AGREEMENT_PLAIN ? window_rtm
                              : time                  ? window_slow
                                                      : window_plain;
    struct tally y = {.shape = kind != AGREEMENT_PLAIN ? &window_rtm_shape
                               : time                  ? &window_slow_shape
                                                       : &window_plain_shape,
                      .least = least};
    unsigned trials = test_trials(t, 1000, 1000);
    struct sample s = {{0}, 0, 0};

    if (!counters_program(&y.c, t, count, event, counter3_promised))
        return;
    for (unsigned i = 0; i < trials; i++) {
        if (!counters_sample(&y.c, window, &s))
            return;
        if (!add_trial(&y, i, &s))
            counters_repair(&y.c);
    }

    WITH_PREFIX (t, "%s", event->name)
        judge_reference(&y);
    judge_fixed(&y);
    judge_counters(&y, counter3_promised);
    prefix_push(t, "%s", event->name);
    if (kind == AGREEMENT_FORCED)
        check(t, y.commits == 0, "%u of %u transactions committed; wanted 0",
              y.commits, y.commits + y.aborts);
    else if (kind == AGREEMENT_RTM)
        note(t, "%u of %u transactions committed", y.commits,
             y.commits + y.aborts);
    prefix_pop(t);
}

void agreement_run(struct test_context *t, enum agreement_window window,
                   unsigned count, bool counter3_promised, unsigned least)
{
    if (!counters_claim(t))
        return;
    for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (counters_have_event(test_cpu(t), &events[i]))
            count_event(t, window, count, counter3_promised, least, &events[i]);
        else
            note(t, "%s: not enumerated (CPUID.0AH:EBX[%u])", events[i].name,
                 events[i].missing);
    }
}
