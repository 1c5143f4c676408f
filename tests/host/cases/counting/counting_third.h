/* SPDX-License-Identifier: BSD-2-Clause */
/* counting_third.h - a processor of white paper 604224: while a transaction
 * runs, counter 3 or one of its registers is otherwise, unless RTM_FORCE_ABORT
 * is 1, or all the same. */
#ifndef TESTS_HOST_CASES_COUNTING_COUNTING_THIRD_H
#define TESTS_HOST_CASES_COUNTING_COUNTING_THIRD_H

#include "asm/counter3_look.h"
#include "asm/rtm_store.h"
#include "asm/tsx_bodies.h"
#include "src/options/options.h"
#include "tests/host/cases/counting/counting_case.h"

enum third { SOUND, COUNT, SELECT, CONTROL, IN_USE, STATUS };

static struct {
    enum third is;
    bool although_forced; /* RTM_FORCE_ABORT does not help */
    bool spoils_1;        /* counter 1 as well */
    bool bit_lost;        /* 10FH[0] reads 0 */
    bool commits_forced;  /* transactions, while it is 1 */
    bool faults;          /* XBEGIN raises #UD */
    bool reaches_others;  /* processor 1's are beside counter 3 of 0 */
    bool again;           /* a write of 10FH with the same value does it */
    bool in_use_lost;     /* by now */
    unsigned inside;      /* transactions so far */
} third;

static const struct piece piece_slow = {.instructions = 20, .cycles = 800};
static const struct piece piece_long = {.instructions = 139, .jumps = 8};
static const struct piece piece_body = {.instructions = 12, .jumps = 3};
const struct window_shape window_long_shape = {139, 8, 0, 0};

static bool is_forced(void)
{
    return (t->regime & (REGIME_B | REGIME_C)) != 0 &&
           (*msr(TSX_FORCE_ABORT) & 5) == 1;
}

static void spoil(void)
{
    uint64_t *select = msr(IA32_PERFEVTSEL(3));

    if (fake_msr(IA32_PERF_GLOBAL_CTRL)->writes == 0)
        return; /* not the test's yet: what it finds is what it gives back */
    if (third.is == COUNT)
        *msr(IA32_A_PMC(3)) = *msr(IA32_PMC(3)) =
            (*msr(IA32_PMC(3)) + 12) & WIDTH;
    if (third.is == SELECT)
        *select = (*select & ~IA32_PERFEVTSEL_INT) | IA32_PERFEVTSEL_IN_TX;
    if (third.is == CONTROL)
        *msr(IA32_PERF_GLOBAL_CTRL) &= ~BIT(3);
    if (third.is == IN_USE)
        third.in_use_lost = true;
    if (third.is == STATUS)
        *msr(IA32_PERF_GLOBAL_STATUS) |= BIT(3);
    if (third.spoils_1)
        *msr(IA32_A_PMC(1)) = *msr(IA32_PMC(1)) =
            (*msr(IA32_PMC(1)) + 12) & WIDTH;
}

/* XBEGIN on the current processor. */
static void begins(void)
{
    third.inside++;
    if (!is_forced() || third.although_forced)
        spoil();
}

/* Both, by 10FH, abort or commit. */
static uint64_t window_of(uint64_t enable, const struct window_shape *shape)
{
    const bool aborts = is_forced() && !third.commits_forced;
    const uint32_t n = aborts ? shape->transactions : 0;
    const struct piece p = {.instructions =
                                shape->instructions -
                                n * shape->inside / shape->transactions + n,
                            .jumps = shape->branches - n};

    device.windows++;
    for (unsigned i = 0; i < shape->transactions; i++)
        begins();
    run_piece(enable, &p);
    return n;
}

uint64_t window_rtm(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    (void)cells;
    return window_of(enable, &window_rtm_shape);
}

WINDOW(plain)
WINDOW(slow)
WINDOW(long)

