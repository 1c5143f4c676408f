/* SPDX-License-Identifier: BSD-2-Clause */
/* store.c - runs on a volume that is cut off, fails, is full or is not
 * there: results once written stay, and the report is whole in the end. */
#include "src/session/outcomes.h"
#include "src/base/crc.h"
#include "src/session/resume.h"
#include "src/store/report_name.h"
#include "src/store/store.h"
#include "tests/host/fakes/fake_hw.h"
#include "tests/host/fakes/fake_volume.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#undef skip /* src/harness/case.h has one too */

#define REPORT  "20261121-0907-06_5E_3-C6.log"
#define IMAGE   0x89abcdef
#define OPTIONS "tests=*"

static jmp_buf power;
static bool reset_in_body;
static unsigned bodies; /* of the test that resets, begun */

static void power_off(void)
{
    longjmp(power, 1);
}

static void good_body(struct test_context *t)
{
    check(t, true, "good");
}

static void bad_body(struct test_context *t)
{
    check_equal(t, "IA32_PMC3 (C4H)", 4, 5);
}

static void skipped_body(struct test_context *t)
{
    skip(t, "needs what is not there");
}

static void reset_body(struct test_context *t)
{
    check(t, true, "good");
    bodies++;
    if (reset_in_body) {
        fake_volume_cut_power();
        power_off();
    }
}

#define T(id, body_of)                                        \
    static const struct test id = {#id,       "What of it?",  \
                                   "A book",  EACH_PROCESSOR, \
                                   {0, 0, 0}, body_of,        \
                                   NULL}
T(a_good, good_body);
T(b_bad, bad_body);
T(c_reset, reset_body);
T(d_skipped, skipped_body);
T(e_good, good_body);

static const struct test *const five[] = {&e_good, &d_skipped, &c_reset,
                                          &a_good, &b_bad,     NULL};

/* What the last start found, warned of, and said. */
static const char *offered, *warned, *refused;
static struct store store;
static bool forget;
static unsigned runs; /* in one start, by the menu */

/* One run of the start. warnings: room for one more. */
static void run(const struct options *options, uint32_t image,
                const char *warnings[], unsigned count)
{
    static struct sink sinks[2];
    static void *workspace;

    if (workspace == NULL)
        workspace = malloc(session_workspace(2));
    fake_sink(&sinks[0]);
    refused = store_open(&store, options, &sinks[1]);
    if (refused != NULL)
        warnings[count++] = refused;
    struct session_setup setup = {
        .options = options,
        .sinks = sinks,
        .sinks_count = refused != NULL ? 1 : 2,
        .program = "tsxpmu 0.1 (git 1234567)",
        .image_crc = image,
        .warnings = warnings,
        .warnings_count = count,
        .store = refused != NULL ? NULL : &store,
        .workspace = workspace,
    };
    session_run(&setup);
}

/* A power-on; what the serial port says is in fake_report. False where the
 * power failed before the end. */
static bool start_as(const char *words, uint32_t image, unsigned microcode)
{
    static struct options options;
    static struct identity id;
    static char warning[STORE_LINE_BYTES], offer[STORE_LINE_BYTES];
    const char *warnings[2];
    unsigned count = 0;

    fake_volume_power_on();
    fake_reset();
    fake_processors(2);
    fake_cases = five;
    for (fake_current = 0; fake_current < 2; fake_current++)
        fake_msr(0x8b)->value = (uint64_t)microcode << 32;
    fake_current = 0;
    if (setjmp(power) != 0)
        return false;
    options_default(&options);
    options_parse(&options, words, strlen(words), NULL, NULL);
    identity_read(&id);
    offered = store_find(&store, &id, image, &options, &warned)
                  ? resume_offer(&store, offer)
                  : NULL;
    if (warned != NULL) {
        snprintf(warning, sizeof(warning), "%s", warned);
        warnings[count++] = warned = warning;
    }
    if (offered != NULL && forget)
        store_forget(&store);
    else if (offered != NULL)
        store_options(&store, &options);
    for (unsigned i = 0; i < runs; i++)
        run(&options, image, warnings, count);
    return true;
}

static bool start(void)
{
    return start_as(OPTIONS, IMAGE, 0xc6);
}

static void begin(void)
{
    fake_volume_reset();
    fake_volume_power_off = power_off;
    reset_in_body = forget = false;
    runs = 1;
    bodies = 0;
}

static void assert_has(const char *text, const char *what)
{
    if (strstr(text, what) == NULL) {
        print_error("not there: %s\nin:\n%s", what, text);
        fail();
    }
}

