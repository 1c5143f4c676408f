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

/* It begins outside: MODE.TSX is without a FUP, and may be left out. */
static void check_one(struct trace *p, struct ring3_session *session,
                      const char *what, const struct path_list *list,
                      bool aborts)
{
    const struct path path = {.step = path_list_step, .source = list};
    struct path_seen seen;

    if (!trace_one(p, session, aborts))
        return;
    path_follow(p->memory, trace_bytes(p), &path, 0, &seen);
    if (!seen.overflow)
        window_judge(p, what, &seen);
}

static bool set_range(struct trace *p, uint64_t first, uint64_t end)
{
    return set_msr(p->t, IA32_RTIT_ADDR_A(0), first) &&
           set_msr(p->t, IA32_RTIT_ADDR_B(0), end - 1);
}

/* All of it is outside; or its abort enters the range (row 28b). */
static void check_fallback(struct trace *p, struct ring3_session *session,
                           uint64_t fallback)
{
    const struct path_step commit[] = {{PATH_MODE_TSX_MAY, PT_MODE_TSX_INTX},
                                       {PATH_MODE_TSX_MAY, 0}},
                           abort[] = {{PATH_MODE_TSX_MAY, PT_MODE_TSX_INTX},
                                      {PATH_MODE_TSX, PT_MODE_TSX_TXABORT},
                                      {PATH_PGE, fallback},
                                      {PATH_PGD_HIDDEN, 0}};

    if (!set_range(p, fallback, fallback + RING3_TX_FALLBACK_BYTES))
        return;
    check_one(p, session, "XEND at ring 3 out of the filter range",
              &(struct path_list){commit, 2}, false);
    check_one(p, session, "XABORT at ring 3 into a filter range",
              &(struct path_list){abort, 4}, true);
}

/* A branch enters the range in the transaction, which a decoder has to know of
 * there. */
static void check_entered(struct trace *p, struct ring3_session *session,
                          uint64_t abort, uint64_t fallback)
{
    const struct path_step steps[] = {{PATH_MODE_TSX_MAY, PT_MODE_TSX_INTX},
                                      {PATH_PGE, abort},
                                      {PATH_MODE_TSX, PT_MODE_TSX_TXABORT},
                                      {PATH_FUP, abort},
                                      {PATH_TIP, fallback},
                                      {PATH_PGD_HIDDEN, 0}};

    if (set_range(p, abort, fallback + RING3_TX_FALLBACK_BYTES))
        check_one(p, session, "a branch at ring 3 into a range, then XABORT",
                  &(struct path_list){steps, 6}, true);
}

void ring3_outside_check(struct trace *p, struct ring3_session *session)
{
    const uint64_t abort = ring3_at(session->ring3, ring3_tx_abort),
                   fallback = ring3_at(session->ring3, ring3_tx_fallback);

    check_fallback(p, session, fallback);
    check_entered(p, session, abort, fallback);
}
