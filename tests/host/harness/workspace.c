/* SPDX-License-Identifier: BSD-2-Clause */
/* workspace.c - each block of a session's memory is as large and aligned as is
 * promised, and no two of them overlap. */
#include "src/harness/workspace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE    4096u
#define MOST    16u
#define REGIONS (3 + MOST + 1)

/* SDM and case.h: what a DS area and windows are laid out for. */
#define OF_PROCESSOR (TEST_BUFFER_BYTES + TEST_RECORDS_BYTES)

static struct region {
    const char *start;
    size_t bytes;
} regions[REGIONS];
static unsigned count;

static void add(const void *start, size_t bytes)
{
    assert_true(count < REGIONS);
    regions[count++] = (struct region){start, bytes};
}

static void lie_apart(const char *base, size_t bytes)
{
    for (unsigned i = 0; i < count; i++) {
        const char *end = regions[i].start + regions[i].bytes;
        assert_true(regions[i].start >= base && end <= base + bytes);
        assert_int_equal((uintptr_t)regions[i].start % 16, 0);
        for (unsigned k = 0; k < i; k++)
            assert_true(regions[k].start >= end ||
                        regions[k].start + regions[k].bytes <=
                            regions[i].start);
    }
}

static void lay_out(unsigned processors, size_t offset)
{
    const size_t bytes = workspace_bytes(processors);
    char *memory = aligned_alloc(PAGE, (bytes / PAGE + 2) * PAGE);
    struct workspace w;
    size_t sum = 0;

    assert_non_null(memory);
    memset(memory, 0, (bytes / PAGE + 2) * PAGE);
    workspace_lay_out(&w, memory + offset, processors);
    count = 0;
    add(w.contexts, processors * sizeof(*w.contexts));
    add(w.results, processors * sizeof(*w.results));
    add(w.inner_results, processors * sizeof(*w.inner_results));
    add(w.contexts[0].source, TEST_SOURCE_BYTES);
    for (unsigned p = 0; p < processors; p++) {
        const struct test_context *t = &w.contexts[p];
        assert_int_equal(t->processor, p);
        assert_int_equal(t->processors, processors);
        assert_ptr_equal(t->all, w.contexts);
        assert_ptr_equal(t->results, w.inner_results);
        assert_ptr_equal(t->source, w.contexts[0].source);
        assert_int_equal((uintptr_t)t->buffer % PAGE, 0);
        assert_int_equal((uintptr_t)t->source % PAGE, 0);
        add(t->buffer, OF_PROCESSOR);
    }
    lie_apart(memory + offset, bytes);
    /* What aligns it, and no more: 5 blocks, 2 of them of pages. */
    for (unsigned i = 0; i < count; i++)
        sum += regions[i].bytes;
    assert_true(bytes < sum + (size_t)2 * PAGE + (size_t)5 * 16);
    free(memory);
}

static void blocks_lie_apart(void **state)
{
    static const size_t offsets[] = {0, 16, 2048, PAGE - 16};

    (void)state;
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        for (unsigned processors = 1; processors <= MOST; processors++)
            lay_out(processors, offsets[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_lie_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