static unsigned count_of(const char *text, const char *what)
{
    unsigned n = 0;

    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

/* What the END line says is true of the text, and it is the last. */
static void assert_sound(const char *text)
{
    char want[128];
    const char *end = strstr(text, "# END ");

    assert_non_null(end);
    snprintf(want, sizeof(want),
             "# END pass=%u fail=%u error=%u skip=%u known=0 crc=%08X\n",
             count_of(text, "\nok ") - count_of(text, "# SKIP "),
             count_of(text, "\nnot ok ") - count_of(text, "# ERROR "),
             count_of(text, "# ERROR "), count_of(text, "# SKIP "),
             crc32(0, text, (size_t)(end - text)));
    assert_string_equal(end, want);
}

static void names(void **state)
{
    struct identity id = {.family = 6,
                          .model = 0x5e,
                          .stepping = 3,
                          .microcode = 0xcc,
                          .microcode_known = true};
    struct volume_time time = {2026, 11, 21, 9, 7};
    char machine[MACHINE_NAME_BYTES], name[VOLUME_NAME_BYTES];

    (void)state;
    machine_name(&id, machine);
    assert_string_equal(machine, "06_5E_3-CC");
    report_name(&time, machine, 1, name);
    assert_string_equal(name, "20261121-0907-06_5E_3-CC.log");
    report_name(&time, machine, 2, name);
    assert_string_equal(name, "20261121-0907-06_5E_3-CC-2.log");
    report_name(NULL, machine, 12, name);
    assert_string_equal(name, "0012-06_5E_3-CC.log");
    id = (struct identity){.family = 0xff,
                           .model = 0xff,
                           .stepping = 15,
                           .microcode = UINT32_MAX,
                           .microcode_known = true};
    machine_name(&id, machine);
    report_name(&time, machine, REPORT_NAME_TRIES, name);
    assert_string_equal(name, "20261121-0907-FF_FF_F-FFFFFFFF-9999.log");
    id.microcode_known = false;
    machine_name(&id, machine);
    assert_string_equal(machine, "FF_FF_F-none");
}

/* Whichever byte of it is damaged: the other one counts. */
static void a_damaged_record_is_none(void **state)
{
    static struct checkpoint out[CHECKPOINT_SLOTS];
    struct checkpoint record = {.point.report.results = 1};

    (void)state;
    begin();
    assert_int_equal(volume_create(VOLUME_STATE, CHECKPOINT_FILE_NAME),
                     VOLUME_OK);
    assert_int_equal(checkpoint_allocate(), VOLUME_OK);
    assert_int_equal(checkpoint_load(out), 0);
    assert_int_equal(checkpoint_save(&record), VOLUME_OK);
    record.point.report.results = 2;
    assert_int_equal(checkpoint_save(&record), VOLUME_OK);
    assert_int_equal(checkpoint_load(out), 2);
    assert_int_equal(out[0].point.report.results, 2);
    assert_int_equal(out[1].point.report.results, 1);
    char *slot = fake_volume_file(CHECKPOINT_FILE_NAME); /* number 2 */
    for (size_t i = 0; i < sizeof(record); i++) {
        slot[i] ^= 0x10;
        assert_int_equal(checkpoint_load(out), 1);
        assert_int_equal(out[0].point.report.results, 1);
        slot[i] ^= 0x10;
    }
}

/* It is said, where it is not merely new. */
static void damaged_records_are_said(void **state)
{
    struct options options;
    struct identity id = {.vendor = "GenuineIntel"};
    const char *warn;

    (void)state;
    begin();
    options_default(&options);
    assert_false(store_find(&store, &id, 0, &options, &warn));
    assert_null(warn);
    assert_int_equal(volume_create(VOLUME_STATE, CHECKPOINT_FILE_NAME),
                     VOLUME_OK);
    assert_int_equal(checkpoint_allocate(), VOLUME_OK);
    volume_close(VOLUME_STATE);
    assert_false(store_find(&store, &id, 0, &options, &warn));
    assert_null(warn);
    volume_close(VOLUME_STATE);
    fake_volume_file(CHECKPOINT_FILE_NAME)[131072 + 7] = 1;
    assert_false(store_find(&store, &id, 0, &options, &warn));
    assert_string_equal(warn, "state.bin cannot be read, so that an "
                              "interrupted run is not continued: it holds no "
                              "record of this program's");
}

static void findings_come_back(void **state)
{
    static struct outcomes packed, back;
    struct suite suite = {.count = 5, .rounds = 1};
    uint8_t bytes[CHECKPOINT_FINDINGS_MAX];

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        suite.tests[i] = five[i];
        packed.findings[i] =
            (struct finding){five[i]->name, (enum verdict)i, i % 2 == 0};
        packed.vary[i] = i % 3 == 0;
        packed.resets[i] = i == 2;
    }
    outcomes_pack(&packed, &suite, bytes);
    outcomes_unpack(&back, &suite, bytes);
    for (unsigned i = 0; i < 5; i++) {
        assert_ptr_equal(back.findings[i].test, five[i]->name);
        assert_int_equal(back.findings[i].verdict, i);
        assert_int_equal(back.findings[i].observed, i % 2 == 0);
        assert_int_equal(back.vary[i], i % 3 == 0);
        assert_int_equal(back.resets[i], i == 2);
    }
}

