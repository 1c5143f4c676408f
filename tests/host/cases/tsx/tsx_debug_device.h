/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_debug_device.h - debug registers that stop transactions as the manual
 * says, or with one thing otherwise. */
#ifndef TESTS_HOST_CASES_TSX_TSX_DEBUG_DEVICE_H
#define TESTS_HOST_CASES_TSX_TSX_DEBUG_DEVICE_H

#include "tests/host/cases/tsx/tsx_fixture.h"

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
    /* Of elided sections. */
    bool at_begin, lost;
    unsigned sections;
} wrong;

/* --- DR7 -------------------------------------------------------------------
 */

static uint64_t watch_at, watch_dr7;
static const uint8_t *watch_body;
static bool watching, watching_inside;

static bool is_sized(const uint8_t *body)
{
    return body == tsx_body_store_1 || body == tsx_body_store_2 ||
           body == tsx_body_store_4 || body == tsx_body_store_16;
}

/* SDM 3B, "Debug Control Register (DR7)": an enabled breakpoint, and what the
 * body does. */
static bool is_hit(const struct tsx_block *b)
{
    static const uint8_t lengths[] = {1, 2, 8, 4};
    const bool stores = b->body == tsx_body_store ||
                        b->body == tsx_body_nest_store || is_sized(b->body);

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
        b->body != tsx_body_nest_store && b->body != tsx_body_int3 &&
        !is_sized(b->body))
        return false;
    const bool hit = vector_of(b) != TSX_RAN &&
                     !(wrong.deaf && wrong.points == wrong.point + 1);
    *end = hit ? aborted(RTM_STATUS_BREAKPOINT) : committed();
    if (b->body == tsx_body_store && wrong.leaks)
        *(volatile uint64_t *)(uintptr_t)b->argument = b->count;
    return true;
}

/* Executed without elision, with the lock taken; or the #DB comes before that,
 * or never. */
static int elided(struct tsx_block *b)
{
    volatile uint64_t *lock = (uint64_t *)(uintptr_t)b->argument;

    wrong.sections++;
    if (wrong.at_begin && wrong.sections == 2)
        return DB;
    lock[0] = !wrong.lost;
    lock[8] = b->count;
    return wrong.lost ? TSX_RAN : DB;
}

int tsx_watched(int (*enter)(struct tsx_block *), struct tsx_block *block,
                uint64_t dr0, uint64_t dr7)
{
    const bool outside = enter == tsx_outside;

    if (block->body == tsx_body_elided)
        return elided(block);
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

#endif
