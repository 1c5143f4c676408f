/* SPDX-License-Identifier: BSD-2-Clause */
/* raw.c - the lines of raw bytes, as bytes again. */
#include "host/report/report.h"

#include "src/base/crc.h"

#define CUT ", the first 4096 of them"

/* "# raw, processor 0: PEBS records of format 3: 192 bytes, crc 01234567". */
static bool read_head(struct span line, struct raw *out)
{
    uint64_t crc = 0;
    struct span digits;

    *out = (struct raw){0};
    if (!take(&line, "# raw, processor ") ||
        !take_number(&line, &out->processor) || !take(&line, ": ") ||
        !take_until(&line, ": ", &out->what) ||
        !take_number(&line, &out->said) || !take(&line, " bytes, crc ") ||
        line.bytes < 8)
        return false;
    digits = (struct span){line.at, 8};
    for (size_t i = 0; i < 8; i++) {
        const char c = digits.at[i];
        const int value = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (value < 0)
            return false;
        crc = crc << 4 | (uint64_t)value;
    }
    out->crc_said = (uint32_t)crc;
    return line.bytes == 8 ||
           span_is((struct span){line.at + 8, line.bytes - 8}, CUT);
}

static int nibble(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* "# raw 0020 00112233..": false where it is no such line. */
static bool read_row(struct span line, struct raw *out)
{
    size_t at = 0;

    if (!take(&line, "# raw ") || line.bytes < 5 || line.at[4] != ' ')
        return false;
    for (size_t i = 0; i < 4; i++) {
        if (nibble(line.at[i]) < 0)
            return false;
        at = at << 4 | (size_t)nibble(line.at[i]);
    }
    line.at += 5;
    line.bytes -= 5;
    out->damaged |= at != out->count || line.bytes % 2 != 0;
    for (size_t i = 0; i + 1 < line.bytes; i += 2) {
        const int high = nibble(line.at[i]), low = nibble(line.at[i + 1]);
        if (high < 0 || low < 0 || out->count == sizeof(out->bytes)) {
            out->damaged = true;
            break;
        }
        out->bytes[out->count++] = (uint8_t)(high << 4 | low);
    }
    return true;
}

bool report_raw(const struct report *report, const struct result *result,
                size_t *line, struct raw *out)
{
    size_t wanted;

    while (*line < result->end && !read_head(report->lines[*line], out))
        (*line)++;
    if (*line >= result->end)
        return false;
    for (++*line; *line < result->end; ++*line) {
        struct span tick = report->lines[*line];
        if (!read_row(tick, out) && !take(&tick, "# tick "))
            break;
    }
    wanted = out->said < sizeof(out->bytes) ? out->said : sizeof(out->bytes);
    out->damaged |= out->count != wanted ||
                    (out->said <= sizeof(out->bytes) &&
                     crc32(0, out->bytes, out->count) != out->crc_said);
    return true;
}
