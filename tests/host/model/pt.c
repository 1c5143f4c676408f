/* SPDX-License-Identifier: BSD-2-Clause */
/* pt.c - instructions to packets, byte for byte. */
#include "tests/host/model/pt_packets.h"

static void the_start(void **state)
{
    (void)state;
    start("skylake-2017", "none");
    range_on(USUAL);
    assert_bytes(0, PSB, CBR, PIP, 0x99, 0x20, PSBEND, 0x99, 0x01, 0x71,
                 CODE_48);
}

static void the_time_at_the_start(void **state)
{
    (void)state;
    start("skylake-2017", "none");
    range_on(RTIT_TRACE_EN | RTIT_OS | RTIT_TSC_EN | RTIT_MTC_EN);
    assert_bytes(0, PSB, 0x19, 0x00, 0x40, 0x1F, 0, 0, 0, 0, 0x02, 0x73, 0x00,
                 0x40, 0, 0, 0, CBR, PIP, PSBEND);
}

static void a_start_with_fup(void **state)
{
    (void)state;
    start("skylake-2017", "none");
    processor.choices.pt_fup_at_start = true;
    processor.choices.pt_tx_before_fup = true;
    range_on(USUAL);
    assert_bytes(0, PSB, CBR, PIP, 0x99, 0x20, 0x99, 0x01, 0x7D, CODE_48,
                 PSBEND, 0x99, 0x01, TIP_PGE_16, IP16(CODE));
}

static void no_psb_before_it_is_due(void **state)
{
    (void)state;
    start("skylake-2017", "none");
    set(IA32_RTIT_STATUS, OFFSET(5));
    range_on(USUAL);
    assert_bytes(0, CBR, 0x99, 0x01, 0x71, CODE_48); /* row 2d */
    assert_int_equal(get(IA32_RTIT_STATUS) >> 32, 5 + 13);
}

static void the_end(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);

    (void)state;
    jcc(CODE, true);
    trace_off(CODE + 0x100);
    assert_bytes(from, 0x06, FUP_16, IP16(CODE + 0x100), 0x01);
}

/* The guest has run without being looked at: once, and TNT before it. */
static void the_time_after_a_gap(void **state)
{
    unsigned from = begin("skylake-2017", USUAL | RTIT_TSC_EN);

    (void)state;
    jcc(CODE, true);
    processor.pt.clocks_stopped = true;
    jump_to(CODE, CODE + 0x30);
    jump_to(CODE, CODE + 0x40);
    assert_bytes(from, 0x06, 0x19, 0x00, 0x40, 0x1F, 0, 0, 0, 0, CBR, TIP_16,
                 IP16(CODE + 0x30), TIP_16, IP16(CODE + 0x40));
}

static void six_branches_to_a_tnt(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);

    (void)state;
    for (unsigned n = 0; n < 7; n++)
        jcc(CODE, n != 1 && n != 5);
    assert_bytes(from, 0xDC); /* 1 101110 b */
    jump_to(CODE, CODE + 0x30);
    assert_bytes(from, 0xDC, 0x06, TIP_16, IP16(CODE + 0x30));
}

static void compression_by_last_ip(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);

    (void)state;
    jump_to(CODE, CODE + 0x10000000);
    jump_to(CODE, UINT64_C(0xFFFF800000000010));
    assert_bytes(from, 0x4D, 0x00, 0x90, 0x78, 0x66, 0x6D, 0x10, 0, 0, 0, 0,
                 0x80);
}

