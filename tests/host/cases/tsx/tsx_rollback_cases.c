/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_rollback_cases.c - which bytes an abort and a commit leave, over memory
 * that does as the manual says, and over the same with one byte otherwise. */
#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx/tsx_fixture.h"

#define PROBES 100 /* tries of one that need not commit */

extern const struct test test_tsx_rollback_bytes;

const uint8_t tsx_end_wide[1] = {0}, tsx_end_wide_commit[1] = {0};
const uint8_t tsx_body_store_x87[8] = {0};

#define TRIALS 25
#define LINE   64
#define PAGE   4096

/* What is otherwise, by one body: its tries from one on. */
static struct {
    const uint8_t *body;
    unsigned from, to; /* to: 0, one */
    bool aborted;      /* those that abort */
    int byte;          /* of the store, which is the other way round; */
    bool whole;        /* or all of it */
    bool misread;
    struct end end; /* outcome 0: as it has to be */
    unsigned tries, stores;
    /* Of stores of 32 bytes. */
    unsigned at; /* 1 + the byte that is wrong */
    bool only_aborts, never_commits;
    unsigned wide;
} wrong;

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

int tsx_state(struct tsx_state *s)
{
    static const unsigned places[] = TSX_STATE_WIDE_PLACES;
    uint8_t *bytes = (uint8_t *)(uintptr_t)s->argument;

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

static void begin_stores(const uint8_t *body, bool aborts, unsigned from)
{
    tsx_begin(&test_tsx_rollback_bytes, TRIALS);
    memset(&wrong, 0, sizeof(wrong));
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

/* Below RSP: in each abort, or in all but one. */
static void pushes(void **state)
{
    const struct end changed = {
        .outcome = TSX_ABORTED, .status = 0x77000001, .below = 3};

    (void)state;
    for (unsigned each = 0; each < 2; each++) {
        begin_stores(NULL, false, 0);
        tsx_wrong(tsx_body_push_xabort, changed, 0);
        device.to = TRIALS / 5 - 2 + each;
        expect_case(case_end(), each != 0 ? VERDICT_FAIL : VERDICT_PASS,
                    each != 0 ? "memory below RSP changed, in each of 5 aborts"
                              : "");
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
        cmocka_unit_test(pushes),          cmocka_unit_test(each_byte),
        cmocka_unit_test(beside_and_read), cmocka_unit_test(nested_stores),
        cmocka_unit_test(kinds_of_stores), cmocka_unit_test(wide_stores),
        cmocka_unit_test(none_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
