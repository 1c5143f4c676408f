/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_state_device.h - what code of ring 3 finds after a transaction aborts
 * or commits: what the manual says, or the same with one thing otherwise. */
#ifndef TESTS_HOST_CASES_RING3_STATE_DEVICE_H
#define TESTS_HOST_CASES_RING3_STATE_DEVICE_H

#include "tests/host/cases/state_fixture.h"
#include "tests/host/cases/tsx/tsx_ring3_fixture.h"

#define WAY(name) const uint8_t ring3_state_##name[8] = {0};
WAY(xabort)
WAY(inner_xabort)
WAY(deep_xabort)
WAY(ended_xabort)
WAY(ud2)
WAY(divide)
WAY(load)
WAY(stack)
WAY(x87)
WAY(int1)
WAY(pause)
WAY(int3)
WAY(fault)
WAY(cpuid)
WAY(stores)
WAY(commits)
WAY(xend)
#undef WAY

#define PLANTED RING3_STATE_PLANTED
#define FLAGS   0xcd5u
#define AC      BIT(18)
#define ZF      BIT(6)
#define WATCHED 0x180

static const struct way {
    const uint8_t *at;
    bool watched;
    uint32_t status;
    const char *what;
    uint64_t cr0;
} ways[] = {
    {ring3_state_xabort, false, 0xa5000001, "XABORT A5H", 0},
    {ring3_state_inner_xabort, false, 0x5a000021, "XABORT 5AH in an inner", 0},
    {ring3_state_deep_xabort, false, 0x33000021, "XABORT 33H at the fourth", 0},
    {ring3_state_ended_xabort, false, 0x33000001, "XABORT 33H after an inner",
     0},
    {ring3_state_ud2, false, 0, "UD2", 0},
    {ring3_state_pause, false, 0, "PAUSE", 0},
    {ring3_state_int3, false, RTM_STATUS_BREAKPOINT, "INT3", 0},
    {ring3_state_fault, false, RTM_STATUS_NESTED, "a store to a page of ring",
     0},
    {ring3_state_cpuid, false, RTM_STATUS_NESTED, "CPUID at the third level",
     0},
    {ring3_state_stores, false, RTM_STATUS_CAPACITY | RTM_STATUS_NESTED,
     "stores to 64 KB at the second level", 0},
    {ring3_state_xabort, true, RTM_STATUS_BREAKPOINT, "a store to a byte that",
     0},
    {ring3_state_divide, false, 0, "a division by zero", 0},
    {ring3_state_load, false, 0, "a load from a non-canonical address", 0},
    {ring3_state_stack, false, 0, "the same by POP", 0},
    {ring3_state_x87, false, 0, "an x87 division by zero", TSX_CR0_NE},
    {ring3_state_int1, false, RTM_STATUS_BREAKPOINT, "INT1", 0},
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))
/* That may end so, or with no bit. */
#define MAY(way) ((way) == 6 || (way) == 15)
/* At one level and at two, but for the one that is watched. */
#define TRIED (2 * WAYS - 1)

/* After the tries of one way, from one on. */
static struct {
    const struct way *way;
    unsigned from, to, tries;
    unsigned byte;   /* 1 + that of memory, */
    unsigned fxsave; /* of the FXSAVE area, */
    unsigned upper;  /* of the upper halves, */
    unsigned number; /* and of a register that is otherwise */
    uint64_t flags, rax;
    uint32_t other; /* 1 + a status */
    int64_t vector;
    /* The way that commits. */
    unsigned result; /* 1 + the one that is otherwise */
    uint64_t by;
    bool xend_runs;
    unsigned all, none, commits;
    bool watching, inner;
    unsigned pmis, held;
    unsigned quiet;  /* without an interrupt */
    bool unfriendly; /* aborts by one count so */
} restore;

static void spoil(struct ring3 *ring3, struct ring3_state *s)
{
    if (restore.byte != 0)
        s->memory[restore.byte - 1] ^= 0x80;
    if (restore.fxsave != 0)
        s->after[restore.fxsave - 1] ^= 0x80;
    if (restore.upper != 0)
        s->upper_after[restore.upper - 1] ^= 0x80;
    if (restore.number != 0)
        s->found[restore.number] ^= BIT(63);
    s->found[0] ^= restore.rax;
    s->flags ^= restore.flags;
    if (restore.other != 0)
        ring3->status = restore.other - 1;
    ring3->vector = restore.vector;
}

