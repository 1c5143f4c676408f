/* SPDX-License-Identifier: BSD-2-Clause */
/* data.c - finds in the lines what the page draws. */
#include "host/page/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENTHS 11 /* none, and each tenth */
#define SKIDS  5

static json_t *object_of(json_t *parent, struct span key)
{
    json_t *object = json_object_getn(parent, key.at, key.bytes);

    if (object == NULL) {
        object = json_object();
        json_object_setn_new(parent, key.at, key.bytes, object);
    }
    return object;
}

static struct span words(const char *text)
{
    return (struct span){text, strlen(text)};
}

static void bump(json_t *object, struct span key, uint64_t by)
{
    json_t *count = json_object_getn(object, key.at, key.bytes);

    if (count == NULL)
        json_object_setn_new(object, key.at, key.bytes,
                             json_integer((json_int_t)by));
    else
        json_integer_set(count, json_integer_value(count) + (json_int_t)by);
}

static void bump_number(json_t *object, uint64_t key, uint64_t by)
{
    char text[24];

    snprintf(text, sizeof(text), "%lu", key);
    bump(object, words(text), by);
}

static void bump_at(json_t *parent, const char *key, size_t size, size_t at,
                    uint64_t by)
{
    json_t *array = json_object_get(parent, key);

    if (array == NULL) {
        array = json_array();
        for (size_t i = 0; i < size; i++)
            json_array_append_new(array, json_integer(0));
        json_object_set_new(parent, key, array);
    }
    json_integer_set(json_array_get(array, at),
                     json_integer_value(json_array_get(array, at)) +
                         (json_int_t)by);
}

/* ".. in 20 of 20 trials ..": a check that failed so often. */
static bool failed_in(struct span what, uint64_t *n, uint64_t *of)
{
    struct span passed;

    while (take_until(&what, " in ", &passed))
        if (take_number(&what, n) && take(&what, " of ") &&
            take_number(&what, of) && take(&what, " trials"))
            return true;
    return false;
}

/* How much of what a test of counter 3 tried was wrong: the greatest part. */
static void add_counter3(json_t *kind, const struct report *report,
                         const struct result *result)
{
    uint64_t n = result->n, of = result->of != 0 ? result->of : 1;
    struct figure figure;
    char test[64];

    if (!span_match(result->test, "counter3_counts_*") ||
        (result->verdict != VERDICT_PASS && result->verdict != VERDICT_FAIL))
        return;
    for (size_t i = result->first; i < result->end; i++) {
        uint64_t a, b;
        if (figure_read(report->lines[i], &figure) &&
            figure.shape == SHAPE_FAIL && failed_in(figure.what, &a, &b) &&
            b != 0 && (double)a * (double)of > (double)n * (double)b) {
            n = a;
            of = b;
        }
    }
    if (result->verdict == VERDICT_FAIL && n == 0)
        return; /* it failed otherwise: how often is not said */
    snprintf(test, sizeof(test), "%.*s", SPAN_ARGS(result->test));
    bump_at(object_of(kind, words("counter3")), test, TENTHS,
            n == 0    ? 0
            : n >= of ? TENTHS - 1
                      : 1 + (size_t)((double)n * 10 / (double)of),
            1);
}

/* "XABORT: 12 records of 24 aborts, 12 by this cause, ..". */
static void add_abort(json_t *kind, struct span line)
{
    struct span cause, passed;
    uint64_t records;

    if (take_until(&line, ": ", &cause) && take_number(&line, &records) &&
        take(&line, " records of ") &&
        take_until(&line, " aborts, ", &passed) &&
        take_number(&line, &records) && take(&line, " by this cause"))
        bump(object_of(kind, words("aborts")), cause, records);
}

/* "loads from 896 lines of 64 bytes commit; aborts begin at 1024 (4 of 4)". */
static void add_capacity(json_t *kind, struct span line)
{
    const char *what = take(&line, "loads from ")  ? "loads"
                       : take(&line, "stores to ") ? "stores"
                                                   : NULL;
    uint64_t fits, aborts;
    json_t *capacity;

    if (what == NULL || !take_number(&line, &fits) ||
        !take(&line, " lines of 64 bytes commit; aborts begin at ") ||
        !take_number(&line, &aborts))
        return;
    capacity = object_of(object_of(kind, words("capacity")), words(what));
    bump_number(object_of(capacity, words("commit")), fits, 1);
    bump_number(object_of(capacity, words("abort")), aborts, 1);
}

