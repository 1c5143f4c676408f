/* SPDX-License-Identifier: BSD-2-Clause */
/* show.c - tsxpmu show: the summary of a report, then what deviates. */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ECMA-48, "Select graphic rendition". */
#define RED     "31"
#define YELLOW  "33"
#define MAGENTA "35"
#define BOLD    "1"

struct showing {
    bool colour, all;
    size_t shown;
    const char *name;
};

enum { KEY_COLOUR = 'c', KEY_ALL = 'a' };

static bool option(int key, const char *text, void *context)
{
    struct showing *showing = context;

    if (key == KEY_ALL) {
        showing->all = true;
        return true;
    }
    if (text == NULL || strcmp(text, "always") == 0)
        showing->colour = true;
    else if (strcmp(text, "never") == 0)
        showing->colour = false;
    else
        return strcmp(text, "auto") == 0;
    return true;
}

static void paint(const struct showing *showing, const char *colour)
{
    if (showing->colour)
        printf("\033[%sm", colour);
}

static void print_problem(void *context, const char *line)
{
    const struct showing *showing = context;

    paint(showing, RED);
    printf("  %s\n", line);
    paint(showing, "0");
}

static void print_remark(void *context, const char *line)
{
    (void)context;
    printf("  %s\n", line);
}

static void print_head(const struct showing *showing,
                       const struct report *report)
{
    paint(showing, BOLD);
    printf("%s\n", showing->name);
    paint(showing, "0");
    if (report->made_on != MADE_ON_SILICON) {
        paint(showing, MAGENTA);
        printf("  made on: %s\n",
               report->made_on == MADE_ON_UNKNOWN
                   ? "unknown: nothing in it says that this is silicon"
               : report->made_on == MADE_ON_SIMULATED
                   ? "a SIMULATED processor, not silicon"
                   : "a virtual machine");
        paint(showing, "0");
    }
    for (size_t i = 0; i < report->kind_count; i++) {
        const struct kind *kind = &report->kinds[i];
        printf("  %.*s%s%.*s stepping %.*s, microcode %.*s, regime %.*s, "
               "\"%.*s\"\n",
               SPAN_ARGS(kind->processors), kind->processors.bytes ? ": " : "",
               SPAN_ARGS(kind->model), SPAN_ARGS(kind->stepping),
               SPAN_ARGS(kind->microcode), SPAN_ARGS(kind->regime),
               SPAN_ARGS(kind->brand));
    }
    printf("  tsxpmu %.*s, %.*s, options %.*s\n", SPAN_ARGS(report->version),
           SPAN_ARGS(report->date), SPAN_ARGS(report->options));
    if (report->machine.bytes != 0)
        printf("  machine %.*s: %.*s\n", SPAN_ARGS(report->machine),
               SPAN_ARGS(report->system));
}

/* What a test said of its verdict, or all. */
static void print_lines(const struct showing *showing,
                        const struct report *report,
                        const struct result *result)
{
    for (size_t i = result->first; i < result->end; i++) {
        struct span line = report->lines[i];
        struct figure figure;
        const bool figures = figure_read(line, &figure);
        const bool wanted =
            figures &&
            (showing->all || figure.shape == SHAPE_FAIL ||
             figure.shape == SHAPE_TROUBLE || figure.shape == SHAPE_ERRATUM ||
             (figure.shape == SHAPE_MAY && figure.observed &&
              result->verdict == VERDICT_PASS));
        if (wanted && take(&line, "# "))
            printf("      %.*s\n", SPAN_ARGS(line));
    }
}

static void print_result(const struct showing *showing,
                         const struct report *report,
                         const struct result *result)
{
    const bool observed = result->of != 0;
    const char *word = observed ? "OBSERVED" : verdict_name(result->verdict);

    paint(showing,
          result->verdict == VERDICT_FAIL || result->verdict == VERDICT_ERROR
              ? RED
              : YELLOW);
    printf("  %s", word);
    paint(showing, "0");
    printf(" %.*s", SPAN_ARGS(result->name));
    if (observed)
        printf(": %lu of %lu", result->n, result->of);
    if (result->reason.bytes != 0)
        printf(": %.*s", SPAN_ARGS(result->reason));
    printf("\n");
    if (result->question.bytes != 0)
        printf("      %.*s\n", SPAN_ARGS(result->question));
    print_lines(showing, report, result);
}

static bool deviates(const struct result *result)
{
    return result->verdict == VERDICT_FAIL ||
           result->verdict == VERDICT_ERROR || result->verdict == VERDICT_KNOWN;
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    struct showing *showing = context;
    const struct totals totals = report_totals(report);
    size_t problems;

    showing->name = name;
    if (showing->shown++ != 0)
        printf("\n");
    print_head(showing, report);
    problems = report_problems(report, print_problem, showing);
    report_remarks(report, cleaned, print_remark, showing);
    for (size_t i = 0; i < report->line_count; i++) {
        struct span line = report->lines[i];
        if (take(&line, "# summary: "))
            printf("  %.*s\n", SPAN_ARGS(line));
    }
    for (size_t i = 0; i < report->result_count; i++)
        if (deviates(&report->results[i]))
            print_result(showing, report, &report->results[i]);
    for (size_t i = 0; i < report->result_count; i++)
        if (!deviates(&report->results[i]) &&
            (showing->all || report->results[i].of != 0))
            print_result(showing, report, &report->results[i]);
    return problems + totals.fail + totals.error != 0 ? STATUS_FOUND
                                                      : STATUS_GOOD;
}

int command_show(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"color", KEY_COLOUR, "WHEN", OPTION_ARG_OPTIONAL,
         "auto (the usual: on a terminal, and without NO_COLOR), always, never",
         0},
        {"all", KEY_ALL, NULL, 0, "every result with every line of it", 0},
        {0},
    };
    static const struct usage usage = {
        .words = "REPORT...",
        .doc = "Prints the summary of each report, then what deviates: FAIL, "
               "ERROR and KNOWN with their lines, and what was OBSERVED. Its "
               "status is 0 for whole reports without FAIL and ERROR, 1 for "
               "others, 2 for trouble.",
        .options = options,
        .option = option,
        .least = 1,
        .most = ANY_NUMBER,
    };
    struct showing showing = {.colour = isatty(STDOUT_FILENO) &&
                                        getenv("NO_COLOR") == NULL};
    const struct arguments arguments =
        arguments_read(&usage, argc, argv, &showing);

    return (int)arguments_each(&arguments, one, &showing);
}
