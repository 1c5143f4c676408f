/* SPDX-License-Identifier: BSD-2-Clause */
/* pdir.c - which instruction a record of INST_RETIRED is of. */
#include "tests/host/model/pebs_fixture.h"

/* Of how many instructions after the overflow the record is; the counter n
 * overflows with the third. */
static unsigned skid(unsigned n)
{
    unsigned after = 0;

    for (unsigned k = 0; k < 2; k++)
        other();
    assert_int_equal(processor.pebs.triggered, 0);
    other();
    for (; processor.pebs.triggered == 0; after++)
        other();
    assert_int_equal(processor.pebs.triggered, 1u << n);
    assert_true(make_record());
    set(0xC1 + n, (uint32_t)-3);
    return after;
}

/* The set of skids of 64 records. */
static unsigned skids(unsigned n)
{
    unsigned seen = 0;

    for (unsigned k = 0; k < 64; k++)
        seen |= 1u << skid(n);
    return seen;
}

static void begin(const char *cpu, const char *fault, unsigned n)
{
    start(cpu, fault, 0xC8, 1000, 1000);
    processor.choices.pebs_imprecise = true;
    arm(n, PREC_DIST, 3);
    set(0x38F, 1u << n);
}

static void only_counter_1_has_none(void **state)
{
    (void)state;
    begin("haswell", "none", 1);
    assert_int_equal(skids(1), 1);
    for (unsigned n = 0; n < 4; n += 2) {
        begin("haswell", "none", n);
        processor.choices.pebs_skid = 4;
        assert_int_equal(skids(n), 0x1E);
        processor.choices.pebs_skid = 1;
        assert_int_equal(skids(n), 2);
    }
}

static void other_counters_disturb_sandybridge(void **state)
{
    static const struct {
        const char *cpu;
        unsigned skids;
    } rows[] = {{"sandybridge", 0xF}, {"ivybridge", 1}};

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        begin(rows[k].cpu, "none", 1);
        processor.choices.pdir_skid = 3;
        assert_int_equal(skids(1), 1);
        set(0x186, 0x4300C0);
        set(0x38F, 3);
        assert_int_equal(skids(1), rows[k].skids);
        set(0x186, 0); /* quiesced */
        assert_int_equal(skids(1), 1);
    }
}

static void faults_show(void **state)
{
    (void)state;
    begin("haswell", "pdir_skids", 1);
    assert_int_equal(skids(1) & 1, 0);
    begin("haswell", "pdir_skips_branches", 1);
    assert_int_equal(skids(1), 1);
    other();
    other();
    branch();
    assert_int_equal(processor.pebs.triggered, 0);
    other();
    assert_true(make_record());
    begin("haswell", "pdir_ip_off", 1);
    skid(1);
    assert_int_equal(record.words[0xB0 / 8], 0x101);
    begin("haswell", "pdir_ip_off", 0);
    skid(0);
    assert_int_equal(record.words[0xB0 / 8], 0x200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_counter_1_has_none),
        cmocka_unit_test(other_counters_disturb_sandybridge),
        cmocka_unit_test(faults_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
