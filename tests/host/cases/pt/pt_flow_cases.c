/* SPDX-License-Identifier: BSD-2-Clause */
/* pt_flow_cases.c - the cases of Processor Trace about what is traced and what
 * is left out, and about registers. */
#include "tests/host/cases/pt/pt_fixture.h"

#define CASES(ROW)                                 \
    ROW(pt_branches, PASS, PASS, "")               \
    ROW(pt_transfers, PASS, PASS, "")              \
    ROW(pt_enable, PASS, PASS, "")                 \
    ROW(pt_absent, SKIP, SKIP, "")                 \
    ROW(pt_event_packets, NONE, NONE, "")          \
    ROW(pt_events, PASS, PASS, "")                 \
    ROW(pt_filter_context, PASS, PASS, "")         \
    ROW(pt_filter_ip, SKIP, PASS, "pt_gap_traced") \
    ROW(pt_ptwrite, NONE, NONE, "")                \
    ROW(pt_registers, PASS, PASS, "")              \
    ROW(pt_sampled_aborts, PASS, PASS, "")         \
    ROW(pt_while_sampling, PASS, PASS, "")         \
    ROW(pt_tnt_disabled, NONE, NONE, "")           \
    ROW(pt_trace_stop, SKIP, PASS, "")             \
    ROW(pt_write_while_enabled, PASS, PASS, "")    \
    ROW(pt_thread_scope, PASS, PASS, "pt_traces_one")
CASES(TRACED_CASE)

/* RKL008: FilterEn may be an older one, on Ice Lake and what has its core. */
static void filter_en(void **state)
{
    static const char *const late[] = {"icelake-server", "icelake-client"};

    (void)state;
    for (unsigned i = 0; i < 2; i++)
        expect(&test_pt_filter_ip, late[i], "pt_filter_en_one", VERDICT_PASS);
    expect(&test_pt_filter_ip, "sapphirerapids", "pt_filter_en_one",
           VERDICT_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASES(TRACED_UNIT) cmocka_unit_test(filter_en),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
