/* SPDX-License-Identifier: BSD-2-Clause */
/* anew.c - a test finds nothing of what the one before it has left, and one of
 * a lost processor is not begun. */
#include "tests/host/harness/fixture.h"

static uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];

/* Leaves something of everything that a body can say and do. */
static void do_all(void)
{
    uint64_t value;

    t->trials = 5;
    note(t, "%u trials, first 0x%lx", test_trials(t, 1000, 100),
         test_random(t));
    observe(t, "it", 1, 2);
    for (unsigned i = 0; i < 6; i++)
        check_known(t, false, ERRATUM_EVENTING_IP_BEFORE_JCC, true, "so");
    rows_begin(t, 3);
    row_ended(t);
    windows_provoked(t, BESIDE_NOTHING, 1, 2);
    set_msr(t, IA32_PERFEVTSEL(0), 0x430000);
    get_msr(t, 0x999, &value);
    test_raw(t, "bytes", memory, sizeof(memory));
    prefix_push(t, "row");
    note(t, "of it");
    check(t, false, "is wrong");
    for (unsigned i = 0; i < 100; i++)
        note(t, "%s", "more and more, until there is no room for any other");
    context_job_ended(t, &(struct hw_result){.end = HW_EXCEPTION});
    t->end = HW_DONE;
}

static void as_the_first_time(void **state)
{
    static char first[CONTEXT_TEXT_BYTES], reason[CONTEXT_REASON_BYTES];

    (void)state;
    t->cpu.family = 6;
    t->cpu.model = 0x5e;
    for (unsigned n = 0; n < 2; n++) {
        context_begin(t, &each, 1);
        assert_int_equal(t->verdict, VERDICT_NONE);
        assert_int_equal(t->end, HW_NOT_SELECTED);
        assert_int_equal(t->observed | t->observed_of, 0);
        assert_int_equal(t->known, 0);
        assert_int_equal(t->rows | t->rows_tried, 0);
        assert_int_equal(test_refused(t), 0);
        assert_int_equal(t->prefixes, 0);
        assert_null(t->raw);
        for (unsigned b = 0; b < PROVOKED_BESIDES; b++)
            assert_int_equal(t->windows[b].of | t->windows[b].wrong, 0);
        assert_false(wrote_msr(t, IA32_PERFEVTSEL(0)));
        do_all();
        assert_true(wrote_msr(t, IA32_PERFEVTSEL(0)));
        assert_int_equal(test_refused(t), 1);
        assert_int_equal(t->checks, 8);
        assert_true(t->left_out != 0);
        context_close(t);
        if (n == 0) {
            strcpy(first, lines());
            strcpy(reason, t->reason);
        }
        assert_string_equal(lines(), first);
        assert_string_equal(t->reason, reason);
    }
}

/* By its name, its processor and the seed: which is all that a test is. */
static void what_is_random(void **state)
{
    static const struct test other = {.name = "eachh"};
    uint64_t first;

    (void)state;
    t->buffer = all[1].buffer = memory;
    context_begin(t, &each, 7);
    context_fill(t);
    for (size_t i = 1; i < sizeof(memory); i++)
        assert_int_equal(memory[i], memory[0]);
    first = test_random(t);
    context_begin(t, &other, 7);
    assert_true(test_random(t) != first);
    context_begin(t, &each, 8);
    assert_true(test_random(t) != first);
    context_begin(&all[1], &each, 7);
    assert_true(test_random(&all[1]) != first);
}

/* It may be writing to all but the fields of the session still. */
static void a_lost_one_is_left_alone(void **state)
{
    static const struct test next = {.name = "next"};

    (void)state;
    do_all();
    context_set_lost(t, "never came up");
    context_set_lost(t, "came and went"); /* said once */
    assert_string_equal(t->loss, "processor 0 never came up");
    assert_string_equal(t->loss_line, "ERROR: processor 0 never came up\n");
    const struct test_context before = *t;
    context_begin(t, &next, 1);
    assert_ptr_equal(t->test, &next);
    assert_int_equal(t->end, HW_NOT_SELECTED);
    assert_int_equal(t->verdict, before.verdict);
    assert_int_equal(t->text_bytes, before.text_bytes);
    assert_int_equal(t->random, before.random);
    assert_int_equal(t->journal.count, before.journal.count);
    assert_false(t->excluded);
    context_exclude(&all[1]);
    assert_true(all[1].lost && all[1].excluded);
}

/* How each end of a job is said. */
static void how_jobs_end(void **state)
{
    static const struct {
        enum hw_end end;
        uint64_t vector;
        bool lost;
        enum verdict verdict;
        const char *line;
    } rows[] = {
        {HW_DONE, 13, false, VERDICT_NONE, ""},
        {HW_EXCEPTION, 13, false, VERDICT_ERROR,
         "ERROR: unexpected exception #GP: error 0x10, RIP 0x20, CR2 0x30, RSP "
         "0x40, RAX 0x50, RCX 0x60, RDX 0x70\n"},
        {HW_EXCEPTION, 2, false, VERDICT_ERROR,
         "ERROR: an NMI ended it: no answer in 2 s, a watchdog, or an error of "
         "the machine; RIP 0x20\n"},
        {HW_TIMEOUT, 0, true, VERDICT_NONE, "did not answer in 2 s"},
        {HW_LOST, 0, true, VERDICT_NONE, "never came up"},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        const struct hw_result result = {.end = rows[n].end,
                                         .exception = {.vector = rows[n].vector,
                                                       .error = 0x10,
                                                       .rip = 0x20,
                                                       .cr2 = 0x30,
                                                       .rsp = 0x40,
                                                       .rax = 0x50,
                                                       .rcx = 0x60,
                                                       .rdx = 0x70}};

        set_up(state);
        t->timeout_ms = 2999;
        context_job_ended(t, &result);
        assert_int_equal(t->end, rows[n].end);
        assert_int_equal(t->lost, rows[n].lost);
        assert_int_equal(t->verdict, rows[n].verdict);
        if (rows[n].lost)
            assert_string_equal(t->loss + strlen("processor 0 "), rows[n].line);
        else
            assert_string_equal(lines(), rows[n].line);
    }
}

/* Firmware's memory types are told apart where they are known. */
static void write_back_memory(void **state)
{
    struct found_memory *memory_found = &t->found.memory;

    (void)state;
    for (unsigned n = 0; n < 32; n++) {
        const bool known = n & 1, mapped = n & 2, alike = n & 4;
        const bool mtrr = n & 8, pat = n & 16;

        t->found.types_known = known;
        memory_found->mapped = mapped;
        memory_found->alike = alike;
        memory_found->mtrr = mtrr ? "WB" : "UC";
        memory_found->pat = pat ? "WB" : "WT";
        assert_int_equal(test_memory_is_write_back(t),
                         !known || !mapped || (alike && mtrr && pat));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(as_the_first_time, set_up),
        cmocka_unit_test_setup(what_is_random, set_up),
        cmocka_unit_test_setup(a_lost_one_is_left_alone, set_up),
        cmocka_unit_test_setup(how_jobs_end, set_up),
        cmocka_unit_test_setup(write_back_memory, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
