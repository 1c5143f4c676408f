/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_debug_cases.c - the cases of breakpoints in transactions, over debug
 * registers that do as the manual says, and over the same with one thing
 * otherwise. */
#include "tests/host/cases/tsx_fixture.h"

extern const struct test test_tsx_debug_advanced, test_tsx_debug_breakpoint;

const uint8_t tsx_body_store_fault[1] = {0};
const uint8_t tsx_body_nest_store[8] = {0}, tsx_body_nest_store_begin[8] = {0};

#define TRIALS   25
#define TRIES    5
#define MOST     (8 * (TRIES + 1))
#define PROBES   100
#define LATER    UINT32_MAX
#define DB       1
#define BP       3
#define DR6_NONE 0xffff0ff0u /* SDM 3B, "Debug Registers" */
#define DR6_RTM  BIT(16)
#define DR7_RTM  BIT(11)

/* Of the points, in the order in which they are tried. */
static struct {
    /* tsx_watched(): of the n-th that is tried. */
    unsigned point, points;
    bool deaf, wrong_vector, leaks;
    bool first_byte; /* of what a transaction accesses, is compared alone */
    /* tsx_debugged(): of this one of the twelve, tries from one on. */
    unsigned of, from, to, tries, windows, kinds;
    int outcome; /* 0: as it has to be */
    uint32_t status;
    uint64_t dr6, dr7, rax; /* XORed */
    bool unrestored, memory, cell;
    bool refused; /* IA32_DEBUGCTL[15] */
    uint64_t dr6_outside;
    int outside;
    /* What was seen. */
    uint64_t dr7_seen, debugctl_seen;
    const uint8_t *body_seen;
} wrong;

/* --- DR7 -------------------------------------------------------------------
 */

static uint64_t watch_at, watch_dr7;
static const uint8_t *watch_body;
static bool watching, watching_inside;

/* SDM 3B, "Debug Control Register (DR7)": an enabled breakpoint, and what the
 * body does. */
static bool is_hit(const struct tsx_block *b)
{
    static const uint8_t lengths[] = {1, 2, 8, 4};
    const bool stores =
        b->body == tsx_body_store || b->body == tsx_body_nest_store;

    assert_true((watch_dr7 & BIT(10)) != 0);
    for (unsigned n = 0; watching && n < 4; n++) {
        const unsigned what = watch_dr7 >> (16 + 4 * n) & 3;
        const unsigned length = watch_dr7 >> (18 + 4 * n) & 3;
        if ((watch_dr7 >> 2 * n & 1) == 0)
            continue;
        if (what == 0 && length == 0 && stores &&
            watch_at == (b->body == tsx_body_store
                             ? (uintptr_t)tsx_body_store_fault
                             : (uintptr_t)tsx_body_nest_store_begin + 6))
            return true;
        if (((what == 1 && stores) ||
             (what == 3 && (stores || b->body == tsx_body_load))) &&
            watch_at <
                b->argument + (wrong.first_byte && watching_inside ? 1 : 8) &&
            b->argument < watch_at + lengths[length])
            return true;
    }
    return false;
}

static int vector_of(const struct tsx_block *b)
{
    return b->body == tsx_body_int3 ? BP : is_hit(b) ? DB : TSX_RAN;
}

/* In a transaction, a store that is made only by a commit. */
static bool debug_end(const struct tsx_block *b, struct end *end)
{
    if (b->body != tsx_body_store && b->body != tsx_body_load &&
        b->body != tsx_body_nest_store && b->body != tsx_body_int3)
        return false;
    const bool hit = vector_of(b) != TSX_RAN &&
                     !(wrong.deaf && wrong.points == wrong.point + 1);
    *end = hit ? aborted(RTM_STATUS_BREAKPOINT) : committed();
    if (b->body == tsx_body_store && wrong.leaks)
        *(volatile uint64_t *)(uintptr_t)b->argument = b->count;
    return true;
}

int tsx_watched(int (*enter)(struct tsx_block *), struct tsx_block *block,
                uint64_t dr0, uint64_t dr7)
{
    const bool outside = enter == tsx_outside;

    assert_int_equal(dr7 & DR7_RTM, 0);
    wrong.points += watch_dr7 != dr7 || watch_body != block->body;
    watch_body = block->body;
    watching = true;
    watching_inside = !outside;
    watch_at = dr0;
    watch_dr7 = dr7;
    int outcome = outside ? vector_of(block) : enter(block);
    if (outside && block->body == tsx_body_store) /* a trap, after the store */
        *(volatile uint64_t *)(uintptr_t)block->argument = block->count;
    if (outside && wrong.wrong_vector && wrong.points == wrong.point + 1)
        outcome = TSX_RAN;
    watching = false;
    return outcome;
}

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    memset(&wrong, 0, sizeof(wrong));
    watch_body = NULL;
    own_end = debug_end;
    device.wrong.outcome = TSX_COMMITTED;
}

