/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_memory_cases.c - the cases of how much a transaction can read and write,
 * and of which bytes an abort and a commit leave, over memory that does as the
 * manual says, and over the same with one byte otherwise. */
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx_fixture.h"

#define PROBES 100 /* tries of one that need not commit */

extern const struct test test_tsx_read_capacity, test_tsx_rollback_bytes,
    test_tsx_write_capacity;

const uint8_t tsx_end_reads[1] = {0}, tsx_end_wide[1] = {0},
              tsx_end_wide_commit[1] = {0};
const uint8_t tsx_body_store_x87[8] = {0};

#define TRIALS 25
#define LINE   64
#define PAGE   4096

/* What is otherwise. */
static struct {
    /* Of stores, by one body: its tries from one on. */
    const uint8_t *body;
    unsigned from, to; /* to: 0, one */
    bool aborted;      /* those that abort */
    int byte;          /* of the store, which is the other way round; */
    bool whole;        /* or all of it */
    bool misread;
    struct end end; /* outcome 0: as it has to be */
    unsigned tries, stores;
    /* Of reads. */
    uint64_t lines; /* that a transaction can read; */
    uint32_t status;
    bool registers;
    /* Of stores of 32 bytes. */
    unsigned at; /* 1 + the byte that is wrong */
    bool only_aborts, never_commits;
    unsigned wide;
    /* What the two counters have after a window, in percent, and more. */
    uint64_t percent, more;
    unsigned counter;
    bool open;
} wrong;

/* --- Capacity --------------------------------------------------------------
 */

static struct tsx_state *reads;

int tsx_state(struct tsx_state *s)
{
    static const unsigned places[] = TSX_STATE_WIDE_PLACES;
    uint8_t *bytes = (uint8_t *)(uintptr_t)s->argument;

    if (s->end == tsx_end_reads) {
        reads = s;
        assert_ptr_not_equal(s->change, tsx_change_nothing);
        assert_int_equal(s->argument, (uintptr_t)source);
        state_end(s, false);
        s->after[9] ^= wrong.registers;
        return TSX_ABORTED;
    }
    wrong.wide++;
    const bool commits = s->end == tsx_end_wide_commit && !wrong.never_commits;
    for (unsigned n = 0; commits && n < 2; n++)
        for (unsigned i = 0; i < 32; i++)
            bytes[places[n] + i] = (uint8_t)(0x80 + i);
    if (wrong.at != 0 && commits == !wrong.only_aborts)
        bytes[wrong.at - 1] = commits ? 0x55 : 0;
    if (wrong.at != 0 && commits) /* a quadword that is not made */
        memcpy(bytes + (wrong.at - 1) / 8 * 8,
               &(uint64_t){UINT64_C(0x70a1b2839495a687)}, 8);
    return state_end(s, commits);
}

static bool capacity_end(const struct tsx_block *b, struct end *end)
{
    if (b->body != tsx_body_read_lines)
        return false;
    *end = b->count * 8 <= wrong.lines ? committed() : aborted(wrong.status);
    return true;
}

static int access(uint32_t number, const uint64_t *written)
{
    if (number != IA32_PERF_GLOBAL_CTRL || written == NULL)
        return HW_NO_FAULT;
    if (*written == 0 && wrong.open)
        *msr(IA32_PMC(wrong.counter)) =
            *msr(IA32_PMC(wrong.counter)) * wrong.percent / 100 + wrong.more;
    wrong.open = *written != 0;
    return HW_NO_FAULT;
}

static void begin(const struct test *test)
{
    tsx_begin(test, TRIALS);
    memset(&wrong, 0, sizeof(wrong));
    wrong.lines = 1000 * 8;
    wrong.status = RTM_STATUS_CAPACITY;
    wrong.percent = 100;
    reads = NULL;
    own_end = capacity_end;
    fake_device = access;
}

