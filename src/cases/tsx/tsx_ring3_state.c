/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions at ring 3: what an abort restores, whatever it comes by, and
 * what XTEST, XABORT and XEND do inside and outside. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/ring3_state.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define TRIES   20  /* for an abort by the cause alone */
#define COMMITS 200 /* for all to commit where each may be aborted */
#define FLAGS   RING3_STATE_FLAGS
#define ZF      BIT(6)
#define WATCHED 0x180 /* on the data page: a byte that is stored to */
/* SDM 3B, "Debug Control Register (DR7)": [10] is always 1; L0 [0]; a byte
 * written to (R/W0 [17:16] = 1). */
#define DR7 UINT64_C(0x10401)

static const struct row {
    const char *what;
    const uint8_t *at;
    uint32_t status;
    uint32_t may; /* more bits that it may have */
} rows[] = {
    {"XABORT A5H", ring3_state_xabort, RTM_STATUS_XABORT | 0xa5u << 24, 0},
    {"XABORT 5AH in an inner transaction", ring3_state_inner_xabort,
     RTM_STATUS_XABORT | RTM_STATUS_NESTED | 0x5au << 24, 0},
    {"XABORT 33H at the fourth level", ring3_state_deep_xabort,
     RTM_STATUS_XABORT | RTM_STATUS_NESTED | 0x33u << 24, 0},
    {"XABORT 33H after an inner transaction", ring3_state_ended_xabort,
     RTM_STATUS_XABORT | 0x33u << 24, 0},
    {"UD2", ring3_state_ud2, 0, 0},
    {"PAUSE", ring3_state_pause, 0, 0},
    /* Its gate may be for ring 0 alone, and what it raises is #GP then. */
    {"INT3", ring3_state_int3, 0, RTM_STATUS_BREAKPOINT},
    {"a store to a page of ring 0, at the second level", ring3_state_fault,
     RTM_STATUS_NESTED, 0},
    {"CPUID at the third level", ring3_state_cpuid, RTM_STATUS_NESTED, 0},
    {"stores to 64 KB at the second level", ring3_state_stores,
     RTM_STATUS_CAPACITY | RTM_STATUS_NESTED, RTM_STATUS_RETRY},
    {"a store to a byte that a breakpoint watches", ring3_state_xabort,
     RTM_STATUS_BREAKPOINT, 0},
};

/* False where it could not be tried. */
static bool run(const struct ring3_session *s, const uint8_t *at)
{
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s->ring3};

    hw_poll();
    ring3_state_plant(s);
    s->ring3->body = (uint32_t)(at - ring3_body);
    s->ring3->level = 3;
    ring3_begin(s);
    window_ring3_body(0, cells);
    ring3_end(s);
    return s->ring3->vector == HW_NO_FAULT;
}

struct watched {
    const struct ring3_session *s;
    const uint8_t *at;
};

static int enter(struct tsx_block *block)
{
    const struct watched *w = (const void *)(uintptr_t)block->argument;

    return run(w->s, w->at);
}

static bool run_row(const struct ring3_session *s, const struct row *row)
{
    const struct watched w = {s, row->at};
    struct tsx_block block = {.argument = (uintptr_t)&w};

    return row->status == RTM_STATUS_BREAKPOINT
               ? tsx_watched(enter, &block, s->ring3->user_data + WATCHED,
                             DR7) != 0
               : run(s, row->at);
}

static bool try_row(const struct ring3_session *s, const struct row *row)
{
    char text[RTM_STATUS_TEXT];
    bool done = false;

    for (unsigned k = 0; k < TRIES && !done; k++) {
        if (!run_row(s, row)) {
            check(s->t, false, "%s: %s was delivered; wanted an abort alone",
                  row->what, fault_name((int)s->ring3->vector));
            return true;
        }
        const uint32_t got = s->ring3->status;
        if (!check(s->t, got != RING3_BODY_INNER,
                   "%s: it went to the fallback of an inner XBEGIN",
                   row->what) ||
            !check(s->t, got != RING3_STATE_LOST,
                   "%s: it did not go on at the fallback, which is before "
                   "XBEGIN",
                   row->what))
            return false;
        ring3_state_check(s, row->what);
        done = (got & ~row->may) == row->status;
    }
    check(s->t, done,
          "%s: in none of %u tries was EAX 0x%08x; the last is 0x%08x (%s)",
          row->what, TRIES, row->status, s->ring3->status,
          rtm_status_text(s->ring3->status, text));
    return true;
}

/* Those that commit: where RTM is there for development alone (white paper
 * 604224, SDV_ENABLE_RTM) each second one may abort for no reason. */
static void try_commits(const struct ring3_session *s)
{
    const struct ring3_state *state = (void *)(uintptr_t)s->ring3->data;
    uint64_t aborted = RING3_STATE_EMPTY;
    bool done = false;

    for (unsigned k = 0; k < COMMITS && aborted >= RING3_STATE_EMPTY / 2; k++) {
        if (!run(s, ring3_state_commits)) {
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

    /* Set-up. */
    if (!probe_set_up(t) || !set_msr(t, IA32_PERF_GLOBAL_CTRL, 0) ||
        !ring3_prepare(&s, t))
        return;

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, rows)
        if (!try_row(&s, &rows[i]))
            return;
    try_commits(&s);
    check(t, !run(&s, ring3_state_xend) && s.ring3->vector == HW_GP,
          "XEND outside of a transaction at ring 3: got %s, wanted #GP",
          fault_name((int)s.ring3->vector));
}
