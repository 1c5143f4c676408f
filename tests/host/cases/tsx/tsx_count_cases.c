/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_count_cases.c - the cases of events of TSX: counters that count what
 * runs, and one of which, in one window, is otherwise. */
#include "asm/hle_nested.h"
#include "asm/hle_regions.h"
#include "tests/host/cases/tsx/tsx_fixture.h"

extern const struct test test_tsx_mem_events, test_tsx_retired_events;

#define TRIALS 25

/* At the end of windows from one on, to another: a counter's value. */
static struct {
    unsigned windows, from, to;
    unsigned counter;
    uint64_t add, multiply; /* in percent */
    bool open;
    uint64_t event; /* 0: whatever it counts, else only where it counts this */
} change;

static void close_window(void)
{
    uint64_t *value = &fake_msr(IA32_PMC(change.counter))->value;
    const uint64_t event =
        fake_msr(IA32_PERFEVTSEL(change.counter))->value & 0xffff;

    if (change.event != 0 && event != change.event)
        return;
    const unsigned n = change.windows++;
    if (n >= change.from && n <= change.to)
        *value = *value * change.multiply / 100 + change.add;
}

static int access(uint32_t msr, const uint64_t *written)
{
    if (msr != IA32_PERF_GLOBAL_CTRL || written == NULL)
        return HW_NO_FAULT;
    if (*written == 0 && change.open)
        close_window();
    change.open = *written != 0;
    return HW_NO_FAULT;
}

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    memset(&change, 0, sizeof(change));
    change.multiply = 100;
    change.from = 1;
    fake_device = access;
}

/* --- Locks --------------------------------------------------------------- */

void hle_xchg(struct hle_block *block)
{
    block->seen = 1;
    block->data = block->far = 1;
    block->inside = block->ask;
    count_event(EVENT_HLE_RETIRED | UMASK_START, 1);
    count_event(EVENT_HLE_RETIRED | UMASK_COMMIT, 1);
}

static void section_aborts(const struct hle_block *block, uint64_t umask)
{
    assert_int_equal(*(volatile uint64_t *)block->lock, 0);
    count_event(EVENT_HLE_RETIRED | UMASK_START, 1);
    count_event(EVENT_HLE_RETIRED | UMASK_ABORTED, 1);
    count_event(EVENT_HLE_RETIRED | umask, 1);
}

void hle_other_value(struct hle_block *block)
{
    section_aborts(block, UMASK_ABORTED_MEM);
    count_event(EVENT_TX_MEM | UMASK_ABORT_HLE_ELISION_BUFFER_MISMATCH, 1);
}

void hle_stays_cpuid(struct hle_block *block)
{
    section_aborts(block, UMASK_ABORTED_UNFRIENDLY);
}

void hle_stores(struct hle_block *block)
{
    section_aborts(block, UMASK_ABORTED_MEM);
}

static void nested(struct hle_nest *nest, uint64_t event, uint64_t of)
{
    assert_int_equal(*(volatile uint64_t *)nest->outer, 0);
    assert_int_equal(*(volatile uint64_t *)nest->inner, 0);
    assert_int_equal((volatile uint64_t *)nest->inner -
                         (volatile uint64_t *)nest->outer,
                     16);
    count_event(event, 1);
    count_event(of | UMASK_START, 1);
}

void hle_in_rtm(struct hle_nest *nest)
{
    nested(nest, EVENT_TX_EXEC | UMASK_MISC5, EVENT_RTM_RETIRED);
}

void hle_around_rtm(struct hle_nest *nest)
{
    nested(nest, EVENT_TX_EXEC | UMASK_MISC4, EVENT_HLE_RETIRED);
}

void hle_written(struct hle_nest *nest)
{
    nested(nest, EVENT_TX_MEM | UMASK_ABORT_HLE_STORE_TO_ELIDED_LOCK,
           EVENT_HLE_RETIRED);
}

/* --- TX_MEM and TX_EXEC -------------------------------------------------- */