static void returns_are_compressed(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);
    const uint32_t call = INSTRUCTION_BRANCH | INSTRUCTION_CALL;
    const uint32_t ret = INSTRUCTION_BRANCH | INSTRUCTION_RETURN;

    (void)state;
    step(call, CODE, CODE + 0x100);
    step(call, CODE + 0x100, CODE + 0x200);
    step(ret, CODE + 0x200, CODE + 0x102);
    step(ret, CODE + 0x102, CODE + 0x55); /* not where it came from */
    assert_bytes(from, 0x06, TIP_16, IP16(CODE + 0x55));
    step(ret, CODE + 0x55, CODE); /* of no known call */
    assert_int_equal(offset_now(), from + 7);
    from = begin("skylake-2017", USUAL | RTIT_DIS_RETC);
    step(call, CODE, CODE + 0x100);
    step(ret, CODE + 0x100, CODE + 2);
    assert_bytes(from, TIP_16, IP16(CODE + 2));
}

static void a_commit(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);

    (void)state;
    jcc(CODE, false);
    tx_begin(CODE + 2);
    tx_nested(CODE + 8);
    jcc(CODE + 14, true);
    tx_nested(CODE + 20);
    tx_commit(CODE + 30);
    assert_bytes(from, 0x04, 0x99, 0x21, FUP_16, IP16(CODE + 2), 0x06, 0x99,
                 0x20, FUP_16, IP16(CODE + 30));
}

static void an_abort(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);

    (void)state;
    tx_begin(CODE);
    jcc(CODE + 6, true);
    tx_abort(CODE + 0x106, CODE + 0x40);
    assert_bytes(from, 0x99, 0x21, FUP_16, IP16(CODE), 0x06, 0x99, 0x22, FUP_16,
                 IP16(CODE + 0x106), TIP_16, IP16(CODE + 0x40));
}

static void a_begin_that_only_aborts(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);
    struct pt_step now = at(CODE, CODE + 6);

    (void)state;
    assert_false(pt_tx_begin(&processor, &now, true));
    tx_abort(CODE, CODE + 0x40);
    assert_bytes(from, 0x99, 0x22, FUP_16, IP16(CODE), TIP_16,
                 IP16(CODE + 0x40));
    processor.choices.pt_begin_of_doomed = true;
    assert_true(pt_tx_begin(&processor, &now, true));
}

/* Rows of table "Packet Generation under Different Enable Conditions". */
static void an_abort_out_of_the_filter_and_into_it(void **state)
{
    unsigned from;

    (void)state;
    start("skylake-2017", "none");
    set(IA32_RTIT_ADDR0_A, CODE);
    set(IA32_RTIT_ADDR0_A + 1, CODE + 0xFF);
    range_on(USUAL | BIT(32));
    from = offset_now();
    tx_begin(CODE);
    tx_abort(CODE + 6, CODE + 0x200); /* 28c */
    assert_bytes(from, 0x99, 0x21, FUP_16, IP16(CODE), 0x99, 0x22, TIP_PGD_16,
                 IP16(CODE + 0x200));
    from = offset_now();
    tx_begin(CODE + 0x200);               /* FilterEn = 0: no FUP */
    tx_abort(CODE + 0x206, CODE + 0x210); /* 28e */
    assert_bytes(from, 0x99, 0x21, 0x99, 0x22);
    from = offset_now();
    tx_begin(CODE + 0x200);
    tx_abort(CODE + 0x206, CODE + 0x10); /* 28b */
    assert_bytes(from, 0x99, 0x21, 0x99, 0x22, 0x99, 0x01, TIP_PGE_16,
                 IP16(CODE + 0x10));
}

static void no_branches_no_transactions(void **state)
{
    unsigned from = begin("skylake-2017", RTIT_TRACE_EN | RTIT_OS);

    (void)state;
    tx_begin(CODE);
    jcc(CODE + 6, true);
    tx_abort(CODE + 0x106, CODE);
    trace_off(CODE);
    assert_int_equal(offset_now(), from);
}

static void psb_in_a_transaction(void **state)
{
    unsigned from;

    (void)state;
    begin("skylake-2017", USUAL);
    tx_begin(CODE);
    for (unsigned n = 0; processor.pt.psb_bytes < 2048 - 3; n++)
        jump_to(CODE, CODE + n);
    from = offset_now();
    step(INSTRUCTION_BRANCH | INSTRUCTION_INDIRECT, CODE, CODE);
    assert_bytes(from, TIP_16, IP16(CODE), PSB, CBR, PIP, 0x99, 0x01, 0x7D,
                 CODE_48, 0x99, 0x21, PSBEND);
}

