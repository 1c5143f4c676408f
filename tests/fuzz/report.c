/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.c - arbitrary bytes as a file of reports. Every span lies in the text,
 * results are of lines that there are, and what was read, written and read
 * again is the same.
 */
#include "host/report/report.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_line(void *context, const char *line)
{
    (void)context;
    if (strchr(line, '\n') != NULL)
        abort();
}

static void read_lines(const struct report *report)
{
    static struct raw raw;
    struct figure figure;

    for (size_t i = 0; i < report->result_count; i++) {
        const struct result *result = &report->results[i];
        if (result->first > result->end || result->end > report->line_count)
            abort();
        for (size_t n = result->first; n < result->end; n++)
            if (figure_read(report->lines[n], &figure) &&
                figure.what.bytes + figure.more.bytes > report->lines[n].bytes)
                abort();
        for (size_t n = result->first; report_raw(report, result, &n, &raw);)
            if (raw.count > sizeof(raw.bytes))
                abort();
    }
}

static void read_again(const struct report *report)
{
    size_t bytes;
    char *text = report_text(report, &bytes);
    struct reports again = reports_read(text, bytes);

    if (report->line_count != 0 && report->has_end &&
        report->crc == report->crc_said &&
        (again.count != 1 || again.report[0].crc != report->crc ||
         again.report[0].result_count != report->result_count))
        abort();
    reports_close(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size); /* so that one byte too many is seen */
    struct reports reports;

    memcpy(text, data, size);
    reports = reports_read(text, size);
    for (size_t i = 0; i < reports.count; i++) {
        const struct report *report = &reports.report[i];
        read_lines(report);
        read_again(report);
        report_problems(report, is_line, NULL);
        report_remarks(report, &reports.cleaned, is_line, NULL);
    }
    reports_close(&reports);
    return 0;
}
