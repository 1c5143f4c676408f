/* SPDX-License-Identifier: BSD-2-Clause */
/* errata.c - which erratum which model has, and under which name. */
#include "src/cpu/errata.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *name(unsigned model, unsigned stepping, enum erratum erratum)
{
    static struct erratum_found found;
    struct identity id = {.vendor = "GenuineIntel",
                          .family = 6,
                          .model = (uint16_t)model,
                          .stepping = (uint8_t)stepping};

    return errata_find(&id, erratum, &found) ? found.name : "none";
}

/* Typed from the specification updates' tables. */
static void names_by_model(void **unused)
{
    static const struct {
        unsigned model, stepping;
        enum erratum erratum;
        const char *want;
    } rows[] = {
        {0x5e, 3, ERRATUM_EVENTING_IP_BEFORE_JCC, "SKL018"},
        {0x9e, 9, ERRATUM_EVENTING_IP_BEFORE_JCC, "KBL018"},
        {0x9e, 13, ERRATUM_EVENTING_IP_BEFORE_JCC, "CFL018"},
        {0x8e, 10, ERRATUM_PMC2_OVER_ABORTS, "KBL151"},
        {0x8e, 12, ERRATUM_PMC2_OVER_ABORTS, "CML134"}, /* not in CFL's */
        {0xa5, 2, ERRATUM_LOAD_LATENCY_STOPS, "CML095"},
        {0x5e, 3, ERRATUM_LOAD_LATENCY_STOPS, "none"},
        {0x3c, 3, ERRATUM_RECORD_OF_LATER, "HSD110"},
        {0x45, 1, ERRATUM_RECORD_OF_LATER, "HSM119"},
        {0x3d, 4, ERRATUM_BRANCHES_OF_THREAD_1, "BDD101"},
        {0x3a, 9, ERRATUM_FIXED0_PMI_REPEATED, "BV043"},
        {0x2a, 7, ERRATUM_FIXED0_PMI_REPEATED, "none"},
        {0x6a, 6, ERRATUM_EVENTING_IP, "none"},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(
            name(rows[i].model, rows[i].stepping, rows[i].erratum),
            rows[i].want);
}

static void servers_are_inferred(void **unused)
{
    struct identity id = {
        .vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4};
    struct erratum_found found;

    (void)unused;
    assert_true(errata_find(&id, ERRATUM_PMC2_OVER_ABORTS, &found));
    assert_string_equal(found.name, "SKL194");
    assert_true(found.inferred);
    id.model = 0x5e;
    assert_true(errata_find(&id, ERRATUM_PMC2_OVER_ABORTS, &found));
    assert_false(found.inferred);
    id.family = 15;
    assert_false(errata_find(&id, ERRATUM_PMC2_OVER_ABORTS, &found));
}

/* A name of another maker's processor would be a wrong excuse. */
static void others_have_none(void **unused)
{
    struct identity id = {
        .vendor = "AuthenticAMD", .family = 6, .model = 0x5e, .stepping = 3};
    struct erratum_found found;

    (void)unused;
    for (unsigned e = 0; e < ERRATUM_COUNT; e++)
        assert_false(errata_find(&id, (enum erratum)e, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_by_model),
        cmocka_unit_test(servers_are_inferred),
        cmocka_unit_test(others_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
