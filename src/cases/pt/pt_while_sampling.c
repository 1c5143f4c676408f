/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters, records and a trace of one window: each is what it is alone. What
 * records are like without a trace is measured first. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling.h"
#include "src/trace/window.h"

#define TRIALS    4
#define TURNS     3 /* IA32_PMC0 to 2 make the records, one after another; the */
#define COUNTS(n) (((n) + 1) % TURNS) /* next counts the events */

/* The second has its interrupt at the second record, of event 201 or soon
 * after; a third would be beyond the window. */
static const struct row {
    const char *what;
    unsigned first, period, threshold;
} rows[] = {
    {"records", 30, 25, 32},
    {"records and their interrupt", 20, 180, 2},
};

/* Of all windows of a kind. */
struct tally {
    unsigned windows, records;
    unsigned strange; /* records whose registers or addresses are of no event */
};

struct joint {
    struct trace p;
    struct sampling s;
    struct window w;
    struct tally off, on; /* without the trace, and with it */
    bool traced, ok;
    unsigned n; /* the counter that makes records */
    unsigned interrupts;
};

static bool trace_it(struct joint *j)
{
    if (!trace_arm(&j->p))
        return false;
    j->w.code.control = j->p.armed | IA32_RTIT_CTL_TraceEn;
    j->w.code.argument = sampling_enable(&j->s.config);
    j->w.code.count = trace_at(&j->s.state);
    return trace_window(&j->w.code) == HW_NO_FAULT && trace_stop(&j->p);
}

static void run(struct sampling *s, uint64_t argument)
{
    struct joint *j = (struct joint *)(uintptr_t)argument;

    j->ok = hw_pmi_begin(false);
    if (!j->ok)
        return;
    if (j->traced)
        j->ok = trace_it(j);
    else
        pebs_window(sampling_enable(&s->config), 0, &s->state);
    hw_pmi_end(); /* one that is on its way is handled */
    j->interrupts = hw_pmi_count();
}

static bool is_strange(struct sampling *s, const struct pebs_record *record)
{
    const uint64_t event = record->r15 - PEBS_PLANTED(15);
    const uint64_t at = trace_at(pebs_events) + (event - 1) * PEBS_EVENT_BYTES;

    return event < 1 || event > PEBS_EVENTS ||
           record->rip != at + PEBS_EVENT_BYTES ||
           (pebs_has(record, PEBS_EVENTING_IP) &&
            record->eventing_ip != at + PEBS_EVENT_BRANCH) ||
           pebs_judge_planted(record, &s->state, (unsigned)event) != 0;
}

/* False where it could not be tried. */
static bool sample(struct joint *j, const struct row *row, struct tally *tally)
{
    struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1 << j->n,
        .count_only = 1 << COUNTS(j->n),
        .room = 32,
        .threshold = row->threshold,
    };
    struct sampling *s = &j->s;
    struct pebs_record record;
    char name[MSR_NAME_BYTES];

    /* Measured. */
    config.first_period[j->n] = row->first;
    config.period[j->n] = row->period;
    if (!sampling_around(s, &config, run, trace_at(j)) || !j->ok)
        return false;

    /* Check. */
    tally->windows++;
    tally->records += s->records;
    for (unsigned n = 0; n < s->records; n++)
        if (sampling_record(s, n, &record))
            tally->strange += is_strange(s, &record);
    const bool reached = s->records >= row->threshold;
    check(s->t, (j->interrupts != 0) == reached,
          "%u records with the threshold at %u raised %u performance-"
          "monitoring interrupts; wanted %s",
          s->records, row->threshold, j->interrupts,
          reached ? "one or more" : "none");
    return j->interrupts != 0 ||
           check(s->t, s->value[COUNTS(j->n)] == PEBS_EVENTS,
                 "%s counted %lu of %u events",
                 msr_name(IA32_PMC(COUNTS(j->n)), name), s->value[COUNTS(j->n)],
                 PEBS_EVENTS);
}

/* "An OVF packet": packets are lost then, and nothing is said. */
static void judge_trace(struct joint *j, const char *what, unsigned *disturbed)
{
    struct path_seen seen;

    path_follow(j->p.memory, trace_bytes(&j->p), &j->w.path, 0, &seen);
    *disturbed += seen.overflow;
    if (!seen.overflow)
        window_judge(&j->p, what, &seen);
}

/* Some may be strange by an erratum, half of them too: with a trace and
 * without. */
static void judge_records(struct test_context *t, const struct tally *off,
                          const struct tally *on)
{
    const unsigned most = 2 * off->strange + on->records / 2;

    check(t,
          on->records + on->windows >= off->records &&
              on->records <= off->records + off->windows,
          "%u windows that are traced made %u records, and without a trace %u; "
          "wanted as many, or %u more or fewer",
          on->windows, on->records, off->records, on->windows);
    check(t, on->strange <= most,
          "%u of %u records of traced windows have RIP, EventingIP or another "
          "register of no event, and %u of %u without a trace; wanted %u at "
          "most",
          on->strange, on->records, off->strange, off->records, most);
}

static bool try_row(struct joint *j, const struct row *row)
{
    unsigned disturbed = 0;

    j->traced = false;
    for (unsigned i = 0; i < TRIALS; i++) {
        j->n = i % TURNS;
        if (!sample(j, row, &j->off))
            return false;
    }
    j->traced = true;
    for (unsigned i = 0; i < TRIALS; i++) {
        j->n = i % TURNS;
        if (!sample(j, row, &j->on))
            return false;
        judge_trace(j, row->what, &disturbed);
        trace_step_back(disturbed);
    }
    return disturbed < TRIALS || trace_overflowed(j->p.t, j->p.control, TRIALS);
}

TEST(pt_while_sampling,
     .asks = "Do a trace, records and counters leave one another alone?",
     .cite = "SDM 3C, Intel Processor Trace, \"Packet Generation under "
             "Different Enable Conditions\"; SDM 3B, \"Processor Event Based "
             "Sampling (PEBS)\" of Nehalem",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PMU | NEED_PEBS})
{
    struct joint j;

    /* Set-up. */
    if (!trace_claim(&j.p, t) || !sampling_claim(&j.s, t))
        return;
    j.off = j.on = (struct tally){0};
    trace_table_behind(&j.p);
    window_set(&j.w, trace_body_sampled, trace_body_sampled_path);
    j.w.path.interrupts = true;
    j.w.path.any_nr = !identity_is_native(test_cpu(t));

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, rows)
        if (!try_row(&j, &rows[i]))
            return;
    judge_records(t, &j.off, &j.on);
}
