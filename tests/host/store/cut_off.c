/* SPDX-License-Identifier: BSD-2-Clause */
/* cut_off.c - runs on a volume that is cut off, fails, is full or is not there:
 * results once written stay, and the report is whole in the end. */
#include "tests/host/store/store_fixture.h"

/* Whatever is being written when the power fails: what came before stays. The
 * fake takes back what was not flushed, or a part. Settled is a result that
 * something of the next test followed. */
static void power_fails_at_every_change(void **state)
{
    static const char *const results[] = {
        "\nok 1 - a_good\n", "\nnot ok 2 - b_bad\n", "\nok 3 - c_reset\n",
        "\nok 4 - d_skipped # SKIP ", "\nok 5 - e_good\n"};
    static const char *const after[] = {"# running 2", "# running 3",
                                        "# running 4", "# running 5",
                                        "# summary"};
    static char before[65536];
    unsigned cuts = 0;

    (void)state;
    for (unsigned seed = 1; seed <= 4; seed++)
        for (unsigned n = 1;; n++, cuts++) {
            begin();
            fake_volume_off_at = n;
            fake_volume_off_seed = seed;
            if (start())
                break;
            strcpy(before, fake_report);
            assert_true(start());
            assert_sound(fake_report);
            assert_true(count_of(fake_report, "# ERROR machine reset") <= 1);
            bool whole = strstr(before, "# END ") != NULL && offered == NULL;
            if (offered == NULL && !whole) /* before there was a record */
                assert_null(strstr(before, "# running"));
            const char *last = fake_volume_report(0);
            for (unsigned i = 1; fake_volume_report(i) != NULL; i++)
                last = fake_volume_report(i);
            assert_string_equal(fake_volume_file(last), fake_report);
            for (unsigned i = 0; !whole && i < 5; i++)
                if (strstr(before, after[i]) != NULL)
                    assert_has(fake_report, results[i]);
            if (whole) {
                assert_memory_equal(fake_volume_file(fake_volume_report(0)),
                                    before, strlen(before));
                continue;
            }
            for (unsigned i = 0; fake_volume_report(i + 1) != NULL; i++)
                assert_null(strstr(fake_volume_file(fake_volume_report(i)),
                                   "- a_good"));
        }
    assert_true(cuts > 4 * 50);
}

/* Again and again, and still it comes to an end. */
static void power_fails_in_every_start(void **state)
{
    unsigned starts = 0;

    (void)state;
    for (unsigned n = 1; n <= 60; n++) {
        begin();
        for (starts = 1; starts < 60; starts++) {
            fake_volume_off_seed = starts;
            fake_volume_off_at = n;
            if (start())
                break;
        }
        if (starts < 60) {
            fake_volume_off_at = 0;
            assert_sound(fake_report);
        } else {
            assert_true(n < 50); /* before there is a first record */
        }
    }
}

/* What resets the machine is no test: three starts, then an end without one. */
static void resets_outside_of_tests_are_given_up(void **state)
{
    (void)state;
    begin();
    reset_in_body = true;
    assert_false(start());
    for (unsigned i = 0; i < STORE_STARTS_MAX; i++) {
        fake_volume_off_at = 3; /* in the start's own writes */
        assert_false(start());
        assert_non_null(offered);
    }
    assert_true(start());
    assert_int_equal(bodies, 1);
    assert_sound(fake_report);
    assert_string_equal(fake_volume_file(REPORT), fake_report);
    assert_has(fake_report, "not ok 3 - c_reset # ERROR machine reset\n");
    assert_has(fake_report, "not ok 4 - d_skipped # ERROR not tried: 3 starts "
                            "in a row ended in a reset outside of tests\n");
    assert_has(fake_report, "not ok 5 - e_good # ERROR not tried: ");
    reset_in_body = false;
    assert_true(start());
    assert_null(offered);
}

/* After fewer of them the rest is run. */
static void fewer_resets_are_not(void **state)
{
    (void)state;
    for (unsigned resets = 0; resets < STORE_STARTS_MAX; resets++) {
        begin();
        reset_in_body = true;
        assert_false(start());
        for (unsigned i = 0; i < resets; i++) {
            fake_volume_off_at = 3;
            assert_false(start());
        }
        assert_true(start());
        assert_sound(fake_report);
        assert_has(fake_report, "not ok 3 - c_reset # ERROR machine reset\n");
        assert_has(fake_report, "\nok 5 - e_good\n");
        assert_null(strstr(fake_report, "not tried"));
    }
}

static void assert_not_continued(const char *why)
{
    char line[STORE_LINE_BYTES];

    snprintf(line, sizeof(line), REPORT " is incomplete: not continued, %s",
             why);
    assert_null(offered);
    assert_non_null(warned);
    assert_string_equal(warned, line);
    snprintf(line, sizeof(line), "# warning: %s", warned);
    assert_has(fake_report, line);
    assert_sound(fake_report);
    assert_has(fake_report, "\nok 3 - c_reset\n");
}

