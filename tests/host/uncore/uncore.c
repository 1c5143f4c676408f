/* SPDX-License-Identifier: BSD-2-Clause */
/* uncore.c - which processors have which uncore, the numbers of its
 * registers, taking it over and giving it back. */
#include "src/uncore/uncore.h"
#include "src/base/msr.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct test_context all[1];
static struct test_context *const t = &all[0];
static const struct test whole = {.name = "whole", .scope = WHOLE_MACHINE};

static const struct uncore *of(uint16_t family, uint16_t model)
{
    const struct identity id = {.family = family, .model = model};

    return uncore_of(&id);
}

static void by_model(void **state)
{
    static const uint8_t old[] = {0x2a, 0x3a, 0x3c, 0x45, 0x46, 0x3d, 0x47};
    static const uint8_t moved[] = {0x4e, 0x5e, 0x8e, 0x9e};
    /* Servers, and what came later. */
    static const uint8_t none[] = {0x2d, 0x3e, 0x3f, 0x4f, 0x56, 0x55,
                                   0xa5, 0x7e, 0x1a, 0x37, 0x00};

    (void)state;
    for (unsigned i = 0; i < sizeof(old); i++) {
        assert_non_null(of(6, old[i]));
        assert_int_equal(of(6, old[i])->global_ctrl, 913);
        assert_int_equal(of(6, old[i])->global_status, 914);
        assert_int_equal(of(6, old[i])->all_cores, 15);
    }
    for (unsigned i = 0; i < sizeof(moved); i++) {
        assert_non_null(of(6, moved[i]));
        assert_int_equal(of(6, moved[i])->global_ctrl, 3585);
        assert_int_equal(of(6, moved[i])->global_status, 3586);
        assert_int_equal(of(6, moved[i])->all_cores, 31);
    }
    for (unsigned i = 0; i < sizeof(none); i++)
        assert_null(of(6, none[i]));
    assert_null(of(15, 0x3c));
}

static void registers(void **state)
{
    (void)state;
    assert_int_equal(uncore_box_select(0, 0), 0x700);
    assert_int_equal(uncore_box_select(0, 1), 0x701);
    assert_int_equal(uncore_box_counter(0, 0), 0x706);
    assert_int_equal(uncore_box_counter(3, 1), 0x737);
    assert_int_equal(uncore_box_select(6, 0), 0x760);
    assert_int_equal(uncore_box_select(7, 1), 0xf71);
    assert_int_equal(uncore_box_counter(7, 0), 0xf76);
    assert_int_equal(MSR_UNC_PERF_FIXED_CTRL, 916);
    assert_int_equal(MSR_UNC_PERF_FIXED_CTR, 917);
    assert_int_equal(MSR_UNC_CBO_CONFIG, 918);
    assert_int_equal(MSR_UNC_ARB_PERFCTR(1), 945);
    assert_int_equal(MSR_UNC_ARB_PERFEVTSEL(0), 946);
    assert_int_equal(UNC_CBO_CACHE_LOOKUP_READ, 0x1f34);
    assert_int_equal(UNC_ARB_TRK_REQUESTS, 0x181);
}

static void number_of_boxes(void **state)
{
    (void)state;
    assert_int_equal(uncore_boxes(of(6, 0x2a), 0xfff4), 4);
    assert_int_equal(uncore_boxes(of(6, 0x3c), 0xfff5), 4);
    assert_int_equal(uncore_boxes(of(6, 0x3c), 0xfff0), 0);
    assert_int_equal(uncore_boxes(of(6, 0x5e), 5), 5);
}

/* A machine of that model, with so many C-Boxes that have registers; each holds
 * its own number. */
static void machine(uint16_t model, uint64_t config, unsigned boxes)
{
    fake_reset();
    memset(all, 0, sizeof(all));
    t->cpu = (struct identity){
        .family = 6, .model = model, .perfmon_version = model < 0x4e ? 3 : 4};
    t->all = all;
    t->processors = 1;
    context_begin(t, &whole, 1);
    fake_msr(0x396)->value = config;
    fake_msr(0x396)->writable = 0;
    for (uint32_t msr = 0x394; msr <= 0x395; msr++)
        fake_msr(msr)->value = msr;
    for (uint32_t msr = 0x3b0; msr <= 0x3b3; msr++)
        fake_msr(msr)->value = msr;
    for (unsigned i = 0; i < 2 * boxes; i++) {
        uint32_t select = uncore_box_select(i / 2, i % 2);
        uint32_t counter = uncore_box_counter(i / 2, i % 2);
        fake_msr(select)->value = select;
        fake_msr(counter)->value = counter;
    }
}

