/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsxpmu.c - the host tool: reads what the application leaves behind.
 *
 *   tsxpmu decode pebs FILE --format N
 *   tsxpmu decode pt FILE [--tsx | --count]
 *
 * Here are the command line and what is said of errors; decode_*.c do the
 * work. Exit status: 0 done, 1 the input is not as it should be, or cannot be
 * read, 64 wrong use.
 */
#include "host/decode_pebs.h"
#include "host/decode_pt.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NO_FORMAT UINT_MAX

const char *argp_program_version = "tsxpmu 0.1";

static const char doc[] =
    "Prints what FILE (- is the standard input) holds, by its name in the "
    "manual: pebs, every field of every record of a raw buffer of PEBS "
    "records; pt, every packet of a raw stream of Intel Processor Trace.";

static const struct argp_option options[] = {
    {"format", 'f', "N", 0,
     "pebs: the record format, 0 to 3: IA32_PERF_CAPABILITIES (345H)[11:8] of "
     "the "
     "processor that wrote the buffer",
     0},
    {"tsx", 't', NULL, 0,
     "pt: the beginnings, commits and aborts of transactions, and where the "
     "packets deviate from the manual",
     0},
    {"count", 'c', NULL, 0, "pt: how many there are of each packet", 0},
    {0},
};

struct arguments {
    const char *words[3]; /* decode pebs|pt FILE */
    unsigned format;
    bool tsx, count;
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

/* The words and options fit each other, or this does not return. */
static void agree(const struct arguments *arguments, struct argp_state *state)
{
    const bool pt = strcmp(arguments->words[1], "pt") == 0;

    if (strcmp(arguments->words[0], "decode") != 0)
        argp_error(state, "no such command: %s", arguments->words[0]);
    else if (!pt && strcmp(arguments->words[1], "pebs") != 0)
        argp_error(state, "cannot decode: %s", arguments->words[1]);
    else if (!pt && arguments->format == NO_FORMAT)
        argp_error(state, "--format is missing");
    else if (pt && arguments->format != NO_FORMAT)
        argp_error(state, "--format is for pebs");
    else if (!pt && (arguments->tsx || arguments->count))
        argp_error(state, "--tsx and --count are for pt");
    else if (arguments->tsx && arguments->count)
        argp_error(state, "--tsx or --count, not both");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    struct arguments *arguments = state->input;

    switch (key) {
    case 'f':
        arguments->format = parse_format(text, state);
        return 0;
    case 't':
        arguments->tsx = true;
        return 0;
    case 'c':
        arguments->count = true;
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
        else
            agree(arguments, state);
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
        .args_doc = "decode pebs FILE\ndecode pt FILE",
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
    bool good = strcmp(arguments.words[1], "pebs") == 0
                    ? decode_pebs(file, path, arguments.format, stdout)
                    : decode_pt(file, path,
                                arguments.tsx     ? DECODE_PT_TSX
                                : arguments.count ? DECODE_PT_COUNT
                                                  : DECODE_PT_PACKETS,
                                stdout);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "tsxpmu: standard output: %s\n", strerror(errno));
        good = false;
    }
    return good ? 0 : 1;
}
