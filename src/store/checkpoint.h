/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * checkpoint.h - how far a run is, on the volume: two slots written in turn,
 * each with a sequence number and a CRC, in a file that is allocated before and
 * written in place. Whatever moment the power fails at, one of them is whole.
 */
#ifndef SRC_STORE_CHECKPOINT_H
#define SRC_STORE_CHECKPOINT_H

#include "src/options/options.h"
#include "src/report/ktap.h"
#include "src/store/volume.h"

#define CHECKPOINT_FILE_NAME    "state.bin"
#define MACHINE_NAME_BYTES      24
#define CHECKPOINT_FINDINGS_MAX 520
#define CHECKPOINT_SLOTS        2

/* A point that a run can be continued from: what ktap.h and the session knew
 * when the report's first `bytes` bytes were on the volume. */
struct resume_point {
    uint32_t bytes;
    uint32_t running; /* 1: the test of the next result was begun; else 0 */
    struct ktap_point report;
    uint32_t revision; /* of the microcode update of the run, or 0 */
    uint8_t findings[CHECKPOINT_FINDINGS_MAX]; /* of the session; 0: none yet */
};

struct checkpoint {
    char magic[8];
    uint32_t sequence;
    uint32_t finished;    /* 1: nothing to continue */
    uint32_t image_crc;   /* of the program that made it */
    uint32_t options_crc; /* of the options it was started with */
    uint32_t starts;      /* since a result was last added */
    struct resume_point point;
    char machine[MACHINE_NAME_BYTES]; /* "06_5E_3-CC" */
    char report[VOLUME_NAME_BYTES];   /* its name */
    char options[OPTIONS_LINE_BYTES]; /* of the run, as words */
    uint32_t crc;                     /* of all before it */
};

/* Fills out[] with the whole ones there are, the newest first; returns how
 * many. VOLUME_STATE is open. */
unsigned checkpoint_load(struct checkpoint out[CHECKPOINT_SLOTS]);

/* Where there is no whole one: true where the file holds something else all the
 * same; zeros are of a power that failed before the first
 * was saved. */
bool checkpoint_is_damaged(void);

/* Makes the file as long as it will ever be, where it is not. VOLUME_STATE is
 * open. */
enum volume_end checkpoint_allocate(void);

/* Writes it to the slot that does not hold the newest, and flushes. Sets
 * sequence, magic and crc. */
enum volume_end checkpoint_save(struct checkpoint *checkpoint);

#endif