static void interrupted(void)
{
    begin();
    reset_in_body = true;
    assert_false(start());
    reset_in_body = false;
}

/* The medium stored the newest checkpoint and lost the report's last part, but
 * the report was flushed first. */
static void a_report_that_is_behind_its_record(void **state)
{
    (void)state;
    interrupted();
    *strstr(fake_volume_file(REPORT), "running 3") = '\n';
    assert_true(start());
    assert_string_equal(offered, REPORT ": interrupted after 2 of 5 tests");
    assert_null(warned);
    assert_sound(fake_report);
    assert_string_equal(fake_volume_file(REPORT), fake_report);
    assert_has(fake_report,
               "\nok 3 - c_reset\n"); /* no checkpoint says that it ran */
}

static void what_is_not_continued(void **state)
{
    (void)state;
    interrupted();
    assert_true(start_as(OPTIONS, IMAGE, 0xd6));
    assert_not_continued("because made with another processor or microcode");
    assert_true(start());
    assert_null(warned); /* said once */

    interrupted();
    assert_true(start_as(OPTIONS, IMAGE + 1, 0xc6));
    assert_not_continued("because made with another version of the program");

    interrupted();
    assert_true(start_as("trials=5", IMAGE, 0xc6));
    assert_not_continued("because made with other options");
    const char *old = fake_volume_file(REPORT);
    assert_string_equal(strrchr(old, '#'), /* without room for more */
                        "# running 3: c_reset\n");

    interrupted();
    fake_volume_file(REPORT)[20] ^= 1;
    assert_true(start());
    assert_not_continued("because it has changed");

    interrupted();
    forget = true; /* the user wants a new one */
    assert_true(start());
    assert_non_null(offered);
    assert_has(fake_report, "\nok 3 - c_reset\n");
    assert_sound(fake_report);
    assert_has(fake_volume_file(REPORT), "# running 3: c_reset");
    assert_true(start());
    assert_null(offered);
}

static void no_volume(void **state)
{
    (void)state;
    begin();
    fake_volume_none();
    assert_true(start());
    assert_sound(fake_report);
    assert_has(fake_report, "# warning: the report is not written to a file: "
                            "there is no volume\n");
    assert_has(fake_report, "\nok 5 - e_good\n");
}

/* From the n-th change on: the serial port's report is whole, and says so once;
 * not at all where only the END line was to be written. */
static void volume_fails_at_every_change(void **state)
{
    static const enum volume_end ends[] = {VOLUME_FULL, VOLUME_READ_ONLY,
                                           VOLUME_FAILED, VOLUME_GONE};
    unsigned failures = 0;

    (void)state;
    for (unsigned e = 0; e < 4; e++)
        for (unsigned n = 1; n < 200; n++) {
            begin();
            fake_volume_fail_at = n;
            fake_volume_fail_with = ends[e];
            assert_true(start());
            assert_sound(fake_report);
            assert_has(fake_report, "\nok 5 - e_good\n");
            if (fake_volume_fail_at != 0)
                break;
            failures++;
            if (strstr(fake_report, "# warning: ") == NULL &&
                fake_volume_file(REPORT) != NULL)
                assert_int_equal(strncmp(fake_volume_file(REPORT), fake_report,
                                         (size_t)(strstr(fake_report, "# END") -
                                                  fake_report)),
                                 0);
            assert_true(count_of(fake_report, "the report is ") <= 1);
            assert_true(count_of(fake_report, "a reset would ") <= 1);
            if (ends[e] == VOLUME_GONE)
                assert_true(count_of(fake_report, "# warning: ") <= 1);
        }
    assert_true(failures > 100);
}

static void full_volume_is_reported(void **state)
{
    (void)state;
    begin();
    fake_volume_fail_at = 1;
    fake_volume_fail_with = VOLUME_READ_ONLY;
    assert_true(start());
    assert_has(fake_report,
               "# warning: the report is not written to a file: the "
               "volume is write-protected\n");
    assert_null(fake_volume_report(0));

    begin();
    fake_volume_fail_at = 2; /* there is room for the name only */
    fake_volume_fail_with = VOLUME_FULL;
    assert_true(start());
    assert_has(fake_report, "# warning: a reset would lose this run, which is "
                            "not saved in state.bin: the volume is full\n");
    assert_has(fake_report,
               "# warning: the report is no longer written to " REPORT
               ": the volume is full\n");
    assert_null(fake_volume_report(0)); /* no empty file */
    assert_sound(fake_report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_fails_at_every_change),
        cmocka_unit_test(power_fails_in_every_start),
        cmocka_unit_test(resets_outside_of_tests_are_given_up),
        cmocka_unit_test(fewer_resets_are_not),
        cmocka_unit_test(a_report_that_is_behind_its_record),
        cmocka_unit_test(what_is_not_continued),
        cmocka_unit_test(no_volume),
        cmocka_unit_test(volume_fails_at_every_change),
        cmocka_unit_test(full_volume_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