static void read_capacity(void **state)
{
    const struct test *test = &test_tsx_read_capacity;
    static const struct {
        uint32_t status;
        enum verdict verdict;
        const char *line;
    } ends[] = {
        {RTM_STATUS_CAPACITY | RTM_STATUS_RETRY, VERDICT_PASS, ""},
        {RTM_STATUS_CONFLICT, VERDICT_PASS, ""}, /* others' caches */
        {0, VERDICT_FAIL, "none of 32 aborts set EAX[3] (capacity)"},
        {RTM_STATUS_RETRY, VERDICT_FAIL, "EAX = 0x00000002"},
        {RTM_STATUS_CAPACITY | RTM_STATUS_BREAKPOINT, VERDICT_FAIL,
         "EAX names another cause"},
    };

    (void)state;
    begin(test);
    expect_case(case_end(), VERDICT_PASS,
                "loads from 7168 lines of 64 bytes "
                "commit; aborts begin at 8192");
    assert_non_null(reads);
    assert_int_equal(reads->count, 8192);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        begin(test);
        wrong.status = ends[i].status;
        if ((ends[i].status & RTM_STATUS_CAPACITY) == 0) /* another category */
            t->cpu.perfmon_version = 1;
        expect_case(case_end(), ends[i].verdict, ends[i].line);
    }
    begin(test); /* there is no limit, up to what is tried */
    wrong.lines = UINT64_MAX;
    expect_case(case_end(), VERDICT_PASS,
                "loads from 131072 lines of 64 bytes "
                "commit; more were not tried");
    assert_null(reads);
    begin(test);
    wrong.lines = 0;
    expect_case(case_end(), VERDICT_PASS, "loads from 0 lines");
    begin(test);
    wrong.registers = true;
    expect_case(case_end(), VERDICT_FAIL, "then loads from too many lines");
    begin(test);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
}

/* Aborts of four transactions, and those by a memory event. */
static void read_events(void **state)
{
    static const struct {
        unsigned counter;
        uint64_t percent, more;
        enum verdict verdict;
    } rows[] = {
        {0, 100, 0, VERDICT_PASS}, {0, 50, 0, VERDICT_PASS},
        {0, 25, 0, VERDICT_FAIL},  {0, 0, 0, VERDICT_FAIL},
        {0, 100, 1, VERDICT_PASS}, {1, 100, 1, VERDICT_FAIL},
        {1, 75, 0, VERDICT_FAIL},  {1, 0, 0, VERDICT_FAIL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&test_tsx_read_capacity);
        wrong.counter = rows[i].counter;
        wrong.percent = rows[i].percent;
        wrong.more = rows[i].more;
        expect_case(case_end(), rows[i].verdict,
                    rows[i].verdict == VERDICT_FAIL
                        ? "4 aborts, 4 of them with EAX[3] (capacity)"
                        : "");
    }
    for (unsigned n = 0; n < 2; n++) { /* There is nothing to count with. */
        begin(&test_tsx_read_capacity);
        wrong.percent = 0;
        if (n == 0)
            t->cpu.perfmon_version = 1;
        else
            t->cpu.counters = 2;
        expect_case(case_end(), VERDICT_PASS, "");
        assert_int_equal(*msr(IA32_PMC(0)), 0);
    }
}

