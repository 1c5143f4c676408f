/* SPDX-License-Identifier: BSD-2-Clause */
/* decode_pebs.c - tsxpmu decode pebs: raw PEBS records, or how many they are.
 */
#include "host/decode_pebs.h"

#include "host/commands/arguments.h"
#include "host/commands/commands.h"

#include <limits.h>

#define NO_FORMAT UINT_MAX

struct decoding {
    unsigned format;
    bool count;
};

static bool option(int key, const char *text, void *context)
{
    struct decoding *decoding = context;
    uint64_t format;

    if (key == 'c')
        return decoding->count = true;
    if (!arguments_number(text, NO_FORMAT - 1, &format))
        return false;
    decoding->format = (unsigned)format;
    return true;
}

static const char *misfit(const void *context)
{
    const struct decoding *decoding = context;

    return decoding->format == NO_FORMAT ? "--format is missing" : NULL;
}

int command_decode_pebs(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"format", 'f', "N", 0,
         "the record format, 0 to 6 (4 to 6: adaptive records, which say "
         "themselves what they hold): IA32_PERF_CAPABILITIES (345H)[11:8] of "
         "the processor that wrote the buffer",
         0},
        {"count", 'c', NULL, 0,
         "how many records there are, by counter and cause of an abort", 0},
        {0},
    };
    static const struct usage usage = {
        .words = "FILE",
        .doc = "Prints the PEBS records of a raw buffer: every field of every "
               "record, by its name in the manual. FILE: - is the standard "
               "input. Its status is 1 where the records are not as they "
               "should be, 2 where they cannot be read.",
        .options = options,
        .option = option,
        .least = 1,
        .most = 1,
        .misfit = misfit,
    };
    struct decoding decoding = {.format = NO_FORMAT};
    const struct arguments arguments =
        arguments_read(&usage, argc, argv, &decoding);
    const char *path = arguments.words[0];
    FILE *file = arguments_open(path);

    if (file == NULL)
        return STATUS_TROUBLE;
    if ((decoding.count ? count_pebs : decode_pebs)(file, path, decoding.format,
                                                    stdout))
        return STATUS_GOOD;
    return ferror(file) ? STATUS_TROUBLE : STATUS_FOUND;
}
