/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.c - finds a command by its name. */
#include "host/commands/commands.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    command *run;
} commands[] = {
    {"decode pebs", command_decode_pebs},
    {"decode pt", command_decode_pt},
    {"decode report", command_decode_report},
    {"check", command_check},
    {"csv", command_csv},
    {"diff", command_diff},
    {"import", command_import},
    {"json", command_json},
    {"judge", command_judge},
    {"junit", command_junit},
    {"page", command_page},
    {"plan", command_plan},
    {"query", command_query},
    {"show", command_show},
    {"tap", command_tap},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool commands_run(int argc, char **argv, int *status)
{
    const int words = argc > 2 && strcmp(argv[1], "decode") == 0 ? 2 : 1;
    char called[40], name[32];

    if (argc < 2)
        return false;
    snprintf(name, sizeof(name), "%s%s%s", argv[1], words == 2 ? " " : "",
             words == 2 ? argv[2] : "");
    for (size_t i = 0; i < COUNT(commands); i++)
        if (strcmp(name, commands[i].name) == 0) {
            snprintf(called, sizeof(called), "tsxpmu %s", name);
            argv[words] = called;
            *status = commands[i].run(argc - words, argv + words);
            return true;
        }
    return false;
}
