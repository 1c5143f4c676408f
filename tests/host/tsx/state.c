/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c - registers after a transaction that the test makes up. */
#include "src/tsx/state.h"
#include "asm/tsx_bodies.h"
#include "src/base/msr.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* SDM 1, "Format of an FXSAVE Area". */
#define FXSAVE_FCW   0
#define FXSAVE_MXCSR 24
#define FXSAVE_ST3   (32 + 3 * 16)
#define FXSAVE_XMM15 (160 + 15 * 16)
#define STATUS_FLAGS UINT64_C(0x8d5)
/* PUSHF: RF [16] and VM [17]; 1, 3, 5 and 15 are fixed. */
#define NOT_STORED 0x3802a

#define TRIES 4

/* The next transactions: how they end, and what is wrong then. */
static struct {
    int outcome;
    unsigned general;  /* 1 + its number in the block */
    uint64_t flags;    /* bits that are the other way round */
    unsigned area;     /* 1 + the byte of the area */
    uint64_t rax_high; /* upper half of RAX after an abort */
    unsigned from;     /* the first try that is wrong */
    unsigned calls;
} plan;

/* What asm/tsx_state.asm leaves of a change of the general registers, or of
 * none. */
int tsx_state(struct tsx_state *s)
{
    bool changed =
        plan.outcome == TSX_COMMITTED && s->change == tsx_change_general;

    for (unsigned n = 0; n < TSX_STATE_REGISTERS; n++)
        s->after[n] = changed ? ~s->before[n] : s->before[n];
    if (changed)
        s->after[4] = s->before[4] + TSX_STATE_POPPED;
    s->flags_after = s->flags_before ^ (changed ? STATUS_FLAGS : 0);
    memcpy(s->x_after, s->x_before, sizeof(s->x_after));
    if (plan.outcome == TSX_ABORTED)
        s->after[0] = plan.rax_high | 0x77000001;
    if (plan.calls++ < plan.from)
        return plan.outcome;
    if (plan.general != 0)
        s->after[plan.general - 1] ^= UINT64_C(1) << 40;
    s->flags_after ^= plan.flags;
    if (plan.area != 0)
        s->x_after[plan.area - 1] ^= 0x10;
    return plan.outcome;
}

static struct {
    uint8_t bytes[TEST_BUFFER_BYTES];
} buffer __attribute__((aligned(4096)));
static const struct state_row general = {"general registers",
                                         tsx_change_general, tsx_end_xabort, 0};
static const struct state_row nothing = {"nothing", tsx_change_nothing,
                                         tsx_end_xabort, 0};

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    memset(&plan, 0, sizeof(plan));
    begin_context(REGIME_A, buffer.bytes);
    return 0;
}

static unsigned commits;

static enum verdict judged(const struct state_row *row)
{
    t->verdict = VERDICT_NONE;
    plan.calls = 0;
    commits = state_try(t, row, 0, TRIES);
    return t->verdict;
}

static void a_clean_abort_passes(void **state)
{
    (void)state;
    plan.outcome = TSX_ABORTED;
    assert_int_equal(judged(&general), VERDICT_PASS);
    assert_int_equal(commits, 0);
    assert_int_equal(plan.calls, TRIES);
}

static void a_clean_commit_passes(void **state)
{
    (void)state;
    plan.outcome = TSX_COMMITTED;
    assert_int_equal(judged(&general), VERDICT_PASS);
    assert_int_equal(commits, TRIES);
    assert_int_equal(judged(&nothing), VERDICT_PASS);
}

static void each_register_is_looked_at(void **state)
{
    for (unsigned end = 0; end < 2; end++)
        for (unsigned n = 0; n < TSX_STATE_REGISTERS; n++) {
            set_up(state);
            plan.outcome = end == 0 ? TSX_ABORTED : TSX_COMMITTED;
            plan.general = n + 1;
            assert_int_equal(judged(&general), VERDICT_FAIL);
        }
}

static void each_flag_is_looked_at(void **state)
{
    for (unsigned bit = 0; bit < 22; bit++) {
        uint64_t flag = UINT64_C(1) << bit;

        set_up(state);
        plan.outcome = TSX_ABORTED;
        plan.flags = flag;
        if ((flag & NOT_STORED) == 0)
            assert_int_equal(judged(&general), VERDICT_FAIL);
    }
}

static void one_wrong_try_is_enough(void **state)
{
    (void)state;
    plan.outcome = TSX_ABORTED;
    plan.general = 2;
    plan.from = TRIES - 1;
    assert_int_equal(judged(&general), VERDICT_FAIL);
}

