/* SPDX-License-Identifier: BSD-2-Clause */
/* result.c - the contexts of four processors as one result: verdict, reason,
 * what was OBSERVED, windows, errata, and which lines are said. */
#include "src/report/result.h"
#include "src/base/crc.h"
#include "src/report/raw.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define PROCESSORS 4

static const struct test each = {
    .name = "each", .asks = "What?", .cite = "A book", .scope = EACH_PROCESSOR};
static const struct test whole = {
    .name = "whole", .asks = "What?", .cite = "A book", .scope = WHOLE_MACHINE};
static struct test_context all[PROCESSORS];
static struct options options;

/* All have run the test to its end, and said nothing yet. */
static void begin(const struct test *test)
{
    fake_reset();
    memset(all, 0, sizeof(all));
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].processor = p;
        context_begin(&all[p], test, 1);
        all[p].end = HW_DONE;
    }
    options_default(&options);
}

static struct finding write(void)
{
    struct sink sink;
    struct ktap out;

    fake_reset();
    fake_sink(&sink);
    ktap_open(&out, &sink, 1, 1);
    return result_write(&out, all, PROCESSORS, "name", &options);
}

/* All that is written after the plan. */
static void writes(enum verdict verdict, const char *want)
{
    struct finding finding = write();

    assert_int_equal(finding.verdict, verdict);
    assert_string_equal(finding.test, all[0].test->name);
    assert_string_equal(fake_report + strlen("KTAP version 1\n1..1\n"), want);
}

static void pass_on(unsigned from, unsigned to)
{
    for (unsigned p = from; p <= to; p++)
        check(&all[p], true, "not said");
}

static void verdicts(void **state)
{
    (void)state;
    begin(&each);
    pass_on(0, 3);
    writes(VERDICT_PASS, "ok 1 - name\n");
    begin(&each);
    pass_on(0, 2);
    (skip)(&all[3], "needs RTM");
    writes(VERDICT_PASS, "# processor 3: SKIP: needs RTM\nok 1 - name\n");
    begin(&each);
    pass_on(0, 2);
    check(&all[3], false, "is wrong");
    writes(VERDICT_FAIL, "# processor 3: FAIL: is wrong\n# asks: What?\n"
                         "# rests on: A book\nnot ok 1 - name\n");
    begin(&each);
    pass_on(0, 2);
    writes(VERDICT_ERROR, "# processor 3: ERROR: made no check\n"
                          "# asks: What?\n# rests on: A book\n"
                          "not ok 1 - name # ERROR processor 3: made no "
                          "check\n");
    /* In a test of the whole machine one may do it for all, but one must. */
    begin(&whole);
    pass_on(1, 1);
    for (unsigned p = 2; p < PROCESSORS; p++)
        all[p].end = HW_NOT_SELECTED;
    writes(VERDICT_PASS, "ok 1 - name\n");
    begin(&whole);
    writes(VERDICT_ERROR, "# asks: What?\n# rests on: A book\n"
                          "not ok 1 - name # ERROR made no check\n");
}

static void reasons(void **state)
{
    (void)state;
    /* One for all: the result line has it, and no other. */
    begin(&each);
    for (unsigned p = 0; p < PROCESSORS; p++)
        (skip)(&all[p], "needs RTM");
    writes(VERDICT_SKIP, "ok 1 - name # SKIP needs RTM\n");
    /* Two, of as many letters. */
    begin(&each);
    for (unsigned p = 0; p < PROCESSORS; p++)
        (skip)(&all[p], p == 2 ? "needs HLE" : "needs RTM");
    writes(VERDICT_SKIP, "# processors 0-1,3: SKIP: needs RTM\n"
                         "# processor 2: SKIP: needs HLE\n"
                         "ok 1 - name # SKIP processors 0-1,3: needs RTM\n");
    /* What else is said is said. */
    begin(&each);
    for (unsigned p = 0; p < PROCESSORS; p++)
        (skip)(&all[p], "needs RTM");
    note(&all[1], "by the way");
    writes(VERDICT_SKIP, "# SKIP: needs RTM\n# processor 1: by the way\n"
                         "ok 1 - name # SKIP needs RTM\n");
    /* The reason is of the worst verdict, not of the first processor. */
    begin(&each);
    check(&all[0], false, "is wrong");
    pass_on(1, 1);
    broken(&all[2], "no memory");
    broken(&all[3], "no memory");
    writes(VERDICT_ERROR, "# processor 0: FAIL: is wrong\n"
                          "# processors 2-3: ERROR: no memory\n"
                          "# asks: What?\n# rests on: A book\n"
                          "not ok 1 - name # ERROR processors 2-3: no memory"
                          "\n");
    /* One that names its processor is not given a name twice. */
    begin(&each);
    pass_on(0, 2);
    broken(&all[3], "processor 3 is gone");
    write();
    assert_non_null(strstr(fake_report, "# ERROR processor 3 is gone\n"));
    /* Those that took no part say nothing against it. */
    begin(&whole);
    broken(&all[0], "no memory");
    writes(VERDICT_ERROR, "# processor 0: ERROR: no memory\n# asks: What?\n"
                          "# rests on: A book\nnot ok 1 - name # ERROR no "
                          "memory\n");
}

