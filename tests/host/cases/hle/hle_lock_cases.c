/* SPDX-License-Identifier: BSD-2-Clause */
/* hle_lock_cases.c - the cases of a lock that another processor looks at or
 * writes to, while sections run in which that comes so often, and are elided
 * or not. */
#include "asm/hle_regions.h"
#include "src/tsx/pair.h"
#include "tests/host/cases/case_fixture.h"

extern const struct test test_hle_lock_conflict, test_hle_lock_seen,
    test_hle_lock_unseen;

#define TRIALS 25
#define TRIES  5

/* What processor 1 has stored to while a section ran; nowhere: it loads. */
enum place {
    BESIDE,
    LOCK,
    OTHER_LOCK,
    READ_LINE,
    WRITTEN_LINE,
    NOWHERE,
    NONE_OF_THEM
};

/* Where each case has it in the boot processor's buffer. */
#define PAIR ((struct pair *)(void *)(buffers[0] + 4096))

static struct {
    bool elides;         /* a section without a conflict */
    bool alone_elides;   /* the first ones, before there is processor 1 */
    unsigned steps;      /* of processor 1, in 256 turns of a section */
    unsigned seen_every; /* it looks at a plain section once in so many */
    unsigned seen_first; /* from this one on */
    bool seen_with;      /* and at a prefixed one */
    bool rax_lost;       /* beside the other, inside */
    bool data_twice, far_twice, lock_free; /* the same */
    enum place ignored;                    /* stores there abort nothing, */
    unsigned aborted;                      /* but in so many of the sections */
    unsigned hangs_at;      /* processor 1 does nothing after this section */
    unsigned plain, others; /* sections so far */
    uint64_t turns;         /* of the last one */
} device;

static void step(void)
{
    if (PAIR->repeat == NULL || PAIR->stop)
        return;
    if (device.hangs_at != 0 &&
        device.plain + device.others >= device.hangs_at) {
        fake_tsc += UINT64_C(1) << 32;
        return;
    }
    PAIR->repeat(&all[1], PAIR->argument);
    PAIR->rounds++;
}

static void begin_case(const struct test *test)
{
    case_begin(test, TRIALS);
    t->cpu.perfmon_version = 0; /* no counts of them */
    memset(buffers[0], 0, sizeof(buffers[0]));
    fake_beside = step;
    device.plain = device.others = 0;
}

/* So many steps beside a section that holds the lock. */
static enum place run_beside(volatile uint32_t *lock, struct hle_block *block,
                             unsigned steps)
{
    enum place place = NOWHERE;

    for (unsigned i = 0; i < steps; i++) {
        volatile uint64_t *read = block->between,
                          *written = (void *)&block[1]; /* beside far */
        lock[0] = 1;
        lock[1] = UINT32_MAX;
        lock[16] = 1;
        *read = *written = UINT64_MAX;
        step();
        place = lock[1] != UINT32_MAX    ? BESIDE
                : lock[0] == 0           ? LOCK
                : lock[16] == 0          ? OTHER_LOCK
                : *read != UINT64_MAX    ? READ_LINE
                : *written != UINT64_MAX ? WRITTEN_LINE
                                         : NOWHERE;
    }
    lock[0] = lock[1] = lock[16] = 0;
    return place;
}

static void section(struct hle_block *block)
{
    const bool alone = PAIR->repeat == NULL;
    volatile uint32_t *lock = block->lock;
    enum place place = NOWHERE;

    device.turns = block->turns;
    if (!alone) {
        device.others++;
        place = run_beside(lock, block,
                           (unsigned)block->turns * device.steps / 256);
    }
    const bool aborts =
        !alone && (place != device.ignored || device.others <= device.aborted);
    block->rax = alone || !device.rax_lost ? HLE_RAX : 0;
    block->seen = alone || !device.lock_free;
    block->data += alone || !device.data_twice ? 1 : 2;
    block->far += alone || !device.far_twice ? 1 : 2;
    block->inside = block->ask != 0 &&
                    (alone ? device.alone_elides : device.elides) && !aborts;
}

