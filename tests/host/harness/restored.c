/* SPDX-License-Identifier: BSD-2-Clause */
/* restored.c - what is saved although no test writes it, and which registers
 * may read otherwise than they were restored. */
#include "src/base/msr.h"
#include "src/harness/context.h"
#include "src/options/options.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct test_context context;
static struct test_context *const t = &context;
static const struct test each = {.name = "each", .scope = EACH_PROCESSOR};

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    memset(t, 0, sizeof(*t));
    t->all = t;
    t->processors = 1;
    identity_read(&t->cpu);
    context_begin(t, &each, 1);
    return 0;
}

/* Their registers are not there: reading them would raise #GP. */
static void three_counters(void **state)
{
    (void)state;
    t->cpu.counters = 3;
    fake_msr_remove(IA32_PERFEVTSEL(3));
    fake_msr_remove(IA32_PMC(3));
    context_save(t);
    assert_int_equal(t->verdict, VERDICT_NONE);
    assert_int_equal(t->text_bytes, 0);
    assert_int_equal(t->journal.count, 0);
    assert_true(t->status_known);
}

static void four_counters(void **state)
{
    (void)state;
    t->cpu.counters = 4;
    context_save(t);
    assert_int_equal(t->journal.count, 2);
    t->cpu.perfmon_version = 1;
    context_begin(t, &each, 1);
    context_save(t);
    assert_int_equal(t->journal.count, 0);
    assert_false(t->status_known);
}

/* Restores a register that keeps what was written to it. */
static enum verdict restore(uint32_t msr, enum regime regime, bool rtm,
                            uint8_t model)
{
    set_up(NULL);
    t->regime = regime;
    t->cpu.rtm = rtm;
    t->cpu.counters = 8;
    t->cpu.model = model;
    t->cpu.full_width_writes = false;
    fake_msr(msr)->value = 0;
    set_msr(t, msr, 0x43);
    fake_msr(msr)->writable = 0;
    restore_msrs(t);
    assert_true(t->text_bytes != 0);
    t->text[t->text_bytes] = '\0';
    assert_true((strstr(t->text, "as it may here") != NULL) ==
                (t->verdict == VERDICT_NONE));
    return t->verdict;
}

/* White paper 604224, section 1.2: of counter 3, where RTM is in use. */
static void counter_3_in_regime_b(void **state)
{
    (void)state;
    assert_int_equal(restore(IA32_PERFEVTSEL(3), REGIME_B, true, 0x5e),
                     VERDICT_NONE);
    assert_int_equal(restore(IA32_PERFEVTSEL(3), REGIME_B, false, 0x5e),
                     VERDICT_ERROR);
    assert_int_equal(restore(IA32_PERFEVTSEL(3), REGIME_A, true, 0x5e),
                     VERDICT_ERROR);
    assert_int_equal(restore(IA32_PERFEVTSEL(2), REGIME_B, true, 0x5e),
                     VERDICT_ERROR);
}

/* BV080: the select registers of counters 4 to 7, on 06_3AH alone. */
static void selects_4_to_7(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        assert_int_equal(restore(IA32_PERFEVTSEL(n), REGIME_A, false, 0x3a),
                         n >= 4 ? VERDICT_NONE : VERDICT_ERROR);
        assert_int_equal(restore(IA32_PERFEVTSEL(n), REGIME_A, false, 0x3c),
                         VERDICT_ERROR);
    }
}

static void what_the_user_allows(void **state)
{
    (void)state;
    t->allow = 0;
    assert_false(test_allowed(t, ALLOW_SDV_ENABLE_RTM));
    t->allow = ~(unsigned)ALLOW_SDV_ENABLE_RTM;
    assert_false(test_allowed(t, ALLOW_SDV_ENABLE_RTM));
    t->allow = ALLOW_SDV_ENABLE_RTM;
    assert_true(test_allowed(t, ALLOW_SDV_ENABLE_RTM));
}

/* What is read is written: a fault of either is the answer. */
static void written_as_it_reads(void **state)
{
    struct fake_msr *msr = fake_msr(IA32_PERFEVTSEL(0));

    (void)state;
    msr->value = 0x4300c4;
    assert_int_equal(try_rewrite_msr(t, IA32_PERFEVTSEL(0)), HW_NO_FAULT);
    assert_int_equal(msr->writes, 1);
    assert_int_equal(msr->value, 0x4300c4);
    msr->read_vector = HW_GP;
    assert_int_equal(try_rewrite_msr(t, IA32_PERFEVTSEL(0)), HW_GP);
    assert_int_equal(msr->writes, 1);
    msr->read_vector = HW_NO_FAULT;
    msr->write_vector = HW_GP;
    assert_int_equal(try_rewrite_msr(t, IA32_PERFEVTSEL(0)), HW_GP);
}

/* How the job of the test before has ended is forgotten. */
static void a_new_test_has_not_ended(void **state)
{
    (void)state;
    t->end = HW_DONE;
    context_begin(t, &each, 1);
    assert_int_equal(t->end, HW_NOT_SELECTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(three_counters, set_up),
        cmocka_unit_test_setup(four_counters, set_up),
        cmocka_unit_test_setup(counter_3_in_regime_b, set_up),
        cmocka_unit_test_setup(selects_4_to_7, set_up),
        cmocka_unit_test_setup(what_the_user_allows, set_up),
        cmocka_unit_test_setup(written_as_it_reads, set_up),
        cmocka_unit_test_setup(a_new_test_has_not_ended, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
