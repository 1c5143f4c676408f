/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_tsx_threads.h - transitions of a file by a thread a processor. */
#ifndef HOST_PT_TSX_THREADS_H
#define HOST_PT_TSX_THREADS_H

#include "host/decode_pt.h"

/* Prints the transitions of the file, and what is wrong, where more threads
 * than one are worth it; *tsx, just opened, and the file's position then stand
 * where the rest begins, a few bytes before the end. */
void pt_tsx_by_threads(struct pt_input *input,
                       const struct decode_pt_options *options,
                       struct pt_tsx *tsx, FILE *out);

#endif
