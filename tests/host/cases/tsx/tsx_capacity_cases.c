/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_capacity_cases.c - how much a transaction can read and write, over memory
 * that does as the manual says, and over the same with one thing otherwise. */
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx/tsx_fixture.h"

extern const struct test test_tsx_read_capacity, test_tsx_write_capacity;

const uint8_t tsx_end_reads[1] = {0};

#define TRIALS 25

/* What is otherwise of reads. */
static struct {
    uint64_t lines; /* that a transaction can read; */
    uint32_t status;
    bool registers;
    /* What the two counters have after a window, in percent, and more. */
    uint64_t percent, more;
    unsigned counter;
    bool open;
} wrong;

static struct tsx_state *reads;

int tsx_state(struct tsx_state *s)
{
    assert_true(s->end == tsx_end_reads);
    reads = s;
    assert_ptr_not_equal(s->change, tsx_change_nothing);
    assert_int_equal(s->argument, (uintptr_t)source);
    state_end(s, false);
    s->after[9] ^= wrong.registers;
    return TSX_ABORTED;
}

static bool capacity_end(const struct tsx_block *b, struct end *end)
{
    if (b->body != tsx_body_read_lines)
        return false;
    *end = b->count * 8 <= wrong.lines ? committed() : aborted(wrong.status);
    return true;
}

static int access(uint32_t number, const uint64_t *written)
{
    if (number != IA32_PERF_GLOBAL_CTRL || written == NULL)
        return HW_NO_FAULT;
    if (*written == 0 && wrong.open)
        *msr(IA32_PMC(wrong.counter)) =
            *msr(IA32_PMC(wrong.counter)) * wrong.percent / 100 + wrong.more;
    wrong.open = *written != 0;
    return HW_NO_FAULT;
}

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    memset(&wrong, 0, sizeof(wrong));
    wrong.lines = 1000 * 8;
    wrong.status = RTM_STATUS_CAPACITY;
    wrong.percent = 100;
    reads = NULL;
    own_end = capacity_end;
    fake_device = access;
}

static void read_capacity(void **state)
{
    const struct test *test = &test_tsx_read_capacity;
    static const struct {
        uint32_t status;
        enum verdict verdict;
        const char *line;
    } ends[] = {
        {RTM_STATUS_CAPACITY | RTM_STATUS_RETRY, VERDICT_PASS, ""},
        {RTM_STATUS_CONFLICT, VERDICT_PASS, ""}, /* others' caches */
        {0, VERDICT_FAIL, "none of 32 aborts set EAX[3] (capacity)"},
        {RTM_STATUS_RETRY, VERDICT_FAIL, "EAX = 0x00000002"},
        {RTM_STATUS_CAPACITY | RTM_STATUS_BREAKPOINT, VERDICT_FAIL,
         "EAX names another cause"},
    };

    (void)state;
    begin(test);
    expect_case(case_end(), VERDICT_PASS,
                "loads from 7168 lines of 64 bytes "
                "commit; aborts begin at 8192");
    assert_non_null(reads);
    assert_int_equal(reads->count, 8192);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        begin(test);
        wrong.status = ends[i].status;
        if ((ends[i].status & RTM_STATUS_CAPACITY) == 0) /* another category */
            t->cpu.perfmon_version = 1;
        expect_case(case_end(), ends[i].verdict, ends[i].line);
    }
    begin(test); /* there is no limit, up to what is tried */
    wrong.lines = UINT64_MAX;
    expect_case(case_end(), VERDICT_PASS,
                "loads from 131072 lines of 64 bytes "
                "commit; more were not tried");
    assert_null(reads);
    begin(test);
    wrong.lines = 0;
    expect_case(case_end(), VERDICT_PASS, "loads from 0 lines");
    begin(test);
    wrong.registers = true;
    expect_case(case_end(), VERDICT_FAIL, "then loads from too many lines");
    begin(test);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
}

/* Aborts of four transactions, and those by a memory event. */
static void read_events(void **state)
{
    static const struct {
        unsigned counter;
        uint64_t percent, more;
        enum verdict verdict;
    } rows[] = {
        {0, 100, 0, VERDICT_PASS}, {0, 50, 0, VERDICT_PASS},
        {0, 25, 0, VERDICT_FAIL},  {0, 0, 0, VERDICT_FAIL},
        {0, 100, 1, VERDICT_PASS}, {1, 100, 1, VERDICT_FAIL},
        {1, 75, 0, VERDICT_FAIL},  {1, 0, 0, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_tsx_read_capacity);
        wrong.counter = rows[i].counter;
        wrong.percent = rows[i].percent;
        wrong.more = rows[i].more;
        expect_case(case_end(), rows[i].verdict,
                    rows[i].verdict == VERDICT_FAIL
                        ? "4 aborts, 4 of them with EAX[3] (capacity)"
                        : "");
    }
    for (unsigned n = 0; n < 2; n++) { /* There is nothing to count with. */
        begin(&test_tsx_read_capacity);
        wrong.percent = 0;
        if (n == 0)
            t->cpu.perfmon_version = 1;
        else
            t->cpu.counters = 2;
        expect_case(case_end(), VERDICT_PASS, "");
        assert_int_equal(*msr(IA32_PMC(0)), 0);
    }
}

