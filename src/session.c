/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - one whole run, from identification to the END line. */
#include "src/session.h"

#include "src/mem.h"
#include "src/needs.h"
#include "src/outcomes.h"
#include "src/progress.h"
#include "src/report/header.h"
#include "src/report/ktap.h"
#include "src/report/merge.h"
#include "src/report/result.h"
#include "src/report/summary.h"
#include "src/resume.h"
#include "src/run.h"
#include "src/store/store.h"
#include "src/suite.h"
#include "src/workspace.h"

/* Time for one job. A test's grows with its trials: 10 ms for each is ten times
 * what the slowest takes on the simulated processor. It grows with processors
 * too: they share memory, and under an emulator one processor's time. */
#define IDENTIFY_MS   10000
#define RESTORE_MS    5000
#define TEST_MS       28000
#define TEST_TRIAL_MS 10
#define TEST_EACH_MS  1000
#define TEST_TRIALS   3000 /* where the user said nothing */
#define TEST_MS_MAX   3600000

struct session {
    const struct session_setup *setup;
    struct ktap out;
    unsigned processors;
    struct run *runs;
    struct hw_result *results;
    bool set[HW_PROCESSORS_MAX];
    struct suite suite;
    struct progress progress;
    struct outcomes outcomes;
    bool whole; /* no processor is left out by processors= */
};

#define SESSION_BYTES ((sizeof(struct session) + 15) & ~(size_t)15)

size_t session_workspace(unsigned processors)
{
    return SESSION_BYTES + workspace_bytes(processors);
}

static struct session *open_session(const struct session_setup *setup)
{
    unsigned processors = hw_processors();
    struct session *s = setup->workspace;
    struct workspace workspace;

    memset(s, 0, session_workspace(processors));
    workspace_lay_out(&workspace, (char *)setup->workspace + SESSION_BYTES,
                      processors);
    s->setup = setup;
    s->processors = processors;
    s->runs = workspace.runs;
    s->results = workspace.results;
    for (unsigned p = 0; p < processors; p++) {
        s->runs[p].trials = setup->options->trials;
        s->runs[p].allow = setup->options->allow;
    }
    return s;
}

/* --- Jobs
 * ------------------------------------------------------------------ */

static unsigned timeout_of(const struct session *s)
{
    uint64_t trials = s->setup->options->trials;
    uint64_t ms = TEST_MS + TEST_TRIAL_MS * (trials ? trials : TEST_TRIALS) +
                  TEST_EACH_MS * s->processors;

    return ms < TEST_MS_MAX ? (unsigned)ms : TEST_MS_MAX;
}

/* Runs the job on every processor in s->set and enters how it ended. */
static void run_jobs(struct session *s, unsigned timeout_ms,
                     void (*job)(unsigned processor, void *context))
{
    for (unsigned p = 0; p < s->processors; p++)
        s->runs[p].timeout_ms = timeout_ms;
    hw_run(s->set, job, s, timeout_ms, s->results);
    for (unsigned p = 0; p < s->processors; p++)
        if (s->set[p])
            run_ended(&s->runs[p], &s->results[p]);
}

static void identify_job(unsigned processor, void *context)
{
    struct session *s = context;
    struct run *t = &s->runs[processor];

    identity_read(&t->cpu);
    regime_probe(&t->cpu, &t->evidence);
    t->regime = regime_decide(&t->cpu, &t->evidence);
}

static void body_job(unsigned processor, void *context)
{
    struct session *s = context;
    struct run *t = &s->runs[processor];

    run_keep(t);
    t->test->body(t);
    restore_msrs(t);
}

static void restore_job(unsigned processor, void *context)
{
    struct session *s = context;

    restore_msrs(&s->runs[processor]);
}

/* What a job that an exception ended has left, and the peers of a WHOLE_MACHINE
 * test. Again and again, because a restore may itself be ended by an exception;
 * the entry that did it is gone then. */
static void restore_rest(struct session *s)
{
    for (unsigned attempt = 0; attempt < JOURNAL_MAX; attempt++) {
        bool any = false;

        for (unsigned p = 0; p < s->processors; p++) {
            struct run *t = &s->runs[p];
            s->set[p] = !t->lost && (t->journal.count != 0 || t->status_known);
            any = any || s->set[p];
        }
        if (!any)
            return;
        run_jobs(s, RESTORE_MS, restore_job);
    }
}

