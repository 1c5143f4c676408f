/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.c - chooses cache lines, flushes and reads them. */
#include "src/memory/lines.h"

#include "asm/line_access.h"

#define PAGE_BYTES 4096
#define LINE_BYTES 64

/* A line of page i of each 16: sets 2 * i, so that the neighbour of no line,
 * which a prefetcher may bring along with it, is one of them. */
_Static_assert(LINES * 2 * LINE_BYTES <= PAGE_BYTES, "a set for each line");
_Static_assert(LINES * 16 * PAGE_BYTES <= TEST_SOURCE_BYTES, "room");

void lines_choose(struct test_context *t, struct lines *lines)
{
    const char *source = test_source(t);

    for (unsigned i = 0; i < LINES; i++) {
        unsigned page = 16 * i + (unsigned)(test_random(t) % 16);
        lines->at[i] = source + page * PAGE_BYTES + i * 2 * LINE_BYTES;
    }
    for (unsigned i = LINES - 1; i > 0; i--) {
        unsigned other = (unsigned)(test_random(t) % (i + 1));
        const void *at = lines->at[i];
        lines->at[i] = lines->at[other];
        lines->at[other] = at;
    }
}

void lines_miss(const struct lines *lines)
{
    lines_flush(lines->at, LINES);
    lines_read(lines->at, LINES);
}

unsigned lines_miss_both(const struct lines *lines)
{
    const void *flushed[2 * LINES], *at[LINES];
    unsigned n = 0;

    for (unsigned i = 0; i < LINES; i++) {
        const char *line = (const char *)lines->at[i] + LINE_BYTES;
        if (((uintptr_t)line + LINE_BYTES) % PAGE_BYTES == 0)
            continue;
        flushed[2 * n] = line;
        flushed[2 * n + 1] = line + LINE_BYTES;
        at[n++] = line + LINE_BYTES - 4;
    }
    lines_flush(flushed, 2 * n);
    lines_read(at, n);
    return n;
}

void lines_hit(const struct lines *lines)
{
    lines_read(lines->at, LINES);
}
