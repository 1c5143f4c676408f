/* SPDX-License-Identifier: BSD-2-Clause */
/* msr.c - what a body writes to MSRs is undone; what faults there is said. */
#include "tests/host/harness/fixture.h"

static void msr_that_must_not_fault(void **state)
{
    uint64_t value = 1;

    (void)state;
    assert_true(get_msr(t, IA32_PERF_GLOBAL_CTRL, &value));
    assert_int_equal(t->verdict, VERDICT_NONE); /* no check */
    value = 1;
    assert_false(get_msr(t, 0x999, &value));
    assert_int_equal(value, 0);
    fake_msr(IA32_PERF_GLOBAL_CTRL)->write_vector = HW_GP;
    assert_false(set_msr(t, IA32_PERF_GLOBAL_CTRL, 7));
    assert_false(set_msr(t, IA32_PERFEVTSEL(9), 7));
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(
        lines(),
        "ERROR: MSR 999H: RDMSR raises #GP\n"
        "ERROR: IA32_PERF_GLOBAL_CTRL (38FH): WRMSR of 0x7 raises #GP\n"
        "ERROR: IA32_PERFEVTSEL9 (18FH): RDMSR, before a write that was not "
        "made, raises "
        "#GP\n");
}

static void written_again_where_the_journal_has_it(void **state)
{

    (void)state;
    fake_msr(IA32_PERF_GLOBAL_CTRL)->value = 3;
    assert_true(set_msr(t, IA32_PERF_GLOBAL_CTRL, 0));
    fake_written_count = 0;
    assert_true(set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 7));
    assert_int_equal(try_set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 6),
                     HW_NO_FAULT);
    assert_true(hold_msr(t, IA32_PERF_GLOBAL_CTRL));
    assert_true(set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 5));
    assert_int_equal(fake_written_count, 3);
    assert_int_equal(msr_value(t, IA32_PERF_GLOBAL_CTRL), 5);
    /* A command has nothing to restore. */
    assert_true(set_msr_again(t, IA32_PERF_GLOBAL_STATUS_RESET, 1));
    assert_string_equal(lines(), "");
    fake_msr(IA32_PERF_GLOBAL_CTRL)->write_vector = HW_GP;
    assert_int_equal(try_set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 6), HW_GP);
    assert_string_equal(lines(), "");
    assert_false(set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 8));
    assert_false(set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 9));
    assert_string_equal(
        lines(),
        "ERROR: IA32_PERF_GLOBAL_CTRL (38FH): WRMSR of 0x8 raises #GP\n"
        "ERROR: IA32_PERF_GLOBAL_CTRL (38FH): WRMSR of 0x9 raises #GP\n");
}

/* Counter 3's registers are there where CPUID says so: a FAIL, no ERROR. */
static void a_fault_of_counter_3_is_the_processors(void **state)
{
    uint64_t value = 0;

    (void)state;
    t->cpu.counters = 4;
    t->cpu.full_width_writes = true;
    fake_msr(IA32_PERFEVTSEL(3))->write_vector = HW_GP;
    assert_false(set_msr(t, IA32_PERFEVTSEL(3), 7));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_non_null(strstr(lines(), "FAIL: IA32_PERFEVTSEL3 (189H): WRMSR of "
                                    "0x7 raises #GP; CPUID.0AH enumerates 4"));
    t->verdict = VERDICT_NONE;
    fake_msr_remove(IA32_PMC(3));
    assert_false(get_msr(t, IA32_PMC(3), &value));
    assert_int_equal(t->verdict, VERDICT_FAIL);
    t->verdict = VERDICT_NONE;
    fake_msr_remove(IA32_A_PMC(3));
    assert_int_equal(msr_value(t, IA32_A_PMC(3)), 0);
    assert_int_equal(t->verdict, VERDICT_FAIL);
    t->verdict = VERDICT_NONE;
    t->cpu.full_width_writes = false;
    assert_int_equal(msr_value(t, IA32_A_PMC(3)), 0);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    t->verdict = VERDICT_NONE;
    t->cpu.counters = 3;
    assert_false(get_msr(t, IA32_PMC(3), &value));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

/* What could not be restored is not written, and said. */
static void not_written_again_where_it_has_not(void **state)
{

    (void)state;
    fake_written_count = 0;
    assert_false(set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 7));
    assert_int_equal(try_set_msr_again(t, IA32_PMC(1), 7), HW_NO_FAULT);
    assert_false(hold_msr(t, IA32_PERFEVTSEL(0)));
    assert_int_equal(fake_written_count, 0);
    assert_int_equal(t->verdict, VERDICT_ERROR);
    assert_string_equal(lines(),
                        "ERROR: IA32_PERF_GLOBAL_CTRL (38FH): not written "
                        "again, the journal does not have it\n"
                        "ERROR: IA32_PMC1 (C2H): not written again, the "
                        "journal does not have it\n"
                        "ERROR: IA32_PERFEVTSEL0 (186H): not written again, "
                        "the journal does not have it\n");
}

