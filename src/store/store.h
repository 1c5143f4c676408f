/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * store.h - a run on the volume that the program was started from: its report,
 * and how far it is, so that a reset or a power cut loses no more than the test
 * that ran. What the volume refuses is said once, as a warning in the report,
 * and the run goes on.
 *
 * In order: store_find() once; store_forget() or not; then for each run
 * store_open(), the session's calls, store_end().
 */
#ifndef SRC_STORE_STORE_H
#define SRC_STORE_STORE_H

#include "src/cpu/identity.h"
#include "src/store/checkpoint.h"
#include "src/store/report_file.h"

#define STORE_LINE_BYTES 160

/* Starts of the program without one more result, after which the rest of a run
 * is given up: something outside of the tests resets the machine. */
#define STORE_STARTS_MAX 3

struct store {
    struct checkpoint checkpoint; /* as it was saved last, or is to be saved */
    struct report_file report;
    bool state_open;
    bool found; /* a run of this machine waits to be continued */
    bool given_up;
    size_t already_written; /* bytes that come again, and are in the report
                               already */
    enum volume_end failed; /* of the report, not reported yet */
    enum volume_end state_failed;
    uint32_t image_crc, options_crc;
    char machine[MACHINE_NAME_BYTES];
    char message[STORE_LINE_BYTES];
};

/* Looks for an interrupted run of this machine: same processor and microcode,
 * same program, started with the same options. id: of the boot processor.
 * False: there is none. *warn is NULL, or a line on one that is found and
 * cannot be continued. */
bool store_find(struct store *s, const struct identity *id, uint32_t image_crc,
                const struct options *options, const char **warn);

/* The options of the run that is found. */
void store_options(const struct store *s, struct options *out);

/* What is found is not to be continued. */
void store_forget(struct store *s);

/* True where what is found is to be ended without trying a test. */
bool store_is_given_up(const struct store *s);

/* Opens the report and the state: of what is found, else new ones. *out is
 * where the report goes. Returns NULL, or a line saying that there is none. */
const char *store_open(struct store *s, const struct options *options,
                       struct sink *out);

/* --- For the session. store NULL: a run that is not saved. --------------- */

/* What the run starts from; NULL: from its beginning. */
const struct resume_point *store_resumed(const struct store *s);
/* The report up to there: bytes read from `at` on, 0 at its end. */
size_t store_read(const struct store *s, size_t at, char *text, size_t bytes);

/* After the report was flushed up to point->report; point->running says whether
 * the test of the next result begins. point->bytes is set here. */
void store_save(struct store *s, struct resume_point *point);

/* The report is whole: there is nothing to continue. Closes it. */
void store_end(struct store *s);

#endif
