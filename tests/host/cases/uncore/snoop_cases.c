/* SPDX-License-Identifier: BSD-2-Clause */
/* snoop_cases.c - the cases of lines that another core has, where each event
 * counts as many of them as it has to, or one too few, or one too many. */
#include "asm/memory_windows.h"
#include "src/uncore/other_core.h"
#include "src/uncore/uncore.h"
#include "tests/host/cases/case_fixture.h"

extern const struct test test_offcore_snoops, test_uncore_snoops;

#define MOST  16
#define FEW   15
#define BOXES 4

/* Umasks of 22H: what is found at the other core, by requests of a core; of
 * 34H: reads of lines that the L3 has in M, E or S. */
#define CORES      0x40
#define EXTERNAL   0x20
#define READ_M_E_S 0x17

enum snoop { INVAL = 2, HIT = 4, HITM = 8, INVAL_M = 16 };

static struct {
    /* Of the n-th window: one too few, or too many. */
    unsigned wrong, windows;
    uint64_t references, misses;
    uint64_t supplier;
    uint64_t hits;     /* which of the bits of a line that is not modified */
    bool modified;     /* what processor 1 did last */
    unsigned taken;    /* times */
    uint64_t together; /* counters that were enabled at once, at most */
} device;

static bool is_wrong(void)
{
    return ++device.windows == device.wrong;
}

/* MSR_OFFCORE_RSP_x: demand reads, the snoop that it was, and a supplier of the
 * L3: model 3CH has its M, E and S apart. */
static bool responds(uint64_t response)
{
    const uint64_t bits = device.modified ? BIT(36) : device.hits;

    return (response & 1) != 0 && (response & device.supplier) != 0 &&
           (response & bits) != 0;
}

static void count_in_core(uint64_t enable)
{
    bool seen = false;

    for (unsigned n = 0; n < 4; n++) {
        const uint64_t event = *msr(IA32_PERFEVTSEL(n)) & 0xffff;
        uint64_t more = 0;
        if ((enable >> n & 1) == 0)
            continue;
        /* USR, OS and EN: at any level. */
        assert_int_equal(*msr(IA32_PERFEVTSEL(n)) >> 16 & 0xff, 0x43);
        if (event == 0x1b7 || event == 0x1bb || (event & 0xfffe) == 0x12a) {
            more =
                responds(*msr(event == 0x1b7 || event == 0x12a ? 0x1a6 : 0x1a7))
                    ? MOST
                    : FEW;
            if (is_wrong())
                more = more == MOST ? FEW : MOST;
        } else if (event == 0x4f2e || event == 0x412e) {
            more = event == 0x4f2e ? device.references : device.misses;
            seen = true;
        }
        *msr(IA32_PMC(n)) += more;
    }
    device.windows += seen;
}

static bool counts(uint64_t select, enum snoop snoop)
{
    const uint64_t event = select & 0xff, umask = select >> 8 & 0xff;

    if (event == 0x34)
        return umask == READ_M_E_S;
    assert_int_equal(event, 0x22);
    return umask == (uint64_t)(CORES | snoop);
}

static void count_in_uncore(bool store)
{
    const enum snoop snoop = store ? (device.modified ? INVAL_M : INVAL)
                                   : (device.modified ? HITM : HIT);

    if (((*msr(0xe01) | *msr(0x391)) & BIT(29)) == 0)
        return;
    for (unsigned n = 0; n < 2; n++) {
        const uint64_t select = *msr(uncore_box_select(1, n));
        uint64_t more = 0;

        assert_int_equal(select >> 22 & 1, 1);
        more = counts(select, snoop) ? MOST : FEW;
        if (is_wrong())
            more = more == MOST ? FEW : MOST;
        /* Of several boxes, one beside the other. */
        *msr(uncore_box_counter(1, n)) += more / 2;
        *msr(uncore_box_counter(BOXES - 1, n)) += more - more / 2;
    }
}

static void walk(uint64_t enable, const struct memory_walk *walk, bool store,
                 bool flush)
{
    assert_int_equal(walk->count, OTHER_CORE_LINES);
    if (fake_current == 1) {
        assert_true(flush);
        device.modified = store;
        device.taken++;
        return;
    }
    assert_false(flush);
    if (t->test == &test_uncore_snoops)
        count_in_uncore(store);
    else
        count_in_core(enable);
}

#define WALK(name, store, flush)                                     \
    void memory_##name(uint64_t enable, const struct memory_walk *w) \
    {                                                                \
        walk(enable, w, store, flush);                               \
    }
WALK(load, false, false)
WALK(store, true, false)
WALK(load_flush, false, true)
WALK(store_flush, true, true)

