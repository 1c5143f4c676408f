/* SPDX-License-Identifier: BSD-2-Clause */
/* test_context.c - what a body says becomes verdicts and lines; what it does is
 * undone. */
#include "src/base/msr.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct test_context all[2];
static struct test_context *const t = &all[0];
static const struct test each = {.name = "each", .scope = EACH_PROCESSOR};

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    memset(all, 0, sizeof(all));
    for (unsigned p = 0; p < 2; p++) {
        all[p].processor = p;
        all[p].all = all;
        all[p].processors = 2;
        identity_read(&all[p].cpu);
        context_begin(&all[p], &each, 1);
    }
    return 0;
}

/* cmocka has a macro skip(); (skip)() is the function. */
static const char *lines(void)
{
    t->text[t->text_bytes] = '\0';
    return t->text;
}

static void checks(void **state)
{
    (void)state;
    assert_int_equal(t->verdict, VERDICT_NONE);
    assert_true(check(t, true, "not said"));
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_true(check_equal(t, "IA32_PMC3 (C4H)", 1, 1));
    assert_false(check_equal(t, "IA32_PMC3 (C4H)", 0x1f, 2));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    check(t, true, "not said");
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_string_equal(lines(),
                        "FAIL: IA32_PMC3 (C4H): got 0x1f, wanted 0x2\n");
}

/* Each kind of line has it, and only what is said inside. */
static void lines_have_a_prefix(void **state)
{
    (void)state;
    WITH_PREFIX (t, "row %u", 3u) {
        check_equal(t, "IA32_PMC3 (C4H)", 1, 2);
        prefix_push(t, "%s", "PAUSE");
        note(t, "inner");
        prefix_pop(t);
        observe(t, "seen", 1, 2);
    }
    assert_string_equal(t->reason, "row 3: IA32_PMC3 (C4H): got 0x1, wanted "
                                   "0x2");
    broken(t, "outside");
    assert_string_equal(lines(),
                        "FAIL: row 3: IA32_PMC3 (C4H): got 0x1, wanted 0x2\n"
                        "row 3: PAUSE: inner\n"
                        "OBSERVED row 3: seen: 1 of 2\n"
                        "ERROR: outside\n");
}

static void prefix_of_what_is_known(void **state)
{
    const struct identity skylake = {
        .vendor = "GenuineIntel", .family = 6, .model = 0x5e, .stepping = 3};
    const enum erratum erratum = ERRATUM_EVENTING_IP_BEFORE_JCC;

    (void)state;
    t->cpu = skylake;
    WITH_PREFIX (t, "row") {
        check_known(t, false, erratum, false, "other %u", 1u);
        check_known(t, true, erratum, false, "not said");
        check_known(t, false, erratum, true, "%u", 2u);
    }
    assert_string_equal(lines(), "FAIL: row: other 1\nKNOWN SKL018: row: 2\n");
}

/* It is the whole test's then: which is no PASS, but may be another verdict. */
static void prefix_that_is_left(void **state)
{
    (void)state;
    t->end = HW_DONE;
    check(t, true, "not said");
    prefix_push(t, "row");
    context_close(t);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    context_begin(t, &each, 1);
    t->end = HW_DONE;
    note(t, "of the next");
    check(t, false, "wrong");
    prefix_push(t, "row");
    context_close(t);
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_string_equal(lines(), "of the next\nFAIL: wrong\n");
}

static void prefixes_are_bounded(void **state)
{
    char longest[CONTEXT_PREFIX_BYTES + 1];

    (void)state;
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    for (unsigned i = 0; i < CONTEXT_PREFIXES; i++)
        assert_true(prefix_push(t, "%s", longest));
    assert_false(prefix_push(t, "one more"));
    assert_int_equal(t->verdict, VERDICT_ERROR);
    for (unsigned i = 0; i < CONTEXT_PREFIXES + 1; i++)
        assert_false(prefix_pop(t));
    assert_string_equal(t->prefix, "");
}

