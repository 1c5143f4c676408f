/* SPDX-License-Identifier: BSD-2-Clause */
/* arguments.h - the command line of one command, and its way through files of
 * reports. */
#ifndef HOST_COMMANDS_ARGUMENTS_H
#define HOST_COMMANDS_ARGUMENTS_H

#include "host/report/report.h"

#include <argp.h>
#include <stdio.h>

/* As grep's. */
enum status {
    STATUS_GOOD = 0,
    STATUS_FOUND = 1,   /* something deviates, differs, or is not there */
    STATUS_TROUBLE = 2, /* wrong use, or what cannot be read or written */
};

struct usage {
    const char *words; /* "REPORT..." */
    const char *doc;
    const struct argp_option *options; /* NULL: none */
    /* False: not a value for the option. */
    bool (*option)(int key, const char *text, void *context);
    size_t least, most; /* how many words */
    /* What does not fit together; NULL: nothing. Itself NULL: nothing can. */
    const char *(*misfit)(const void *context);
};

#define ANY_NUMBER SIZE_MAX

struct arguments {
    char **words;
    size_t count;
};

/* All of the text is a number, decimal or 0x.., of at most `most`. */
bool arguments_number(const char *text, uint64_t most, uint64_t *number);

/* The file, or the standard input for "-"; NULL, and a line said: it cannot be
 * opened. */
FILE *arguments_open(const char *path);

/* Does not return where the use is wrong. argv[0]: "tsxpmu show". */
struct arguments arguments_read(const struct usage *usage, int argc,
                                char **argv, void *context);

/* Calls `one` for each report of each file; says what cannot be read, or has
 * none. The worst status. name: the file's, with "#2" where it has several. */
typedef enum status each_report(void *context, const char *name,
                                const struct report *report,
                                const struct cleaned *cleaned);
enum status arguments_each(const struct arguments *arguments, each_report *one,
                           void *context);

/* For what converts reports: of one that is not whole the first problem is said
 * on the standard error. STATUS_FOUND; STATUS_GOOD of a whole one, and of one
 * that the next report goes on with. */
enum status arguments_whole(const char *name, const struct report *report);

enum status status_worst(enum status a, enum status b);

#endif