static void write_capacity(void **state)
{
    const struct test *test = &test_tsx_write_capacity;
    static const uint32_t statuses[] = {0, RTM_STATUS_CONFLICT,
                                        RTM_STATUS_RETRY};
    struct end leak = aborted(RTM_STATUS_CAPACITY), loss = committed();

    (void)state;
    for (unsigned lines = 511; lines <= LINES_WRITTEN; lines++) {
        char line[80];
        begin(test);
        device.lines = lines;
        text_format(line, sizeof(line),
                    "stores to %u lines of 64 bytes commit; aborts begin at %u",
                    lines, lines + 1);
        expect_case(case_end(), VERDICT_PASS, line);
    }
    for (unsigned i = 0; i < 3; i++) {
        begin(test);
        device.lines = 100;
        tsx_wrong(tsx_body_write_lines, aborted(statuses[i]), 7);
        device.to = UINT32_MAX;
        expect_case(case_end(), VERDICT_FAIL, "set EAX[3] (capacity)");
    }
    leak.memory_wrong = loss.memory_wrong = true;
    begin(test);
    device.lines = 100;
    tsx_wrong(tsx_body_write_lines, leak, 8); /* of 128 lines */
    expect_case(case_end(), VERDICT_FAIL, "1 lines hold what they must not");
    begin(test);
    tsx_wrong(tsx_body_write_lines, loss, 0);
    expect_case(case_end(), VERDICT_FAIL, "1 lines hold what they must not");
    begin(test);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
}

/* With as much as is tried in an inner transaction. */
static void inner_capacity(void **state)
{
    static const struct {
        uint32_t status;
        const char *of_stores, *of_loads; /* NULL: PASS */
    } ends[] = {
        {RTM_STATUS_CAPACITY | RTM_STATUS_NESTED | RTM_STATUS_RETRY, NULL,
         NULL},
        {RTM_STATUS_CAPACITY, "none of 32 aborts set EAX[3]",
         "none of 32 aborts set EAX[3]"},
        {RTM_STATUS_NESTED, "and EAX[5] (nested); the last status is 0x000000",
         "none of 32 aborts set EAX[3]"},
        {RTM_STATUS_CONFLICT | RTM_STATUS_NESTED,
         "none of 32 aborts set EAX[3]", NULL},
        {RTM_STATUS_CONFLICT, "none of 32 aborts set EAX[3]",
         "none of 32 aborts set EAX[3]"},
        {RTM_STATUS_CAPACITY | RTM_STATUS_NESTED | RTM_STATUS_BREAKPOINT,
         "EAX names another cause", "EAX names another cause"},
    };

    (void)state;
    for (unsigned loads = 0; loads < 2; loads++) {
        const struct test *test =
            loads != 0 ? &test_tsx_read_capacity : &test_tsx_write_capacity;
        const uint8_t *body =
            loads != 0 ? tsx_body_nest_read_lines : tsx_body_nest_write_lines;
        for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
            const char *line =
                loads != 0 ? ends[i].of_loads : ends[i].of_stores;
            begin(test);
            tsx_wrong(body, aborted(ends[i].status), 0);
            device.to = UINT32_MAX;
            device.lines = 100;
            expect_case(case_end(), line != NULL ? VERDICT_FAIL : VERDICT_PASS,
                        line != NULL ? line : "");
            /* Four more of loads, which are counted. */
            assert_int_equal(device.tries,
                             ((ends[i].status & 0x28) == 0x28 ? 1 : 32) +
                                 (loads != 0 ? 4 : 0));
        }
    }
    begin(&test_tsx_read_capacity); /* there is no limit */
    tsx_wrong(tsx_body_nest_read_lines, aborted(0), 0);
    wrong.lines = UINT64_MAX;
    expect_case(case_end(), VERDICT_PASS, "more were not tried");
    assert_int_equal(device.tries, 0);
}

/* --- Bytes -----------------------------------------------------------------
 */

static const struct width {
    const uint8_t *body;
    unsigned bytes;
    const char *name;
} widths[] = {
    {tsx_body_store_1, 1, "store of 1 byte"},
    {tsx_body_store_2, 2, "store of 2 bytes"},
    {tsx_body_store_4, 4, "store of 4 bytes"},
    {tsx_body_store_8, 8, "store of 8 bytes"},
    {tsx_body_store_16, 16, "store of 16 bytes"},
    {tsx_body_store_nt, 8, "MOVNTI of 8 bytes"},
    {tsx_body_store_xchg, 8, "XCHG of 8 bytes"},
    {tsx_body_store_xadd, 8, "LOCK XADD of 8 bytes"},
    {tsx_body_store_x87, 10, "FSTP of 10 bytes"},
    {tsx_body_store_rep, 40, "REP STOS of 40 bytes"},
    {tsx_body_store_pair, 16, "LOCK CMPXCHG16B"}, /* in a line alone */
};
#define WIDTHS   (sizeof(widths) / sizeof(widths[0]))
#define CROSSING (WIDTHS - 1)

