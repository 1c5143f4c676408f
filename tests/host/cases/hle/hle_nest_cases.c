/* SPDX-License-Identifier: BSD-2-Clause */
/* hle_nest_cases.c - the cases of critical sections in one another, of
 * prefixes where they do not belong and of registers after an abort, over
 * sections that do as the manual says, and over the same with one of them
 * otherwise. */
#include "asm/hle_nested.h"
#include "asm/tsx_bodies.h"
#include "asm/tsx_state.h"
#include "src/tsx/hle.h"
#include "src/tsx/status.h"
#include "tests/host/cases/case_fixture.h"

extern const struct test test_hle_nesting, test_hle_prefixes,
    test_hle_abort_state;

#define TRIALS 25
#define TRIES  5 /* of each row: a fifth */
#define INNER  16

enum wrong {
    RIGHT,
    OUTER_LEFT,
    INNER_LEFT,
    SEEN_0,
    SEEN_1,
    SEEN_OLD, /* as free */
    DATA_LOST,
    DATA_TWICE,
    INSIDE,
    BETWEEN_NOT,
    STILL_RUNNING,
    STATUS,
    NOT_RELEASED, /* an abort leaves the store */
};

enum region {
    NESTED,
    RELEASED,
    PAUSED,
    CROSSED,
    RECURSIVE,
    WRITTEN,
    AROUND_RTM,
    IN_RTM,
    ODD_MOV,
    ODD_ADD,
    ODD_FIRST,
    ODD_RELEASE,
    LAST_PREFIX,
    REGIONS
};

static struct {
    enum wrong is;
    enum region region;
    unsigned at, tries; /* in this try of it */
    bool elides, aborts;
} device;

static void run(enum region region, struct hle_nest *nest, uint64_t seen_0,
                uint64_t seen_1, uint64_t status)
{
    volatile uint64_t *lock = nest->outer;
    const bool nested = region <= IN_RTM;
    enum wrong is = RIGHT;

    if (device.region == region && device.tries++ == device.at)
        is = device.is;
    assert_ptr_equal(nest->inner, lock + INNER);
    assert_int_equal(lock[0], 0);
    assert_int_equal(lock[INNER], 0);
    nest->outside = is == STILL_RUNNING;
    lock[0] = is == OUTER_LEFT ? 9 : 0;
    lock[INNER] = is == INNER_LEFT ? 9 : 0;
    nest->inside =
        (device.elides && nested && region != RELEASED && region != PAUSED) ||
        (device.elides && region == LAST_PREFIX) || is == INSIDE;
    if (region == IN_RTM && device.aborts) {
        nest->status = 0;
        nest->data = is == NOT_RELEASED;
        return;
    }
    nest->seen[0] = is == SEEN_0 ? 7 : is == SEEN_OLD ? 0 : seen_0;
    nest->seen[1] = is == SEEN_1 ? 7 : seen_1;
    nest->data = is == DATA_LOST ? 0 : is == DATA_TWICE ? 2 : 1;
    nest->between = nest->inside && is != BETWEEN_NOT;
    nest->status = is == STATUS ? status + 1 : status;
}

#define REGION(name, region, seen_0, seen_1, status) \
    void hle_##name(struct hle_nest *nest)           \
    {                                                \
        run(region, nest, seen_0, seen_1, status);   \
    }
REGION(nested, NESTED, 1, 1, 0)
REGION(released, RELEASED, 1, 1, 0)
REGION(paused, PAUSED, 1, 1, 1)
REGION(crossed, CROSSED, 1, 1, 0)
REGION(recursive, RECURSIVE, 1, 0, 1)
REGION(written, WRITTEN, 5, 0, 0)
REGION(around_rtm, AROUND_RTM, 1, 0, 0)
REGION(in_rtm, IN_RTM, 1, 0, RTM_STATUS_STARTED)
REGION(odd_mov, ODD_MOV, 1, 0, 0)
REGION(odd_add, ODD_ADD, 1, 0, 0)
REGION(odd_first, ODD_FIRST, 1, 0, 0)
REGION(odd_release, ODD_RELEASE, 1, 0, 0)
REGION(last_prefix, LAST_PREFIX, 1, 0, 0)

static void make(const struct test *test, enum wrong is, enum region region,
                 unsigned at)
{
    device.is = is;
    device.region = region;
    device.at = at;
    device.tries = 0;
    case_begin(test, TRIALS);
    t->cpu.perfmon_version = 0; /* no counts of them */
}

/* In each of the tries; the figure is in the line. */
static void seen(const struct test *test, enum wrong is, enum region region,
                 const char *line)
{
    for (unsigned at = 0; at < TRIES; at++) {
        make(test, is, region, at);
        expect_case(case_end(), VERDICT_FAIL, line);
        assert_int_equal(device.tries, TRIES);
    }
}