/* "middle latency of loads from L1 4, L2 13, L3 47, flushed 234 core cycles" */
static void add_latency(json_t *kind, struct span line)
{
    struct span source;
    uint64_t cycles;

    if (!take(&line, "middle latency of loads from "))
        return;
    while (take_until(&line, " ", &source) && take_number(&line, &cycles)) {
        bump_number(object_of(object_of(kind, words("latency")), source),
                    cycles, 1);
        if (!take(&line, ", "))
            return;
    }
}

/* "PDIR: 32 of 32 records are of the instruction that overflowed; without, on
 * IA32_PMC0: 0 of it, 8 one instruction later, 8 two, 0 three, 0 more; .." */
static void add_skid(json_t *kind, struct span line)
{
    static const char *const after[SKIDS] = {
        " of it, ", " one instruction later, ", " two, ", " three, ", " more"};
    uint64_t hit, of, n[SKIDS];
    struct span passed;
    json_t *skid;

    if (!take(&line, "PDIR: ") || !take_number(&line, &hit) ||
        !take(&line, " of ") || !take_number(&line, &of) || of < hit ||
        !take(&line, " records are of the instruction that overflowed; ") ||
        !take_until(&line, ": ", &passed))
        return;
    for (size_t i = 0; i < SKIDS; i++)
        if (!take_number(&line, &n[i]) || !take(&line, after[i]))
            return;
    skid = object_of(kind, words("skid"));
    bump_at(skid, "with PDIR", SKIDS, 0, hit);
    bump_at(skid, "with PDIR", SKIDS, SKIDS - 1, of - hit);
    for (size_t i = 0; i < SKIDS; i++)
        bump_at(skid, "without", SKIDS, i, n[i]);
}

/* What reads the lines of a test; NULL: they are not drawn. */
typedef void (*adds)(json_t *kind, struct span line);

static adds adds_of(struct span test)
{
    return span_match(test, "pebs_tx_*")        ? add_abort
           : span_match(test, "tsx_*_capacity") ? add_capacity
           : span_match(test, "load_latency_*") ? add_latency
           : span_is(test, "pdir_skid")         ? add_skid
                                                : NULL;
}

static void add_lines(json_t *kind, const struct report *report,
                      const struct result *result)
{
    const adds add = adds_of(result->test);
    struct figure figure;

    for (size_t i = result->first; add != NULL && i < result->end; i++) {
        struct span line = report->lines[i], passed;
        if (!figure_read(line, &figure))
            continue;
        take(&line, "# ");
        if (figure.processors.bytes != 0)
            take_until(&line, ": ", &passed);
        add(kind, line);
    }
}

static void set(json_t *object, const char *key, struct span text)
{
    json_object_set_new(object, key, json_stringn(text.at, text.bytes));
}

/* The kind of a pass; the second follows a microcode update. */
static json_t *kind_of(json_t *kinds, const struct report *report,
                       const struct kind *kind)
{
    char name[200];
    json_t *object;

    snprintf(name, sizeof(name),
             "%s %.*s stepping %.*s, microcode %.*s, regime %.*s",
             made_on_name(report->made_on), SPAN_ARGS(kind->model),
             SPAN_ARGS(kind->stepping), SPAN_ARGS(kind->microcode),
             SPAN_ARGS(kind->regime));
    object = object_of(kinds, words(name));
    if (json_object_get(object, "model") == NULL) {
        json_object_set_new(object, "made_on",
                            json_string(made_on_name(report->made_on)));
        set(object, "model", kind->model);
        set(object, "stepping", kind->stepping);
        set(object, "microcode", kind->microcode);
        set(object, "regime", kind->regime);
    }
    return object;
}

static const struct kind *pass_of(const struct report *report,
                                  const struct result *result)
{
    for (size_t i = 0; i < report->kind_count; i++)
        if (result->revision.bytes == 0 ||
            span_same(report->kinds[i].microcode, result->revision))
            return &report->kinds[i];
    return NULL;
}

/* Machines without an id are one each. */
static void add_report(json_t *kind, const struct report *report)
{
    char number[24];

    bump(kind, words("reports"), 1);
    snprintf(number, sizeof(number), "crc %08X", report->crc);
    object_of(object_of(kind, words("machines")),
              report->machine.bytes != 0 ? report->machine : words(number));
}

void data_add(json_t *kinds, const struct report *report)
{
    const struct kind *last = NULL;
    json_t *kind = NULL;

    for (size_t i = 0; i < report->result_count; i++) {
        const struct result *result = &report->results[i];
        const struct kind *pass = pass_of(report, result);
        if (pass == NULL)
            continue;
        if (pass != last) {
            kind = kind_of(kinds, report, pass);
            add_report(kind, report);
            last = pass;
        }
        bump(object_of(object_of(kind, words("tests")), result->test),
             words(verdict_name(result->verdict)), 1);
        add_counter3(kind, report, result);
        add_lines(kind, report, result);
    }
}
