/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_input.h - a file of trace by blocks, and what there is to complain of. */
#ifndef HOST_PT_INPUT_H
#define HOST_PT_INPUT_H

#include "host/pt_salvage.h"

#include <stdio.h>

#define PT_BLOCK (1u << 20)

/* So many lines of complaint are printed; then one, with the number more. */
#define PT_COMPLAINTS 1000

/* Bytes of the file that are trace. */
struct pt_piece {
    uint64_t at, size;
};

struct pt_input {
    FILE *file;
    const char *name, *part; /* part: a stream of several; NULL: the file */
    /* NULL: the whole file, as it comes. */
    struct pt_piece *pieces;
    size_t piece_count;
    uint64_t from, to; /* offsets that are asked for */
    bool good, quiet;  /* nothing wrong so far; nothing is said */
    uint64_t complaints;
    size_t held; /* bytes before the block: those passed over, PT_SALVAGE at
                    most */
    uint8_t bytes[PT_SALVAGE + PT_REST + PT_BLOCK];
};

/* The next block is read from the file, from the reader's place on. It had the
 * whole file up to there in memory, of which nothing is needed any more. */
void pt_continue(struct pt_input *input, struct pt_reader *reader);

/* One more: false where it is not to be printed. */
bool pt_complains(struct pt_input *input);

/* Handles what follows the packets decoded last. False: there is no more. */
bool pt_go_on(struct pt_input *input, struct pt_reader *reader,
              enum pt_result result, FILE *out);

/* The number of complaints that were not printed, if any. */
void pt_end_complaints(const struct pt_input *input);

#endif
