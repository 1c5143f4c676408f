/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - what SMM writes, in a window or between two, is written again
 * before the next one counts. */
#include "src/counting/counters.h"
#include "src/base/msr.h"
#include "src/harness/context.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct test_context all[1];
static struct test_context *const t = &all[0];
static const struct test each = {.name = "each", .scope = EACH_PROCESSOR};
static const struct pmu_event event = EVENT_INSTRUCTIONS;
static unsigned windows, smi_in; /* the window in which an SMI comes */

static void smi(void)
{
    fake_msr(MSR_SMI_COUNT)->value++;
    fake_msr(IA32_FIXED_CTR_CTRL)->value = 0xb0;
    fake_msr(IA32_PERFEVTSEL(1))->value = 0;
}

static uint64_t window(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)cells;
    for (unsigned n = 0; n < 4; n++)
        if ((enable >> n & 1) != 0 &&
            fake_msr(IA32_PERFEVTSEL(n))->value == 0x4300c0)
            fake_msr(IA32_PMC(n))->value += 21;
    if ((enable >> 32 & 1) != 0 && fake_msr(IA32_FIXED_CTR_CTRL)->value == 0x3)
        fake_msr(IA32_FIXED_CTR(0))->value += 21;
    if (++windows == smi_in)
        smi();
    return 0;
}

static void check_counts(const struct sample *s)
{
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(s->gp[n], 21);
    assert_int_equal(s->fixed, 21);
}

static void programmed_again_after_an_smi(void **state)
{
    struct counters c;
    struct sample s;

    (void)state;
    fake_reset();
    fake_msr(MSR_SMI_COUNT)->value = 7;
    memset(all, 0, sizeof(all));
    all[0].all = all;
    all[0].processors = 1;
    all[0].regime = REGIME_A;
    identity_read(&all[0].cpu);
    context_begin(&all[0], &each, 1);
    assert_true(counters_claim(t));
    assert_true(counters_program(&c, t, 4, &event, true));

    windows = smi_in = 0;
    assert_true(counters_sample(&c, window, &s));
    check_counts(&s);
    smi(); /* between two windows */
    assert_true(counters_sample(&c, window, &s));
    check_counts(&s);
    assert_int_equal(windows, 2);
    assert_int_equal(c.repeated, 0);
    smi_in = 3; /* in one, which is repeated */
    assert_true(counters_sample(&c, window, &s));
    check_counts(&s);
    assert_int_equal(windows, 4);
    assert_int_equal(c.repeated, 1);
    t->text[t->text_bytes] = '\0';
    const char *said = strstr(t->text, "an SMI changed IA32_FIXED_CTR_CTRL "
                                       "(38DH) from 0x3 to 0xb0\n");
    assert_non_null(said);
    assert_null(strstr(said + 1, "an SMI changed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programmed_again_after_an_smi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
