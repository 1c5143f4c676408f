/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsxpmu.c - the host tool: reads what the application has written. Here are
 * the options without a command; commands/ has the others. Exit status: 0 done,
 * 1 the input is not as it should be, 2 wrong use, or what cannot be written.
 */
#include "host/commands/commands.h"
#include "version.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TROUBLE 2 /* exit status, as grep's */

const char *argp_program_version = "tsxpmu " TSXPMU_RELEASE;

/* What stands here is no command, or commands_run() had taken it. */
static error_t parse(int key, char *text, struct argp_state *state)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (strcmp(text, "decode") != 0)
            argp_error(state, "no such command: %s", text);
        else if (state->next == state->argc)
            argp_error(state, "too few arguments");
        else if (state->argv[state->next][0] == '-')
            return 0;
        else
            argp_error(state, "cannot decode: %s", state->argv[state->next]);
        return 0;
    case ARGP_KEY_END:
        argp_error(state, "too few arguments");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* At the end, also that of --help and --version, which argp makes. */
static void end_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return;
    fprintf(stderr, "tsxpmu: standard output: %s\n", strerror(errno));
    _exit(TROUBLE);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "show REPORT...\ncheck REPORT...\ndiff REPORT REPORT\n"
                    "judge REPORT...\ndecode report REPORT...\n"
                    "json REPORT...\ncsv REPORT...\ntap REPORT...\n"
                    "junit REPORT...\nimport DB REPORT...\n"
                    "query DB QUESTION\npage DB|REPORT...\ndecode pebs "
                    "FILE\ndecode pt FILE\n"
                    "plan EVENT...",
        .doc = "Reads what tsxpmu.efi writes: reports, raw PEBS records and "
               "traces; and plans groups of events. --help after a command "
               "explains it.",
    };
    int status = 0;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-h") == 0)
            argv[i] = "--help";
    argp_err_exit_status = TROUBLE;
    if (atexit(end_output) != 0)
        abort();
    if (!commands_run(argc, argv, &status))
        argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, NULL);
    return status;
}
