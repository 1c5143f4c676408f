/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - one whole run, from identification to the END line. */
#include "src/session/session.h"

#include "src/session/conclusion.h"
#include "src/harness/jobs.h"
#include "src/base/mem.h"
#include "src/session/soak.h"
#include "src/session/one_test.h"
#include "src/session/progress.h"
#include "src/report/evidence.h"
#include "src/report/header.h"
#include "src/report/ktap.h"
#include "src/report/merge.h"
#include "src/report/result.h"
#include "src/session/resume.h"
#include "src/harness/context.h"
#include "src/store/store.h"
#include "src/session/microcode_update.h"
#include "src/harness/workspace.h"

struct session {
    const struct session_setup *setup;
    struct ktap out;
    struct jobs jobs;
    struct suite suite;
    struct progress progress;
    struct outcomes outcomes;
    bool whole; /* no processor is excluded by processors= */
    struct update update;
    struct pass passes[2];
    const char
        *why_no_second_pass; /* why tests of the second pass are not tried */
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
    s->jobs.processors = processors;
    s->jobs.contexts = workspace.contexts;
    s->jobs.results = workspace.results;
    for (unsigned p = 0; p < processors; p++) {
        s->jobs.contexts[p].trials = setup->options->trials;
        s->jobs.contexts[p].allow = setup->options->allow;
    }
    return s;
}

/* --- One test ------------------------------------------------------------ */

/* Saves on the volume how far the run is. running: the next test begins. */
static void save_progress(struct session *s, bool running)
{
    struct resume_point point = {
        .running = running, .report = s->out.at, .revision = s->suite.revision};

    ktap_flush(&s->out);
    outcomes_pack(&s->outcomes, &s->suite, point.findings);
    store_save(s->setup->store, &point);
}

/* Writes that the n-th of suite_results() begins, with its name. */
static void announce_result(struct session *s, unsigned n,
                            char name[SUITE_NAME_BYTES])
{
    suite_name(&s->suite, n, name);
    s->progress.test = n + 1;
    ktap_note(&s->out, "running %u: %s", n + 1, name);
    save_progress(s, true); /* so that a hang shows where it was */
}

static struct finding write_result(struct session *s, unsigned n,
                                   const char *name)
{
    struct finding found = result_write(
        &s->out, s->jobs.contexts, s->jobs.processors, name, s->setup->options);

    outcomes_enter(&s->outcomes, &s->suite, n, &found);
    return found;
}

/* Of all processors together. */
static unsigned checks_made(const struct jobs *jobs)
{
    unsigned sum = 0;

    for (unsigned p = 0; p < jobs->processors; p++)
        sum += jobs->contexts[p].lost ? 0 : jobs->contexts[p].checks;
    return sum;
}

static void run_test(struct session *s, unsigned n)
{
    const struct options *options = s->setup->options;
    uint64_t start = hw_ms(), seed = suite_seed(&s->suite, n, options);
    struct soak soak = {.ms = UINT64_C(1000) * options->soak /
                              suite_results(&s->suite),
                        .tick = progress_tick,
                        .context = &s->progress};
    char name[SUITE_NAME_BYTES];

    if (s->suite.rounds > 1 && suite_begins_round(&s->suite, n))
        ktap_note(&s->out, "round %u of %u: seed=%lu",
                  suite_round(&s->suite, n) + 1, s->suite.rounds, seed);
    announce_result(s, n, name);
    soak_run(&soak, &s->jobs, suite_test(&s->suite, n), seed, s->whole,
             options);
    struct finding found = write_result(s, n, name);
    if (soak.ms != 0)
        soak_write(&s->out, &soak, &found);
    one_test_took(&s->out, &s->jobs, suite_test(&s->suite, n), options,
                  hw_ms() - start);
    if (options->verbosity == VERBOSITY_VERBOSE)
        ktap_note(&s->out, "took %lu ms, %u checks", hw_ms() - start,
                  checks_made(&s->jobs));
    progress_tick(&s->progress);
    save_progress(s, false);
}

/* --- The whole ----------------------------------------------------------- */

static void write_options(struct session *s)
{
    char line[OPTIONS_LINE_BYTES];

    options_write(s->setup->options, line);
    ktap_note(&s->out, "options: %s", line);
    if (s->setup->options->microcode[0] != '\0' &&
        !update_asked_for(s->setup->options))
        ktap_note(&s->out, "warning: microcode=: not loaded without "
                           "allow=microcode");
}

