/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions at ring 3: what an abort restores, whatever it comes by, at one
 * level and at two, and what XTEST, XABORT and XEND do inside and outside. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/events.h"
#include "src/counting/ring3_state.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define TRIES    20  /* for an abort by the cause alone */
#define COMMITS  200 /* for all to commit where each may be aborted */
#define BRANCHES 0xc4
#define AMID     300 /* branches: the transaction that waits has more */
#define FLAGS    RING3_STATE_FLAGS
#define ZF       BIT(6)
#define WATCHED  0x180 /* on the data page: a byte that is stored to */
/* SDM 3B, "Debug Control Register (DR7)": [10] is always 1; L0 [0]; a byte
 * written to (R/W0 [17:16] = 1). */
#define DR7 UINT64_C(0x10401)

static const struct row {
    const char *what;
    const uint8_t *at;
    uint32_t status;
    uint32_t may; /* more bits that it may have */
    uint64_t cr0; /* bits that are set meanwhile */
} rows[] = {
    {"XABORT A5H", ring3_state_xabort, RTM_STATUS_XABORT | 0xa5u << 24, 0, 0},
    {"XABORT 5AH in an inner transaction", ring3_state_inner_xabort,
     RTM_STATUS_XABORT | RTM_STATUS_NESTED | 0x5au << 24, 0, 0},
    {"XABORT 33H at the fourth level", ring3_state_deep_xabort,
     RTM_STATUS_XABORT | RTM_STATUS_NESTED | 0x33u << 24, 0, 0},
    {"XABORT 33H after an inner transaction", ring3_state_ended_xabort,
     RTM_STATUS_XABORT | 0x33u << 24, 0, 0},
    {"UD2", ring3_state_ud2, 0, 0, 0},
    {"a division by zero", ring3_state_divide, 0, 0, 0},
    {"a load from a non-canonical address", ring3_state_load, 0, 0, 0},
    {"the same by POP", ring3_state_stack, 0, 0, 0},
    {"an x87 division by zero, not masked", ring3_state_x87, 0, 0, TSX_CR0_NE},
    {"PAUSE", ring3_state_pause, 0, 0, 0},
    {"INT1", ring3_state_int1, 0, RTM_STATUS_BREAKPOINT, 0},
    /* Its gate may be for ring 0 alone, and what it raises is #GP then. */
    {"INT3", ring3_state_int3, 0, RTM_STATUS_BREAKPOINT, 0},
    {"a store to a page of ring 0, at the second level", ring3_state_fault,
     RTM_STATUS_NESTED, 0, 0},
    {"CPUID at the third level", ring3_state_cpuid, RTM_STATUS_NESTED, 0, 0},
    {"stores to 64 KB at the second level", ring3_state_stores,
     RTM_STATUS_CAPACITY | RTM_STATUS_NESTED, RTM_STATUS_RETRY, 0},
    {"a store to a byte that a breakpoint watches", ring3_state_xabort,
     RTM_STATUS_BREAKPOINT, 0, 0},
};

/* inner: with an XBEGIN more before its end. clear: without flags. */
struct entered {
    const struct ring3_session *s;
    const uint8_t *at;
    bool inner, clear;
};

static void plant(const struct entered *e)
{
    const struct ring3_session *s = e->s;
    struct ring3_state *state = (void *)(uintptr_t)s->ring3->data;

    ring3_state_plant(s);
    state->planted_flags &= e->clear ? ~(uint64_t)FLAGS : UINT64_MAX;
    state->inner = e->inner;
    s->ring3->body = (uint32_t)(e->at - ring3_body);
    s->ring3->level = 3;
}

/* False where it could not be tried. */
static bool run(const struct entered *e)
{
    const struct ring3_session *s = e->s;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s->ring3};

    plant(e);
    ring3_begin(s);
    window_ring3_body(0, cells);
    ring3_end(s);
    return s->ring3->vector == HW_NO_FAULT;
}

static int enter(struct tsx_block *block)
{
    return run((const void *)(uintptr_t)block->argument);
}

/* The store is before the end, so at the first level. */
static bool is_watched(const struct row *row)
{
    return row->status == RTM_STATUS_BREAKPOINT;
}

static bool run_row(const struct ring3_session *s, const struct row *row,
                    bool inner, bool clear)
{
    const struct entered e = {s, row->at, inner, clear};
    struct tsx_block block = {.argument = (uintptr_t)&e};

    hw_poll();
    if (is_watched(row))
        return tsx_watched(enter, &block, s->ring3->user_data + WATCHED, DR7) !=
               0;
    return row->cr0 != 0 ? tsx_with_cr0(enter, &block, row->cr0) != 0 : run(&e);
}

/* What has aborted has gone on where it is to, with all as it was. */
static bool check_fallback(const struct ring3_session *s, const char *what)
{
    if (!check(s->t, s->ring3->status != RING3_BODY_INNER,
               "%s: it went to the fallback of an inner XBEGIN", what) ||
        !check(s->t, s->ring3->status != RING3_STATE_LOST,
               "%s: it did not go on at the fallback, which is before XBEGIN",
               what))
        return false;
    ring3_state_check(s, what);
    return true;
}

static bool try_row(const struct ring3_session *s, const struct row *row,
                    bool inner)
{
    const uint32_t status = row->status | (inner ? RTM_STATUS_NESTED : 0);
    char text[RTM_STATUS_TEXT], what[96];
    bool done = false;

    text_format(what, sizeof(what), "%s%s", row->what,
                inner ? ", a level further in" : "");
    for (unsigned k = 0; k < TRIES && (!done || k < 2); k++) {
        if (!run_row(s, row, inner, k % 2 != 0)) {
            check(s->t, false, "%s: %s was delivered; wanted an abort alone",
                  what, fault_name((int)s->ring3->vector));
            return true;
        }
        if (!check_fallback(s, what))
            return false;
        done |= (s->ring3->status & ~row->may) == status;
    }
    check(s->t, done,
          "%s: in none of %u tries was EAX 0x%08x; the last is 0x%08x (%s)",
          what, TRIES, status, s->ring3->status,
          rtm_status_text(s->ring3->status, text));
    return true;
}