static void begin(const struct test *test, unsigned wrong)
{
    memset(&device, 0, sizeof(device));
    device.wrong = wrong;
    device.references = MOST;
    device.misses = FEW;
    device.supplier = BITS(20, 18);
    device.hits = BITS(35, 34);
    case_begin(test, 0);
    all[0].cpu.smt_shift = all[1].cpu.smt_shift = 0;
    all[0].cpu.apic_id = 0;
    all[1].cpu.apic_id = 2;
    fake_cpuid(4, 0, 2 << 5 | 1, 0, 0, 0); /* an L2 */
    fake_cpuid(4, 1, 3 << 5 | 1, 0, 0, 2); /* an L3 that includes it */
    *msr(0x1a6) = *msr(0x1a7) = 0x10001;
    *msr(0x396) = BOXES;
    *msr(0xe01) = *msr(0xe02) = *msr(0x391) = *msr(0x394) = *msr(0x395) = 0;
    for (uint32_t n = 0; n < 2; n++) {
        *msr(0x3b0 + n) = *msr(0x3b2 + n) = 0;
        for (unsigned box = 0; box < BOXES; box++)
            *msr(uncore_box_select(box, n)) = *msr(uncore_box_counter(box, n)) =
                0;
    }
}

/* Up to the 5th generation 396H has one more than there are slices. */
static void set_model(uint16_t model)
{
    all[0].cpu.model = all[1].cpu.model = model;
    *msr(0x396) = BOXES + (model == 0x3c);
}

static void each_row(const struct test *test, uint16_t model, unsigned windows)
{
    begin(test, 0);
    set_model(model);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(device.windows, windows);
    const unsigned taken = device.taken, checks = t->checks;
    for (unsigned n = 1; n <= windows; n++) {
        begin(test, n);
        set_model(model);
        device.references = test == &test_offcore_snoops ? MOST : 0;
        const enum verdict verdict = case_end();
        if (n == 19 && test == &test_offcore_snoops)
            continue; /* the last level: below */
        if (verdict != VERDICT_FAIL)
            fail_msg("%s, window %u: %d: %s", test->name, n, verdict, t->text);
        assert_int_equal(device.taken, taken);
        assert_int_equal(t->checks, checks);
    }
}

static void offcore(void **state)
{
    (void)state;
    each_row(&test_offcore_snoops, 0x3c, 19);
}

/* The other core forwards the line, or it does not. */
static void forwarded_or_not(void **state)
{
    (void)state;
    for (unsigned bit = 31; bit < 38; bit++) {
        begin(&test_offcore_snoops, 0);
        device.hits = BIT(bit);
        expect_case(case_end(),
                    bit == 34 || bit == 35 ? VERDICT_PASS : VERDICT_FAIL, "");
    }
}

/* A cache of another cluster of the socket, [27], is no memory. */
static void clusters(void **state)
{
    static const uint8_t models[] = {0x6a, 0x8f, 0xad};

    (void)state;
    for (unsigned bit = 18; bit < 30; bit++)
        for (size_t i = 0; i < sizeof(models); i++) {
            begin(&test_offcore_snoops, 0);
            set_model(models[i]);
            device.supplier = BIT(bit);
            const bool cache = bit <= 21 || bit == 27;
            expect_case(case_end(), cache ? VERDICT_PASS : VERDICT_FAIL, "");
        }
}

static void uncore(void **state)
{
    (void)state;
    each_row(&test_uncore_snoops, 0x3c, 14);
    /* INVAL is in no later table. */
    each_row(&test_uncore_snoops, 0x5e, 10);
}

static void last_level(void **state)
{
    static const struct {
        uint64_t references, misses;
        uint32_t missing; /* bits of CPUID.0AH:EBX */
        uint16_t model;
        enum verdict verdict;
    } rows[] = {
        {MOST, FEW, 0, 0x3c, VERDICT_PASS},
        {FEW, FEW, 0, 0x3c, VERDICT_FAIL},
        {MOST, MOST, 0, 0x3c, VERDICT_FAIL},
        {FEW, MOST, 0, 0x5e, VERDICT_KNOWN},
        {FEW, MOST, 1u << 3, 0x3c, VERDICT_PASS},
        {FEW, MOST, 1u << 4, 0x3c, VERDICT_PASS},
        {FEW, MOST, ~(3u << 3), 0x3c, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_offcore_snoops, 0);
        t->cpu.leaf0a_ebx = rows[i].missing;
        t->cpu.model = rows[i].model;
        device.references = rows[i].references;
        device.misses = rows[i].misses;
        expect_case(case_end(), rows[i].verdict, "");
    }
    /* An L3 that does not include the others. */
    begin(&test_offcore_snoops, 0);
    fake_cpuid(4, 1, 3 << 5 | 1, 0, 0, 0);
    device.references = FEW;
    expect_case(case_end(), VERDICT_PASS, "");
}

/* Threads of one core have the same caches, and some cores one L2. */
static void one_core(void **state)
{
    const struct test *const tests[] = {&test_offcore_snoops,
                                        &test_uncore_snoops};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(tests[i], 0);
        all[0].cpu.smt_shift = all[1].cpu.smt_shift = 1;
        all[1].cpu.apic_id = 1;
        expect_case(case_end(), VERDICT_SKIP, "of two cores");
        assert_int_equal(device.windows, 0);
        begin(tests[i], 0);
        fake_cpuid(4, 0, 3 << 14 | 2 << 5 | 1, 0, 0, 0);
        expect_case(case_end(), VERDICT_SKIP, "each its own L2");
        assert_int_equal(device.windows, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offcore),  cmocka_unit_test(forwarded_or_not),
        cmocka_unit_test(uncore),   cmocka_unit_test(last_level),
        cmocka_unit_test(one_core), cmocka_unit_test(clusters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
