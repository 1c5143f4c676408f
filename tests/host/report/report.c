/* SPDX-License-Identifier: BSD-2-Clause */
/* report.c - verdicts, CRC, KTAP lines, and lines merged over processors.
 */
#include "src/base/names.h"
#include "src/base/crc.h"
#include "src/report/merge.h"
#include "src/harness/verdict.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define N VERDICT_NONE
#define P VERDICT_PASS
#define S VERDICT_SKIP
#define K VERDICT_KNOWN
#define F VERDICT_FAIL
#define E VERDICT_ERROR

static void every_verdict_with_every_end(void **state)
{
    static const enum verdict want[5][6] = {
        /* said:             none pass skip known fail error */
        [HW_DONE] = {N, P, S, K, F, E},
        [HW_EXCEPTION] = {E, E, E, E, E, E},
        [HW_TIMEOUT] = {E, E, E, E, E, E},
        [HW_LOST] = {E, E, E, E, E, E},
        [HW_NOT_SELECTED] = {N, P, S, K, F, E},
    };

    (void)state;
    for (enum hw_end end = HW_DONE; end <= HW_NOT_SELECTED; end++)
        for (enum verdict said = N; said <= E; said++) {
            assert_int_equal(verdict_of_job(said, end, false), want[end][said]);
            assert_int_equal(verdict_of_job(said, end, true),
                             end == HW_DONE && said == N ? E : want[end][said]);
        }
}

static void every_pair_of_verdicts(void **state)
{
    static const enum verdict worst[6][6] = {
        {N, P, S, K, F, E}, {P, P, S, K, F, E}, {S, S, S, K, F, E},
        {K, K, K, K, F, E}, {F, F, F, F, F, E}, {E, E, E, E, E, E}};
    /* Who skipped has no answer; the others' counts. */
    static const enum verdict merged[6][6] = {
        {N, P, S, K, F, E}, {P, P, P, K, F, E}, {S, P, S, K, F, E},
        {K, K, K, K, F, E}, {F, F, F, F, F, E}, {E, E, E, E, E, E}};

    (void)state;
    for (enum verdict a = N; a <= E; a++)
        for (enum verdict b = N; b <= E; b++) {
            assert_int_equal(verdict_worst(a, b), worst[a][b]);
            assert_int_equal(verdict_merge(a, b), merged[a][b]);
        }
}

