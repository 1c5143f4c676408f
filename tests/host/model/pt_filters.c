/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_filters.c - what filters and TraceStop leave out of a trace. */
#include "tests/host/model/pt_packets.h"

static void user_code_is_not_traced(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);
    struct instruction iret = {.flags = INSTRUCTION_BRANCH | INSTRUCTION_FAR};
    struct pt_step now = at(CODE, CODE + 0x400);

    (void)state;
    now.cpl = 3;
    pt_retired(&processor, &iret, &now);
    deliver();
    assert_bytes(from, 0x01); /* no IP: ContextEn = 0 */
    assert_int_equal(get(IA32_RTIT_STATUS) & 7,
                     RTIT_TRIGGER_EN | RTIT_FILTER_EN);
}

static void to_cr3(uint64_t cr3)
{
    struct instruction mov = {.flags = INSTRUCTION_SETS_CR3};
    struct pt_step now = at(CODE, CODE + 3);

    now.cr3 = cr3;
    pt_retired(&processor, &mov, &now);
    deliver();
}

static void another_address_space(void **state)
{
    unsigned from = begin("skylake-2017", USUAL);

    (void)state;
    to_cr3(0x2018); /* 11:0 are not of the address */
    assert_bytes(from, 0x02, 0x43, 0x00, 0x02, 0, 0, 0, 0);
    to_cr3(0x2018); /* each write */
    assert_int_equal(offset_now(), from + 16);
    start("skylake-2017", "none");
    set(IA32_RTIT_CR3_MATCH, 0x1FE0);
    range_on(USUAL | RTIT_CR3_FILTER);
    from = offset_now();
    to_cr3(0x2000); /* 5c */
    assert_bytes(from, 0x01);
    from = offset_now();
    to_cr3(0x1000); /* 5b */
    assert_bytes(from, 0x02, 0x43, 0x00, 0x01, 0, 0, 0, 0, 0x99, 0x01,
                 TIP_PGE_16, IP16(CODE + 3));
}

/* Inclusive ends, left and entered by taken branches alone. */
static void the_filter(void **state)
{
    unsigned from;

    (void)state;
    start("skylake-2017", "none");
    set(IA32_RTIT_ADDR0_A, CODE);
    set(IA32_RTIT_ADDR0_A + 1, CODE + 0xFF);
    range_on(USUAL | BIT(32));
    from = offset_now();
    jump_to(CODE, CODE + 0xFF);
    step(0, CODE + 0xFF, CODE + 0x100);
    jcc(CODE + 0x100, false);
    jcc(CODE + 0x102, true); /* 7f */
    assert_bytes(from, TIP_16, IP16(CODE + 0xFF), 0x04, 0x01);
    from = offset_now();
    step(0, CODE - 1, CODE);
    jump_to(CODE, CODE);         /* 9b */
    jump_to(CODE, CODE + 0x100); /* 9c */
    assert_bytes(from, 0x99, 0x01, TIP_PGE_16, IP16(CODE), TIP_PGD_16,
                 IP16(CODE + 0x100));
}

static void trace_stop(void **state)
{
    unsigned from;

    (void)state;
    start("skylake-2017", "none");
    set(IA32_RTIT_ADDR0_A, CODE + 0x100);
    set(IA32_RTIT_ADDR0_A + 1, CODE + 0x1FF);
    range_on(USUAL | BIT(33));
    from = offset_now();
    step(0, CODE + 0xFF, CODE + 0x100); /* has not branched there */
    jump_to(CODE + 0x100, CODE + 0x1FF);
    jump_to(CODE + 0x100, CODE);
    assert_bytes(from, TIP_PGD_16, IP16(CODE + 0x1FF), 0x02, 0x83);
    assert_int_equal(get(IA32_RTIT_STATUS) & (RTIT_STOPPED | RTIT_TRIGGER_EN),
                     RTIT_STOPPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(user_code_is_not_traced),
        cmocka_unit_test(another_address_space),
        cmocka_unit_test(the_filter),
        cmocka_unit_test(trace_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
