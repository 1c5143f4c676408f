/* SPDX-License-Identifier: BSD-2-Clause */
/* abort_bits.c - what most records of aborts say, against what they must. */
#include "src/pebs/abort_bits.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    begin_context(REGIME_A, memory);
    return 0;
}

static void add(struct abort_bits *bits, unsigned times, uint64_t info,
                uint32_t eax)
{
    const struct pebs_record record = {.tx_abort = info};

    for (unsigned i = 0; i < times; i++)
        abort_bits_add(bits, &record, eax);
}

static void most(void **state)
{
    static const struct {
        unsigned with, without;
        enum verdict set, clear; /* where it has to be */
    } rows[] = {
        {4, 0, VERDICT_PASS, VERDICT_FAIL}, {3, 1, VERDICT_PASS, VERDICT_FAIL},
        {2, 2, VERDICT_PASS, VERDICT_PASS}, {1, 3, VERDICT_FAIL, VERDICT_PASS},
        {0, 4, VERDICT_FAIL, VERDICT_PASS}, {1, 0, VERDICT_PASS, VERDICT_FAIL},
        {1, 1, VERDICT_PASS, VERDICT_PASS}, {0, 1, VERDICT_FAIL, VERDICT_PASS}};

    (void)state;
    for (unsigned n = 0; n < 8; n++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            const uint64_t kind = n == 2 ? BIT(35) : BIT(34);
            struct abort_bits bits = {0};
            add(&bits, rows[i].with, BIT(32 + n) | kind | 5, 0);
            add(&bits, rows[i].without, kind | 5, 0);
            assert_int_equal(abort_bits_set(&bits, BIT(32 + n)), rows[i].with);
            set_up(NULL);
            abort_bits_check(t, &bits, BIT(32 + n), 0);
            assert_int_equal(t->verdict, rows[i].set);
            set_up(NULL);
            abort_bits_check(t, &bits, 0, BIT(32 + n));
            assert_int_equal(t->verdict, rows[i].clear);
        }
}

static void kind(void **state)
{
    static const struct {
        unsigned of_instruction, of_none, neither;
        enum verdict verdict;
    } rows[] = {{1, 0, 0, VERDICT_PASS},
                {0, 1, 0, VERDICT_PASS},
                {0, 0, 1, VERDICT_FAIL},
                {1, 1, 2, VERDICT_PASS},
                {1, 1, 3, VERDICT_FAIL}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct abort_bits bits = {0};
        add(&bits, rows[i].of_instruction, BIT(34), 0);
        add(&bits, rows[i].of_none, BIT(35), 0);
        add(&bits, rows[i].neither, BIT(39), 0);
        set_up(NULL);
        abort_bits_check(t, &bits, 0, 0);
        assert_int_equal(t->verdict, rows[i].verdict);
    }
}

/* No record, no complaint: whether there are any is the caller's check. */
static void none(void **state)
{
    const struct abort_bits bits = {0};

    (void)state;
    abort_bits_check(t, &bits, BIT(34), BIT(35));
    assert_int_equal(t->verdict, VERDICT_PASS);
}

static void retry(void **state)
{
    static const struct {
        unsigned said, not_said, eax; /* records with Retry, without; EAX[1] */
        enum verdict verdict;
    } rows[] = {
        {3, 0, 1, VERDICT_PASS}, {2, 1, 1, VERDICT_PASS},
        {1, 1, 1, VERDICT_PASS}, {1, 2, 1, VERDICT_FAIL},
        {0, 1, 1, VERDICT_FAIL}, {0, 3, 0, VERDICT_PASS},
        {1, 2, 0, VERDICT_PASS}, {2, 1, 0, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct abort_bits bits = {0}, sum = {0};
        add(&bits, rows[i].said, BIT(36), rows[i].eax << 1);
        add(&bits, rows[i].not_said, 0, rows[i].eax << 1);
        abort_bits_sum(&sum, &bits);
        assert_memory_equal(&sum, &bits, sizeof(sum)); /* 0 and all of them */
        set_up(NULL);
        abort_bits_check_retry(t, &sum);
        assert_int_equal(t->verdict, rows[i].verdict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(most, set_up),
        cmocka_unit_test_setup(kind, set_up),
        cmocka_unit_test_setup(none, set_up),
        cmocka_unit_test_setup(retry, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
