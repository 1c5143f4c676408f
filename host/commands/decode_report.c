/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_report.c - tsxpmu decode report: the raw bytes of a report, each by
 * the decoder that its line names. */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"
#include "host/decode_pebs.h"
#include "host/decode_pt.h"
#include "src/pebs/pebs_decode.h"
#include "src/pt/packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_TSX = 't',
    KEY_COUNT = 'c',
    KEY_SUMMARY = 's',
    KEY_TEST = 'n',
    KEY_PROCESSOR = 'p'
};

struct decoding {
    struct decode_pt_options pt;
    const char *test;
    bool one_processor;
    uint64_t processor;
    size_t decoded;
};

static bool option(int key, const char *text, void *context)
{
    struct decoding *decoding = context;
    struct span rest = {text, text == NULL ? 0 : strlen(text)};

    switch (key) {
    case KEY_TSX:
        decoding->pt.tsx = true;
        return true;
    case KEY_COUNT:
        decoding->pt.count = true;
        return true;
    case KEY_SUMMARY:
        decoding->pt.summary = true;
        return true;
    case KEY_TEST:
        decoding->test = text;
        return true;
    default:
        return decoding->one_processor =
                   take_number(&rest, &decoding->processor) && rest.bytes == 0;
    }
}

/* "0-1,4": is the processor one of these? An empty set is that of one alone. */
static bool is_of(struct span set, uint64_t processor)
{
    uint64_t first, last;

    if (set.bytes == 0)
        return true;
    while (take_number(&set, &first)) {
        last = first;
        if (take(&set, "-") && !take_number(&set, &last))
            return false;
        if (first <= processor && processor <= last)
            return true;
        take(&set, ",");
    }
    return false;
}

/* The processor that made them, as the report's head names it. */
static struct span processor_of(const struct report *report, uint64_t processor)
{
    for (size_t i = 0; i < report->kind_count; i++)
        if (is_of(report->kinds[i].processors, processor))
            return report->kinds[i].model;
    return (struct span){"unknown", 7};
}

/* By a text like "06_5EH". */
static unsigned errata_of(struct span processor)
{
    unsigned family, model;
    char text[8];

    snprintf(text, sizeof(text), "%.*s", SPAN_ARGS(processor));
    return sscanf(text, "%x_%xH", &family, &model) == 2
               ? pt_errata(family, model)
               : 0;
}

/* The bytes of so many that are whole records. */
static size_t whole_records(const uint8_t *bytes, size_t count, unsigned format)
{
    struct pebs_reader reader;
    struct pebs_record record;
    enum pebs_error error;

    pebs_open(&reader, bytes, count, format);
    do
        error = pebs_next(&reader, &record);
    while (error == PEBS_OK || error == PEBS_TX_ABORT_RESERVED);
    return error == PEBS_RECORD_CUT_SHORT ? reader.at : count;
}

static bool decode_bytes(const struct decoding *decoding,
                         const struct report *report, struct raw *raw,
                         const char *name)
{
    struct span format = raw->what;
    uint64_t number;
    const bool pebs = take(&format, "PEBS records of format ") &&
                      take_number(&format, &number) && number < 16;
    struct decode_pt_options pt = decoding->pt;
    FILE *file;
    bool good;

    pt.errata = errata_of(processor_of(report, raw->processor));
    if (!pebs && !span_is(raw->what, "Processor Trace")) {
        fprintf(stderr, "tsxpmu: %s: cannot decode: %.*s\n", name,
                SPAN_ARGS(raw->what));
        return false;
    }
    /* The report has the first 4096 bytes: its last record may be cut. */
    if (pebs && raw->said > raw->count)
        raw->count = whole_records(raw->bytes, raw->count, (unsigned)number);
    if (raw->count == 0)
        return false;
    file = fmemopen(raw->bytes, raw->count, "rb");
    if (file == NULL)
        abort();
    good = pebs ? decode_pebs(file, name, (unsigned)number, stdout)
                : decode_pt(file, name, &pt, stdout);
    fclose(file);
    return good;
}

static enum status decode_result(struct decoding *decoding, const char *file,
                                 const struct report *report,
                                 const struct result *result)
{
    enum status status = STATUS_GOOD;
    char name[512];
    struct raw raw;

    for (size_t line = result->first;
         report_raw(report, result, &line, &raw);) {
        if (decoding->one_processor && raw.processor != decoding->processor)
            continue;
        snprintf(name, sizeof(name), "%s: %.*s, processor %lu", file,
                 SPAN_ARGS(result->name), raw.processor);
        printf("%.*s, processor %lu (%.*s, %s): %.*s, %lu bytes%s\n",
               SPAN_ARGS(result->name), raw.processor,
               SPAN_ARGS(processor_of(report, raw.processor)),
               made_on_name(report->made_on), SPAN_ARGS(raw.what), raw.said,
               raw.said > raw.count ? ", the first of them" : "");
        decoding->decoded++;
        if (raw.damaged) {
            fprintf(stderr,
                    "tsxpmu: %s: damaged: the CRC is not that of the "
                    "bytes\n",
                    name);
            status = STATUS_FOUND;
        }
        fflush(stdout);
        if (!decode_bytes(decoding, report, &raw, name))
            status = STATUS_FOUND;
    }
    return status;
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    struct decoding *decoding = context;
    enum status status = STATUS_GOOD;

    (void)cleaned;
    for (size_t i = 0; i < report->result_count; i++)
        if (decoding->test == NULL ||
            span_match(report->results[i].name, decoding->test))
            status = status_worst(status, decode_result(decoding, name, report,
                                                        &report->results[i]));
    return status;
}

int command_decode_report(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"tsx", KEY_TSX, NULL, 0, "traces: transactions, and deviations", 0},
        {"count", KEY_COUNT, NULL, 0,
         "traces: how many there are of each packet", 0},
        {"summary", KEY_SUMMARY, NULL, 0, "traces: transactions in figures", 0},
        {"test", KEY_TEST, "NAME", 0, "of the tests that this pattern names",
         0},
        {"processor", KEY_PROCESSOR, "N", 0, "of this processor", 0},
        {0},
    };
    static const struct usage usage = {
        .words = "REPORT...",
        .doc = "Decodes the raw bytes in reports: PEBS records, by the format "
               "that their line names, and Processor Trace. Their CRC is "
               "checked. Its status is 1 where there are none, or some are "
               "not as they should be.",
        .options = options,
        .option = option,
        .least = 1,
        .most = ANY_NUMBER,
    };
    struct decoding decoding = {0};
    const struct arguments arguments =
        arguments_read(&usage, argc, argv, &decoding);
    enum status status = arguments_each(&arguments, one, &decoding);

    if (decoding.decoded == 0 && status == STATUS_GOOD) {
        fprintf(stderr, "tsxpmu: no raw bytes in it; raw=all has a run write "
                        "them\n");
        status = STATUS_FOUND;
    }
    return (int)status;
}
