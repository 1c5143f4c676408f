/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr.c - last branch records: what is recorded, where, and the registers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"

#define SELECT   0x1C8u
#define TOS      0x1C9u
#define DEBUGCTL 0x1D9u
#define FROM     0x680u
#define TO       0x6C0u
#define INFO     0xDC0u
#define CODE     UINT64_C(0x123456789000)
#define HIGH     UINT64_C(0xFFFF800000001000)
#define BRANCH   INSTRUCTION_BRANCH

static struct machine machine;
static struct processor processor;

static void start(const char *cpu)
{
    struct machine_config config = {
        .cpu = personality_find(cpu), .seed = 1, .smt = true};

    assert_non_null(config.cpu);
    machine_start(&machine, &config, 1);
    processor_start(&processor, &machine, 0, 0);
    processor.choices.lbr_level_of_target = false;
    processor.choices.lbr_abort_in_tsx = false;
    processor.choices.lbr_abort_is_far = false;
}

static uint64_t get(uint32_t number)
{
    uint64_t value = 0;

    assert_true(msr_read(&processor, number, &value));
    return value;
}

static void set(uint32_t number, uint64_t value)
{
    assert_true(msr_write(&processor, number, value));
}

static bool refused(uint32_t number, uint64_t value)
{
    return !msr_write(&processor, number, value);
}

static bool absent(uint32_t number)
{
    uint64_t value;

    return !msr_read(&processor, number, &value) && refused(number, 0);
}

static struct lbr_branch to(uint64_t target)
{
    return (struct lbr_branch){.from = CODE, .to = target, .taken = true};
}

static void retire(uint32_t flags, const struct lbr_branch *b)
{
    struct instruction i = {.flags = flags, .length = 5};

    if (lbr_records(&processor))
        lbr_retired(&processor, &i, b);
}

/* A branch of this kind; is it recorded? */
static bool records(uint32_t flags)
{
    struct lbr_branch b = to(CODE + 0x100);
    uint64_t tos = get(TOS);

    retire(flags, &b);
    return get(TOS) != tos;
}

static void depth_follows_the_format(void **state)
{
    (void)state;
    start("sandybridge");
    assert_int_equal(get(IA32_PERF_CAPABILITIES) & 0x3F, 3);
    assert_true(absent(FROM + 16) && absent(TO + 16) && absent(INFO));
    start("haswell");
    assert_int_equal(get(IA32_PERF_CAPABILITIES) & 0x3F, 4);
    /* FROM + 16, 690H, is MSR_CORE_PERF_LIMIT_REASONS. */
    assert_true(absent(FROM + 17) && absent(TO + 16) && absent(INFO));
    start("skylake-2018");
    assert_int_equal(get(IA32_PERF_CAPABILITIES) & 0x3F, 5);
    assert_true(absent(FROM + 32) && absent(TO + 32) && absent(INFO + 32));
    assert_int_equal(get(FROM + 31) | get(TO + 31) | get(INFO + 31), 0);
    assert_true(absent(FROM - 1) && absent(INFO - 1));
}

static void reserved_bits(void **state)
{
    (void)state;
    start("sandybridge");
    set(SELECT, 0x1FF);
    assert_true(refused(SELECT, BIT(9)));
    assert_true(refused(TOS, 16));
    set(FROM, BIT(63) | CODE);
    assert_true(refused(FROM, BIT(62) | CODE));
    start("haswell");
    set(SELECT, 0x3FF);
    assert_int_equal(get(SELECT), 0x3FF);
    assert_true(refused(SELECT, BIT(10)));
    set(FROM, BITS(63, 61) | CODE);
    set(FROM, HIGH & ~BITS(63, 61));
    assert_int_equal(get(FROM), HIGH & ~BITS(63, 61));
    assert_true(refused(FROM, BIT(60) | CODE));
    assert_true(refused(TO, BIT(63) | CODE));
    start("skylake-2018");
    set(TOS, 31);
    assert_true(refused(TOS, 32));
    set(FROM + 31, HIGH);
    assert_int_equal(get(FROM + 31), HIGH);
    assert_true(refused(FROM, BIT(63) | CODE));
    assert_true(refused(TO, BIT(48)));
    set(INFO, BITS(63, 61) | 0xFFFF);
    assert_true(refused(INFO, BIT(60)));
    assert_true(refused(INFO, BIT(16)));
}

