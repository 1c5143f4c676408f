/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_decode.c - PEBS records of every fixed format: the golden ones field by
 * field, every prefix, every named error. Buffers are heap copies of the exact
 * size, so that a byte read past them ends the test. */
#include "src/pebs/pebs_decode.h"
#include "src/pebs/pebs_golden.h"
#include "src/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const size_t sizes[PEBS_FORMATS] = {0x90, 0xb0, 0xc0, 0xc8};

static uint8_t *copy(const uint8_t *bytes, size_t size)
{
    uint8_t *out = malloc(size);

    assert_non_null(out);
    if (size != 0)
        memcpy(out, bytes, size);
    return out;
}

/* `records` golden records, one after the other. */
static uint8_t *golden(unsigned format, size_t records)
{
    uint8_t *out = malloc(records * sizes[format]);

    assert_non_null(out);
    for (size_t i = 0; i < records; i++)
        assert_int_equal(
            pebs_golden_bytes(format, out + i * sizes[format], sizes[format]),
            sizes[format]);
    return out;
}

static void sizes_of_records(void **state)
{
    size_t size;

    (void)state;
    for (unsigned format = 0; format < PEBS_FORMATS; format++) {
        assert_int_equal(pebs_record_size(format, 0, &size), PEBS_OK);
        assert_int_equal(size, sizes[format]);
    }
    for (unsigned format = 7; format < 16; format++) {
        assert_int_equal(pebs_record_size(format, 0, &size),
                         PEBS_ADAPTIVE_FORMAT);
        assert_int_equal(size, 0);
    }
    assert_int_equal(pebs_record_size(16, 0, &size), PEBS_UNKNOWN_FORMAT);
    assert_int_equal(pebs_record_size(UINT32_MAX, 0, &size),
                     PEBS_UNKNOWN_FORMAT);
}

static void golden_records(void **state)
{
    (void)state;
    for (unsigned format = 0; format < PEBS_FORMATS; format++) {
        uint8_t *bytes = golden(format, 1);
        struct pebs_record record;
        unsigned rows = 0, present = 0;

        assert_int_equal(pebs_decode(bytes, sizes[format], format, &record),
                         PEBS_OK);
        assert_int_equal(record.format, format);
        assert_int_equal(record.size, sizes[format]);
        for (size_t i = 0; i < pebs_golden_rows; i++) {
            const struct pebs_golden *row = &pebs_golden[i];
            unsigned found = 0;
            if (row->format != format)
                continue;
            rows++;
            for (unsigned f = 0; f < PEBS_FIELD_COUNT; f++) {
                enum pebs_field field = (enum pebs_field)f;
                if (strcmp(pebs_field_name(field), row->name) != 0 ||
                    !pebs_has(&record, field))
                    continue;
                found++;
                assert_int_equal(pebs_field_offset(&record, field),
                                 row->offset);
                assert_int_equal(pebs_field_value(&record, field), row->value);
            }
            assert_int_equal(found, 1);
        }
        for (unsigned f = 0; f < PEBS_FIELD_COUNT; f++) {
            enum pebs_field field = (enum pebs_field)f;
            present += pebs_has(&record, field);
            if (!pebs_has(&record, field)) {
                assert_int_equal(pebs_field_value(&record, field), 0);
                assert_int_equal(pebs_field_offset(&record, field), -1);
            }
        }
        assert_int_equal(rows * 8, sizes[format]);
        assert_int_equal(present, rows);
        free(bytes);
    }
}

