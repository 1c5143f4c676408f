/* SPDX-License-Identifier: BSD-2-Clause */
/* store.c - names, records and reports on a volume, and a test that resets the
 * machine. */
#include "tests/host/store/store_fixture.h"

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
        packed.findings[i] = (struct finding){.test = five[i]->name,
                                              .verdict = (enum verdict)i,
                                              .observed = i % 2 == 0};
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