static void each_part_of_the_area_is_looked_at(void **state)
{
    static const unsigned bytes[] = {FXSAVE_FCW, FXSAVE_MXCSR, FXSAVE_ST3 + 9,
                                     FXSAVE_XMM15 + 15};

    for (unsigned i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
        for (unsigned end = 0; end < 2; end++) {
            set_up(state);
            plan.outcome = end == 0 ? TSX_ABORTED : TSX_COMMITTED;
            plan.area = bytes[i] + 1;
            assert_int_equal(judged(&nothing), VERDICT_FAIL);
        }
}

/* The abort status is a write of EAX: SDM 1, "RTM Abort Status Definition"
 * speaks of 32 bits. */
static void the_upper_half_of_rax_is_zero_or_kept(void **state)
{
    (void)state;
    plan.outcome = TSX_ABORTED;
    plan.rax_high = UINT64_C(0x1234567800000000);
    assert_int_equal(judged(&nothing), VERDICT_FAIL);
}

/* What a transaction finds differs from what FNINIT and a reset leave, in kinds
 * that raise no exception: SDM 1, "x87 FPU Status Register", "x87 FPU Control
 * Word", "MXCSR Control and Status Register". */
static void what_is_planted(void **state)
{
    struct tsx_state *s = (void *)buffer.bytes;
    uint16_t words[3];
    uint32_t mxcsr;

    (void)state;
    plan.outcome = TSX_ABORTED;
    assert_int_equal(judged(&nothing), VERDICT_PASS);
    memcpy(words, s->x_before, sizeof(words));
    memcpy(&mxcsr, s->x_before + FXSAVE_MXCSR, 4);
    assert_int_equal(words[0] & 0x3f, 0x3f);       /* masked */
    assert_int_not_equal(words[0] & 0x300, 0x300); /* not double extended */
    assert_int_equal(words[0] & 0xc80, 0);
    assert_int_equal(words[1] >> 11 & 7, 5);     /* TOP */
    assert_int_equal(words[1] & 0x4700, 0x4700); /* C3 to C0 */
    assert_int_equal(words[1] & 0x80ff, 1);      /* IE, which is masked */
    assert_int_equal(words[2], 0xff);            /* all in use */
    assert_int_equal(mxcsr & 0x1f80, 0x1f80);    /* masked */
    assert_int_not_equal(mxcsr & 0x6000, 0);     /* rounds otherwise */
    assert_int_not_equal(mxcsr & 0x3f, 0);
    assert_int_equal(mxcsr & 0xffff0000, 0);
    for (unsigned n = 0; n < 8; n++) { /* finite numbers, normal ones */
        const uint8_t *st = s->x_before + 32 + 16 * n;
        assert_int_equal(st[7] & 0x80, 0x80);
        assert_int_equal(st[9], 0x3f);
    }
    assert_int_equal(s->flags_before & ~UINT64_C(0xcd5), 2);
}

/* Each try has other values, and all flags of both kinds come. */
static void each_try_differs(void **state)
{
    uint64_t seen[2 * TRIES][TSX_STATE_REGISTERS], all_set = 0, any_clear = 0;
    struct tsx_state *s = (void *)buffer.bytes;

    (void)state;
    plan.outcome = TSX_ABORTED;
    for (unsigned i = 0; i < TRIES; i++) {
        t->verdict = VERDICT_NONE;
        state_try(t, &nothing, 0, i + 1); /* the last of so many is left */
        memcpy(seen[i], s->before, sizeof(seen[i]));
        all_set |= s->flags_before;
        any_clear |= ~s->flags_before;
        for (unsigned k = 0; k < i; k++)
            assert_memory_not_equal(seen[i], seen[k], sizeof(seen[i]));
    }
    assert_int_equal(all_set & 0xcd5, 0xcd5);
    assert_int_equal(any_clear & 0xcd5, 0xcd5);
}

/* SDM 1, "Instruction Based Considerations": where a change between SSE and AVX
 * is an assist, no upper half is in use beside SSE. */
static void upper_halves_beside_sse(void **state)
{
    static const struct state_row xmm = {"XMM", tsx_change_xmm, tsx_end_xabort,
                                         0},
                                  both = {"both", tsx_change_both,
                                          tsx_end_xabort, 0};
    static const struct {
        uint16_t model;
        bool assists;
    } rows[] = {{0x3c, true},  {0x45, true},  {0x3d, true},  {0x4f, true},
                {0x5e, false}, {0x55, false}, {0x7e, false}, {0x8f, false}};
    const uint64_t all_of = XCR0_X87 | XCR0_SSE | XCR0_AVX;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint64_t beside = rows[i].assists ? all_of & ~XCR0_AVX : all_of;
        const struct tsx_state *s = (void *)buffer.bytes;
        set_up(state);
        fake_leaf(0xd, 2)->ebx = 576;
        t->cpu.model = rows[i].model;
        plan.outcome = TSX_ABORTED;
        state_try(t, &xmm, all_of, 1);
        assert_int_equal(s->components, beside);
        state_try(t, &both, all_of, 1);
        assert_int_equal(s->components, beside);
        state_try(t, &general, all_of, 1);
        assert_int_equal(s->components, all_of);
    }
}

/* By that alone: what registers hold then is nothing that is promised. */
static void other_ends_fail(void **state)
{
    static const struct {
        int outcome;
        const char *line;
    } ends[] = {
        {TSX_INNER, "fallback address of the inner XBEGIN, 4 of 4"},
        {HW_GP, "#GP was delivered, 4 of 4"},
        {0, "#DE was delivered, 4 of 4"},
    };

    for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        set_up(state);
        plan.outcome = ends[i].outcome;
        plan.general = 3;
        assert_int_equal(judged(&nothing), VERDICT_FAIL);
        t->text[t->text_bytes] = '\0';
        const char *said = strstr(t->text, ends[i].line);
        assert_non_null(said);
        assert_string_equal(strchr(said, '\n'), "\n");
        assert_ptr_equal(strstr(t->text, "FAIL: "), t->text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_clean_abort_passes, set_up),
        cmocka_unit_test_setup(a_clean_commit_passes, set_up),
        cmocka_unit_test_setup(each_register_is_looked_at, set_up),
        cmocka_unit_test_setup(each_flag_is_looked_at, set_up),
        cmocka_unit_test_setup(one_wrong_try_is_enough, set_up),
        cmocka_unit_test_setup(each_part_of_the_area_is_looked_at, set_up),
        cmocka_unit_test_setup(the_upper_half_of_rax_is_zero_or_kept, set_up),
        cmocka_unit_test_setup(what_is_planted, set_up),
        cmocka_unit_test_setup(each_try_differs, set_up),
        cmocka_unit_test_setup(upper_halves_beside_sse, set_up),
        cmocka_unit_test_setup(other_ends_fail, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
