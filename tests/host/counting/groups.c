/* SPDX-License-Identifier: BSD-2-Clause */
/* groups.c - events counted group by group on a processor in tables: each
 * on the counter of its plan, and nothing else enabled. */
#include "src/counting/groups.h"
#include "src/base/msr.h"
#include "src/counting/selects.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define WINDOWS 5

static const uint64_t selects[] = {0xc0, 0xc4, 0x1c4, 0x2c4, 0x1c0, 0x20c4};
#define SELECTED 6

static struct {
    unsigned windows, smis;
    uint64_t enabled; /* all that any window enabled */
    bool others;      /* a counter that is not enabled had a select */
} seen;

/* Each counter counts its umask plus 1; PMC1 one more in the first window. */
static uint64_t window(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)cells;
    seen.enabled |= enable;
    for (unsigned n = 0; n < 4; n++) {
        uint64_t select = fake_msr(IA32_PERFEVTSEL(n))->value;
        if ((enable >> n & 1) != 0)
            fake_msr(IA32_PMC(n))->value +=
                (select >> 8 & 0xff) + 1 + (n == 1 && seen.windows == 0);
        else
            seen.others |= select != 0;
    }
    seen.windows++;
    if (seen.smis != 0) {
        seen.smis--;
        fake_msr(MSR_SMI_COUNT)->value++;
    }
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    fake_msr(MSR_SMI_COUNT);
    memset(&seen, 0, sizeof(seen));
    begin_context(REGIME_A, NULL);
    assert_true(counters_claim(t));
    return 0;
}

static void groups_of(unsigned counters, unsigned wanted)
{
    struct groups_counted c;

    memset(&seen, 0, sizeof(seen));
    assert_true(
        groups_count(t, selects, SELECTED, counters, WINDOWS, window, &c));
    assert_int_equal(c.schedule.groups, wanted);
    assert_int_equal(seen.windows, wanted * WINDOWS);
    assert_int_equal(seen.enabled, (1u << counters) - 1);
    assert_false(seen.others);
    for (unsigned e = 0; e < SELECTED; e++) {
        uint64_t one = (selects[e] >> 8) + 1;
        bool more = c.schedule.counter[e] == 1 && c.schedule.group[e] == 0;
        assert_int_equal(c.least[e], one);
        assert_int_equal(c.most[e], one + more);
        assert_int_equal(c.total[e], WINDOWS * one + more);
    }
}

static void counted(void **state)
{
    (void)state;
    groups_of(3, 2);
    groups_of(4, 2);
    groups_of(2, 3);
}

static void fits_nowhere(void **state)
{
    struct groups_counted c;

    (void)state;
    assert_false(groups_count(t, selects, SELECTED, 1, WINDOWS, window, &c));
    assert_int_equal(t->verdict, VERDICT_SKIP);
    t->text[t->text_bytes] = '\0';
    assert_string_equal(t->reason, "event C0H/01H needs counter 1 "
                                   "(INST_RETIRED.ALL); there is counter 0");
}

/* Counter 3 is used in regime B only where RTM_FORCE_ABORT is set now. */
static void regime_b(void **state)
{
    struct groups_counted c;

    (void)state;
    t->regime = REGIME_B;
    assert_true(groups_count(t, selects, 3, 4, 1, window, &c));
    assert_int_equal(seen.enabled, 7);
    fake_msr(TSX_FORCE_ABORT)->value = 1;
    assert_true(groups_count(t, selects + 1, 4, 4, 1, window, &c));
    assert_int_equal(seen.enabled, 0xf);
}

static void smi_repeats(void **state)
{
    struct groups_counted c;

    (void)state;
    seen.smis = 2;
    assert_true(groups_count(t, selects, 1, 4, 3, window, &c));
    assert_int_equal(c.repeated, 2);
    assert_int_equal(seen.windows, 5);
    assert_int_equal(c.total[0], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(counted, set_up),
        cmocka_unit_test_setup(fits_nowhere, set_up),
        cmocka_unit_test_setup(regime_b, set_up),
        cmocka_unit_test_setup(smi_repeats, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
