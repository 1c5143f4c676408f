/* SPDX-License-Identifier: BSD-2-Clause */
/* report_file.c - the report on the volume. */
#include "src/store/report_file.h"

#include "src/base/mem.h"
#include "src/base/crc.h"

#define ALLOCATE_STEP 65536u /* more than most reports */
#define PART_BYTES    4096u

static char part[PART_BYTES];

/* False where there is no room ahead; there may still be some for the text. */
static bool allocate_more(struct report_file *file)
{
    size_t at = file->allocated, end = at + ALLOCATE_STEP;

    memset(part, '\n', sizeof(part));
    for (; at < end; at += PART_BYTES)
        if (volume_write(VOLUME_REPORT, at, part, PART_BYTES) != VOLUME_OK)
            break;
    if (at == end && volume_flush(VOLUME_REPORT) == VOLUME_OK) {
        file->allocated = end;
        return true;
    }
    (void)volume_truncate(VOLUME_REPORT, file->allocated);
    file->allocated = SIZE_MAX; /* from now on it grows as it can */
    return false;
}

static enum volume_end close_failed(struct report_file *file,
                                    enum volume_end end)
{
    file->open = false;
    if (file->bytes == 0) {
        volume_delete(VOLUME_REPORT);
        return end;
    }
    (void)volume_truncate(VOLUME_REPORT, file->bytes);
    volume_close(VOLUME_REPORT);
    return end;
}

static enum volume_end write_buffer(struct report_file *file)
{
    if (file->buffered == 0)
        return VOLUME_OK;
    while (file->bytes + file->buffered > file->allocated &&
           allocate_more(file))
        ;
    enum volume_end end =
        volume_write(VOLUME_REPORT, file->bytes, file->buffer, file->buffered);
    if (end != VOLUME_OK)
        return close_failed(file, end);
    file->bytes += file->buffered;
    file->buffered = 0;
    return VOLUME_OK;
}

enum volume_end report_file_write(struct report_file *file, const char *text,
                                  size_t bytes)
{
    enum volume_end end = VOLUME_OK;

    while (file->open && bytes != 0 && end == VOLUME_OK) {
        size_t n = REPORT_FILE_BUFFER - file->buffered;
        if (n > bytes)
            n = bytes;
        memcpy(file->buffer + file->buffered, text, n);
        file->buffered += n;
        text += n;
        bytes -= n;
        if (file->buffered == REPORT_FILE_BUFFER)
            end = write_buffer(file);
    }
    return end;
}

enum volume_end report_file_flush(struct report_file *file)
{
    if (!file->open)
        return VOLUME_OK;
    enum volume_end end = write_buffer(file);
    if (end != VOLUME_OK)
        return end;
    end = volume_flush(VOLUME_REPORT);
    return end != VOLUME_OK ? close_failed(file, end) : VOLUME_OK;
}

/* What may follow `bytes` is overwritten, as if not allocated yet. */
static void start_writing(struct report_file *file, size_t bytes)
{
    file->open = true;
    file->bytes = file->allocated = bytes;
    file->buffered = 0;
}

enum volume_end report_file_create(struct report_file *file,
                                   const char *(*name)(void *context,
                                                       unsigned n),
                                   void *context, unsigned tries)
{
    enum volume_end end = VOLUME_EXISTS;

    for (unsigned n = 1; n <= tries && end == VOLUME_EXISTS; n++)
        end = volume_create(VOLUME_REPORT, name(context, n));
    start_writing(file, 0);
    if (end == VOLUME_OK)
        (void)allocate_more(file);
    else
        file->open = false;
    return end;
}

bool report_file_reopen(struct report_file *file, const char *name,
                        size_t bytes, uint32_t crc)
{
    uint32_t got = 0;
    size_t at = 0, n = 1;

    file->open = false;
    if (volume_open(VOLUME_REPORT, name) != VOLUME_OK)
        return false;
    while (at < bytes && n != 0) {
        n = bytes - at < PART_BYTES ? bytes - at : PART_BYTES;
        n = volume_read(VOLUME_REPORT, at, part, n);
        got = crc32(got, part, n);
        at += n;
    }
    if (at != bytes || got != crc) {
        volume_close(VOLUME_REPORT);
        return false;
    }
    start_writing(file, bytes);
    return true;
}

void report_file_close(struct report_file *file)
{
    if (!file->open || report_file_flush(file) != VOLUME_OK)
        return;
    (void)volume_truncate(VOLUME_REPORT, file->bytes);
    volume_close(VOLUME_REPORT);
    file->open = false;
}
