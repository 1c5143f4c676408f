/* SPDX-License-Identifier: BSD-2-Clause */
/* Another processor stores to what a traced transaction has read: the abort is
 * in the trace, at an instruction of it, like any other. */
#include "src/trace/trace.h"
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

/* Longer and longer transactions, until one is hit. */
static bool trace_conflict(struct trace *p, struct arena *a,
                           struct transitions *seen)
{
    for (uint64_t turns = TURNS_FIRST; turns <= TURNS_MAX; turns *= 2)
        for (unsigned i = 0; i < TRACE_TRIES; i++) {
            struct tsx_block block = {.body = tsx_body_hold_load,
                                      .argument = (uint64_t)(uintptr_t)a->line,
                                      .count = turns};
            if (!trace_arm(p) || !trace_start(p))
                return false;
            const int outcome = tsx_inside(&block);
            if (!trace_stop(p))
                return false;
            transitions_read(p->memory, trace_bytes(p), seen);
            if (outcome == TSX_ABORTED &&
                (block.status & RTM_STATUS_CONFLICT) != 0 &&
                !transitions_disturbed(seen))
                return true;
        }
    skip(p->t, "needs a conflict; none came in transactions of up to %u turns",
         TURNS_MAX);
    return false;
}

static void trace_transactions(struct test_context *t, void *argument)
{
    const uint64_t begin = trace_at(tsx_xbegin_at),
                   body = trace_at(tsx_body_hold_load);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, begin, body + BODY_BYTES, trace_at(tsx_fallback)}};
    struct transitions seen = {0};
    struct trace p;

    if (trace_claim_transactions(&p, t) && trace_conflict(&p, argument, &seen))
        trace_check(&p, "abort by a conflict", &seen, wanted, 2);
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
