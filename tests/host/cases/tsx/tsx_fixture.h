/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_fixture.h - a processor with TSX for the cases: bodies of transactions
 * do what they are named for, counters count that, and one body may come to
 * something else. */
#ifndef TESTS_HOST_CASES_TSX_TSX_FIXTURE_H
#define TESTS_HOST_CASES_TSX_TSX_FIXTURE_H

#include "asm/rtm_store.h"
#include "asm/tsx_bodies.h"
#include "src/counting/events.h"
#include "src/tsx/status.h"
#include "tests/host/cases/case_fixture.h"

#define BODY(name) const uint8_t tsx_body_##name[8] = {0};
BODY(clflush)
BODY(cli)
BODY(fnop)
BODY(fxsave)
BODY(hint_xabort)
BODY(in)
BODY(int3)
BODY(invlpg)
BODY(iretq)
BODY(load)
BODY(lock_xabort)
BODY(lock_xbegin)
BODY(lock_xend)
BODY(lock_xtest)
BODY(mov_cr0)
BODY(mov_cr2)
BODY(mov_cr3)
BODY(mov_cr4)
BODY(mov_cr8)
BODY(mov_dr0)
BODY(mov_es)
BODY(movnti)
BODY(nest)
BODY(nest_deep)
BODY(nest_xend_xabort)
BODY(out)
BODY(popfq)
BODY(rdmsr)
BODY(rdpmc)
BODY(sgdt)
BODY(sldt)
BODY(sse)
BODY(sti)
BODY(wrmsr)
BODY(x87)
BODY(xend)
BODY(xtest)
#define PREFIXED(name, what) BODY(name)
TSX_PREFIXED(PREFIXED)
/* How far XBEGIN leads, in the order of the landings. */
BODY(near_backward)
BODY(near_forward)
BODY(far_forward)
BODY(far_backward)
BODY(on_two_pages)
#undef BODY

#define LINES_WRITTEN 512 /* at most, by one transaction */
#define DEPTH         7   /* of transactions in one another */
#define HW_DE_        0
#define HW_NM_        7
#define HW_PF_        14
#define HW_MF_        16
#define UNMAPPED      UINT64_C(0xffff800000000000)

/* How a transaction ends: as it has to, or as it is. */
struct end {
    int outcome;
    uint32_t status;
    uint64_t flags;    /* XORed to the block's */
    bool leaks;        /* the store is there after an abort, or it is not */
    bool unrestored;   /* a register */
    bool memory_wrong; /* the body's stores: not all, or one is left */
    uint64_t cr2;
    uint32_t below; /* quadwords below the stack that are changed */
    bool writes;    /* WRMSR, though it aborts */
};

static struct {
    struct end wrong;    /* of the tries of this body: */
    const uint8_t *body; /* NULL: none */
    unsigned from, to;   /* which are wrong, from 0; to: 0, one; all later */
    bool outside;        /* those outside of transactions instead */
    unsigned tries, all;
    uint64_t cr2;
    uint64_t cr0; /* bits set by tsx_with_cr0() */
    unsigned depth;
    uint64_t lines;
} device;

static uint64_t counter_value(unsigned n)
{
    return fake_msr(IA32_PMC(n))->value;
}

/* Of an event: so many more, on each counter that has it. */
static void count_event(uint64_t event, uint64_t more)
{
    for (unsigned n = 0; n < 4; n++)
        if ((fake_msr(IA32_PERF_GLOBAL_CTRL)->value >> n & 1) != 0 &&
            (fake_msr(IA32_PERFEVTSEL(n))->value & 0xffff) == event)
            fake_msr(IA32_PMC(n))->value = counter_value(n) + more;
}

static struct end committed(void)
{
    return (struct end){.outcome = TSX_COMMITTED, .status = RTM_STATUS_STARTED};
}

static struct end aborted(uint32_t status)
{
    return (struct end){.outcome = TSX_ABORTED, .status = status};
}

static bool is_xabort(const uint8_t *body)
{
    return body >= tsx_bodies_xabort &&
           body < tsx_bodies_xabort + 256 * TSX_XABORT_BYTES;
}

static bool is_mapped(uint64_t at)
{
    return at != UNMAPPED && at >> 47 == 0;
}

static uint32_t code_of(const uint8_t *body)
{
    return (uint32_t)(body - tsx_bodies_xabort) / TSX_XABORT_BYTES;
}

/* Of bodies of a test's own: true where it is one, and how it ends. */
static bool (*own_end)(const struct tsx_block *b, struct end *end);
/* Outside of transactions, what else they do. */
static void (*own_outside)(const struct tsx_block *b);

