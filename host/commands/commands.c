/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.c - finds a command by its name. */
#include "host/commands/commands.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    command *run;
} commands[] = {
    {"check", command_check}, {"csv", command_csv},
    {"diff", command_diff},   {"import", command_import},
    {"json", command_json},   {"judge", command_judge},
    {"junit", command_junit}, {"query", command_query},
    {"show", command_show},   {"tap", command_tap},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool commands_run(int argc, char **argv, int *status)
{
    char called[32];

    if (argc > 2 && strcmp(argv[1], "decode") == 0 &&
        strcmp(argv[2], "report") == 0) {
        argv[2] = "tsxpmu decode report";
        *status = command_decode_report(argc - 2, argv + 2);
        return true;
    }
    for (size_t i = 0; argc > 1 && i < COUNT(commands); i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            snprintf(called, sizeof(called), "tsxpmu %s", commands[i].name);
            argv[1] = called;
            *status = commands[i].run(argc - 1, argv + 1);
            return true;
        }
    return false;
}
