/* SPDX-License-Identifier: BSD-2-Clause */
/* cache.c - where an access finds its line, and whom it disturbs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/model/memory/cache.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/personality.h"

#define LINE UINT64_C(0x100000)

static struct machine machine;
static struct processor processor[2];
static struct cache_state *memory;
static struct cache_outcome out;

static void start(const char *cpu)
{
    struct machine_config config = {.cpu = personality_find(cpu), .seed = 1};

    machine_start(&machine, &config, 2);
    memset(memory, 0, cache_bytes(2));
    cache_start(&machine, memory);
    for (unsigned n = 0; n < 2; n++)
        processor_start(&processor[n], &machine, n, n);
}

static enum cache_level touch(unsigned n, uint64_t at, bool store)
{
    cache_access(&processor[n], at, at, 8, store, true, &out);
    return out.level;
}

static void levels_by_size(void **state)
{
    unsigned l1 = 64 * 8;

    (void)state;
    start("haswell");
    assert_int_equal(touch(0, LINE, false), CACHE_DRAM);
    assert_true(out.latency >= 180);
    assert_int_equal(out.requests, 1);
    assert_int_equal(out.request[0].line, LINE);
    touch(0, LINE + 4096 * 64, false); /* no longer on its way */
    assert_int_equal(touch(0, LINE + 63 - 7, false), CACHE_L1);
    assert_true(out.latency >= 4 && out.latency < 12);
    assert_int_equal(out.requests, 0);
    for (unsigned n = 0; n < l1; n++)
        touch(0, LINE + 0x100000 + n * 64, false);
    assert_int_equal(touch(0, LINE, false), CACHE_L2);
    for (unsigned n = 0; n < 512 * 8; n++)
        touch(0, LINE + 0x100000 + n * 64, false);
    assert_int_equal(touch(0, LINE, false), CACHE_LLC);
    assert_int_equal(out.snoop, CACHE_SNOOP_NONE);
    for (unsigned n = 0; n < 8192 * 16; n++)
        touch(0, LINE + 0x1000000 + n * 64, false);
    assert_int_equal(touch(0, LINE, false), CACHE_DRAM);
}

static void latest_used_stays(void **state)
{
    (void)state;
    start("sandybridge");
    for (unsigned n = 0; n < 8; n++) /* one set of the first level */
        touch(0, LINE + n * 4096, false);
    touch(0, LINE, false);
    touch(0, LINE + 8 * 4096, false);
    touch(0, LINE + 9 * 4096, true);
    assert_int_equal(touch(0, LINE, false), CACHE_L1);
    assert_int_equal(touch(0, LINE + 4096, false), CACHE_L2);
}

static void a_missing_line_is_pending_once(void **state)
{
    (void)state;
    start("haswell");
    touch(0, LINE, false);
    assert_int_equal(touch(0, LINE + 8, false), CACHE_PENDING);
    assert_int_equal(touch(0, LINE + 16, false), CACHE_L1);
    touch(0, LINE + 64, true); /* a store waits for nothing */
    assert_int_equal(touch(0, LINE + 64, false), CACHE_L1);
}

static void flush_everywhere(void **state)
{
    (void)state;
    start("haswell");
    touch(0, LINE, true);
    touch(1, LINE, false);
    cache_flush(&processor[1], LINE + 63);
    assert_int_equal(touch(0, LINE, false), CACHE_DRAM);
    cache_flush(&processor[0], LINE);
    assert_int_equal(touch(0, LINE, true), CACHE_DRAM);
    cache_flush(&processor[0], LINE + 64); /* another line */
    assert_int_equal(touch(0, LINE, true), CACHE_L1);
}

static void snoops(void **state)
{
    (void)state;
    start("haswell");
    touch(0, LINE, true);
    assert_int_equal(touch(1, LINE, false), CACHE_LLC);
    assert_int_equal(out.snoop, CACHE_SNOOP_HITM);
    assert_int_equal(out.request[0].snoop, CACHE_SNOOP_HITM);
    cache_flush(&processor[0], LINE);
    touch(0, LINE, false);
    assert_int_equal(touch(1, LINE, false), CACHE_LLC);
    assert_int_equal(out.snoop, CACHE_SNOOP_HIT);
    /* Ownership: the other loses it. */
    assert_int_equal(touch(1, LINE, true), CACHE_L1);
    assert_int_equal(out.requests, 1);
    assert_int_equal(touch(0, LINE, false), CACHE_LLC);
    assert_int_equal(out.snoop, CACHE_SNOOP_HITM);
    touch(0, LINE, false);
    assert_int_equal(out.requests, 0);
}

