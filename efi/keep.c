/* SPDX-License-Identifier: BSD-2-Clause */
/* keep.c - the report in memory, for the pager: its end, where it is longer
 * than the memory for it. */
#include "efi/platform.h"
#include "efi/start.h"

#define KEEP_BYTES (512 * 1024)

static char *kept;
static size_t kept_bytes;

/* Drops the older half, from the start of a line on. */
static void make_room(void)
{
    size_t from = kept_bytes / 2;

    while (from < kept_bytes && kept[from - 1] != '\n')
        from++;
    kept_bytes -= from;
    memmove(kept, kept + from, kept_bytes);
}

static void keep_write(void *self, const char *text, size_t bytes)
{
    (void)self;
    if (bytes > KEEP_BYTES / 2)
        return;
    if (kept_bytes + bytes > KEEP_BYTES)
        make_room();
    memcpy(kept + kept_bytes, text, bytes);
    kept_bytes += bytes;
}

static void keep_flush(void *self)
{
    (void)self;
}

bool keep_open(struct sink *out)
{
    if (kept == NULL)
        kept = memory_take(KEEP_BYTES);
    kept_bytes = 0;
    *out = (struct sink){.write = keep_write, .flush = keep_flush};
    return kept != NULL;
}

const char *keep_text(size_t *bytes)
{
    *bytes = kept_bytes;
    return kept;
}