static void commit(struct ring3 *ring3, struct ring3_state *s)
{
    const unsigned n = restore.commits++;

    ring3->status = RTM_STATUS_STARTED;
    memset(s->results, 0, sizeof(s->results));
    s->results[0] = ZF;
    s->results[RING3_STATE_TESTS] = PLANTED;
    s->results[RING3_STATE_TESTS + 2] = FLAGS;
    if (restore.result != 0)
        s->results[restore.result - 1] ^= restore.by;
    if (restore.way == NULL && n >= restore.from && n <= restore.to) {
        if (restore.other != 0)
            ring3->status = restore.other - 1;
        ring3->vector = restore.vector;
    }
}

/* One that an interrupt aborts, or XABORT 44H. */
static void hold(struct ring3 *ring3, struct ring3_state *s)
{
    const uint64_t select = *msr(IA32_PERFEVTSEL(0));
    const bool comes = restore.held++ >= restore.quiet;

    assert_int_equal(select & 0xffff, 0xc4);
    assert_true((select & IA32_PERFEVTSEL_IN_TX) != 0);
    assert_true((select & IA32_PERFEVTSEL_INT) != 0);
    assert_int_equal(*msr(IA32_PMC(0)) + 300, (UINT64_C(1) << 48) - 1);
    restore.pmis = comes;
    *msr(IA32_PMC(1)) += restore.unfriendly && comes;
    ring3->status = comes ? 0 : RTM_STATUS_XABORT | 0x44u << 24;
    ring3->status |= s->inner != 0 ? RTM_STATUS_NESTED : 0;
    ring3_restored(ring3, s);
    if (restore.way == NULL && restore.inner == (s->inner != 0))
        s->found[restore.number] ^= restore.number != 0 ? BIT(63) : 0;
}

bool hw_pmi_begin(bool nmi)
{
    assert_false(nmi);
    return true;
}

unsigned hw_pmi_count(void)
{
    return restore.pmis;
}

uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    struct ring3_state *s = (void *)(uintptr_t)ring3->data;
    const struct way *way = ways;

    assert_int_equal(ring3->level, 3);
    assert_int_equal(enable, is_body(ring3, ring3_state_hold) ? 3 : 0);
    assert_true(loaded.cr3 != firmware.cr3);
    /* All flags, or none, and AC where nothing raises #AC. */
    assert_int_equal(s->planted_flags & AC, (loaded.cr0 & AC) != 0 ? 0 : AC);
    assert_true((s->planted_flags & ~AC) == FLAGS ||
                (s->planted_flags & ~AC) == 0);
    restore.none += (s->planted_flags & ~AC) == 0;
    restore.all++;
    ring3->vector = HW_NO_FAULT;
    if (enable != 0) {
        hold(ring3, s);
        return 0;
    }
    if (is_body(ring3, ring3_state_xend)) {
        ring3->vector = restore.xend_runs ? HW_NO_FAULT : HW_GP;
        return 0;
    }
    if (is_body(ring3, ring3_state_commits)) {
        commit(ring3, s);
        return 0;
    }
    while (way < ways + WAYS &&
           (!is_body(ring3, way->at) || way->watched != restore.watching))
        way++;
    assert_true(way < ways + WAYS);
    assert_int_equal(way->cr0, device.cr0);
    ring3->status = way->status | (s->inner != 0 ? RTM_STATUS_NESTED : 0);
    ring3_restored(ring3, s);
    if (way != restore.way || restore.inner != (s->inner != 0))
        return 0;
    const unsigned n = restore.tries++;
    if (n == restore.from || (n > restore.from && n <= restore.to))
        spoil(ring3, s);
    return 0;
}

int tsx_watched(int (*enter)(struct tsx_block *), struct tsx_block *block,
                uint64_t dr0, uint64_t dr7)
{
    assert_int_equal(dr0 % 4096, WATCHED);
    assert_int_equal(dr7, 0x10401); /* one byte that is written to, by DR0 */
    restore.watching = true;
    const int outcome = enter(block);
    restore.watching = false;
    return outcome;
}

#endif
