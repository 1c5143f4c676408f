/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_state_cases.c - the cases of registers after transactions that abort and
 * commit, and of XABORT and XTEST outside, over a processor that does as the
 * manual says, and over the same with one register otherwise. */
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx/tsx_fixture.h"

extern const struct test test_tsx_abort_state, test_tsx_xabort_outside;

#define END(name) const uint8_t tsx_end_##name[1] = {0};
END(inner)
END(ignored)
END(tested)
END(tested_commit)
#undef END

#define TRIALS 25
#define TRIES  5 /* of each row: a fifth */

/* What is otherwise: after that change and that end, in one try. */
static struct {
    const uint8_t *change, *end;
    unsigned from, to; /* to: 0, one */
    int outcome;       /* 0: as it has to be */
    unsigned general;  /* 1 + its number */
    uint64_t flags;
    unsigned byte; /* of the area */
    unsigned tries, all;
    bool split, inner;    /* of memory */
    uint32_t msr;         /* is 1 more */
    unsigned of_rows[80]; /* tries, in the order in which they come */
    unsigned rows;
} wrong;

int tsx_state(struct tsx_state *s)
{
    static const uint8_t *last_change, *last_end;
    const bool outside = s->end == tsx_end_ignored || s->end == tsx_end_tested;
    const bool commits = outside || s->end == tsx_state_commit ||
                         s->end == tsx_end_inner ||
                         s->end == tsx_end_tested_commit;
    int outcome = state_end(s, commits);

    assert_ptr_equal(s->begin, outside ? tsx_state_outside : tsx_state_begin);
    if (wrong.all++ == 0 || s->change != last_change || s->end != last_end)
        wrong.rows++;
    last_change = s->change;
    last_end = s->end;
    wrong.of_rows[wrong.rows - 1]++;
    if (s->change != wrong.change || s->end != wrong.end)
        return outcome;
    const unsigned n = wrong.tries++;
    if (n < wrong.from || (n > wrong.from && n > wrong.to))
        return outcome;
    if (wrong.outcome != 0) {
        state_end(s, wrong.outcome == TSX_COMMITTED);
        outcome = wrong.outcome;
    }
    if (wrong.general != 0)
        s->after[wrong.general - 1] ^= UINT64_C(1) << 40;
    s->flags_after ^= wrong.flags;
    if (wrong.msr != 0)
        fake_msr(wrong.msr)->value++;
    if (wrong.byte != 0)
        s->x_after[wrong.byte] ^= 0x10;
    s->stored[5] ^= wrong.split;
    s->stored_inner ^= wrong.inner;
    return outcome;
}

static const uint32_t kept[] = {IA32_FS_BASE, IA32_GS_BASE, IA32_EFER,
                                IA32_STAR,    IA32_LSTAR,   IA32_FMASK};

static void begin(const struct test *test, uint32_t components)
{
    tsx_begin(test, TRIALS);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        fake_msr(kept[i])->value = 0x100 * i;
    memset(&wrong, 0, sizeof(wrong));
    if (components != 0)
        state_enumerate(components);
}

#define AVX  0x7u
#define AVX3 0xe7u

