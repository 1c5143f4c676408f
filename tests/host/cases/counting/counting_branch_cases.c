/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_branch_cases.c - branches by kind, and instructions with REP, where
 * each counter counts as it has to, or one does not. */
#include "tests/host/cases/counting/counting_body.h"

extern const struct test test_branch_kinds, test_counter_rep;

/* --- Branches by kind ---------------------------------------------------- */

/* Mispredicted: the best guess, and what a processor counts none of. */
static struct {
    bool taken, not_taken, indirect, returns;
} uncounted;

uint64_t window_random(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    const uint32_t ones = (uint32_t)__builtin_popcountll(cells[0]);
    const bool few = ones < 32;
    const bool none = few ? uncounted.taken : uncounted.not_taken;
    const struct piece p = {.instructions = 300,
                            .taken = 63 + ones,
                            .falling = 65 - ones,
                            .mispredicted = none  ? 0
                                            : few ? ones
                                                  : 64 - ones};

    run_window(enable, &p, 1);
    return 0;
}

uint64_t window_indirect(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    const struct piece p = {.instructions = 200,
                            .taken = 31,
                            .falling = 1,
                            .indirect = 32,
                            .mispredicted = uncounted.indirect ? 0 : 16};

    (void)cells;
    run_window(enable, &p, 1);
    return 0;
}

uint64_t window_returns(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    const struct piece p = {.instructions = 232,
                            .taken = 31,
                            .falling = 1,
                            .returns = 32,
                            .mispredicted = uncounted.returns ? 0 : 32};

    (void)cells;
    run_window(enable, &p, 1);
    return 0;
}

static const struct kinds_of {
    uint16_t model;
    uint8_t core_type;
    unsigned windows; /* one of each kind, two of instructions */
    struct {
        uint64_t event;
        const char *line;
    } kinds[9];
} kinds_of[] = {
    {0x5e,
     0,
     9,
     {{0x00c4, "Branch Instruction Retired (C4H/00H): IA32_PMC"},
      {0x01c4, "BR_INST_RETIRED.CONDITIONAL (C4H/01H): IA32_PMC"},
      {0x02c4, "NEAR_CALL (C4H/02H): IA32_PMC"},
      {0x08c4, "NEAR_RETURN (C4H/08H): IA32_PMC"},
      {0x10c4, "NOT_TAKEN (C4H/10H): IA32_PMC"},
      {0x20c4, "NEAR_TAKEN (C4H/20H): IA32_PMC"},
      {0x40c4, "FAR_BRANCH (C4H/40H): IA32_PMC"}}},
    {0x6a,
     0,
     11,
     {{0x01c4, "COND_TAKEN (C4H/01H): IA32_PMC"},
      {0x11c4, "COND (C4H/11H): IA32_PMC"},
      {0x02c4, "NEAR_CALL (C4H/02H): IA32_PMC"},
      {0x08c4, "NEAR_RETURN (C4H/08H): IA32_PMC"},
      {0x10c4, "NOT_TAKEN (C4H/10H): IA32_PMC"},
      {0x20c4, "NEAR_TAKEN (C4H/20H): IA32_PMC"},
      {0x40c4, "FAR_BRANCH (C4H/40H): IA32_PMC"},
      {0x80c4, "INDIRECT (C4H/80H): IA32_PMC"}}},
    {0x8f, 0, 11, {{0x80c4, "INDIRECT (C4H/80H): IA32_PMC"}}},
    {0x3c, 0, 9, {{0x01c4, "CONDITIONAL (C4H/01H): IA32_PMC"}}},
    {0x2a, 0, 9, {{0x01c4, "CONDITIONAL (C4H/01H): IA32_PMC"}}},
    {0x1a, 0, 3, {{0x00c4, "(C4H/00H): IA32_PMC"}}},
    {0x97,
     0x20,
     10,
     {{0x7ec4, "COND (C4H/7EH): IA32_PMC"},
      {0xbfc4, "FAR_BRANCH (C4H/BFH): IA32_PMC"},
      {0xc0c4, "NEAR_TAKEN (C4H/C0H): IA32_PMC"},
      {0xebc4, "INDIRECT (C4H/EBH): IA32_PMC"},
      {0xf7c4, "NEAR_RETURN (C4H/F7H): IA32_PMC"},
      {0xf9c4, "NEAR_CALL (C4H/F9H): IA32_PMC"},
      {0xfec4, "COND_TAKEN (C4H/FEH): IA32_PMC"}}},
};

static void begin_kinds(uint16_t model, uint8_t core_type)
{
    counting_begin(&test_branch_kinds, 4, 0);
    set_model(model, core_type);
}

