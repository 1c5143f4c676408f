/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_pair_cases.c - a traced transaction, and a store of another processor. */
#define PROCESSORS 2
#include "src/tsx/pair.h"
#include "tests/host/cases/pt/pt_fixture.h"

#include <limits.h>

extern const struct test test_pt_rtm_abort_conflict;

/* Behind the tables of the trace: a page that the other one stores to, then
 * what both see. */
static void store(void)
{
    struct pair *pair = (void *)((uint8_t *)test_records(t) + 2 * PAGE);

    pair->rounds++;
}

static enum verdict run_of(const char *cpu, const char *fault,
                           unsigned conflict)
{
    traced_conflict = conflict;
    is_faulty = false;
    power_on(&test_pt_rtm_abort_conflict, cpu, fault);
    fake_beside = store;
    return run_body();
}

static enum verdict run_on(const char *fault, unsigned conflict)
{
    return run_of("skylake-2018", fault, conflict);
}

static void conflict(void **state)
{
    static const char *const faults[] = {
        "pt_begin_ip_next",      "pt_abort_is_commit",   "pt_fup_missing",
        "pt_abort_target_wrong", "pt_abort_tip_missing", "pt_abort_ip_wrong",
        "pt_abort_ip_beyond"};

    (void)state;
    expect_case(run_on("none", 100), VERDICT_PASS, "");
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        expect_case(run_on(faults[i], 100), VERDICT_FAIL,
                    "abort by a conflict");
    /* One that only a longer transaction meets. */
    expect_case(run_on("none", 1000), VERDICT_PASS, "");
}

/* A lock that is elided, too. */
static void elided(void **state)
{
    (void)state;
    expect_case(run_of("skylake-2017", "none", 100), VERDICT_PASS, "");
    expect_case(run_of("skylake-2017", "pt_hle_abort_ip_begin", 100),
                VERDICT_FAIL, "abort of an elided section by a conflict");
}

static void none(void **state)
{
    (void)state;
    expect_case(run_on("none", UINT_MAX), VERDICT_SKIP, "up to 2048 turns");
    power_on(&test_pt_rtm_abort_conflict, "skylake-2018", "none");
    fake_beside = NULL;
    expect_case(run_body(), VERDICT_SKIP, "two processors at the same time");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conflict),
                                       cmocka_unit_test(elided),
                                       cmocka_unit_test(none)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
