/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_ring3_state_cases.c - what an abort at ring 3 restores and a commit
 * leaves, where it does as the manual says, and with one thing otherwise. */
#include "tests/host/cases/ring3_state_device.h"

extern const struct test test_tsx_ring3_state;

#define TRIES   20 /* of one that may abort for no reason of its own */
#define COMMITS 200

static void begin_state(const struct way *way)
{
    begin_ring3(&test_tsx_ring3_state);
    memset(&restore, 0, sizeof(restore));
    restore.way = way;
    restore.vector = HW_NO_FAULT;
    state_enumerate(7);
}

static void fails(const char *line)
{
    expect_case(end_case(), VERDICT_FAIL, line);
    if (restore.way != NULL)
        assert_non_null(strstr(t->text, restore.way->what));
}

/* Each register, and the ends of each part of the memory and the areas. */
static void restored(void **state)
{
    static const unsigned memory[] = {0, 0x180, RING3_STATE_BYTES - 1};
    static const struct {
        unsigned at;
        const char *line;
    } fxsave[] = {
        {0, "1 of the x87 state"},  {4, "1 of the x87 state"},
        {24, "1 bytes of MXCSR"},   {27, "1 bytes of MXCSR"},
        {32, "1 of the x87 state"}, {32 + 7 * 16 + 9, "1 of the x87 state"},
        {160, "1 bytes of MXCSR"},  {160 + 255, "1 bytes of MXCSR"},
    };
    static const unsigned unsaid[] = {5, 28, 32 + 10, 160 + 256}; /* reserved */

    (void)state;
    begin_state(NULL);
    expect_case(end_case(), VERDICT_PASS, "");
    assert_int_equal(restore.all, 2 * TRIED + 4);
    assert_int_equal(restore.none, TRIED);
    assert_int_equal(t->rows, WAYS);
    for (size_t w = 0; w < WAYS; w++) {
        for (unsigned n = 1; n < 16; n++) {
            begin_state(&ways[w]);
            restore.number = n;
            fails("1 of 15 registers, 0 bytes of memory");
        }
        for (size_t i = 0; i < 3; i++) {
            begin_state(&ways[w]);
            restore.byte = 1 + memory[i];
            fails("0 of 15 registers, 1 bytes of memory");
        }
        for (size_t i = 0; i < sizeof(fxsave) / sizeof(fxsave[0]); i++) {
            begin_state(&ways[w]);
            restore.fxsave = 1 + fxsave[i].at;
            fails(fxsave[i].line);
        }
        for (size_t i = 0; i < 4; i++) {
            begin_state(&ways[w]);
            restore.fxsave = 1 + unsaid[i];
            expect_case(end_case(), VERDICT_PASS, "");
        }
        for (unsigned at = 0; at < 256; at += 255) {
            begin_state(&ways[w]);
            restore.upper = 1 + at;
            fails("1 bytes of the upper halves of YMM0 to YMM15");
        }
        for (unsigned bit = 0; bit < 19; bit++)
            if (((FLAGS | AC) >> bit & 1) != 0) {
                begin_state(&ways[w]);
                restore.flags = BIT(bit);
                fails("as before XBEGIN, in bits 0x40cd5");
            }
        begin_state(&ways[w]);
        restore.rax = BIT(40);
        fails("wanted 0 in bits 63:32, or as before XBEGIN");
        begin_state(&ways[w]); /* 0 is as good */
        restore.rax = PLANTED & ~UINT64_C(0xffffffff);
        expect_case(end_case(), VERDICT_PASS, "");
    }
}

