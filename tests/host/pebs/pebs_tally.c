/* SPDX-License-Identifier: BSD-2-Clause */
/* test_pebs_tally.c - records counted by counter and by cause of abort. */
#include "src/pebs/pebs_tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct pebs_tally tally;

static void by_counter(void **state)
{
    (void)state;
    pebs_tally_clear(&tally);
    pebs_tally_add(&tally, &(struct pebs_record){.applicable_counter = 1});
    pebs_tally_add(&tally, &(struct pebs_record){.applicable_counter = 8});
    pebs_tally_add(&tally, &(struct pebs_record){.applicable_counter = 9});
    /* OvfBuffer and fixed counters are above [7:0] */
    pebs_tally_add(&tally,
                   &(struct pebs_record){.global_status = BIT(62) | BIT(32)});
    pebs_tally_add(&tally, &(struct pebs_record){.global_status = 2});
    assert_int_equal(tally.records, 5);
    assert_int_equal(pebs_tally_counter(&tally, 0), 2);
    assert_int_equal(pebs_tally_counter(&tally, 1), 1);
    assert_int_equal(pebs_tally_counter(&tally, 2), 0);
    assert_int_equal(pebs_tally_counter(&tally, 3), 2);
    assert_int_equal(pebs_tally_several(&tally), 1);
    assert_int_equal(tally.by_counters[3][0], 1);
}

/* Adaptive records are of fixed counters, and of more than eight, too. */
static void by_later_counter(void **state)
{
    static const uint64_t sets[] = {
        BIT(32),     BIT(9), BIT(39) | BIT(9), BIT(32) | 1,
        BIT(32) | 3, 4,      BIT(31) | BIT(40)};
    struct pebs_record record = {.format = PEBS_FORMAT_ADAPTIVE};

    (void)state;
    pebs_tally_clear(&tally);
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        record.applicable_counter = sets[i];
        pebs_tally_add(&tally, &record);
    }
    assert_int_equal(pebs_tally_counter(&tally, 32), 3);
    assert_int_equal(pebs_tally_counter(&tally, 9), 2);
    assert_int_equal(pebs_tally_counter(&tally, 39), 1);
    assert_int_equal(pebs_tally_counter(&tally, 31), 1);
    assert_int_equal(pebs_tally_counter(&tally, 0), 2);
    assert_int_equal(pebs_tally_counter(&tally, 1), 1);
    assert_int_equal(pebs_tally_counter(&tally, 2), 1);
    assert_int_equal(pebs_tally_counter(&tally, 8), 0);
    assert_int_equal(pebs_tally_several(&tally), 4);
    pebs_tally_clear(&tally);
    assert_int_equal(pebs_tally_counter(&tally, 32), 0);
    assert_int_equal(pebs_tally_several(&tally), 0);
}

static void by_abort(void **state)
{
    (void)state;
    pebs_tally_clear(&tally);
    for (unsigned bit = 32; bit < 40; bit++)
        pebs_tally_add(&tally, &(struct pebs_record){
                                   .tx_abort = TX_ABORT_RTM_ABORT | BIT(bit)});
    pebs_tally_add(&tally, &(struct pebs_record){.tx_abort = 0xffffffff});
    assert_int_equal(pebs_tally_aborts(&tally, 0), 9);
    assert_int_equal(pebs_tally_aborts(&tally, TX_ABORT_RTM_ABORT), 8);
    assert_int_equal(pebs_tally_aborts(&tally, TX_ABORT_HLE_ABORT), 1);
    assert_int_equal(pebs_tally_aborts(&tally, TX_ABORT_RETRY), 1);
    assert_int_equal(
        pebs_tally_aborts(&tally, TX_ABORT_DATA_CONFLICT | TX_ABORT_RETRY), 0);
}

static void clears(void **state)
{
    (void)state;
    pebs_tally_clear(&tally);
    pebs_tally_add(&tally, &(struct pebs_record){.applicable_counter = 1});
    pebs_tally_clear(&tally);
    assert_int_equal(tally.records, 0);
    for (unsigned way = 0; way < PEBS_WAYS; way++)
        for (unsigned i = 0; i < 256; i++)
            assert_int_equal(tally.by_counters[way][i] + tally.by_abort[way][i],
                             0);
}

/* All at once is as one by one: records of each format, whole, cut, and with
 * reserved bits in one of them. */
static void all_at_once(void **state)
{
    static uint64_t words[100 * PEBS_FIXED_SIZE_MAX / 8];
    static struct pebs_tally single;
    const uint8_t *bytes = (const uint8_t *)words;
    uint64_t random = 88172645463325252;
    size_t size;

    (void)state;
    for (unsigned format = 0; format < PEBS_FORMATS; format++)
        for (unsigned round = 0; round < 40; round++) {
            struct pebs_reader a, b;
            struct pebs_record record;
            enum pebs_error error, want;
            assert_int_equal(pebs_record_size(format, 0, &size), PEBS_OK);
            for (size_t i = 0; i < sizeof(words) / 8; i++) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                words[i] = random >> (i * 8 % size == 0xb8 ? 24 : random % 64);
            }
            if (round % 3 == 0)
                words[(round * size + 0xb8) / 8] |= BIT(40 + round % 24);
            const size_t length = sizeof(words) - round * 7;
            pebs_tally_clear(&tally);
            pebs_open(&a, bytes, length, format);
            error = pebs_tally_all(&tally, &a);
            pebs_tally_clear(&single);
            pebs_open(&b, bytes, length, format);
            while ((want = pebs_next(&b, &record)) == PEBS_OK)
                pebs_tally_add(&single, &record);
            assert_int_equal(error, want);
            assert_int_equal(a.at, b.at);
            assert_int_equal(a.next, b.next);
            assert_memory_equal(&tally, &single, sizeof(tally));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_counter),  cmocka_unit_test(by_later_counter),
        cmocka_unit_test(by_abort),    cmocka_unit_test(clears),
        cmocka_unit_test(all_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
