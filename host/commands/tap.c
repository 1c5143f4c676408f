/* SPDX-License-Identifier: BSD-2-Clause */
/* tap.c - tsxpmu tap: reports as one TAP stream, for readers that know no KTAP
 * (testanything.org, "TAP specification": no version line, plan at the end). */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"

#include <stdio.h>

struct writing {
    const char *name;
    size_t number;
    size_t problems;
};

static void print_problem(void *context, const char *line)
{
    (void)context;
    printf("# %s\n", line);
}

/* "#" begins a directive in a description. */
static void print_name(const struct writing *writing,
                       const struct report *report)
{
    printf(" - ");
    if (report->made_on != MADE_ON_SILICON)
        printf("%s ", made_on_name(report->made_on));
    for (const char *c = writing->name; *c != '\0'; c++)
        putchar(*c == '#' ? '/' : *c);
}

static void print_result(struct writing *writing, const struct report *report,
                         const struct result *result)
{
    const bool good =
        result->verdict == VERDICT_PASS || result->verdict == VERDICT_SKIP;

    printf("%s %zu", good ? "ok" : "not ok", ++writing->number);
    print_name(writing, report);
    printf(" %.*s", SPAN_ARGS(result->name));
    if (result->verdict == VERDICT_SKIP)
        printf(" # SKIP %.*s", SPAN_ARGS(result->reason));
    if (result->verdict == VERDICT_KNOWN)
        printf(" # TODO KNOWN %.*s", SPAN_ARGS(result->reason));
    printf("\n");
    if (result->verdict == VERDICT_ERROR)
        printf("# ERROR %.*s\n", SPAN_ARGS(result->reason));
    for (size_t i = result->first; i < result->end && !good; i++)
        printf("%.*s\n", SPAN_ARGS(report->lines[i]));
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    struct writing *writing = context;
    const struct totals totals = report_totals(report);
    size_t problems;

    (void)cleaned;
    writing->name = name;
    for (size_t i = 0; i < report->result_count; i++)
        print_result(writing, report, &report->results[i]);
    /* Last, so that what it has to say comes before it. */
    problems = report_problems(report, print_problem, writing);
    printf("%s %zu", problems == 0 ? "ok" : "not ok", ++writing->number);
    print_name(writing, report);
    printf(" is whole\n");
    return problems + totals.fail + totals.error != 0 ? STATUS_FOUND
                                                      : STATUS_GOOD;
}

int command_tap(int argc, char **argv)
{
    static const struct usage usage = {
        .words = "REPORT...",
        .doc = "Prints reports as one TAP stream, for prove and its like. FAIL "
               "and ERROR are not ok, KNOWN is not ok with TODO: an expected "
               "failure. A last result of each report says whether it is "
               "whole. Descriptions begin with SIMULATED, virtual or unknown "
               "where the report is not of silicon.",
        .least = 1,
        .most = ANY_NUMBER,
    };
    const struct arguments arguments = arguments_read(&usage, argc, argv, NULL);
    struct writing writing = {0};
    enum status status;

    status = arguments_each(&arguments, one, &writing);
    printf("1..%zu\n", writing.number);
    return (int)status;
}
