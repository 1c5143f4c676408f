/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions at ring 3: what an abort restores, whatever it comes by, and
 * what XTEST, XABORT and XEND do inside and outside. */
#include "src/harness/case.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/ring3.h"
#include "src/tsx/probe.h"
#include "src/tsx/state.h"
#include "src/tsx/status.h"

#define TRIES   20     /* for an abort by the cause alone */
#define COMMITS 200    /* for all to commit where each may be aborted */
#define FLAGS   0xcd5u /* OF, DF, SF, ZF, AF, PF, CF */
#define ZF      BIT(6)
#define AC      BIT(18)
#define CR0_AM  BIT(18) /* SDM 3A: with it AC has accesses that raise #AC */
#define RSP     4
#define WATCHED 0x180 /* on the data page: a byte that is stored to */
/* SDM 3B, "Debug Control Register (DR7)": [10] is always 1; L0 [0]; a byte
 * written to (R/W0 [17:16] = 1). */
#define DR7 UINT64_C(0x10401)
/* SDM 1, table "Format of an FXSAVE Area" */
#define FTW_END  5 /* FCW, FSW, abridged FTW */
#define MXCSR_AT 24
#define X87_AT   32 /* ST0 to ST7: */
#define ST_BYTES 10 /* of 16: FXSAVE need not write the reserved ones */
#define XMM_AT   160

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

static uint8_t pattern(unsigned at)
{
    return (uint8_t)(at * 7 + at / 256 + 1);
}

/* False where it could not be tried. */
static bool run(const struct ring3_session *s, const uint8_t *at)
{
    struct ring3_state *state = (void *)(uintptr_t)s->ring3->data;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s->ring3};

    hw_poll();
    for (unsigned i = 0; i < RING3_STATE_BYTES; i++)
        state->memory[i] = pattern(i);
    memset(state->found, 0, sizeof(state->found));
    memset(state->before, 0, sizeof(state->before));
    memset(state->after, 0xa5, sizeof(state->after));
    state->planted_flags = FLAGS | (s->ours.cr0 & CR0_AM ? 0 : AC);
    state->wide = (state_components(test_cpu(s->t)) & XCR0_AVX) != 0;
    s->ring3->components =
        state->wide != 0 ? XCR0_X87 | XCR0_SSE | XCR0_AVX : 0;
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

static unsigned differ(const struct ring3_state *state, unsigned from,
                       unsigned end)
{
    unsigned count = 0;

    for (unsigned i = from; i < end; i++)
        count += state->before[i] != state->after[i];
    return count;
}

/* What the fallback found, after any abort. */
static void check_restored(const struct ring3_session *s, const char *what)
{
    const struct ring3_state *state = (void *)(uintptr_t)s->ring3->data;
    unsigned x87 = differ(state, 0, FTW_END);
    const unsigned xmm = differ(state, MXCSR_AT, MXCSR_AT + 4) +
                         differ(state, XMM_AT, XMM_AT + 256);
    unsigned registers = 0, bytes = 0, upper = 0;

    for (unsigned at = X87_AT; at < XMM_AT; at += 16)
        x87 += differ(state, at, at + ST_BYTES);
    for (unsigned n = 1; n < 16; n++)
        registers += state->found[n] !=
                     (n == RSP ? s->ring3->user_data + RING3_BODY_STACK
                               : RING3_STATE_PLANTED + n);
    for (unsigned i = 0; i < RING3_STATE_BYTES; i++)
        bytes += state->memory[i] != pattern(i);
    for (unsigned i = 0; state->wide != 0 && i < sizeof(state->upper_after);
         i++)
        upper += state->upper_after[i] != pattern(RING3_STATE_UPPER + i);
    check(s->t, upper == 0,
          "%s: %u bytes of the upper halves of YMM0 to YMM15 are not as before "
          "XBEGIN",
          what, upper);
    check(s->t, registers == 0 && bytes == 0 && xmm == 0 && x87 == 0,
          "%s: %u of 15 registers, %u bytes of memory, %u bytes of MXCSR and "
          "XMM0 to XMM15 and %u of the x87 state are not as before XBEGIN",
          what, registers, bytes, xmm, x87);
    check(s->t, (state->flags & (FLAGS | AC)) == state->planted_flags,
          "%s: RFLAGS is 0x%lx; wanted 0x%lx as before XBEGIN, in bits 0x%lx",
          what, state->flags, state->planted_flags, FLAGS | AC);
    /* The abort status, a write of EAX. */
    check(s->t,
          state->found[0] >> 32 == 0 ||
              state->found[0] >> 32 == RING3_STATE_PLANTED >> 32,
          "%s: RAX is 0x%lx; wanted 0 in bits 63:32, or as before XBEGIN", what,
          state->found[0]);
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
        check_restored(s, row->what);
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
