/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h - the commands of the host tool that read reports: one file each.
 * Each returns a status as grep's; its output is on stdout, not checked. */
#ifndef HOST_COMMANDS_COMMANDS_H
#define HOST_COMMANDS_COMMANDS_H

#include <stdbool.h>

typedef int command(int argc, char **argv);

command command_check;
command command_csv;
command command_decode_report;
command command_diff;
command command_import;
command command_json;
command command_judge;
command command_junit;
command command_query;
command command_show;
command command_tap;

/* Runs the command that argv[1] names, or "decode report", and sets *status;
 * false where it is none of these. */
bool commands_run(int argc, char **argv, int *status);

#endif
