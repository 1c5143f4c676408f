/* SPDX-License-Identifier: BSD-2-Clause */
/* hle_count_cases.c - the cases of elision, on counters that see sections: at
 * each bound, and one beyond. */
#include "asm/hle_regions.h"
#include "src/counting/events.h"
#include "src/tsx/hle.h"
#include "tests/host/cases/case_fixture.h"

extern const struct test test_hle_elision, test_hle_never_elides;

#define TRIALS 25
#define TRIES  5

static struct {
    bool elides;
    unsigned elides_from;          /* once counters run: from this section on */
    uint64_t all, inside, outside; /* of its instructions; IN_TX, IN_TXCP */
    uint64_t aborted_all, aborted_inside, aborted_outside;
    uint64_t starts; /* HLE_RETIRED.START, each section */
    bool one_fails;  /* WRMSR to a select */
    unsigned sections, counted, counted_aborted;
} device;

static bool counts(void)
{
    return fake_msr(IA32_PERF_GLOBAL_CTRL)->value != 0;
}

static void count(uint64_t in_all, uint64_t inside, uint64_t outside)
{
    for (unsigned n = 0; n < 3; n++) {
        const uint64_t select = fake_msr(IA32_PERFEVTSEL(n))->value;
        const uint64_t event = select & 0xffff;
        uint64_t more = 0;

        if ((fake_msr(IA32_PERF_GLOBAL_CTRL)->value >> n & 1) == 0)
            continue;
        if (event == EVENT_INST_RETIRED)
            more = (select & IA32_PERFEVTSEL_IN_TXCP) != 0 ? outside
                   : (select & IA32_PERFEVTSEL_IN_TX) != 0 ? inside
                                                           : in_all;
        if (event == (EVENT_HLE_RETIRED | UMASK_START))
            more = device.starts;
        fake_msr(IA32_PMC(n))->value += more;
    }
}

static void run(struct hle_block *block, uint64_t held, uint64_t after)
{
    volatile uint64_t *lock = block->lock;
    bool elides = device.elides;

    assert_int_equal(*lock, after);
    device.sections++;
    if (counts()) {
        elides = elides && ++device.counted >= device.elides_from;
        count(device.all, elides ? device.inside : 0, device.outside);
        assert_int_equal(block->turns, device.starts == 0 && device.elides
                                           ? 100
                                           : block->turns);
    }
    block->seen = held;
    block->data++;
    block->far++;
    block->inside = elides && block->ask != 0;
}

#define REGION(name, before, held, words)    \
    void hle_##name(struct hle_block *block) \
    {                                        \
        run(block, held, before);            \
    }
HLE_REGIONS(REGION)

void hle_line(struct hle_block *block)
{
    volatile uint64_t *lock = block->lock;

    lock[1]++;
    block->data++;
}

void hle_inner(struct hle_block *block)
{
    assert_int_equal(*(volatile uint32_t *)block->lock, 0);
    assert_int_equal(block->turns, 100);
    assert_true(counts());
    device.counted_aborted++;
    count(device.aborted_all, device.elides ? device.aborted_inside : 0,
          device.aborted_outside);
}

static void begin(const struct test *test, bool elides)
{
    memset(&device, 0, sizeof(device));
    device.elides = elides;
    device.elides_from = 1;
    device.all = 500;
    device.inside = 300;
    device.outside = 500;
    device.aborted_all = 1000;
    device.aborted_inside = 400;
    device.aborted_outside = 600;
    case_begin(test, TRIALS);
    t->cpu.tsx_force_abort = !elides;
}