static struct end end_inside(const struct tsx_block *b)
{
    struct end own;
    static const uint8_t *const plain[] = {
        tsx_body_nothing, tsx_body_xtest, tsx_body_long,  tsx_body_fnop,
        tsx_body_sldt,    tsx_body_rdpmc, tsx_body_movnti};

    if (own_end != NULL && own_end(b, &own))
        return own;
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        if (b->body == plain[i])
            return committed();
    if (is_xabort(b->body))
        return aborted(RTM_STATUS_XABORT | code_of(b->body) << 24);
    if (b->body == tsx_body_nest_xabort)
        return aborted(RTM_STATUS_XABORT | RTM_STATUS_NESTED | 0x5a000000);
    if (b->body == tsx_body_nest_deep)
        return aborted(RTM_STATUS_XABORT | RTM_STATUS_NESTED | 0xa5000000);
    if (b->body == tsx_body_nest_xend_xabort)
        return aborted(RTM_STATUS_XABORT | 0x33000000);
    if (b->body == tsx_body_hint_xabort)
        return aborted(RTM_STATUS_XABORT | 0x66000000);
    if (b->body == tsx_body_long_xabort)
        return aborted(RTM_STATUS_XABORT | 0x64000000);
    if (b->body == tsx_body_int3 || b->body == tsx_body_hint)
        return aborted(b->body == tsx_body_int3 ? RTM_STATUS_BREAKPOINT : 0);
    if (b->body == tsx_body_nest)
        return b->count < device.depth ? committed()
                                       : aborted(RTM_STATUS_NESTED);
    if (b->body == tsx_body_write_lines || b->body == tsx_body_read_lines)
        return b->count <=
                       (b->body == tsx_body_write_lines ? device.lines : 1000)
                   ? committed()
                   : aborted(RTM_STATUS_CAPACITY);
    if (b->body == tsx_body_nest_write_lines ||
        b->body == tsx_body_nest_read_lines)
        return aborted(RTM_STATUS_CAPACITY | RTM_STATUS_NESTED);
    if (b->body == tsx_body_store || b->body == tsx_body_load)
        return is_mapped(b->argument) ? committed() : aborted(0);
    if (b->body == tsx_body_nest_jump || b->body == tsx_body_ended_jump) {
        struct tsx_block inner = *b;
        inner.body = (const uint8_t *)(uintptr_t)b->count;
        const struct end end = end_inside(&inner);
        return b->body == tsx_body_ended_jump
                   ? end
                   : aborted(end.status | RTM_STATUS_NESTED);
    }
    return aborted(0);
}

static struct end wrong_or(const struct tsx_block *b, struct end right,
                           bool outside)
{
    device.all++;
    if (b->body != device.body || outside != device.outside)
        return right;
    const unsigned n = device.tries++;
    if (n < device.from || (n > device.from && n > device.to))
        return right;
    return device.wrong;
}

static void count_transaction(const struct end *e, const uint8_t *body)
{
    const bool conflict = (e->status & RTM_STATUS_CONFLICT) != 0;
    const bool large =
        body == tsx_body_write_lines || (e->status & RTM_STATUS_CAPACITY) != 0;

    count_event(EVENT_RTM_RETIRED | UMASK_START, 1);
    count_event(
        EVENT_RTM_RETIRED |
            (e->outcome == TSX_COMMITTED ? UMASK_COMMIT : UMASK_ABORTED),
        1);
    if (e->outcome == TSX_COMMITTED)
        return;
    if (large)
        count_event(EVENT_TX_MEM | UMASK_ABORT_CAPACITY, 1);
    else if (conflict)
        count_event(EVENT_TX_MEM | UMASK_ABORT_CONFLICT, 1);
    if (body == tsx_body_nest)
        count_event(EVENT_TX_EXEC | UMASK_MISC3, 1);
    count_event(EVENT_RTM_RETIRED |
                    (large || conflict       ? UMASK_ABORTED_MEM
                     : body == tsx_body_load ? UMASK_ABORTED_MEMTYPE
                                             : UMASK_ABORTED_UNFRIENDLY),
                1);
}