/* Another deviation than the erratum's, or another processor, is FAIL. */
static void errata(void **state)
{
    const struct identity skylake = {
        .vendor = "GenuineIntel", .family = 6, .model = 0x5e, .stepping = 3};
    const uint64_t met = UINT64_C(1) << ERRATUM_EVENTING_IP_BEFORE_JCC;

    (void)state;
    t->cpu = skylake;
    assert_true(
        check_known(t, true, ERRATUM_EVENTING_IP_BEFORE_JCC, true, "not said"));
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_false(check_known(t, false, ERRATUM_EVENTING_IP_BEFORE_JCC, true,
                             "EventingIP: %u", 1U));
    assert_int_equal(t->verdict, VERDICT_KNOWN);
    assert_true(t->known == met);
    assert_string_equal(lines(), "KNOWN SKL018: EventingIP: 1\n");
    assert_false(
        check_known(t, false, ERRATUM_RECORD_OF_LATER, true, "not Skylake's"));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_true(t->known == met);
    set_up(state);
    t->cpu = skylake;
    assert_false(check_known(t, false, ERRATUM_EVENTING_IP_BEFORE_JCC, false,
                             "another deviation"));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_true(t->known == 0);
}

static void none_of_so_many(void **state)
{
    (void)state;
    assert_true(check_none(t, "not said", 0, 9));
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_false(check_none(t, "it remained", 2, 9));
    assert_string_equal(lines(), "FAIL: it remained, 2 of 9; wanted 0\n");
}

static void the_worst_wins_and_gives_the_reason(void **state)
{
    (void)state;
    (skip)(t, "needs %s", "this");
    assert_int_equal(t->verdict, VERDICT_SKIP);
    broken(t, "first");
    broken(t, "second");
    (skip)(t, "needs that");
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(t->reason, "first");
    assert_string_equal(lines(), "SKIP: needs this\nERROR: first\n"
                                 "ERROR: second\nSKIP: needs that\n");
}

static void observations_never_fail(void **state)
{
    (void)state;
    observe(t, "it", 0, 0); /* nothing was tried: no check */
    assert_int_equal(t->verdict, VERDICT_NONE);
    observe(t, "it", 0, 10);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->observed, 0);
    observe(t, "it", 10, 10);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->observed, 10);
    observe(t, "more of it", 11, 12);
    assert_int_equal(t->observed, 10);
    assert_int_equal(t->observed_of, 10); /* the greatest part stays */
    assert_string_equal(lines(), "NOT OBSERVED it: 0 of 0\n"
                                 "NOT OBSERVED it: 0 of 10\n"
                                 "OBSERVED it: 10 of 10\n"
                                 "OBSERVED more of it: 11 of 12\n");
}

static void notes_are_no_checks(void **state)
{
    (void)state;
    note(t, "so");
    t->end = HW_DONE;
    context_close(t);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(t->reason, "made no check");
}

static const struct {
    bool check;
} three[] = {{true}, {false}, {true}};

/* As a body goes through it, but for its end. */
static void go_through(unsigned rows)
{
    FOR_EACH_ROW (t, i, three) {
        if (i == rows)
            break;
        if (three[i].check)
            check(t, true, "it");
        else
            observe(t, "it", 0, 1);
    }
    t->end = HW_DONE;
    context_close(t);
}

static void each_row_is_tried(void **state)
{
    (void)state;
    go_through(3);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->rows, 3);
}

static void two_tables_add_up(void **state)
{
    (void)state;
    go_through(3);
    go_through(3);
    assert_int_equal(t->verdict, VERDICT_PASS);
    assert_int_equal(t->rows, 6);
    assert_int_equal(t->rows_tried, 6);
}

static void a_lost_row_is_an_error(void **state)
{
    (void)state;
    go_through(2);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(t->reason, "tried 2 of 3 rows of its tables");
}

static void a_row_without_a_check_is_not_tried(void **state)
{
    (void)state;
    check(t, true, "before the rows");
    FOR_EACH_ROW (t, i, three)
        if (i != 1)
            check(t, true, "it");
        else
            observe(t, "it", 0, 0);
    t->end = HW_DONE;
    context_close(t);
    assert_string_equal(t->reason, "tried 2 of 3 rows of its tables");
}

/* The processor's failure is what counts. */
static void rows_do_not_hide_a_fail(void **state)
{
    (void)state;
    check(t, false, "it");
    go_through(1);
    assert_int_equal(t->verdict, VERDICT_FAIL);
}