/* The other processor looks while the lock is taken. */
static void look(volatile uint32_t *lock, bool taken)
{
    lock[0] = taken;
    step();
    lock[0] = 0;
}

static void looked_at(struct hle_block *block, bool plain)
{
    block->seen = 1;
    block->data++;
    block->far++;
    if (plain) {
        const unsigned n = device.plain++;
        look(block->lock, device.seen_every != 0 && n >= device.seen_first &&
                              (n - device.seen_first) % device.seen_every == 0);
        return;
    }
    device.others++;
    block->inside =
        block->ask != 0 && (PAIR->stop ? device.alone_elides : device.elides);
    look(block->lock, device.seen_with);
}

void hle_plain(struct hle_block *block)
{
    looked_at(block, true);
}

void hle_xchg(struct hle_block *block)
{
    if (t->test == &test_hle_lock_conflict)
        section(block);
    else
        looked_at(block, false);
}

#define SECTION(name)                        \
    void hle_##name(struct hle_block *block) \
    {                                        \
        section(block);                      \
    }
SECTION(add)
SECTION(cmpxchg)
SECTION(two)

/* --- Stores to it -------------------------------------------------------- */

static void begin_conflict(unsigned steps, enum place ignored, unsigned aborted)
{
    device.elides = device.alone_elides = true;
    device.steps = steps;
    device.ignored = ignored;
    device.aborted = aborted;
    device.hangs_at = 0;
    begin_case(&test_hle_lock_conflict);
}

static void each_store_aborts(void **state)
{
    static const struct {
        enum place ignored;
        const char *line;
    } rows[] = {
        {BESIDE, "stores beside the lock: 5 of 5"},
        {LOCK, "stores of 0 to the lock: 5 of 5"},
        {LOCK, "stores of 0 to a lock taken by LOCK ADD: 5 of 5"},
        {LOCK, "stores of 0 to a lock taken by LOCK CMPXCHG: 5 of 5"},
        {OTHER_LOCK, "stores of 0 to a lock inside another: 5 of 5"},
        {READ_LINE, "stores to a line that the section reads: 5 of 5"},
        {WRITTEN_LINE, "stores to a line that the section writes: 5 of 5"},
        {NOWHERE, "loads from a line that the section writes: 5 of 5"},
    };

    (void)state;
    begin_conflict(100, NONE_OF_THEM, 0);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(t->checks, 4 * 8);
    assert_int_equal(device.others, 8 * TRIES);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_conflict(100, rows[i].ignored, 0);
        expect_case(case_end(), VERDICT_FAIL, rows[i].line);
    }
}

/* One abort may be by chance; none is not. */
static void one_abort_of_all(void **state)
{
    (void)state;
    begin_conflict(100, BESIDE, 1);
    expect_case(case_end(), VERDICT_PASS, "");
}

/* A section is one of those that count where 16 stores come. */
static void sections_grow(void **state)
{
    (void)state;
    begin_conflict(16, BESIDE, 0);
    expect_case(case_end(), VERDICT_FAIL, "5 of 5");
    assert_int_equal(device.turns, 256);
    begin_conflict(15, BESIDE, 1);
    expect_case(case_end(), VERDICT_FAIL, "5 of 5");
    assert_int_equal(device.turns, 512);
    begin_conflict(0, BESIDE, 0);
    expect_case(
        case_end(), VERDICT_SKIP,
        "needs 16 accesses of processor 1 while a section runs; none of "
        "64 lasted so long");
    assert_int_equal(device.turns, 65536);
}

