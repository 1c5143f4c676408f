/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_abort_cases.c - records of RTM aborts, as the manual says, and with one
 * thing otherwise. */
#include "tests/host/cases/pebs/pebs_abort_device.h"

extern const struct test test_pebs_inside_tx, test_pebs_tx_abort,
    test_pebs_tx_cycles;

static void healthy(void **state)
{
    (void)state;
    wrong = (struct wrong){.of = NULL};
    expect_case(verdict_of(&test_pebs_inside_tx), VERDICT_PASS,
                "25 of 25 transactions made a record");
    expect_case(verdict_of(&test_pebs_tx_abort), VERDICT_PASS,
                "XABORT: 12 records of 24 aborts, 12 by this cause");
    expect_case(verdict_of(&test_pebs_tx_conflict), VERDICT_PASS,
                "5 records of 10 aborts, 3 with Data_Conflict");
    expect_case(verdict_of(&test_pebs_tx_cycles), VERDICT_PASS, "");
}

static void deviations(void **state)
{
    static const struct {
        const struct test *test;
        enum verdict verdict;
        const char *line;
        struct wrong wrong;
    } rows[] = {
        ROW(tx_abort, FAIL, "made 0; wanted a quarter", .silent = true,
            .of = tsx_body_cpuid),
        ROW(tx_abort, FAIL, "and RTM_RETIRED.ABORTED counted 23",
            .uncounted = 1),
        ROW(tx_abort, FAIL, "is not 10b", .info = BIT(33),
            .of = tsx_body_pause),
        ROW(tx_abort, FAIL, "is not 10b", .info = BIT(32), .of = tsx_body_ud2),
        ROW(tx_abort, FAIL, "is not the aborting instruction", .ip = 1,
            .of = tsx_body_divide),
        ROW(tx_abort, FAIL, "is not the aborting instruction", .ip = 1,
            .of = tsx_body_cpuid),
        ROW(tx_abort, FAIL, "contradict", .info = ANY_OTHER,
            .of = tsx_body_nest_xabort),
        ROW(tx_abort, FAIL, "[35:34] is 0 in 12 of 12", .info = INSTRUCTION,
            .of = tsx_body_ud2),
        ROW(tx_abort, FAIL,
            "too many levels: TX Abort Information (B8H)[35:34]",
            .info = INSTRUCTION, .of = tsx_body_nest),
        ROW(tx_abort, FAIL, "uncacheable memory: TX Abort Information (B8H)[35",
            .info = INSTRUCTION, .of = tsx_body_load),
        ROW(tx_abort, FAIL, "(Instruction_Abort) is 1 in 0 of",
            .info = INSTRUCTION, .of = tsx_body_pause),
        ROW(tx_abort, FAIL, "[36] (Retry)", .info = TX_ABORT_RETRY),
        ROW(tx_abort, FAIL, "EAX[2] is not", .info = TX_ABORT_DATA_CONFLICT,
            .of = tsx_body_write_lines),
        ROW(tx_abort, FAIL, "EAX[3] is not", .info = TX_ABORT_CAPACITY_READS,
            .of = tsx_body_store),
        ROW(tx_abort, FAIL, "(Capacity Writes) is 1 in 0 of",
            .info = TX_ABORT_CAPACITY_WRITES, .of = tsx_body_write_lines),
        ROW(tx_abort, FAIL, "(Capacity Reads) is 1",
            .info = TX_ABORT_CAPACITY_READS, .of = tsx_body_write_lines),
        ROW(tx_abort, FAIL, "(Capacity Reads) is 1 in 0 of",
            .info = TX_ABORT_CAPACITY_READS, .of = tsx_body_read_lines),
        ROW(tx_abort, FAIL, "(Capacity Writes) is 1",
            .info = TX_ABORT_CAPACITY_WRITES, .of = tsx_body_read_lines),
        ROW(tx_abort, FAIL, "the first instruction of the outermost", .rip = -1,
            .of = tsx_body_nest_xabort),
        ROW(tx_abort, FAIL, "by IA32_PMC1 (C2H), XABORT: ", .by_1 = BIT(33)),
        ROW(tx_conflict, FAIL, "none with Data_Conflict", .idle = true),
        ROW(tx_conflict, FAIL, "none with Data_Conflict",
            .info = TX_ABORT_DATA_CONFLICT, .of = tsx_body_hold_load),
        ROW(tx_conflict, FAIL, "in an inner transaction: ",
            .info = TX_ABORT_DATA_CONFLICT, .of = tsx_body_hold_nested),
        ROW(tx_conflict, FAIL, "a read by another processor of what was",
            .info = TX_ABORT_DATA_CONFLICT, .of = tsx_body_hold_store),
        ROW(tx_conflict, FAIL, "none with Data_Conflict", .silent = true),
        ROW(tx_conflict, FAIL, "is no address of this program's code",
            .ip = INT64_C(1) << 40),
        ROW(tx_conflict, FAIL, "EAX[2] is not", .status = RTM_STATUS_CONFLICT),
        ROW(tx_conflict, FAIL, "(Non_Instruction_Abort) is 1 in 0 of",
            .info = INSTRUCTION | ANY_OTHER),
        ROW(tx_conflict, FAIL, "(Capacity Writes)",
            .info = TX_ABORT_CAPACITY_WRITES, .status = RTM_STATUS_CAPACITY),
        ROW(tx_conflict, FAIL, "(Capacity Reads)",
            .info = TX_ABORT_CAPACITY_READS, .status = RTM_STATUS_CAPACITY),
        ROW(tx_conflict, FAIL, "[36] (Retry)", .info = TX_ABORT_RETRY),
        ROW(tx_conflict, FAIL, "at ring 3: no record in 3 windows",
            .conflicts_ring3 = true),
        /* What the abort before has set. */
        ROW(tx_conflict, FAIL, "[36] (Retry) is 1", .sticky = TX_ABORT_RETRY),
        ROW(tx_conflict, FAIL, "(Data_Conflict) is 1",
            .sticky = TX_ABORT_DATA_CONFLICT),
        ROW(tx_abort, FAIL, "XABORT after stores to many lines: ",
            .sticky = TX_ABORT_CAPACITY_WRITES),
        ROW(tx_cycles, FAIL, "the record of an abort", .adds = true),
        ROW(tx_cycles, PASS, "", .cycles = -20),
        ROW(tx_cycles, FAIL, "wanted 100 or more", .cycles = -21,
            .of = tsx_body_spin_xabort),
        ROW(tx_cycles, FAIL, "an abort in an inner transaction", .cycles = -21,
            .of = tsx_body_nest_spin_xabort),
        ROW(tx_cycles, FAIL, "an abort in an inner transaction", .cycles = -21,
            .of = tsx_body_spin_nest_xabort),
        ROW(tx_cycles, FAIL, "wanted 100 or more", .cycles = -21, .only = 3,
            .of = tsx_body_spin_xabort),
        ROW(tx_cycles, PASS, "", .cycles = 10),
        ROW(tx_cycles, FAIL, "no more than the 130 core", .cycles = 11,
            .of = tsx_body_spin_xabort),
        ROW(tx_cycles, FAIL, "after many loads", .cycles = -140000 + 65535,
            .of = tsx_body_read_lines_xabort),
        ROW(tx_cycles, PASS, "", .cycles = -140000 + 65536,
            .of = tsx_body_read_lines_xabort),
        ROW(tx_cycles, PASS, "", .cycles = -1044 + 8,
            .of = tsx_body_write_lines),
        ROW(tx_cycles, FAIL, "by too many stores", .cycles = -1044 + 7,
            .of = tsx_body_write_lines),
        ROW(tx_cycles, FAIL, "by too many stores", .cycles = 11,
            .of = tsx_body_write_lines),
        ROW(tx_cycles, FAIL, "of a branch after an abort", .after = BIT(20)),
        ROW(tx_cycles, FAIL, "[33:32] = 0, it is of no", .after = BIT(32)),
        ROW(tx_cycles, FAIL, "[33:32] = 0, it is of no", .after = BIT(33)),
        ROW(tx_cycles, FAIL, "of a branch after a commit", .stale = true),
        ROW(tx_cycles, FAIL, "0 records of aborts", .silent = true,
            .of = tsx_body_spin_xabort),
        ROW(tx_cycles, FAIL, "0 of aborts in an inner", .silent = true,
            .of = tsx_body_nest_spin_xabort),
        ROW(tx_cycles, FAIL, "0 of such after the turns", .silent = true,
            .of = tsx_body_spin_nest_xabort),
        ROW(inside_tx, FAIL, "25 of 25 transactions committed although",
            .commits = true),
        ROW(inside_tx, FAIL, "made no record", .silent = true),
        ROW(inside_tx, FAIL, "1 of 128 lines", .leaks = true),
        ROW(inside_tx, FAIL, "1 registers", .loses = true),
        ROW(inside_tx, FAIL, "names another cause",
            .cause = RTM_STATUS_CAPACITY),
        ROW(inside_tx, PASS, "", .cause = RTM_STATUS_RETRY),
        ROW(inside_tx, PASS, "", .cause = RTM_STATUS_NESTED),
        ROW(inside_tx, FAIL, "is not 10b", .info = BIT(32)),
        ROW(inside_tx, FAIL, "events follow", .ip = 88),
        ROW(inside_tx, FAIL, "events follow", .ip = -9),
        ROW(inside_tx, PASS, "", .ip = 87),
        ROW(inside_tx, PASS, "", .ip = -8),
        ROW(inside_tx, FAIL, "the outermost fallback", .rip = -1),
        ROW(inside_tx, FAIL, "outside of transactions", .outside = true),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        wrong = rows[i].wrong;
        expect_case(verdict_of(rows[i].test), rows[i].verdict, rows[i].line);
    }
}

