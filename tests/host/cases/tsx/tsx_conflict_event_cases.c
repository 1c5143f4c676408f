/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_conflict_event_cases.c - events of conflicts between two processors, and
 * conflicts at ring 3, counted as the manual says, and with one thing
 * otherwise. */
#include "tests/host/cases/ring3_fixture.h"
#include "tests/host/cases/tsx/tsx_pair_fixture.h"

extern const struct test test_tsx_conflict_events;

#define LATER UINT32_MAX

/* At the end of one window: a counter's value, in percent, and more. */
static struct {
    unsigned windows, of, counter;
    uint64_t percent, more;
    bool open;
} change;

static int access(uint32_t number, const uint64_t *written)
{
    if (written != NULL && number >= IA32_A_PMC(0) && number < IA32_A_PMC(4))
        *msr(IA32_PMC(number - IA32_A_PMC(0))) = *written;
    if (number != IA32_PERF_GLOBAL_CTRL || written == NULL || fake_current != 0)
        return HW_NO_FAULT;
    if (*written == 0 && change.open && change.windows++ == change.of)
        *msr(IA32_PMC(change.counter)) =
            *msr(IA32_PMC(change.counter)) * change.percent / 100 + change.more;
    change.open = *written != 0;
    return HW_NO_FAULT;
}

/* --- Events of conflicts -----------------------------------------------------
 */

static struct {
    bool never; /* a conflict at ring 3 aborts nothing, */
    bool idle;  /* and none comes */
    uint32_t status;
    int64_t vector;
    unsigned tries, steps;
    bool uncounted, as_os; /* by TX_MEM, with USR alone; with OS alone */
    bool as_event;         /* by RTM_RETIRED.ABORTED_EVENTS, not _MEM */
    unsigned beside;       /* 1 + the counter of the other that counts it */
    uint64_t kept;         /* bits of R15 */
} ring3_wrong;

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    struct ring3_state *state = (void *)(uintptr_t)ring3->data;
    volatile uint64_t *held = state->held;
    const uint64_t before = *held;

    assert_int_equal(enable, 3);
    /* USR, EN; OS, EN; by turns with two of USR */
    const bool causes = ring3_wrong.tries % 2 == 0;
    assert_int_equal(*msr(IA32_PERFEVTSEL(0)), causes ? 0x410154 : 0x4108c9);
    assert_int_equal(*msr(IA32_PERFEVTSEL(1)), causes ? 0x420154 : 0x4180c9);
    assert_int_equal(ring3->level, 3);
    assert_int_equal(ring3->body, (uint32_t)(ring3_state_hold - ring3_body));
    assert_true(loaded.cr3 != firmware.cr3);
    ring3_wrong.tries++;
    other.still |= ring3_wrong.steps == 0;
    for (unsigned i = 0; i < ring3_wrong.steps; i++)
        step();
    ring3->vector = ring3_wrong.vector;
    ring3->status = *held != before && !ring3_wrong.never
                        ? ring3_wrong.status
                        : RTM_STATUS_XABORT | 0x44000000;
    ring3_restored(ring3, state);
    state->found[15] ^= ring3_wrong.kept;
    if ((ring3->status & RTM_STATUS_CONFLICT) != 0) {
        *msr(IA32_PMC(0)) +=
            causes ? !ring3_wrong.uncounted : !ring3_wrong.as_event;
        *msr(IA32_PMC(1)) += causes ? ring3_wrong.as_os : ring3_wrong.as_event;
        if (ring3_wrong.beside != 0) {
            fake_current = 1;
            ++*msr(IA32_PMC(ring3_wrong.beside - 1));
            fake_current = 0;
        }
    }
    return 0;
}

static void begin(const struct test *test)
{
    pair_begin(test);
    memset(&change, 0, sizeof(change));
    memset(&ring3_wrong, 0, sizeof(ring3_wrong));
    change.percent = 100;
    ring3_wrong.status = CONFLICT;
    ring3_wrong.vector = HW_NO_FAULT;
    ring3_wrong.steps = 4;
    ring3_firmware();
    fake_device = access;
}

