/* SPDX-License-Identifier: BSD-2-Clause */
/* read.c - fills in what the lines of a report say. */
#include "host/report/grow.h"
#include "host/report/lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "counter3_counts_alone/2@EAH". */
static void read_name(struct result *result)
{
    struct span rest = result->name, test;

    result->test = rest;
    if (take_until(&rest, "@", &result->test))
        result->revision = rest;
    rest = result->test;
    if (take_until(&rest, "/", &test)) {
        result->test = test;
        result->round = rest;
    }
}

/* What stands behind the name: false where it is nothing that may. */
static bool read_directive(struct span rest, bool ok, struct result *result)
{
    static const struct {
        const char *word;
        bool ok;
        enum verdict verdict;
    } words[] = {{" # SKIP ", true, VERDICT_SKIP},
                 {" # KNOWN ", true, VERDICT_KNOWN},
                 {" # ERROR ", false, VERDICT_ERROR}};

    result->verdict = ok ? VERDICT_PASS : VERDICT_FAIL;
    if (rest.bytes == 0)
        return true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (ok == words[i].ok && take(&rest, words[i].word)) {
            result->verdict = words[i].verdict;
            result->reason = rest;
            return rest.bytes != 0;
        }
    return ok && take(&rest, " # OBSERVED ") &&
           take_number(&rest, &result->n) && take(&rest, " of ") &&
           take_number(&rest, &result->of) && rest.bytes == 0;
}

static bool read_result(struct span line, struct result *result)
{
    const bool bad = take(&line, "not ");
    struct span rest;

    *result = (struct result){0};
    if (!take(&line, "ok ") || !take_number(&line, &result->number) ||
        !take(&line, " - ") || line.bytes == 0 || *line.at == ' ')
        return false;
    rest = line;
    if (!take_until(&rest, " ", &result->name))
        result->name = line;
    line.at += result->name.bytes;
    line.bytes -= result->name.bytes;
    read_name(result);
    return read_directive(line, !bad, result);
}

/* `GenuineIntel 06_5EH stepping 3, microcode CCH, "brand"`. */
static bool read_identity(struct span rest, struct kind *kind)
{
    const char *quote;

    if (!take_until(&rest, " stepping ", &kind->vendor) ||
        kind->vendor.bytes < 7)
        return false;
    kind->model = (struct span){kind->vendor.at + kind->vendor.bytes - 6, 6};
    kind->vendor.bytes -= 7;
    if (!span_match(kind->model, "*_*H") ||
        !take_until(&rest, ", microcode ", &kind->stepping))
        return false;
    quote = span_find(rest, ", \"");
    if (quote == NULL)
        quote = rest.at + rest.bytes;
    kind->microcode = (struct span){rest.at, (size_t)(quote - rest.at)};
    if (take_until(&rest, ", \"", &kind->brand)) {
        kind->brand = rest;
        kind->brand.bytes -= rest.bytes != 0;
    }
    return true;
}

static struct kind *kind_of(struct report *report, struct span processors)
{
    for (size_t i = report->kind_count; i > 0; i--)
        if (span_same(report->kinds[i - 1].processors, processors))
            return &report->kinds[i - 1];
    return NULL;
}

/* A line that names processors, of the head or of what follows an update. */
static void read_kind(struct span line, struct report *report)
{
    struct figure figure;
    struct kind kind = {0}, *same;
    struct span rest;

    if (!figure_read(line, &figure))
        return;
    rest = line;
    take(&rest, "# ");
    if (figure.processors.bytes != 0)
        take_until(&rest, ": ", &kind.processors); /* passed, with its word */
    kind.processors = figure.processors;
    if (read_identity(rest, &kind)) {
        APPEND(report->kinds, report->kind_count, kind);
        return;
    }
    same = kind_of(report, kind.processors);
    if (same == NULL)
        return;
    if (take(&rest, "regime ")) {
        if (!take_until(&rest, ":", &same->regime))
            same->regime = rest;
    } else if (take(&rest, "evidence: ")) {
        same->evidence = rest;
    }
}

static enum made_on read_made_on(struct span text)
{
    if (span_match(text, "a SIMULATED processor*"))
        return MADE_ON_SIMULATED;
    if (span_match(text, "a bare machine*"))
        return MADE_ON_SILICON;
    if (span_match(text, "a virtual machine*"))
        return MADE_ON_VIRTUAL;
    return MADE_ON_UNKNOWN;
}

static void read_head(struct span rest, struct report *report)
{
    struct span id;

    take(&rest, "# ");
    if (take(&rest, "tsxpmu ")) {
        if (take_until(&rest, ", image crc ", &report->version))
            report->image_crc = rest;
    } else if (take(&rest, "made on: ")) {
        report->made_on_text = rest;
        report->made_on = read_made_on(rest);
    } else if (take(&rest, "options: ")) {
        report->options = rest;
    } else if (take(&rest, "machine: date: ")) {
        if (!take_until(&rest, " by its clock", &report->date))
            report->date = rest;
    } else if (take(&rest, "machine: system: ")) {
        report->system = rest;
    } else if (take(&rest, "machine: BIOS: ")) {
        report->bios = rest;
    } else if (take(&rest, "machine: id: ")) {
        if (take_until(&rest, " (", &id))
            report->machine = id;
    }
}

