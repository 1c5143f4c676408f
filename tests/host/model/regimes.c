/* SPDX-License-Identifier: BSD-2-Clause */
/* regimes.c - the regime of each personality: what is enumerated, and what
 * counter 3 does there. */
#include "tests/host/model/tsx_fixture.h"

static void regimes_by_table(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t number;
        int64_t write; /* FAULTS: do not write */
        bool good;
        int64_t read;
        unsigned cpuid;
    } rows[] = {
        {"skylake-2017", 0x10F, 0, false, FAULTS, 0xC},
        {"sandybridge", 0x10F, 0, false, FAULTS, 0x0},
        {"skylake-2018", 0x10F, 0, true, 0, 0xE},
        {"skylake-2018", 0x10F, 1, true, 1, 0xE},
        {"skylake-2018", 0x10F, 2, false, 0, 0xE},
        {"skylake-2018", 0x10F, 4, false, 0, 0xE},
        {"skylake-2021", 0x10F, 0, true, 1, 0xF},
        {"skylake-2021", 0x10F, 1, true, 1, 0xF},
        {"skylake-2021", 0x10F, 2, true, 3, 0x3},
        {"skylake-2021", 0x10F, 4, true, 4, 0xE},
        {"skylake-2021", 0x10F, 5, true, 4, 0xE},
        {"skylake-2021", 0x10F, 6, true, 6, 0x2},
        {"skylake-2021", 0x10F, 8, false, 1, 0xF},
        {"coffeelake-2020", 0x10F, 7, true, 0, 0x3},
        {"cometlake-2022", 0x10F, 0, false, FAULTS, 0xD},
        {"cometlake-2022", 0x122, 2, true, 2, 0x1},
        {"cometlake-2022", 0x122, 4, false, 0, 0xD},
        {"cometlake-2022", 0x123, 2, true, 2, 0xC},
        {"skylake-2018", 0x122, 0, false, FAULTS, 0xE},
        {"cascadelake", 0x10F, 0, false, FAULTS, 0xC},
        {"cascadelake", 0x122, 0, true, 0, 0xC},
        {"cascadelake", 0x122, 1, true, 1, 0xC},
        {"cascadelake", 0x122, 2, true, 2, 0x0},
        {"cascadelake", 0x122, 4, false, 0, 0xC},
        {"cascadelake", 0x123, 0, false, FAULTS, 0xC},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        uint64_t value;

        start(rows[n].cpu, 1);
        processor.tsx.mcu_opt_ctrl = 0; /* not locked */
        assert_int_equal(
            msr_write(&processor, rows[n].number, (uint64_t)rows[n].write),
            rows[n].good);
        if (rows[n].read == FAULTS) {
            assert_false(msr_read(&processor, rows[n].number, &value));
        } else {
            assert_true(msr_read(&processor, rows[n].number, &value));
            assert_int_equal(value, rows[n].read);
        }
        assert_int_equal(enumerated(), rows[n].cpuid);
    }
}

/* White paper 604224, section 1.2. */
static void counter3_is_safe_where_the_paper_says(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        start("skylake-2018", seed);
        assert_true(msr_write(&processor, 0x189, 0x53003C));
        assert_true(msr_write(&processor, 0x10F, 1));
        for (unsigned n = 0; n < 50; n++)
            tsx_committed(&processor);
        assert_int_equal(processor.pmu.counter[3], 0);
        assert_int_equal(processor.pmu.select[3], 0x53003C);
        assert_false(processor.pmu.inuse3);
    }
}

static void counter3_goes_wrong_in_many_ways(void **state)
{
    unsigned changed = 0, fingerprint = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        start("skylake-2018", seed);
        assert_true(msr_write(&processor, 0x189, 0x53003C));
        for (unsigned n = 0; n < 50; n++)
            tsx_committed(&processor);
        if (processor.pmu.counter[3] != 0)
            changed++;
        if (processor.pmu.select[3] == UINT64_C(0x10043003C))
            fingerprint++;
    }
    assert_in_range(changed, 20, 180);
    assert_in_range(fingerprint, 5, 180);
}

/* MSR 10FH as firmware leaves it; and where there is no RTM. */
static void found_at_boot(void **state)
{
    static const struct {
        const char *cpu;
        uint64_t force_abort;
        unsigned enumerated;
    } rows[] = {
        {"skylake-u-2018", 0, 0xE},
        {"skylake-u-2021", 3, 0x3}, /* regime C' */
        {"kabylake-u-2019", 0, 0x2},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        uint64_t value;

        start(rows[n].cpu, 1);
        assert_int_equal(enumerated(), rows[n].enumerated);
        assert_true(msr_read(&processor, MSR_TSX_FORCE_ABORT, &value));
        assert_int_equal(value, rows[n].force_abort);
    }
    assert_true(tsx_rtm_invalid(&processor));
    processor.choices.garble = GARBLE_COUNT_JUMPS;
    processor.choices.garble_one_in = 1;
    tsx_disturb_counter3(&processor);
    assert_int_equal(processor.pmu.counter[3], 0);
    start("cometlake-rtm-2022", 1);
    assert_int_equal(processor.tsx.mcu_opt_ctrl, 2);
    assert_int_equal(enumerated(), 0xC); /* RTM_ALLOW: no RTM_ALWAYS_ABORT */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regimes_by_table),
        cmocka_unit_test(counter3_is_safe_where_the_paper_says),
        cmocka_unit_test(counter3_goes_wrong_in_many_ways),
        cmocka_unit_test(found_at_boot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
