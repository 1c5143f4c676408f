/* SPDX-License-Identifier: BSD-2-Clause */
/* RTM_RETIRED and TX_MEM count transactions that another processor aborts; one
 * at ring 3 has the same status, and of each is a last branch record. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"
#include "src/counting/counters.h"
#include "src/counting/events.h"
#include "src/counting/ring3_state.h"
#include "src/counting/selects.h"
#include "src/cpu/generation.h"
#include "src/harness/case.h"
#include "src/lbr/stack.h"
#include "src/tsx/conflict.h"
#include "src/tsx/pair.h"
#include "src/tsx/status.h"

#define TRIES 5
/* At ring 3: until as many conflicts; or until so many were tried and as many
 * stores came, most of which may come between two; or for so much of the job's
 * time. */
#define ENOUGH       3
#define STORES       64
#define TIME_PART    16
#define RECORD_TURNS 64
#define STATUS_OTHER (~(RTM_STATUS_CONFLICT | RTM_STATUS_RETRY))

struct window {
    struct selects selects;
    bool counted;
};

static void measure(struct test_context *t, void (*work)(void *argument),
                    void *argument, void *measured)
{
    struct window *w = measured;

    w->counted =
        counters_claim(t) && selects_count(t, &w->selects, work, argument);
}

/* Two events, on counters 0 and 1. */
static bool count(struct test_context *t, struct conflict *c, uint64_t first,
                  uint64_t second, uint64_t got[2])
{
    struct window w = {.selects = {{first, second, 0}, {0}, 0}};

    c->measure = measure;
    c->measured = &w;
    if (!conflict_run(t, c) || !w.counted)
        return false;
    got[0] = w.selects.got[0];
    got[1] = w.selects.got[1];
    return true;
}

/* In the second half of the boot processor's buffer. */
struct at_ring3 {
    struct pair pair;
    struct ring3_session session;
    uint64_t stores;        /* beside all transactions */
    uint64_t counted[2][2]; /* by watches[] */
    bool counts;            /* the other processor, of its own: that, */
    uint64_t beside[2];     /* and RTM_RETIRED.ABORTED */
    unsigned tried, conflicts[2];
    uint32_t status;
    int64_t vector;
};

/* By turns, two counters each. */
static const uint64_t watches[2][2] = {
    {EVENT_TX_MEM | UMASK_ABORT_CONFLICT | IA32_PERFEVTSEL_USR,
     EVENT_TX_MEM | UMASK_ABORT_CONFLICT | IA32_PERFEVTSEL_OS},
    {EVENT_RTM_RETIRED | UMASK_ABORTED_MEM | IA32_PERFEVTSEL_USR,
     EVENT_RTM_RETIRED | UMASK_ABORTED_EVENTS | IA32_PERFEVTSEL_USR}};

static struct ring3_state *state_of(const struct at_ring3 *a)
{
    return (void *)(uintptr_t)a->session.ring3->data;
}

static bool count_beside(struct test_context *peer)
{
    static const uint64_t events[2] = {EVENT_TX_MEM | UMASK_ABORT_CONFLICT,
                                       EVENT_RTM_RETIRED | UMASK_ABORTED};

    for (unsigned n = 0; n < 2; n++)
        if (!set_msr(peer, IA32_PMC(n), 0) ||
            !set_msr(peer, IA32_PERFEVTSEL(n),
                     events[n] | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS |
                         IA32_PERFEVTSEL_EN))
            return false;
    return set_msr(peer, IA32_PERF_GLOBAL_CTRL, BITS(1, 0));
}

static void store_to_line(struct test_context *peer, void *argument)
{
    struct at_ring3 *a = argument;

    if (!a->counts)
        a->counts = counters_claim(peer) && count_beside(peer);
    *(volatile uint64_t *)state_of(a)->held = a->pair.rounds;
    for (unsigned n = 0; n < 2; n++)
        get_msr(peer, IA32_PMC(n), &a->beside[n]);
}

