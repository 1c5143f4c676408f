/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_outside.c - MODE.TSX at ring 3 where FilterEn is 0. */
#include "src/trace/ring3_outside.h"

#include "src/base/msr.h"
#include "src/trace/window.h"
#include "src/tsx/status.h"

/* Until it ends as it is meant to. False where it never does. */
static bool trace_one(struct trace *p, struct ring3_session *session,
                      bool aborts)
{
    const uint64_t bits =
        IA32_RTIT_CTL_User | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    const uint32_t meant =
        aborts ? (uint32_t)RING3_TX_CODE << 24 | RTM_STATUS_XABORT
               : RTM_STATUS_STARTED;

    session->ring3->aborts = aborts;
    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        hw_poll();
        if (!ring3_trace_anew(p, session, bits, 0, window_ring3_tx))
            return false;
        if (session->ring3->status == meant)
            return true;
    }
    return false;
}

/* Without a FUP: it begins outside. An abort enters the range. */
static void check_one(struct trace *p, struct ring3_session *session,
                      uint64_t fallback, bool aborts)
{
    const struct path_step steps[] = {
        {PATH_MODE_TSX, PT_MODE_TSX_INTX},
        {PATH_MODE_TSX, aborts ? PT_MODE_TSX_TXABORT : 0},
        {PATH_PGE, fallback},
        {PATH_PGD_HIDDEN, 0}};
    const struct path_list list = {steps, aborts ? 4 : 2};
    const struct path path = {.step = path_list_step, .source = &list};
    struct path_seen seen;

    if (!trace_one(p, session, aborts))
        return;
    path_follow(p->memory, trace_bytes(p), &path, 0, &seen);
    if (!seen.overflow)
        window_judge(p,
                     aborts ? "XABORT at ring 3 into a filter range"
                            : "XEND at ring 3 out of the filter range",
                     &seen);
}

void ring3_outside_check(struct trace *p, struct ring3_session *ring3)
{
    const uint64_t fallback = ring3_at(ring3->ring3, ring3_tx_fallback);

    if (!set_msr(p->t, IA32_RTIT_ADDR_A(0), fallback) ||
        !set_msr(p->t, IA32_RTIT_ADDR_B(0),
                 fallback + RING3_TX_FALLBACK_BYTES - 1))
        return;
    check_one(p, ring3, fallback, false);
    check_one(p, ring3, fallback, true);
}
