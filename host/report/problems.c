/* SPDX-License-Identifier: BSD-2-Clause */
/* problems.c - is a report whole, and as it was written? */
#include "host/report/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE_BYTES 320
#define SHOWN      60 /* characters of a line that is shown */

struct sayer {
    void (*say)(void *context, const char *line);
    void *context;
    size_t said;
};

__attribute__((format(printf, 2, 3))) static void say(struct sayer *sayer,
                                                      const char *format, ...)
{
    char line[LINE_BYTES];
    va_list list;

    sayer->said++;
    if (sayer->say == NULL)
        return;
    va_start(list, format);
    vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    sayer->say(sayer->context, line);
}

static struct span shown(struct span line)
{
    if (line.bytes > SHOWN)
        line.bytes = SHOWN;
    return line;
}

static int by_name(const void *a, const void *b)
{
    const struct result *const *one = a, *const *other = b;
    const struct span x = (*one)->name, y = (*other)->name;

    for (size_t i = 0; i < x.bytes && i < y.bytes; i++)
        if (x.at[i] != y.at[i])
            return x.at[i] < y.at[i] ? -1 : 1;
    return x.bytes < y.bytes ? -1 : x.bytes > y.bytes;
}

/* Results whose name another one has. */
static void check_names(const struct report *report, struct sayer *sayer)
{
    const struct result **sorted =
        malloc((report->result_count + 1) * sizeof(*sorted));
    struct span first = {0};
    size_t twice = 0;

    if (sorted == NULL)
        abort();
    for (size_t i = 0; i < report->result_count; i++)
        sorted[i] = &report->results[i];
    qsort(sorted, report->result_count, sizeof(*sorted), by_name);
    for (size_t i = 1; i < report->result_count; i++)
        if (span_same(sorted[i]->name, sorted[i - 1]->name) && twice++ == 0)
            first = sorted[i]->name;
    free(sorted);
    if (twice != 0)
        say(sayer,
            "repeated or mixed: %zu results stand there again, the first is "
            "%.*s",
            twice, SPAN_ARGS(shown(first)));
}

/* Numbers go from 1 on; of what is missing the first place is named. */
static void check_numbers(const struct report *report, struct sayer *sayer)
{
    uint64_t next = report->headless && report->result_count != 0
                        ? report->results[0].number
                        : 1;

    for (size_t i = 0; i < report->result_count; i++, next++) {
        const uint64_t number = report->results[i].number;
        if (number == next)
            continue;
        if (number > next)
            say(sayer, "results %lu to %lu are missing", next, number - 1);
        else
            say(sayer, "mixed: result %lu comes after result %lu", number,
                next - 1);
        return;
    }
}

static void check_plan(const struct report *report, struct sayer *sayer)
{
    if (!report->has_plan)
        say(sayer, "no plan: the line 1..N is missing");
    else if (report->plan != report->result_count)
        say(sayer, "planned %lu results, got %zu", report->plan,
            report->result_count);
}

static void check_totals(const struct report *report, struct sayer *sayer)
{
    const struct totals got = report_totals(report), *said = &report->said;
    const struct {
        const char *name;
        uint64_t said, got;
    } rows[] = {{"PASS", said->pass, got.pass},
                {"FAIL", said->fail, got.fail},
                {"ERROR", said->error, got.error},
                {"SKIP", said->skip, got.skip},
                {"KNOWN", said->known, got.known}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].said != rows[i].got)
            say(sayer, "END counts %lu %s, the report has %lu", rows[i].said,
                rows[i].name, rows[i].got);
}

struct totals report_totals(const struct report *report)
{
    struct totals totals = {0};

    for (size_t i = 0; i < report->result_count; i++) {
        const enum verdict verdict = report->results[i].verdict;
        totals.pass += verdict == VERDICT_PASS;
        totals.fail += verdict == VERDICT_FAIL;
        totals.error += verdict == VERDICT_ERROR;
        totals.skip += verdict == VERDICT_SKIP;
        totals.known += verdict == VERDICT_KNOWN;
    }
    return totals;
}

size_t report_problems(const struct report *report,
                       void (*callback)(void *context, const char *line),
                       void *context)
{
    struct sayer sayer = {callback, context, 0};

    if (report->headless)
        say(&sayer, "its beginning is lost: no line KTAP version 1");
    if (!report->has_end)
        say(&sayer, "cut: no END line, after %zu results",
            report->result_count);
    else if (report->crc != report->crc_said)
        say(&sayer, "damaged: the CRC of its lines is %08X, END says %08X",
            report->crc, report->crc_said);
    check_plan(report, &sayer);
    if (report->has_end)
        check_totals(report, &sayer);
    check_numbers(report, &sayer);
    check_names(report, &sayer);
    if (report->no_results != 0)
        say(&sayer, "%zu lines begin as results and are none: %.*s",
            report->no_results, SPAN_ARGS(shown(report->no_result_first)));
    return sayer.said;
}

void report_remarks(const struct report *report, const struct cleaned *cleaned,
                    void (*callback)(void *context, const char *line),
                    void *context)
{
    struct sayer sayer = {callback, context, 0};

    if (report->superseded)
        say(&sayer, "the next report goes on with this one after a reset");
    if (report->stamp.bytes != 0)
        say(&sayer, "a log's word before each line taken off: %.*s",
            SPAN_ARGS(shown(report->stamp)));
    if (report->columns != 0)
        say(&sayer, "a terminal of %zu columns wrapped it: joined again",
            report->columns);
    if (report->strange != 0)
        say(&sayer, "%zu lines inside it are of others: %.*s", report->strange,
            SPAN_ARGS(shown(report->strange_first)));
    if (cleaned->escapes != 0)
        say(&sayer, "%zu escape sequences of a terminal taken out of the file",
            cleaned->escapes);
    if (cleaned->bytes != 0)
        say(&sayer, "%zu bytes that are no text taken out of the file",
            cleaned->bytes);
}
