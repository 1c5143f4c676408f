/* SPDX-License-Identifier: BSD-2-Clause */
/* workspace.h - a session's memory: the contexts, and what bodies write to
 * and read from. */
#ifndef SRC_HARNESS_WORKSPACE_H
#define SRC_HARNESS_WORKSPACE_H

#include "src/harness/context.h"

struct workspace {
    struct test_context *contexts; /* one for each processor */
    struct hw_result *results;
    struct hw_result *inner_results; /* of on_processors() */
};

size_t workspace_bytes(unsigned processors);

/* Lays it out from `base` on, which is 16-byte aligned and all zeros, and gives
 * each context its part. */
void workspace_lay_out(struct workspace *out, void *base, unsigned processors);

#endif
