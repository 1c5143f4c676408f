/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - which counters there are, and how they are taken over. */
#include "tests/host/counting/counters_fixture.h"

static void how_many(void **state)
{
    struct identity id = t->cpu;

    (void)state;
    for (unsigned n = 0; n < 12; n++) {
        id.counters = (uint8_t)n;
        assert_int_equal(counters_available(&id), n < 10 ? n : 10);
    }
}

/* CPUID.0AH:EAX[31:24] is the length of the list, a bit of EBX that it lacks.
 */
static void which_events(void **state)
{
    static const struct pmu_event branches = EVENT_BRANCHES;
    struct identity id = t->cpu;

    (void)state;
    assert_true(counters_have_event(&id, &branches));
    id.leaf0a_ebx = ~(UINT32_C(1) << 5);
    assert_true(counters_have_event(&id, &branches));
    id.leaf0a_ebx = UINT32_C(1) << 5;
    assert_false(counters_have_event(&id, &branches));
    id.leaf0a_ebx = 0;
    id.leaf0a_eax = 0x06300404;
    assert_true(counters_have_event(&id, &branches));
    id.leaf0a_eax = 0x05300404;
    assert_false(counters_have_event(&id, &branches));
}

static void what_is_known(void **state)
{
    static const struct {
        uint8_t version;
        uint16_t model;
        uint8_t core_type;
        uint32_t leaf_max;
        bool known, in_part;
    } rows[] = {
        {4, 0x5e, 0, 0x16, true, false},    {4, 0xcc, 0, 0x16, true, false},
        {5, 0x6a, 0, 0x1b, true, false},    {5, 0xcc, 0, 0x1b, false, false},
        {5, 0x97, 0x40, 0x20, false, true}, {5, 0x97, 0x40, 0x22, false, true},
        {5, 0x97, 0x40, 0x23, true, false}, {5, 0x97, 0x20, 0x20, true, false},
        {6, 0xc6, 0, 0x23, true, false},    {6, 0xcc, 0, 0x23, false, false},
        {7, 0xc6, 0, 0x23, false, false},   {6, 0xc6, 0x40, 0x23, true, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct identity id = t->cpu;

        id.perfmon_version = rows[i].version;
        id.model = rows[i].model;
        id.core_type = rows[i].core_type;
        id.leaf_max = rows[i].leaf_max;
        assert_int_equal(counters_all_known(&id), rows[i].known);
        assert_int_equal(counters_told_in_part(&id), rows[i].in_part);
    }
}

/* Of one counter that holds PC [19] all are said to; where it is pins, too. */
static void pin_control(void **state)
{
    (void)state;
    for (unsigned held = 0; held < 16; held++) {
        set_up(NULL);
        assert_true(counters_claim(t));
        for (unsigned n = 0; n < 4; n++)
            if ((held >> n & 1) == 0)
                fake_msr(IA32_PERFEVTSEL(n))->writable = ~BIT(19);
        assert_int_equal(counters_have_pc(t, BITS(3, 0)), held != 0);
        assert_int_equal(counters_have_pc(t, BITS(1, 0)), (held & 3) != 0);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(*reg(IA32_PERFEVTSEL(n)), 0);
        t->cpu.model = 0x1a;
        assert_true(counters_have_pc(t, BITS(3, 0)));
    }
}

/* --- Taken over ---------------------------------------------------------- */

static void taken_over(void **state)
{
    const uint64_t freeze = BIT(11) | BIT(12) | BIT(14);

    (void)state;
    *reg(IA32_PEBS_ENABLE) = 3;
    *reg(IA32_DEBUGCTL) = freeze | BIT(13) | BIT(1);
    *reg(IA32_FIXED_CTR_CTRL) = 0xb0;
    *reg(IA32_PERF_GLOBAL_CTRL) = 0xf;
    *reg(IA32_PERF_GLOBAL_STATUS) = BIT(2) | BIT(62);
    for (unsigned n = 0; n < 4; n++) {
        *reg(IA32_PERFEVTSEL(n)) = n == 1 ? 0x4300c0 : 0x300c0;
        *reg(IA32_A_PMC(n)) = 5;
    }
    for (unsigned n = 0; n < 3; n++)
        *reg(IA32_FIXED_CTR(n)) = 6;
    fake_written_count = 0;
    assert_true(counters_claim(t));
    assert_int_equal(fake_written[0], IA32_PERF_GLOBAL_CTRL);
    assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), 0);
    assert_int_equal(*reg(IA32_PEBS_ENABLE), 0);
    assert_int_equal(*reg(IA32_DEBUGCTL), BIT(13) | BIT(1));
    assert_int_equal(*reg(IA32_FIXED_CTR_CTRL), 0);
    assert_int_equal(*reg(IA32_PERF_GLOBAL_STATUS_RESET), BIT(2) | BIT(62));
    for (unsigned n = 0; n < 4; n++)
        assert_true(*reg(IA32_PERFEVTSEL(n)) == 0 && *reg(IA32_A_PMC(n)) == 0);
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(*reg(IA32_FIXED_CTR(n)), 0);
    assert_true(said("in use before the test: IA32_PERFEVTSEL1 (187H) = "
                     "0x4300c0, IA32_PERF_GLOBAL_CTRL (38FH) = 0xf"));
    assert_false(said("IA32_PERFEVTSEL0"));
    assert_true(said("IA32_FIXED_CTR_CTRL (38DH) = 0xb0"));
    assert_true(said("IA32_PEBS_ENABLE (3F1H) = 0x3"));
    /* Once more: what the test itself has done is not in use before it. */
    const size_t bytes = t->text_bytes;
    *reg(IA32_PERFEVTSEL(2)) = 0x4300c0;
    *reg(IA32_FIXED_CTR_CTRL) = 3;
    assert_true(counters_claim(t));
    assert_int_equal(t->text_bytes, bytes);
    fake_written_count = 0;
    restore_msrs(t);
    assert_int_equal(fake_written[fake_written_count - 1],
                     IA32_PERF_GLOBAL_CTRL);
    assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), 0xf);
    assert_int_equal(*reg(IA32_PEBS_ENABLE), 3);
    assert_int_equal(*reg(IA32_DEBUGCTL), freeze | BIT(13) | BIT(1));
    assert_int_equal(*reg(IA32_PERFEVTSEL(1)), 0x4300c0);
    assert_int_equal(*reg(IA32_A_PMC(3)), 5);
    assert_int_equal(*reg(IA32_FIXED_CTR(2)), 6);
}

