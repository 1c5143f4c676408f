/* SPDX-License-Identifier: BSD-2-Clause */
/* windows.c - windows that SMIs hit are made again, up to a bound; three
 * selects around work; and how far an aborted transaction came. */
#include "src/base/msr.h"
#include "src/counting/abort_reach.h"
#include "src/counting/counters.h"
#include "src/counting/selects.h"
#include "src/counting/smi_guard.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct {
    unsigned attempts, smis; /* made; the first ones, which an SMI hits */
    bool refuses;
    bool faults; /* an access in it */
} guarded;

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    memset(&guarded, 0, sizeof(guarded));
    begin_context(REGIME_A, NULL);
    *reg(MSR_SMI_COUNT) = 5;
    return 0;
}

/* --- SMIs ---------------------------------------------------------------- */

static bool attempt(void *argument)
{
    assert_ptr_equal(argument, &guarded);
    if (++guarded.attempts <= guarded.smis)
        ++*reg(MSR_SMI_COUNT);
    if (guarded.faults)
        (void)msr_value(t, 0x7fff);
    return !guarded.refuses;
}

static void hit_by_smis(void **state)
{
    unsigned repeated = 3;

    (void)state;
    for (unsigned smis = 0; smis < SMI_RETRIES_MAX; smis++) {
        guarded.attempts = 0;
        guarded.smis = smis;
        repeated = 3;
        assert_true(smi_guard(t, attempt, &guarded, &repeated));
        assert_int_equal(guarded.attempts, smis + 1);
        assert_int_equal(repeated, 3 + smis);
    }
    assert_int_equal(t->verdict, VERDICT_NONE);
    guarded.attempts = 0;
    guarded.smis = SMI_RETRIES_MAX;
    assert_false(smi_guard(t, attempt, &guarded, &repeated));
    assert_int_equal(guarded.attempts, SMI_RETRIES_MAX);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_true(said("windows in a row were hit by an SMI"));
}

/* What cannot be made is not made again; without a count each is taken. */
static void not_guarded(void **state)
{
    unsigned repeated = 0;

    (void)state;
    guarded.refuses = true;
    guarded.smis = 1;
    assert_false(smi_guard(t, attempt, &guarded, &repeated));
    assert_int_equal(guarded.attempts, 1);
    guarded.refuses = false;
    fake_msr_remove(MSR_SMI_COUNT);
    guarded.smis = guarded.attempts = 0;
    assert_true(smi_guard(t, attempt, &guarded, &repeated));
    assert_int_equal(guarded.attempts, 1);
    assert_int_equal(repeated, 0);
    assert_int_equal(t->verdict, VERDICT_NONE);
}

/* A window in which an access faults is not one, and not made again; an earlier
 * fault changes nothing. */
static void faulted(void **state)
{
    unsigned repeated = 0;

    (void)state;
    guarded.faults = true;
    guarded.smis = 1;
    assert_false(smi_guard(t, attempt, &guarded, &repeated));
    assert_int_equal(guarded.attempts, 1);
    assert_int_equal(test_refused(t), 1);
    guarded.faults = false;
    assert_true(smi_guard(t, attempt, &guarded, &repeated));
    assert_int_equal(test_refused(t), 1);
}

/* --- Three selects ------------------------------------------------------- */

static void work(void *argument)
{
    assert_ptr_equal(argument, &guarded);
    assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), BITS(SELECTS - 1, 0));
    for (unsigned n = 0; n < SELECTS; n++) {
        assert_int_equal(*reg(IA32_PERFEVTSEL(n)), 0x430000 | (0xc0 + n));
        assert_int_equal(*reg(IA32_PMC(n)), 0);
        *reg(IA32_PMC(n)) = 100 + n;
    }
    (void)attempt(argument);
}

static void selected(void **state)
{
    struct selects s = {{0xc0, 0xc1, 0xc2}, {0}, 9};

    (void)state;
    assert_true(counters_claim(t));
    guarded.smis = 2;
    for (unsigned n = 0; n < 4; n++)
        *reg(IA32_PMC(n)) = 55;
    assert_true(selects_count(t, &s, work, &guarded));
    for (unsigned n = 0; n < SELECTS; n++)
        assert_int_equal(s.got[n], 100 + n);
    assert_int_equal(s.got[3], 0);
    assert_int_equal(s.repeated, 2);
    assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), 0);
    assert_int_equal(*reg(IA32_PERFEVTSEL(3)), 0);
    assert_int_equal(*reg(IA32_PMC(3)), 55);
    fake_msr(IA32_PERFEVTSEL(1))->write_vector = HW_GP;
    guarded.attempts = 0;
    assert_false(selects_count(t, &s, work, &guarded));
    assert_int_equal(guarded.attempts, 0);
}

/* --- Aborts -------------------------------------------------------------- */

static const uint64_t *counts;

uint64_t window_rtm_long(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)cells;
    assert_int_equal(enable, BIT(0) | BIT(32));
    assert_int_equal(*reg(IA32_PERFEVTSEL(0)), 0x4300c0);
    *reg(IA32_PMC(0)) += *counts++;
    return 1;
}

static void reach(void **state)
{
    /* 30 instructions, 27 of them inside; half of these is 13. */
    static const uint64_t all_kinds[] = {3, 15, 16, 30};
    static const uint64_t ends[] = {20, 17, 25, 16};

    (void)state;
    assert_true(abort_reach_body_ran(16, 30, 27));
    assert_false(abort_reach_body_ran(15, 30, 27));
    t->trials = 4;
    counts = all_kinds;
    abort_reach_observe(t);
    assert_true(said("OBSERVED body of a transaction ran before its forced "
                     "abort: 2 of 4"));
    assert_true(said("IA32_PMC0 (C1H) counted 3 to 30 instructions; 3 lie "
                     "outside the transaction, 27 inside"));
    t->text_bytes = 0;
    counts = ends;
    abort_reach_observe(t);
    assert_true(said("ran before its forced abort: 4 of 4"));
    assert_true(said("counted 16 to 25 instructions"));
}

static void reach_without_counters(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        set_up(NULL);
        t->cpu.perfmon_version = i == 0 ? 1 : 4;
        t->cpu.counters = i == 1 ? 0 : 4;
        t->cpu.leaf0a_ebx = i == 2 ? 2 : 0;
        counts = NULL;
        abort_reach_observe(t);
        assert_true(said("not known, no counter"));
        assert_int_equal(fake_msr(IA32_PERF_GLOBAL_CTRL)->writes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hit_by_smis, set_up),
        cmocka_unit_test_setup(not_guarded, set_up),
        cmocka_unit_test_setup(faulted, set_up),
        cmocka_unit_test_setup(selected, set_up),
        cmocka_unit_test_setup(reach, set_up),
        cmocka_unit_test_setup(reach_without_counters, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
