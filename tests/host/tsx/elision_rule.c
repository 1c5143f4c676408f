/* SPDX-License-Identifier: BSD-2-Clause */
/* test_elision_rule.c - lock elision's decision, over all 64 patterns of
 * EAX[5:0] and some codes, beside a table written out by hand. */
#include "src/tsx/elision_rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct elision_rule paper = ELISION_PAPER;
static const struct elision_rule older = ELISION_RETRY_BIT_ONLY;

/* R retry, L the lock; index EAX[5:0]. From the top: EAX[5:4] = 00, 01, 10, 11;
 * in a row EAX[3:0] = 0 to 15: bit 0 XABORT, 1 retry, 2 conflict, 3 capacity.
 * Bit 0 with the code of a busy lock is not in this table. */
static const char by_paper[] = "LLRRRLRRLLRRLLRR"
                               "LLRRLLRRLLRRLLRR"
                               "LLRRRLRRLLRRLLRR"
                               "LLRRLLRRLLRRLLRR";
/* EAX[1] and nothing else. */
static const char by_retry_bit[] = "LLRRLLRRLLRRLLRR"
                                   "LLRRLLRRLLRRLLRR"
                                   "LLRRLLRRLLRRLLRR"
                                   "LLRRLLRRLLRRLLRR";

static const uint32_t codes[] = {0x00, 0x01, 0x5a, 0x7f, 0x80, 0xfe, 0xff};

static char letter(enum elision_next next)
{
    return next == ELISION_RETRY  ? 'R'
           : next == ELISION_WAIT ? 'W'
           : next == ELISION_LOCK ? 'L'
                                  : '?';
}

static void follows(const struct elision_rule *rule, const char table[65])
{
    for (uint32_t bits = 0; bits < 64; bits++)
        for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
            char want = table[bits];
            if (bits % 2 == 1 && codes[i] == 0xff)
                want = 'W';
            for (unsigned attempts = 1; attempts < 8; attempts++)
                assert_int_equal(
                    letter(elision_next(rule, codes[i] << 24 | bits, attempts)),
                    want);
        }
}

static void every_status_by_the_paper(void **state)
{
    (void)state;
    assert_int_equal(sizeof(by_paper), 65);
    follows(&paper, by_paper);
}

static void every_status_by_the_older_rule(void **state)
{
    (void)state;
    assert_int_equal(sizeof(by_retry_bit), 65);
    follows(&older, by_retry_bit);
}

static void retries_are_bounded(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 64; bits++)
        for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
            for (unsigned attempts = 8; attempts < 11; attempts++)
                assert_int_equal(
                    elision_next(&paper, codes[i] << 24 | bits, attempts),
                    ELISION_LOCK);
    assert_int_equal(elision_next(&paper, 6, UINT32_MAX), ELISION_LOCK);
    assert_int_equal(
        elision_next(&(const struct elision_rule){.attempts_max = 1}, 6, 1),
        ELISION_LOCK);
}

static void reserved_bits_change_nothing(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 64; bits++)
        for (unsigned bit = 6; bit < 24; bit++)
            assert_int_equal(elision_next(&paper, UINT32_C(1) << bit | bits, 1),
                             elision_next(&paper, bits, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_by_the_paper),
        cmocka_unit_test(every_status_by_the_older_rule),
        cmocka_unit_test(retries_are_bounded),
        cmocka_unit_test(reserved_bits_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
