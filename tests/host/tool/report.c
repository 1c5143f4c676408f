/* SPDX-License-Identifier: BSD-2-Clause */
/* report.c - the reader of reports: lines as terminals leave them, figures by
 * their shape, raw bytes, and what is missing. */
#include "host/report/quick_crc.h"
#include "host/report/report.h"
#include "src/base/crc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD      "KTAP version 1\n1..1\n"
#define RUNNING   "# running 1: pebs_tsc/2@EAH\n"
#define ASKS      "# asks: When?\n"
#define LOST      "# END pass=1 fail=0 error=0 skip=0 known=0 crc=00000000\n"
#define COUNT(of) (sizeof(of) / sizeof((of)[0]))

static struct reports read(const char *text)
{
    return reports_read(strdup(text), strlen(text));
}

static void assert_span(struct span span, const char *wanted)
{
    char text[80];

    assert_true(span.bytes < sizeof(text));
    memcpy(text, span.at != NULL ? span.at : "", span.bytes);
    text[span.bytes] = '\0';
    assert_string_equal(text, wanted);
}

static void cleans(void **state)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"a\r\nb\r\r\nc\n\rd", "a\nb\n\nc\nd"},
        {"a\rb", "a\nb"},
        {"\033[1;31mred\033[0m\033[K", "red"},
        {"a\033[12;01Hb", "a\nb"},
        {"\033[2J\033[H\033[3;1fa", "a"},
        {"a\033[3;20Hb", "ab"},
        {"\033]0;a title\007x\033Pq\033\\y", "xy"},
        {"\033(Bx\033", "x"},
        {"ab\b\bcd\n\bx", "cd\nx"},
        {"a\tb\377\001", "a b"},
        {"\033[12", ""},
        {"\033[1\nx", "\nx"},
    };
    struct cleaned cleaned;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char *text = strdup(rows[i].text);
        size_t bytes = clean_text(text, strlen(text), &cleaned);
        assert_int_equal(bytes, strlen(rows[i].wanted));
        assert_memory_equal(text, rows[i].wanted, bytes);
        free(text);
    }
}

static void patterns(void **state)
{
    const struct span text = {"counter3_counts", 15};

    (void)state;
    assert_true(span_match(text, "counter3_counts"));
    assert_true(span_match(text, "*"));
    assert_true(span_match(text, "c*_*ts"));
    assert_true(span_match(text, "*counts*"));
    assert_false(span_match(text, "counter3"));
    assert_false(span_match(text, "*_count"));
    assert_false(span_match(text, "counter3_counts?"));
    assert_false(span_match((struct span){"", 0}, "a"));
    assert_true(span_match((struct span){0}, "*"));
}

static void results(void **state)
{
    static const struct {
        const char *line;
        enum verdict verdict;
        const char *reason;
    } rows[] = {
        {"ok 1 - pebs_tsc/2@EAH", VERDICT_PASS, ""},
        {"ok 1 - pebs_tsc/2@EAH # OBSERVED 3 of 4", VERDICT_PASS, ""},
        {"ok 1 - pebs_tsc/2@EAH # KNOWN SKL018 A", VERDICT_KNOWN, "SKL018 A"},
        {"ok 1 - pebs_tsc/2@EAH # SKIP why # so", VERDICT_SKIP, "why # so"},
        {"not ok 1 - pebs_tsc/2@EAH", VERDICT_FAIL, ""},
        {"not ok 1 - pebs_tsc/2@EAH # ERROR x", VERDICT_ERROR, "x"},
    };
    static const char *const none[] = {
        "ok 1 - ",
        "ok 1 pebs",
        "ok x - pebs",
        "ok 1 - p # ERROR x",
        "not ok 1 - p # SKIP x",
        "ok 1 - p # OBSERVED 3",
        "ok 1 - p # SKIP ",
        "ok 1 - p  # SKIP x",
        "not ok 1 - p # OBSERVED 1 of 2",
    };
    char text[200];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(text, sizeof(text), HEAD RUNNING ASKS "# a\n%s\n",
                 rows[i].line);
        struct reports reports = read(text);
        const struct report *report = &reports.report[0];
        assert_int_equal(report->result_count, 1);
        assert_int_equal(report->no_results, 0);
        assert_int_equal(report->results[0].verdict, rows[i].verdict);
        assert_span(report->results[0].reason, rows[i].reason);
        assert_span(report->results[0].test, "pebs_tsc");
        assert_span(report->results[0].round, "2");
        assert_span(report->results[0].revision, "EAH");
        assert_span(report->results[0].question, "When?");
        assert_int_equal(report->results[0].n, i == 1 ? 3 : 0);
        assert_int_equal(report->results[0].first, 3);
        assert_int_equal(report->results[0].end, 5);
        reports_close(&reports);
    }
    /* As it was before "# asks: ". */
    struct reports older =
        read(HEAD "# running 1 of 1: a: Why: so?\nok 1 - a\n");
    assert_span(older.report[0].results[0].question, "Why: so?");
    reports_close(&older);
    for (size_t i = 0; i < COUNT(none); i++) {
        snprintf(text, sizeof(text), HEAD "%s\n", none[i]);
        struct reports reports = read(text);
        assert_int_equal(reports.report[0].result_count, 0);
        assert_int_equal(reports.report[0].no_results, 1);
        reports_close(&reports);
    }
}

