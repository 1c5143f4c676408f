/* SPDX-License-Identifier: BSD-2-Clause */
/* raw.c - writes bytes in hexadecimal. */
#include "src/report/raw.h"

#include "src/base/crc.h"

#define ROW 32 /* bytes in a line */

static void write_row(struct ktap *out, size_t at, const uint8_t *bytes,
                      size_t count)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * ROW + 1];

    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = '\0';
    ktap_note(out, "raw %04x %s", (unsigned)at, text);
}

bool raw_write(struct ktap *out, const struct test_context *t)
{
    const uint8_t *bytes = t->raw;
    size_t shown = t->raw_bytes < RAW_BYTES_MAX ? t->raw_bytes : RAW_BYTES_MAX;

    if (t->lost || bytes == NULL || shown == 0)
        return false;
    ktap_note(out, "raw, processor %u: %s: %lu bytes, crc %08X%s", t->processor,
              t->raw_what, t->raw_bytes, crc32(0, bytes, t->raw_bytes),
              shown < t->raw_bytes ? ", the first 4096 of them" : "");
    for (size_t at = 0; at < shown; at += ROW)
        write_row(out, at, bytes + at, shown - at < ROW ? shown - at : ROW);
    return true;
}
