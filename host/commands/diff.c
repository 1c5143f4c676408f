/* SPDX-License-Identifier: BSD-2-Clause */
/* diff.c - tsxpmu diff: two reports, of machines, microcodes or versions: what
 * differs in the head, in verdicts, then in figures. */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { KEY_VERDICTS = 'v' };

struct comparing {
    bool verdicts; /* these alone */
    size_t found;
};

static bool option(int key, const char *text, void *context)
{
    struct comparing *comparing = context;

    (void)key;
    (void)text;
    return comparing->verdicts = true;
}

static void compare(struct comparing *comparing, const char *what,
                    struct span a, struct span b)
{
    if (span_same(a, b))
        return;
    printf("%s: %.*s | %.*s\n", what, SPAN_ARGS(a), SPAN_ARGS(b));
    comparing->found++;
}

static void compare_heads(struct comparing *comparing, const struct report *a,
                          const struct report *b)
{
    const struct kind none = {0};
    const struct kind *x = a->kind_count != 0 ? a->kinds : &none;
    const struct kind *y = b->kind_count != 0 ? b->kinds : &none;

    if (a->made_on != b->made_on) {
        printf("made on: %s | %s\n", made_on_name(a->made_on),
               made_on_name(b->made_on));
        comparing->found++;
    } else if (a->made_on != MADE_ON_SILICON) {
        printf("both made on: %s\n", made_on_name(a->made_on));
    }
    compare(comparing, "version", a->version, b->version);
    compare(comparing, "machine", a->machine, b->machine);
    compare(comparing, "system", a->system, b->system);
    compare(comparing, "BIOS", a->bios, b->bios);
    compare(comparing, "model", x->model, y->model);
    compare(comparing, "stepping", x->stepping, y->stepping);
    compare(comparing, "microcode", x->microcode, y->microcode);
    compare(comparing, "regime", x->regime, y->regime);
    compare(comparing, "options", a->options, b->options);
}

/* The same test of the same round; of the same pass, as they follow. */
static const struct result *find(const struct report *in,
                                 const struct result *wanted, bool second)
{
    for (size_t i = 0; i < in->result_count; i++) {
        const struct result *result = &in->results[i];
        if (span_same(result->test, wanted->test) &&
            span_same(result->round, wanted->round) &&
            (result->revision.bytes != 0) == second)
            return result;
    }
    return NULL;
}

static void print_verdict(const struct result *result)
{
    if (result == NULL) {
        printf("not run");
        return;
    }
    printf("%s", verdict_name(result->verdict));
    if (result->of != 0)
        printf(" (OBSERVED %lu of %lu)", result->n, result->of);
    else if (result->reason.bytes != 0)
        printf(" (%.*s)", SPAN_ARGS(result->reason));
}

static void compare_verdicts(struct comparing *comparing,
                             const struct result *a, const struct result *b)
{
    if (a != NULL && b != NULL && a->verdict == b->verdict && a->of == b->of &&
        a->n == b->n && span_same(a->reason, b->reason))
        return;
    printf("%.*s: ", SPAN_ARGS(a != NULL ? a->name : b->name));
    print_verdict(a);
    printf(" | ");
    print_verdict(b);
    printf("\n");
    comparing->found++;
}

/* It says the same, if in other numbers. */
static bool same_words(const struct figure *a, const struct figure *b)
{
    return a->shape == b->shape && span_same(a->processors, b->processors) &&
           span_same(a->what, b->what);
}

/* Which of several such lines of the result line i is; the first is 0. */
static size_t number_of(const struct report *in, const struct result *result,
                        size_t i, const struct figure *wanted)
{
    size_t number = 0;

    for (size_t before = result->first; before < i; before++) {
        struct figure figure;
        number += figure_read(in->lines[before], &figure) &&
                  same_words(&figure, wanted);
    }
    return number;
}

/* The line of the other report that says the same: this very line, wherever it
 * is, else that of this number. */
