/* SPDX-License-Identifier: BSD-2-Clause */
/* other_core.c - lines that processor 1 takes: where there is such a core, and
 * with which events it counts meanwhile. */
#include "src/uncore/other_core.h"

#include "asm/memory_windows.h"
#include "src/base/msr.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static _Alignas(4096) uint8_t memory[2][TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];
static struct test_context all[2];
static struct hw_result results[2];
static struct test_context *const t = &all[0];
static const struct test whole = {.name = "whole", .scope = WHOLE_MACHINE};
static unsigned loads, stores;

/* SDM 3B, MEM_UOPS_RETIRED: D0H/81H loads, 82H stores; USR [16], OS [17], EN
 * [22]. */
static void take(uint64_t enable, const struct memory_walk *walk,
                 uint64_t umask)
{
    assert_int_equal(fake_current, 1);
    assert_int_equal(enable, 1);
    assert_int_equal(fake_msr(IA32_PERFEVTSEL(0))->value,
                     0x4300d0 | umask << 8);
    assert_int_equal(fake_msr(IA32_PERFEVTSEL(1))->value, 0);
    assert_true(walk->base == (uintptr_t)memory[0]);
    assert_int_equal(walk->count, OTHER_CORE_LINES);
    /* Other lines each time, inside of the buffer. */
    for (uint64_t i = 0; i < walk->count; i++)
        for (uint64_t k = 0; k < i; k++)
            assert_true((i * walk->step & walk->mask & ~UINT64_C(63)) !=
                        (k * walk->step & walk->mask & ~UINT64_C(63)));
    assert_true((walk->mask | 63) < TEST_BUFFER_BYTES);
}

void memory_load_flush(uint64_t enable, const struct memory_walk *walk)
{
    loads++;
    take(enable, walk, 0x81);
}

void memory_store_flush(uint64_t enable, const struct memory_walk *walk)
{
    stores++;
    take(enable, walk, 0x82);
}

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(2);
    memset(all, 0, sizeof(all));
    loads = stores = 0;
    for (unsigned p = 0; p < 2; p++) {
        all[p].processor = p;
        all[p].all = all;
        all[p].results = results;
        all[p].processors = 2;
        all[p].buffer = memory[p];
        fake_current = p;
        identity_read(&all[p].cpu);
        context_begin(&all[p], &whole, 1);
    }
    fake_current = 0;
    return 0;
}

static void where_there_is_one(void **state)
{
    static const struct {
        uint32_t other; /* APIC ID; that of processor 0 is 0 */
        uint8_t smt, core;
        bool there;
    } rows[] = {
        {1, 1, 4, false},  {2, 1, 4, true},  {1, 0, 4, true},
        {16, 1, 4, false}, {15, 1, 4, true}, {16, 1, 0, true},
    };

    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        set_up(state);
        for (unsigned p = 0; p < 2; p++) {
            all[p].cpu.smt_shift = rows[n].smt;
            all[p].cpu.core_shift = rows[n].core;
            all[p].cpu.apic_id = p * rows[n].other;
        }
        assert_int_equal(other_core_there(t), rows[n].there);
        assert_int_equal(t->verdict,
                         rows[n].there ? VERDICT_NONE : VERDICT_SKIP);
    }
    set_up(state);
    fake_absent[1] = true;
    assert_false(other_core_there(t));
}

static void takes_lines(void **state)
{
    (void)state;
    assert_true(other_core_takes(t, false));
    assert_int_equal(loads, 1);
    assert_int_equal(stores, 0);
    assert_true(other_core_takes(t, true));
    assert_int_equal(loads, 1);
    assert_int_equal(stores, 1);
    fake_current = 1;
    fake_msr(IA32_PERFEVTSEL(0))->write_vector = HW_GP;
    fake_current = 0;
    other_core_takes(t, true); /* nothing is counted: nothing is taken */
    assert_int_equal(stores, 1);
    assert_true(all[1].verdict >= VERDICT_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(where_there_is_one, set_up),
        cmocka_unit_test_setup(takes_lines, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