/* Each with its own name; nothing is left to continue. */
static void every_run_has_its_report(void **state)
{
    (void)state;
    begin();
    assert_true(start());
    assert_null(offered);
    assert_null(warned);
    assert_string_equal(fake_volume_file(REPORT), fake_report);
    assert_int_equal(fake_volume_size(REPORT), strlen(fake_report));
    assert_sound(fake_report);
    assert_int_equal(count_of(fake_report, "\nok "), 4);

    static char first[65536];
    strcpy(first, fake_report);
    assert_true(start());
    assert_null(offered);
    assert_string_equal(fake_volume_file("20261121-0907-06_5E_3-C6-2.log"),
                        fake_report);
    assert_string_equal(fake_volume_file(REPORT), first);
    begin();
    runs = 2;
    assert_true(start());
    assert_string_equal(fake_volume_file("20261121-0907-06_5E_3-C6-2.log"),
                        strstr(fake_report + 1, "KTAP version 1"));
    runs = 1;
    fake_volume_clock = false;
    assert_true(start());
    assert_string_equal(fake_volume_file("0001-06_5E_3-C6.log"), fake_report);
}

static void a_test_that_resets_the_machine(void **state)
{
    (void)state;
    begin();
    reset_in_body = true;
    assert_false(start());
    assert_true(start()); /* it is not tried again */
    assert_int_equal(bodies, 1);
    assert_string_equal(offered,
                        REPORT ": interrupted in test 3 of 5, c_reset");
    assert_sound(fake_report);
    assert_string_equal(fake_volume_file(REPORT), fake_report);
    assert_has(fake_report, "\nok 1 - a_good\n");
    assert_has(fake_report, "\nnot ok 2 - b_bad\n");
    assert_has(fake_report, "\nnot ok 3 - c_reset # ERROR machine reset\n");
    assert_has(fake_report, "\nok 5 - e_good\n");
    assert_has(fake_report,
               "# summary: 2 tests passed, 1 failed, 1 in error, 1 skipped, "
               "0 known\n");
    assert_null(fake_volume_report(1)); /* one report */

    reset_in_body = false; /* a new run */
    assert_true(start());
    assert_null(offered);
    assert_has(fake_report, "\nok 3 - c_reset\n");
}

static void not_even_in_a_later_round(void **state)
{
    (void)state;
    begin();
    reset_in_body = true;
    assert_false(start_as("repeats=3", IMAGE, 0xc6));
    assert_true(start_as("repeats=3", IMAGE, 0xc6));
    assert_int_equal(bodies, 1);
    assert_sound(fake_report);
    assert_has(fake_report, "not ok 3 - c_reset/1 # ERROR machine reset\n");
    assert_has(fake_report, "not ok 8 - c_reset/2 # ERROR not tried: ");
    assert_has(fake_report, "not ok 13 - c_reset/3 # ERROR not tried: ");
    assert_has(fake_report, "ok 15 - e_good/3\n");
}

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
                        "# running 3 of 5: c_reset: What of it?\n");

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
    assert_has(fake_volume_file(REPORT), "# running 3 of 5: c_reset");
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
        cmocka_unit_test(names),
        cmocka_unit_test(a_damaged_record_is_none),
        cmocka_unit_test(damaged_records_are_said),
        cmocka_unit_test(findings_come_back),
        cmocka_unit_test(every_run_has_its_report),
        cmocka_unit_test(a_test_that_resets_the_machine),
        cmocka_unit_test(not_even_in_a_later_round),
        cmocka_unit_test(power_fails_at_every_change),
        cmocka_unit_test(power_fails_in_every_start),
        cmocka_unit_test(resets_outside_of_tests_are_given_up),
        cmocka_unit_test(a_report_that_is_behind_its_record),
        cmocka_unit_test(what_is_not_continued),
        cmocka_unit_test(no_volume),
        cmocka_unit_test(volume_fails_at_every_change),
        cmocka_unit_test(full_volume_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
