/* SPDX-License-Identifier: BSD-2-Clause */
/* causes.c - each cause of an abort is met by its own body, with what makes it
 * certain. */
#include "src/tsx/causes.h"

#include "asm/tsx_bodies.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct tsx_block seen;
static uint64_t dr0, dr7;
static int outcome;

int tsx_inside(struct tsx_block *block)
{
    seen = *block;
    block->status = 0x5a000001;
    return outcome;
}

int tsx_watched(int (*enter)(struct tsx_block *), struct tsx_block *block,
                uint64_t address, uint64_t control)
{
    dr0 = address;
    dr7 = control;
    return enter(block);
}

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static _Alignas(4096) uint8_t source[TEST_SOURCE_BYTES];
static struct test_context all[1];
static struct test_context *const t = &all[0];

/* SDM 1, "RTM Abort Status Definition", "RTM Runtime Considerations": what EAX
 * names, and what aborts each time; many lines may fit some cache. */
static const struct {
    enum cause_id id;
    const void *body;
    uint32_t status;
    bool always;
} rows[] = {
    {CAUSE_XABORT, NULL, 1u << 0, true},
    {CAUSE_XABORT_INNER, tsx_body_nest_xabort, 1u << 0 | 1u << 5, true},
    {CAUSE_CPUID, tsx_body_cpuid, 0, true},
    {CAUSE_PAUSE, tsx_body_pause, 0, true},
    {CAUSE_EXCEPTION, tsx_body_ud2, 0, true},
    {CAUSE_DIVIDE, tsx_body_divide, 0, true},
    {CAUSE_WRITES, tsx_body_write_lines, 1u << 3, false},
    {CAUSE_READS, tsx_body_read_lines, 1u << 3, false},
    {CAUSE_BREAKPOINT, tsx_body_store, 1u << 4, true},
    {CAUSE_NESTING, tsx_body_nest, 0, true},
    {CAUSE_MEMORY_TYPE, tsx_body_load, 0, false},
};

static void each_cause(void **state)
{
    (void)state;
    assert_int_equal(sizeof(rows) / sizeof(rows[0]), CAUSES);
    for (size_t n = 0; n < CAUSES; n++) {
        const enum cause_id id = rows[n].id;
        const bool reads = id == CAUSE_READS, writes = id == CAUSE_WRITES;
        uint32_t eax = 0;

        fake_reset();
        memset(all, 0, sizeof(all));
        t->buffer = memory;
        t->source = source;
        dr0 = dr7 = 0;
        outcome = TSX_ABORTED;
        assert_int_equal(causes[id].status, rows[n].status);
        assert_int_equal(causes[id].always, rows[n].always);
        assert_true(causes[id].name[0] != '\0');
        if (id == CAUSE_MEMORY_TYPE) { /* there is none here */
            assert_int_equal(cause_provoke(t, id, false, &eax), TSX_COMMITTED);
            assert_int_equal(eax, UINT32_MAX);
            assert_ptr_equal(causes[id].body, rows[n].body);
            continue;
        }
        assert_int_equal(cause_provoke(t, id, false, &eax), TSX_ABORTED);
        assert_int_equal(eax, 0x5a000001);
        if (rows[n].body != NULL)
            assert_ptr_equal(seen.body, rows[n].body);
        assert_true(seen.argument ==
                    (uintptr_t)(reads ? (void *)source : (void *)memory));
        /* A line each, and all of the memory there is. */
        if (writes)
            assert_int_equal(seen.count * 64, TEST_BUFFER_BYTES);
        if (reads)
            assert_true(seen.count * 64 <= TEST_SOURCE_BYTES &&
                        seen.count * 64 >= TEST_SOURCE_BYTES / 8);
        /* SDM 3B, "Debug Control Register (DR7)": L0, a store, of 8 bytes. */
        assert_true(dr0 == (id == CAUSE_BREAKPOINT ? (uintptr_t)memory : 0));
        assert_int_equal(dr7, id == CAUSE_BREAKPOINT ? 0x90401 : 0);
        outcome = TSX_COMMITTED;
        assert_int_equal(cause_provoke(t, id, false, &eax), TSX_COMMITTED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_cause)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
