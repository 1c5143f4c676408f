/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_programmed.c - counters are programmed, and hold what they counted.
 */
#include "tests/host/counting/counters_fixture.h"

static void programmed(void **state)
{
    static const struct pmu_event cycles = EVENT_CORE_CYCLES,
                                  branches = EVENT_BRANCHES;
    struct counters c;

    (void)state;
    assert_true(counters_claim(t));
    for (unsigned n = 0; n < 4; n++)
        *reg(IA32_PMC(n)) = 77;
    assert_true(counters_program(&c, t, 3, &cycles, true));
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(*reg(IA32_PERFEVTSEL(n)), 0x43003c);
        assert_int_equal(*reg(IA32_PMC(n)), 0);
    }
    assert_int_equal(*reg(IA32_PERFEVTSEL(3)), 0);
    assert_int_equal(*reg(IA32_PMC(3)), 77);
    assert_int_equal(*reg(IA32_FIXED_CTR_CTRL), 0x30);
    assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), 0);
    assert_int_equal(c.enable, BIT(33) | 7);
    assert_int_equal(c.gp_mask, BITS(47, 0));
    assert_int_equal(c.fixed_mask, BITS(47, 0));
    assert_int_equal(t->verdict, VERDICT_PASS);
    /* None of its own; or it is not there. */
    assert_true(counters_program(&c, t, 4, &branches, true));
    assert_int_equal(c.enable, 15);
    assert_int_equal(*reg(IA32_FIXED_CTR_CTRL), 0);
    t->cpu.fixed_counters = 1;
    assert_true(counters_program(&c, t, 4, &cycles, true));
    assert_int_equal(c.enable, 15);
    t->cpu.fixed_bits = 0;
    assert_true(counters_program(&c, t, 4, &event, true));
    assert_int_equal(c.fixed_mask, 0);
}

/* Counter 3 may fail to hold where nothing is promised, the others may not. */
static void held(void **state)
{
    static const struct {
        uint32_t msr;
        uint64_t lost;
        enum verdict promised, not_promised;
        const char *line;
    } rows[] = {
        {0x186, BIT(16), VERDICT_FAIL, VERDICT_FAIL,
         "IA32_PERFEVTSELx (186H) written with 0x4300c0 reads as 0x4200c0"},
        {0x189, BIT(16), VERDICT_FAIL, VERDICT_PASS,
         "IA32_PERFEVTSELx (189H) written with 0x4300c0 reads as 0x4200c0"},
        {0x38d, BIT(1), VERDICT_FAIL, VERDICT_FAIL, "38DH) written with 0x3"},
        {0x38f, BIT(2), VERDICT_FAIL, VERDICT_FAIL, "38FH) as it opens"},
        {0x38f, BIT(3), VERDICT_FAIL, VERDICT_PASS, ""},
    };
    struct counters c;

    (void)state;
    for (unsigned promised = 0; promised < 2; promised++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            set_up(NULL);
            assert_true(counters_claim(t));
            fake_msr(rows[i].msr)->writable = ~rows[i].lost;
            assert_true(counters_program(&c, t, 4, &event, promised != 0));
            assert_int_equal(t->verdict, promised != 0 ? rows[i].promised
                                                       : rows[i].not_promised);
            assert_true(said(rows[i].line));
        }
}

/* Modulo their width, from what was read last. */
static void counted_modulo(void **state)
{
    struct counters c;
    struct sample s;

    (void)state;
    assert_true(counters_claim(t));
    assert_true(counters_program(&c, t, 4, &event, true));
    windows = smi_in = 0;
    c.last[2] = *reg(IA32_PMC(2)) = BITS(47, 0);
    c.last_fixed = *reg(IA32_FIXED_CTR(0)) = BITS(47, 0) - 3;
    assert_true(counters_sample(&c, window, &s));
    assert_true(s.gp[0] == 21 && s.gp[1] == 21 && s.gp[3] == 21);
    assert_int_equal(s.gp[2], 21);
    assert_int_equal(s.fixed, 21);
    counters_repair(&c);
    for (unsigned n = 0; n < 4; n++)
        assert_true(*reg(IA32_PMC(n)) == 0 && c.last[n] == 0);
    assert_true(*reg(IA32_FIXED_CTR(0)) == 0 && c.last_fixed == 0);
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
        cmocka_unit_test_setup(programmed, set_up),
        cmocka_unit_test_setup(held, set_up),
        cmocka_unit_test_setup(counted_modulo, set_up),
        cmocka_unit_test(programmed_again_after_an_smi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