static void hold_at_ring3(struct test_context *t, void *argument)
{
    struct at_ring3 *a = argument;
    struct ring3 *ring3 = a->session.ring3;
    const uint64_t start = hw_ms(), rounds = a->pair.rounds;
    struct bank before = bank_of(BITS(1, 0), 0), after;
    bool ok;

    before.cell = (uintptr_t)ring3;
    before.live = true;
    do {
        const unsigned turn = a->tried++ % 2;

        hw_poll();
        for (unsigned n = 0; n < 2; n++)
            before.select[n] = watches[turn][n] | IA32_PERFEVTSEL_EN;
        ring3_state_plant(&a->session);
        ring3_begin(&a->session);
        ok = bank_window(t, &before, window_ring3_body, &after);
        ring3_end(&a->session);
        for (unsigned n = 0; ok && n < 2; n++)
            a->counted[turn][n] += after.pmc[n];
        a->stores = a->pair.rounds - rounds;
        a->vector = ring3->vector;
        a->status = ring3->status;
        if (ok && a->vector == HW_NO_FAULT && a->status != RING3_STATE_LOST)
            ring3_state_check(&a->session, "at ring 3, held for a conflict");
        a->conflicts[turn] += (a->status & STATUS_OTHER) == 0 &&
                              (a->status & RTM_STATUS_CONFLICT) != 0;
    } while (ok && a->vector == HW_NO_FAULT &&
             (a->conflicts[0] < ENOUGH || a->conflicts[1] < ENOUGH) &&
             (a->tried < STORES || a->stores < STORES) &&
             hw_ms() - start < test_timeout_ms(t) / TIME_PART);
}

/* SDM 1, "RTM Abort Status Definition", says nothing of privilege levels. */
static void try_at_ring3(struct test_context *t)
{
    struct at_ring3 *a =
        (void *)((uint8_t *)test_buffer(t) + TEST_BUFFER_BYTES / 2);
    char text[RTM_STATUS_TEXT];

    *a = (struct at_ring3){.tried = 0};
    if (!set_msr(t, IA32_PERF_GLOBAL_CTRL, 0) || !ring3_prepare(&a->session, t))
        return;
    memset(state_of(a), 0, sizeof(*state_of(a)));
    a->session.ring3->level = 3;
    a->session.ring3->body = (uint32_t)(ring3_state_hold - ring3_body);
    if (!pair_run(t, &a->pair, hold_at_ring3, store_to_line, a))
        return;
    const unsigned conflicts = a->conflicts[0] + a->conflicts[1],
                   others = a->tried / 2 - a->conflicts[1];
    if (conflicts == 0 && a->stores < STORES && a->vector == HW_NO_FAULT) {
        broken(t, "the other processor stored only %lu times, too few to tell",
               a->stores);
        return;
    }
    check(t, a->vector == HW_NO_FAULT && conflicts != 0,
          "at ring 3: none of %u transactions left EAX[2] (conflict) and no "
          "other bit but EAX[1] (retry), though another processor stored %lu "
          "times to a line of the read set; %s, the last EAX is 0x%08x (%s)",
          a->tried, a->stores, fault_name((int)a->vector), a->status,
          rtm_status_text(a->status, text));
    const bool listed = (identity_generation(test_cpu(t)) & TX_MEM_LISTED) != 0;
    check(t, a->beside[1] == 0 && (!listed || a->beside[0] == 0),
          "on the processor that stores, and runs no transaction: RTM_RETIRED "
          "(C9H) .ABORTED (04H) %lu, TX_MEM (54H) .ABORT_CONFLICT (01H) %lu; "
          "wanted 0",
          a->beside[1], a->beside[0]);
    if (listed)
        check(t,
              2 * a->counted[0][0] >= a->conflicts[0] && a->counted[0][1] == 0,
              "at ring 3: TX_MEM (54H) .ABORT_CONFLICT (01H) with USR alone "
              "%lu, with OS alone %lu, of %u aborts with EAX[2] (conflict); "
              "wanted most in the first, and none in the second",
              a->counted[0][0], a->counted[0][1], a->conflicts[0]);
    check(t,
          2 * a->counted[1][0] >= a->conflicts[1] &&
              2 * a->counted[1][1] <= a->conflicts[1] + 2 * others,
          "at ring 3: RTM_RETIRED (C9H) .ABORTED_MEM (08H) %lu, "
          ".ABORTED_EVENTS (80H) %lu, of %u aborts with EAX[2] (conflict) and "
          "%u others; wanted most in the first, and few in the second",
          a->counted[1][0], a->counted[1][1], a->conflicts[1], others);
}