static uint64_t seen_at[64]; /* offsets of a page at which so many bits of w */
static bool crossed[WIDTHS][2];

static bool is_wrong_store(const struct tsx_block *b, bool aborts)
{
    if (b->body != wrong.body || aborts != wrong.aborted)
        return false;
    const unsigned n = wrong.tries++;
    return n == wrong.from || (n > wrong.from && n <= wrong.to);
}

static struct end store(const struct tsx_block *b, const struct width *w)
{
    uint8_t *at = (uint8_t *)(uintptr_t)b->argument;
    const unsigned in = (unsigned)(b->argument % LINE);
    const bool aborts = (b->count & TSX_STORE_ABORTS) != 0;
    const bool is = is_wrong_store(b, aborts);
    struct end end = aborts ? aborted(0x77000001) : committed();

    wrong.stores++;
    if (is && wrong.end.outcome != 0)
        end = wrong.end;
    if (b->argument % PAGE + w->bytes <= PAGE)
        seen_at[in] |= (aborts ? UINT64_C(1) << 32 : 1) << (w - widths);
    else
        crossed[w - widths][aborts] = true;
    for (unsigned i = 0; i < w->bytes; i++) {
        const bool made = (end.outcome == TSX_COMMITTED) !=
                          (is && (wrong.whole || wrong.byte == (int)i));
        if (made)
            at[i] = (uint8_t)(b->count >> i % 8 * 8);
    }
    if (is && (wrong.byte < 0 || wrong.byte >= (int)w->bytes))
        at[wrong.byte] ^= 0x10; /* one beside it */
    end.flags = is && wrong.misread;
    return end;
}

#define NESTED_PLACES 5
static const char *const nested_names[NESTED_PLACES] = {
    "the outermost stored", "the second", "the third",
    "the outermost, after the others", "PUSH in the outermost"};

static struct end store_nested(const struct tsx_block *b)
{
    static const unsigned places[] = TSX_NESTED_PLACES;
    const bool aborts = (b->count & TSX_STORE_ABORTS) != 0;
    const bool is = is_wrong_store(b, aborts);
    struct end end = aborts ? aborted(0x77000001) : committed();

    if (is && wrong.end.outcome != 0)
        end = wrong.end;
    for (unsigned n = 0; n < NESTED_PLACES; n++)
        if ((end.outcome == TSX_COMMITTED) != (is && wrong.byte == (int)n))
            *(uint64_t *)(uintptr_t)(b->argument + places[n]) = b->count;
    return end;
}

static const char *const kind_names[] = TSX_STORE_KINDS;
#define KINDS (sizeof(kind_names) / sizeof(kind_names[0]))

static struct end store_kinds(const struct tsx_block *b)
{
    const bool aborts = (b->count & TSX_STORE_ABORTS) != 0;
    const bool is = is_wrong_store(b, aborts);
    uint64_t *words = (uint64_t *)(uintptr_t)b->argument;

    for (unsigned n = 0; n < KINDS; n++)
        words[n] += aborts == (is && wrong.byte == (int)n);
    return aborts ? aborted(0x77000001) : committed();
}

static bool store_end(const struct tsx_block *b, struct end *end)
{
    for (unsigned n = 0; n < WIDTHS; n++)
        if (b->body == widths[n].body) {
            *end = store(b, &widths[n]);
            return true;
        }
    if (b->body == tsx_body_store_kinds) {
        *end = store_kinds(b);
        return true;
    }
    if (b->body != tsx_body_store_nested)
        return false;
    *end = store_nested(b);
    return true;
}

