/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx.c - how transactions of the model end, and what counts them. */
#include "tests/host/model/tsx_fixture.h"

static void fates_by_table(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t number; /* of an MSR that is written, or 0 */
        uint64_t value;
        enum tx_fate fate;
    } rows[] = {
        {"haswell", 0, 0, TX_RUNS},
        {"sandybridge", 0, 0, TX_INVALID},
        {"skylake-2018", 0, 0, TX_RUNS},
        {"skylake-2018", 0x10F, 1, TX_DOOMED},
        {"skylake-2021", 0, 0, TX_DOOMED},
        {"skylake-2021", 0x10F, 4, TX_RUNS},
        {"coffeelake-2020", 0, 0, TX_INVALID},
        {"cometlake-2022", 0, 0, TX_DOOMED},
        {"cascadelake", 0, 0, TX_RUNS},
        {"cascadelake", 0x122, 1, TX_DOOMED},
        {"cascadelake", 0x122, 0, TX_RUNS},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct tx_decision decision;

        start(rows[n].cpu, 1);
        processor.choices.spontaneous_one_in = 0;
        processor.choices.sdv_abort_one_in = 0;
        if (rows[n].number != 0)
            assert_true(msr_write(&processor, rows[n].number, rows[n].value));
        tsx_decide(&processor, &decision);
        assert_int_equal(decision.fate, rows[n].fate);
        if (decision.fate == TX_DOOMED)
            assert_int_equal(decision.status, 0);
    }
}

/* SDM volume 1, "RTM Abort Status Definition"; volume 3B, "TX Abort
 * Information Field Definition", bits 39:32. */
static void status_by_table(void **state)
{
    static const struct {
        enum tx_cause cause;
        unsigned depth;
        uint32_t status, open; /* open: bits that the manual leaves open */
        uint32_t information;
    } rows[] = {
        {TX_CAUSE_EVENT, 1, 0x00, 0, 0x0A},
        {TX_CAUSE_EXCEPTION, 2, 0x20, 0, 0x06},
        {TX_CAUSE_INSTRUCTION, 1, 0x00, 0, 0x06},
        {TX_CAUSE_MEMORY_TYPE, 1, 0x00, 0, 0x06},
        {TX_CAUSE_XABORT, 1, 0xA5000001, 0, 0x06},
        {TX_CAUSE_XABORT, 3, 0xA5000021, 0, 0x06},
        {TX_CAUSE_WRITES, 1, 0x08, 0, 0x4A},
        {TX_CAUSE_READS, 2, 0x28, 0, 0x8A},
        {TX_CAUSE_CONFLICT, 1, 0x06, 0, 0x3A},
        {TX_CAUSE_DEBUG, 7, 0x30, 0, 0x06},
        {TX_CAUSE_NESTING, 7, 0x20, 0x08, 0x06},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            const struct tx_abort how = {
                .cause = rows[n].cause,
                .code = 0xA5,
                .depth = rows[n].depth,
                .eventing_ip = 0x1000,
                .resume_ip = 0x2000,
            };

            start("skylake-2017", seed);
            tsx_began(&processor, false);
            processor.tsx.cycles = 77;
            assert_int_equal(tsx_aborted(&processor, &how) & ~rows[n].open,
                             rows[n].status);
            assert_int_equal(processor.tsx.last_abort.information,
                             (uint64_t)rows[n].information << 32 | 77);
            assert_int_equal(processor.tsx.last_abort.eventing_ip, 0x1000);
            assert_int_equal(processor.tsx.last_abort.resume_ip, 0x2000);
        }
}

/* White paper 604224, section 1.3: only with EDX[13], and then not all. */
static void conflicts_without_retry_by_seed(void **state)
{
    const struct tx_abort how = {.cause = TX_CAUSE_CONFLICT, .depth = 1};
    unsigned with[2] = {0}, without[2] = {0};

    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++)
        for (unsigned new = 0; new < 2; new ++) {
            start(new ? "skylake-2018" : "skylake-2017", seed);
            for (unsigned n = 0; n < 20; n++) {
                uint32_t status;

                tsx_began(&processor, false);
                status = tsx_aborted(&processor, &how);
                assert_true((status & TX_STATUS_CONFLICT) != 0);
                if ((status & TX_STATUS_RETRY) != 0)
                    with[new]++;
                else
                    without[new]++;
            }
        }
    assert_int_equal(without[0], 0);
    assert_in_range(without[1], 40, 700);
    assert_in_range(with[1], 100, 790);
}

/* Each transaction is in START and in one of COMMIT and ABORTED, and each
 * abort in one category; HLE_RETIRED and RTM_RETIRED are separate. */