/* --- One test
 * -------------------------------------------------------------- */

static unsigned answering(const struct session *s)
{
    unsigned n = 0;

    for (unsigned p = 0; p < s->processors; p++)
        n += !s->runs[p].lost;
    return n;
}

static void begin_test(struct session *s, const struct test *test,
                       uint64_t seed)
{
    bool whole = test->scope == WHOLE_MACHINE, said = false;
    char missing[NEEDS_TEXT_BYTES];

    for (unsigned p = 0; p < s->processors; p++) {
        struct run *t = &s->runs[p];
        run_begin(t, test, seed);
        s->set[p] = !t->lost && (!whole || p == 0);
        if (whole && !s->whole && !t->lost && !said) {
            skip(t, "needs all processors, and processors= leaves some out");
            said = true;
        }
        if (whole && !s->whole)
            s->set[p] = false;
        if (s->set[p] && !needs_met(&test->needs, &t->cpu, t->regime,
                                    answering(s), missing)) {
            skip(t, "%s", missing);
            s->set[p] = false;
        }
    }
}

/* Notes on the volume how far the run is. running: the next test begins. */
static void keep(struct session *s, bool running)
{
    struct record_point point = {.crc = s->out.crc,
                                 .results = s->out.results,
                                 .running = running,
                                 .totals = s->out.totals};

    ktap_flush(&s->out);
    outcomes_pack(&s->outcomes, &s->suite, point.findings);
    store_save(s->setup->store, &point);
}

/* The n-th of suite_results(). */
static void run_test(struct session *s, unsigned n)
{
    const struct options *options = s->setup->options;
    const struct test *test = s->suite.tests[n % s->suite.count];
    uint64_t start = hw_ms(), seed = suite_seed(&s->suite, n, options);
    char name[SUITE_NAME_BYTES];

    suite_name(&s->suite, n, name);
    progress_test(&s->progress, n + 1, name);
    if (s->suite.rounds > 1 && n % s->suite.count == 0)
        ktap_note(&s->out, "round %u of %u: seed=%lu", n / s->suite.count + 1,
                  s->suite.rounds, (unsigned long)seed);
    ktap_note(&s->out, "running %u of %u: %s: %s", n + 1,
              suite_results(&s->suite), name, test->asks);
    keep(s, true); /* so that a hang shows where it was */
    begin_test(s, test, seed);
    run_jobs(s, timeout_of(s), body_job);
    restore_rest(s);
    struct finding found =
        result_write(&s->out, s->runs, s->processors, name, options);
    outcomes_enter(&s->outcomes, &s->suite, n, &found);
    if (options->verbosity == VERBOSITY_VERBOSE)
        ktap_note(&s->out, "took %lu ms", (unsigned long)(hw_ms() - start));
    progress_tick(&s->progress);
    keep(s, false);
}

/* --- The whole
 * ------------------------------------------------------------- */

static void write_options(struct session *s)
{
    char line[OPTIONS_LINE_BYTES];

    options_write(s->setup->options, line);
    ktap_note(&s->out, "options: %s", line);
}

static void warn_unmatched(void *context, const char *pattern)
{
    struct session *s = context;

    ktap_note(&s->out, "%s: no test fits tests=%s",
              s->suite.count == 0 ? "ERROR" : "warning", pattern);
}

/* Those that processors= leaves out. */
static void exclude(struct session *s)
{
    bool set[HW_PROCESSORS_MAX], any = false;
    char name[MERGE_SET_BYTES];

    s->whole = true;
    for (unsigned p = 0; p < s->processors; p++) {
        set[p] = !options_want_processor(s->setup->options, p);
        any = any || !set[p];
        s->whole = s->whole && !set[p];
    }
    if (!any) {
        s->whole = true;
        ktap_note(&s->out,
                  "warning: processors= names none of those that there are: "
                  "all are tested");
    }
    if (s->whole)
        return;
    ktap_note(&s->out, "left out by processors=: %s",
              merge_set_name(set, s->processors, name));
    for (unsigned p = 0; p < s->processors; p++)
        if (set[p])
            run_exclude(&s->runs[p]);
}

static void identify(struct session *s)
{
    static const struct test identify_test = {.name = "identify"};

    for (unsigned p = 0; p < s->processors; p++) {
        run_begin(&s->runs[p], &identify_test, 0);
        s->set[p] = true;
    }
    run_jobs(s, IDENTIFY_MS, identify_job);
    /* Nothing can be tested on a processor that nothing is known of. */
    for (unsigned p = 0; p < s->processors; p++)
        if (s->runs[p].end == HW_EXCEPTION)
            run_lose(&s->runs[p], "could not be identified");
}