static void write_capacity(void **state)
{
    const struct test *test = &test_tsx_write_capacity;
    static const uint32_t statuses[] = {0, RTM_STATUS_CONFLICT,
                                        RTM_STATUS_RETRY};
    struct end leak = aborted(RTM_STATUS_CAPACITY), loss = committed();

    (void)state;
    for (unsigned lines = 511; lines <= LINES_WRITTEN; lines++) {
        char line[80];
        begin(test);
        device.lines = lines;
        text_format(line, sizeof(line),
                    "stores to %u lines of 64 bytes commit; aborts begin at %u",
                    lines, lines + 1);
        expect_case(case_end(), VERDICT_PASS, line);
    }
    for (unsigned i = 0; i < 3; i++) {
        begin(test);
        device.lines = 100;
        tsx_wrong(tsx_body_write_lines, aborted(statuses[i]), 7);
        device.to = UINT32_MAX;
        expect_case(case_end(), VERDICT_FAIL, "set EAX[3] (capacity)");
    }
    leak.memory_wrong = loss.memory_wrong = true;
    begin(test);
    device.lines = 100;
    tsx_wrong(tsx_body_write_lines, leak, 8); /* of 128 lines */
    expect_case(case_end(), VERDICT_FAIL, "1 lines hold what they must not");
    begin(test);
    device.lines = 100;
    tsx_wrong(tsx_body_write_lines_xabort, leak, 1);
    expect_case(case_end(), VERDICT_FAIL,
                "stores to 50 lines, then XABORT: 1 lines hold what was stored "
                "after 2 aborts");
    begin(test);
    tsx_wrong(tsx_body_write_lines, loss, 0);
    expect_case(case_end(), VERDICT_FAIL, "1 lines hold what they must not");
    begin(test);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
}

/* With as much as is tried in an inner transaction. */
static void inner_capacity(void **state)
{
    static const struct {
        uint32_t status;
        const char *of_stores, *of_loads; /* NULL: PASS */
    } ends[] = {
        {RTM_STATUS_CAPACITY | RTM_STATUS_NESTED | RTM_STATUS_RETRY, NULL,
         NULL},
        {RTM_STATUS_CAPACITY, "none of 32 aborts set EAX[3]",
         "none of 32 aborts set EAX[3]"},
        {RTM_STATUS_NESTED, "and EAX[5] (nested); the last status is 0x000000",
         "none of 32 aborts set EAX[3]"},
        {RTM_STATUS_CONFLICT | RTM_STATUS_NESTED,
         "none of 32 aborts set EAX[3]", NULL},
        {RTM_STATUS_CONFLICT, "none of 32 aborts set EAX[3]",
         "none of 32 aborts set EAX[3]"},
        {RTM_STATUS_CAPACITY | RTM_STATUS_NESTED | RTM_STATUS_BREAKPOINT,
         "EAX names another cause", "EAX names another cause"},
    };

    (void)state;
    for (unsigned loads = 0; loads < 2; loads++) {
        const struct test *test =
            loads != 0 ? &test_tsx_read_capacity : &test_tsx_write_capacity;
        const uint8_t *body =
            loads != 0 ? tsx_body_nest_read_lines : tsx_body_nest_write_lines;
        for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
            const char *line =
                loads != 0 ? ends[i].of_loads : ends[i].of_stores;
            begin(test);
            tsx_wrong(body, aborted(ends[i].status), 0);
            device.to = UINT32_MAX;
            device.lines = 100;
            expect_case(case_end(), line != NULL ? VERDICT_FAIL : VERDICT_PASS,
                        line != NULL ? line : "");
            /* Four more of loads, which are counted. */
            assert_int_equal(device.tries,
                             ((ends[i].status & 0x28) == 0x28 ? 1 : 32) +
                                 (loads != 0 ? 4 : 0));
        }
    }
    begin(&test_tsx_read_capacity); /* there is no limit */
    tsx_wrong(tsx_body_nest_read_lines, aborted(0), 0);
    wrong.lines = UINT64_MAX;
    expect_case(case_end(), VERDICT_PASS, "more were not tried");
    assert_int_equal(device.tries, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_capacity),
        cmocka_unit_test(read_events),
        cmocka_unit_test(write_capacity),
        cmocka_unit_test(inner_capacity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