#define ROUNDS 12

static const struct mem_row {
    const char *line;
    uint64_t named, other;
    unsigned all; /* that there are */
} mem_rows[] = {
    {"transactions that write too many lines",
     EVENT_TX_MEM | UMASK_ABORT_CAPACITY, EVENT_TX_MEM | UMASK_ABORT_CONFLICT,
     2},
    {"inner transactions that write too many lines",
     EVENT_TX_MEM | UMASK_ABORT_CAPACITY, EVENT_TX_MEM | UMASK_ABORT_CONFLICT,
     2},
    {"transactions nested too deep", EVENT_TX_EXEC | UMASK_MISC3,
     EVENT_TX_MEM | UMASK_ABORT_CAPACITY, 8},
    {"critical sections in RTM", EVENT_TX_EXEC | UMASK_MISC5,
     EVENT_TX_EXEC | UMASK_MISC4, 8},
    {"transactions that XABORT ends after", EVENT_RTM_RETIRED | UMASK_ABORTED,
     EVENT_HLE_RETIRED | UMASK_ABORTED, 8},
    {"RTM transactions in critical", EVENT_TX_EXEC | UMASK_MISC4,
     EVENT_TX_EXEC | UMASK_MISC5, 8},
    {"elided locks that are written",
     EVENT_TX_MEM | UMASK_ABORT_HLE_STORE_TO_ELIDED_LOCK,
     EVENT_TX_MEM | UMASK_ABORT_HLE_ELISION_BUFFER_MISMATCH, 8},
    {"elided locks whose XRELEASE",
     EVENT_TX_MEM | UMASK_ABORT_HLE_ELISION_BUFFER_MISMATCH,
     EVENT_TX_MEM | UMASK_ABORT_HLE_STORE_TO_ELIDED_LOCK, 8},
    {"critical sections that CPUID aborts",
     EVENT_HLE_RETIRED | UMASK_ABORTED_UNFRIENDLY,
     EVENT_HLE_RETIRED | UMASK_ABORTED_EVENTS, 8},
    {"a critical section that stores to too many lines",
     EVENT_HLE_RETIRED | UMASK_ABORTED_MEM,
     EVENT_HLE_RETIRED | UMASK_ABORTED_EVENTS, 1},
};
#define MEM_ROWS (sizeof(mem_rows) / sizeof(mem_rows[0]))

static void mem_all(unsigned first, unsigned to, uint64_t multiply,
                    uint64_t add, unsigned counter)
{
    begin(&test_tsx_mem_events);
    change.counter = counter;
    change.from = first;
    change.to = to;
    change.multiply = multiply;
    change.add = add;
}

/* Two windows a round: the event that is named, and the other; then one of
 * commits. */
static void mem_events(void **state)
{
    (void)state;
    mem_all(1, 0, 100, 0, 0);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(t->checks, MEM_ROWS + 1);
    assert_int_equal(change.windows, 2 * MEM_ROWS + 1);
    for (unsigned i = 0; i < MEM_ROWS; i++) {
        const struct mem_row *row = &mem_rows[i];
        const unsigned at = 2 * i, last = at + 2 * ROUNDS - 2;
        /* Half of them, or more, are enough; less not, in each round. */
        mem_all(at, at, 50, row->all % 2, 0);
        expect_case(case_end(), VERDICT_PASS, "");
        assert_int_equal(change.windows, 2 * MEM_ROWS + 1);
        for (unsigned least = 0; least < 2; least++) {
            mem_all(at, last - 2 * least, 0, 0, 0);
            expect_case(case_end(), least == 0 ? VERDICT_FAIL : VERDICT_PASS,
                        least == 0 ? row->line : "");
            assert_int_equal(change.windows, 2 * (MEM_ROWS + ROUNDS - 1) + 1);
        }
    }
}

