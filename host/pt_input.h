/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_input.h - a file of trace by blocks, and what there is to complain of. */
#ifndef HOST_PT_INPUT_H
#define HOST_PT_INPUT_H

#include "src/pt/packet.h"

#include <stdio.h>

#define PT_BLOCK (1u << 20)

/* So many lines of complaint are printed; then one, with the number more. */
#define PT_COMPLAINTS 1000

struct pt_input {
    FILE *file;
    const char *name;
    bool good, quiet; /* nothing wrong so far; nothing is said */
    uint64_t complaints;
    uint8_t bytes[PT_REST + PT_BLOCK];
};

/* The next block, after what the reader left of the last one. False: the file
 * cannot be read. */
bool pt_read_block(struct pt_input *input, struct pt_reader *reader);

/* One more: false where it is not to be printed. */
bool pt_complains(struct pt_input *input);

/* A line for a result that is no packet; from reader->where on. */
void pt_complain(struct pt_input *input, const struct pt_reader *reader,
                 enum pt_result result);

/* The number of complaints that were not printed, if any. */
void pt_end_complaints(const struct pt_input *input);

#endif