static void lost_processors(void **state)
{
    (void)state;
    begin(&each);
    pass_on(0, 3);
    context_set_lost(&all[2], "never came up");
    writes(VERDICT_ERROR, "# processor 2: ERROR: processor 2 never came up\n"
                          "# asks: What?\n# rests on: A book\n"
                          "not ok 1 - name # ERROR processor 2 never came up"
                          "\n");
    /* Of the whole machine: where it had a part in it, and always where it is
     * the one that the body runs on. */
    begin(&whole);
    pass_on(0, 0);
    context_set_lost(&all[2], "never came up");
    all[2].end = HW_NOT_SELECTED;
    writes(VERDICT_PASS, "ok 1 - name\n");
    begin(&whole);
    pass_on(0, 0);
    context_set_lost(&all[2], "never came up");
    all[2].end = HW_TIMEOUT;
    assert_int_equal(write().verdict, VERDICT_ERROR);
    begin(&whole);
    pass_on(1, 1);
    context_set_lost(&all[0], "never came up");
    all[0].end = HW_NOT_SELECTED;
    assert_int_equal(write().verdict, VERDICT_ERROR);
    assert_non_null(strstr(fake_report, "# ERROR processor 0 never came up"));
    /* The user leaves it out: as if it were not there. */
    begin(&each);
    pass_on(0, 2);
    note(&all[3], "from before");
    context_exclude(&all[3]);
    writes(VERDICT_PASS, "ok 1 - name\n");
}

static void greatest_part_observed(void **state)
{
    (void)state;
    begin(&each);
    observe(&all[0], "it", 3, 10);
    observe(&all[1], "it", 0, 10);
    observe(&all[2], "it", 1, 2); /* fewer, and a greater part */
    observe(&all[3], "it", 49, 100);
    assert_true(write().observed);
    assert_non_null(strstr(fake_report, "ok 1 - name # OBSERVED 1 of 2\n"));
    all[2].lost = true; /* writes them perhaps */
    assert_true(write().observed);
    begin(&each);
    for (unsigned p = 0; p < PROCESSORS; p++)
        observe(&all[p], "it", 0, 10);
    assert_false(write().observed);
    assert_non_null(strstr(fake_report, "\nok 1 - name\n"));
    begin(&each);
    pass_on(0, 3);
    observe(&all[1], "it", 7, 7);
    context_set_lost(&all[1], "never came up");
    assert_false(write().observed);
}

static void windows_added_up(void **state)
{
    struct finding finding;

    (void)state;
    begin(&each);
    pass_on(0, 3);
    for (unsigned p = 0; p < PROCESSORS; p++)
        for (unsigned b = 0; b < PROVOKED_BESIDES; b++)
            windows_provoked(&all[p], b, 1u << (p + 4 * b), 100u << p);
    context_set_lost(&all[1], "never came up");
    finding = write();
    for (unsigned b = 0; b < PROVOKED_BESIDES; b++) {
        assert_int_equal(finding.windows[b].wrong, 13u << 4 * b);
        assert_int_equal(finding.windows[b].of, 1300);
    }
}

/* Each once, whoever has met it. Specification update 334663: SKL018, SKL164
 * and SKL194. */
static void errata_met(void **state)
{
    static const enum erratum met[PROCESSORS] = {
        ERRATUM_STATUS_SET_63, ERRATUM_EVENTING_IP_BEFORE_JCC,
        ERRATUM_STATUS_SET_63, ERRATUM_PMC2_OVER_ABORTS};

    (void)state;
    begin(&each);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        all[p].cpu = (struct identity){
            .vendor = "GenuineIntel", .family = 6, .model = 0x5e};
        check_known(&all[p], false, met[p], true, "so");
    }
    assert_int_equal(write().verdict, VERDICT_KNOWN);
    const char *last = strstr(fake_report, "\nok 1 - name # KNOWN ");
    assert_non_null(last);
    assert_int_equal(strlen(strchr(last, 'K')),
                     strlen("KNOWN SKL018 SKL164 SKL194\n"));
    assert_non_null(strstr(last, "SKL018"));
    assert_non_null(strstr(last, "SKL164"));
    assert_non_null(strstr(last, "SKL194"));
    assert_null(strstr(fake_report, "# asks: What?\n"));
    for (unsigned p = 1; p < PROCESSORS; p++)
        context_exclude(&all[p]);
    write();
    assert_non_null(strstr(fake_report, "\nok 1 - name # KNOWN SKL164\n"));
}