static void lines_are_bounded(void **state)
{
    char wide[400];

    (void)state;
    memset(wide, 'w', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    for (unsigned i = 0; i < 100; i++)
        check(t, false, "%s", wide);
    note(t, "short"); /* would fit, but lines stay in order */
    assert_true(t->text_bytes <= sizeof(t->text));
    unsigned kept = 101 - t->left_out;
    context_close(t);
    assert_true(t->text_bytes < sizeof(t->text));
    assert_int_equal(kept,
                     (CONTEXT_TEXT_BYTES - 40) / (CONTEXT_LINE_BYTES + 6));
    assert_non_null(strstr(lines(), "w\n89 more lines left out\n"));
}

static void msr_that_must_not_fault(void **state)
{
    uint64_t value = 1;

    (void)state;
    assert_true(get_msr(t, IA32_PERF_GLOBAL_CTRL, &value));
    assert_int_equal(t->verdict, VERDICT_NONE); /* no check */
    value = 1;
    assert_false(get_msr(t, 0x999, &value));
    assert_int_equal(value, 0);
    fake_msr(IA32_PERF_GLOBAL_CTRL)->write_vector = HW_GP;
    assert_false(set_msr(t, IA32_PERF_GLOBAL_CTRL, 7));
    assert_false(set_msr(t, IA32_PERFEVTSEL(9), 7));
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(
        lines(),
        "ERROR: MSR 999H: RDMSR raises #GP\n"
        "ERROR: IA32_PERF_GLOBAL_CTRL (38FH): WRMSR of 0x7 raises #GP\n"
        "ERROR: MSR 18FH: RDMSR, before a write that was not made, raises "
        "#GP\n");
}

static void written_again_where_the_journal_has_it(void **state)
{

    (void)state;
    fake_msr(IA32_PERF_GLOBAL_CTRL)->value = 3;
    assert_true(set_msr(t, IA32_PERF_GLOBAL_CTRL, 0));
    fake_written_count = 0;
    assert_true(set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 7));
    assert_int_equal(try_set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 6),
                     HW_NO_FAULT);
    assert_true(hold_msr(t, IA32_PERF_GLOBAL_CTRL));
    assert_true(set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 5));
    assert_int_equal(fake_written_count, 3);
    assert_int_equal(msr_value(t, IA32_PERF_GLOBAL_CTRL), 5);
    /* A command has nothing to restore. */
    assert_true(set_msr_again(t, IA32_PERF_GLOBAL_STATUS_RESET, 1));
    assert_string_equal(lines(), "");
    fake_msr(IA32_PERF_GLOBAL_CTRL)->write_vector = HW_GP;
    assert_int_equal(try_set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 6), HW_GP);
    assert_string_equal(lines(), "");
    assert_false(set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 8));
    assert_false(set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 9));
    assert_string_equal(
        lines(),
        "ERROR: IA32_PERF_GLOBAL_CTRL (38FH): WRMSR of 0x8 raises #GP\n"
        "ERROR: IA32_PERF_GLOBAL_CTRL (38FH): WRMSR of 0x9 raises #GP\n");
}

/* Counter 3's registers are there where CPUID says so: a FAIL, no ERROR. */
static void a_fault_of_counter_3_is_the_processors(void **state)
{
    uint64_t value = 0;

    (void)state;
    t->cpu.counters = 4;
    t->cpu.full_width_writes = true;
    fake_msr(IA32_PERFEVTSEL(3))->write_vector = HW_GP;
    assert_false(set_msr(t, IA32_PERFEVTSEL(3), 7));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_non_null(strstr(lines(), "FAIL: IA32_PERFEVTSEL3 (189H): WRMSR of "
                                    "0x7 raises #GP; CPUID.0AH enumerates 4"));
    t->verdict = VERDICT_NONE;
    fake_msr_remove(IA32_PMC(3));
    assert_false(get_msr(t, IA32_PMC(3), &value));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    t->verdict = VERDICT_NONE;
    fake_msr_remove(IA32_A_PMC(3));
    assert_int_equal(msr_value(t, IA32_A_PMC(3)), 0);
    assert_int_equal(t->verdict, VERDICT_FAIL);
    t->verdict = VERDICT_NONE;
    t->cpu.full_width_writes = false;
    assert_int_equal(msr_value(t, IA32_A_PMC(3)), 0);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    t->verdict = VERDICT_NONE;
    t->cpu.counters = 3;
    assert_false(get_msr(t, IA32_PMC(3), &value));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

/* What could not be restored is not written, and said. */
static void not_written_again_where_it_has_not(void **state)
{

    (void)state;
    fake_written_count = 0;
    assert_false(set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 7));
    assert_int_equal(try_set_msr_again(t, IA32_PMC(1), 7), HW_NO_FAULT);
    assert_false(hold_msr(t, IA32_PERFEVTSEL(0)));
    assert_int_equal(fake_written_count, 0);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(lines(),
                        "ERROR: IA32_PERF_GLOBAL_CTRL (38FH): not written "
                        "again, the journal does not have it\n"
                        "ERROR: IA32_PMC1 (C2H): not written again, the "
                        "journal does not have it\n"
                        "ERROR: IA32_PERFEVTSEL0 (186H): not written again, "
                        "the journal does not have it\n");
}