static void as_the_manual_says(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        device.elides = way % 2 != 0;
        device.aborts = way / 2 != 0;
        make(&test_hle_nesting, RIGHT, NESTED, 0);
        expect_case(case_end(), VERDICT_PASS,
                    device.elides ? "5 of 5 ran in a transaction, 0 aborted"
                                  : "0 of 5 ran in a transaction, 0 aborted");
        assert_int_equal(
            strstr(t->text, "0 of 5 ran in a transaction, 5 aborted") != NULL,
            device.aborts);
        make(&test_hle_prefixes, RIGHT, NESTED, 0);
        expect_case(case_end(), VERDICT_PASS,
                    device.elides ? "elides: 5 of 5" : "elides: 0 of 5");
        assert_int_equal(t->checks, 10);
    }
    device.aborts = false;
}

static void nesting(void **state)
{
    static const struct {
        enum wrong is;
        const char *line;
    } rows[] = {
        {OUTER_LEFT, "1 of 5; the last left 0x9 and 0x0"},
        {INNER_LEFT, "1 of 5; the last left 0x0 and 0x9"},
        {SEEN_0, "wrong inside, 1 in 5 sections"},
        {SEEN_1, "wrong inside, 1 in 5 sections"},
        {SEEN_OLD, "wrong inside, 1 in 5 sections"},
        {DATA_LOST, "or an abort left it, 1 of 5"},
        {DATA_TWICE, "or an abort left it, 1 of 5"},
        {STILL_RUNNING, "at the end says that a transaction runs, 1 of 5"},
        {STATUS, "the second XCHG, or EAX, 1 of 5"},
    };

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        device.elides = n != 0;
        for (enum region region = NESTED; region <= IN_RTM; region++)
            for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
                /* Such an end is an abort. */
                if (region != IN_RTM || rows[i].is != STATUS)
                    seen(&test_hle_nesting, rows[i].is, region, rows[i].line);
        seen(&test_hle_nesting, INSIDE, RELEASED, "did not abort it, 1 of 5");
    }
    for (enum region region = NESTED; region <= IN_RTM; region++)
        if (region == NESTED || region >= AROUND_RTM)
            seen(&test_hle_nesting, BETWEEN_NOT, region, "has ended, 1 of 5");
    device.aborts = true;
    seen(&test_hle_nesting, NOT_RELEASED, IN_RTM, "an abort left it, 1 of 5");
    device.aborts = false;
}

/* Of these two XTEST says nothing that has to be. */
static void not_between(void **state)
{
    (void)state;
    device.elides = true;
    for (enum region region = RECURSIVE; region <= WRITTEN; region++) {
        make(&test_hle_nesting, BETWEEN_NOT, region, 0);
        expect_case(case_end(), VERDICT_PASS, "");
    }
}

static void without_rtm(void **state)
{
    (void)state;
    device.elides = true;
    for (enum region region = AROUND_RTM; region <= IN_RTM; region++) {
        make(&test_hle_nesting, DATA_LOST, region, 0);
        t->cpu.rtm = false;
        expect_case(case_end(), VERDICT_PASS, "in a critical section: not");
        assert_int_equal(device.tries, 0);
    }
}

static void prefixes(void **state)
{
    static const struct {
        enum wrong is;
        const char *line;
    } rows[] = {
        {OUTER_LEFT, "1 of 5; the last read 0x1"},
        {SEEN_0, "1 of 5; the last read 0x7"},
        {SEEN_OLD, "1 of 5; the last read 0x0"},
        {DATA_LOST, "1 of 5; the last read 0x1"},
        {DATA_TWICE, "1 of 5"},
        {STILL_RUNNING, "1 of 5"},
    };

    (void)state;
    device.elides = false;
    for (enum region region = ODD_MOV; region <= LAST_PREFIX; region++)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            seen(&test_hle_prefixes, rows[i].is, region, rows[i].line);
    for (enum region region = ODD_MOV; region <= ODD_RELEASE; region++)
        seen(&test_hle_prefixes, INSIDE, region, "runs, 1 of 5");
}