/* --- Without advanced debugging --------------------------------------------
 */

static const struct {
    const uint8_t *body;
    unsigned before; /* tries of that body before it */
    const char *what;
} points[] = {
    {tsx_body_store, 0, "data breakpoint inside"},
    {tsx_body_store, 1, "data breakpoint of DR1 inside"},
    {tsx_body_store, 2, "data breakpoint of DR2 inside"},
    {tsx_body_store, 3, "data breakpoint of DR3 inside"},
    {tsx_body_load, 0, "data breakpoint on a load inside"},
    {tsx_body_store, 4, "instruction breakpoint inside"},
    {tsx_body_store, 5, "instruction breakpoint of DR3 inside"},
    {tsx_body_nest_store, 0, "data breakpoint in an inner transaction inside"},
    {tsx_body_nest_store, 1, "instruction breakpoint in an inner transaction"},
    {tsx_body_int3, 0, "INT3 inside"},
};
#define POINTS (sizeof(points) / sizeof(points[0]))

static void each_point(void **state)
{
    const struct test *test = &test_tsx_debug_breakpoint;
    char line[100];

    (void)state;
    begin(test);
    expect_case(case_end(), VERDICT_PASS,
                "INT3 inside a transaction: EAX = "
                "0x00000010 (breakpoint)");
    assert_true(wrong.points > POINTS);
    assert_int_equal(t->rows, POINTS);
    for (unsigned i = 0; i < POINTS; i++) {
        /* Not hit: it commits, which no abort with EAX[4] ends. */
        begin(test);
        wrong.point = i;
        wrong.deaf = true;
        expect_case(case_end(), VERDICT_FAIL, points[i].what);
        assert_non_null(strstr(t->text, "100 of 100 committed; wanted 0"));
        assert_non_null(strstr(t->text, "none of 0 aborts set EAX[4]"));
        /* It commits once, and is hit then. */
        begin(test);
        tsx_wrong(points[i].body, committed(), points[i].before);
        expect_case(case_end(), VERDICT_FAIL, "1 of 2 committed; wanted 0");
        assert_non_null(strstr(t->text, points[i].what));
        /* It says nothing of a breakpoint; at last it does. */
        begin(test);
        tsx_wrong(points[i].body, aborted(RTM_STATUS_RETRY), points[i].before);
        device.to = points[i].before + PROBES - 2;
        expect_case(case_end(), VERDICT_PASS, "");
        begin(test);
        tsx_wrong(points[i].body, aborted(RTM_STATUS_RETRY), points[i].before);
        device.to = points[i].before + PROBES - 1;
        expect_case(case_end(), VERDICT_FAIL, points[i].what);
        assert_non_null(strstr(t->text, "none of 100 aborts set EAX[4]; EAX = "
                                        "0x00000002 (retry)"));
        /* It is delivered. */
        begin(test);
        tsx_wrong(points[i].body,
                  (struct end){.outcome = i == POINTS - 1 ? BP : DB},
                  points[i].before);
        expect_case(case_end(), VERDICT_FAIL, "was delivered, 1 of 2");
        /* It is not hit outside, where an inner one is not tried. */
        if (points[i].body == tsx_body_nest_store)
            continue;
        begin(test);
        wrong.point = i;
        wrong.wrong_vector = true;
        text_format(line, sizeof(line), "wanted #%s",
                    i == POINTS - 1 ? "BP" : "DB");
        expect_case(case_end(), VERDICT_ERROR, line);
        assert_int_equal(t->rows_tried, POINTS - 1);
    }
    begin(test);
    wrong.leaks = true;
    expect_case(case_end(), VERDICT_FAIL, "INT3");
    /* Of what is watched, the first byte alone. */
    begin(test);
    wrong.first_byte = true;
    expect_case(case_end(), VERDICT_FAIL, "data breakpoint of DR");
}

static void none_commits(void **state)
{
    static const struct test *const tests[] = {&test_tsx_debug_advanced,
                                               &test_tsx_debug_breakpoint};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(tests[i]);
        tsx_wrong(tsx_body_nothing, aborted(0), 0);
        device.to = LATER;
        expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
        assert_int_equal(wrong.points + wrong.windows, 0);
    }
}

/* --- Advanced debugging -----------------------------------------------------
 */

