/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions, packet by packet: begin, nested begin and end, nested elision,
 * branches inside, commit, abort and what follows it; an elided lock; and over
 * the bounds of a filter. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"
#include "src/tsx/status.h"

#define LOCK_AT 4096 /* of test_records(), after the table */

/* Until the transactions went as the path says. */
static bool trace_wanted(struct trace *p, struct window *w, uint64_t want,
                         struct path_seen *seen)
{
    uint8_t *lock = (uint8_t *)test_records(p->t) + LOCK_AT;

    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        memset(lock, 0, 128);
        w->code.argument = trace_at(lock);
        w->code.cells[0] = 0;
        if (!window_trace(p, w, seen))
            return false;
        if (w->code.cells[0] == want)
            return true;
    }
    skip(p->t, "needs transactions that end as wanted; in %u tries none did",
         TRACE_TRIES);
    return false;
}

static void check_commit(struct trace *p)
{
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_tx_commit, trace_body_tx_commit_path);
    if (trace_wanted(p, &w, TRACE_TX_COMMIT, &seen))
        window_judge(p,
                     "a transaction that commits, with a nested one and a "
                     "nested elision",
                     &seen);
}

static void check_abort(struct trace *p)
{
    const uint32_t bits = RTM_STATUS_XABORT | UINT32_C(0x5a) << 24;
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_tx_abort, trace_body_tx_abort_path);
    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        if (!trace_wanted(p, &w, TRACE_TX_ABORT, &seen))
            return;
        if ((w.code.cells[1] & bits) == bits) {
            window_judge(
                p, "XABORT in a nested transaction, one more, and a commit",
                &seen);
            return;
        }
    }
    skip(p->t, "needs a transaction that XABORT aborts; in %u tries none was",
         TRACE_TRIES);
}

static void check_range(struct trace *p)
{
    struct window w;
    struct path_seen seen;

    if (registers_ranges(test_cpu(p->t)) == 0 ||
        !set_msr(p->t, IA32_RTIT_ADDR_A(0), trace_at(trace_tx_first)) ||
        !set_msr(p->t, IA32_RTIT_ADDR_B(0), trace_at(trace_tx_last)))
        return;
    window_set(&w, trace_body_tx_range, trace_body_tx_range_path);
    w.bare = true;
    p->control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    if (trace_wanted(p, &w, TRACE_TX_RANGE, &seen))
        window_judge(p, "transactions over the bounds of a filter", &seen);
}

/* "MODE.TSX Packet Definition": TriggerEn and ContextEn. */
static void check_silent(struct trace *p, const char *what, uint64_t bits)
{
    const uint64_t control = p->control;
    struct window w;
    struct path_seen seen;

    window_set_silent(&w, trace_body_tx_commit);
    p->control = bits;
    if (trace_wanted(p, &w, TRACE_TX_COMMIT, &seen)) {
        window_judge(p, what, &seen);
        check(p->t, seen.packets[PT_MODE_TSX] == 0,
              "%s: got %u MODE.TSX, wanted none, since ContextEn is 0", what,
              seen.packets[PT_MODE_TSX]);
    }
    p->control = control;
}

static void check_out_of_context(struct trace *p)
{
    check_silent(p, "a transaction at ring 0 with OS = 0",
                 (p->control & ~IA32_RTIT_CTL_OS) | IA32_RTIT_CTL_User);
    if (trace_match_other_cr3(p))
        check_silent(p, "a transaction under another CR3 than 572H has",
                     p->control | IA32_RTIT_CTL_CR3Filter);
}

TEST(pt_tx_path,
     .asks = "Does a trace of transactions have each packet in its place?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"; "
             "\"TSX and IP Filtering\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    struct trace p;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    /* Measured and checked. */
    check_commit(&p);
    check_abort(&p);
    check_out_of_context(&p);
    check_range(&p);
}