static bool find_figure(const struct report *in, const struct result *result,
                        const struct figure *wanted, size_t number,
                        struct span *line)
{
    struct span other = {0};
    size_t count = 0;

    for (size_t i = result->first; i < result->end; i++) {
        struct figure figure;
        if (!figure_read(in->lines[i], &figure) || !same_words(&figure, wanted))
            continue;
        if (span_same(in->lines[i], *line))
            return true;
        if (count++ == number)
            other = in->lines[i];
    }
    if (count > number)
        *line = other;
    return count > number;
}

static void compare_figures(struct comparing *comparing, const struct report *a,
                            const struct result *x, const struct report *b,
                            const struct result *y)
{
    struct figure figure;

    for (size_t i = x->first; i < x->end; i++) {
        struct span line = a->lines[i], other = line;
        bool hexadecimal;
        if (!figure_read(line, &figure) ||
            figure_numbers(figure.shape, &hexadecimal) == 0 ||
            !find_figure(b, y, &figure, number_of(a, x, i, &figure), &other) ||
            span_same(line, other))
            continue;
        take(&line, "# ");
        take(&other, "# ");
        printf("%.*s:\n  < %.*s\n  > %.*s\n", SPAN_ARGS(x->name),
               SPAN_ARGS(line), SPAN_ARGS(other));
        comparing->found++;
    }
}

static void compare_results(struct comparing *comparing, const struct report *a,
                            const struct report *b)
{
    for (size_t i = 0; i < a->result_count; i++) {
        const struct result *x = &a->results[i];
        compare_verdicts(comparing, x, find(b, x, x->revision.bytes != 0));
    }
    for (size_t i = 0; i < b->result_count; i++) {
        const struct result *y = &b->results[i];
        if (find(a, y, y->revision.bytes != 0) == NULL)
            compare_verdicts(comparing, NULL, y);
    }
    for (size_t i = 0; i < a->result_count && !comparing->verdicts; i++) {
        const struct result *x = &a->results[i];
        const struct result *y = find(b, x, x->revision.bytes != 0);
        if (y != NULL)
            compare_figures(comparing, a, x, b, y);
    }
}

/* The last report of a file: what a reset cut short comes before it. */
static const struct report *last(const struct reports *reports,
                                 const char *path)
{
    if (reports->count == 0) {
        fprintf(stderr, "tsxpmu: %s: no report\n", path);
        return NULL;
    }
    if (reports->count > 1)
        fprintf(stderr, "tsxpmu: %s: %zu reports in it, the last is taken\n",
                path, reports->count);
    return &reports->report[reports->count - 1];
}

int command_diff(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"verdicts", KEY_VERDICTS, NULL, 0, "no figures", 0},
        {0},
    };
    static const struct usage usage = {
        .words = "REPORT REPORT",
        .doc = "Compares two reports: what differs in processor, microcode and "
               "version, then in verdicts, then in figures. Its status is 0 "
               "where nothing does, 1 where something does, 2 for trouble.",
        .options = options,
        .option = option,
        .least = 2,
        .most = 2,
    };
    struct comparing comparing = {0};
    const struct arguments arguments =
        arguments_read(&usage, argc, argv, &comparing);
    struct reports reports[2] = {{0}};
    const struct report *a = NULL, *b = NULL;

    for (size_t i = 0; i < 2; i++)
        if (!reports_open(arguments.words[i], &reports[i])) {
            fprintf(stderr, "tsxpmu: %s: %s\n", arguments.words[i],
                    strerror(errno));
            reports_close(&reports[0]);
            return STATUS_TROUBLE;
        }
    a = last(&reports[0], arguments.words[0]);
    b = last(&reports[1], arguments.words[1]);
    if (a != NULL && b != NULL) {
        compare_heads(&comparing, a, b);
        compare_results(&comparing, a, b);
    }
    reports_close(&reports[0]);
    reports_close(&reports[1]);
    return a == NULL || b == NULL || comparing.found != 0 ? STATUS_FOUND
                                                          : STATUS_GOOD;
}