static void events(void **state)
{
    const struct test *test = &test_tsx_conflict_events;
    static const struct {
        unsigned window, counter;
        uint64_t percent, more;
        enum verdict verdict;
        const char *line;
    } rows[] = {
        {0, 0, 100, 1, VERDICT_FAIL, ".ABORTED (04H) 6, .COMMIT (02H) 0; "},
        {0, 0, 50, 0, VERDICT_FAIL, ".ABORTED (04H) 2, .COMMIT (02H) 0; "},
        {0, 1, 100, 1, VERDICT_FAIL, ".ABORTED (04H) 5, .COMMIT (02H) 1; "},
        {1, 0, 60, 0, VERDICT_PASS, ""},
        {1, 0, 40, 0, VERDICT_FAIL, ".ABORTED_MEM (08H) 2, .ABORTED_EVENTS"},
        {1, 1, 100, 2, VERDICT_PASS, ""},
        {1, 1, 100, 3, VERDICT_FAIL, ".ABORTED_EVENTS (80H) 3, of 5 aborts"},
        {2, 0, 60, 0, VERDICT_PASS, ""},
        {2, 0, 40, 0, VERDICT_FAIL, ".ABORT_CONFLICT (01H) 2, .ABORT_CAPACITY"},
        {2, 1, 100, 2, VERDICT_PASS, ""},
        {2, 1, 100, 3, VERDICT_FAIL, ".ABORT_CAPACITY (02H) 3, of 5 aborts"},
        {3, 0, 100, 1, VERDICT_FAIL, ".START (01H) 6, .COMMIT (02H) 0; "},
        {3, 1, 100, 1, VERDICT_FAIL, ".START (01H) 5, .COMMIT (02H) 1; "},
    };

    (void)state;
    begin(test);
    expect_case(case_end(), VERDICT_PASS,
                "a store to a line of the read set: 5 of 5 set EAX[2]");
    assert_int_equal(change.windows, 8);
    assert_int_equal(ring3_wrong.tries, 6);
    ring3_expect_firmware();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(test);
        change.of = rows[i].window;
        change.counter = rows[i].counter;
        change.percent = rows[i].percent;
        change.more = rows[i].more;
        expect_case(case_end(), rows[i].verdict, rows[i].line);
    }
    for (unsigned n = 0; n < 2; n++) {
        begin(test);
        ring3_wrong.beside = 1 + n;
        expect_case(case_end(), VERDICT_FAIL,
                    "on the processor that stores, and runs no transaction");
    }
    for (unsigned more = 4; more < 6; more++) {
        begin(test); /* some abort for another reason */
        other.body = tsx_body_hold_load;
        other.status = CONFLICT;
        other.rarely = 2;
        change.of = 1;
        change.counter = 1;
        change.more = more;
        expect_case(case_end(), more < 5 ? VERDICT_PASS : VERDICT_FAIL,
                    more < 5 ? "" : "of 2 aborts with EAX[2] (conflict) and 3");
    }
    begin(test); /* conflicts are looked for anew each time */
    other.seldom = 8;
    expect_case(case_end(), VERDICT_PASS, "");
    begin(test); /* events that are not of this generation */
    t->cpu.model = 0x3a;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(change.windows, 6);
    begin(test);
    other.body = tsx_body_hold_load;
    other.status = RTM_STATUS_CONFLICT;
    expect_case(case_end(), VERDICT_FAIL, "set EAX[2] (conflict); ");
    begin(test);
    fake_beside = NULL;
    expect_case(case_end(), VERDICT_SKIP, "needs two processors at the");
}

static void counted_at_ring3(void **state)
{
    (void)state;
    begin(&test_tsx_conflict_events);
    ring3_wrong.uncounted = true;
    expect_case(case_end(), VERDICT_FAIL,
                "at ring 3: TX_MEM (54H) .ABORT_CONFLICT (01H) with USR alone "
                "0, with OS alone 0, of 3");
    begin(&test_tsx_conflict_events);
    ring3_wrong.as_os = true;
    expect_case(case_end(), VERDICT_FAIL, "with OS alone 3, of 3 aborts");
    begin(&test_tsx_conflict_events);
    ring3_wrong.as_event = true;
    expect_case(case_end(), VERDICT_FAIL,
                "at ring 3: RTM_RETIRED (C9H) .ABORTED_MEM (08H) 0, "
                ".ABORTED_EVENTS (80H) 3, of 3");
}

static void at_ring3(void **state)
{
    const struct test *test = &test_tsx_conflict_events;
    static const uint32_t statuses[] = {
        RTM_STATUS_CONFLICT | RTM_STATUS_CAPACITY, RTM_STATUS_RETRY,
        RTM_STATUS_CONFLICT | RTM_STATUS_NESTED, 0x44000001};

    (void)state;
    begin(test);
    ring3_wrong.status = RTM_STATUS_CONFLICT;
    expect_case(case_end(), VERDICT_PASS, "");
    for (unsigned i = 0; i < 4; i++) {
        begin(test);
        fake_ms_step = 1;
        ring3_wrong.status = statuses[i];
        expect_case(case_end(), VERDICT_FAIL,
                    "at ring 3: none of 64 transactions left EAX[2] (conflict)"
                    " and no other bit but EAX[1]");
        assert_non_null(strstr(t->text, "though another processor stored "));
    }
    begin(test);
    ring3_wrong.never = true;
    fake_ms_step = 1;
    expect_case(case_end(), VERDICT_FAIL, "the last EAX is 0x44000001");
    begin(test);
    ring3_wrong.vector = HW_UD;
    expect_case(case_end(), VERDICT_FAIL, "#UD, the last EAX is");
    assert_int_equal(ring3_wrong.tries, 1);
    begin(test);
    ring3_wrong.kept = 1;
    expect_case(case_end(), VERDICT_FAIL,
                "at ring 3, held for a conflict: 1 of 15 registers");
    begin(test); /* for so long: a sixteenth of the time */
    ring3_wrong.steps = 0;
    fake_ms_step = 1;
    expect_case(case_end(), VERDICT_ERROR, " times, too few to tell");
    assert_in_range(ring3_wrong.tries, 65, 6400 / 16);
    begin(test); /* between transactions alone: these are enough */
    ring3_wrong.status = RTM_STATUS_RETRY;
    ring3_wrong.steps = 1;
    fake_ms_step = 1;
    expect_case(case_end(), VERDICT_FAIL, "none of 64 transactions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),
        cmocka_unit_test(at_ring3),
        cmocka_unit_test(counted_at_ring3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
