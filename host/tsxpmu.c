/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsxpmu.c - the host tool: reads what the application leaves behind.
 *
 *   tsxpmu decode pebs FILE --format N
 *
 * Here are the command line and what is said of errors; decode_pebs.c does the
 * work. Exit status: 0 done, 1 the input is not as it should be, or cannot be
 * read, 64 wrong use.
 */
#include "host/decode_pebs.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NO_FORMAT UINT_MAX

const char *argp_program_version = "tsxpmu 0.1";

static const char doc[] =
    "Prints every field of every record of FILE, a raw buffer of PEBS records "
    "(- is the standard input), by its name in the manual.";

static const struct argp_option options[] = {
    {"format", 'f', "N", 0,
     "the record format, 0 to 3: IA32_PERF_CAPABILITIES (345H)[11:8] of the "
     "processor that wrote the buffer",
     0},
    {0},
};

struct arguments {
    const char *words[3]; /* decode pebs FILE */
    unsigned format;
};

static unsigned parse_format(const char *text, struct argp_state *state)
{
    char *end;

    errno = 0;
    unsigned long value = strtoul(text, &end, 0);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 ||
        value >= NO_FORMAT)
        argp_error(state, "not a number for --format: %s", text);
    return (unsigned)value;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'f':
        arguments->format = parse_format(text, state);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num >= 3)
            argp_error(state, "one argument too many: %s", text);
        else
            arguments->words[state->arg_num] = text;
        return 0;
    case ARGP_KEY_END:
        if (state->arg_num < 3)
            argp_error(state, "too few arguments");
        else if (strcmp(arguments->words[0], "decode") != 0)
            argp_error(state, "no such command: %s", arguments->words[0]);
        else if (strcmp(arguments->words[1], "pebs") != 0)
            argp_error(state, "cannot decode: %s", arguments->words[1]);
        else if (arguments->format == NO_FORMAT)
            argp_error(state, "--format is missing");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "decode pebs FILE",
        .doc = doc,
    };
    struct arguments arguments = {.format = NO_FORMAT};
    const char *path;

    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    path = arguments.words[2];
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "tsxpmu: %s: %s\n", path, strerror(errno));
        return 1;
    }
    bool good = decode_pebs(file, path, arguments.format, stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "tsxpmu: standard output: %s\n", strerror(errno));
        good = false;
    }
    return good ? 0 : 1;
}