/* The members by name, typed once more. */
static void members(void **state)
{
    uint8_t *bytes = golden(3, 1);
    struct pebs_record r;

    (void)state;
    assert_int_equal(pebs_decode(bytes, 200, 3, &r), PEBS_OK);
    assert_int_equal(r.rflags, 0x246);
    assert_int_equal(r.rip, 0x401160);
    assert_int_equal(r.rax, 0xe);
    assert_int_equal(r.rbx, 0xffffffffffffffb1);
    assert_int_equal(r.rcx, 0xc4c3c2c1);
    assert_int_equal(r.rdx, 0xd8d7d6d5d4d3d2d1);
    assert_int_equal(r.rsi, 0x5101);
    assert_int_equal(r.rdi, 0xd102);
    assert_int_equal(r.rbp, 0x7ffeffffe3c0);
    assert_int_equal(r.rsp, 0x7ffeffffe390);
    assert_int_equal(r.r8, 0x8008800880088008);
    assert_int_equal(r.r9, 0x9009900990099009);
    assert_int_equal(r.r10, 0x0110011001100110);
    assert_int_equal(r.r11, 0x2211221122112211);
    assert_int_equal(r.r12, 0x2112211221122112);
    assert_int_equal(r.r13, 0x3113311331133113);
    assert_int_equal(r.r14, 0x4114411441144114);
    assert_int_equal(r.r15, 0x5115511551155115);
    assert_int_equal(r.global_status, 0);
    assert_int_equal(r.applicable_counter, 2);
    assert_int_equal(r.data_linear_address, 0x5555b67f12c8);
    assert_int_equal(r.data_source, 0x42);
    assert_int_equal(r.latency, 0x19);
    assert_int_equal(r.eventing_ip, 0x401147);
    assert_int_equal(r.tx_abort, 0x3a0000008e);
    assert_int_equal(r.tsc, 0x123456789abcdef);
    free(bytes);
}

/* 90H has two meanings, and neither is given the other's name. */
static void offset_90h(void **state)
{
    static const struct {
        unsigned format;
        bool status, counter;
    } rows[] = {{0, false, false},
                {1, true, false},
                {2, true, false},
                {3, false, true}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint8_t *bytes = golden(rows[i].format, 1);
        struct pebs_record record;
        assert_int_equal(
            pebs_decode(bytes, sizes[rows[i].format], rows[i].format, &record),
            PEBS_OK);
        assert_int_equal(pebs_has(&record, PEBS_GLOBAL_STATUS), rows[i].status);
        assert_int_equal(pebs_has(&record, PEBS_APPLICABLE_COUNTER),
                         rows[i].counter);
        assert_int_equal(record.global_status != 0, rows[i].status);
        assert_int_equal(record.applicable_counter != 0, rows[i].counter);
        free(bytes);
    }
}

/* Every prefix of three records: so many whole ones, then END or CUT_SHORT. */
static void prefixes(void **state)
{
    (void)state;
    for (unsigned format = 0; format < PEBS_FORMATS; format++) {
        uint8_t *all = golden(format, 3);
        for (size_t size = 0; size <= 3 * sizes[format]; size++) {
            uint8_t *bytes = copy(all, size);
            struct pebs_reader reader;
            struct pebs_record record;
            pebs_open(&reader, bytes, size, format);
            for (size_t i = 0; i < size / sizes[format]; i++) {
                assert_int_equal(pebs_next(&reader, &record), PEBS_OK);
                assert_int_equal(reader.at, i * sizes[format]);
            }
            enum pebs_error end =
                size % sizes[format] == 0 ? PEBS_END : PEBS_RECORD_CUT_SHORT;
            for (unsigned again = 0; again < 2; again++) {
                assert_int_equal(pebs_next(&reader, &record), end);
                assert_int_equal(reader.at, size - size % sizes[format]);
            }
            free(bytes);
        }
        free(all);
    }
}

static void any_alignment(void **state)
{
    uint8_t *golden3 = golden(3, 1), *bytes = malloc(208);
    struct pebs_record want, got;

    (void)state;
    assert_non_null(bytes);
    assert_int_equal(pebs_decode(golden3, 200, 3, &want), PEBS_OK);
    for (size_t at = 0; at < 8; at++) {
        memcpy(bytes + at, golden3, 200);
        assert_int_equal(pebs_decode(bytes + at, 200, 3, &got), PEBS_OK);
        assert_memory_equal(&got, &want, sizeof(got));
    }
    free(golden3);
    free(bytes);
}

static void refused(void **state)
{
    static const uint8_t bytes[1] = {0};
    struct pebs_record record = {.rip = 77};
    struct pebs_reader reader;

    (void)state;
    assert_int_equal(pebs_decode(bytes, 0, 7, &record), PEBS_ADAPTIVE_FORMAT);
    assert_int_equal(pebs_decode(bytes, 1, 16, &record), PEBS_UNKNOWN_FORMAT);
    assert_int_equal(pebs_decode(bytes, 1, 3, &record), PEBS_RECORD_CUT_SHORT);
    pebs_open(&reader, bytes, 1, 7);
    assert_int_equal(pebs_next(&reader, &record), PEBS_ADAPTIVE_FORMAT);
    assert_int_equal(record.rip, 77);
}