/* What is clear is not written; what is not there neither. */
static void not_written(void **state)
{
    (void)state;
    fake_msr(IA32_PEBS_ENABLE);
    *reg(IA32_DEBUGCTL) = BIT(13);
    assert_true(counters_claim(t));
    assert_int_equal(fake_msr(IA32_PEBS_ENABLE)->writes, 0);
    assert_int_equal(fake_msr(IA32_DEBUGCTL)->writes, 0);
    assert_int_equal(fake_msr(IA32_PERF_GLOBAL_STATUS_RESET)->writes, 0);
    assert_int_equal(fake_msr(IA32_PMC(0))->writes, 0);
    set_up(NULL);
    fake_msr_remove(IA32_DEBUGCTL);
    t->cpu.full_width_writes = false;
    assert_true(counters_claim(t));
    assert_int_equal(fake_msr(IA32_A_PMC(0))->writes, 0);
    assert_int_equal(fake_msr(IA32_PMC(0))->writes, 1);
}

static void cannot_be_taken_over(void **state)
{
    static const uint32_t needed[] = {0x38f, 0x38d, 0x186, 0x189,
                                      0x4c1, 0x309, 0x30b};

    (void)state;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        set_up(NULL);
        fake_msr(needed[i])->write_vector = HW_GP;
        assert_false(counters_claim(t));
        assert_true(t->verdict == VERDICT_FAIL || t->verdict == VERDICT_ERROR);
    }
    set_up(NULL);
    *reg(IA32_PEBS_ENABLE) = 1;
    fake_msr(IA32_PEBS_ENABLE)->write_vector = HW_GP;
    assert_false(counters_claim(t));
    set_up(NULL);
    *reg(IA32_DEBUGCTL) = BIT(12);
    fake_msr(IA32_DEBUGCTL)->write_vector = HW_GP;
    assert_false(counters_claim(t));
}

