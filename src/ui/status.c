/* SPDX-License-Identifier: BSD-2-Clause */
/* status.c - reads the report's lines. */
#include "src/ui/status.h"

#include "src/base/mem.h"
#include "src/base/text.h"

#define LINE_BYTES 320 /* longer lines are read so far */

/* The number that begins at *at, which moves behind it. */
static unsigned read_number(const char **at)
{
    unsigned number = 0;

    for (; **at >= '0' && **at <= '9'; ++*at)
        number = number * 10 + (unsigned)(**at - '0');
    return number;
}

/* "5: pebs_reload" */
static void read_running(struct status *s, const char *at)
{
    size_t n = 0;

    s->test = read_number(&at);
    at += 2; /* ": " */
    while (at[n] != '\0' && n < STATUS_NAME_BYTES - 1)
        n++;
    memcpy(s->name, at, n);
    s->name[n] = '\0';
}

static void read_line(struct status *s, const char *line)
{
    if (text_match("1..*", line)) {
        line += 3;
        s->tests = read_number(&line);
    } else if (text_match("# running *: *", line))
        read_running(s, line + 10);
    else if (text_match("ok * # SKIP *", line))
        s->skipped++;
    else if (text_match("ok * # KNOWN *", line))
        s->known++;
    else if (text_match("ok *", line))
        s->passed++;
    else if (text_match("not ok * # ERROR *", line))
        s->error++;
    else if (text_match("not ok *", line))
        s->failed++;
    else if (text_match("# END *", line))
        s->ended = 1;
}

static const char *copy_line(const char *line, size_t bytes,
                             char out[LINE_BYTES])
{
    if (bytes > LINE_BYTES - 1)
        bytes = LINE_BYTES - 1;
    memcpy(out, line, bytes);
    out[bytes] = '\0';
    return out;
}

void status_line(struct status *status, const char *line, size_t bytes)
{
    char copy[LINE_BYTES];

    read_line(status, copy_line(line, bytes, copy));
}

size_t status_text(const struct status *s, uint64_t seconds, unsigned columns,
                   char out[STATUS_BYTES])
{
    size_t size = columns < STATUS_BYTES - 1 ? columns + 1 : STATUS_BYTES;

    out[0] = '\0';
    if (s->test == 0 || s->ended)
        return 0;
    return text_format(out, size,
                       "%u:%02u  test %u of %u: %u passed, %u failed, %u in "
                       "error, %u skipped, %u known; %s",
                       (unsigned)(seconds / 60), (unsigned)(seconds % 60),
                       s->test, s->tests, s->passed, s->failed, s->error,
                       s->skipped, s->known, s->name);
}

enum status_colour status_colour(const char *line, size_t bytes)
{
    char copy[LINE_BYTES];

    copy_line(line, bytes, copy);
    if (text_match("not ok *", copy) || text_match("# *FAIL: *", copy) ||
        text_match("# *ERROR: *", copy))
        return STATUS_BAD;
    if (text_match("ok * # KNOWN *", copy) || text_match("# KNOWN *", copy) ||
        text_match("# processor*: KNOWN *", copy))
        return STATUS_KNOWN;
    return STATUS_PLAIN;
}
