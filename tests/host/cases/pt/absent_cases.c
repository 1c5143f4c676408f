/* SPDX-License-Identifier: BSD-2-Clause */
/* absent_cases.c - a processor without a trace that has one of its MSRs. */
#include "src/base/msr.h"
#include "src/cpu/identity.h"
#include "tests/host/cases/case_fixture.h"

extern const struct test test_pt_absent;

static void begin(void)
{
    case_begin(&test_pt_absent, 25);
    t->cpu.pt = false;
}

static void each_is_refused(void **state)
{
    (void)state;
    begin();
    expect_case(case_end(), VERDICT_PASS, "");
}

static void each_alone_is_seen(void **state)
{
    static const uint32_t msrs[] = {0x560, 0x561, 0x570, 0x571, 0x572,
                                    0x580, 0x581, 0x582, 0x583, 0x584,
                                    0x585, 0x586, 0x587};

    (void)state;
    for (unsigned i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++) {
        begin();
        fake_msr(msrs[i]);
        expect_case(case_end(), VERDICT_FAIL, "1 of 13 MSRs");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_refused),
        cmocka_unit_test(each_alone_is_seen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
