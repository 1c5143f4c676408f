/* SPDX-License-Identifier: BSD-2-Clause */
/* report_copy.c - the report in memory, for the pager: its end, where it is
 * longer than the memory for it. */
#include "efi/pages.h"
#include "efi/sinks.h"
#include "efi/start.h"

#define COPY_BYTES (512 * 1024)

static char *copy;
static size_t copy_bytes;

/* Drops the older half, from the start of a line on. */
static void drop_older_half(void)
{
    size_t from = copy_bytes / 2;

    while (from < copy_bytes && copy[from - 1] != '\n')
        from++;
    copy_bytes -= from;
    memmove(copy, copy + from, copy_bytes);
}

static void report_copy_write(void *self, const char *text, size_t bytes)
{
    (void)self;
    if (bytes > COPY_BYTES / 2)
        return;
    if (copy_bytes + bytes > COPY_BYTES)
        drop_older_half();
    memcpy(copy + copy_bytes, text, bytes);
    copy_bytes += bytes;
}

static void report_copy_flush(void *self)
{
    (void)self;
}

bool report_copy_open(struct sink *out)
{
    if (copy == NULL)
        copy = allocate_pages(COPY_BYTES);
    copy_bytes = 0;
    *out =
        (struct sink){.write = report_copy_write, .flush = report_copy_flush};
    return copy != NULL;
}

const char *report_copy_text(size_t *bytes)
{
    *bytes = copy_bytes;
    return copy;
}
