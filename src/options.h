/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * options.h - the options of a run, as data, and the one grammar they have:
 * key=value, separated by blanks or newlines; '#' starts a comment.
 */
#ifndef SRC_OPTIONS_H
#define SRC_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

enum at_end {
    AT_END_FIRMWARE, /* return to whoever started the program */
    AT_END_POWEROFF,
    AT_END_REBOOT,
};

struct options {
    char tests[64];   /* tests=: name or pattern with '*'; "*" is all */
    uint32_t trials;  /* trials=: 0 is each test's own usual number */
    uint64_t seed;    /* seed=: of the run's own random numbers */
    enum at_end at_end; /* exit=firmware|poweroff|reboot */
};

void options_default(struct options *out);

/* Reads `bytes` of text into *out, later keys win. Calls warn(context, line)
 * once for each word that is no option or no value for it: never fails. */
void options_parse(struct options *out, const char *text, size_t bytes,
                   void (*warn)(void *context, const char *line),
                   void *context);

#endif
