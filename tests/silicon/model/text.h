/* SPDX-License-Identifier: BSD-2-Clause */
/* text.h - the few string functions that the model needs without a libc. */
#ifndef SILICON_MODEL_TEXT_H
#define SILICON_MODEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A bounded text under construction; what does not fit is dropped. */
struct text {
    char *at;
    size_t length, size; /* size includes the NUL that is always there */
};

bool text_equal(const char *a, const char *b);
size_t text_length(const char *s);
void text_start(struct text *t, char *buffer, size_t size);
void text_add(struct text *t, const char *s);
void text_add_unsigned(struct text *t, uint64_t value);
void text_add_hex(struct text *t, uint64_t value);
/* The name, the value in hexadecimal, and an H. */
void text_add_value(struct text *t, const char *name, uint64_t value);

/* Reads a decimal number that must fill the whole string. */
bool text_to_unsigned(const char *s, uint64_t *value);

#endif