static void inside(void **state)
{
    static const struct {
        uint64_t inside;
        enum verdict verdict;
    } rows[] = {
        {300, VERDICT_PASS}, {100, VERDICT_PASS}, {99, VERDICT_FAIL},
        {499, VERDICT_PASS}, {500, VERDICT_FAIL}, {501, VERDICT_FAIL},
        {0, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_hle_elision, true);
        device.inside = rows[i].inside;
        expect_case(case_end(), rows[i].verdict,
                    rows[i].verdict == VERDICT_FAIL
                        ? "of 500 in all; wanted at least 100, not all"
                        : "XCHG 45 of 45, LOCK 90 of 90");
        /* One is enough, or as many as it takes; none has no answer. */
        assert_int_equal(device.counted, 1);
    }
    begin(&test_hle_elision, true);
    device.elides_from = TRIES;
    device.inside = 99;
    expect_case(case_end(), VERDICT_FAIL, "wanted at least 100");
    begin(&test_hle_elision, true);
    device.elides_from = TRIES + 1;
    device.inside = 99;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(device.counted, TRIES);
}

static void aborted(void **state)
{
    static const struct {
        uint64_t inside, outside;
        uint16_t model;
        enum verdict verdict;
        unsigned tries;
    } rows[] = {
        {400, 600, 0x5e, VERDICT_PASS, 1},
        {400, 800, 0x5e, VERDICT_PASS, 1},
        {400, 801, 0x5e, VERDICT_FAIL, 1},
        {400, 1000, 0x5e, VERDICT_FAIL, 1},
        {200, 801, 0x5e, VERDICT_FAIL, 1},
        {199, 801, 0x5e, VERDICT_PASS, TRIES}, /* it was not elided */
        {400, 1001, 0x5e, VERDICT_KNOWN, 1},
        {400, 1001, 0x4f, VERDICT_FAIL, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_hle_elision, true);
        t->cpu.model = rows[i].model;
        device.aborted_inside = rows[i].inside;
        device.aborted_outside = rows[i].outside;
        expect_case(case_end(), rows[i].verdict, "");
        assert_int_equal(device.counted_aborted, rows[i].tries);
    }
}

/* Without what it takes to count, the rest is tried all the same. */
static void no_counters(void **state)
{
    static const struct {
        unsigned version, counters;
        bool counts;
    } rows[] = {{1, 4, false}, {2, 4, true}, {2, 2, false}, {2, 3, true}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (unsigned n = 0; n < 2; n++) {
            begin(n == 0 ? &test_hle_elision : &test_hle_never_elides, n == 0);
            t->cpu.perfmon_version = (uint8_t)rows[i].version;
            t->cpu.counters = (uint8_t)rows[i].counters;
            expect_case(case_end(), VERDICT_PASS,
                        n == 1 && !rows[i].counts ? "not tested: HLE_RETIRED"
                                                  : "");
            assert_int_equal(device.counted + device.counted_aborted != 0,
                             n == 0 && rows[i].counts);
            assert_int_equal(device.sections,
                             n == 0 ? HLE_FORMS * TRIES + rows[i].counts
                                    : (HLE_FORMS + rows[i].counts) * TRIES);
        }
}

static void starts(void **state)
{
    (void)state;
    begin(&test_hle_never_elides, false);
    device.starts = 1;
    expect_case(case_end(), VERDICT_FAIL,
                "HLE_RETIRED.START (C8H/01H): 5 in 5 critical sections");
    /* XTEST is not there to be asked. */
    begin(&test_hle_never_elides, false);
    t->cpu.rtm = t->cpu.hle = false;
    device.starts = 1;
    expect_case(case_end(), VERDICT_FAIL, "XTEST does not exist");
    /* Of a generation that has no such event, as it is known. */
    begin(&test_hle_never_elides, false);
    device.starts = 1;
    t->cpu.model = 0x3a;
    expect_case(case_end(), VERDICT_PASS, "not tested: HLE_RETIRED.START");
}

static void a_register_that_faults(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        begin(n == 0 ? &test_hle_elision : &test_hle_never_elides, n == 0);
        fake_msr(IA32_PERFEVTSEL(0))->write_vector = HW_GP;
        expect_case(case_end(), VERDICT_FAIL, "186H");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inside),
        cmocka_unit_test(aborted),
        cmocka_unit_test(no_counters),
        cmocka_unit_test(starts),
        cmocka_unit_test(a_register_that_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
