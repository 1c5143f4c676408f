/* SPDX-License-Identifier: BSD-2-Clause */
/* errata.c - published errata: whose they are, and that exact ones have none.
 */
#include "tests/host/model/pebs_fixture.h"

#include "tests/silicon/model/errata.h"

static uint64_t find(const char *cpu, const char *id)
{
    return errata_find(personality_find(cpu), id);
}

static void found_by_id_and_processor(void **state)
{
    (void)state;
    assert_int_equal(find("skylake-2018", "SKL018"), BIT(ERRATUM_NOT_TAKEN_IP));
    assert_int_equal(find("skylake-u-2018", "SKL018"),
                     BIT(ERRATUM_NOT_TAKEN_IP));
    assert_int_equal(find("broadwell", "BDM050"), BIT(ERRATUM_NOT_TAKEN_IP));
    assert_int_equal(find("cometlake-2022", "CML134"), BIT(ERRATUM_PMC2));
    assert_int_equal(find("skylake-2018", "BDM050"), 0);
    assert_int_equal(find("skylake-2018", "SKL01"), 0);
    assert_int_equal(find("skylake-2018", ""), 0);
    assert_int_equal(errata_of(personality_find("skylake-server-2019")), 0);
}

/* The rates are of a seed; each erratum that a processor has shows at last. */
static void show_where_they_are(void **state)
{
    bool shown = false;

    (void)state;
    start("haswell-real", "none", 0xC8, 2, 2);
    machine.errata = BIT(ERRATUM_PMC2);
    for (unsigned n = 0; n < 1000; n++) {
        shown |= erratum_shows(&processor, ERRATUM_PMC2, 2);
        assert_false(erratum_shows(&processor, ERRATUM_FIXED0_32, 1));
    }
    assert_true(shown);
    machine.errata = 0;
    assert_false(erratum_shows(&processor, ERRATUM_PMC2, 1));
}

/* HSD143: up to 32 more, which can overflow as any. */
static void fixed0_counts_32_more(void **state)
{
    (void)state;
    start("haswell-real", "none", 0xC8, 2, 2);
    machine.errata = BIT(ERRATUM_FIXED0_32);
    processor.choices.errata_one_in = 1;
    set(0x38D, 0x003);
    set(0x309, BITS(47, 0) - 15);
    set(0x38F, BIT(32));
    branch();
    assert_true((get(0x38E) & BIT(32)) != 0);
    assert_true(get(0x309) < 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_by_id_and_processor),
        cmocka_unit_test(show_where_they_are),
        cmocka_unit_test(fixed0_counts_32_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
