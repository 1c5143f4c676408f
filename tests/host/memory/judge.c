/* SPDX-License-Identifier: BSD-2-Clause */
/* judge.c - each bit of 98H, A0H and A8H that a facility promises
 * is noticed, and no other is. */
#include "src/memory/memory_judge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* 10000H, 12040H, 14080H, 160C0H, 10100H, .. */
static const struct memory_walk walk = {0x10000, 0x2040, 0x7ff8, 64};
#define THIS  UINT64_C(0x14080)
#define OTHER UINT64_C(0x12040)

static struct pebs_record good(void)
{
    return (struct pebs_record){
        .rdi = THIS, .data_linear_address = THIS, .latency = 0};
}

static void planted(void **state)
{
    (void)state;
    assert_true(memory_judge_planted(&walk, 0x10000));
    assert_true(memory_judge_planted(&walk, 0x10100));
    assert_true(memory_judge_planted(&walk, 0x10000 + (63 * 0x2040 & 0x7ff8)));
    assert_false(memory_judge_planted(&walk, 0x10008));
    assert_false(memory_judge_planted(&walk, 0x18000));
    assert_false(memory_judge_planted(&walk, 0));
    const struct memory_walk one = {0x10000, 0x2040, 0x7ff8, 1};
    assert_true(memory_judge_planted(&one, 0x10000));
    assert_false(memory_judge_planted(&one, 0x12040));
}

static void inside(void **state)
{
    static const uint8_t loop[32];
    const uint64_t at = (uint64_t)(uintptr_t)loop;

    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        const struct pebs_record r = {.rip = at + n};
        assert_int_equal(memory_judge_inside(&r, loop, loop + 16),
                         n >= 1 && n <= 16);
    }
}

static void address(void **state)
{
    (void)state;
    for (int f = FACILITY_PRECISE_STORE; f <= FACILITY_DATA_STORE; f++) {
        const struct memory_expected e = {
            (enum memory_facility)f, &walk, false, 0, 0, false};
        struct pebs_record r = good();
        r.latency = f == FACILITY_LOAD_LATENCY ? 4 : 0;
        assert_null(memory_judge(&r, &e));
        r.data_linear_address = OTHER;
        assert_non_null(strstr(memory_judge(&r, &e), "another access"));
        r.data_linear_address = THIS + 8;
        assert_non_null(strstr(memory_judge(&r, &e), "none of the addresses"));
        r.rdi ^= 1;
        assert_non_null(strstr(memory_judge(&r, &e), "RDI"));
        const struct memory_expected moved = {
            (enum memory_facility)f, &walk, false, 0, 8, false};
        r = good(); /* a string store has left RDI behind it */
        r.latency = f == FACILITY_LOAD_LATENCY ? 4 : 0;
        assert_non_null(memory_judge(&r, &moved));
        r.rdi += 8;
        assert_null(memory_judge(&r, &moved));
    }
}

/* The bits of A0H that must not be set, for an access without LOCK. */
static void status(void **state)
{
    static const uint64_t wrong[] = {
        [FACILITY_PRECISE_STORE] = BIT(5),
        [FACILITY_LOAD_LATENCY] = BITS(63, 5),
        [FACILITY_DATA_LOAD] = 0,
        [FACILITY_DATA_STORE] = BITS(63, 1),
    };

    (void)state;
    for (int f = FACILITY_PRECISE_STORE; f <= FACILITY_DATA_STORE; f++)
        for (unsigned n = 0; n < 64; n++) {
            const struct memory_expected e = {
                (enum memory_facility)f, &walk, false, 0, 0, false};
            struct pebs_record r = good();
            r.latency = f == FACILITY_LOAD_LATENCY ? 4 : 0;
            r.data_source = BIT(n);
            assert_int_equal(memory_judge(&r, &e) == NULL,
                             (wrong[f] >> n & 1) == 0);
        }
}

static void lock(void **state)
{
    (void)state;
    for (int f = FACILITY_PRECISE_STORE; f <= FACILITY_LOAD_LATENCY; f++) {
        const struct memory_expected e = {
            (enum memory_facility)f, &walk, true, 0, 0, false};
        struct pebs_record r = good();
        r.latency = f == FACILITY_LOAD_LATENCY ? 4 : 0;
        assert_non_null(strstr(memory_judge(&r, &e), "locked access"));
        r.data_source = BIT(5);
        assert_null(memory_judge(&r, &e));
    }
}

static void latency(void **state)
{
    const struct memory_expected loads = {
        FACILITY_LOAD_LATENCY, &walk, false, 30, 0, false};
    const struct memory_expected any = {
        FACILITY_LOAD_LATENCY, &walk, false, 0, 0, false};
    const struct memory_expected part = {
        FACILITY_LOAD_LATENCY, &walk, false, 30, 0, true};
    struct pebs_record r = good();

    (void)state;
    for (r.latency = 0; r.latency < 60; r.latency++) {
        assert_null(memory_judge(&r, &part));
        assert_int_equal(memory_judge(&r, &loads) == NULL, r.latency >= 4);
        assert_int_equal(memory_judge(&r, &any) == NULL, r.latency >= 4);
    }
}

static void most(void **state)
{
    (void)state;
    assert_false(memory_judge_most(0, 0));
    assert_false(memory_judge_most(0, 1));
    assert_true(memory_judge_most(1, 1));
    assert_false(memory_judge_most(1, 2));
    assert_true(memory_judge_most(2, 3));
    assert_false(memory_judge_most(32, 64));
    assert_true(memory_judge_most(33, 64));
}

static void median(void **state)
{
    uint64_t latencies[] = {9, 1, 8, 2, 7, 3};

    (void)state;
    assert_int_equal(memory_judge_median(latencies, 0), 0);
    assert_int_equal(memory_judge_median(latencies, 1), 9);
    assert_int_equal(memory_judge_median(latencies, 3), 8);
    assert_int_equal(memory_judge_median(latencies, 6), 7);
    for (unsigned i = 1; i < 6; i++)
        assert_true(latencies[i - 1] < latencies[i]);
}

/* From the 12th generation on two in one: [47:32] of the access. */
static void two_latencies(void **state)
{
    const uint64_t field = UINT64_C(0xaaaa0123bbbb0456);

    (void)state;
    assert_int_equal(memory_judge_latency(GOLDEN_COVE, field), 0x123);
    assert_int_equal(memory_judge_longer(GOLDEN_COVE, field), 0x456);
    assert_int_equal(memory_judge_longer(GOLDEN_COVE, UINT64_C(9) << 32 | 8),
                     9);
    assert_true(memory_judge_latency(ICE_LAKE, field) == field);
    assert_true(memory_judge_longer(ICE_LAKE, field) == field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted),       cmocka_unit_test(inside),
        cmocka_unit_test(address),       cmocka_unit_test(status),
        cmocka_unit_test(lock),          cmocka_unit_test(latency),
        cmocka_unit_test(most),          cmocka_unit_test(median),
        cmocka_unit_test(two_latencies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
