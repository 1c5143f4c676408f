/* SPDX-License-Identifier: BSD-2-Clause */
/* options_fixture.h - options, and what is warned about. */
#ifndef TESTS_HOST_OPTIONS_OPTIONS_FIXTURE_H
#define TESTS_HOST_OPTIONS_OPTIONS_FIXTURE_H

#include "src/options/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char warned[1024];
static unsigned warnings;

static inline void warn(void *context, const char *line)
{
    assert_ptr_equal(context, warned);
    warnings++;
    strncat(warned, line, sizeof(warned) - strlen(warned) - 2);
    strcat(warned, "\n");
}

static inline struct options parse(const char *text)
{
    struct options out;

    warned[0] = '\0';
    warnings = 0;
    options_default(&out);
    options_parse(&out, text, strlen(text), warn, warned);
    return out;
}

#endif