/* The other event, of half of them at most. */
static void mem_others(void **state)
{
    (void)state;
    for (unsigned i = 0; i < MEM_ROWS; i++)
        for (unsigned more = 0; more < 2; more++) {
            begin(&test_tsx_mem_events);
            change.from = 2 * i + 1;
            change.to = change.from;
            change.add = mem_rows[i].all / 2 + more;
            expect_case(case_end(), VERDICT_PASS, "");
            assert_int_equal(change.windows, 2 * (MEM_ROWS + more) + 1);
        }
}

/* Which there are, by generation; and with HLE. */
static void mem_generations(void **state)
{
    static const struct {
        uint16_t model;
        enum regime regime;
        bool hle;
        unsigned checks;
    } rows[] = {
        {0x3c, REGIME_A, true, 11}, {0x3d, REGIME_A, true, 11},
        {0x5e, REGIME_A, false, 4}, {0x5e, REGIME_B, true, 4},
        {0x6a, REGIME_A, true, 4},  {0x3a, REGIME_A, true, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_tsx_mem_events);
        t->cpu.model = rows[i].model;
        t->cpu.hle = rows[i].hle;
        t->regime = rows[i].regime;
        expect_case(case_end(),
                    rows[i].checks != 0 ? VERDICT_PASS : VERDICT_SKIP, "");
        assert_int_equal(t->checks, rows[i].checks);
    }
}

/* Nothing to count shows nothing. */
static void mem_none(void **state)
{
    (void)state;
    begin(&test_tsx_mem_events);
    device.depth = 100;
    expect_case(case_end(), VERDICT_PASS,
                "transactions nested too deep: RTM_RETIRED (C9H) .ABORTED "
                "(04H) is 0, and nothing was shown");
}

/* --- RTM_RETIRED and HLE_RETIRED ----------------------------------------- */

/* A letter for each window: does one event more fail it, none at all, twice as
 * many? */
static void try_windows(unsigned counter, uint64_t multiply, uint64_t add,
                        char verdicts[100])
{
    unsigned n = 0;

    do {
        begin(&test_tsx_retired_events);
        change.counter = counter;
        change.from = change.to = n;
        change.multiply = multiply;
        change.add = add;
        const enum verdict verdict = case_end();
        verdicts[n] = verdict == VERDICT_FAIL   ? 'F'
                      : verdict == VERDICT_PASS ? '.'
                                                : '?';
        verdicts[n + 1] = '\0';
    } while (++n < change.windows && n < 98);
}

/* By the order of the windows: many transactions; three kinds of them, each
 * twice; five causes at two levels, twice and three of categories; writes;
 * HLE. */
static void retired(void **state)
{
    static const struct {
        unsigned counter;
        uint64_t multiply, add;
        const char *verdicts;
    } rows[] = {
        {0, 100, 1,
         "FFFFFFFFFFF...FF...FF...FF...FF...FF...FF...FF...FF...FF...FF.....FF"
         "...FFFFFF"},
        {1, 100, 1,
         "FFFFFFFFFFF...FF...FF...FF...FF...FF...FF...FF...FF...FF...FF.....FF"
         "...FFFFFF"},
        {0, 0, 0,
         "FF.F.F.FFFF...FF...FF...FF...FF...FF...FF...FF...FF...FF...FF.....F."
         "F........"},
        {1, 0, 0,
         "FFFFFFF.F.F....F....F....F....F....F....F....F....F....F....F.....FF"
         "........."},
    };

    (void)state;
    begin(&test_tsx_retired_events);
    expect_case(case_end(), VERDICT_PASS,
                "HLE_RETIRED: 5 of 5 critical sections elided, 0 aborts");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char verdicts[100];
        try_windows(rows[i].counter, rows[i].multiply, rows[i].add, verdicts);
        assert_string_equal(verdicts, rows[i].verdicts);
    }
}

