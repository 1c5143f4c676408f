/* SPDX-License-Identifier: BSD-2-Clause */
/* span.h - a part of a text, and how it is taken apart from its front. */
#ifndef HOST_REPORT_SPAN_H
#define HOST_REPORT_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    const char *at; /* not ended by a NUL */
    size_t bytes;
};

/* For printf's "%.*s". */
#define SPAN_ARGS(span) (int)(span).bytes, (span).at

bool span_is(struct span span, const char *text);
bool span_same(struct span a, struct span b);
/* The first place of the text, or NULL. */
const char *span_find(struct span span, const char *text);
/* The glob `pattern`: "*" is any number of characters, each other itself. */
bool span_match(struct span span, const char *pattern);

/* These move *rest past what they take. False, and nothing is moved, where it
 * does not begin so. */
bool take(struct span *rest, const char *text);
/* Decimal, of one digit or more; more than 64 bits are no number. */
bool take_number(struct span *rest, uint64_t *number);
bool take_hex(struct span *rest, uint64_t *number);
/* All up to the text, which is passed too. */
bool take_until(struct span *rest, const char *text, struct span *out);
/* The next line without its "\n"; false at the end. */
bool take_line(struct span *rest, struct span *out);

#endif