/* A name that the simulated processor gives itself: where the line that says
 * so is lost, it is still none of silicon. */
static void read_simulated(struct report *report)
{
    for (size_t i = 0; i < report->kind_count; i++)
        if (span_match(report->kinds[i].brand, "Simulated *"))
            report->made_on = MADE_ON_SIMULATED;
}

static void add_result(struct report *report, struct result *result,
                       struct span question, size_t first, size_t line)
{
    result->question = question;
    result->first = first;
    result->end = line;
    APPEND(report->results, report->result_count, *result);
}

/* "# running 3: NAME", whose lines come before its result. In reports made
 * before "# asks: " existed it is "# running 3 of 156: NAME: question". */
static bool read_running(struct span line, struct span *question)
{
    struct span passed;

    if (!take(&line, "# running ") || !take_until(&line, ": ", &passed))
        return false;
    if (take_until(&line, ": ", &passed))
        *question = line;
    return true;
}

static void read_report(struct report *report)
{
    struct span question = {0};
    size_t first = 0; /* of the lines of the test that runs; 0: none does */

    for (size_t i = 0; i < report->line_count; i++) {
        struct span line = report->lines[i], rest = line;
        struct result result;

        if (take(&rest, "# END "))
            break;
        report->reset |= take(&rest, "# the machine was reset here");
        if (read_result(line, &result)) {
            add_result(report, &result, question, first == 0 ? i : first, i);
            first = 0;
            question = (struct span){0};
        } else if (*line.at != '#') {
            rest = line;
            if (take(&rest, "1..")) {
                report->has_plan =
                    take_number(&rest, &report->plan) && rest.bytes == 0;
            } else if (!span_is(line, "KTAP version 1") &&
                       report->no_results++ == 0) {
                report->no_result_first = line;
            }
        } else if (read_running(line, &question)) {
            first = i + 1;
        } else if (take(&rest, "# asks: ")) {
            question = rest;
        } else if (first == 0) {
            read_head(line, report);
            read_kind(line, report);
        }
    }
    read_simulated(report);
}

/* The serial port gets the whole of a run again after a reset. */
static void find_superseded(struct reports *reports)
{
    for (size_t i = 0; i + 1 < reports->count; i++) {
        struct report *one = &reports->report[i], *next = one + 1;
        one->superseded = !one->has_end && next->reset &&
                          span_same(one->image_crc, next->image_crc) &&
                          span_same(one->options, next->options) &&
                          span_same(one->date, next->date);
    }
}

struct reports reports_read(char *text, size_t bytes)
{
    struct reports reports = {.text = text};

    bytes = clean_text(text, bytes, &reports.cleaned);
    lines_divide((struct span){text, bytes}, &reports);
    for (size_t i = 0; i < reports.count; i++)
        read_report(&reports.report[i]);
    find_superseded(&reports);
    return reports;
}

bool reports_open(const char *path, struct reports *out)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    size_t bytes = 0, room = 1 << 16, got;
    char *text;

    if (file == NULL)
        return false;
    text = malloc(room);
    while (text != NULL &&
           (got = fread(text + bytes, 1, room - bytes, file)) != 0) {
        bytes += got;
        if (bytes == room)
            text = reallocarray(text, room *= 2, 1);
    }
    if (text == NULL)
        abort();
    const int error = ferror(file) ? errno : 0;
    if (file != stdin)
        fclose(file);
    *out = reports_read(text, bytes);
    errno = error;
    if (error != 0)
        reports_close(out);
    return error == 0;
}

void reports_close(struct reports *reports)
{
    for (size_t i = 0; i < reports->count; i++) {
        free(reports->report[i].lines);
        free(reports->report[i].kinds);
        free(reports->report[i].results);
    }
    free(reports->report);
    free(reports->text);
    *reports = (struct reports){0};
}

char *report_text(const struct report *report, size_t *bytes)
{
    char *text, *to;

    *bytes = 0;
    for (size_t i = 0; i < report->line_count; i++)
        *bytes += report->lines[i].bytes + 1;
    text = to = malloc(*bytes + 1);
    if (text == NULL)
        abort();
    for (size_t i = 0; i < report->line_count; i++) {
        to = mempcpy(to, report->lines[i].at, report->lines[i].bytes);
        *to++ = '\n';
    }
    *to = '\0';
    return text;
}

const char *made_on_name(enum made_on made_on)
{
    static const char *const names[] = {
        [MADE_ON_UNKNOWN] = "unknown",
        [MADE_ON_SILICON] = "silicon",
        [MADE_ON_VIRTUAL] = "virtual",
        [MADE_ON_SIMULATED] = "SIMULATED",
    };

    return names[made_on];
}