/* MSR_PERF_METRICS after IA32_FIXED_CTR3, and given back after it. */
static void metrics(void **state)
{
    (void)state;
    t->cpu.perf_capabilities |= BIT(15);
    t->cpu.fixed_counters = 4;
    t->cpu.fixed_set = 15;
    *reg(IA32_FIXED_CTR(3)) = 9;
    *reg(MSR_PERF_METRICS) = 8;
    assert_true(counters_claim(t));
    assert_true(last_write(IA32_FIXED_CTR(3)) < last_write(MSR_PERF_METRICS));
    assert_true(*reg(MSR_PERF_METRICS) == 0 && *reg(IA32_FIXED_CTR(3)) == 0);
    fake_written_count = 0;
    restore_msrs(t);
    assert_true(last_write(IA32_FIXED_CTR(3)) < last_write(MSR_PERF_METRICS));
    assert_true(*reg(MSR_PERF_METRICS) == 8 && *reg(IA32_FIXED_CTR(3)) == 9);
}

static uint64_t magic[8];
static unsigned magic_count;

static int keep_selects(uint32_t msr, const uint64_t *written)
{
    if (written != NULL && msr - IA32_PERFEVTSEL(0) < 4 && *written != 0 &&
        magic_count < 8)
        magic[magic_count++] = *written;
    return HW_NO_FAULT;
}

/* Erratum AAK100: three events have to be selected first, of the 1st generation
 * alone. */
static void first_generation(void **state)
{
    static const uint64_t wanted[4] = {0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1};
    static const uint8_t models[] = {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2a};

    (void)state;
    for (size_t i = 0; i < sizeof(models); i++) {
        const bool first = models[i] != 0x2a;
        set_up(NULL);
        t->cpu.model = models[i];
        t->cpu.full_width_writes = false;
        magic_count = 0;
        fake_device = keep_selects;
        assert_true(counters_claim(t));
        fake_device = NULL;
        assert_int_equal(magic_count, first ? 4 : 0);
        assert_memory_equal(magic, wanted, magic_count * sizeof(magic[0]));
        assert_int_equal(fake_msr(IA32_PERF_GLOBAL_CTRL)->writes,
                         first ? 3 : 1);
        assert_int_equal(*reg(IA32_PERF_GLOBAL_CTRL), 0);
        for (unsigned n = 0; n < 4; n++)
            assert_int_equal(*reg(IA32_PERFEVTSEL(n)), 0);
    }
}

static void can_freeze(void **state)
{
    static const struct {
        uint8_t model, stepping, microcode;
        bool can;
    } rows[] = {
        {0x5c, 2, 0x0d, false}, {0x5c, 2, 0x0e, true}, {0x5c, 9, 0x2d, false},
        {0x5c, 9, 0x2e, true},  {0x5c, 10, 7, false},  {0x5c, 10, 8, true},
        {0x5f, 1, 0x27, false}, {0x5f, 1, 0x28, true}, {0x7a, 1, 0x27, false},
        {0x7a, 1, 0x28, true},  {0x7a, 8, 5, false},   {0x7a, 8, 6, true},
        {0x5e, 2, 1, true},     {0x5c, 3, 1, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        t->cpu.model = rows[i].model;
        t->cpu.stepping = rows[i].stepping;
        t->cpu.microcode = rows[i].microcode;
        t->cpu.microcode_known = true;
        assert_int_equal(counters_can_freeze(t), rows[i].can);
        t->cpu.microcode_known = false;
        assert_true(counters_can_freeze(t));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(how_many, set_up),
        cmocka_unit_test_setup(which_events, set_up),
        cmocka_unit_test_setup(what_is_known, set_up),
        cmocka_unit_test_setup(pin_control, set_up),
        cmocka_unit_test_setup(taken_over, set_up),
        cmocka_unit_test_setup(not_written, set_up),
        cmocka_unit_test_setup(cannot_be_taken_over, set_up),
        cmocka_unit_test_setup(metrics, set_up),
        cmocka_unit_test_setup(first_generation, set_up),
        cmocka_unit_test_setup(can_freeze, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
