/* SPDX-License-Identifier: BSD-2-Clause */
/* Another processor stores to what a traced transaction has read, or beside a
 * lock that is elided: the abort is in the trace, at an instruction of it, like
 * any other. */
#include "asm/hle_regions.h"
#include "src/trace/trace.h"
#include "src/tsx/hle.h"
#include "src/tsx/pair.h"
#include "src/tsx/status.h"

#define PAGE_BYTES  4096u
#define BODY_BYTES  64 /* of tsx_body_hold_load, at most */
#define TURNS_FIRST 64
#define TURNS_MAX   2048

/* In test_records(), after the tables of the trace; the line alone on its page.
 */
struct arena {
    volatile uint64_t line[PAGE_BYTES / 8];
    struct pair pair;
};

static void store(struct test_context *peer, void *argument)
{
    struct arena *a = argument;

    (void)peer;
    a->line[0] = a->pair.rounds + 1;
}

/* By RTM, or by HLE with a lock on that line. *hit: by a conflict; HLE, which
 * has no status: an elision has begun, and the section was carried out without.
 * False where no more can be tried. */
static bool run_once(struct trace *p, struct arena *a, bool elided,
                     uint64_t turns, struct transitions *seen, bool *hit)
{
    struct tsx_block block = {.body = tsx_body_hold_load,
                              .argument = trace_at((const void *)a->line),
                              .count = turns};
    struct hle_block section = {.lock = &a->line[1], .turns = turns, .ask = 1};
    bool aborted;

    a->line[1] = 0;
    if (!trace_arm(p) || !trace_start(p))
        return false;
    if (elided) {
        hle_xchg(&section);
        aborted = section.inside == 0;
    } else {
        aborted = tsx_inside(&block) == TSX_ABORTED &&
                  (block.status & RTM_STATUS_CONFLICT) != 0;
    }
    if (!trace_stop(p))
        return false;
    transitions_read(p->memory, trace_bytes(p), seen);
    *hit = aborted && (!elided || seen->count != 0) &&
           !transitions_disturbed(seen);
    return true;
}

/* Longer and longer transactions, until one is hit. False as run_once(). */
static bool trace_conflict(struct trace *p, struct arena *a, bool elided,
                           struct transitions *seen, bool *hit)
{
    *hit = false;
    for (uint64_t turns = TURNS_FIRST; turns <= TURNS_MAX; turns *= 2)
        for (unsigned i = 0; i < TRACE_TRIES; i++)
            if (!run_once(p, a, elided, turns, seen, hit))
                return false;
            else if (*hit)
                return true;
    return true;
}

static void trace_transactions(struct test_context *t, void *argument)
{
    const uint64_t begin = trace_at(tsx_xbegin_at),
                   body = trace_at(tsx_body_hold_load),
                   acquire = trace_at(hle_xchg_acquire);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, begin, body + BODY_BYTES, trace_at(tsx_fallback)}};
    const struct transition_wanted wanted_elided[] = {
        {PT_BEGIN, acquire, acquire, 0},
        {PT_ABORT, acquire + 1, trace_at(hle_xchg_release), acquire}};
    struct transitions seen = {0};
    struct trace p;
    bool hit;

    if (!trace_claim_transactions(&p, t) ||
        !trace_conflict(&p, argument, false, &seen, &hit))
        return;
    if (hit)
        trace_check(&p, "abort by a conflict", &seen, wanted, 2);
    else
        skip(t, "needs a conflict; none came in transactions of up to %u turns",
             TURNS_MAX);
    if (hle_elides(t) && trace_conflict(&p, argument, true, &seen, &hit) && hit)
        trace_check(&p, "abort of an elided section by a conflict", &seen,
                    wanted_elided, 2);
}

TEST(pt_rtm_abort_conflict,
     .asks = "Does a trace show an abort by a conflict with another processor?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\" "
             "(\"XABORT or other transactional abort\")",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM |
                           NEED_TWO_PROCESSORS})
{
    struct arena *a = (void *)((uint8_t *)test_records(t) + PAGE_BYTES);

    /* Measured and checked. */
    _Static_assert(sizeof(*a) <= TEST_RECORDS_BYTES - PAGE_BYTES, "fits");
    *a = (struct arena){.line = {0}};
    pair_run(t, &a->pair, trace_transactions, store, a);
}