static void find(void *context, const char *line)
{
    const char **wanted = context;

    if (*wanted != NULL && strncmp(line, *wanted, strlen(*wanted)) == 0)
        *wanted = NULL;
}

/* The line that is said of a text begins so. */
static void assert_problem(const char *text, const char *wanted)
{
    struct reports reports = read(text);

    assert_int_equal(reports.count, 1);
    assert_true(report_problems(&reports.report[0], find, &wanted) != 0);
    if (wanted != NULL)
        fail_msg("not said: %s", wanted);
    reports_close(&reports);
}

static void problems(void **state)
{
    (void)state;
    assert_problem(HEAD "ok 1 - a\n", "cut: no END line, after 1 results");
    assert_problem(HEAD "ok 1 - a\n" LOST, "damaged: the CRC of its lines is ");
    assert_problem("# running 1 of 1: a: b\n", "its beginning is lost");
    assert_problem("KTAP version 1\n", "no plan");
    assert_problem(HEAD, "planned 1 results, got 0");
    assert_problem(HEAD "ok 2 - a\n", "results 1 to 1 are missing");
    assert_problem(HEAD "ok 1 - a\nok 1 - b\n", "mixed: result 1 comes after");
    assert_problem(HEAD "ok 1 - a\nok 2 - a\n", "repeated or mixed: 1 results");
    assert_problem(HEAD "not ok 1 - a\n" LOST, "END counts 1 PASS, the report");
    assert_problem(HEAD "ok 1 -a\n", "1 lines begin as results and are none");
    assert_problem(HEAD "# END pass=1\n", "cut: no END line");
}

static void no_report(void **state)
{
    static const char *const texts[] = {"", "\n\n", "KTAP version 11\n# a\n",
                                        "ok then\n1..2\n# hello\n"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct reports reports = read(texts[i]);
        assert_int_equal(reports.count, 0);
        reports_close(&reports);
    }
}

static void raw_bytes(void **state)
{
    static const char text[] = HEAD RUNNING
        "# raw, processor 3: Processor Trace: 4 bytes, crc 000B625B\n"
        "# raw 0000 5468\n# tick 8 s: test 1\n# raw 0002 6520\n"
        "# raw, processor 4: Processor Trace: 4 bytes, crc 00000000\n"
        "# raw 0000 54686520\n"
        "# raw, processor 5: x: 4 bytes, crc 000B625B\n# raw 0000 5468\n"
        "# raw, processor 6: x: 5 bytes, crc 12345678, the first 4095\n"
        "ok 1 - a\n";
    struct reports reports = read(text);
    const struct result *result = reports.report[0].results;
    size_t line = result->first;
    struct raw raw;

    (void)state;
    /* CRC-32 of "The ", by zlib. */
    assert_true(report_raw(&reports.report[0], result, &line, &raw));
    assert_int_equal(raw.processor, 3);
    assert_span(raw.what, "Processor Trace");
    assert_int_equal(raw.count, 4);
    assert_memory_equal(raw.bytes, "The ", 4);
    assert_false(raw.damaged);
    assert_true(report_raw(&reports.report[0], result, &line, &raw));
    assert_true(raw.damaged);
    assert_true(report_raw(&reports.report[0], result, &line, &raw));
    assert_true(raw.damaged);
    assert_int_equal(raw.count, 2);
    assert_false(report_raw(&reports.report[0], result, &line, &raw));
    reports_close(&reports);
}

/* Of every length and place: those of src/base/crc.c. */
static void crcs(void **state)
{
    uint8_t bytes[64];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
    for (size_t from = 0; from < 9; from++)
        for (size_t count = 0; from + count <= sizeof(bytes); count++)
            assert_int_equal(quick_crc(0x1234567, bytes + from, count),
                             crc32(0x1234567, bytes + from, count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cleans),    cmocka_unit_test(patterns),
        cmocka_unit_test(results),   cmocka_unit_test(problems),
        cmocka_unit_test(no_report), cmocka_unit_test(raw_bytes),
        cmocka_unit_test(crcs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
