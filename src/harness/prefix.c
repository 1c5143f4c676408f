/* SPDX-License-Identifier: BSD-2-Clause */
/* prefix.c - what lines begin with (case.h): a loop says once which of its rows
 * is tried. */
#include "src/harness/context.h"

bool prefix_push(struct test_context *t, const char *format, ...)
{
    size_t end = text_length(t->prefix);
    va_list arguments;

    if (t->prefixes == CONTEXT_PREFIXES) {
        broken(t, "more than %u prefixes", CONTEXT_PREFIXES);
        return false;
    }
    t->prefix_starts[t->prefixes++] = end;
    va_start(arguments, format);
    text_format_list(t->prefix + end, sizeof(t->prefix) - end, format,
                     arguments);
    va_end(arguments);
    text_append(t->prefix, sizeof(t->prefix), ": ");
    return true;
}

bool prefix_pop(struct test_context *t)
{
    if (t->prefixes != 0)
        t->prefix[t->prefix_starts[--t->prefixes]] = '\0';
    return false;
}