/* RTM_FORCE_ABORT: a record of a forced abort, if there is one, is right. */
static void forced(void **state)
{
    (void)state;
    for (unsigned is = 0; is < 2; is++) {
        begin(&test_pebs_tx_abort);
        t->cpu.tsx_force_abort = true;
        t->regime = REGIME_B;
        fake_msr(TSX_FORCE_ABORT)->value = 0;
        wrong = (struct wrong){.of = tsx_body_nothing,
                               .info = is != 0 ? BIT(32) : 0};
        records = 0;
        expect_case(case_end(), is != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    "RTM_FORCE_ABORT = 1: ");
        assert_non_null(strstr(t->text, "4 records of 8 aborts"));
    }
}

/* The same of elided locks. */
static void elided_locks(void **state)
{
    (void)state;
    wrong = (struct wrong){.of = NULL};
    elides = true;
    expect_case(verdict_of(&test_pebs_tx_conflict), VERDICT_PASS,
                "an elided lock: 3 records of 6 aborts, 3 with Data_Conflict");
    for (elided_again = 1; elided_again <= 2; elided_again++)
        expect_case(verdict_of(&test_pebs_tx_conflict), VERDICT_FAIL,
                    "wanted one a section at most");
    elided_again = 0;
    expect_case(verdict_of(&test_pebs_tx_cycles), VERDICT_PASS, "");
    wrong = (struct wrong){.stale_section = true};
    expect_case(verdict_of(&test_pebs_tx_cycles), VERDICT_FAIL,
                "the record of a branch after an elided section");
    wrong = (struct wrong){.of = NULL};
    expect_case(verdict_of(&test_pebs_tx_abort), VERDICT_PASS,
                "XABORT: 12 records of 24 aborts, 12 by this cause");
    wrong = (struct wrong){.of_hle = true};
    expect_case(verdict_of(&test_pebs_tx_abort), VERDICT_FAIL, "XABORT: ");
    wrong = (struct wrong){.of = hle_xchg_acquired, .info = BIT(33)};
    expect_case(verdict_of(&test_pebs_tx_conflict), VERDICT_FAIL, "an elided");
    elides = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy),
        cmocka_unit_test(elided_locks),
        cmocka_unit_test(deviations),
        cmocka_unit_test(forced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