static void retired_events_by_cause(void **state)
{
    static const uint8_t category[] = {
        [TX_CAUSE_EVENT] = 0x80,       [TX_CAUSE_EXCEPTION] = 0x80,
        [TX_CAUSE_INSTRUCTION] = 0x20, [TX_CAUSE_MEMORY_TYPE] = 0x40,
        [TX_CAUSE_XABORT] = 0x80,      [TX_CAUSE_WRITES] = 0x08,
        [TX_CAUSE_READS] = 0x08,       [TX_CAUSE_CONFLICT] = 0x08,
        [TX_CAUSE_DEBUG] = 0x80,       [TX_CAUSE_NESTING] = 0x80,
        [TX_CAUSE_ELISION] = 0x08,
    };

    (void)state;
    for (unsigned hle = 0; hle < 2; hle++)
        for (unsigned bit = 0; bit < 8; bit++) {
            unsigned umask = 1u << bit, wanted = bit < 2 ? 1 : 0;
            uint64_t other;

            start("haswell", 3);
            assert_true(msr_write(&processor, 0x186,
                                  0x430000 | (hle ? 0xC8 : 0xC9) | umask << 8));
            assert_true(msr_write(&processor, 0x187,
                                  0x430000 | (hle ? 0xC9 : 0xC8) | umask << 8));
            assert_true(msr_write(&processor, 0x38F, 3));
            for (unsigned c = 0; c <= TX_CAUSE_ELISION; c++) {
                const struct tx_abort how = {.cause = (enum tx_cause)c,
                                             .depth = 1};

                tsx_began(&processor, hle != 0);
                tsx_aborted(&processor, &how);
                wanted +=
                    umask == 1 || umask == 4 || (category[c] & umask) != 0;
            }
            tsx_began(&processor, hle != 0);
            tsx_committed(&processor);
            assert_int_equal(processor.pmu.counter[0], wanted);
            assert_true(msr_read(&processor, 0xC2, &other));
            assert_int_equal(other, 0);
        }
}

/* IN_TX where there is TSX, IN_TXCP in counter 2 alone. */
static void in_tx_bits_by_personality(void **state)
{
    static const struct {
        const char *cpu;
        bool tsx;
    } rows[] = {
        {"haswell", true},
        {"skylake-2021", true},
        {"sandybridge", false},
        {"coffeelake-2020", false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
        for (unsigned counter = 0; counter < 4; counter++) {
            start(rows[n].cpu, 1);
            assert_int_equal(msr_write(&processor, 0x186 + counter, BIT(32)),
                             rows[n].tsx);
            assert_int_equal(msr_write(&processor, 0x186 + counter, BIT(33)),
                             rows[n].tsx && counter == 2);
        }
}

/* SDM volume 1, "Data Conflicts". */
static void conflicts_by_set(void **state)
{
    (void)state;
    start("haswell", 1);
    assert_false(tsx_conflict(&machine, 0, false));
    assert_false(tsx_conflict(&machine, 0, true));
    assert_false(tsx_conflict(&machine, LINE_READ, false));
    assert_true(tsx_conflict(&machine, LINE_READ, true));
    assert_true(tsx_conflict(&machine, LINE_WRITTEN, false));
    assert_true(tsx_conflict(&machine, LINE_WRITTEN, true));
    assert_true(tsx_conflict(&machine, LINE_READ | LINE_WRITTEN, false));
}

/* White paper 604224, section 1, and "Consistent with prior updates" in 2. */
static void elision_ends_with_2018(void **state)
{
    static const struct {
        const char *cpu;
        bool elides;
    } rows[] = {
        {"haswell", true},         {"skylake-2017", true},
        {"skylake-2018", false},   {"skylake-server-2019", false},
        {"skylake-2021", false},   {"coffeelake-2020", false},
        {"cometlake-2022", false}, {"sandybridge", false},
        {"cascadelake", false},
    };

    (void)state;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        start(rows[n].cpu, 1);
        assert_int_equal(tsx_elides(&processor), rows[n].elides);
    }
}

/* "Any implementation" aborts at CPUID and PAUSE; the others need not. */
static void listed_instructions_by_seed(void **state)
{
    unsigned aborted[TX_BREAKPOINT + 1] = {0};
    const unsigned seeds = 64;

    (void)state;
    for (uint64_t seed = 0; seed < seeds; seed++) {
        start("skylake-2017", seed);
        for (unsigned tx = 0; tx <= TX_BREAKPOINT; tx++) {
            struct instruction i = {.tx = (enum instruction_tx)tx};

            aborted[tx] += tsx_aborts(&processor, &i, tx == TX_MAY_CLD);
            if (tx == TX_MAY_CLD || tx == TX_MAY_STD)
                assert_false(tsx_aborts(&processor, &i, tx != TX_MAY_CLD));
        }
    }
    assert_int_equal(aborted[TX_SAFE], 0);
    assert_int_equal(aborted[TX_ABORTS], seeds);
    assert_int_equal(aborted[TX_MAY], seeds);
    assert_int_equal(aborted[TX_BREAKPOINT], seeds);
    for (unsigned tx = TX_MAY_CACHE; tx <= TX_MAY_TABLE; tx++)
        assert_in_range(aborted[tx], seeds / 4, seeds * 3 / 4);
    /* Few do at these. */
    assert_in_range(aborted[TX_MAY_X87], 1, seeds / 4);
    assert_in_range(aborted[TX_MAY_CLD], 1, seeds / 4);
    assert_in_range(aborted[TX_MAY_STD], 1, seeds / 4);
}

static void seed_decides_what_is_open(void **state)
{
    static struct choices a, b; /* padding compares equal */
    unsigned different = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        choices_draw(&a, seed, 1);
        choices_draw(&b, seed, 1);
        assert_memory_equal(&a, &b, sizeof(a));
        choices_draw(&b, seed, 2);
        different += a.garble != b.garble;
        assert_int_equal(a.cycles_other, b.cycles_other);
    }
    assert_true(different > 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fates_by_table),
        cmocka_unit_test(status_by_table),
        cmocka_unit_test(conflicts_without_retry_by_seed),
        cmocka_unit_test(retired_events_by_cause),
        cmocka_unit_test(in_tx_bits_by_personality),
        cmocka_unit_test(conflicts_by_set),
        cmocka_unit_test(elision_ends_with_2018),
        cmocka_unit_test(listed_instructions_by_seed),
        cmocka_unit_test(seed_decides_what_is_open),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