static void conflict_restores(void **state)
{
    static const struct {
        bool *is;
        const char *line;
    } rows[] = {
        {&device.rax_lost, "RAX is not as before the XACQUIRE in 5 of 5"},
        {&device.data_twice, "were not made exactly once in 5 of 5"},
        {&device.far_twice, "were not made exactly once in 5 of 5"},
        {&device.lock_free, "the lock is not read as taken inside in 5 of 5"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin_conflict(100, NONE_OF_THEM, 0);
        *rows[i].is = true;
        expect_case(case_end(), VERDICT_FAIL, rows[i].line);
        *rows[i].is = false;
    }
}

static void conflict_needs_elision(void **state)
{
    (void)state;
    begin_conflict(100, BESIDE, 0);
    device.alone_elides = false;
    expect_case(case_end(), VERDICT_SKIP, "0 of 5 were");
    begin_conflict(100, BESIDE, 0);
    fake_beside = NULL;
    expect_case(case_end(), VERDICT_SKIP, "two processors at the same time");
    assert_int_equal(device.others, 0);
}

/* --- Looks at it --------------------------------------------------------- */

static void begin_look(const struct test *test, bool elides, unsigned every,
                       unsigned first, bool with)
{
    device.elides = device.alone_elides = elides;
    device.seen_every = every;
    device.seen_first = first;
    device.seen_with = with;
    device.hangs_at = 0;
    begin_case(test);
    t->cpu.tsx_force_abort = all[1].cpu.tsx_force_abort =
        test == &test_hle_lock_seen;
}

static void unseen(void **state)
{
    const struct test *test = &test_hle_lock_unseen;

    (void)state;
    begin_look(test, true, 1, 0, false);
    expect_case(case_end(), VERDICT_PASS,
                "lock seen taken in 0 of 5 elided critical sections, 0 of 0 "
                "others, 5 of 5 without the prefixes");
    begin_look(test, true, 2, 0, true);
    expect_case(case_end(), VERDICT_FAIL, "3 of 5 without the prefixes");
    assert_non_null(strstr(t->text, "in 5 of 5 critical sections that were"));
    begin_look(test, false, 1, 0, true);
    expect_case(case_end(), VERDICT_SKIP, "0 of 5 were");
    begin_look(test, false, 1, 0, true);
    device.alone_elides = true;
    expect_case(case_end(), VERDICT_FAIL,
                "0 of 5 locks were elided while processor 1 read them, 5 of 5 "
                "alone");
    begin_look(test, true, 1, 0, false);
    device.hangs_at = 3;
    expect_case(case_end(), VERDICT_ERROR, "makes no progress");
    assert_int_equal(device.plain + device.others, 4);
}

static void seen(void **state)
{
    const struct test *test = &test_hle_lock_seen;

    (void)state;
    begin_look(test, false, 1, 0, true);
    expect_case(case_end(), VERDICT_PASS,
                "in 5 of 5 critical sections with the prefixes, in 5 of 5 "
                "without");
    /* Of 20 that it could see, it has to see some. */
    begin_look(test, true, 1, 0, false);
    expect_case(case_end(), VERDICT_FAIL,
                "in 0 of 20 critical sections with XACQUIRE and XRELEASE, in "
                "20 of 20 without");
    begin_look(test, true, 50, 49, false);
    expect_case(case_end(), VERDICT_FAIL, "in 20 of 1000 without");
    begin_look(test, true, 50, 50, false);
    expect_case(case_end(), VERDICT_SKIP, "in 19 of 1000 critical sections");
    begin_look(test, true, 1, 0, false);
    device.hangs_at = 3;
    expect_case(case_end(), VERDICT_ERROR, "makes no progress");
}

/* Where HLE may be at work there is another case. */
static void seen_without_hle(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        begin_look(&test_hle_lock_seen, false, 1, 0, true);
        t->cpu.hle = n % 2 != 0;
        t->cpu.tsx_force_abort = n / 2 != 0;
        expect_case(case_end(), n == 1 ? VERDICT_SKIP : VERDICT_PASS,
                    n == 1 ? "EBX[4] (HLE) = 0" : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_store_aborts),
        cmocka_unit_test(one_abort_of_all),
        cmocka_unit_test(sections_grow),
        cmocka_unit_test(conflict_restores),
        cmocka_unit_test(conflict_needs_elision),
        cmocka_unit_test(unseen),
        cmocka_unit_test(seen),
        cmocka_unit_test(seen_without_hle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
