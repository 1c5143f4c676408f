/* SPDX-License-Identifier: BSD-2-Clause */
/* result.c - merges the contexts of one test. */
#include "src/report/result.h"

#include "src/base/mem.h"
#include "src/report/merge.h"
#include "src/report/raw.h"
#include "src/harness/verdict.h"

#define OBSERVED_BYTES 48
#define SKIP_BEFORE    "SKIP: " /* as context.c puts it before a reason */

/* One processor's part. reason: for SKIP and ERROR. */
struct outcome {
    enum verdict verdict;
    const char *reason;
};

/* A lost processor is an error in every test that would run on it; its own
 * lines are not read, since it may be writing them. */
static struct outcome close_context(struct test_context *t, struct part *part)
{
    bool each = t->test->scope != WHOLE_MACHINE;

    if (t->excluded) {
        *part = (struct part){"", 0};
        return (struct outcome){VERDICT_NONE, ""};
    }
    if (t->lost) {
        bool part_taken =
            each || t->processor == 0 || t->end != HW_NOT_SELECTED;
        *part = (struct part){t->loss_line,
                              part_taken ? text_length(t->loss_line) : 0};
        return (struct outcome){part_taken ? VERDICT_ERROR : VERDICT_NONE,
                                t->loss};
    }
    context_close(t);
    *part = (struct part){t->text, t->text_bytes};
    return (struct outcome){verdict_of_job(t->verdict, t->end, each),
                            t->reason};
}

/* Of the first processor with the merged verdict; the processors are named
 * where others say something else. */
static void find_reason(const struct outcome outcomes[], unsigned processors,
                        enum verdict merged, char out[CONTEXT_LINE_BYTES])
{
    bool set[HW_PROCESSORS_MAX], alone = true;
    const char *reason = NULL;
    char name[MERGE_SET_BYTES];

    for (unsigned p = 0; p < processors; p++) {
        const struct outcome *o = &outcomes[p];
        if (o->verdict == merged && reason == NULL)
            reason = o->reason;
        set[p] = o->verdict == merged && text_equal(reason, o->reason);
        alone = alone && (set[p] || o->verdict == VERDICT_NONE);
    }
    if (alone || text_match("processor *", reason))
        text_format(out, CONTEXT_LINE_BYTES, "%s", reason);
    else
        text_format(out, CONTEXT_LINE_BYTES, "%s: %s",
                    merge_set_name(set, processors, name), reason);
}

/* "744 of 1000": the greatest part that was OBSERVED on any processor. False
 * where nothing was. */
static bool find_observed(const struct test_context contexts[],
                          unsigned processors, char out[OBSERVED_BYTES])
{
    uint64_t n = 0, of = 1;

    for (unsigned p = 0; p < processors; p++) {
        const struct test_context *t = &contexts[p];
        if (!t->lost && t->observed * of > n * t->observed_of) {
            n = t->observed;
            of = t->observed_of;
        }
    }
    if (n == 0)
        return false;
    text_format(out, OBSERVED_BYTES, "%lu of %lu", n, of);
    return true;
}

static void add_windows(const struct test_context contexts[],
                        unsigned processors, struct finding *finding)
{
    for (unsigned p = 0; p < processors; p++)
        for (unsigned i = 0; !contexts[p].lost && i < PROVOKED_BESIDES; i++) {
            finding->windows[i].wrong += contexts[p].windows[i].wrong;
            finding->windows[i].of += contexts[p].windows[i].of;
        }
}

/* "SKL018 SKL194": the errata that were met on any processor. */
static void find_known(const struct test_context contexts[],
                       unsigned processors, char out[CONTEXT_LINE_BYTES])
{
    struct erratum_found found;
    uint64_t met = 0;

    out[0] = '\0';
    for (unsigned p = 0; p < processors; p++)
        met |= contexts[p].lost ? 0 : contexts[p].known;
    for (unsigned e = 0; e < ERRATUM_COUNT; e++)
        for (unsigned p = 0; p < processors && (met >> e & 1) != 0; p++)
            if (errata_find(&contexts[p].cpu, (enum erratum)e, &found)) {
                text_append(out, CONTEXT_LINE_BYTES,
                            out[0] != '\0' ? " %s" : "%s", found.name);
                break;
            }
}

/* True where all that is said is one reason to skip: the result line has it. */
static bool is_only_reason(const struct part parts[], unsigned processors,
                           const char *reason)
{
    const size_t before = sizeof(SKIP_BEFORE) - 1, bytes = text_length(reason);

    for (unsigned p = 0; p < processors; p++)
        if (parts[p].bytes != 0 &&
            (parts[p].bytes != before + bytes + 1 ||
             memcmp(parts[p].text + before, reason, bytes) != 0))
            return false;
    return true;
}

/* Of all processors; else of the first that failed, as others that fail with it
 * left much the same, and of those before it that took part in its test. */
static void write_raw(struct ktap *out, const struct test_context contexts[],
                      const struct outcome outcomes[], unsigned processors,
                      bool all)
{
    for (unsigned p = 0; p < processors; p++) {
        enum verdict verdict = outcomes[p].verdict;
        bool failed = verdict == VERDICT_FAIL || verdict == VERDICT_ERROR;

        if ((all || failed || verdict == VERDICT_NONE) &&
            raw_write(out, &contexts[p]) && failed && !all)
            return;
    }
}

struct finding result_write(struct ktap *out, struct test_context contexts[],
                            unsigned processors, const char *name,
                            const struct options *options)
{
    const struct test *test = contexts[0].test;
    struct finding finding = {.test = test->name};
    struct outcome outcomes[HW_PROCESSORS_MAX];
    struct part parts[HW_PROCESSORS_MAX];
    char reason[CONTEXT_LINE_BYTES] = "", observed[OBSERVED_BYTES] = "";

    for (unsigned p = 0; p < processors; p++) {
        outcomes[p] = close_context(&contexts[p], &parts[p]);
        finding.verdict = verdict_merge(finding.verdict, outcomes[p].verdict);
    }
    if (finding.verdict == VERDICT_NONE) { /* a body that only called others */
        finding.verdict = outcomes[0].verdict = VERDICT_ERROR;
        outcomes[0].reason = "made no check";
    }
    add_windows(contexts, processors, &finding);
    finding.observed = find_observed(contexts, processors, observed);
    if (finding.verdict == VERDICT_KNOWN)
        find_known(contexts, processors, reason);
    else
        find_reason(outcomes, processors, finding.verdict, reason);
    bool bad =
        finding.verdict == VERDICT_FAIL || finding.verdict == VERDICT_ERROR;
    bool said = bad || options->verbosity != VERBOSITY_QUIET;
    if (said && (finding.verdict != VERDICT_SKIP ||
                 !is_only_reason(parts, processors, reason)))
        merge_write(out, parts, processors,
                    options->verbosity != VERBOSITY_VERBOSE);
    if (options->raw == RAW_ALL || (bad && options->raw == RAW_FAILED))
        write_raw(out, contexts, outcomes, processors, options->raw == RAW_ALL);
    if (bad || options->verbosity == VERBOSITY_VERBOSE) {
        ktap_note(out, "asks: %s", test->asks);
        ktap_note(out, "rests on: %s", test->cite);
    }
    ktap_result(out, finding.verdict, name,
                finding.verdict == VERDICT_PASS ? observed : reason);
    return finding;
}