static void taken_branches_in_order(void **state)
{
    struct lbr_branch b = to(CODE + 8);

    (void)state;
    start("skylake-2018");
    retire(BRANCH, &b);
    assert_int_equal(get(TOS), 0); /* not enabled */
    set(DEBUGCTL, 1);
    retire(BRANCH, &b);
    assert_int_equal(get(TOS), 1);
    assert_int_equal(get(FROM + 1), CODE);
    assert_int_equal(get(TO + 1), CODE + 8);
    b.taken = false;
    retire(BRANCH | INSTRUCTION_CONDITIONAL, &b);
    retire(0, &b);
    assert_int_equal(get(TOS), 1);
    b = to(HIGH);
    set(TOS, 31);
    retire(BRANCH, &b);
    assert_int_equal(get(TOS), 0);
    assert_int_equal(get(TO), HIGH);
    set(DEBUGCTL, 0);
    retire(BRANCH, &b);
    assert_int_equal(get(TOS), 0);
}

static void wraps_at_16(void **state)
{
    struct lbr_branch b = to(HIGH);

    (void)state;
    start("haswell");
    set(DEBUGCTL, 1);
    for (unsigned n = 0; n < 17; n++)
        retire(BRANCH, &b);
    assert_int_equal(get(TOS), 1);
}

static void flags_where_the_format_has_them(void **state)
{
    struct lbr_branch b = to(CODE);

    (void)state;
    b.from = HIGH;
    b.mispredicted = b.in_tx = true;
    start("sandybridge");
    set(DEBUGCTL, 1);
    retire(BRANCH, &b);
    assert_int_equal(get(FROM + 1), HIGH);
    b.mispredicted = false;
    retire(BRANCH, &b);
    assert_int_equal(get(FROM + 2), HIGH & ~BIT(63));
    start("haswell");
    set(DEBUGCTL, 1);
    retire(BRANCH, &b);
    assert_int_equal(get(FROM + 1), HIGH & ~(BIT(63) | BIT(61)));
    start("skylake-2018");
    set(DEBUGCTL, 1);
    b.mispredicted = true;
    lbr_pass(&processor, 7);
    retire(BRANCH, &b);
    assert_int_equal(get(FROM + 1), HIGH);
    assert_int_equal(get(INFO + 1), BIT(63) | BIT(62) | 7);
    lbr_pass(&processor, 0x10000);
    b.mispredicted = b.in_tx = false;
    retire(BRANCH, &b);
    assert_int_equal(get(INFO + 2), 0xFFFF);
    retire(BRANCH, &b);
    assert_int_equal(get(INFO + 3), 0);
}

static void aborts_and_events(void **state)
{
    struct lbr_branch b = to(HIGH);

    (void)state;
    start("skylake-2018");
    set(DEBUGCTL, 1);
    set(SELECT, 0x1FC);
    lbr_aborted(&processor, &b);
    assert_int_equal(get(INFO + 1), BIT(61));
    lbr_event(&processor, &b);
    assert_int_equal(get(TOS), 1);
    processor.choices.lbr_abort_is_far = true;
    lbr_aborted(&processor, &b);
    assert_int_equal(get(TOS), 1);
    set(SELECT, 0xFC);
    processor.choices.lbr_abort_in_tsx = true;
    lbr_aborted(&processor, &b);
    assert_int_equal(get(INFO + 2), BIT(62) | BIT(61));
    lbr_event(&processor, &b);
    assert_int_equal(get(TO + 3), HIGH);
    assert_int_equal(get(INFO + 3), 0);
}

static void select_leaves_out(void **state)
{
    static const uint32_t kinds[] = {
        INSTRUCTION_CONDITIONAL,
        INSTRUCTION_CALL,
        INSTRUCTION_CALL | INSTRUCTION_INDIRECT,
        INSTRUCTION_RETURN,
        INSTRUCTION_INDIRECT,
        0,
        INSTRUCTION_FAR,
    };

    (void)state;
    start("skylake-2018");
    set(DEBUGCTL, 1);
    for (unsigned bit = 2; bit <= 8; bit++) {
        set(SELECT, BIT(bit));
        for (unsigned n = 0; n < 7; n++)
            assert_int_equal(records(BRANCH | kinds[n]), n != bit - 2);
    }
    set(SELECT, BIT(8)); /* IRET and far RET are far */
    assert_false(records(BRANCH | INSTRUCTION_RETURN | INSTRUCTION_FAR));
}