static const struct row {
    const uint8_t *change, *end;
    uint32_t components;
    bool commits;
    const char *what;
} rows[] = {
    {tsx_change_general, tsx_end_xabort, 0, false,
     "general registers and status flags changed, then XABORT"},
    {tsx_change_both, tsx_end_nested, 0, false, "XABORT in an inner"},
    {tsx_change_both, tsx_end_pause, 0, false, "the same, then PAUSE"},
    {tsx_change_both, tsx_end_cpuid, 0, false, "the same, then CPUID"},
    {tsx_change_both, tsx_end_ud2, 0, false, "the same, then #UD"},
    {tsx_change_both, tsx_end_load, 0, false, "the same, then #GP"},
    {tsx_change_both, tsx_end_int3, 0, false, "the same, then INT3"},
    {tsx_change_both, tsx_end_capacity, 0, false, "then stores to 64 KB"},
    {tsx_change_both, tsx_end_string, 0, false, "then REP STOS to 64 KB"},
    {tsx_change_direction, tsx_end_xabort, 0, false, "DF changed, then XABORT"},
    {tsx_change_direction, tsx_end_cpuid, 0, false, "DF changed, then CPUID"},
    {tsx_change_direction, tsx_end_load, 0, false, "DF changed, then #GP"},
    {tsx_change_xmm, tsx_end_xabort, 0, false,
     "XMM0 to XMM15 and MXCSR changed, then XABORT"},
    {tsx_change_x87, tsx_end_xabort, 0, false, "the x87 changed, then XABORT"},
    {tsx_change_x87, tsx_end_nested, 0, false,
     "the x87 changed, then XABORT in an inner transaction"},
    {tsx_change_x87, tsx_end_ud2, 0, false, "the x87 changed, then #UD"},
    {tsx_change_ymm, tsx_end_xabort, AVX, false,
     "YMM0 to YMM15 changed, then XABORT"},
    {tsx_change_ymm, tsx_end_load, AVX, false,
     "YMM0 to YMM15 changed, then #GP"},
    {tsx_change_ymm, tsx_end_cpuid, AVX, false,
     "YMM0 to YMM15 changed, then CPUID"},
    {tsx_change_upper, tsx_end_xabort, AVX, false,
     "the upper halves of YMM0 to YMM15 zeroed, then XABORT"},
    {tsx_change_zmm, tsx_end_xabort, AVX3, false,
     "ZMM0 to ZMM31 and K0 to K7 changed, then XABORT"},
    {tsx_change_nothing, tsx_state_commit, 0, true,
     "nothing changed, then XEND"},
    {tsx_change_nothing, tsx_end_tested_commit, 0, true,
     "nothing changed, but the status flags by XTEST, then XEND"},
    {tsx_change_general, tsx_state_commit, 0, true,
     "general registers and status flags changed, then XEND"},
    {tsx_change_general, tsx_end_inner, 0, true,
     "the same, then an inner transaction, then XEND"},
    {tsx_change_xmm, tsx_state_commit, 0, true,
     "XMM0 to XMM15 and MXCSR changed, then XEND"},
    {tsx_change_ymm, tsx_state_commit, AVX, true,
     "YMM0 to YMM15 changed, then XEND"},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* The row's wrong try, with all registers that there can be. */
static void begin_row(const struct row *row, unsigned from)
{
    begin(&test_tsx_abort_state, AVX3);
    wrong.change = row->change;
    wrong.end = row->end;
    wrong.from = from;
}

static void each_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        begin_row(&rows[i], 0);
        wrong.general = 1 + 11;
        expect_case(case_end(), VERDICT_FAIL, rows[i].what);
        assert_non_null(strstr(t->text, rows[i].commits ? "after the commit"
                                                        : "after the abort"));
        assert_int_equal(wrong.tries, TRIES);
        begin_row(&rows[i], TRIES - 1);
        wrong.byte = STATE_XMM + 5 * 16;
        expect_case(case_end(), VERDICT_FAIL, "XMM5 is");
        begin_row(&rows[i], TRIES - 1);
        wrong.outcome = TSX_INNER;
        expect_case(case_end(), VERDICT_FAIL, "inner XBEGIN, 1 of 5");
        begin_row(&rows[i], 0);
        wrong.outcome = HW_GP;
        expect_case(case_end(), VERDICT_FAIL, "#GP was delivered, 1 of 5");
        begin_row(&rows[i], 0);
        wrong.outcome = rows[i].commits ? TSX_ABORTED : TSX_COMMITTED;
        expect_case(case_end(), rows[i].commits ? VERDICT_PASS : VERDICT_FAIL,
                    rows[i].commits ? "" : "1 of 5 committed; wanted 0");
        if (!rows[i].commits)
            continue;
        begin_row(&rows[i], 0);
        wrong.to = TRIES;
        wrong.outcome = TSX_ABORTED;
        expect_case(case_end(), VERDICT_PASS, "none of 5 committed");
        assert_non_null(strstr(t->text, rows[i].what));
    }
}

