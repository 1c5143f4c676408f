/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report_file.h - the report on the volume. Room for it is allocated ahead, as
 * empty lines, and then written in place: from one test to the next nothing but
 * the report's own bytes changes on the volume. Cut to its length at the end.
 */
#ifndef SRC_STORE_REPORT_FILE_H
#define SRC_STORE_REPORT_FILE_H

#include "src/store/volume.h"

#define REPORT_FILE_BUFFER 8192

struct report_file {
    bool open;
    size_t bytes;     /* on the volume, or in the firmware's cache for it */
    size_t allocated; /* bytes that the file has */
    char buffer[REPORT_FILE_BUFFER];
    size_t buffered;
};

/* Makes the first file of volume_create()'s that has none of its name yet:
 * name(context, n) is the n-th to try, n from 1 to `tries`. */
enum volume_end report_file_create(struct report_file *file,
                                   const char *(*name)(void *context,
                                                       unsigned n),
                                   void *context, unsigned tries);
/* Opens an earlier one to go on after its first `bytes` bytes. False where it
 * does not begin with bytes of that CRC. */
bool report_file_reopen(struct report_file *file, const char *name,
                        size_t bytes, uint32_t crc);

/* Where one of these is not VOLUME_OK, the file is closed, with what was
 * written before, and later calls do nothing. */
enum volume_end report_file_write(struct report_file *file, const char *text,
                                  size_t bytes);
enum volume_end report_file_flush(struct report_file *file);

void report_file_close(struct report_file *file);

#endif