static int debugged(struct tsx_block *b, struct tsx_debug *debug)
{
    const bool advanced = (debug->dr7 & DR7_RTM) != 0 &&
                          (*msr(IA32_DEBUGCTL) & IA32_DEBUGCTL_RTM) != 0;
    const bool delivers = advanced && vector_of(b) != TSX_RAN;

    if (delivers) {
        debug->dr6_after =
            (debug->dr6 & ~DR6_RTM) | (b->body == tsx_body_int3 ? 0 : BIT(0));
        b->fault_rax = UINT32_MAX;
        b->unrestored = 0;
        return DB;
    }
    return tsx_inside(b);
}

int tsx_debugged(int (*enter)(struct tsx_block *), struct tsx_block *block,
                 struct tsx_debug *debug)
{
    watching = true;
    watch_at = debug->dr0;
    watch_dr7 = debug->dr7;
    debug->dr6_after = debug->dr6;
    debug->dr7_after = debug->dr7;
    assert_int_equal(block->argument, debug->dr0);
    if (enter == tsx_outside) {
        assert_int_equal(debug->dr6, DR6_NONE & ~DR6_RTM);
        debug->dr6_after |= (DR6_RTM | BIT(0)) ^ wrong.dr6_outside;
        debug->dr6_after &= ~wrong.dr6_outside;
        return wrong.outside != 0 ? wrong.outside : vector_of(block);
    }
    assert_int_equal(debug->dr6, DR6_NONE);
    /* A kind is a body, DR7 and IA32_DEBUGCTL. */
    if (wrong.windows++ == 0 || wrong.body_seen != block->body ||
        wrong.dr7_seen != debug->dr7 ||
        wrong.debugctl_seen != *msr(IA32_DEBUGCTL)) {
        wrong.kinds++;
        wrong.tries = 0;
    }
    wrong.body_seen = block->body;
    wrong.dr7_seen = debug->dr7;
    wrong.debugctl_seen = *msr(IA32_DEBUGCTL);

    int outcome = debugged(block, debug);
    const unsigned n = wrong.tries++;
    watching = false;
    if (wrong.kinds != wrong.of || n < wrong.from ||
        (n > wrong.from && n > wrong.to))
        return outcome;
    if (wrong.outcome != 0) {
        outcome = wrong.outcome;
        block->status = wrong.status;
        block->fault_rax = UINT32_MAX;
    }
    debug->dr6_after ^= wrong.dr6;
    debug->dr7_after ^= wrong.dr7;
    block->fault_rax ^= wrong.rax;
    block->unrestored = wrong.unrestored;
    if (wrong.memory)
        *(volatile uint64_t *)(uintptr_t)block->argument ^= 1;
    if (wrong.cell)
        block->cell ^= 1;
    return outcome;
}

/* By DR7[11] and IA32_DEBUGCTL[15], three points each. */
static const char *const enablings[] = {
    "DR7[11] and IA32_DEBUGCTL[15] = 0: ",
    "DR7[11] = 1, IA32_DEBUGCTL[15] = 0: ",
    "DR7[11] = 0, IA32_DEBUGCTL[15] = 1: ",
    "DR7[11] and IA32_DEBUGCTL[15] = 1: ",
};
static const char *const advanced_points[] = {
    "data breakpoint, ", "INT3, ", "data breakpoint in an inner transaction, "};
#define KINDS 12

/* As found, with another bit. */
static int access(uint32_t number, const uint64_t *written)
{
    if (number != IA32_DEBUGCTL || written == NULL)
        return HW_NO_FAULT;
    assert_int_equal(*written & ~IA32_DEBUGCTL_RTM, 0x40);
    return wrong.refused && *written != 0x40 ? HW_GP : HW_NO_FAULT;
}

static enum verdict end_advanced(void)
{
    *msr(IA32_DEBUGCTL) = 0x40;
    fake_device = access;
    const enum verdict verdict = case_end();
    assert_int_equal(*msr(IA32_DEBUGCTL), 0x40);
    return verdict;
}

static void begin_kind(unsigned kind, unsigned from, unsigned to)
{
    begin(&test_tsx_debug_advanced);
    wrong.of = kind + 1;
    wrong.from = from;
    wrong.to = to;
}

static void fails(unsigned kind, const char *what)
{
    char line[200];

    text_format(line, sizeof(line), "%s%s%s", advanced_points[kind % 3],
                enablings[kind / 3], what);
    expect_case(end_advanced(), VERDICT_FAIL, line);
}