static void an_exception(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);
    struct pt_step now = at(CODE, CODE + 0x300);

    (void)state;
    pt_event(&processor, &now);
    deliver();
    assert_bytes(from, FUP_16, IP16(CODE), TIP_16, IP16(CODE + 0x300));
}

static void an_overflow(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);
    struct instruction jump = {
        .flags = INSTRUCTION_BRANCH | INSTRUCTION_INDIRECT,
    };
    struct pt_step now = at(CODE, UINT64_C(0xFFFF800000000010));

    (void)state;
    jcc(CODE, true);
    pt_retired(&processor, &jump, &now);
    processor.choices.pt_overflow_one_in = 1;
    now.next = CODE + 0x20; /* compressed against what was sent */
    pt_overflow(&processor, &now);
    deliver();
    assert_bytes(from, 0x02, 0xF3, FUP_16, IP16(CODE + 0x20));
}

static void long_tnt(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);

    (void)state;
    processor.choices.pt_long_tnt = true;
    for (unsigned n = 0; n < 9; n++)
        jcc(CODE, n != 1);
    trace_off(CODE + 0x100);
    assert_bytes(from, 0x02, 0xA3, 0x7F, 0x03, 0, 0, 0, 0, FUP_16,
                 IP16(CODE + 0x100), 0x01);
}

static void another_mode(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);
    struct instruction far = {.flags = INSTRUCTION_BRANCH | INSTRUCTION_FAR};
    struct pt_step now = at(CODE, CODE + 0x10);

    (void)state;
    now.cs_l = false;
    now.cs_d = true;
    pt_retired(&processor, &far, &now); /* 10e */
    pt_retired(&processor, &far, &now);
    deliver();
    assert_bytes(from, 0x99, 0x02, TIP_16, IP16(CODE + 0x10), TIP_16,
                 IP16(CODE + 0x10));
}

static void cycles(void **state)
{
    unsigned from = begin("skylake-2017", USUAL | RTIT_CYC_EN);

    (void)state;
    jump_to(CODE, CODE);
    for (unsigned n = 0; n < 20; n++)
        step(0, CODE, CODE);
    jump_to(CODE, CODE);
    assert_bytes(from, 0x1B, TIP_16, IP16(CODE), 0xFF, 0x02, TIP_16,
                 IP16(CODE)); /* 63 = 1FH + 1 << 5 */
    from = offset_now();
    jcc(CODE, true); /* the first of a TNT has the time */
    jcc(CODE, true);
    jump_to(CODE, CODE);
    assert_bytes(from, 0x1B, 0x0E, 0x33, TIP_16, IP16(CODE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_start),
        cmocka_unit_test(the_time_at_the_start),
        cmocka_unit_test(a_start_with_fup),
        cmocka_unit_test(no_psb_before_it_is_due),
        cmocka_unit_test(the_end),
        cmocka_unit_test(the_time_after_a_gap),
        cmocka_unit_test(six_branches_to_a_tnt),
        cmocka_unit_test(compression_by_last_ip),
        cmocka_unit_test(returns_are_compressed),
        cmocka_unit_test(a_commit),
        cmocka_unit_test(an_abort),
        cmocka_unit_test(a_begin_that_only_aborts),
        cmocka_unit_test(an_abort_out_of_the_filter_and_into_it),
        cmocka_unit_test(no_branches_no_transactions),
        cmocka_unit_test(psb_in_a_transaction),
        cmocka_unit_test(an_exception),
        cmocka_unit_test(an_overflow),
        cmocka_unit_test(long_tnt),
        cmocka_unit_test(another_mode),
        cmocka_unit_test(cycles),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