uint64_t window_live(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct window_live *live = (void *)(uintptr_t)cells[0];
    static const unsigned branches[] = {
        LIVE_FIRST, LIVE_SECOND, LIVE_BRANCHES - LIVE_FIRST - LIVE_SECOND};

    device.windows++;
    for (unsigned i = 0; i < 3; i++) {
        const struct piece p = {.instructions = 2 * branches[i],
                                .jumps = branches[i]};
        run_piece(enable, &p);
        if (i == 2)
            break;
        live->by_rdpmc[i] = live->by_rdmsr[i] = *msr(live->rdmsr);
        fake_unguarded = true;
        assert_int_equal(hw_msr_write(live->msr, live->value[i]), HW_NO_FAULT);
        fake_unguarded = false;
        if (third.again)
            spoil();
    }
    return 0;
}

static void run_body(const struct tsx_block *block)
{
    assert_non_null(block->body);
    run_piece(*msr(IA32_PERF_GLOBAL_CTRL), &piece_body);
}

int tsx_inside(struct tsx_block *block)
{
    begins();
    if (third.reaches_others && fake_current == 1) {
        fake_current = 0;
        begins();
        fake_current = 1;
    }
    run_body(block);
    return is_forced() ? TSX_ABORTED : TSX_COMMITTED;
}

int tsx_outside(struct tsx_block *block)
{
    run_body(block);
    return TSX_RAN;
}

void rtm_shadow(bool transaction)
{
    if (transaction)
        begins();
    run_piece(*msr(IA32_PERF_GLOBAL_CTRL), &piece_body);
}

int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    if (third.faults)
        return 6;
    begins();
    if (is_forced() && !third.commits_forced) {
        *eax = 0;
        return RTM_ABORTED;
    }
    *cell = value;
    return RTM_COMMITTED;
}

/* 392H says what is selected. */
static int third_access(uint32_t number, const uint64_t *written)
{
    if (number == IA32_PERF_GLOBAL_INUSE) {
        uint64_t bits = 0;
        for (unsigned n = 0; n < counters; n++)
            if ((*msr(IA32_PERFEVTSEL(n)) & IA32_PERFEVTSEL_EVENT) != 0)
                bits |= BIT(n);
        if (third.in_use_lost)
            bits ^= BIT(3);
        *msr(number) = bits;
    }
    if (number == IA32_PERFEVTSEL(3) && written != NULL)
        third.in_use_lost = false;
    if (number == TSX_FORCE_ABORT && written == NULL && third.bit_lost)
        *msr(number) &= ~UINT64_C(1);
    return access_counters(number, written);
}

static void third_of(const struct test *test, enum regime regime, enum third is,
                     uint32_t trials, unsigned count)
{
    memset(&third, 0, sizeof(third));
    third.is = is;
    counting_begin(test, count, trials);
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        all[p].regime = regime;
        all[p].cpu.tsx_force_abort = regime != REGIME_A;
        all[p].cpu.rtm = true;
        *msr(TSX_FORCE_ABORT) = 0;
    }
    fake_current = 0;
    fake_device = third_access;
    fake_ms_step = 10;
}

static void third_begin(const struct test *test, enum regime regime,
                        enum third is, uint32_t trials)
{
    third_of(test, regime, is, trials, 4);
}

/* 10FH is as it was found, too. */
static enum verdict third_end(void)
{
    uint64_t before[PROCESSORS];

    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        before[p] = *msr(TSX_FORCE_ABORT);
    }
    fake_current = 0;
    const enum verdict verdict = counting_end();
    for (unsigned p = 0; p < PROCESSORS; p++) {
        fake_current = p;
        assert_int_equal(*msr(TSX_FORCE_ABORT), before[p]);
    }
    fake_current = 0;
    return verdict;
}

#define TRIALS 5

static inline void set_wrong(unsigned place, uint64_t event, int64_t more)
{
    device.wrong.place = place;
    device.wrong.event = event;
    device.wrong.ring = EVERYWHERE;
    device.wrong.more = more;
}

static inline void allow_sdv(void)
{
    all[0].allow = ALLOW_SDV_ENABLE_RTM;
}

#endif
