/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - one whole run, from identification to the END line. */
#include "src/session.h"

#include "src/mem.h"
#include "src/needs.h"
#include "src/suite.h"
#include "src/progress.h"
#include "src/report/header.h"
#include "src/report/ktap.h"
#include "src/report/merge.h"
#include "src/report/result.h"
#include "src/report/summary.h"
#include "src/report/verdict.h"
#include "src/run.h"

/* Time for one job. A test's grows with its trials: 10 ms for each is ten times
 * what the slowest takes on the simulated processor. */
#define IDENTIFY_MS   10000
#define RESTORE_MS    5000
#define TEST_MS       30000
#define TEST_TRIAL_MS 10
#define TEST_TRIALS   3000 /* where the user said nothing */
#define TEST_MS_MAX   3600000

struct session {
    const struct session_setup *setup;
    struct ktap out;
    unsigned processors;
    struct run *runs;
    struct hw_result *results, *inner_results; /* inner: of on_processors() */
    char *buffers;                             /* OWN_BYTES each */
    const char *source;                        /* RUN_SOURCE_BYTES */
    bool set[HW_PROCESSORS_MAX];
    struct suite suite;
    struct progress progress;
    struct finding findings[SUITE_TESTS_MAX]; /* of all rounds */
    bool vary[SUITE_TESTS_MAX];               /* from round to round */
    bool whole; /* no processor is left out by processors= */
};

/* --- Workspace
 * ------------------------------------------------------------- */

#define PAGE_BYTES 4096
#define OWN_BYTES  ((size_t)RUN_BUFFER_BYTES + RUN_RECORDS_BYTES)

static size_t rounded(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

/* The first page that starts at `from` or behind it. */
static char *page_at(char *from)
{
    return from + (-(uintptr_t)from & (PAGE_BYTES - 1));
}

/* Lays the session out from `base` on; only counts where base is NULL. */
static size_t lay_out(struct session *s, char *base, unsigned processors)
{
    size_t at = rounded(sizeof(struct session));
    const size_t bytes[] = {
        processors * sizeof(struct run), processors * sizeof(struct hw_result),
        processors * sizeof(struct hw_result),
        processors * OWN_BYTES + PAGE_BYTES, RUN_SOURCE_BYTES + PAGE_BYTES};
    void *blocks[5] = {NULL};

    for (unsigned i = 0; i < 5; i++) {
        if (base != NULL)
            blocks[i] = base + at;
        at += rounded(bytes[i]);
    }
    if (s != NULL) {
        s->runs = blocks[0];
        s->results = blocks[1];
        s->inner_results = blocks[2];
        s->buffers = page_at(blocks[3]);
        s->source = page_at(blocks[4]);
    }
    return at;
}

size_t session_workspace(unsigned processors)
{
    return lay_out(NULL, NULL, processors);
}

static struct session *open_session(const struct session_setup *setup)
{
    unsigned processors = hw_processors();
    struct session *s = setup->workspace;

    memset(s, 0, session_workspace(processors));
    lay_out(s, setup->workspace, processors);
    s->setup = setup;
    s->processors = processors;
    for (unsigned p = 0; p < processors; p++) {
        s->runs[p].processor = p;
        s->runs[p].all = s->runs;
        s->runs[p].results = s->inner_results;
        s->runs[p].processors = processors;
        s->runs[p].buffer = s->buffers + p * OWN_BYTES;
        s->runs[p].source = s->source;
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
    uint64_t ms = TEST_MS + TEST_TRIAL_MS * (trials ? trials : TEST_TRIALS);

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
            s->set[p] = !t->lost && t->journal.count != 0;
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

/* A test's findings of all rounds, as one. */
static void enter(struct session *s, unsigned n, const struct finding *found)
{
    struct finding *kept = &s->findings[n % s->suite.count];

    if (n < s->suite.count) {
        *kept = *found;
        return;
    }
    s->vary[n % s->suite.count] |= kept->verdict != found->verdict;
    kept->verdict = verdict_merge(kept->verdict, found->verdict);
    kept->observed = kept->observed || found->observed;
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
    ktap_flush(&s->out); /* so that a hang shows where it was */
    begin_test(s, test, seed);
    run_jobs(s, timeout_of(s), body_job);
    restore_rest(s);
    struct finding found =
        result_write(&s->out, s->runs, s->processors, name, options);
    enter(s, n, &found);
    if (options->verbosity == VERBOSITY_VERBOSE)
        ktap_note(&s->out, "took %lu ms", (unsigned long)(hw_ms() - start));
    progress_tick(&s->progress);
    ktap_flush(&s->out);
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
        text_format(before, sizeof(before), all ? "" : "%s: ",
                    merge_set_name(set, s->processors, name));
        summary_write(s->runs[p].regime, &s->runs[p].cpu, s->findings,
                      s->suite.count, write_summary_line, &line);
    }
    for (unsigned i = 0; i < s->suite.count; i++)
        if (s->vary[i])
            ktap_note(&s->out, "summary: not the same in every round: %s",
                      s->suite.tests[i]->name);
    const struct session_totals *totals = &s->out.totals;
    ktap_note(&s->out,
              "summary: %u tests passed, %u failed, %u in error, %u skipped",
              totals->pass, totals->fail, totals->error, totals->skip);
}

struct session_totals session_run(const struct session_setup *setup)
{
    struct session *s = open_session(setup);

    suite_make(&s->suite, setup->options);
    ktap_open(&s->out, setup->sinks, setup->sinks_count,
              suite_results(&s->suite));
    progress_start(&s->progress, &s->out, suite_results(&s->suite));
    hw_on_idle(progress_tick, &s->progress);
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
    s->out.totals.error += s->suite.count == 0;
    ktap_flush(&s->out);

    for (unsigned n = 0; n < suite_results(&s->suite); n++)
        run_test(s, n);
    hw_on_idle(NULL, NULL);
    summarize(s);
    ktap_end(&s->out);
    return s->out.totals;
}
