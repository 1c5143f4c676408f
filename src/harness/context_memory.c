/* SPDX-License-Identifier: BSD-2-Clause */
/* context_memory.c - the memory that a test's body has (case.h). */
#include "src/harness/context.h"
#include "src/base/mem.h"

void context_fill(struct test_context *t)
{
    memset(t->buffer, (int)(t->random & 0xff),
           TEST_BUFFER_BYTES + TEST_RECORDS_BYTES);
}

void test_raw(struct test_context *t, const char *what, const void *at,
              size_t bytes)
{
    t->raw_what = what;
    t->raw = at;
    t->raw_bytes = bytes;
}

void *test_buffer(const struct test_context *t)
{
    return t->buffer;
}

const struct identity *test_cpu_of(const struct test_context *t,
                                   unsigned processor)
{
    return &t->all[processor].cpu;
}

void *test_buffer_of(const struct test_context *t, unsigned processor)
{
    return t->all[processor].buffer;
}

bool test_memory_is_write_back(const struct test_context *t)
{
    const struct found_memory *memory = &t->found.memory;

    return !t->found.types_known || !memory->mapped ||
           (memory->alike && text_equal(memory->mtrr, "WB") &&
            text_equal(memory->pat, "WB"));
}

void *test_carried(const struct test_context *t)
{
    return t->all[t->processor].carried;
}

const void *test_source(const struct test_context *t)
{
    return t->source;
}

void *test_records(const struct test_context *t)
{
    return (char *)t->buffer + TEST_BUFFER_BYTES;
}