/* All stopped and cleared, the global control first and given back last. */
static void taken_and_given_back(void **state)
{
    struct uncore_counters u;

    (void)state;
    machine(0x3c, 3, 2);
    fake_msr(0x391)->value = 0x2000000f;
    fake_msr(0x392)->value = 9;
    assert_true(uncore_claim(&u, t));
    assert_int_equal(u.boxes, 2);
    assert_int_equal(fake_written[0], 0x391);
    assert_int_equal(fake_msr(0x391)->value, 0);
    assert_int_equal(fake_msr(0x392)->value, 0);
    assert_int_equal(fake_msr(0x717)->value, 0);
    assert_non_null(strstr(t->text, "in use before the test"));
    assert_true(uncore_start(&u));
    assert_int_equal(fake_msr(0x391)->value, 1 << 29);
    assert_true(uncore_stop(&u));
    assert_int_equal(fake_msr(0x391)->value, 0);
    restore_msrs(t);
    assert_int_equal(fake_msr(0x391)->value, 0x2000000f);
    assert_int_equal(fake_written[fake_written_count - 1], 0x391);
    assert_int_equal(fake_msr(0x395)->value, 0x395);
    assert_int_equal(fake_msr(0x3b2)->value, 0x3b2);
    assert_int_equal(fake_msr(0x717)->value, 0x717);
    assert_int_equal(t->verdict, VERDICT_PASS);
}

/* 391H of perfmon version 4 would set overflow bits: not touched. */
static void moved_registers(void **state)
{
    struct uncore_counters u;

    (void)state;
    machine(0x5e, 4, 4);
    fake_msr(0xe01);
    fake_msr(0xe02);
    assert_true(uncore_claim(&u, t));
    assert_int_equal(u.boxes, 4);
    assert_true(uncore_start(&u));
    assert_int_equal(fake_msr(0xe01)->value, 1 << 29);
    assert_int_equal(fake_msr(0x391)->writes + fake_msr(0x391)->reads, 0);
    assert_int_equal(fake_msr(0x392)->writes + fake_msr(0x392)->reads, 0);
}

/* The unit of the graphics is counted, and has no registers. */
static void one_box_without_registers(void **state)
{
    struct uncore_counters u;

    (void)state;
    machine(0x2a, 5, 4);
    assert_true(uncore_claim(&u, t));
    assert_int_equal(u.said, 5);
    assert_int_equal(u.boxes, 4);
    /* Of a ninth not even the numbers are known. */
    machine(0x9e, 9, 8);
    fake_msr(0xe01);
    fake_msr(0xe02);
    fake_msr(0x780);
    assert_true(uncore_claim(&u, t));
    assert_int_equal(u.boxes, 8);
    assert_int_equal(fake_msr(0x780)->reads, 0);
    /* Two without are no such thing. */
    machine(0x2a, 5, 3);
    assert_false(uncore_claim(&u, t));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

static void impossible_number(void **state)
{
    static const struct {
        uint16_t model;
        uint64_t config;
    } rows[] = {{0x3c, 0}, {0x3c, 1}, {0x3c, 6}, {0x2a, 0}, {0x2a, 6}};
    struct uncore_counters u;

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        machine(rows[i].model, rows[i].config, 5);
        assert_false(uncore_claim(&u, t));
        assert_int_equal(t->verdict, VERDICT_FAIL);
        assert_int_equal(fake_msr(0x391)->writes, 0);
    }
}

/* Cleared by 0, or not at all. */
static void status(void **state)
{
    struct uncore_counters u;

    (void)state;
    machine(0x3c, 3, 2);
    assert_true(uncore_claim(&u, t));
    assert_int_equal(fake_msr(0x392)->writes, 0); /* it was 0 */
    fake_msr(0x392)->value = 3;
    assert_int_equal(uncore_clear_status(&u), 0);
    fake_msr(0x392)->value = 3;
    fake_msr(0x392)->writable = 2;
    assert_int_equal(uncore_clear_status(&u), 1);
    fake_msr(0x392)->value = 3;
    fake_msr(0x392)->write_vector = HW_GP;
    assert_int_equal(uncore_clear_status(&u), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_model),
        cmocka_unit_test(registers),
        cmocka_unit_test(number_of_boxes),
        cmocka_unit_test(taken_and_given_back),
        cmocka_unit_test(moved_registers),
        cmocka_unit_test(one_box_without_registers),
        cmocka_unit_test(impossible_number),
        cmocka_unit_test(status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
