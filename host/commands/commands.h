/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h - the commands of the host tool: one file each.
 * Each returns a status as grep's; its output is on stdout, not checked. */
#ifndef HOST_COMMANDS_COMMANDS_H
#define HOST_COMMANDS_COMMANDS_H

#include <stdbool.h>

typedef int command(int argc, char **argv);

command command_check;
command command_csv;
command command_decode_pebs;
command command_decode_pt;
command command_decode_report;
command command_diff;
command command_import;
command command_json;
command command_judge;
command command_junit;
command command_page;
command command_plan;
command command_query;
command command_show;
command command_tap;

/* Runs the command that argv[1] names, or with "decode" argv[2] too, and sets
 * *status; false where it is none of these. */
bool commands_run(int argc, char **argv, int *status);

#endif