static void begin_stores(const uint8_t *body, bool aborts, unsigned from)
{
    begin(&test_tsx_rollback_bytes);
    own_end = store_end;
    wrong.body = body;
    wrong.aborted = aborts;
    wrong.from = from;
    wrong.byte = 1000;
}

/* Whichever byte of whichever store it is: the first in a page, and the one
 * over its end. */
static void each_byte(void **state)
{
    (void)state;
    memset(seen_at, 0, sizeof(seen_at));
    begin_stores(NULL, false, 0);
    expect_case(case_end(), VERDICT_PASS,
                "stores in a page: 136 transactions, 68 of them committed");
    assert_non_null(strstr(t->text, "stores over the end of a page: 20 "
                                    "transactions, 10 of them committed"));
    for (unsigned in = 0; in < LINE; in++) /* aborts and commits at each */
        assert_true((uint32_t)seen_at[in] != 0 && seen_at[in] >> 32 != 0);
    for (unsigned n = 0; n < WIDTHS; n++)
        for (unsigned aborts = 0; aborts < 2; aborts++) {
            assert_true(crossed[n][aborts] ==
                        (n < CROSSING && widths[n].bytes > 1));
            begin_stores(widths[n].body, aborts != 0, UINT32_MAX);
            case_end();
            const unsigned last = wrong.tries - 1;
            for (unsigned byte = 0; byte < widths[n].bytes; byte++)
                for (unsigned over = 0; over < (n < CROSSING ? 2 : 1); over++) {
                    begin_stores(widths[n].body, aborts != 0,
                                 over != 0 ? last : 0);
                    wrong.byte = (int)byte;
                    expect_case(case_end(), VERDICT_FAIL, widths[n].name);
                    assert_non_null(strstr(t->text, "memory is wrong after 1"));
                    assert_non_null(
                        strstr(t->text, over != 0 ? "over the end of a page: m"
                                                  : "stores in a page: mem"));
                    assert_non_null(
                        strstr(t->text, aborts ? "aborted: " : "committed: "));
                }
        }
}

/* A byte beside it; a store that is not read; and what no transaction may do.
 */
static void beside_and_read(void **state)
{
    static const struct {
        struct end end;
        const char *line;
    } ends[] = {
        {{.outcome = TSX_INNER}, "at the fallback of an inner transaction"},
        {{.outcome = HW_GP}, "#GP was delivered"},
        {{.outcome = TSX_ABORTED, .status = 1u << 7}, "that cannot be"},
        {{.outcome = TSX_ABORTED, .unrestored = true}, "a register change of"},
        {{.outcome = TSX_ABORTED, .leaks = true}, "the store of an aborted"},
        {{.outcome = TSX_COMMITTED, .leaks = true}, "the store of a committed"},
    };

    (void)state;
    for (unsigned n = 0; n < WIDTHS; n++) {
        for (unsigned aborts = 0; aborts < 2; aborts++)
            for (unsigned after = 0; after < 2; after++) {
                begin_stores(widths[n].body, aborts != 0, 1);
                wrong.byte = after != 0 ? (int)widths[n].bytes : -1;
                expect_case(case_end(), VERDICT_FAIL, widths[n].name);
                begin_stores(widths[n].body, aborts != 0, 1);
                wrong.byte = after != 0 ? (int)widths[n].bytes + 20 : -20;
                expect_case(case_end(), VERDICT_FAIL, widths[n].name);
            }
        begin_stores(widths[n].body, false, 1);
        wrong.misread = true;
        wrong.byte = 0;
        wrong.whole = false;
        expect_case(case_end(), VERDICT_FAIL,
                    "a store did not read back inside its transaction, 1 of");
        for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
            begin_stores(widths[n].body, true, 1);
            wrong.end = ends[i].end;
            wrong.byte = 0;
            expect_case(case_end(), VERDICT_FAIL, ends[i].line);
        }
    }
}