static void crc_is_the_known_one(void **state)
{
    (void)state;
    assert_int_equal(crc32(0, "", 0), 0);
    assert_int_equal(crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(crc32(crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static struct ktap out;

static void open_report(unsigned planned)
{
    static struct sink sink;

    fake_reset();
    fake_sink(&sink);
    ktap_open(&out, &sink, 1, planned);
}

static void ktap_lines(void **state)
{
    char want[512];

    (void)state;
    open_report(7);
    ktap_note(&out, "a note: %u", 5u);
    ktap_result(&out, P, "a", "");
    ktap_result(&out, S, "b", "needs RTM");
    ktap_result(&out, F, "c", "not said");
    ktap_result(&out, E, "d", "made no check");
    ktap_result(&out, N, "e", "not checked");
    ktap_result(&out, P, "f", "744 of 1000");
    ktap_result(&out, K, "g", "SKL105 SKL196");
    const char *before = "KTAP version 1\n1..7\n# a note: 5\nok 1 - a\n"
                         "ok 2 - b # SKIP needs RTM\nnot ok 3 - c\n"
                         "not ok 4 - d # ERROR made no check\n"
                         "not ok 5 - e # ERROR not checked\n"
                         "ok 6 - f # OBSERVED 744 of 1000\n"
                         "ok 7 - g # KNOWN SKL105 SKL196\n";
    assert_string_equal(fake_report, before);
    unsigned flushes = fake_flushes;
    ktap_end(&out);
    assert_int_equal(fake_flushes, flushes + 2);
    snprintf(want, sizeof(want),
             "%s# END pass=2 fail=1 error=2 skip=1 known=1 crc=%08X\n", before,
             crc32(0, before, strlen(before)));
    assert_string_equal(fake_report, want);
}

/* What goes wrong with a sink at this line is said after it, to each; after the
 * END line nothing is. */
static const char *fails_at, *trouble;
static unsigned ticks;

static void failing_write(void *self, const char *text, size_t bytes)
{
    (void)self;
    if (bytes >= strlen(fails_at) &&
        strncmp(text, fails_at, strlen(fails_at)) == 0)
        trouble = "it is full";
}

static const char *say_trouble(void *self)
{
    const char *now = trouble;

    (void)self;
    trouble = NULL;
    return now;
}

static void count_tick(void *self)
{
    (void)self;
    ticks++;
}

static void troubles_of_a_sink(void **state)
{
    struct sink sinks[2];
    char want[512];

    (void)state;
    for (unsigned at_end = 0; at_end < 2; at_end++) {
        fake_reset();
        fake_sink(&sinks[0]);
        sinks[1] = sinks[0];
        sinks[1].write = failing_write;
        sinks[1].failure = say_trouble;
        sinks[1].tick = count_tick;
        fails_at = at_end != 0 ? "# END" : "# a";
        ktap_open(&out, sinks, 2, 0);
        ktap_note(&out, "a");
        ktap_note(&out, "b");
        ticks = 0;
        ktap_tick(&out); /* of those that have one */
        assert_int_equal(ticks, 1);
        ktap_end(&out);
        snprintf(want, sizeof(want), "KTAP version 1\n1..0\n# a\n%s# b\n",
                 at_end != 0 ? "" : "# warning: it is full\n");
        assert_memory_equal(fake_report, want, strlen(want));
        const char *last = fake_report + strlen(want);
        assert_memory_equal(last, "# END pass=0", 12);
        assert_string_equal(strchr(last, '\n'), "\n");
    }
}

static void only_printable_and_bounded(void **state)
{
    char wide[1000];

    (void)state;
    open_report(0);
    ktap_note(&out, "a\nok 1 - b\x1b[2J\xff");
    assert_non_null(strstr(fake_report, "\n# a?ok 1 - b?[2J?\n"));
    memset(wide, 'w', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    ktap_note(&out, "%s", wide);
    size_t length = strlen(fake_report);
    assert_int_equal(fake_report[length - 1], '\n');
    assert_int_equal(strlen(strstr(fake_report, "# www")), KTAP_LINE_BYTES);
}

static bool ranges;

static const char *merged_lines(unsigned count, const char *const texts[])
{
    struct part parts[8];

    open_report(0);
    for (unsigned p = 0; p < count; p++)
        parts[p] = (struct part){texts[p], strlen(texts[p])};
    merge_write(&out, parts, count, ranges);
    return fake_report + strlen("KTAP version 1\n1..0\n");
}

static void merges_equal_lines(void **state)
{
    (void)state;
    assert_string_equal(merged_lines(1, (const char *[]){"a\nb\n"}),
                        "# a\n# b\n");
    assert_string_equal(
        merged_lines(3, (const char *[]){"a\nb\n", "a\nb\n", "a\nb\n"}),
        "# a\n# b\n");
    assert_string_equal(
        merged_lines(4, (const char *[]){"a\nb\n", "", "c\na\n", "a\nb\n"}),
        "# processors 0,2-3: a\n# processors 0,3: b\n# processor 2: c\n");
    /* Said once, however often a processor says it. */
    assert_string_equal(merged_lines(2, (const char *[]){"a\na\n", "a\n"}),
                        "# a\n");
    assert_string_equal(merged_lines(2, (const char *[]){"ab\n", "a\n"}),
                        "# processor 0: ab\n# processor 1: a\n");
    assert_string_equal(merged_lines(2, (const char *[]){"", ""}), "");
}

static void merges_lines_that_differ_in_numbers(void **state)
{
    (void)state;
    ranges = true;
    assert_string_equal(merged_lines(3, (const char *[]){"x\nsaw 12 of 0x1f\n",
                                                         "x\nsaw 3 of 0x1f\n",
                                                         "x\nsaw 7 of 0xa0\n"}),
                        "# x\n# saw 3..12 of 0x1f..0xa0\n");
    /* Two are said as they are, and so is what is no number. */
    assert_string_equal(
        merged_lines(3, (const char *[]){"saw 1\n", "saw 2\n", "saw 1\n"}),
        "# processors 0,2: saw 1\n# processor 1: saw 2\n");
    assert_string_equal(
        merged_lines(3, (const char *[]){"PMC1\n", "PMC2\n", "PMC3\n"}),
        "# processor 0: PMC1\n# processor 1: PMC2\n# processor 2: PMC3\n");
    assert_string_equal(
        merged_lines(3, (const char *[]){"at 1.5\n", "at 2.5\n", "at -3\n"}),
        "# processor 0: at 1.5\n# processor 1: at 2.5\n"
        "# processor 2: at -3\n");
    assert_string_equal(
        merged_lines(3, (const char *[]){"saw 0x1\n", "saw 2\n", "saw 3 a\n"}),
        "# processor 0: saw 0x1\n# processor 1: saw 2\n"
        "# processor 2: saw 3 a\n");
    /* The first with the first, the second with the second; processors that
     * have another number of such lines are no part of it. */
    assert_string_equal(
        merged_lines(5,
                     (const char *[]){"n 1\nn 50\n", "n 2\nn 60\n",
                                      "n 3\nn 50\n", "n 9\n", "n 1\nn 50\n"}),
        "# processors 0-2,4: n 1..3\n# processors 0,2,4: n 50\n"
        "# processor 1: n 60\n# processor 3: n 9\n");
    ranges = false;
}

static void names_of_sets(void **state)
{
    bool set[HW_PROCESSORS_MAX] = {false};
    char name[MERGE_SET_BYTES];

    (void)state;
    set[7] = true;
    assert_string_equal(merge_set_name(set, 8, name), "processor 7");
    set[0] = set[1] = set[3] = true;
    assert_string_equal(merge_set_name(set, 8, name), "processors 0-1,3,7");
    for (unsigned p = 0; p < HW_PROCESSORS_MAX; p++)
        set[p] = true;
    assert_string_equal(merge_set_name(set, HW_PROCESSORS_MAX, name),
                        "processors 0-255");
    for (unsigned p = 0; p < HW_PROCESSORS_MAX; p += 2)
        set[p] = false;
    merge_set_name(set, HW_PROCESSORS_MAX, name);
    assert_string_equal(name + strlen(name) - 3, ",..");
}

static void names_of_msrs_and_vectors(void **state)
{
    char name[MSR_NAME_BYTES];

    (void)state;
    assert_string_equal(msr_name(0xc4, name), "IA32_PMC3 (C4H)");
    assert_string_equal(msr_name(0x189, name), "IA32_PERFEVTSEL3 (189H)");
    assert_string_equal(msr_name(0x4c8, name), "IA32_A_PMC7 (4C8H)");
    assert_string_equal(msr_name(0x10f, name), "TSX_FORCE_ABORT (10FH)");
    assert_string_equal(msr_name(0x4cb, name), "MSR 4CBH");
    assert_string_equal(msr_name(0x1a7, name), "MSR_OFFCORE_RSP_1 (1A7H)");
    /* One number, two registers, by processor. */
    assert_string_equal(
        msr_name(0x391, name),
        "IA32_PERF_GLOBAL_STATUS_SET or MSR_UNC_PERF_GLOBAL_CTRL (391H)");
    char bits[BITS_NAME_BYTES];
    assert_string_equal(bits_name(0, bits), "none");
    assert_string_equal(bits_name(1, bits), "[0]");
    assert_string_equal(bits_name(UINT64_MAX, bits), "[63:0]");
    assert_string_equal(bits_name(UINT64_C(0xe000000000000201), bits),
                        "[63:61] [9] [0]");
    bits_name(UINT64_C(0x5555555555555555), bits);
    assert_string_equal(bits + strlen(bits) - 3, " ..");
    assert_string_equal(vector_name(6), "#UD");
    assert_string_equal(vector_name(13), "#GP");
    assert_string_equal(vector_name(14), "#PF");
    assert_string_equal(vector_name(18), "#MC");
    assert_string_equal(vector_name(31), "vector 31");
    assert_string_equal(vector_name(32), "no exception");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_verdict_with_every_end),
        cmocka_unit_test(every_pair_of_verdicts),
        cmocka_unit_test(crc_is_the_known_one),
        cmocka_unit_test(ktap_lines),
        cmocka_unit_test(troubles_of_a_sink),
        cmocka_unit_test(only_printable_and_bounded),
        cmocka_unit_test(merges_equal_lines),
        cmocka_unit_test(merges_lines_that_differ_in_numbers),
        cmocka_unit_test(names_of_sets),
        cmocka_unit_test(names_of_msrs_and_vectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