static void ends(void **state)
{
    char line[60];

    (void)state;
    for (size_t w = 0; w < WAYS; w++) {
        /* Another reason may come first, in all but one. */
        begin_state(&ways[w]);
        restore.other = 1 + RTM_STATUS_CONFLICT;
        restore.to = TRIES - 2;
        expect_case(end_case(), VERDICT_PASS, "");
        assert_int_equal(restore.tries, TRIES);
        begin_state(&ways[w]);
        restore.other = 1 + RTM_STATUS_CONFLICT;
        restore.to = TRIES - 1;
        text_format(line, sizeof(line), "in none of 20 tries was EAX 0x%08x",
                    MAY(w) ? 0 : ways[w].status);
        fails(line);
        begin_state(&ways[w]); /* a bit that the cause has not */
        restore.other = 1 + (ways[w].status ^ RTM_STATUS_CAPACITY);
        restore.to = LATER;
        fails("in none of 20 tries was EAX");
        begin_state(&ways[w]);
        restore.vector = HW_UD;
        fails("#UD was delivered; wanted an abort alone");
        begin_state(&ways[w]);
        restore.other = 1 + RING3_BODY_INNER;
        fails("it went to the fallback of an inner XBEGIN");
        begin_state(&ways[w]);
        restore.other = 1 + RING3_STATE_LOST;
        fails("it did not go on at the fallback");
    }
    begin_state(&ways[6]); /* INT3 may be refused */
    restore.other = 1;
    expect_case(end_case(), VERDICT_PASS, "");
    for (size_t w = 0; w < WAYS; w++) {
        if (ways[w].watched)
            continue;
        begin_state(&ways[w]);
        restore.inner = true;
        restore.number = 3;
        fails(", a level further in: 1 of 15 registers");
        begin_state(&ways[w]);
        restore.inner = true;
        restore.other = 1 + (ways[w].status & ~(uint32_t)RTM_STATUS_NESTED);
        restore.to = LATER;
        fails(", a level further in: in none of 20 tries was EAX");
    }
}

static void interrupts(void **state)
{
    (void)state;
    for (unsigned inner = 0; inner < 2; inner++) {
        begin_state(NULL);
        restore.inner = inner != 0;
        restore.number = 3;
        fails(inner != 0 ? "an interrupt, a level further in: 1 of 15 registers"
                         : "an interrupt: 1 of 15 registers");
    }
    for (unsigned more = 0; more < 2; more++) {
        begin_state(NULL);
        restore.quiet = COMMITS - 1 + more;
        expect_case(end_case(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "its overflow in 200 transactions" : "");
    }
    begin_state(NULL);
    restore.unfriendly = true;
    fails(".ABORTED_UNFRIENDLY (20H) counts each abort by it");
}

static void commits(void **state)
{
    static const uint64_t flags[] = {BIT(0), BIT(2), BIT(4),
                                     BIT(6), BIT(7), BIT(11)};

    (void)state;
    for (unsigned n = 0; n < RING3_STATE_TESTS; n++)
        for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
            char line[20];
            begin_state(NULL);
            restore.result = 1 + n;
            restore.by = flags[i];
            text_format(line, sizeof(line), "XTEST %u (outside", n);
            fails(line);
        }
    begin_state(NULL);
    restore.result = 1 + RING3_STATE_TESTS;
    restore.by = 1;
    fails("or seven levels that commit, changed RAX");
    for (unsigned more = 0; more < 2; more++) {
        begin_state(NULL);
        restore.result = 2 + RING3_STATE_TESTS;
        restore.by = RING3_STATE_EMPTY / 2 - 1 + more;
        expect_case(end_case(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "16 of 32 empty transactions" : "");
        begin_state(NULL);
        restore.other = 1 + RTM_STATUS_CONFLICT;
        restore.to = COMMITS - 2 + more;
        expect_case(end_case(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "have not committed in 200 tries; the last "
                                "status is 0x00000004"
                              : "");
    }
    begin_state(NULL);
    restore.vector = HW_UD;
    fails("XTEST, XABORT or XEND: #UD; wanted none");
    begin_state(NULL);
    restore.xend_runs = true;
    fails("XEND outside of a transaction at ring 3: got");
}

/* With AVX or without, with CR0.AM or without. */
static void registers(void **state)
{
    (void)state;
    begin_state(&ways[0]);
    state_enumerate(3);
    restore.upper = 1;
    expect_case(end_case(), VERDICT_PASS, "");
    begin_state(&ways[0]);
    firmware.cr0 = AC; /* AM */
    restore.flags = AC;
    fails("as before XBEGIN, in bits 0x40cd5");
    begin_state(NULL);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = LATER;
    expect_case(end_case(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(restore.all, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restored),   cmocka_unit_test(ends),
        cmocka_unit_test(commits),    cmocka_unit_test(registers),
        cmocka_unit_test(interrupts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
