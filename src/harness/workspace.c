/* SPDX-License-Identifier: BSD-2-Clause */
/* workspace.c - one block of memory, divided. */
#include "src/harness/workspace.h"

#define PAGE_BYTES      4096
#define PROCESSOR_BYTES ((size_t)TEST_BUFFER_BYTES + TEST_RECORDS_BYTES)
#define BLOCKS          5

static size_t round_up(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

/* The first page that starts at `from` or after it. */
static char *page_at(char *from)
{
    return from + (-(uintptr_t)from & (PAGE_BYTES - 1));
}

/* Returns the bytes of all blocks. offsets: of each from the start. */
static size_t find_offsets(unsigned processors, size_t offsets[BLOCKS])
{
    const size_t bytes[BLOCKS] = {processors * sizeof(struct test_context),
                                  processors * sizeof(struct hw_result),
                                  processors * sizeof(struct hw_result),
                                  processors * PROCESSOR_BYTES + PAGE_BYTES,
                                  TEST_SOURCE_BYTES + PAGE_BYTES};
    size_t at = 0;

    for (unsigned i = 0; i < BLOCKS; i++) {
        offsets[i] = at;
        at += round_up(bytes[i]);
    }
    return at;
}

size_t workspace_bytes(unsigned processors)
{
    size_t offsets[BLOCKS];

    return find_offsets(processors, offsets);
}

void workspace_lay_out(struct workspace *out, void *base, unsigned processors)
{
    size_t offsets[BLOCKS];
    char *start = base;

    find_offsets(processors, offsets);
    out->contexts = base;
    out->results = (void *)(start + offsets[1]);
    out->inner_results = (void *)(start + offsets[2]);
    char *buffers = page_at(start + offsets[3]);
    for (unsigned p = 0; p < processors; p++) {
        struct test_context *t = &out->contexts[p];
        t->processor = p;
        t->all = out->contexts;
        t->results = out->inner_results;
        t->processors = processors;
        t->buffer = buffers + p * PROCESSOR_BYTES;
        t->source = page_at(start + offsets[4]);
    }
}