/* A counter interrupts that overflows inside. */
static bool try_interrupt(const struct ring3_session *s, bool inner)
{
    const struct entered entered = {s, ring3_state_hold, inner, false};
    const char *what =
        inner ? "an interrupt, a level further in" : "an interrupt";
    struct bank before = bank_of(BIT(0), BRANCHES | IA32_PERFEVTSEL_IN_TX |
                                             IA32_PERFEVTSEL_INT),
                after;
    bool came = false, plain = false;

    before.pmi = BANK_PMI;
    before.live = true;
    before.cell = (uintptr_t)s->ring3;
    before.pmc[0] = bank_mask(test_cpu(s->t), 0) - AMID;
    before.ctrl |= BIT(1);
    before.select[1] =
        bank_of(BIT(1), EVENT_RTM_RETIRED | UMASK_ABORTED_UNFRIENDLY).select[1];
    for (unsigned k = 0; k < COMMITS && !plain; k++) {
        hw_poll();
        plant(&entered);
        if (!ring3_count(s, &before, window_ring3_body, &after) ||
            !check_fallback(s, what))
            return false;
        const bool comes = after.interrupts != 0 &&
                           (s->ring3->status & RTM_STATUS_XABORT) == 0;
        came |= comes;
        plain = comes && after.pmc[1] == 0;
    }
    check(s->t, plain || !came,
          "%s: RTM_RETIRED (C9H) .ABORTED_UNFRIENDLY (20H) counts each abort "
          "by it; wanted none",
          what);
    return check(s->t, came,
                 "%s: IA32_PMC0 (C1H), with IN_TX = 1, was %u branches before "
                 "its overflow in %u transactions, and none came that aborts; "
                 "wanted one",
                 what, AMID, COMMITS);
}

/* Those that commit: where RTM is there for development alone (white paper
 * 604224, SDV_ENABLE_RTM) each second one may abort for no reason. */
static void try_commits(const struct ring3_session *s)
{
    const struct ring3_state *state = (void *)(uintptr_t)s->ring3->data;
    const struct entered entered = {.s = s, .at = ring3_state_commits};
    uint64_t aborted = RING3_STATE_EMPTY;
    bool done = false;

    for (unsigned k = 0; k < COMMITS && aborted >= RING3_STATE_EMPTY / 2; k++) {
        hw_poll();
        if (!run(&entered)) {
            check(s->t, false, "XTEST, XABORT or XEND: %s; wanted none",
                  fault_name((int)s->ring3->vector));
            return;
        }
        if (s->ring3->status != RTM_STATUS_STARTED)
            continue;
        done = true;
        aborted = state->results[RING3_STATE_TESTS + 1];
    }
    if (!check(s->t, done,
               "transactions of three and seven levels, and of stores to 32 "
               "lines, have not committed in %u tries; the last status is "
               "0x%08x",
               COMMITS, s->ring3->status))
        return;
    for (unsigned n = 0; n < RING3_STATE_TESTS; n++) {
        const uint64_t want = n == 0 ? ZF : 0;
        check(s->t, (state->results[n] & FLAGS) == want,
              "XTEST %u (outside, at levels 1, 2, 3, 2, 1) leaves RFLAGS "
              "0x%lx; wanted 0x%lx, in bits 0x%x",
              n, state->results[n], want, FLAGS);
    }
    check(s->t, state->results[RING3_STATE_TESTS] == RING3_STATE_PLANTED,
          "XABORT outside, or seven levels that commit, changed RAX from 0x%lx "
          "to 0x%lx",
          RING3_STATE_PLANTED, state->results[RING3_STATE_TESTS]);
    for (unsigned n = 0; n < 2; n++) {
        const uint64_t want = n == 0 ? FLAGS : 0;
        const uint64_t flags = state->results[RING3_STATE_TESTS + 2 + n];
        check(s->t, (flags & FLAGS) == want,
              "XBEGIN and XEND, at two levels, leave RFLAGS 0x%lx; wanted "
              "0x%lx as before, in bits 0x%x",
              flags, want, FLAGS);
    }
    check(s->t, aborted < RING3_STATE_EMPTY / 2,
          "%lu of %u empty transactions, one right after another, aborted",
          aborted, RING3_STATE_EMPTY);
}

TEST(tsx_ring3_state,
     .asks = "Do aborts at ring 3 restore all, and XTEST, XABORT and XEND do "
             "there what they should?",
     .cite = "SDM 1, \"Restricted Transactional Memory\", \"RTM Abort Status "
             "Definition\"; SDM 2, XABORT, XEND, XTEST",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM})
{
    struct ring3_session s;
    const struct entered outside = {.s = &s, .at = ring3_state_xend};

    /* Set-up. */
    if (!probe_set_up(t) || !counters_claim(t) ||
        !set_msr(t, IA32_PERF_GLOBAL_CTRL, 0) || !ring3_prepare(&s, t))
        return;

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, rows)
        if (!try_row(&s, &rows[i], false) ||
            (!is_watched(&rows[i]) && !try_row(&s, &rows[i], true)))
            return;
    if (!try_interrupt(&s, false) || !try_interrupt(&s, true))
        return;
    try_commits(&s);
    check(t, !run(&outside) && s.ring3->vector == HW_GP,
          "XEND outside of a transaction at ring 3: got %s, wanted #GP",
          fault_name((int)s.ring3->vector));
}
