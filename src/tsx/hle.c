/* SPDX-License-Identifier: BSD-2-Clause */
/* hle.c - tries critical sections, counts and checks the outcomes. */
#include "src/tsx/hle.h"

#include "asm/tsx_bodies.h"
#include "src/base/names.h"

#define TURNS 4

#define AGAIN_TSC   (UINT64_C(1) << 28) /* a tenth of a second, or so */
#define AGAIN_TRIES 3

#define ROW(name, before, held, words) {words, hle_##name, before, held},
const struct hle_form hle_forms[HLE_FORMS] = {HLE_REGIONS(ROW)};

bool hle_can_ask(const struct test_context *t)
{
    return test_cpu(t)->rtm || test_cpu(t)->hle;
}

/* SDM 1, "HLE Software Interface" and "Requirements for HLE Locks": after an
 * abort the section is executed again without elision. */
static bool ends(struct test_context *t)
{
    unsigned endless = 0;

    for (unsigned i = 0; i < AGAIN_TRIES; i++) {
        struct hle_block block = {.lock = test_buffer(t),
                                  .turns = hw_tsc() + AGAIN_TSC};
        hle_again(&block);
        endless += block.inside != 0;
    }
    return endless < AGAIN_TRIES ||
           check(t, false,
                 "XACQUIRE LOCK ADD, PAUSE: still in a transaction after "
                 "0x%lx of the TSC, %u of %u; wanted the abort, and then no "
                 "elision",
                 AGAIN_TSC, endless, AGAIN_TRIES);
}

bool hle_hints(struct test_context *t)
{
    volatile uint64_t *lock = test_buffer(t);
    struct tsx_block block = {.body = tsx_body_hint,
                              .argument = (uint64_t)(uintptr_t)lock};

    *lock = 0;
    const int outcome = tsx_outside(&block);
    if (outcome != TSX_RAN)
        return check(t, false,
                     "XACQUIRE XCHG, XRELEASE MOV: raised %s; wanted no "
                     "exception: without HLE the prefixes are ignored",
                     fault_name(outcome));
    *lock = 0;
    return !hle_can_ask(t) || ends(t);
}

bool hle_elides(struct test_context *t)
{
    return test_regime(t) == REGIME_A && test_cpu(t)->hle &&
           identity_is_native(test_cpu(t)) && hle_hints(t);
}

void hle_try_asking(struct test_context *t, const struct hle_form *form,
                    unsigned times, bool ask, struct hle_tally *tally)
{
    volatile uint64_t *lock = test_buffer(t); /* on a cache line of its own */

    for (unsigned i = 0; i < times; i++) {
        struct hle_block block = {.lock = lock, .turns = TURNS, .ask = ask};
        *lock = form->before;
        form->region(&block);
        tally->tried++;
        tally->elided += block.inside != 0;
        tally->lock_wrong += *lock != form->before;
        tally->seen_wrong += block.seen != form->held;
        tally->seen_before +=
            block.seen != form->held && block.seen == form->before;
        tally->data_wrong += block.data != 1 || block.far != 1;
        tally->still_running += block.outside != 0;
    }
}

void hle_try(struct test_context *t, const struct hle_form *form,
             unsigned times, struct hle_tally *tally)
{
    hle_try_asking(t, form, times, hle_can_ask(t), tally);
}

void hle_check(struct test_context *t, const struct hle_tally *tally)
{
    if (tally->tried == 0)
        broken(t, "no critical section was tried");
    check_none(t, "the lock is not as before the XACQUIRE", tally->lock_wrong,
               tally->tried);
    check_known(t, tally->seen_wrong == 0, ERRATUM_HLE_OLD_VALUE,
                tally->seen_before == tally->seen_wrong,
                "the critical section does not read its own lock as taken, "
                "%u of %u, of which %u as free; wanted 0",
                tally->seen_wrong, tally->tried, tally->seen_before);
    check_none(t, "the critical section's store was not made exactly once",
               tally->data_wrong, tally->tried);
    check_none(t, "XTEST after the XRELEASE says that a transaction runs",
               tally->still_running, tally->tried);
}