/* After restore_msrs() the journal has nothing. */
static void not_written_again_once_restored(void **state)
{
    (void)state;
    assert_true(set_msr(t, IA32_PERF_GLOBAL_CTRL, 0));
    restore_msrs(t);
    assert_false(set_msr_again(t, IA32_PERF_GLOBAL_CTRL, 7));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

/* One register by two names: either is enough. */
static void a_counter_is_had_by_both_names(void **state)
{
    (void)state;
    assert_true(set_msr(t, IA32_A_PMC(1), 0));
    assert_true(set_msr(t, IA32_PMC(2), 0));
    assert_true(set_msr_again(t, IA32_PMC(1), 1));
    assert_true(set_msr_again(t, IA32_A_PMC(2), 1));
    assert_false(set_msr_again(t, IA32_PMC(0), 1));
    assert_string_equal(lines(), "ERROR: IA32_PMC0 (C1H): not written again, "
                                 "the journal does not have it\n");
}

static void msr_whose_fault_is_an_answer(void **state)
{
    uint64_t value = 5;

    (void)state;
    assert_int_equal(try_get_msr(t, 0x999, &value), HW_GP);
    assert_int_equal(value, 5);
    assert_int_equal(try_set_msr(t, 0x999, 1), HW_GP);
    fake_msr(TSX_FORCE_ABORT)->write_vector = HW_GP;
    assert_int_equal(try_set_msr(t, TSX_FORCE_ABORT, 2), HW_GP);
    fake_msr(TSX_FORCE_ABORT)->write_vector = HW_NO_FAULT;
    assert_int_equal(try_set_msr(t, TSX_FORCE_ABORT, 1), HW_NO_FAULT);
    assert_int_equal(t->text_bytes, 0);
    restore_msrs(t);
    assert_int_equal(fake_msr(TSX_FORCE_ABORT)->value, 0);
    assert_int_equal(t->verdict, VERDICT_NONE);
}

static void restore_that_does_not_hold(void **state)
{
    (void)state;
    set_msr(t, IA32_PERFEVTSEL(0), 0x430000);
    fake_msr(IA32_PERFEVTSEL(0))->writable = 0;
    restore_msrs(t);
    assert_string_equal(lines(), "ERROR: IA32_PERFEVTSEL0 (186H): restored to "
                                 "0x0, but reads as 0x430000\n");
}

/* Where the test has already said that the processor is wrong it is no error of
 * the tool's. */
static void restore_of_what_failed(void **state)
{
    (void)state;
    set_msr(t, IA32_PERFEVTSEL(0), 0x430000);
    fake_msr(IA32_PERFEVTSEL(0))->writable = 0;
    check(t, false, "bits stay");
    restore_msrs(t);
    assert_int_equal(t->verdict, VERDICT_FAIL);
    assert_string_equal(lines(),
                        "FAIL: bits stay\n"
                        "FAIL: IA32_PERFEVTSEL0 (186H): restored to 0x0, but "
                        "reads as 0x430000\n");
}

/* What microcode may use is a note: counter 3's registers, and its bit alone of
 * 38FH; and nowhere but in regime B with RTM. */
static void restore_that_need_not_hold(void **state)
{
    static const struct {
        uint32_t msr;
        uint64_t sticks; /* bits that stay as they were written */
        bool note;
    } rows[] = {
        {IA32_PERFEVTSEL(3), 0x10000, true},
        {IA32_PMC(3), 0, true}, /* counters are not compared */
        {IA32_PERF_GLOBAL_CTRL, 1 << 3, true},
        {IA32_PERF_GLOBAL_CTRL, 1 << 3 | 1 << 2, false},
        {IA32_PERF_GLOBAL_CTRL, 1 << 2, false},
        {IA32_PERFEVTSEL(2), 0x10000, false},
    };
    static const uint64_t olds[] = {0, 7};

    (void)state;
    for (unsigned n = 0; n < 4; n++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            struct fake_msr *m = fake_msr(rows[i].msr);
            const bool regime_b = n & 1;
            const uint64_t old = olds[n / 2] & ~rows[i].sticks;
            t->regime = regime_b ? REGIME_B : REGIME_C;
            t->cpu.rtm = true;
            t->verdict = VERDICT_NONE;
            t->text_bytes = 0;
            m->value = old;
            m->writable = UINT64_MAX;
            assert_true(set_msr(t, rows[i].msr, rows[i].sticks));
            m->writable = ~rows[i].sticks;
            restore_msrs(t);
            m->writable = UINT64_MAX;
            assert_int_equal(t->verdict,
                             rows[i].sticks == 0 || (rows[i].note && regime_b)
                                 ? VERDICT_NONE
                                 : VERDICT_ERROR);
        }
}

/* What transactions and counters change without being written to. */
static void what_changes_by_itself_is_saved(void **state)
{
    (void)state;
    fake_msr(IA32_PERFEVTSEL(3))->value = 0x5300c0;
    fake_msr(IA32_PMC(3))->value = 77;
    fake_msr(IA32_PERF_GLOBAL_STATUS)->value = BIT(1);
    context_save(t);
    fake_msr(IA32_PERFEVTSEL(3))->value = UINT64_C(0x10043003c);
    fake_msr(IA32_PERF_GLOBAL_STATUS)->value = BIT(1) | BIT(3) | BIT(62);
    fake_written_count = 0;
    restore_msrs(t);
    assert_int_equal(fake_msr(IA32_PERFEVTSEL(3))->value, 0x5300c0);
    assert_int_equal(fake_msr(IA32_A_PMC(3))->value, 77);
    /* A bit that was set before is not ours to clear. */
    assert_int_equal(fake_msr(IA32_PERF_GLOBAL_STATUS_RESET)->value,
                     BIT(3) | BIT(62));

    fake_msr(IA32_PERF_GLOBAL_STATUS)->value = BIT(1);
    fake_written_count = 0;
    context_begin(t, &each, 1);
    context_save(t);
    restore_msrs(t);
    for (unsigned i = 0; i < fake_written_count; i++)
        assert_int_not_equal(fake_written[i], IA32_PERF_GLOBAL_STATUS_RESET);
}

/* So is every register that CPUID.0AH enumerates; the next one is not. */
static void a_fault_of_an_enumerated_register_is_the_processors(void **state)
{
    static const struct {
        uint32_t msr;
        enum verdict verdict;
    } rows[] = {
        {IA32_PMC(0), VERDICT_FAIL},
        {IA32_PMC(4), VERDICT_FAIL},
        {IA32_PMC(5), VERDICT_ERROR},
        {IA32_PERFEVTSEL(4), VERDICT_FAIL},
        {IA32_PERFEVTSEL(5), VERDICT_ERROR},
        {IA32_A_PMC(4), VERDICT_FAIL},
        {IA32_A_PMC(5), VERDICT_ERROR},
        {IA32_FIXED_CTR(1), VERDICT_FAIL},
        {IA32_FIXED_CTR(2), VERDICT_ERROR},
        {IA32_PERF_GLOBAL_STATUS_RESET, VERDICT_FAIL},
        {IA32_PERF_GLOBAL_INUSE, VERDICT_FAIL},
        {IA32_PERF_GLOBAL_CTRL, VERDICT_ERROR},
    };
    uint64_t value;

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        context_begin(t, &each, 1);
        t->cpu.counters = 5;
        t->cpu.fixed_counters = 2;
        t->cpu.perfmon_version = 4;
        t->cpu.full_width_writes = true;
        fake_msr_remove(rows[i].msr);
        assert_false(get_msr(t, rows[i].msr, &value));
        assert_int_equal(t->verdict, rows[i].verdict);
    }
    context_begin(t, &each, 1);
    t->cpu.perfmon_version = 3;
    assert_false(get_msr(t, IA32_PERF_GLOBAL_INUSE, &value));
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

static void unsaved_values_are_reported(void **state)
{
    static const uint32_t msrs[] = {IA32_PERF_GLOBAL_STATUS, IA32_PERFEVTSEL(3),
                                    IA32_PMC(3)};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        fake_msr(msrs[i])->read_vector = HW_GP;
        context_begin(t, &each, 1);
        context_save(t);
        /* Counter 3 is enumerated: the processor's doing. */
        assert_int_equal(t->verdict, i == 0 ? VERDICT_ERROR : VERDICT_FAIL);
        assert_non_null(
            strstr(t->text, i == 0 ? "RDMSR raises #GP: a change that no WRMSR "
                                     "made is not restored\n"
                                   : "RDMSR raises #GP; CPUID.0AH enumerates"));
        fake_msr(msrs[i])->read_vector = HW_NO_FAULT;
    }
    context_begin(t, &each, 1);
    context_save(t);
    assert_int_equal(t->verdict, VERDICT_NONE);
}

