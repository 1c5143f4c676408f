/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_interrupt_cases.c - a transaction that an interrupt aborts, where it does
 * as the manual says, and with one thing otherwise. */
#include "tests/host/cases/in_tx_device.h"

extern const struct test test_tsx_interrupt_abort;

static void interrupts(void **state)
{
    const struct test *test = &test_tsx_interrupt_abort;
    static const struct {
        uint32_t status;
        unsigned rarely;
        enum verdict verdict;
        const char *line;
    } statuses[] = {
        {RTM_STATUS_RETRY, 0, VERDICT_PASS, ""},
        {RTM_STATUS_CONFLICT, 0, VERDICT_FAIL,
         "EAX = 0x00000004 (conflict) after 5 of 5 aborts with an interrupt"},
        {RTM_STATUS_CAPACITY, 0, VERDICT_FAIL, "EAX = 0x00000008"},
        {RTM_STATUS_BREAKPOINT, 0, VERDICT_FAIL, "EAX = 0x00000010"},
        {RTM_STATUS_NESTED, 0, VERDICT_FAIL, "EAX = 0x00000020"},
        {0x12000001, 0, VERDICT_FAIL, "EAX = 0x12000001"},
        {1u << 20, 0, VERDICT_FAIL, "a status that cannot be"},
        {RTM_STATUS_BREAKPOINT, 2, VERDICT_FAIL, "after 3 of 5 aborts"},
    };

    (void)state;
    begin(test);
    expect_case(case_end(), VERDICT_PASS,
                "5 of 5 transactions aborted with an interrupt, 0 of them");
    assert_int_equal(wrong.held, 8);
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        begin(test);
        wrong.status = statuses[i].status;
        wrong.rarely = statuses[i].rarely;
        expect_case(case_end(), statuses[i].verdict, statuses[i].line);
    }
    begin(test); /* two of five have another reason */
    wrong.status = RTM_STATUS_BREAKPOINT;
    wrong.rarely = 2;
    wrong.all = 1;
    expect_case(case_end(), VERDICT_PASS, "2 of them with EAX[1] or others");
    begin(test); /* none comes: of a hundred one has to */
    wrong.none = true;
    expect_case(case_end(), VERDICT_FAIL,
                "in 100 transactions of 4000 jumps: 0 aborted, none with an");
    begin(test);
    wrong.late = true; /* it aborts nothing */
    expect_case(case_end(), VERDICT_FAIL, "0 aborted, none with an interrupt");
    begin(test);
    wrong.no_apic = true;
    expect_case(case_end(), VERDICT_SKIP, "needs the local APIC");
}

static void interrupt_events(void **state)
{
    const struct test *test = &test_tsx_interrupt_abort;
    const uint64_t aborts = EVENT_RTM_RETIRED | UMASK_ABORTED;
    const uint64_t memory = EVENT_RTM_RETIRED | UMASK_ABORTED_MEM;
    static const struct {
        bool memory;
        unsigned unsaid, more;
        enum verdict verdict;
        const char *line;
    } rows_of[] = {
        {false, 1, 0, VERDICT_FAIL, "RTM_RETIRED.ABORTED (C9H/04H) 2 times"},
        {false, 0, 5, VERDICT_FAIL, "RTM_RETIRED.ABORTED (C9H/04H) 6 times"},
        {true, 0, 2, VERDICT_PASS, ""}, /* one of two of them */
        {true, 0, 4, VERDICT_FAIL, "RTM_RETIRED.ABORTED_MEM (C9H/08H) 2 times"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows_of) / sizeof(rows_of[0]); i++) {
        begin(test);
        wrong.event = rows_of[i].memory ? memory : aborts;
        wrong.unsaid = rows_of[i].unsaid;
        wrong.more = rows_of[i].more;
        expect_case(case_end(), rows_of[i].verdict, rows_of[i].line);
    }
    /* IN_TXCP takes back what was aborted. */
    for (unsigned more = 0; more < 2; more++) {
        begin(test);
        wrong.place = 2;
        wrong.tx = IN_TXCP;
        wrong.to = 0;
        wrong.add = 998 + more; /* and one outside */
        expect_case(case_end(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "counted 1000 branches beside a" : "");
    }
    begin(test);
    wrong.place = 2;
    wrong.tx = IN_TXCP;
    wrong.to = 0;
    wrong.add = 9000;
    expect_case(case_end(), VERDICT_KNOWN, "counted 9001 branches");
    begin(test);
    wrong.place = 2;
    wrong.tx = IN_TXCP;
    wrong.to = 0;
    wrong.add = 8999;
    expect_case(case_end(), VERDICT_FAIL, "counted 9000 branches");
}

static void interrupted_states(void **state)
{
    static const char *const names[] = {"general registers and status flags",
                                        "XMM0 to XMM15 and MXCSR changed",
                                        "YMM0 to YMM15 changed"};

    (void)state;
    begin(&test_tsx_interrupt_abort);
    state_enumerate(7);
    wrong.state_wrong = true;
    expect_case(case_end(), VERDICT_FAIL, names[0]);
    assert_int_equal(wrong.held, 9);
    for (unsigned i = 0; i < 3; i++)
        assert_non_null(strstr(t->text, names[i]));
    for (unsigned i = 0; i < 2;
         i++) { /* none comes there; the second may abort */
        begin(&test_tsx_interrupt_abort);
        wrong.body = i == 0 ? tsx_change_general : tsx_change_xmm;
        wrong.percent = 49; /* of 2000 */
        expect_case(case_end(), i == 0 ? VERDICT_FAIL : VERDICT_PASS, names[i]);
        assert_non_null(strstr(
            t->text, i == 0 ? "in 100 transactions, and no interrupt came"
                            : "no interrupt came in 100 transactions"));
        assert_int_equal(wrong.held, i == 0 ? 2 * 100 + 4 : 7 + 100);
    }
    begin(&test_tsx_interrupt_abort);
    wrong.unnested = true;
    expect_case(case_end(), VERDICT_FAIL, "EAX[5] (nested) is 0 after 3");
    wrong.unnested = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupts),
        cmocka_unit_test(interrupt_events),
        cmocka_unit_test(interrupted_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