int tsx_inside(struct tsx_block *b)
{
    struct end e = wrong_or(b, end_inside(b), false);
    const bool commits = e.outcome == TSX_COMMITTED;

    count_transaction(&e, b->body);
    b->status = e.status;
    b->unrestored = e.unrestored;
    b->below = e.below;
    if (e.writes)
        fake_msr((uint32_t)b->argument)->value = b->count;
    if (commits != e.leaks)
        b->cell = ~b->cell;
    if ((b->body == tsx_body_write_lines ||
         b->body == tsx_body_write_lines_xabort) &&
        b->count <= LINES_WRITTEN)
        for (unsigned n = 0; n < b->count; n++)
            if (commits != (e.memory_wrong && n == b->count - 1))
                ((volatile uint64_t *)(uintptr_t)b->argument)[8 * n] =
                    64 * (n + 1);
    if (b->body == tsx_body_xtest)
        b->flags = 0x202;
    if (b->body == tsx_body_rdpmc && e.status == RTM_STATUS_STARTED)
        b->status = TSX_RDPMC_AMID;
    b->flags ^= e.flags;
    if (e.cr2 != 0)
        device.cr2 = e.cr2;
    return e.outcome;
}

static bool is_prefixed(const uint8_t *body)
{
#define SAME_BODY(name, what) body == tsx_body_##name ||
    return TSX_PREFIXED(SAME_BODY) false;
}

/* Where the fallback of such a body is, or 0. */
static uint64_t landing_of(const uint8_t *body)
{
    static const uint8_t *const bodies[] = {
        tsx_body_near_backward, tsx_body_near_forward, tsx_body_far_forward,
        tsx_body_far_backward, tsx_body_on_two_pages};

    for (unsigned i = 0; i < 5; i++)
        if (body == bodies[i])
            return i + 1;
    return 0;
}

static struct end end_outside(const struct tsx_block *b)
{
    struct end e = {.outcome = TSX_RAN, .status = RTM_STATUS_STARTED};

    if (b->body == tsx_body_xend)
        e.outcome = HW_GP;
    if (b->body == tsx_body_lock_xabort || b->body == tsx_body_lock_xbegin ||
        b->body == tsx_body_lock_xend || b->body == tsx_body_lock_xtest ||
        b->body == tsx_body_ud2 || is_prefixed(b->body))
        e.outcome = HW_UD;
    if (b->body == tsx_body_divide)
        e.outcome = HW_DE_;
    if (b->body == tsx_body_sse)
        e.outcome = HW_NM_;
    if (b->body == tsx_body_x87)
        e.outcome = HW_MF_;
    if ((b->body == tsx_body_load || b->body == tsx_body_store) &&
        !is_mapped(b->argument))
        e.outcome = b->argument == UNMAPPED ? HW_PF_ : HW_GP;
    return e;
}

int tsx_outside(struct tsx_block *b)
{
    struct end e = wrong_or(b, end_outside(b), true);

    if (own_outside != NULL)
        own_outside(b);
    b->status = e.status;
    b->unrestored = e.unrestored;
    if (b->body == tsx_body_xtest)
        b->flags = 0x242;
    if (landing_of(b->body) != 0)
        b->flags = landing_of(b->body);
    b->flags ^= e.flags;
    if (e.leaks)
        b->cell = ~b->cell;
    return e.outcome;
}

/* Of rtm_try(): by the body that does nothing. */
int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    struct tsx_block b = {.body = tsx_body_nothing, .cell = *cell};
    const int outcome = tsx_inside(&b);

    if (b.cell != *cell)
        *cell = value;
    *eax = b.status;
    return outcome == TSX_COMMITTED ? RTM_COMMITTED
           : outcome < 0            ? RTM_ABORTED
                                    : outcome;
}

int tsx_with_cr0(int (*enter)(struct tsx_block *), struct tsx_block *block,
                 uint64_t bits)
{
    const uint8_t *body = block->body == tsx_body_nest_jump
                              ? (const uint8_t *)(uintptr_t)block->count
                              : block->body;

    assert_int_equal(bits, body == tsx_body_sse ? TSX_CR0_TS : TSX_CR0_NE);
    device.cr0 = bits;
    const int outcome = enter(block);
    device.cr0 = 0;
    return outcome;
}

uint64_t tsx_cr2_get(void)
{
    return device.cr2;
}

void tsx_cr2_set(uint64_t value)
{
    device.cr2 = value;
}

static void tsx_begin(const struct test *test, uint32_t trials)
{
    memset(&device, 0, sizeof(device));
    device.depth = DEPTH;
    device.lines = LINES_WRITTEN;
    case_begin(test, trials);
}

/* One try of the body is otherwise. */
static inline void tsx_wrong(const uint8_t *body, struct end wrong,
                             unsigned from)
{
    device.body = body;
    device.wrong = wrong;
    device.from = device.to = from;
}

#endif