static void how_much_is_said(void **state)
{
    (void)state;
    begin(&each);
    options.verbosity = VERBOSITY_QUIET;
    pass_on(0, 3);
    note(&all[0], "by the way");
    writes(VERDICT_PASS, "ok 1 - name\n");
    options.verbosity = VERBOSITY_VERBOSE;
    writes(VERDICT_PASS, "# processor 0: by the way\n# asks: What?\n"
                         "# rests on: A book\nok 1 - name\n");
    begin(&each);
    options.verbosity = VERBOSITY_QUIET;
    pass_on(0, 3);
    check(&all[0], false, "is wrong");
    writes(VERDICT_FAIL, "# processor 0: FAIL: is wrong\n# asks: What?\n"
                         "# rests on: A book\nnot ok 1 - name\n");
    /* Numbers together but where each is asked for. */
    begin(&each);
    for (unsigned p = 0; p < PROCESSORS; p++)
        note(&all[p], "saw %u", p);
    pass_on(0, 3);
    writes(VERDICT_PASS, "# saw 0..3\nok 1 - name\n");
    options.verbosity = VERBOSITY_VERBOSE;
    write();
    assert_non_null(strstr(fake_report, "# processor 3: saw 3\n"));
}

/* A line that says what it is, then 32 bytes a line. */
static void raw_bytes(void **state)
{
    static uint8_t bytes[RAW_BYTES_MAX + 1];
    char want[200];

    (void)state;
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i + 0x9e);
    static const struct {
        enum raw raw;
        bool bad, written;
    } rows[] = {
        {RAW_FAILED, false, false}, {RAW_FAILED, true, true},
        {RAW_ALL, false, true},     {RAW_ALL, true, true},
        {RAW_OFF, false, false},    {RAW_OFF, true, false},
    };
    for (unsigned n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        begin(&each);
        options.raw = rows[n].raw;
        pass_on(0, 3);
        check(&all[0], !rows[n].bad, "is wrong");
        for (unsigned p = 0; p < PROCESSORS; p++) {
            all[p].raw = bytes + p;
            all[p].raw_bytes = p == 1 ? 0 : 34;
            all[p].raw_what = "bytes";
        }
        all[2].raw = NULL;
        context_exclude(&all[3]);
        write();
        assert_int_equal(strstr(fake_report, "# raw") != NULL, rows[n].written);
    }
    /* Of processors that fail the first, not of those that pass, as where one
     * was lost. */
    for (unsigned of = 0; of < 3; of++) {
        begin(&each);
        options.raw = of == 2 ? RAW_ALL : RAW_FAILED;
        pass_on(0, 3);
        if (of == 0)
            context_set_lost(&all[1], "is lost");
        for (unsigned p = 0; p < PROCESSORS; p++) {
            if (of != 0)
                check(&all[p], p == 0, "is wrong");
            all[p].raw = bytes;
            all[p].raw_bytes = 1;
            all[p].raw_what = "bytes";
        }
        write();
        for (unsigned p = 0; p < PROCESSORS; p++) {
            snprintf(want, sizeof(want), "# raw, processor %u:", p);
            assert_int_equal(strstr(fake_report, want) != NULL,
                             of == 2 || (of == 1 && p == 1));
        }
    }
    begin(&each);
    options.raw = RAW_ALL;
    pass_on(0, 3);
    all[1].raw = bytes;
    all[1].raw_what = "some bytes";
    all[1].raw_bytes = 34;
    snprintf(want, sizeof(want),
             "# raw, processor 1: some bytes: 34 bytes, crc %08X\n"
             "# raw 0000 9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8"
             "b9babbbcbd\n# raw 0020 bebf\nok 1 - name\n",
             crc32(0, bytes, 34));
    writes(VERDICT_PASS, want);
    all[1].raw_bytes = RAW_BYTES_MAX; /* whole lines, and the last of all */
    write();
    assert_null(strstr(fake_report, ", the first 4096"));
    assert_non_null(strstr(fake_report, "\n# raw 0fe0 7e7f80"));
    assert_null(strstr(fake_report, "\n# raw 1000"));
    all[1].raw_bytes = RAW_BYTES_MAX + 1;
    write();
    snprintf(want, sizeof(want), ": 4097 bytes, crc %08X, the first 4096 of",
             crc32(0, bytes, RAW_BYTES_MAX + 1));
    assert_non_null(strstr(fake_report, want));
    assert_null(strstr(fake_report, "\n# raw 1000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(reasons),
        cmocka_unit_test(lost_processors),
        cmocka_unit_test(greatest_part_observed),
        cmocka_unit_test(windows_added_up),
        cmocka_unit_test(errata_met),
        cmocka_unit_test(how_much_is_said),
        cmocka_unit_test(raw_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