/* At the start of the boot processor's buffer, the line alone on its page. */
struct recorded {
    volatile uint64_t line[4096 / 8];
    struct pair pair;
    unsigned tried, conflicts, unrecorded;
    struct lbr_record last; /* of those */
};

static void store_to_recorded(struct test_context *peer, void *argument)
{
    struct recorded *r = argument;

    (void)peer;
    r->line[0] = r->pair.rounds;
}

/* The record of the abort itself: from within the body, to its fallback. */
static bool is_recorded(const struct lbr_record *record)
{
    const uint64_t body = (uint64_t)(uintptr_t)lbr_body_held;
    struct lbr_branches all;
    bool found = false;

    lbr_branches_of(&all, lbr_body_held, lbr_body_held_rows);
    for (unsigned n = 0; n < all.count; n++)
        found |= (all.at[n].kind & LBR_ABORT) != 0 && record->abort &&
                 record->to == all.at[n].to &&
                 record->from - body < LBR_BODY_BYTES;
    return found;
}

/* Transactions, each longer than the one before until there is a conflict. */
static void record_conflicts(struct test_context *t, void *argument)
{
    const uint64_t until = hw_ms() + test_timeout_ms(t) / TIME_PART;
    struct recorded *r = argument;
    uint64_t turns = RECORD_TURNS;
    struct lbr l;

    if (!probe_set_up(t) || !lbr_claim(&l, t))
        return;
    while (l.model.tsx && r->conflicts < ENOUGH && hw_ms() < until) {
        struct trace_window code = {.body = lbr_body_held,
                                    .argument = (uint64_t)(uintptr_t)r->line,
                                    .count = turns};
        if (!lbr_window(&l, &code))
            return;
        r->tried++;
        if (code.cells[0] == 0 && turns < CONFLICT_TURNS_MAX)
            turns *= 2;
        if (code.cells[0] == 0 ||
            (code.cells[1] & RTM_STATUS_CAUSES) != RTM_STATUS_CONFLICT)
            continue;
        r->conflicts++;
        if (is_recorded(lbr_newest_abort(&l)))
            continue;
        r->unrecorded++;
        r->last = *lbr_newest_abort(&l);
    }
}

/* SDM 3B, tables "MSR_LASTBRANCH_x_FROM_IP with TSX Information",
 * "MSR_LBR_INFO_x". */
static void try_records(struct test_context *t)
{
    struct recorded *r = test_buffer(t);
    struct lbr_model model;

    _Static_assert(sizeof(*r) <= TEST_BUFFER_BYTES, "fits");
    memset(r, 0, sizeof(*r));
    if (lbr_of(test_cpu(t), &model) &&
        pair_run(t, &r->pair, record_conflicts, store_to_recorded, r))
        check(t, 2 * r->unrecorded <= r->conflicts,
              "last branch records: %u of %u aborts with EAX[2] (conflict) "
              "have none with TSX_ABORT from within the transaction to its "
              "fallback; the newest or oldest there is: from 0x%lx to 0x%lx, "
              "TSX_ABORT %u; wanted one in most",
              r->unrecorded, r->conflicts, r->last.from, r->last.to,
              r->last.abort);
}

static void judge_ends(struct test_context *t, const struct conflict *c,
                       const uint64_t got[2])
{
    conflict_judge(t, c);
    check(t, got[0] == c->tally.aborted && got[1] == c->tally.committed,
          "RTM_RETIRED (C9H) .ABORTED (04H) %lu, .COMMIT (02H) %lu; wanted "
          "%u, %u",
          got[0], got[1], c->tally.aborted, c->tally.committed);
}