static void uncleared_status_is_reported(void **state)
{
    static const uint32_t msrs[] = {IA32_PERF_GLOBAL_STATUS,
                                    IA32_PERF_GLOBAL_STATUS_RESET};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        fake_msr(IA32_PERF_GLOBAL_STATUS)->value = BIT(1);
        context_begin(t, &each, 1);
        context_save(t);
        fake_msr(IA32_PERF_GLOBAL_STATUS)->value |= BIT(3);
        fake_msr(msrs[i])->read_vector = HW_GP;
        fake_msr(msrs[i])->write_vector = HW_GP;
        fake_msr(IA32_PERF_GLOBAL_STATUS)->value |= BIT(34);
        fake_msr(msrs[i])->writes = 0;
        restore_msrs(t);
        if (i == 1) /* both at once, and each by itself */
            assert_int_equal(fake_msr(msrs[i])->writes, 3);
        /* 390H refuses no bit that is set: the processor's doing. */
        assert_int_equal(t->verdict, i == 0 ? VERDICT_ERROR : VERDICT_FAIL);
        assert_non_null(
            strstr(t->text, i == 0 ? "IA32_PERF_GLOBAL_STATUS (38EH): not "
                                     "restored to 0x2, the access raises "
                                     "#GP\n"
                                   : "IA32_PERF_GLOBAL_STATUS (38EH): not "
                                     "restored from 0x40000000a to 0x2, 390H "
                                     "raises "
                                     "#GP"));
        fake_msr(msrs[i])->read_vector = HW_NO_FAULT;
        fake_msr(msrs[i])->write_vector = HW_NO_FAULT;
        fake_msr(IA32_PERF_GLOBAL_STATUS)->value = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(msr_that_must_not_fault, set_up),
        cmocka_unit_test_setup(written_again_where_the_journal_has_it, set_up),
        cmocka_unit_test_setup(
            a_fault_of_an_enumerated_register_is_the_processors, set_up),
        cmocka_unit_test_setup(a_fault_of_counter_3_is_the_processors, set_up),
        cmocka_unit_test_setup(not_written_again_where_it_has_not, set_up),
        cmocka_unit_test_setup(not_written_again_once_restored, set_up),
        cmocka_unit_test_setup(a_counter_is_had_by_both_names, set_up),
        cmocka_unit_test_setup(msr_whose_fault_is_an_answer, set_up),
        cmocka_unit_test_setup(restore_that_does_not_hold, set_up),
        cmocka_unit_test_setup(restore_of_what_failed, set_up),
        cmocka_unit_test_setup(restore_that_need_not_hold, set_up),
        cmocka_unit_test_setup(what_changes_by_itself_is_saved, set_up),
        cmocka_unit_test_setup(unsaved_values_are_reported, set_up),
        cmocka_unit_test_setup(uncleared_status_is_reported, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