/* Each reserved bit is an error, and no other bit is; one may read on. */
static void reserved_bits(void **state)
{
    (void)state;
    for (unsigned format = 2; format < PEBS_FORMATS; format++)
        for (unsigned bit = 0; bit < 64; bit++) {
            uint8_t *bytes = golden(format, 2);
            struct pebs_reader reader;
            struct pebs_record record;
            memset(bytes + 0xb8, 0, 8);
            bytes[0xb8 + bit / 8] = (uint8_t)(1 << bit % 8);
            pebs_open(&reader, bytes, 2 * sizes[format], format);
            assert_int_equal(pebs_next(&reader, &record),
                             bit < 40 ? PEBS_OK : PEBS_TX_ABORT_RESERVED);
            assert_int_equal(record.tx_abort, UINT64_C(1) << bit);
            assert_int_equal(pebs_next(&reader, &record), PEBS_OK);
            assert_int_equal(reader.at, sizes[format]);
            assert_int_equal(pebs_next(&reader, &record), PEBS_END);
            free(bytes);
        }
}

static void tx_abort_words(void **state)
{
    static const struct {
        uint64_t value;
        const char *words;
    } rows[] = {
        {0, "Cycles_Last_TX 0"},
        {0xffffffff, "Cycles_Last_TX 4294967295"},
        {BIT(32), "Cycles_Last_TX 0, HLE_Abort"},
        {BIT(33), "Cycles_Last_TX 0, RTM_Abort"},
        {BIT(34), "Cycles_Last_TX 0, Instruction_Abort"},
        {BIT(35), "Cycles_Last_TX 0, Non_Instruction_Abort"},
        {BIT(36), "Cycles_Last_TX 0, Retry"},
        {BIT(37), "Cycles_Last_TX 0, Data_Conflict"},
        {BIT(38), "Cycles_Last_TX 0, Capacity Writes"},
        {BIT(39), "Cycles_Last_TX 0, Capacity Reads"},
        {BIT(40), "Cycles_Last_TX 0, reserved [63:40] = 0x1"},
        {~UINT64_C(0),
         "Cycles_Last_TX 4294967295, HLE_Abort, RTM_Abort, Instruction_Abort, "
         "Non_Instruction_Abort, Retry, Data_Conflict, Capacity Writes, "
         "Capacity Reads, reserved [63:40] = 0xffffff"},
    };
    char text[PEBS_TX_ABORT_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(pebs_tx_abort_text(rows[i].value, text),
                            rows[i].words);
    for (size_t i = 0; i < pebs_golden_rows; i++)
        if (pebs_golden[i].words[0] != '\0')
            assert_string_equal(pebs_tx_abort_text(pebs_golden[i].value, text),
                                pebs_golden[i].words);
}

static void every_error_has_a_text(void **state)
{
    (void)state;
    for (unsigned a = 0; a < PEBS_ERROR_COUNT; a++) {
        const char *text = pebs_error_text((enum pebs_error)a);
        assert_non_null(text);
        for (unsigned b = 0; b < a; b++)
            assert_string_not_equal(text, pebs_error_text((enum pebs_error)b));
    }
    assert_string_equal(pebs_error_text(PEBS_ERROR_COUNT), "no such error");
    assert_string_equal(pebs_field_name(PEBS_FIELD_COUNT), "no such field");
    assert_int_equal(
        pebs_field_offset(&(struct pebs_record){.format = 5}, PEBS_RIP), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_records),
        cmocka_unit_test(golden_records),
        cmocka_unit_test(members),
        cmocka_unit_test(offset_90h),
        cmocka_unit_test(prefixes),
        cmocka_unit_test(any_alignment),
        cmocka_unit_test(refused),
        cmocka_unit_test(reserved_bits),
        cmocka_unit_test(tx_abort_words),
        cmocka_unit_test(every_error_has_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