/* After restore_msrs() the journal has nothing. */
static void not_written_again_once_restored(void **state)
{
    (void)state;
    assert_true(set_msr(t, IA32_PERF_GLOBAL_CTRL, 0));
    restore_msrs(t);
    assert_false(set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 7));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

/* One register by two names: either is enough. */
static void a_counter_is_had_by_both_names(void **state)
{
    (void)state;
    assert_true(set_msr(t, IA32_A_PMC(1), 0));
    assert_true(set_msr(t, IA32_PMC(2), 0));
    assert_true(set_msr_again(t, IA32_PMC(1), 1));
    assert_true(set_msr_again(t, IA32_A_PMC(2), 1));
    assert_false(set_msr_again(t, IA32_PMC(0), 1));
    assert_string_equal(lines(), "ERROR: IA32_PMC0 (C1H): not written again, "
                                 "the journal does not have it\n");
}

static void msr_whose_fault_is_an_answer(void **state)
{
    uint64_t value = 5;

    (void)state;
    assert_int_equal(try_get_msr(t, 0x999, &value), HW_GP);
    assert_int_equal(value, 5);
    assert_int_equal(try_set_msr(t, 0x999, 1), HW_GP);
    fake_msr(TSX_FORCE_ABORT)->write_vector = HW_GP;
    assert_int_equal(try_set_msr(t, TSX_FORCE_ABORT, 2), HW_GP);
    fake_msr(TSX_FORCE_ABORT)->write_vector = HW_NO_FAULT;
    assert_int_equal(try_set_msr(t, TSX_FORCE_ABORT, 1), HW_NO_FAULT);
    assert_int_equal(t->text_bytes, 0);
    restore_msrs(t);
    assert_int_equal(fake_msr(TSX_FORCE_ABORT)->value, 0);
    assert_int_equal(t->verdict, VERDICT_NONE);
}

static void restore_that_does_not_hold(void **state)
{
    (void)state;
    set_msr(t, IA32_PERFEVTSEL(0), 0x430000);
    fake_msr(IA32_PERFEVTSEL(0))->writable = 0;
    restore_msrs(t);
    assert_string_equal(lines(), "ERROR: IA32_PERFEVTSEL0 (186H): restored to "
                                 "0x0, but reads as 0x430000\n");
}

/* What microcode may use is a note: counter 3's registers, and its bit alone of
 * 38FH; and nowhere but in regime B with RTM. */
static void restore_that_need_not_hold(void **state)
{
    static const struct {
        uint32_t msr;
        uint64_t sticks; /* bits that stay as they were written */
        bool note;
    } rows[] = {
        {IA32_PERFEVTSEL(3), 0x10000, true},
        {IA32_PMC(3), 0, true}, /* counters are not compared */
        {IA32_PERF_GLOBAL_CTRL, 1 << 3, true},
        {IA32_PERF_GLOBAL_CTRL, 1 << 3 | 1 << 2, false},
        {IA32_PERF_GLOBAL_CTRL, 1 << 2, false},
        {IA32_PERFEVTSEL(2), 0x10000, false},
    };

    (void)state;
    for (unsigned regime_b = 0; regime_b < 2; regime_b++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            struct fake_msr *m = fake_msr(rows[i].msr);
            t->regime = regime_b != 0 ? REGIME_B : REGIME_C;
            t->cpu.rtm = true;
            t->verdict = VERDICT_NONE;
            t->text_bytes = 0;
            m->value = 0;
            m->writable = UINT64_MAX;
            assert_true(set_msr(t, rows[i].msr, rows[i].sticks));
            m->writable = ~rows[i].sticks;
            restore_msrs(t);
            m->writable = UINT64_MAX;
            assert_int_equal(t->verdict, rows[i].sticks == 0 ||
                                                 (rows[i].note && regime_b != 0)
                                             ? VERDICT_NONE
                                             : VERDICT_ERROR);
        }
}

static void trials(void **state)
{
    (void)state;
    assert_int_equal(test_trials(t, 1000, 100), 1000);
    t->trials = 100;
    assert_int_equal(test_trials(t, 1000, 100), 100);
    assert_int_equal(t->text_bytes, 0);
    t->trials = 5;
    assert_int_equal(test_trials(t, 1000, 100), 5);
    assert_int_equal(test_trials(t, 1000, 100), 5);
    assert_string_equal(
        lines(), "trials=5 is fewer than the 100 that this test asks for\n");
}

