/* SPDX-License-Identifier: BSD-2-Clause */
/* report_file.c - a report's bytes on the volume, in pieces of every size, and
 * the two records beside it. */
#include "src/store/report_file.h"

#include "src/base/crc.h"
#include "src/store/checkpoint.h"
#include "tests/host/fakes/fake_volume.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BYTES 150000
#define STEP  65536 /* that the file grows by */

static struct report_file file;
static char text[BYTES];

static const char *name_of(void *context, unsigned n)
{
    static char name[VOLUME_NAME_BYTES];

    assert_ptr_equal(context, text);
    snprintf(name, sizeof(name), "r%u", n);
    return name;
}

static enum volume_end create(unsigned tries)
{
    return report_file_create(&file, name_of, text, tries);
}

static void make(void)
{
    fake_volume_reset();
    for (size_t i = 0; i < BYTES; i++)
        text[i] = (char)('!' + i * 7 % 89);
}

static void in_pieces(void **state)
{
    static const size_t sizes[] = {1,
                                   7,
                                   REPORT_FILE_BUFFER - 1,
                                   REPORT_FILE_BUFFER,
                                   REPORT_FILE_BUFFER + 1,
                                   2 * REPORT_FILE_BUFFER + 3,
                                   STEP,
                                   BYTES};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        make();
        assert_int_equal(create(1), VOLUME_OK);
        for (size_t at = 0, n; at < BYTES; at += n) {
            n = BYTES - at < sizes[i] ? BYTES - at : sizes[i];
            assert_int_equal(report_file_write(&file, text + at, n), VOLUME_OK);
        }
        assert_int_equal(report_file_flush(&file), VOLUME_OK);
        assert_memory_equal(fake_volume_file("r1"), text, BYTES);
        /* Ahead of it are empty lines, of whole steps. */
        assert_int_equal(fake_volume_size("r1") % STEP, 0);
        assert_true(fake_volume_size("r1") >= BYTES &&
                    fake_volume_size("r1") < BYTES + STEP);
        for (size_t at = BYTES; at < fake_volume_size("r1"); at++)
            assert_int_equal(fake_volume_file("r1")[at], '\n');
        report_file_close(&file);
        assert_int_equal(fake_volume_size("r1"), BYTES);
        assert_false(file.open);
        const unsigned changes = fake_volume_changes;
        assert_int_equal(report_file_write(&file, text, 1), VOLUME_OK);
        assert_int_equal(report_file_flush(&file), VOLUME_OK);
        report_file_close(&file);
        assert_int_equal(fake_volume_changes, changes);
    }
}

/* The first that nobody has; no more of them than `tries`. */
static void the_first_free_name(void **state)
{
    (void)state;
    make();
    for (unsigned n = 1; n <= 3; n++) {
        assert_int_equal(create(n - 1), VOLUME_EXISTS);
        assert_false(file.open);
        assert_int_equal(create(n), VOLUME_OK);
        assert_true(file.open);
        report_file_close(&file);
        assert_string_equal(fake_volume_report(n - 1), name_of(text, n));
    }
}

/* Only after the very bytes that were written. */
static void gone_on_with(void **state)
{
    static const size_t lengths[] = {0, 1, 4095, 4096, 4097, 9999, 10000};
    const size_t whole = 10000;

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        const size_t n = lengths[i];

        make();
        assert_int_equal(create(1), VOLUME_OK);
        report_file_write(&file, text, whole);
        report_file_close(&file);
        assert_false(report_file_reopen(&file, "r2", n, crc32(0, text, n)));
        assert_false(report_file_reopen(&file, "r1", n, crc32(0, text, n) ^ 1));
        assert_false(file.open);
        assert_false(
            report_file_reopen(&file, "r1", whole + 1, crc32(0, text, whole)));
        assert_true(report_file_reopen(&file, "r1", n, crc32(0, text, n)));
        assert_true(file.open);
        assert_int_equal(report_file_write(&file, "more", 4), VOLUME_OK);
        assert_int_equal(report_file_flush(&file), VOLUME_OK);
        assert_memory_equal(fake_volume_file("r1"), text, n);
        assert_memory_equal(fake_volume_file("r1") + n, "more\n", 5);
        report_file_close(&file);
        assert_int_equal(fake_volume_size("r1"), n + 4);
    }
}