static void translations(void **state)
{
    (void)state;
    start("sandybridge"); /* 64 and 512 entries, 4 ways */
    touch(0, LINE, false);
    assert_true(out.dtlb_miss && out.stlb_miss);
    touch(0, LINE + 4088, false);
    assert_false(out.dtlb_miss || out.stlb_miss);
    for (unsigned n = 1; n <= 4; n++)
        touch(0, LINE + n * 16 * 4096, false);
    touch(0, LINE, false);
    assert_true(out.dtlb_miss && !out.stlb_miss);
    for (unsigned n = 1; n <= 4; n++)
        touch(0, LINE + n * 128 * 4096, false);
    touch(0, LINE, false);
    assert_true(out.stlb_miss);
    touch(1, LINE, false); /* one's own */
    assert_true(out.stlb_miss);
    cache_invalidate(&processor[0], LINE + 5);
    touch(1, LINE, false);
    assert_false(out.dtlb_miss);
    touch(0, LINE, false);
    assert_true(out.stlb_miss);
}

static void across_lines(void **state)
{
    (void)state;
    start("haswell");
    touch(0, LINE, false);
    touch(0, LINE, false);
    cache_access(&processor[0], LINE + 60, LINE + 60, 8, false, true, &out);
    assert_true(out.split);
    assert_int_equal(out.level, CACHE_DRAM);
    assert_int_equal(out.requests, 1);
    assert_int_equal(out.request[0].line, LINE + 64);
    cache_access(&processor[0], LINE + 56, LINE + 56, 8, false, true, &out);
    assert_false(out.split);
}

static void uncached_stays_out(void **state)
{
    (void)state;
    start("haswell");
    for (unsigned n = 0; n < 3; n++) {
        cache_access(&processor[0], LINE, LINE, 4, false, false, &out);
        assert_int_equal(out.level, CACHE_NONE);
    }
    assert_int_equal(touch(0, LINE, false), CACHE_DRAM);
}

static void no_memory_no_misses(void **state)
{
    (void)state;
    start("haswell");
    cache_start(&machine, NULL);
    cache_flush(&processor[0], LINE);
    cache_invalidate(&processor[0], LINE);
    assert_int_equal(touch(0, LINE, false), CACHE_L1);
    assert_false(out.stlb_miss);
}

/* CPUID leaf 4, EBX[31:22]: ways - 1; ECX: sets - 1. */
static void as_leaf_4_says(const struct personality *cpu, uint32_t subleaf,
                           struct cache_shape shape)
{
    for (size_t n = 0; n < cpu->cpuid_rows; n++)
        if (cpu->cpuid[n].leaf == 4 && cpu->cpuid[n].subleaf == subleaf) {
            assert_int_equal(shape.ways, (cpu->cpuid[n].ebx >> 22) + 1);
            assert_int_equal(shape.sets, cpu->cpuid[n].ecx + 1);
            return;
        }
    fail();
}

/* What a personality states fits the tables, and its own leaf 4. */
static void sizes(void **state)
{
    const struct personality *cpu;

    (void)state;
    for (size_t n = 0; (cpu = personality_at(n)) != NULL; n++) {
        const struct cache_sizes *s = &cpu->caches;

        as_leaf_4_says(cpu, 0, s->l1);
        as_leaf_4_says(cpu, 2, s->l2);
        as_leaf_4_says(cpu, 3, s->llc);
        assert_in_range(s->l1.sets * s->l1.ways, 512, CACHE_L1_MAX);
        assert_in_range(s->l2.sets * s->l2.ways, 4096, CACHE_L2_MAX);
        assert_in_range(s->llc.sets * s->llc.ways, 98304, CACHE_LLC_MAX);
        assert_in_range(s->dtlb.sets * s->dtlb.ways, 48, CACHE_DTLB_MAX);
        assert_in_range(s->stlb.sets * s->stlb.ways, 512, CACHE_STLB_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_by_size),
        cmocka_unit_test(latest_used_stays),
        cmocka_unit_test(a_missing_line_is_pending_once),
        cmocka_unit_test(flush_everywhere),
        cmocka_unit_test(snoops),
        cmocka_unit_test(translations),
        cmocka_unit_test(across_lines),
        cmocka_unit_test(uncached_stays_out),
        cmocka_unit_test(no_memory_no_misses),
        cmocka_unit_test(sizes),
    };
    int failed;

    memory = malloc(cache_bytes(2));
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(memory);
    return failed;
}
