/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * volume.h - all that the core asks of the volume that the program was started
 * from: two files in its folder \tsxpmu, and the time of day.
 *
 * Real in efi/file.c, fake in tests/host/fake_volume.c. Nothing here waits for
 * longer than the firmware's own driver does.
 */
#ifndef SRC_STORE_VOLUME_H
#define SRC_STORE_VOLUME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VOLUME_NAME_BYTES 48

enum volume_end {
    VOLUME_OK,
    VOLUME_NONE,      /* there is no volume: booted over the network */
    VOLUME_NOT_FOUND, /* no file of that name */
    VOLUME_EXISTS,    /* there is one already */
    VOLUME_READ_ONLY,
    VOLUME_FULL,
    VOLUME_GONE,       /* pulled out, or broken: each further call is in vain */
    VOLUME_NOT_FOLDER, /* \tsxpmu is a file */
    VOLUME_FAILED,
};

/* One file of each can be open at a time. */
enum volume_file { VOLUME_STATE, VOLUME_REPORT, VOLUME_FILES };

/* Opens a file that is there, for reading and writing. */
enum volume_end volume_open(enum volume_file file, const char *name);
/* Makes an empty one; VOLUME_EXISTS, and nothing is done, where there is one.
 */
enum volume_end volume_create(enum volume_file file, const char *name);
/* Bytes read from `at` on; fewer than asked for at the end of the file, 0 on
 * any error. */
size_t volume_read(enum volume_file file, size_t at, void *data, size_t bytes);
/* Writes at `at`, at most the end of the file; makes it longer where needed. */
enum volume_end volume_write(enum volume_file file, size_t at, const void *data,
                             size_t bytes);
/* After it, what was written is on the medium: as far as the medium and the
 * firmware's driver keep their promise. */
enum volume_end volume_flush(enum volume_file file);
enum volume_end volume_truncate(enum volume_file file, size_t bytes);
void volume_close(enum volume_file file);
void volume_delete(enum volume_file file); /* closes it too */

/* The firmware's own name of what its last call that failed came to, as
 * " (EFI_DEVICE_ERROR)"; "" where none has failed. */
const char *volume_status(void);

struct volume_time {
    unsigned year, month, day, hour, minute;
};

/* False where the machine has no clock, or one that was never set. */
bool volume_time(struct volume_time *out);

#endif