/* What was written before stays; of nothing no file is left. */
static void failures(void **state)
{
    (void)state;
    for (unsigned written = 0; written < 2; written++)
        for (unsigned n = 1; n <= 2; n++) { /* the write, the flush */
            make();
            assert_int_equal(create(1), VOLUME_OK);
            report_file_write(&file, text, 100 * written);
            assert_int_equal(report_file_flush(&file), VOLUME_OK);
            report_file_write(&file, text + 100 * written, 50);
            fake_volume_fail_at = n;
            fake_volume_fail_with = VOLUME_READ_ONLY;
            assert_int_equal(report_file_flush(&file), VOLUME_READ_ONLY);
            assert_false(file.open);
            assert_non_null(fake_volume_file("r1"));
            assert_memory_equal(fake_volume_file("r1"), text, 100 * written);
            assert_int_equal(report_file_write(&file, text, 10), VOLUME_OK);
            assert_int_equal(report_file_flush(&file), VOLUME_OK);
        }
}

/* In turn; the newest is first, also where its number has wrapped. */
static void the_newest_record_first(void **state)
{
    static const uint32_t numbers[] = {
        0, 1, 2, 0x7ffffffe, 0xfffffffd, 0xfffffffe, 0xffffffff};
    static struct checkpoint out[CHECKPOINT_SLOTS];

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct checkpoint record = {.sequence = numbers[i]};

        make();
        assert_int_equal(volume_create(VOLUME_STATE, "s"), VOLUME_OK);
        assert_int_equal(checkpoint_allocate(), VOLUME_OK);
        const size_t size = fake_volume_size("s");
        const unsigned changes = fake_volume_changes;
        assert_int_equal(checkpoint_allocate(), VOLUME_OK); /* has it */
        assert_int_equal(fake_volume_changes, changes);
        assert_false(checkpoint_is_damaged());
        for (uint32_t n = 1; n <= 3; n++) {
            record.starts = n;
            assert_int_equal(checkpoint_save(&record), VOLUME_OK);
            assert_int_equal(record.sequence, numbers[i] + n);
            assert_int_equal(checkpoint_load(out), n < 2 ? n : 2);
            assert_int_equal(out[0].starts, n);
            assert_int_equal(out[0].sequence, numbers[i] + n);
            if (n > 1)
                assert_int_equal(out[1].starts, n - 1);
        }
        assert_int_equal(fake_volume_size("s"), size);
        assert_true(checkpoint_is_damaged());
    }
}

/* A string without an end is none, whatever the CRC says. */
static void strings_end(void **state)
{
    static struct checkpoint out[CHECKPOINT_SLOTS];

    (void)state;
    for (unsigned which = 0; which < 4; which++) {
        struct checkpoint record = {.sequence = 0};

        make();
        assert_int_equal(volume_create(VOLUME_STATE, "s"), VOLUME_OK);
        assert_int_equal(checkpoint_allocate(), VOLUME_OK);
        if (which == 1)
            memset(record.machine, 'm', sizeof(record.machine));
        if (which == 2)
            memset(record.report, 'r', sizeof(record.report));
        if (which == 3)
            memset(record.options, 'o', sizeof(record.options));
        assert_int_equal(checkpoint_save(&record), VOLUME_OK);
        assert_int_equal(checkpoint_load(out), which == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_pieces),
        cmocka_unit_test(the_first_free_name),
        cmocka_unit_test(gone_on_with),
        cmocka_unit_test(failures),
        cmocka_unit_test(the_newest_record_first),
        cmocka_unit_test(strings_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
