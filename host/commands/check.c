/* SPDX-License-Identifier: BSD-2-Clause */
/* check.c - tsxpmu check: is a report whole, and as it was written? */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"
#include "host/report/grow.h"

#include <stdio.h>
#include <string.h>

/* Reports that were seen before: the same text is said to be so. */
struct seen {
    uint32_t crc;
    size_t lines;
    char *name;
};

struct checking {
    struct seen *seen;
    size_t seen_count;
    const char *name;
};

static void print(void *context, const char *line)
{
    const struct checking *checking = context;

    printf("%s: %s\n", checking->name, line);
}

static const char *seen_before(struct checking *checking,
                               const struct report *report)
{
    const struct seen new = {report->crc, report->line_count, NULL};

    for (size_t i = 0; i < checking->seen_count; i++)
        if (checking->seen[i].crc == new.crc &&
            checking->seen[i].lines == new.lines)
            return checking->seen[i].name;
    APPEND(checking->seen, checking->seen_count, new);
    checking->seen[checking->seen_count - 1].name = strdup(checking->name);
    return NULL;
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    struct checking *checking = context;
    const struct totals totals = report_totals(report);
    const char *before;
    size_t problems;

    checking->name = name;
    problems = report_problems(report, print, checking);
    report_remarks(report, cleaned, print, checking);
    before = seen_before(checking, report);
    if (before != NULL)
        printf("%s: repeated: the same as %s\n", name, before);
    if (problems != 0)
        return report->superseded ? STATUS_GOOD : STATUS_FOUND;
    printf("%s: whole: %lu passed, %lu failed, %lu in error, %lu skipped, %lu "
           "known; crc %08X; made on: %s\n",
           name, totals.pass, totals.fail, totals.error, totals.skip,
           totals.known, report->crc, made_on_name(report->made_on));
    return STATUS_GOOD;
}

int command_check(int argc, char **argv)
{
    static const struct usage usage = {
        .words = "REPORT...",
        .doc = "Says whether reports are whole: END, CRC, plan and totals, and "
               "what is cut, damaged, mixed, wrapped by a terminal, or "
               "repeated. Its status is 0 where all are whole, whatever their "
               "verdicts, 1 where one is not, 2 for trouble.",
        .least = 1,
        .most = ANY_NUMBER,
    };
    const struct arguments arguments = arguments_read(&usage, argc, argv, NULL);
    struct checking checking = {0};
    enum status status = arguments_each(&arguments, one, &checking);

    for (size_t i = 0; i < checking.seen_count; i++)
        free(checking.seen[i].name);
    free(checking.seen);
    return (int)status;
}
