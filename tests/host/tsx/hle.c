/* SPDX-License-Identifier: BSD-2-Clause */
/* hle.c - critical sections over a processor that the test programs: what the
 * prefixes may not do, and what no section may do, elided or not. */
#include "src/tsx/hle.h"

#include "asm/tsx_bodies.h"
#include "tests/host/fakes/one_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct {
    int outcome;      /* of tsx_outside() */
    unsigned endless; /* so many of the sections that are elided again */
    unsigned calls;
} plan;

int tsx_outside(struct tsx_block *block)
{
    assert_ptr_equal(block->body, tsx_body_hint);
    *(uint64_t *)(uintptr_t)block->argument = 7;
    return plan.outcome;
}

void hle_again(struct hle_block *block)
{
    assert_int_equal(*(volatile uint64_t *)block->lock, 0);
    block->inside = plan.calls++ < plan.endless;
}

static _Alignas(4096) uint8_t memory[TEST_BUFFER_BYTES + TEST_RECORDS_BYTES];

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    memset(&plan, 0, sizeof(plan));
    plan.outcome = TSX_RAN;
    begin_context(REGIME_A, memory);
    return 0;
}

/* They are ignored where there is no HLE, and elide nothing without end. */
static void prefixes(void **state)
{
    for (unsigned n = 0; n < 4; n++) {
        set_up(state);
        t->cpu.rtm = n & 1;
        t->cpu.hle = n & 2;
        assert_int_equal(hle_can_ask(t), n != 0);
        assert_true(hle_hints(t));
        assert_int_equal(plan.calls, n != 0 ? 3 : 0);
        assert_int_equal(t->verdict, VERDICT_NONE);
        for (plan.endless = 1; plan.endless <= 3; plan.endless++) {
            plan.calls = 0;
            t->verdict = VERDICT_NONE;
            assert_int_equal(hle_hints(t), n == 0 || plan.endless < 3);
            assert_int_equal(t->verdict, n == 0 || plan.endless < 3
                                             ? VERDICT_NONE
                                             : VERDICT_FAIL);
        }
        plan.endless = plan.calls = 0;
        plan.outcome = HW_UD;
        t->verdict = VERDICT_NONE;
        assert_false(hle_hints(t));
        assert_int_equal(t->verdict, VERDICT_FAIL);
        assert_int_equal(plan.calls, 0);
        t->text[t->text_bytes] = '\0';
        assert_non_null(strstr(t->text, "raised #UD"));
    }
}

/* Of a guest nothing says so. */
static void elided_where(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 8; n++) {
        fake_reset();
        plan.endless = plan.calls = 0;
        plan.outcome = TSX_RAN;
        begin_context((n & 1) != 0 ? REGIME_A : REGIME_F, memory);
        t->cpu.hle = (n & 2) != 0;
        t->cpu.hypervisor = (n & 4) != 0;
        assert_int_equal(hle_elides(t), n == 3);
        assert_int_equal(t->verdict, VERDICT_NONE);
        plan.outcome = HW_UD;
        assert_false(hle_elides(t));
        assert_int_equal(t->verdict, n == 3 ? VERDICT_FAIL : VERDICT_NONE);
    }
}

/* What the n-th section does otherwise than it has to. */
static struct {
    unsigned n;
    enum { NOTHING, LOCK, SEEN, SEEN_BEFORE, DATA, FAR, AFTER, ELIDED } what;
    unsigned calls;
} wrong;

static void region(struct hle_block *block)
{
    volatile uint64_t *lock = block->lock;
    const bool is = wrong.calls++ == wrong.n;

    assert_int_equal(*lock, 5);
    assert_true(block->turns >= 1);
    block->seen = is && wrong.what == SEEN          ? 99
                  : is && wrong.what == SEEN_BEFORE ? 5
                                                    : 6;
    block->data += is && wrong.what == DATA ? 2 : 1;
    block->far += is && wrong.what == FAR ? 0 : 1;
    block->outside = is && wrong.what == AFTER;
    block->inside = is && wrong.what == ELIDED && block->ask;
    *lock = is && wrong.what == LOCK ? 6 : 5;
}

static void each_thing_that_may_be_wrong(void **state)
{
    static const struct hle_form form = {"a form", region, 5, 6};
    static const char *const lines[] = {
        [LOCK] = "the lock is not as before the XACQUIRE, 1 of 4",
        [SEEN] = "own lock as taken, 1 of 4, of which 0 as free",
        [SEEN_BEFORE] = "own lock as taken, 1 of 4, of which 1 as free",
        [DATA] = "store was not made exactly once, 1 of 4",
        [FAR] = "store was not made exactly once, 1 of 4",
        [AFTER] = "XTEST after the XRELEASE says",
    };

    for (unsigned what = NOTHING; what <= ELIDED; what++)
        for (unsigned model = 0; model < 2; model++) {
            struct hle_tally tally = {0};

            set_up(state);
            t->cpu = (struct identity){.vendor = "GenuineIntel",
                                       .family = 6,
                                       .model = model != 0 ? 0x3d : 0x5e,
                                       .hle = true};
            wrong.n = 2;
            wrong.what = what;
            wrong.calls = 0;
            hle_try(t, &form, 4, &tally);
            assert_int_equal(tally.tried, 4);
            assert_int_equal(tally.elided, what == ELIDED);
            hle_check(t, &tally);
            /* BDM051: it may read the old value. */
            assert_int_equal(
                t->verdict, what == NOTHING || what == ELIDED   ? VERDICT_PASS
                            : what == SEEN_BEFORE && model != 0 ? VERDICT_KNOWN
                                                                : VERDICT_FAIL);
            t->text[t->text_bytes] = '\0';
            if (what != NOTHING && what != ELIDED)
                assert_non_null(strstr(t->text, lines[what]));
            /* Where XTEST would raise #UD nobody asks. */
            wrong.calls = 0;
            tally.elided = 0;
            t->cpu.hle = false;
            hle_try(t, &form, 4, &tally);
            assert_int_equal(tally.elided, 0);
            assert_int_equal(tally.tried, 8);
        }
    set_up(state);
    hle_check(t, &(struct hle_tally){0});
    assert_int_equal(t->verdict, VERDICT_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(prefixes, set_up),
        cmocka_unit_test(elided_where),
        cmocka_unit_test_setup(each_thing_that_may_be_wrong, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
