/* SPDX-License-Identifier: BSD-2-Clause */
/* resume.c - the report up to the reset, and what the reset did to it. */
#include "src/session/resume.h"

#define PART_BYTES ((size_t)4096) /* some lines, at least one */

const char *resume_offer(const struct store *found, char out[STORE_LINE_BYTES])
{
    const struct checkpoint *checkpoint = &found->checkpoint;
    unsigned results = checkpoint->point.report.results;
    struct options options;
    struct suite suite;
    char name[SUITE_NAME_BYTES];

    store_options(found, &options);
    suite_make(&suite, &options);
    suite.revision = checkpoint->point.revision;
    unsigned planned = suite_results(&suite);
    if (checkpoint->point.running && results < planned)
        text_format(out, STORE_LINE_BYTES,
                    "%s: interrupted in test %u of %u, %s", checkpoint->report,
                    results + 1, planned, suite_name(&suite, results, name));
    else
        text_format(out, STORE_LINE_BYTES,
                    "%s: interrupted after %u of %u tests", checkpoint->report,
                    results, planned);
    return out;
}

static void replay(const struct session_setup *setup)
{
    static char part[PART_BYTES];
    size_t at = 0, bytes;

    while ((bytes = store_read(setup->store, at, part, PART_BYTES)) != 0) {
        while (bytes > 1 && part[bytes - 1] != '\n')
            bytes--; /* sinks get whole lines */
        for (unsigned i = 0; i < setup->sinks_count; i++)
            setup->sinks[i].write(setup->sinks[i].self, part, bytes);
        at += bytes;
    }
}

void resume_error(struct ktap *out, const struct suite *suite,
                  struct outcomes *outcomes, const char *reason)
{
    unsigned n = out->at.results;
    struct finding found = {.test = suite_test(suite, n)->name,
                            .verdict = VERDICT_ERROR};
    char name[SUITE_NAME_BYTES];

    ktap_result(out, VERDICT_ERROR, suite_name(suite, n, name), reason);
    outcomes_enter(outcomes, suite, n, &found);
}

void resume_report(struct ktap *out, const struct session_setup *setup,
                   const struct resume_point *point, const struct suite *suite,
                   struct outcomes *outcomes)
{
    ktap_reopen(out, setup->sinks, setup->sinks_count, &point->report);
    replay(setup);
    outcomes_unpack(outcomes, suite, point->findings);
    ktap_note(out, "the machine was reset here, or its power failed; this is "
                   "its next start");
    if (point->running && point->report.results < suite_results(suite)) {
        outcomes->resets[suite_slot(suite, point->report.results)] = true;
        resume_error(out, suite, outcomes, "machine reset");
    }
}

void resume_refuse(struct ktap *out, const struct suite *suite,
                   struct outcomes *outcomes)
{
    resume_error(out, suite, outcomes,
                 "not tried: the machine was reset while it ran in an earlier "
                 "round");
}

void resume_give_up(struct ktap *out, const struct suite *suite,
                    struct outcomes *outcomes)
{
    char reason[80];

    text_format(reason, sizeof(reason),
                "not tried: %u starts in a row ended in a reset outside of "
                "tests",
                STORE_STARTS_MAX);
    while (out->at.results < suite_results(suite))
        resume_error(out, suite, outcomes, reason);
}
