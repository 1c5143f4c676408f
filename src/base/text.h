/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * text.h - text in buffers of fixed size: a small formatter, comparison, and
 * the patterns of the option tests=.
 */
#ifndef SRC_BASE_TEXT_H
#define SRC_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* Formats understood: %s %c %d %u %x %X and %%, with a field width, zero fill,
 * and l or ll for 64 bits (unsigned long is 64 bits here: use %lu and %lx with
 * a cast). The compiler sees to it that there is nothing else.
 *
 * Writes at most size - 1 characters and a NUL; size is at least 1. What does
 * not fit is cut off. Returns the characters written, without the NUL. */
size_t text_format(char *out, size_t size, const char *format, ...)
    PRINTF_LIKE(3, 4);
size_t text_format_list(char *out, size_t size, const char *format,
                        va_list arguments) PRINTF_LIKE(3, 0);
/* The same, after the text that out holds. */
void text_append(char *out, size_t size, const char *format, ...)
    PRINTF_LIKE(3, 4);

size_t text_length(const char *text);
bool text_equal(const char *a, const char *b);
/* Less than, equal to, or greater than 0, by the bytes' values. */
int text_compare(const char *a, const char *b);
/* True where the whole text fits the pattern: '*' stands for any characters,
 * none included; every other character for itself. */
bool text_match(const char *pattern, const char *text);

#endif
