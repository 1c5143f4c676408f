/* SPDX-License-Identifier: BSD-2-Clause */
/* workspace.c - one block of memory, divided. */
#include "src/harness/workspace.h"

#define PAGE_BYTES 4096
#define OWN_BYTES  ((size_t)RUN_BUFFER_BYTES + RUN_RECORDS_BYTES)
#define BLOCKS     5

static size_t rounded(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

/* The first page that starts at `from` or after it. */
static char *page_at(char *from)
{
    return from + (-(uintptr_t)from & (PAGE_BYTES - 1));
}

/* Returns the bytes of all blocks. offsets: of each from the start. */
static size_t divide(unsigned processors, size_t offsets[BLOCKS])
{
    const size_t bytes[BLOCKS] = {
        processors * sizeof(struct run), processors * sizeof(struct hw_result),
        processors * sizeof(struct hw_result),
        processors * OWN_BYTES + PAGE_BYTES, RUN_SOURCE_BYTES + PAGE_BYTES};
    size_t at = 0;

    for (unsigned i = 0; i < BLOCKS; i++) {
        offsets[i] = at;
        at += rounded(bytes[i]);
    }
    return at;
}

size_t workspace_bytes(unsigned processors)
{
    size_t offsets[BLOCKS];

    return divide(processors, offsets);
}

void workspace_lay_out(struct workspace *out, void *base, unsigned processors)
{
    size_t offsets[BLOCKS];
    char *start = base;

    divide(processors, offsets);
    out->runs = (void *)(start + offsets[0]);
    out->results = (void *)(start + offsets[1]);
    out->inner_results = (void *)(start + offsets[2]);
    char *buffers = page_at(start + offsets[3]);
    for (unsigned p = 0; p < processors; p++) {
        struct run *t = &out->runs[p];
        t->processor = p;
        t->all = out->runs;
        t->results = out->inner_results;
        t->processors = processors;
        t->buffer = buffers + p * OWN_BYTES;
        t->source = page_at(start + offsets[4]);
    }
}