#define HLE EVENT_HLE_RETIRED
/* Most of five, in one round at least. */
static void categories(void **state)
{
    static const struct {
        uint64_t event;
        unsigned counter, to;
        uint64_t multiply, add;
        enum verdict verdict;
    } rows[] = {
        {UMASK_ABORTED_UNFRIENDLY, 0, 1000, 60, 0, VERDICT_PASS},
        {UMASK_ABORTED_UNFRIENDLY, 0, 1000, 40, 0, VERDICT_FAIL},
        {UMASK_ABORTED_UNFRIENDLY, 0, ROUNDS - 1, 40, 0, VERDICT_FAIL},
        {UMASK_ABORTED_UNFRIENDLY, 0, ROUNDS - 2, 40, 0, VERDICT_PASS},
        {UMASK_ABORTED_MEM, 0, 1000, 50, 0, VERDICT_PASS}, /* of two */
        {UMASK_ABORTED_MEM, 0, 1000, 49, 0, VERDICT_FAIL},
        {HLE | UMASK_ABORTED_MEM, 0, 1000, 60, 0, VERDICT_PASS},
        {HLE | UMASK_ABORTED_MEM, 0, 1000, 40, 0, VERDICT_FAIL},
        {HLE | UMASK_ABORTED_MEM, 0, 1000, 40, 1, VERDICT_PASS},
        {UMASK_ABORTED_EVENTS, 1, 1000, 100, 1, VERDICT_PASS},
        {UMASK_ABORTED_EVENTS, 1, 1000, 100, 2, VERDICT_FAIL}, /* of two */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_tsx_retired_events);
        change.event = (rows[i].event & 0xff) != 0
                           ? rows[i].event
                           : rows[i].event | EVENT_RTM_RETIRED;
        change.counter = rows[i].counter;
        change.from = 0;
        change.to = rows[i].to;
        change.multiply = rows[i].multiply;
        change.add = rows[i].add;
        expect_case(case_end(), rows[i].verdict, "");
    }
}

/* A load of what is uncacheable aborts, or does not. */
static void memory_type(void **state)
{
    static const struct {
        uint64_t type, enables, multiply;
        enum verdict verdict;
        bool tried;
    } rows[] = {
        {0, 0xc00, 60, VERDICT_PASS, true},
        {0, 0xc00, 40, VERDICT_FAIL, true},
        {0, 0x800, 40, VERDICT_PASS, false},
        {0, 0x400, 40, VERDICT_PASS, false},
        {6, 0xc00, 40, VERDICT_PASS, false},
        {UINT64_C(0x0606060606060600), 0xc06, 40, VERDICT_FAIL, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_tsx_retired_events);
        fake_msr(IA32_MTRR_FIX16K_A0000)->value = rows[i].type;
        fake_msr(IA32_MTRR_DEF_TYPE)->value = rows[i].enables;
        tsx_wrong(tsx_body_load, aborted(0), 0);
        device.to = UINT32_MAX;
        change.event = EVENT_RTM_RETIRED | UMASK_ABORTED_MEMTYPE;
        change.from = 0;
        change.to = UINT32_MAX;
        change.multiply = rows[i].multiply;
        expect_case(case_end(), rows[i].verdict, "");
        assert_int_equal(device.tries != 0, rows[i].tried);
    }
}

static void forced(void **state)
{
    (void)state;
    for (unsigned more = 0; more < 2; more++) {
        begin(&test_tsx_retired_events);
        t->regime = REGIME_B;
        t->cpu.hle = false;
        t->cpu.tsx_force_abort = true;
        change.from = change.to = 66;
        change.add = more;
        expect_case(case_end(), more != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    more != 0 ? "RTM_FORCE_ABORT = 1: RTM_RETIRED (C9H) "
                                ".COMMIT (02H) 6; wanted 5"
                              : "counts forced aborts");
        assert_int_equal(change.windows, 67);
        assert_int_equal(fake_msr(TSX_FORCE_ABORT)->value, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mem_events),      cmocka_unit_test(mem_others),
        cmocka_unit_test(mem_generations), cmocka_unit_test(mem_none),
        cmocka_unit_test(retired),         cmocka_unit_test(categories),
        cmocka_unit_test(memory_type),     cmocka_unit_test(forced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