/* Each kind of register. */
static void each_kind(void **state)
{
    static const struct {
        unsigned byte;
        const char *name;
    } kinds[] = {
        {1, "FCW"},
        {2, "FSW"},
        {4, "FTW"},
        {32 + 16 * 7 + 9, "ST7"},
        {STATE_MXCSR, "MXCSR"},
        {STATE_XMM + 255, "XMM15"},
        {STATE_YMM, "upper half of YMM0"},
        {STATE_YMM + 255, "upper half of YMM15"},
        {1088, "K0"},
        {1088 + 63, "K7"},
        {1152, "upper half of ZMM0"},
        {1664 + 1023, "ZMM16 +15"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        begin_row(&rows[0], 0);
        wrong.byte = kinds[i].byte;
        expect_case(case_end(), VERDICT_FAIL, kinds[i].name);
    }
    for (unsigned inner = 0; inner < 2; inner++) {
        begin(&test_tsx_abort_state, AVX3);
        wrong.change = tsx_change_memory;
        wrong.end = inner != 0 ? tsx_end_cpuid : tsx_state_commit;
        wrong.split = inner == 0;
        wrong.inner = inner != 0;
        expect_case(case_end(), VERDICT_FAIL,
                    inner != 0 ? "then CPUID, after the abort: a quadword of an"
                               : "then XEND, after the commit: a quadword on");
    }
    for (unsigned bit = 0; bit < 12; bit++)
        if ((0xfd5 >> bit & 1) != 0) {
            begin_row(&rows[0], 0);
            wrong.flags = UINT64_C(1) << bit;
            expect_case(case_end(), VERDICT_FAIL, "RFLAGS is");
        }
}

/* What there is to change. */
static void components(void **state)
{
    static const struct {
        uint32_t components;
        unsigned rows;
        const char *line, *left_out;
    } sets[] = {
        {AVX3, 60, "60 kinds of changes and ends, 5 transactions each", NULL},
        {AVX, 59, "59 kinds of changes and ends, 5 transactions each",
         "not tested: ZMM0"},
        {0x63, 48, "48 kinds of changes and ends", "not tested: YMM0"},
        {0, 48, "48 kinds of changes and ends, 5 transactions each",
         "needs 0x4 in CPUID.0DH.0:EAX (XCR0); there is 0x0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        begin(&test_tsx_abort_state, sets[i].components);
        expect_case(case_end(), VERDICT_PASS, sets[i].line);
        assert_int_equal(wrong.rows, sets[i].rows);
        for (unsigned n = 0; n < wrong.rows; n++)
            assert_int_equal(wrong.of_rows[n], TRIES);
        if (sets[i].left_out != NULL)
            assert_non_null(strstr(t->text, sets[i].left_out));
        else
            assert_null(strstr(t->text, "not tested"));
    }
    begin(&test_tsx_abort_state, AVX);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(wrong.all, 0);
}

/* Registers that no transaction here writes, by an abort and by a commit. */
static void others(void **state)
{
    static const char *const lines[] = {
        "the base of FS (C0000100H) went from 0x0 to 0x1",
        "the base of GS (C0000101H) went from 0x100 to 0x101",
        "IA32_EFER (C0000080H) went from 0x200 to 0x201",
        "IA32_STAR (C0000081H) went from 0x300 to 0x301",
        "IA32_LSTAR (C0000082H) went from 0x400 to 0x401",
        "IA32_FMASK (C0000084H) went from 0x500 to 0x501",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        for (unsigned commits = 0; commits < 2; commits++) {
            begin(&test_tsx_abort_state, AVX);
            wrong.change =
                commits != 0 ? tsx_change_nothing : tsx_change_memory;
            wrong.end = commits != 0 ? tsx_state_commit : tsx_end_int3;
            wrong.msr = kept[i];
            expect_case(case_end(), VERDICT_FAIL, lines[i]);
        }
}

/* --- Outside of transactions ---------------------------------------------- */

static void outside(void **state)
{
    static const struct {
        struct end wrong;
        const char *line;
    } ends[] = {
        {{.outcome = HW_GP, .status = UINT32_MAX}, "1 of 256 did not go on"},
        {{.outcome = TSX_ABORTED, .status = UINT32_MAX}, "1 of 256 did not go"},
        {{.outcome = TSX_RAN, .status = 0xff000001},
         "EAX changed, 1 of 256, at last to 0xff000001; wanted 0xffffffff"},
        {{.outcome = TSX_RAN, .status = UINT32_MAX, .unrestored = true},
         "another register changed, 1 of 256"},
        {{.outcome = TSX_RAN, .status = UINT32_MAX, .leaks = true},
         "memory changed, 1 of 256"},
        {{.outcome = TSX_RAN, .status = UINT32_MAX, .flags = 1},
         "memory changed, 1 of 256"},
    };
    static const unsigned codes[] = {0, 1, 127, 128, 255};

    (void)state;
    begin(&test_tsx_xabort_outside, AVX);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(wrong.rows, 2);
    assert_int_equal(wrong.of_rows[0], 8);
    assert_int_equal(wrong.of_rows[1], 8);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        for (unsigned n = 0; n < sizeof(codes) / sizeof(codes[0]); n++) {
            begin(&test_tsx_xabort_outside, AVX);
            tsx_wrong(tsx_bodies_xabort + codes[n] * TSX_XABORT_BYTES,
                      ends[i].wrong, 0);
            device.outside = true;
            expect_case(case_end(), VERDICT_FAIL, ends[i].line);
        }
    for (unsigned n = 0; n < 2; n++) {
        begin(&test_tsx_xabort_outside, AVX);
        wrong.change = tsx_change_nothing;
        wrong.end = n == 0 ? tsx_end_ignored : tsx_end_tested;
        wrong.from = 7;
        wrong.general = 1 + 2;
        expect_case(case_end(), VERDICT_FAIL,
                    n == 0 ? "XABORT outside a transaction, after the commit: "
                             "RDX"
                           : "XTEST outside a transaction, after the commit: "
                             "RDX");
    }
    begin(&test_tsx_xabort_outside, AVX);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(wrong.all, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row),   cmocka_unit_test(each_kind),
        cmocka_unit_test(components), cmocka_unit_test(others),
        cmocka_unit_test(outside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
