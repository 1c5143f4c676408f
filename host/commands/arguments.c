/* SPDX-License-Identifier: BSD-2-Clause */
/* arguments.c - argp for commands, and files one after another. */
#include "host/commands/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 4200 /* a path, and which report of it */

struct parsing {
    const struct usage *usage;
    void *context;
    struct arguments arguments;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct parsing *p = state->input;
    const struct argp_option *option = p->usage->options;
    const char *misfit;

    if (key == ARGP_KEY_ARGS) {
        p->arguments.words = state->argv + state->next;
        p->arguments.count = (size_t)(state->argc - state->next);
        return 0;
    }
    if (key == ARGP_KEY_END) {
        if (p->arguments.count < p->usage->least)
            argp_error(state, "too few arguments");
        else if (p->arguments.count > p->usage->most)
            argp_error(state, "one argument too many: %s",
                       p->arguments.words[p->usage->most]);
        else if (p->usage->misfit != NULL &&
                 (misfit = p->usage->misfit(p->context)) != NULL)
            argp_error(state, "%s", misfit);
        return 0;
    }
    for (; option != NULL && option->name != NULL; option++)
        if (option->key == key) {
            if (!p->usage->option(key, text, p->context))
                argp_error(state, "not a value for --%s: %s", option->name,
                           text);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

bool arguments_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 &&
           *number <= most;
}

FILE *arguments_open(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");

    if (file == NULL)
        fprintf(stderr, "tsxpmu: %s: %s\n", path, strerror(errno));
    return file;
}

struct arguments arguments_read(const struct usage *usage, int argc,
                                char **argv, void *context)
{
    const struct argp argp = {.options = usage->options,
                              .parser = parse,
                              .args_doc = usage->words,
                              .doc = usage->doc};
    struct parsing parsing = {.usage = usage, .context = context};

    argp_parse(&argp, argc, argv, 0, NULL, &parsing);
    return parsing.arguments;
}

enum status status_worst(enum status a, enum status b)
{
    return a > b ? a : b;
}

static void keep_first(void *context, const char *line)
{
    char **first = context;

    if (*first == NULL && (*first = strdup(line)) == NULL)
        abort();
}

enum status arguments_whole(const char *name, const struct report *report)
{
    char *first = NULL;
    enum status status;

    report_problems(report, keep_first, &first);
    status = first == NULL || report->superseded ? STATUS_GOOD : STATUS_FOUND;
    if (status != STATUS_GOOD) {
        fflush(stdout); /* so that the line comes last on a terminal */
        fprintf(stderr, "tsxpmu: %s: not whole: %s\n", name, first);
    }
    free(first);
    return status;
}

enum status arguments_each(const struct arguments *arguments, each_report *one,
                           void *context)
{
    enum status status = STATUS_GOOD;

    for (size_t i = 0; i < arguments->count; i++) {
        const char *path = arguments->words[i];
        struct reports reports;
        char name[NAME_BYTES];

        if (!reports_open(path, &reports)) {
            fprintf(stderr, "tsxpmu: %s: %s\n", path, strerror(errno));
            status = STATUS_TROUBLE;
            continue;
        }
        if (reports.count == 0) {
            fprintf(stderr, "tsxpmu: %s: no report\n", path);
            status = status_worst(status, STATUS_FOUND);
        }
        for (size_t r = 0; r < reports.count; r++) {
            snprintf(name, sizeof(name), reports.count == 1 ? "%s" : "%s#%zu",
                     path, r + 1);
            status = status_worst(status, one(context, name, &reports.report[r],
                                              &reports.cleaned));
        }
        reports_close(&reports);
    }
    return status;
}
