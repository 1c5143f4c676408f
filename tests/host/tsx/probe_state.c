/* SPDX-License-Identifier: BSD-2-Clause */
/* probe_state.c - the state in which transactions are not forced to abort, and
 * who has none. */
#include "src/base/msr.h"
#include "src/options/options.h"
#include "src/tsx/probe.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "asm/rtm_store.h"

static struct {
    int store_outcome; /* of rtm_store() */
} plan;

int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    if (plan.store_outcome == RTM_COMMITTED)
        *cell = value;
    else
        *eax = 0;
    return plan.store_outcome;
}

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    plan.store_outcome = RTM_COMMITTED;
    begin_context(REGIME_B, NULL);
    fake_written_count = 0; /* identity_read() writes 8BH */
    return 0;
}

static void each_regime_has_its_state(void **state)
{
    static const struct {
        enum regime regime;
        uint64_t before, after;
    } rows[] = {
        {REGIME_A, 7, 7}, {REGIME_B, 1, 0},       {REGIME_C, 1, 5},
        {REGIME_D, 4, 4}, {REGIME_C_PRIME, 3, 5}, {REGIME_F, 7, 7},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_up(state);
        t->regime = rows[i].regime;
        fake_msr(TSX_FORCE_ABORT)->value = rows[i].before;
        t->allow = ALLOW_SDV_ENABLE_RTM;
        assert_true(probe_set_up(t));
        assert_int_equal(fake_msr(TSX_FORCE_ABORT)->value, rows[i].after);
        restore_msrs(t);
        assert_int_equal(fake_msr(TSX_FORCE_ABORT)->value, rows[i].before);
    }
}

/* SDV_ENABLE_RTM is set only where the user said so; where it was set already,
 * nothing is changed. */
static void dangerous_only_by_name(void **state)
{
    set_up(state);
    t->regime = REGIME_C;
    t->allow = ALLOW_MICROCODE;
    fake_msr(TSX_FORCE_ABORT)->value = 1;
    assert_false(probe_set_up(t));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    assert_non_null(strstr(t->reason, "allow=sdv_enable_rtm"));
    assert_int_equal(fake_msr(TSX_FORCE_ABORT)->value, 1);
    assert_int_equal(fake_msr(TSX_FORCE_ABORT)->writes, 0);
    set_up(state);
    t->regime = REGIME_D;
    fake_msr(TSX_FORCE_ABORT)->value = 4;
    assert_true(probe_set_up(t));
}

/* For a test of more than transactions: where there is none, nothing is said,
 * and nothing changed. */
static void only_if_any(void **state)
{
    static const struct {
        enum regime regime;
        bool rtm, allowed, disabled, always_abort, any;
    } rows[] = {
        {REGIME_A, true, false, false, false, true},
        {REGIME_A, false, false, false, false, false},
        {REGIME_B, true, false, false, false, true},
        {REGIME_B, false, false, false, false, false},
        {REGIME_C, true, false, false, true, false},
        {REGIME_C, true, true, false, true, true},
        {REGIME_C_PRIME, true, false, false, true, false},
        {REGIME_C_PRIME, true, true, false, true, true},
        {REGIME_D, true, false, false, false, false},
        {REGIME_D, true, true, false, false, true},
        {REGIME_F, true, false, false, false, true},
        {REGIME_F, true, false, true, false, false},
        {REGIME_F, true, false, false, true, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_up(state);
        t->regime = rows[i].regime;
        t->cpu.rtm = rows[i].rtm;
        t->cpu.rtm_always_abort = rows[i].always_abort;
        t->allow = rows[i].allowed ? ALLOW_SDV_ENABLE_RTM : 0;
        fake_msr(TSX_FORCE_ABORT)->value = 1;
        fake_msr(IA32_TSX_CTRL)->value = rows[i].disabled;
        assert_int_equal(probe_state_if_any(t), rows[i].any);
        assert_int_equal(t->verdict, VERDICT_NONE);
        if (!rows[i].any)
            assert_int_equal(fake_written_count, 0);
    }
    /* Where it is what is tested, it is said. */
    set_up(state);
    t->regime = REGIME_F;
    fake_msr(IA32_TSX_CTRL)->value = 1;
    assert_false(probe_state(t));
    assert_non_null(strstr(t->reason, "IA32_TSX_CTRL (122H)[0]"));
    set_up(state);
    t->regime = REGIME_F;
    t->cpu.rtm_always_abort = true;
    fake_msr(IA32_TSX_CTRL)->value = 2; /* another bit */
    assert_false(probe_state(t));
    assert_non_null(strstr(t->reason, "RTM_ALWAYS_ABORT"));
}

static void without_commits_it_skips(void **state)
{
    (void)state;
    plan.store_outcome = RTM_ABORTED;
    assert_false(probe_set_up(t));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    assert_string_equal(t->reason,
                        "needs transactions that commit, and 100 of 100 "
                        "aborted");
    set_up(state);
    plan.store_outcome = HW_UD;
    assert_false(probe_set_up(t));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    set_up(state);
    fake_msr_remove(TSX_FORCE_ABORT);
    assert_false(probe_set_up(t));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_regime_has_its_state, set_up),
        cmocka_unit_test_setup(dangerous_only_by_name, set_up),
        cmocka_unit_test_setup(only_if_any, set_up),
        cmocka_unit_test_setup(without_commits_it_skips, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