/* BDM051: an elided lock reads as free, and nothing else is wrong. */
static void by_erratum(void **state)
{
    static const struct {
        enum wrong is;
        bool elides;
        enum verdict verdict;
    } rows[] = {
        {SEEN_OLD, true, VERDICT_KNOWN},
        {SEEN_OLD, false, VERDICT_FAIL},
        {SEEN_0, true, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        device.elides = rows[i].elides;
        make(&test_hle_prefixes, rows[i].is, LAST_PREFIX, 0);
        t->cpu.model = 0x3d;
        expect_case(case_end(), rows[i].verdict, "1 of 5");
    }
    make(&test_hle_nesting, SEEN_OLD, NESTED, 0);
    t->cpu.model = 0x3d;
    expect_case(case_end(), VERDICT_KNOWN, "1 in 5 sections");
    make(&test_hle_nesting, SEEN_0, NESTED, 0);
    t->cpu.model = 0x3d;
    expect_case(case_end(), VERDICT_FAIL, "1 in 5 sections");
}

/* --- Registers ----------------------------------------------------------- */

const uint8_t tsx_end_xrelease[1] = {0};
#define XMM_9 (160 + 9 * 16)

static struct {
    const uint8_t *change, *end; /* of the one that is wrong */
    unsigned xrelease, tries;
    int outcome;
    bool cpuid_stays, pause_stays;
} registers;

void hle_stays_cpuid(struct hle_block *block)
{
    block->inside = registers.cpuid_stays;
}

void hle_stays_pause(struct hle_block *block)
{
    block->inside = registers.pause_stays;
}

int tsx_state(struct tsx_state *s)
{
    const bool commits = s->end == tsx_end_xrelease;

    assert_ptr_equal(s->begin, tsx_begin_hle);
    memcpy(s->after, s->before, sizeof(s->after));
    s->after[0] =
        commits && registers.outcome == TSX_COMMITTED ? 0 : s->before[0];
    s->flags_after = s->flags_before;
    memcpy(s->x_after, s->x_before, sizeof(s->x_after));
    registers.tries++;
    registers.xrelease += commits;
    if (commits && registers.outcome == TSX_COMMITTED) {
        for (unsigned i = 160; i < 160 + 256; i++)
            s->x_after[i] = (uint8_t)~s->x_after[i];
        s->x_after[24] = 0x6a; /* MXCSR, as tsx_change_xmm has it */
        s->x_after[25] = 0xa0;
    }
    if (s->change == registers.change && s->end == registers.end)
        s->x_after[XMM_9] ^= 4;
    return commits ? registers.outcome : TSX_ABORTED;
}

static void begin_registers(const uint8_t *change, const uint8_t *end,
                            int outcome, bool avx)
{
    registers.change = change;
    registers.end = end;
    registers.outcome = outcome;
    registers.tries = registers.xrelease = 0;
    registers.cpuid_stays = registers.pause_stays = false;
    case_begin(&test_hle_abort_state, TRIALS);
    fake_leaf(1, 0)->ecx |= 1u << 26;
    fake_cpuid(0xd, 0, avx ? 7 : 3, 0, 0, 0);
    fake_cpuid(0xd, 2, 256, 576, 0, 0);
}

static void state_after_abort(void **state)
{
    static const uint8_t *const changes[] = {
        tsx_change_general, tsx_change_direction, tsx_change_xmm,
        tsx_change_x87,     tsx_change_stored,    tsx_change_ymm,
    };
    static const uint8_t *const ends[] = {
        tsx_end_pause, tsx_end_cpuid, tsx_end_ud2,
        tsx_end_load,  tsx_end_int3,  tsx_end_capacity,
    };
    static const unsigned kinds[] = {30, 36}; /* without AVX, and with it */

    (void)state;
    for (unsigned avx = 0; avx < 2; avx++) {
        begin_registers(NULL, NULL, TSX_COMMITTED, avx);
        expect_case(case_end(), VERDICT_PASS,
                    avx ? "36 kinds of changes and ends, 5 critical sections"
                        : "30 kinds of changes and ends, 5 critical sections");
        assert_int_equal(registers.xrelease, TRIES);
        assert_int_equal(registers.tries, (kinds[avx] + 1) * TRIES);
        for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
            for (size_t n = 0; n < sizeof(ends) / sizeof(ends[0]); n++) {
                begin_registers(changes[i], ends[n], TSX_COMMITTED, avx);
                if (changes[i] == tsx_change_ymm && avx == 0)
                    expect_case(case_end(), VERDICT_PASS,
                                "not tested: HLE: YMM0");
                else
                    expect_case(case_end(), VERDICT_FAIL, "XMM9");
            }
        begin_registers(tsx_change_xmm, tsx_end_xrelease, TSX_COMMITTED, avx);
        expect_case(case_end(), VERDICT_FAIL, "XMM9");
    }
    begin_registers(NULL, NULL, TSX_COMMITTED, true);
    registers.cpuid_stays = true;
    expect_case(case_end(), VERDICT_FAIL, "CPUID in an elided section");
    begin_registers(NULL, NULL, TSX_COMMITTED, true);
    registers.pause_stays = true;
    expect_case(case_end(), VERDICT_FAIL, "PAUSE in an elided section");
    begin_registers(NULL, NULL, TSX_ABORTED, true);
    expect_case(case_end(), VERDICT_SKIP, "0 of 5 were");
    assert_int_equal(registers.tries, TRIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_manual_says), cmocka_unit_test(nesting),
        cmocka_unit_test(not_between),        cmocka_unit_test(without_rtm),
        cmocka_unit_test(prefixes),           cmocka_unit_test(by_erratum),
        cmocka_unit_test(state_after_abort),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
