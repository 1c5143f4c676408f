/* SPDX-License-Identifier: BSD-2-Clause */
/* asked.c - whole runs on the fake machine: what options ask for, and what a
 * report says beside results. */
#include "tests/host/session/session_fixture.h"

/* PASS at first, FAIL from the third call on. */
static unsigned calls;

static void fickle_body(struct test_context *t)
{
    note(t, "random: %lx", (unsigned long)test_random(t));
    check(t, calls++ < 2, "too often");
}

static const struct test fickle = {
    "fickle",  ASKS("moods"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, fickle_body,   NULL, 0};
static const struct test *const two_rounds[] = {&fickle, &overflow, NULL};

static void repeats_runs_the_list_again(void **state)
{
    char first[64], second[64];

    (void)state;
    fake_reset();
    inject = NULL;
    calls = 0;
    words = "repeats=3 seed=40";
    struct ktap_totals totals = run(two_rounds, "*", 0);
    words = "";
    assert_sound(totals);
    assert_int_equal(totals.pass, 5);
    assert_int_equal(totals.fail, 1);
    assert_has("\n1..6\n");
    assert_has("\n# round 1 of 3: seed=40\n# running 1: counter3_ov");
    assert_has("\n# round 3 of 3: seed=42\n# running 5: counter3_ov");
    assert_has("\nok 2 - fickle/1\n");
    assert_has("\nok 4 - fickle/2\n");
    assert_has("\nnot ok 6 - fickle/3\n");
    assert_has("\n# summary: not the same in every round: fickle\n");
    assert_lacks("every round: counter3_overflow");
    assert_has("\n# options: tests=* seed=40 repeats=3\n");

    /* Another seed each round, and it is the one that the line says. */
    const char *at = strstr(fake_report, "# random: ");
    snprintf(first, sizeof(first), "%.26s", at);
    at = strstr(at + 1, "# random: ");
    snprintf(second, sizeof(second), "%.26s", at);
    assert_string_not_equal(first, second);
    fake_reset();
    calls = 0;
    words = "seed=41";
    run(two_rounds, "*", 0);
    words = "";
    assert_has(second);
    assert_lacks(first);
}

/* What the round before has left in it is gone. */
static void untidy_body(struct test_context *t)
{
    const size_t bytes = TEST_BUFFER_BYTES + TEST_RECORDS_BYTES;
    uint8_t *buffer = test_buffer(t);
    size_t other = 0;

    for (size_t i = 0; i < bytes; i++)
        other += buffer[i] != buffer[0];
    check_equal(t, "bytes that a test has left", other, 0);
    for (size_t i = 0; i < bytes; i++)
        buffer[i] = (uint8_t)i;
}

static const struct test untidy = {
    "untidy",  ASKS("memory"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, untidy_body,    NULL, 0};
static const struct test *const one_untidy[] = {&untidy, NULL};

static void each_test_has_its_memory_filled(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(2);
    words = "repeats=2";
    struct ktap_totals totals = run(one_untidy, "*", 0);
    words = "";
    assert_int_equal(totals.pass, 2);
}

/* One erratum on both processors, another on one: each name once. */
static void erratum_body(struct test_context *t)
{
    check(t, true, "not said");
    check_known(t, false, ERRATUM_EVENTING_IP, true, "a record");
    check_known(t, test_processor(t) == 0, ERRATUM_PMC2_OVER_ABORTS, true,
                "IA32_PMC2 (C3H)");
}

static const struct test erratum = {
    "erratum", ASKS("errata"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, erratum_body,   NULL, 0};
static const struct test *const one_erratum[] = {&erratum, NULL};

static void errata_are_named_in_the_result(void **state)
{
    (void)state;
    fake_reset();
    fake_processors(2);
    inject = NULL;
    struct ktap_totals totals = run(one_erratum, "*", 0);
    assert_int_equal(totals.known, 1);
    assert_sound(totals);
    assert_has("\n# KNOWN SKL120: a record\n");
    assert_has("\n# processor 1: KNOWN SKL194: IA32_PMC2 (C3H)\n");
    assert_has("\nok 1 - erratum # KNOWN SKL194 SKL120\n");
    assert_has("0 skipped, 1 known\n");
}

static void errors_of_the_board_are_said(void **state)
{
    (void)state;
    fake_reset();
    inject = NULL;
    run(one_overflow, "*", 1);
    assert_lacks("while no test ran");
    fake_reset();
    fake_nmis = 3;
    fake_machine_checks = 2;
    struct ktap_totals totals = run(one_overflow, "*", 1);
    assert_sound(totals);
    assert_int_equal(totals.pass, 1);
    assert_has("\n# warning: 3 NMIs while no test ran: ");
    assert_has("\n# warning: 2 machine checks while no test ran: ");
}

static void processors_left_out_are_not_asked(void **state)
{
    static const struct test *const list[] = {&alone, &scope, &overflow, NULL};

    (void)state;
    fake_reset();
    fake_processors(4);
    inject = NULL;
    words = "processors=1-2";
    struct ktap_totals totals = run(list, "*", 100);
    words = "";
    assert_sound(totals);
    assert_has("\n# excluded by processors=: processors 0,3\n");
    assert_has("\n# processors 1-2: windows: 100\n");
    assert_lacks("processor 0: ");
    assert_lacks("processor 3: ");
    assert_has("force_abort_thread_scope # SKIP needs all processors, and "
               "processors= excludes some\n");
    assert_has("\nok 2 - counter3_overflow\n");
    assert_has("\nnot ok 1 - counter3_counts_alone\n");
    for (fake_current = 0; fake_current < 4; fake_current++)
        assert_int_equal(fake_msr(IA32_PERFEVTSEL(3))->writes != 0,
                         fake_current == 1 || fake_current == 2);
    fake_current = 0;

    fake_reset(); /* the boot processor alone would run the body */
    fake_processors(3);
    words = "processors=0-1";
    totals = run(one_scope, "*", 0);
    words = "";
    assert_sound(totals);
    assert_int_equal(totals.skip, 1);
    assert_has("force_abort_thread_scope # SKIP needs all processors");

    fake_reset(); /* none of those that there are */
    words = "processors=9";
    totals = run(one_overflow, "*", 0);
    words = "";
    assert_sound(totals);
    assert_int_equal(totals.pass, 1);
    assert_has("\n# warning: processors= names none of those that there are: "
               "all are tested\n");
}

static void verbosity_is_what_is_said(void **state)
{
    (void)state;
    fake_reset();
    inject = NULL;
    words = "verbosity=quiet";
    assert_sound(run(three, "*", 100));
    assert_has("\n# running 3: counter3_overflow\nok 3");
    assert_has("\n# windows: 100\n"); /* of the one that fails */
    assert_has("\n# asks: What of alone?\n# rests on: A book");
    fake_reset();
    calls = 0;
    assert_sound(run(two_rounds, "fickle", 0));
    assert_lacks("# random: ");
    fake_reset();
    calls = 0;
    fake_ms_step = 1;
    words = "verbosity=verbose";
    assert_sound(run(two_rounds, "fickle", 0));
    words = "";
    assert_has("# random: ");
    assert_has("\n# rests on: A book, \"A table\"\nok 1 - fickle\n# took ");
    assert_has(" ms, 1 checks\n");
    fake_reset();
    fake_processors(3);
    fake_absent[1] = true; /* of those that answer */
    calls = 0;
    words = "verbosity=verbose";
    assert_sound(run(one_erratum, "*", 0));
    words = "";
    assert_has(" ms, 6 checks\n");
}

static const uint8_t bytes[40] = {0xde, 0xad, 0xbe, 0xef, [39] = 0x42};

static void raw_body(struct test_context *t)
{
    test_raw(t, "bytes of a kind", bytes, sizeof(bytes));
    check(t, calls == 0, "as wanted");
}

static const struct test raw = {"raw",     ASKS("bytes"), CITE, EACH_PROCESSOR,
                                {0, 0, 0}, raw_body,      NULL, 0};
static const struct test *const one_raw[] = {&raw, NULL};

static void raw_bytes(void **state)
{
    static const struct {
        const char *words;
        bool passes, fails; /* shown then */
    } rows[] = {{"raw=off", false, false},
                {"raw=all", true, true},
                {"raw=failed", false, true},
                {"", false, true}};
    char want[160];

    (void)state;
    snprintf(want, sizeof(want),
             "\n# raw, processor 0: bytes of a kind: 40 bytes, crc %08X\n"
             "# raw 0000 deadbeef",
             crc32(0, bytes, sizeof(bytes)));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        words = rows[i].words;
        for (calls = 0; calls < 2; calls++) {
            fake_reset();
            assert_sound(run(one_raw, "*", 0));
            if (calls == 0 ? rows[i].passes : rows[i].fails) {
                assert_has(want);
                assert_has("\n# raw 0020 0000000000000042\n");
            } else {
                assert_lacks("# raw");
            }
        }
    }
    words = "";
}

/* A test of two minutes, which lets the boot processor speak each second. */
static void long_body(struct test_context *t)
{
    for (unsigned i = 0; i < 120; i++) {
        fake_ms += 1000;
        hw_poll();
    }
    check(t, true, "it ends");
}

static const struct test lasting = {
    "lasting", ASKS("time"), CITE, EACH_PROCESSOR,
    {0, 0, 0}, long_body,    NULL, 0};
static const struct test *const one_long[] = {&lasting, NULL};

static void a_tick_every_ten_seconds(void **state)
{
    unsigned last = 0, ticks = 0, seconds, n;

    (void)state;
    fake_reset();
    assert_sound(run(one_long, "*", 0));
    for (const char *at = fake_report; (at = strstr(at, "\n# tick ")) != NULL;
         at++) {
        assert_int_equal(sscanf(at, "\n# tick %u s: test %u\n", &seconds, &n),
                         2);
        assert_true(seconds > last && seconds - last <= 10);
        assert_int_equal(n, 1);
        last = seconds;
        ticks++;
    }
    assert_true(ticks >= 12 && last >= 110);
    assert_has("\n# took 120000 ms: more than the 250 ms that are meant\n");
    fake_reset(); /* and none in a short run */
    run(one_overflow, "*", 0);
    assert_lacks("# tick");
    assert_lacks("# took");
    fake_reset();
    run(one_long, "*", 2000); /* of other trials it says nothing */
    assert_lacks("# took");
}

static unsigned troubles;

static const char *failure(void *self)
{
    (void)self;
    return troubles++ == 20 ? "the other sink is full" : NULL;
}

static void ignore(void *self, const char *text, size_t count)
{
    (void)self, (void)text, (void)count;
}

static void ignore_flush(void *self)
{
    (void)self;
}

/* One line in the report, which goes on. */
static void a_failed_sink_is_reported(void **state)
{
    struct options options;
    struct sink sinks[2];
    void *workspace = malloc(session_workspace(1));

    (void)state;
    fake_reset();
    fake_cases = three;
    inject = NULL;
    options_default(&options);
    fake_sink(&sinks[0]);
    sinks[1] = (struct sink){
        .write = ignore, .flush = ignore_flush, .failure = failure};
    struct session_setup setup = {.options = &options,
                                  .sinks = sinks,
                                  .sinks_count = 2,
                                  .program = "tsxpmu",
                                  .serial = "I/O port 3F8H (probed)",
                                  .workspace = workspace};
    assert_sound(session_run(&setup));
    assert_has("\n# warning: the other sink is full\n");
    assert_has("\n# serial port: I/O port 3F8H (probed)\n");
    free(workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_runs_the_list_again),
        cmocka_unit_test(each_test_has_its_memory_filled),
        cmocka_unit_test(errata_are_named_in_the_result),
        cmocka_unit_test(errors_of_the_board_are_said),
        cmocka_unit_test(processors_left_out_are_not_asked),
        cmocka_unit_test(verbosity_is_what_is_said),
        cmocka_unit_test(raw_bytes),
        cmocka_unit_test(a_tick_every_ten_seconds),

        cmocka_unit_test(a_failed_sink_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