static void warn_unmatched(void *context, const char *pattern)
{
    struct session *s = context;

    ktap_note(&s->out, "warning: no test fits tests=%s", pattern);
}

/* Those that processors= excludes. */
static void exclude_processors(struct session *s)
{
    bool set[HW_PROCESSORS_MAX], any = false;
    char name[MERGE_SET_BYTES];

    s->whole = true;
    for (unsigned p = 0; p < s->jobs.processors; p++) {
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
    ktap_note(&s->out, "excluded by processors=: %s",
              merge_set_name(set, s->jobs.processors, name));
    for (unsigned p = 0; p < s->jobs.processors; p++)
        if (set[p])
            context_exclude(&s->jobs.contexts[p]);
}

static void identify(struct session *s)
{
    static const struct test identify_test = {.name = "identify"};

    for (unsigned p = 0; p < s->jobs.processors; p++) {
        context_begin(&s->jobs.contexts[p], &identify_test, 0);
        s->jobs.set[p] = true;
    }
    jobs_find(&s->jobs);
    jobs_identify(&s->jobs);
    /* Nothing can be tested on a processor that is not identified. */
    for (unsigned p = 0; p < s->jobs.processors; p++)
        if (s->jobs.contexts[p].end == HW_EXCEPTION)
            context_set_lost(&s->jobs.contexts[p], "could not be identified");
}

/* --- The update between two passes --------------------------------------- */

static struct pass pass_of(const struct test_context *t)
{
    return (struct pass){t->cpu.microcode, t->regime};
}

/* Whether there is to be a second pass: in a resumed run as it was when it
 * began. */
static void choose_passes(struct session *s)
{
    const struct resume_point *point = store_resumed(s->setup->store);

    suite_make(&s->suite, s->setup->options);
    if (s->suite.update != NULL && !store_is_given_up(s->setup->store))
        update_choose(&s->update, s->setup, &s->jobs);
    s->suite.revision =
        point != NULL ? point->revision : s->update.found.revision;
    if (s->update.found.revision != s->suite.revision) {
        s->update = (struct update){.why = "the file has changed"};
        s->why_no_second_pass = s->update.why;
    }
}

static void load_update(struct session *s, unsigned least)
{
    if (update_load(&s->update, &s->jobs) < least)
        s->why_no_second_pass =
            least == 1 ? "no processor has taken the update"
                       : "not every processor has taken the update "
                         "again";
}

/* The processors as they are now, which is as the second pass finds them. */
static void end_update(struct session *s)
{
    const struct test_context *shows = &s->jobs.contexts[0];

    for (unsigned p = s->jobs.processors; p-- > 0;)
        if (!s->jobs.contexts[p].lost &&
            s->jobs.contexts[p].cpu.microcode == s->suite.revision)
            shows = &s->jobs.contexts[p];
    s->passes[1] = pass_of(shows);
    if (s->why_no_second_pass != NULL)
        return;
    for (unsigned p = 0; p < s->jobs.processors; p++)
        context_begin(&s->jobs.contexts[p], &update_test, 0);
    header_processors(&s->out, s->jobs.contexts, s->jobs.processors);
}

static void run_update(struct session *s, unsigned n)
{
    char name[SUITE_NAME_BYTES];

    if (s->suite.revision != 0)
        conclusion_summarize(&s->out, s->jobs.contexts, s->jobs.processors,
                             &s->suite, &s->outcomes, false);
    announce_result(s, n, name);
    load_update(s, 1);
    (void)write_result(s, n, name);
    end_update(s);
    save_progress(s, false);
}

/* After a reset in the second pass: the update went with it. */
static void renew_update(struct session *s)
{
    if (s->outcomes.resets[s->suite.count])
        s->why_no_second_pass =
            "the machine was reset while the update was loaded";
    if (s->why_no_second_pass == NULL) {
        ktap_note(&s->out, "the microcode update is loaded again");
        load_update(s, s->jobs.processors);
    }
    end_update(s);
}

/* --- The end ------------------------------------------------------------- */

static void write_summaries(struct session *s)
{
    bool second = s->suite.revision != 0;

    conclusion_summarize(&s->out, s->jobs.contexts, s->jobs.processors,
                         &s->suite, &s->outcomes, second);
    if (second)
        conclusion_compare(&s->out, &s->suite, &s->outcomes, &s->passes[0],
                           &s->passes[1]);
}

static void write_totals(struct session *s)
{
    const struct ktap_totals *totals = &s->out.at.totals;

    if (hw_nmis() != 0)
        ktap_note(&s->out,
                  "warning: %u NMIs while no test ran: of a watchdog, of a "
                  "management controller, or of an error of the machine",
                  hw_nmis());
    if (hw_machine_checks() != 0)
        ktap_note(&s->out,
                  "warning: %u machine checks while no test ran: the hardware "
                  "reports an error of its own (SDM 3B, Machine-Check "
                  "Architecture); do not rest on what this machine counts",
                  hw_machine_checks());
    ktap_note(&s->out,
              "summary: %u tests passed, %u failed, %u in error, %u skipped, "
              "%u known",
              totals->pass, totals->fail, totals->error, totals->skip,
              totals->known);
}

/* From the start, or from where a reset ended it. */
static void begin_report(struct session *s)
{
    const struct session_setup *setup = s->setup;
    const struct resume_point *point = store_resumed(setup->store);

    if (point == NULL) {
        ktap_open(&s->out, setup->sinks, setup->sinks_count,
                  s->suite.count != 0 ? suite_results(&s->suite) : 1);
        return;
    }
    resume_report(&s->out, setup, point, &s->suite, &s->outcomes);
    save_progress(s, false);
}

static void write_header(struct session *s)
{
    const struct session_setup *setup = s->setup;

    ktap_note(&s->out, "%s, image crc %08X", setup->program, setup->image_crc);
    identify(s);
    header_made_on(&s->out, &s->jobs.contexts[0].cpu);
    for (unsigned i = 0; i < setup->warnings_count; i++)
        ktap_note(&s->out, "warning: %s", setup->warnings[i]);
    write_options(s);
    if (setup->serial != NULL)
        ktap_note(&s->out, "serial port: %s", setup->serial);
    header_processors(&s->out, s->jobs.contexts, s->jobs.processors);
    if (setup->machine != NULL)
        evidence_machine(&s->out, setup->machine, setup->options);
    evidence_processors(&s->out, s->jobs.contexts, s->jobs.processors,
                        setup->options);
    exclude_processors(s);
    suite_unmatched(setup->options, warn_unmatched, s);
    if (s->suite.foreign)
        ktap_result(&s->out, VERDICT_SKIP, "selection",
                    "not an Intel processor: nothing to test");
    else if (s->suite.count == 0) /* in a plan of none nobody sees an error */
        ktap_result(&s->out, VERDICT_ERROR, "selection", "no test fits tests=");
    save_progress(s, false);
}

static void run_one(struct session *s, unsigned n)
{
    const struct suite *suite = &s->suite;

    if (s->outcomes.resets[suite_slot(suite, n)])
        resume_refuse(&s->out, suite, &s->outcomes);
    else if (suite_is_update(suite, n))
        run_update(s, n);
    else if (suite_is_second(suite, n) && s->why_no_second_pass != NULL)
        resume_error(&s->out, suite, &s->outcomes, s->why_no_second_pass);
    else
        run_test(s, n);
}

static void run_all(struct session *s)
{
    progress_start(&s->progress, &s->out);
    hw_on_poll(progress_tick, &s->progress);
    write_header(s);
    s->passes[0] = pass_of(&s->jobs.contexts[0]);
    if (s->out.at.results < suite_results(&s->suite) &&
        suite_is_second(&s->suite, s->out.at.results))
        renew_update(s);
    for (unsigned n = s->out.at.results; n < suite_results(&s->suite); n++)
        run_one(s, n);
    hw_on_poll(NULL, NULL);
    write_summaries(s);
}

struct ktap_totals session_run(const struct session_setup *setup)
{
    struct session *s = open_session(setup);

    choose_passes(s);
    begin_report(s);
    if (store_is_given_up(setup->store))
        resume_give_up(&s->out, &s->suite, &s->outcomes);
    else
        run_all(s);
    write_totals(s);
    ktap_end(&s->out);
    store_end(setup->store);
    return s->out.at.totals;
}