static void random_numbers_repeat(void **state)
{
    uint64_t first[3];

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        first[i] = test_random(t);
    assert_true(first[0] != first[1] && first[1] != first[2]);
    assert_true(test_random(&all[1]) != first[0]);
    context_begin(t, &each, 1);
    for (unsigned i = 0; i < 3; i++)
        assert_true(test_random(t) == first[i]);
    context_begin(t, &each, 2);
    assert_true(test_random(t) != first[0]);
    t->random = 0; /* the published sequence of seed 0 */
    assert_true(test_random(t) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(test_random(t) == UINT64_C(0x6e789e6aa1b965f4));
}

static void do_nothing(struct test_context *peer, void *argument)
{
    (void)peer;
    (void)argument;
}

static void each_processor_calls_no_other(void **state)
{
    (void)state;
    assert_false(on_processor(t, 1, do_nothing, NULL));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

/* What transactions and counters change without being written to. */
static void what_changes_by_itself_is_saved(void **state)
{
    (void)state;
    fake_msr(IA32_PERFEVTSEL(3))->value = 0x5300c0;
    fake_msr(IA32_PMC(3))->value = 77;
    fake_msr(IA32_PERF_GLOBAL_STATUS)->value = BIT(1);
    context_save(t);
    fake_msr(IA32_PERFEVTSEL(3))->value = UINT64_C(0x10043003c);
    fake_msr(IA32_PERF_GLOBAL_STATUS)->value = BIT(1) | BIT(3) | BIT(62);
    fake_written_count = 0;
    restore_msrs(t);
    assert_int_equal(fake_msr(IA32_PERFEVTSEL(3))->value, 0x5300c0);
    assert_int_equal(fake_msr(IA32_A_PMC(3))->value, 77);
    /* A bit that was set before is not ours to clear. */
    assert_int_equal(fake_msr(IA32_PERF_GLOBAL_STATUS_RESET)->value,
                     BIT(3) | BIT(62));

    fake_msr(IA32_PERF_GLOBAL_STATUS)->value = BIT(1);
    fake_written_count = 0;
    context_begin(t, &each, 1);
    context_save(t);
    restore_msrs(t);
    for (unsigned i = 0; i < fake_written_count; i++)
        assert_int_not_equal(fake_written[i], IA32_PERF_GLOBAL_STATUS_RESET);
}

/* So is every register that CPUID.0AH enumerates; the next one is not. */
static void a_fault_of_an_enumerated_register_is_the_processors(void **state)
{
    static const struct {
        uint32_t msr;
        enum verdict verdict;
    } rows[] = {
        {IA32_PMC(0), VERDICT_FAIL},
        {IA32_PMC(4), VERDICT_FAIL},
        {IA32_PMC(5), VERDICT_ERROR},
        {IA32_PERFEVTSEL(4), VERDICT_FAIL},
        {IA32_PERFEVTSEL(5), VERDICT_ERROR},
        {IA32_A_PMC(4), VERDICT_FAIL},
        {IA32_A_PMC(5), VERDICT_ERROR},
        {IA32_FIXED_CTR(1), VERDICT_FAIL},
        {IA32_FIXED_CTR(2), VERDICT_ERROR},
        {IA32_PERF_GLOBAL_STATUS_RESET, VERDICT_FAIL},
        {IA32_PERF_GLOBAL_INUSE, VERDICT_FAIL},
        {IA32_PERF_GLOBAL_CTRL, VERDICT_ERROR},
    };
    uint64_t value;

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        context_begin(t, &each, 1);
        t->cpu.counters = 5;
        t->cpu.fixed_counters = 2;
        t->cpu.perfmon_version = 4;
        t->cpu.full_width_writes = true;
        fake_msr_remove(rows[i].msr);
        assert_false(get_msr(t, rows[i].msr, &value));
        assert_int_equal(t->verdict, rows[i].verdict);
    }
    context_begin(t, &each, 1);
    t->cpu.perfmon_version = 3;
    assert_false(get_msr(t, IA32_PERF_GLOBAL_INUSE, &value));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

static void unsaved_values_are_reported(void **state)
{
    static const uint32_t msrs[] = {IA32_PERF_GLOBAL_STATUS, IA32_PERFEVTSEL(3),
                                    IA32_PMC(3)};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        fake_msr(msrs[i])->read_vector = HW_GP;
        context_begin(t, &each, 1);
        context_save(t);
        /* Counter 3 is enumerated: the processor's doing. */
        assert_int_equal(t->verdict, i == 0 ? VERDICT_ERROR : VERDICT_FAIL);
        assert_non_null(
            strstr(t->text, i == 0 ? "RDMSR raises #GP: a change that no WRMSR "
                                     "made is not restored\n"
                                   : "RDMSR raises #GP; CPUID.0AH enumerates"));
        fake_msr(msrs[i])->read_vector = HW_NO_FAULT;
    }
    context_begin(t, &each, 1);
    context_save(t);
    assert_int_equal(t->verdict, VERDICT_NONE);
}

static void uncleared_status_is_reported(void **state)
{
    static const uint32_t msrs[] = {IA32_PERF_GLOBAL_STATUS,
                                    IA32_PERF_GLOBAL_STATUS_RESET};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        context_begin(t, &each, 1);
        context_save(t);
        fake_msr(IA32_PERF_GLOBAL_STATUS)->value = BIT(3);
        fake_msr(msrs[i])->read_vector = HW_GP;
        fake_msr(msrs[i])->write_vector = HW_GP;
        restore_msrs(t);
        /* 390H refuses no bit that is set: the processor's doing. */
        assert_int_equal(t->verdict, i == 0 ? VERDICT_ERROR : VERDICT_FAIL);
        assert_non_null(
            strstr(t->text, i == 0 ? "IA32_PERF_GLOBAL_STATUS (38EH): not "
                                     "restored to 0x0, the access raises "
                                     "#GP\n"
                                   : "IA32_PERF_GLOBAL_STATUS (38EH): not "
                                     "restored from 0x8 to 0x0, 390H raises "
                                     "#GP"));
        fake_msr(msrs[i])->read_vector = HW_NO_FAULT;
        fake_msr(msrs[i])->write_vector = HW_NO_FAULT;
        fake_msr(IA32_PERF_GLOBAL_STATUS)->value = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(checks, set_up),
        cmocka_unit_test_setup(lines_have_a_prefix, set_up),
        cmocka_unit_test_setup(prefix_of_what_is_known, set_up),
        cmocka_unit_test_setup(prefix_that_is_left, set_up),
        cmocka_unit_test_setup(prefixes_are_bounded, set_up),
        cmocka_unit_test_setup(errata, set_up),
        cmocka_unit_test_setup(none_of_so_many, set_up),
        cmocka_unit_test_setup(the_worst_wins_and_gives_the_reason, set_up),
        cmocka_unit_test_setup(observations_never_fail, set_up),
        cmocka_unit_test_setup(notes_are_no_checks, set_up),
        cmocka_unit_test_setup(each_row_is_tried, set_up),
        cmocka_unit_test_setup(two_tables_add_up, set_up),
        cmocka_unit_test_setup(a_lost_row_is_an_error, set_up),
        cmocka_unit_test_setup(a_row_without_a_check_is_not_tried, set_up),
        cmocka_unit_test_setup(rows_do_not_hide_a_fail, set_up),
        cmocka_unit_test_setup(lines_are_bounded, set_up),
        cmocka_unit_test_setup(msr_that_must_not_fault, set_up),
        cmocka_unit_test_setup(written_again_where_the_journal_has_it, set_up),
        cmocka_unit_test_setup(
            a_fault_of_an_enumerated_register_is_the_processors, set_up),
        cmocka_unit_test_setup(a_fault_of_counter_3_is_the_processors, set_up),
        cmocka_unit_test_setup(not_written_again_where_it_has_not, set_up),
        cmocka_unit_test_setup(not_written_again_once_restored, set_up),
        cmocka_unit_test_setup(a_counter_is_had_by_both_names, set_up),
        cmocka_unit_test_setup(msr_whose_fault_is_an_answer, set_up),
        cmocka_unit_test_setup(restore_that_does_not_hold, set_up),
        cmocka_unit_test_setup(restore_that_need_not_hold, set_up),
        cmocka_unit_test_setup(what_changes_by_itself_is_saved, set_up),
        cmocka_unit_test_setup(unsaved_values_are_reported, set_up),
        cmocka_unit_test_setup(uncleared_status_is_reported, set_up),
        cmocka_unit_test_setup(trials, set_up),
        cmocka_unit_test_setup(random_numbers_repeat, set_up),
        cmocka_unit_test_setup(each_processor_calls_no_other, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