struct summary_line {
    struct ktap *out;
    const char *processors; /* "processors 0-1: ", or "" */
};

static void write_summary_line(void *context, const char *text)
{
    const struct summary_line *line = context;

    ktap_note(line->out, "summary: %s%s", line->processors, text);
}

/* What advice depends on beside the verdicts. */
static bool same_advice(const struct run *a, const struct run *b)
{
    return a->regime == b->regime && a->cpu.rtm == b->cpu.rtm &&
           a->cpu.hle == b->cpu.hle && a->cpu.counters == b->cpu.counters &&
           a->cpu.perfmon_version == b->cpu.perfmon_version;
}

/* Once for each kind of processor. */
static void summarize(struct session *s)
{
    char name[MERGE_SET_BYTES], before[MERGE_SET_BYTES + 2];
    struct summary_line line = {&s->out, before};

    for (unsigned p = 0; p < s->processors; p++) {
        bool set[HW_PROCESSORS_MAX] = {false}, first = !s->runs[p].lost;
        bool all = true;
        for (unsigned q = 0; q < s->processors; q++) {
            set[q] = !s->runs[q].lost && same_advice(&s->runs[p], &s->runs[q]);
            first = first && !(set[q] && q < p);
            all = all && set[q];
        }
        if (!first)
            continue;
        text_format(before, sizeof(before), "%s%s",
                    all ? "" : merge_set_name(set, s->processors, name),
                    all ? "" : ": ");
        summary_write(s->runs[p].regime, &s->runs[p].cpu, s->outcomes.findings,
                      s->suite.count, write_summary_line, &line);
    }
    for (unsigned i = 0; i < s->suite.count; i++)
        if (s->outcomes.vary[i])
            ktap_note(&s->out, "summary: not the same in every round: %s",
                      s->suite.tests[i]->name);
}

static void write_totals(struct session *s)
{
    const struct session_totals *totals = &s->out.totals;

    ktap_note(&s->out,
              "summary: %u tests passed, %u failed, %u in error, %u skipped",
              totals->pass, totals->fail, totals->error, totals->skip);
}

/* From the start, or from where a reset ended it. */
static void begin_report(struct session *s)
{
    const struct session_setup *setup = s->setup;
    const struct record_point *point = store_resumed(setup->store);

    if (point == NULL) {
        ktap_open(&s->out, setup->sinks, setup->sinks_count,
                  suite_results(&s->suite));
        return;
    }
    resume_report(&s->out, setup, point, &s->suite, &s->outcomes);
    keep(s, false);
}

static void write_header(struct session *s)
{
    const struct session_setup *setup = s->setup;

    ktap_note(&s->out, "%s, image crc %08X", setup->program, setup->image_crc);
    identify(s);
    header_made_on(&s->out, &s->runs[0].cpu);
    for (unsigned i = 0; i < setup->warnings_count; i++)
        ktap_note(&s->out, "warning: %s", setup->warnings[i]);
    write_options(s);
    if (setup->serial != NULL)
        ktap_note(&s->out, "serial port: %s", setup->serial);
    header_processors(&s->out, s->runs, s->processors);
    exclude(s);
    suite_unmatched(setup->options, warn_unmatched, s);
    if (s->suite.count == 0)
        s->out.totals.error = 1;
    keep(s, false);
}

struct session_totals session_run(const struct session_setup *setup)
{
    struct session *s = open_session(setup);

    suite_make(&s->suite, setup->options);
    begin_report(s);
    if (store_is_hopeless(setup->store)) {
        resume_give_up(&s->out, &s->suite, &s->outcomes);
    } else {
        progress_start(&s->progress, &s->out, suite_results(&s->suite));
        hw_on_idle(progress_tick, &s->progress);
        write_header(s);
        for (unsigned n = s->out.results; n < suite_results(&s->suite); n++)
            if (s->outcomes.resets[n % s->suite.count])
                resume_refuse(&s->out, &s->suite, &s->outcomes);
            else
                run_test(s, n);
        hw_on_idle(NULL, NULL);
        summarize(s);
    }
    write_totals(s);
    ktap_end(&s->out);
    store_end(setup->store);
    return s->out.totals;
}
