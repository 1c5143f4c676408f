/* SPDX-License-Identifier: BSD-2-Clause */
/* status.h - the row below the report on a screen: how far the run is, from the
 * report's own lines; and which of them stand out. Pure. */
#ifndef SRC_UI_STATUS_H
#define SRC_UI_STATUS_H

#include <stddef.h>
#include <stdint.h>

#define STATUS_BYTES      128
#define STATUS_NAME_BYTES 48

enum status_colour { STATUS_PLAIN, STATUS_KNOWN, STATUS_BAD };

struct status {
    unsigned test, tests; /* the one that runs, of so many; 0: none yet */
    char name[STATUS_NAME_BYTES];
    unsigned passed, failed, error, skipped, known;
    int ended; /* the report is whole */
};

/* A line of the report, without "\n". */
void status_line(struct status *status, const char *line, size_t bytes);

/* The row as it is so many seconds after the start, at most `columns`
 * characters and a NUL; "" before the first test and after the end. Returns the
 * length. */
size_t status_text(const struct status *status, uint64_t seconds,
                   unsigned columns, char out[STATUS_BYTES]);

/* How a line of the report stands out. */
enum status_colour status_colour(const char *line, size_t bytes);

#endif