static void judge_category(struct test_context *t, const struct conflict *c,
                           const uint64_t got[2])
{
    const unsigned matched = c->tally.matched;
    /* The latter are those "due to none of the previous 4 categories". */
    const unsigned others = c->tally.aborted - matched;

    check(t, 2 * got[0] >= matched && 2 * got[1] <= matched + 2 * others,
          "RTM_RETIRED (C9H) .ABORTED_MEM (08H) %lu, .ABORTED_EVENTS (80H) "
          "%lu, of %u aborts with EAX[2] (conflict) and %u others; wanted most "
          "in the first, and few in the second",
          got[0], got[1], matched, others);
}

static void judge_cause(struct test_context *t, const struct conflict *c,
                        const uint64_t got[2])
{
    const unsigned matched = c->tally.matched;

    check(t, 2 * got[0] >= matched && 2 * got[1] <= matched,
          "TX_MEM (54H) .ABORT_CONFLICT (01H) %lu, .ABORT_CAPACITY (02H) %lu, "
          "of %u aborts with EAX[2] (conflict); wanted most in the first, and "
          "few in the second",
          got[0], got[1], matched);
}

static void judge_starts(struct test_context *t, const struct conflict *c,
                         const uint64_t got[2])
{
    check(t, got[0] == c->tally.tried && got[1] == c->tally.committed,
          "RTM_RETIRED (C9H) .START (01H) %lu, .COMMIT (02H) %lu; wanted %u, "
          "%u",
          got[0], got[1], c->tally.tried, c->tally.committed);
}

/* Conflicts anew for each two events. */
static void check_events(struct test_context *t, struct conflict *c)
{
    static const struct {
        uint64_t first, second;
        void (*judge)(struct test_context *t, const struct conflict *c,
                      const uint64_t got[2]);
        unsigned generations; /* 0: all */
    } rows[] = {{EVENT_RTM_RETIRED | UMASK_ABORTED,
                 EVENT_RTM_RETIRED | UMASK_COMMIT, judge_ends, 0},
                {EVENT_RTM_RETIRED | UMASK_ABORTED_MEM,
                 EVENT_RTM_RETIRED | UMASK_ABORTED_EVENTS, judge_category, 0},
                {EVENT_TX_MEM | UMASK_ABORT_CONFLICT,
                 EVENT_TX_MEM | UMASK_ABORT_CAPACITY, judge_cause,
                 TX_MEM_LISTED},
                {EVENT_RTM_RETIRED | UMASK_START,
                 EVENT_RTM_RETIRED | UMASK_COMMIT, judge_starts, 0}};
    const unsigned generation = identity_generation(test_cpu(t));

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t got[2];

        if ((rows[i].generations == 0 ||
             (rows[i].generations & generation) != 0) &&
            count(t, c, rows[i].first, rows[i].second, got))
            rows[i].judge(t, c, got);
    }
}

TEST(tsx_conflict_events,
     .asks = "Do RTM_RETIRED and TX_MEM count an abort by another processor, "
             "and as a conflict?",
     .cite = "SDM 3B, table \"Intel TSX Performance Events\"; SDM 1, \"RTM "
             "Abort Status Definition\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM |
                           NEED_TWO_PROCESSORS,
               .counters = 3})
{
    struct conflict c = {.what = "a store to a line of the read set",
                         .body = tsx_body_hold_load,
                         .access = CONFLICT_STORE,
                         .place = CONFLICT_SAME,
                         .tries = TRIES};

    /* Set-up. */
    if (!probe_set_up(t))
        return;

    /* Measured, and checked. */
    check_events(t, &c);
    try_at_ring3(t);
    try_records(t);
    c.what = "a store to a line that an inner transaction reads";
    c.body = tsx_body_hold_nested;
    c.maybe_nested = true;
    WITH_PREFIX (t, "in an inner transaction") {
        check_events(t, &c);
    }
}
