/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * judge.c - tsxpmu judge: verdicts made anew from the lines of a report, and
 * regimes from their evidence.
 *
 * A check that passes leaves no line, so a verdict can only change by lines
 * that there are: docs/report.md, "Judged anew".
 */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"
#include "host/report/regime_again.h"
#include "host/report/rules.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { KEY_RULES = 'r', KEY_SILENT = 's' };

struct judging {
    struct rules rules;
    const char *path;
    bool read, silent;
    size_t line;
};

/* What is found of one result. */
struct judgement {
    enum verdict verdict;
    struct span ids, because; /* the line that decides */
};

static bool option(int key, const char *text, void *context)
{
    struct judging *judging = context;

    if (key == KEY_SILENT) {
        judging->silent = true;
        return true;
    }
    judging->path = text;
    judging->read = rules_read(text, &judging->rules, &judging->line);
    return true;
}

/* As src/harness/context.c writes lines, and src/report/result.c counts them.
 */
static enum verdict says(const struct figure *figure)
{
    switch (figure->shape) {
    case SHAPE_FAIL:
        return VERDICT_FAIL;
    case SHAPE_TROUBLE:
        return VERDICT_ERROR;
    case SHAPE_ERRATUM:
        return VERDICT_KNOWN;
    default:
        return VERDICT_NONE;
    }
}

static struct judgement judge(const struct judging *judging,
                              const struct report *report,
                              const struct result *result)
{
    struct judgement out = {.verdict = VERDICT_NONE};
    enum verdict overruled = VERDICT_NONE;
    struct figure figure;

    for (size_t i = result->first; i < result->end; i++) {
        const struct rule *rule;
        enum verdict verdict;
        if (!figure_read(report->lines[i], &figure))
            continue;
        rule = rules_find(&judging->rules, result, report->lines[i], &figure);
        verdict = rule != NULL ? rule->verdict : says(&figure);
        if (rule != NULL)
            overruled = verdict_worst(overruled, says(&figure));
        if (verdict > out.verdict)
            out = (struct judgement){verdict,
                                     rule != NULL ? rule->ids
                                     : figure.shape == SHAPE_ERRATUM
                                         ? figure.what
                                         : (struct span){0},
                                     report->lines[i]};
    }
    /* It gets better only where what it came from is overruled. */
    if (out.verdict < result->verdict && overruled != result->verdict)
        out = (struct judgement){result->verdict, result->reason, {0}};
    return out;
}

static size_t print_verdicts(const struct judging *judging, const char *name,
                             const struct report *report, struct totals *totals)
{
    size_t changed = 0;

    for (size_t i = 0; i < report->result_count; i++) {
        const struct result *result = &report->results[i];
        const struct judgement now = judge(judging, report, result);
        totals->pass += now.verdict == VERDICT_PASS;
        totals->fail += now.verdict == VERDICT_FAIL;
        totals->error += now.verdict == VERDICT_ERROR;
        totals->skip += now.verdict == VERDICT_SKIP;
        totals->known += now.verdict == VERDICT_KNOWN;
        if (now.verdict == result->verdict)
            continue;
        changed++;
        printf("%s: %.*s was %s, is %s%s%.*s\n    %.*s\n", name,
               SPAN_ARGS(result->name), verdict_name(result->verdict),
               verdict_name(now.verdict), now.ids.bytes != 0 ? " " : "",
               SPAN_ARGS(now.ids), SPAN_ARGS(now.because));
    }
    return changed;
}

/* A result that PASS is all that there is of: no rule can fit. */
static bool is_silent(const struct report *report, const struct result *result)
{
    struct figure figure;

    for (size_t i = result->first; i < result->end; i++)
        if (figure_read(report->lines[i], &figure))
            return false;
    return result->verdict == VERDICT_PASS;
}

static void print_silent(const char *name, const struct report *report)
{
    for (size_t i = 0; i < report->result_count; i++)
        if (is_silent(report, &report->results[i]))
            printf("%s: %.*s passed without a figure\n", name,
                   SPAN_ARGS(report->results[i].name));
}

static size_t print_regimes(const char *name, const struct report *report)
{
    size_t changed = 0;

    for (size_t i = 0; i < report->kind_count; i++) {
        const struct kind *kind = &report->kinds[i];
        const char *now = regime_again(kind);
        if (now == NULL || span_is(kind->regime, now))
            continue;
        changed++;
        printf("%s: %.*s, microcode %.*s: regime was %.*s, is %s\n    %.*s\n",
               name, SPAN_ARGS(kind->model), SPAN_ARGS(kind->microcode),
               SPAN_ARGS(kind->regime), now, SPAN_ARGS(kind->evidence));
    }
    return changed;
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    const struct judging *judging = context;
    struct totals now = {0};
    size_t changed;

    (void)cleaned;
    changed = print_regimes(name, report);
    changed += print_verdicts(judging, name, report, &now);
    if (judging->silent)
        print_silent(name, report);
    printf("%s: made on: %s: %lu passed, %lu failed, %lu in error, %lu "
           "skipped, %lu known\n",
           name, made_on_name(report->made_on), now.pass, now.fail, now.error,
           now.skip, now.known);
    return changed != 0 ? STATUS_FOUND : arguments_whole(name, report);
}

int command_judge(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"rules", KEY_RULES, "FILE", 0,
         "lines VERDICT | TEST | LINE [| CONDITION], which count before what "
         "a report says itself",
         0},
        {"silent", KEY_SILENT, NULL, 0,
         "name the tests that passed without a figure: these cannot be judged "
         "anew",
         0},
        {0},
    };
    static const struct usage usage = {
        .words = "REPORT...",
        .doc = "Makes the verdicts of old reports anew from their lines, with "
               "rules of yours, and regimes from their evidence. Prints what "
               "changes and the totals. Its status is 0 where nothing "
               "changes, 1 where something does or a report is not whole, 2 "
               "for trouble.",
        .options = options,
        .option = option,
        .least = 1,
        .most = ANY_NUMBER,
    };
    struct judging judging = {.read = true};
    const struct arguments arguments =
        arguments_read(&usage, argc, argv, &judging);
    enum status status = STATUS_TROUBLE;

    if (!judging.read && errno != 0)
        fprintf(stderr, "tsxpmu: %s: %s\n", judging.path, strerror(errno));
    else if (!judging.read)
        fprintf(stderr, "tsxpmu: %s:%zu: no rule\n", judging.path,
                judging.line);
    else
        status = arguments_each(&arguments, one, &judging);
    rules_free(&judging.rules);
    return (int)status;
}