static void branches_by_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(kinds_of) / sizeof(kinds_of[0]); i++) {
        const struct kinds_of *of = &kinds_of[i];

        begin_kinds(of->model, of->core_type);
        expect_case(counting_end(), VERDICT_PASS, "");
        assert_int_equal(device.windows, of->windows + 5 * 8);
        for (unsigned k = 0; k < 9 && of->kinds[k].line != NULL; k++)
            for (unsigned n = 0; n < 4; n++) {
                begin_kinds(of->model, of->core_type);
                set_wrong(n, of->kinds[k].event, 0, n % 2 != 0 ? 1 : -1);
                expect_case(counting_end(), VERDICT_FAIL, of->kinds[k].line);
            }
    }
}

static void mispredicted_by_kind(void **state)
{
    static const char *const lines[] = {"seldom taken at random",
                                        "seldom not taken at random",
                                        "indirect jumps to one of two places "
                                        "at random",
                                        "returns to one of two places at "
                                        "random"};
    bool *const kinds[] = {&uncounted.taken, &uncounted.not_taken,
                           &uncounted.indirect, &uncounted.returns};

    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        begin_kinds(0x5e, 0);
        *kinds[k] = true;
        expect_case(counting_end(), VERDICT_FAIL, lines[k]);
        begin_kinds(0x5e, 0); /* that it does not have them */
        t->cpu.leaf0a_ebx = BIT(6);
        expect_case(counting_end(), VERDICT_PASS, "");
        *kinds[k] = false;
    }
}

/* BJ090: some of them too many, none too few; BDD101: far ones of a thread. */
static void branches_by_errata(void **state)
{
    (void)state;
    for (unsigned umask = 0x10; umask <= 0x40; umask *= 2)
        for (int more = -1; more <= 1; more += 2) {
            const bool may = umask != 0x40 && more > 0;

            begin_kinds(0x2a, 0);
            set_wrong(2, umask << 8 | 0xc4, 0, more);
            expect_case(counting_end(), may ? VERDICT_PASS : VERDICT_FAIL,
                        may ? "counts too many (BJ090)" : "C4H/");
        }
    for (unsigned siblings = 0; siblings < 2; siblings++) {
        begin_kinds(0x3d, 0);
        all[1].cpu.apic_id = siblings != 0 ? 1 : 2;
        set_wrong(1, 0x40c4, 0, 1);
        expect_case(counting_end(),
                    siblings != 0 ? VERDICT_KNOWN : VERDICT_FAIL, "FAR_BRANCH");
        begin_kinds(0x3d, 0);
        set_wrong(1, 0x20c4, 0, 1);
        expect_case(counting_end(), VERDICT_FAIL, "NEAR_TAKEN");
    }
}

/* The instructions of that window, where another one says what its ends are. */
static void branches_are_instructions(void **state)
{
    (void)state;
    for (int64_t more = -1; more <= 1; more++)
        for (unsigned window = 8; window <= 9; window++) {
            begin_kinds(0x5e, 0);
            set_wrong(0, 0xc0, 0, more);
            device.wrong.window = window;
            expect_case(counting_end(), more == 0 ? VERDICT_PASS : VERDICT_FAIL,
                        more == 0 ? "" : "40 of every kind; wanted");
        }
    begin_kinds(0x5e, 0);
    set_wrong(0, 0xc0, 0, 1); /* both of them */
    expect_case(counting_end(), VERDICT_PASS, "");
}

/* --- REP ----------------------------------------------------------------- */

static void rep(void **state)
{
    static const unsigned places[] = {0, 1, 2, 3, FIXED(0)};

    (void)state;
    counting_begin(&test_counter_rep, 4, 3);
    expect_case(counting_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, 3);
    /* In one of the windows, or in all. */
    for (unsigned i = 0; i < 5; i++)
        for (unsigned window = 0; window <= 3; window++)
            for (int64_t more = -1; more <= 2; more++) {
                const bool ok = more == 0 || (more == 1 && window == 0);

                counting_begin(&test_counter_rep, 4, 3);
                set_wrong(places[i], 0xc0, 0, more);
                device.wrong.window = window;
                expect_case(counting_end(), ok ? VERDICT_PASS : VERDICT_FAIL,
                            ok ? "" : " times and 3 CPUID; wanted ");
            }
    /* Erratum HSD143, of the first: the others are not measured by it. */
    counting_begin(&test_counter_rep, 4, 3);
    t->cpu.model = 0x3c;
    set_wrong(FIXED(0), 0xc0, 0, 32);
    device.wrong.window = 1;
    expect_case(counting_end(), VERDICT_KNOWN, "KNOWN HSD143");
}

static void windows_with_smis(void **state)
{
    (void)state;
    begin_kinds(0x5e, 0);
    hit_by_smis();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_by_kind),
        cmocka_unit_test(mispredicted_by_kind),
        cmocka_unit_test(branches_by_errata),
        cmocka_unit_test(branches_are_instructions),
        cmocka_unit_test(rep),
        cmocka_unit_test(windows_with_smis),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