static void select_by_level(void **state)
{
    struct lbr_branch b = to(CODE);

    (void)state;
    start("skylake-2018");
    set(DEBUGCTL, 1);
    set(SELECT, 1);
    assert_true(lbr_records_at(&processor, true));
    assert_false(lbr_records_at(&processor, false));
    assert_false(records(BRANCH));
    b.to_user = true;
    retire(BRANCH, &b);
    assert_int_equal(get(TOS), 0);
    processor.choices.lbr_level_of_target = true;
    retire(BRANCH, &b);
    assert_int_equal(get(TOS), 1);
    set(SELECT, 2);
    retire(BRANCH, &b);
    assert_int_equal(get(TOS), 1);
    assert_true(records(BRANCH));
}

static void call_stack(void **state)
{
    struct lbr_branch call = to(CODE + 0x100), next = to(CODE + 5);

    (void)state;
    start("haswell");
    set(DEBUGCTL, 1);
    set(SELECT, 0x3C4);
    retire(BRANCH | INSTRUCTION_CALL, &call);
    retire(BRANCH | INSTRUCTION_CALL, &next); /* "zero length" */
    assert_int_equal(get(TOS), 1);
    retire(BRANCH | INSTRUCTION_CALL | INSTRUCTION_INDIRECT, &call);
    assert_int_equal(get(TOS), 2);
    retire(BRANCH | INSTRUCTION_RETURN, &call);
    assert_int_equal(get(TOS), 1);
    assert_int_equal(get(FROM + 2) | get(TO + 2), 0);
    assert_int_equal(get(FROM + 1), CODE);
    retire(BRANCH | INSTRUCTION_RETURN, &call);
    retire(BRANCH | INSTRUCTION_RETURN, &call);
    assert_int_equal(get(TOS), 15);
}

static void stops(void **state)
{
    (void)state;
    start("skylake-2018");
    set(DEBUGCTL, 1);
    set(0x391, BIT(58)); /* LBR_Frz */
    assert_false(records(BRANCH));
    set(0x390, BIT(58));
    assert_true(records(BRANCH));
    lbr_debug_exception(&processor);
    assert_int_equal(get(DEBUGCTL), 0);
    assert_false(records(BRANCH));
}

/* "Model Specific Capability Restrictions". */
static void not_beside_processor_trace(void **state)
{
    (void)state;
    start("broadwell");
    set(DEBUGCTL, 1);
    set(SELECT, 4);
    assert_true(records(BRANCH));
    set(IA32_RTIT_OUTPUT_BASE, 0x100000);
    set(IA32_RTIT_CTL, RTIT_TRACE_EN | RTIT_TOPA | RTIT_BRANCH_EN);
    assert_false(lbr_records(&processor));
    assert_int_equal(get(TOS) | get(FROM + 1) | get(SELECT), 0);
    set(SELECT, 8);
    set(IA32_RTIT_CTL, 0);
    lbr_trace_changed(&processor, false);
    assert_int_equal(get(TOS) | get(FROM + 1), 0);
    assert_int_equal(get(SELECT), 4);
    assert_true(records(BRANCH));
    start("skylake-server-2019"); /* not one of those */
    set(DEBUGCTL, 1);
    set(IA32_RTIT_CTL, RTIT_TRACE_EN | RTIT_BRANCH_EN);
    assert_true(records(BRANCH));
    lbr_trace_changed(&processor, false);
    assert_int_equal(get(TOS), 1);
}

/* BDM110, and SKL047. */
static void errata_beside_processor_trace(void **state)
{
    (void)state;
    start("broadwell");
    machine.errata = errata_find(processor.cpu, "BDM110");
    set(TOS, 1);
    processor.pt.ctl = RTIT_TRACE_EN;
    assert_true(absent(TOS) && absent(SELECT) && absent(FROM));
    start("skylake-2018");
    machine.errata = errata_find(processor.cpu, "SKL047");
    assert_true(refused(TO, BIT(63)));
    processor.pt.ctl = RTIT_TRACE_EN;
    set(TO, BIT(63));
    processor.pt.ctl = 0;
    assert_int_equal(get(TO), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_follows_the_format),
        cmocka_unit_test(reserved_bits),
        cmocka_unit_test(taken_branches_in_order),
        cmocka_unit_test(wraps_at_16),
        cmocka_unit_test(flags_where_the_format_has_them),
        cmocka_unit_test(aborts_and_events),
        cmocka_unit_test(select_leaves_out),
        cmocka_unit_test(select_by_level),
        cmocka_unit_test(call_stack),
        cmocka_unit_test(stops),
        cmocka_unit_test(not_beside_processor_trace),
        cmocka_unit_test(errata_beside_processor_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
