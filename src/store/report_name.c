/* SPDX-License-Identifier: BSD-2-Clause */
/* report_name.c - makes names. */
#include "src/store/report_name.h"

#include "src/base/text.h"

void machine_name(const struct identity *id, char out[MACHINE_NAME_BYTES])
{
    char microcode[12] = "none";

    if (id->microcode_known)
        text_format(microcode, sizeof(microcode), "%X", id->microcode);
    text_format(out, MACHINE_NAME_BYTES, "%02X_%02X_%X-%s", id->family,
                id->model, id->stepping, microcode);
}

void report_name(const struct volume_time *time, const char *machine,
                 unsigned attempt, char out[VOLUME_NAME_BYTES])
{
    char suffix[8] = "";

    if (attempt > 1)
        text_format(suffix, sizeof(suffix), "-%u", attempt);
    if (time != NULL)
        text_format(out, VOLUME_NAME_BYTES, "%04u%02u%02u-%02u%02u-%s%s.log",
                    time->year, time->month, time->day, time->hour,
                    time->minute, machine, suffix);
    else
        text_format(out, VOLUME_NAME_BYTES, "%04u-%s.log", attempt, machine);
}
