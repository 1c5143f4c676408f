/* SPDX-License-Identifier: BSD-2-Clause */
/* csv.c - tsxpmu csv: a row a result, or a row a figure (RFC 4180, but lines
 * end in "\n"). */
#include "host/commands/arguments.h"
#include "host/commands/commands.h"

#include <stdio.h>

enum { KEY_FIGURES = 'f' };

struct writing {
    bool figures, begun;
};

static bool option(int key, const char *text, void *context)
{
    struct writing *writing = context;

    (void)key;
    (void)text;
    return writing->figures = true;
}

/* In quotes where it has what a reader would take apart. */
static void field(struct span text, char after)
{
    bool quoted = false;

    for (size_t i = 0; i < text.bytes; i++)
        quoted |= text.at[i] == ',' || text.at[i] == '"' || text.at[i] == '\n';
    if (quoted)
        putchar('"');
    for (size_t i = 0; i < text.bytes; i++) {
        if (text.at[i] == '"')
            putchar('"');
        putchar(text.at[i]);
    }
    if (quoted)
        putchar('"');
    putchar(after);
}

static void words(const char *text, char after)
{
    field((struct span){text, __builtin_strlen(text)}, after);
}

static void print_report(const char *name, const struct report *report)
{
    const struct kind none = {0};
    const struct kind *kind = report->kind_count != 0 ? report->kinds : &none;

    words(name, ',');
    words(made_on_name(report->made_on), ',');
    field(report->machine, ',');
    field(kind->model, ',');
    field(kind->stepping, ',');
    field(kind->microcode, ',');
    field(kind->regime, ',');
    field(report->version, ',');
    field(report->date, ',');
}

static void print_range(struct range range, bool hexadecimal)
{
    printf(hexadecimal ? "0x%lx,0x%lx," : "%lu,%lu,", range.least, range.most);
}

static void print_figure(const struct figure *figure)
{
    bool hexadecimal;
    const unsigned numbers = figure_numbers(figure->shape, &hexadecimal);

    words(figure->shape == SHAPE_MAY && !figure->observed
              ? "not observed"
              : figure_shape(figure->shape),
          ',');
    field(figure->processors, ',');
    field(figure->what, ',');
    if (numbers > 0)
        print_range(figure->a, hexadecimal);
    else
        printf(",,");
    if (numbers > 1)
        print_range(figure->b, hexadecimal);
    else
        printf(",,");
    field(figure->more, '\n');
}

static void print_figures(const char *name, const struct report *report,
                          const struct result *result)
{
    struct figure figure;

    for (size_t i = result->first; i < result->end; i++)
        if (figure_read(report->lines[i], &figure)) {
            print_report(name, report);
            field(result->name, ',');
            print_figure(&figure);
        }
}

static void print_result(const char *name, const struct report *report,
                         const struct result *result)
{
    print_report(name, report);
    printf("%lu,", result->number);
    field(result->name, ',');
    field(result->test, ',');
    field(result->round, ',');
    field(result->revision, ',');
    words(verdict_name(result->verdict), ',');
    if (result->of != 0)
        printf("%lu,%lu,", result->n, result->of);
    else
        printf(",,");
    field(result->reason, '\n');
}

static enum status one(void *context, const char *name,
                       const struct report *report,
                       const struct cleaned *cleaned)
{
    struct writing *writing = context;

    (void)cleaned;
    if (!writing->begun)
        printf("file,made_on,machine,model,stepping,microcode,regime,version,"
               "date,%s\n",
               writing->figures
                   ? "name,shape,processors,what,a_least,a_most,b_least,"
                     "b_most,more"
                   : "number,name,test,round,revision,verdict,observed,of,"
                     "reason");
    writing->begun = true;
    for (size_t i = 0; i < report->result_count; i++)
        if (writing->figures)
            print_figures(name, report, &report->results[i]);
        else
            print_result(name, report, &report->results[i]);
    return arguments_whole(name, report);
}

int command_csv(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"figures", KEY_FIGURES, NULL, 0, "a row for each line of evidence", 0},
        {0},
    };
    static const struct usage usage = {
        .words = "REPORT...",
        .doc = "Prints a row for each result, with names of the columns in the "
               "first. Processor and regime are those of the first kind of "
               "processors that the report names. Its status is 0 where all "
               "are whole, 1 where one is not, which is said on the standard "
               "error.",
        .options = options,
        .option = option,
        .least = 1,
        .most = ANY_NUMBER,
    };
    struct writing writing = {0};
    const struct arguments arguments =
        arguments_read(&usage, argc, argv, &writing);

    return (int)arguments_each(&arguments, one, &writing);
}