static void either_kind(void **state)
{
    (void)state;
    begin(&test_tsx_debug_advanced);
    expect_case(end_advanced(), VERDICT_PASS, "");
    assert_int_equal(wrong.kinds, KINDS);
    assert_int_equal(wrong.windows, KINDS * TRIES);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        begin_kind(kind, 3, 0);
        wrong.outcome = TSX_INNER;
        fails(kind, "1 of 5 went on at the inner XBEGIN");
        begin_kind(kind, 3, 0);
        wrong.outcome = HW_UD;
        fails(kind, "");
        begin_kind(kind, 4, 0);
        wrong.memory = true;
        fails(kind, "a store of the transaction remained in memory, 1 of 5");
        begin_kind(kind, 0, 0);
        wrong.cell = true;
        fails(kind, "a store of the transaction remained in memory, 1 of 5");
        begin_kind(kind, 0, 0);
        wrong.dr7 = BIT(13);
        fails(kind, "DR7 = 0x");
        begin_kind(kind, 0, 0);
        wrong.outcome = TSX_COMMITTED;
        fails(kind, "");
    }
}

static void not_advanced(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 9; kind++) {
        begin_kind(kind, 1, 0);
        wrong.outcome = DB;
        fails(kind, "4 of 5 aborted to the fallback, #DB delivered in 1");
        /* EAX[4] in one abort is enough, even if it is the last. */
        begin_kind(kind, 0, MOST - 2);
        wrong.outcome = TSX_ABORTED;
        expect_case(end_advanced(), VERDICT_PASS, "");
        begin_kind(kind, 0, LATER);
        wrong.outcome = TSX_ABORTED;
        fails(kind, "none of 48 aborts set EAX[4]");
        begin_kind(kind, 2, 0);
        wrong.dr6 = BIT(0);
        expect_case(end_advanced(), VERDICT_PASS,
                    "DR6 changed in 1 of 5 aborts");
    }
}

static void advanced(void **state)
{
    static const uint64_t others[] = {BIT(13), BIT(14), BIT(15), BIT(16)};

    (void)state;
    for (unsigned kind = 9; kind < KINDS; kind++) {
        /* An abort by something else may come before it, in all but one. */
        begin_kind(kind, 0, MOST - 2);
        wrong.outcome = TSX_ABORTED;
        expect_case(end_advanced(), VERDICT_PASS, "");
        begin_kind(kind, 0, LATER);
        wrong.outcome = TSX_ABORTED;
        fails(kind, "#DB delivered at XBEGIN in 0 of 48, 48 aborted");
        begin_kind(kind, 0, 0);
        wrong.outcome = TSX_ABORTED;
        wrong.status = RTM_STATUS_BREAKPOINT;
        fails(kind, "#DB delivered at XBEGIN in 4 of 5, 1 aborted to the "
                    "fallback, 1 of these with EAX[4]");
        begin_kind(kind, 4, 0);
        wrong.unrestored = true;
        fails(kind, "registers are not as before XBEGIN after #DB, 1 of 5");
        for (unsigned i = 0; i < 4; i++) {
            begin_kind(kind, 4, 0);
            wrong.dr6 = others[i];
            fails(kind, "DR6 = 0x");
        }
        /* In most of them RAX is as before. */
        begin_kind(kind, 0, 1);
        wrong.rax = 0xff;
        expect_case(end_advanced(), VERDICT_PASS, "");
        begin_kind(kind, 0, 2);
        wrong.rax = 0xff;
        fails(kind, "RAX = 0xffffff00 at #DB, 3 of 5");
    }
}

static void outside(void **state)
{
    static const uint64_t bits[] = {BIT(0), DR6_RTM};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin(&test_tsx_debug_advanced);
        wrong.dr6_outside = bits[i];
        expect_case(end_advanced(), VERDICT_FAIL,
                    "data breakpoint outside a transaction: DR6 = 0x");
    }
    begin(&test_tsx_debug_advanced);
    wrong.outside = TSX_RAN;
    expect_case(end_advanced(), VERDICT_ERROR,
                "data breakpoint outside a transaction: got");
}

static void debugctl(void **state)
{
    (void)state;
    begin(&test_tsx_debug_advanced);
    fake_msr(IA32_DEBUGCTL)->writable = ~IA32_DEBUGCTL_RTM;
    expect_case(end_advanced(), VERDICT_FAIL,
                "reads 0x40; wanted [15] (RTM) = 1");
    assert_int_equal(wrong.kinds, 6);
    begin(&test_tsx_debug_advanced);
    wrong.refused = true;
    expect_case(end_advanced(), VERDICT_FAIL,
                "[15] (RTM) = 1 raised #GP; wanted no exception");
    assert_int_equal(wrong.kinds, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_point),  cmocka_unit_test(none_commits),
        cmocka_unit_test(either_kind), cmocka_unit_test(not_advanced),
        cmocka_unit_test(advanced),    cmocka_unit_test(outside),
        cmocka_unit_test(debugctl),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