static void nested_stores(void **state)
{
    (void)state;
    for (unsigned n = 0; n < NESTED_PLACES; n++)
        for (unsigned aborts = 0; aborts < 2; aborts++) {
            begin_stores(tsx_body_store_nested, aborts != 0, 0);
            wrong.byte = (int)n;
            expect_case(case_end(), VERDICT_FAIL, nested_names[n]);
            assert_non_null(strstr(
                t->text, aborts ? "is wrong after 1 of 1 transactions, 0 of"
                                : "is wrong after 1 of 1 transactions, 1 of"));
        }
    begin_stores(tsx_body_store_nested, true, 1); /* to the end of a line */
    wrong.byte = 2;
    expect_case(case_end(), VERDICT_FAIL, nested_names[2]);
    /* Another abort may come first. */
    begin_stores(tsx_body_store_nested, true, 0);
    wrong.to = PROBES - 2;
    wrong.end = aborted(RTM_STATUS_CONFLICT);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(wrong.tries, PROBES + 1);
    begin_stores(tsx_body_store_nested, false, 0);
    wrong.to = UINT32_MAX;
    wrong.end = aborted(RTM_STATUS_CONFLICT);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(wrong.tries, PROBES);
    begin_stores(tsx_body_store_nested, false, 0);
    wrong.end.outcome = HW_UD;
    expect_case(case_end(), VERDICT_FAIL,
                "transactions in one another: #UD was delivered");
}

static void kinds_of_stores(void **state)
{
    (void)state;
    for (unsigned n = 0; n < KINDS; n++)
        for (unsigned aborts = 0; aborts < 2; aborts++) {
            begin_stores(tsx_body_store_kinds, aborts != 0, 0);
            wrong.byte = (int)n;
            expect_case(case_end(), VERDICT_FAIL, kind_names[n]);
        }
}

static void wide_stores(void **state)
{
    static const unsigned places[] = TSX_STATE_WIDE_PLACES;

    (void)state;
    begin_stores(NULL, false, 0);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(wrong.wide, 0); /* without AVX */
    begin_stores(NULL, false, 0);
    state_enumerate(7);
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(wrong.wide, 4 + 1);
    for (unsigned at = 0; at < TSX_STATE_WIDE; at++) {
        char line[40];
        begin_stores(NULL, false, 0);
        state_enumerate(7);
        wrong.at = 1 + at;
        wrong.only_aborts = true;
        text_format(line, sizeof(line), "the first is byte %u: 00H, wanted",
                    at);
        expect_case(case_end(), VERDICT_FAIL, line);
    }
    for (unsigned n = 0; n < 8; n++) {
        begin_stores(NULL, false, 0);
        state_enumerate(7);
        wrong.at = 1 + places[n / 4] + n % 4 * 8;
        expect_case(case_end(), VERDICT_FAIL, "1 of 8 quadwords hold the old");
    }
    begin_stores(NULL, false, 0);
    state_enumerate(7);
    wrong.never_commits = true;
    expect_case(case_end(), VERDICT_PASS, "");
    assert_int_equal(wrong.wide, 4 + 4);
}

static void none_commits(void **state)
{
    (void)state;
    begin_stores(NULL, false, 0);
    tsx_wrong(tsx_body_nothing, aborted(0), 0);
    device.to = UINT32_MAX;
    expect_case(case_end(), VERDICT_SKIP, "100 of 100 aborted");
    assert_int_equal(wrong.stores, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_capacity),  cmocka_unit_test(read_events),
        cmocka_unit_test(write_capacity), cmocka_unit_test(inner_capacity),
        cmocka_unit_test(each_byte),      cmocka_unit_test(beside_and_read),
        cmocka_unit_test(nested_stores),  cmocka_unit_test(kinds_of_stores),
        cmocka_unit_test(wide_stores),    cmocka_unit_test(none_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
