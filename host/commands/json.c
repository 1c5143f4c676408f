/* SPDX-License-Identifier: BSD-2-Clause */
/* json.c - tsxpmu json: reports as an array, one object each. */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static void set_text(json_t *object, const char *key, struct span text)
{
    if (text.bytes != 0)
        json_object_set_new(object, key, json_stringn(text.at, text.bytes));
}

/* JSON's numbers are those of C's long long here: more is a string. */
static json_t *number(uint64_t value, bool hexadecimal)
{
    if (hexadecimal)
        return json_sprintf("0x%lx", value);
    return value > INT64_MAX ? json_sprintf("%lu", value)
                             : json_integer((json_int_t)value);
}

static void set_number(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, number(value, false));
}

/* A number, or [least, most] of several processors. */
static json_t *range(struct range range, bool hexadecimal)
{
    if (range.least == range.most)
        return number(range.least, hexadecimal);
    return json_pack("[o, o]", number(range.least, hexadecimal),
                     number(range.most, hexadecimal));
}

static json_t *figure_object(const struct figure *figure)
{
    json_t *object = json_object();
    bool hexadecimal;
    const unsigned numbers = figure_numbers(figure->shape, &hexadecimal);

    json_object_set_new(object, "shape",
                        json_string(figure_shape(figure->shape)));
    set_text(object, "processors", figure->processors);
    set_text(object, "what", figure->what);
    if (figure->shape == SHAPE_MAY)
        json_object_set_new(object, "observed", json_boolean(figure->observed));
    if (numbers > 0)
        json_object_set_new(object, "a", range(figure->a, hexadecimal));
    if (numbers > 1)
        json_object_set_new(object, "b", range(figure->b, hexadecimal));
    set_text(object, "more", figure->more);
    return object;
}

static json_t *raw_object(const struct raw *raw)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * sizeof(raw->bytes)];
    json_t *object = json_object();

    for (size_t i = 0; i < raw->count; i++) {
        text[2 * i] = digits[raw->bytes[i] >> 4];
        text[2 * i + 1] = digits[raw->bytes[i] & 15];
    }
    set_number(object, "processor", raw->processor);
    set_text(object, "what", raw->what);
    set_number(object, "bytes", raw->said);
    json_object_set_new(object, "damaged", json_boolean(raw->damaged));
    json_object_set_new(object, "hex", json_stringn(text, 2 * raw->count));
    return object;
}

static json_t *result_object(const struct report *report,
                             const struct result *result)
{
    json_t *object = json_object(), *figures = json_array(), *raws;
    struct figure figure;
    struct raw raw;

    set_number(object, "number", result->number);
    set_text(object, "name", result->name);
    set_text(object, "test", result->test);
    set_text(object, "round", result->round);
    set_text(object, "revision", result->revision);
    json_object_set_new(object, "verdict",
                        json_string(verdict_name(result->verdict)));
    if (result->of != 0) {
        set_number(object, "observed", result->n);
        set_number(object, "of", result->of);
    }
    set_text(object, "reason", result->reason);
    set_text(object, "question", result->question);
    for (size_t i = result->first; i < result->end; i++)
        if (figure_read(report->lines[i], &figure))
            json_array_append_new(figures, figure_object(&figure));
    json_object_set_new(object, "figures", figures);
    raws = json_array();
    for (size_t line = result->first; report_raw(report, result, &line, &raw);)
        json_array_append_new(raws, raw_object(&raw));
    if (json_array_size(raws) != 0)
        json_object_set(object, "raw", raws);
    json_decref(raws);
    return object;
}

static json_t *kind_object(const struct kind *kind)
{
    json_t *object = json_object();

    set_text(object, "processors", kind->processors);
    set_text(object, "vendor", kind->vendor);
    set_text(object, "model", kind->model);
    set_text(object, "stepping", kind->stepping);
    set_text(object, "microcode", kind->microcode);
    set_text(object, "brand", kind->brand);
    set_text(object, "regime", kind->regime);
    set_text(object, "evidence", kind->evidence);
    return object;
}

static json_t *totals_object(const struct totals *totals)
{
    json_t *object = json_object();

    set_number(object, "PASS", totals->pass);
    set_number(object, "FAIL", totals->fail);
    set_number(object, "ERROR", totals->error);
    set_number(object, "SKIP", totals->skip);
    set_number(object, "KNOWN", totals->known);
    return object;
}

static void add_line(void *context, const char *line)
{
    json_array_append_new(context, json_string(line));
}

static void set_lines(json_t *object, const struct report *report)
{
    json_t *summary = json_array(), *kinds = json_array(),
           *results = json_array();

    for (size_t i = 0; i < report->line_count; i++) {
        struct span line = report->lines[i];
        if (take(&line, "# summary: "))
            json_array_append_new(summary, json_stringn(line.at, line.bytes));
    }
    for (size_t i = 0; i < report->kind_count; i++)
        json_array_append_new(kinds, kind_object(&report->kinds[i]));
    for (size_t i = 0; i < report->result_count; i++)
        json_array_append_new(results,
                              result_object(report, &report->results[i]));
    json_object_set_new(object, "processors", kinds);
    json_object_set_new(object, "results", results);
    json_object_set_new(object, "summary", summary);
}

static json_t *report_object(const char *name, const struct report *report,
                             const struct cleaned *cleaned)
{
    json_t *object = json_object(), *problems = json_array(),
           *remarks = json_array();
    const struct totals totals = report_totals(report);

    json_object_set_new(object, "file", json_string(name));
    json_object_set_new(object, "made_on",
                        json_string(made_on_name(report->made_on)));
    set_text(object, "made_on_text", report->made_on_text);
    report_problems(report, add_line, problems);
    report_remarks(report, cleaned, add_line, remarks);
    json_object_set_new(object, "whole",
                        json_boolean(json_array_size(problems) == 0));
    json_object_set_new(object, "problems", problems);
    json_object_set_new(object, "remarks", remarks);
    set_text(object, "version", report->version);
    set_text(object, "image_crc", report->image_crc);
    set_text(object, "options", report->options);
    set_text(object, "date", report->date);
    set_text(object, "machine", report->machine);
    set_text(object, "system", report->system);
    set_text(object, "bios", report->bios);
    if (report->has_plan)
        set_number(object, "plan", report->plan);
    json_object_set_new(object, "totals", totals_object(&totals));
    set_lines(object, report);
    return object;
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    size_t *count = context;
    json_t *object = report_object(name, report, cleaned);
    char *text = json_dumps(object, JSON_INDENT(1));

    if (text == NULL)
        abort();
    printf("%s%s", (*count)++ == 0 ? "[\n" : ",\n", text);
    free(text);
    json_decref(object);
    return arguments_whole(name, report);
}

int command_json(int argc, char **argv)
{
    static const struct usage usage = {
        .words = "REPORT...",
        .doc = "Prints reports as one JSON array: verdicts, the figures of "
               "each line by their shape, raw bytes, and what is wrong with "
               "how the report came here. made_on says what of it is of "
               "silicon. Its status is 0 where all are whole, 1 where one is "
               "not, which is said on the standard error too.",
        .least = 1,
        .most = ANY_NUMBER,
    };
    const struct arguments arguments = arguments_read(&usage, argc, argv, NULL);
    size_t count = 0;
    enum status status = arguments_each(&arguments, one, &count);

    printf(count == 0 ? "[]\n" : "\n]\n");
    return (int)status;
}
