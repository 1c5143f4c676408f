/* SPDX-License-Identifier: BSD-2-Clause */
/* The LBR group of a record at ring 3, and of one that has aborted a
 * transaction, has what the registers have after the window, flags and all. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/counting/ring3.h"
#include "src/lbr/stack.h"
#include "src/pebs/sampling.h"
#include "src/tsx/probe.h"

/* BR_INST_RETIRED.ALL_BRANCHES, precise: Intel's lists of events, ICX and ADL.
 */
#define ALL_BRANCHES 0x00c4
#define PERIOD       5 /* branches from record to record; each is the first */
#define ROOM         16

static const struct way {
    const char *what;
    window_function *window;
    const uint8_t *body; /* of window_ring3_body() */
    unsigned level;
    bool tx;
} ways[] = {
    {"near branches at ring 0", window_ring3_body, ring3_body_kinds, 0, false},
    {"near branches at ring 3", window_ring3_body, ring3_body_kinds, 3, false},
    {"ring 3 and back", window_ring3, NULL, 3, false},
    {"a transaction at ring 3", window_ring3_tx, NULL, 3, true},
    {"a transaction", window_ring3_body, ring3_body_committed, 0, true},
    {"an inner transaction at ring 3", window_ring3_body, ring3_body_nested, 3,
     true},
};

struct groups {
    struct sampling p;
    struct lbr l;
    struct ring3_session s;
    const struct way *way;
    unsigned found; /* entries that the registers have too */
};

/* The window turns the records of branches on and off, and nothing but it is
 * between. */
static void run(struct sampling *p, uint64_t argument)
{
    struct groups *g = (struct groups *)(uintptr_t)argument;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)g->s.ring3};

    if (!lbr_empty(&g->l))
        return;
    ring3_begin(&g->s);
    if (sampling_start(p)) {
        g->way->window(lbr_on(&g->l), cells);
        set_held_msr(p->t, IA32_PERF_GLOBAL_CTRL, 0);
    }
    ring3_end(&g->s);
}

static struct lbr_record entry_of(const struct groups *g, unsigned n,
                                  const struct pebs_record *record, unsigned e)
{
    const uint8_t *bytes = g->p.buffer + n * g->p.size;
    uint64_t words[3];

    for (unsigned i = 0; i < 3; i++)
        words[i] =
            pebs_group_value(bytes, record, PEBS_GROUP_LBRS, (size_t)3 * e + i);
    const struct lbr_entry entry = {words[0], words[1], words[2]};
    return lbr_decode(&g->l.model, &entry);
}

static bool is_same_branch(const struct lbr_record *a,
                           const struct lbr_record *b)
{
    return a->from == b->from && a->to == b->to;
}

/* How many branches later than the record the registers are, by where all of
 * its branches went; their depth: they have not all of them. */
static unsigned branches_since(const struct groups *g, unsigned n,
                               const struct pebs_record *record)
{
    const unsigned depth = g->l.model.depth;
    unsigned since = 0, e = 0;

    while (e + since < depth) {
        const struct lbr_record entry = entry_of(g, n, record, e);

        if (is_same_branch(&entry, &g->l.records[e + since])) {
            e++;
        } else {
            since++;
            e = 0;
        }
    }
    return since;
}

static void check_record(struct groups *g, unsigned n)
{
    struct test_context *t = g->p.t;
    struct pebs_record record;

    if (!sampling_record(&g->p, n, &record))
        return;
    const struct lbr_record newest = entry_of(g, n, &record, 0);
    const unsigned since = branches_since(g, n, &record);

    check(t, newest.to == 0 || since < g->l.model.depth,
          "LBR[0] of record %u is from 0x%lx to 0x%lx; after the window no "
          "registers have its entries, and in their order",
          n, newest.from, newest.to);
    if (newest.to == 0)
        return;
    for (unsigned e = 0; e + since < g->l.model.depth; e++) {
        const struct lbr_record got = entry_of(g, n, &record, e),
                                *want = &g->l.records[e + since];

        check(t,
              got.in_tx == want->in_tx && got.abort == want->abort &&
                  got.mispredicted == want->mispredicted &&
                  got.cycles == want->cycles && got.type == want->type,
              "LBR[%u] of record %u: from 0x%lx to 0x%lx, BR_TYPE %u, IN_TSX "
              "%d, TSX_ABORT %d, MISPRED %d, %u cycles; its registers have "
              "0x%lx to 0x%lx, %u, %d, %d, %d, %u",
              e, n, got.from, got.to, got.type, got.in_tx, got.abort,
              got.mispredicted, got.cycles, want->from, want->to, want->type,
              want->in_tx, want->abort, want->mispredicted, want->cycles);
        g->found += got.to != 0;
    }
}

/* False where it could not be tried. */
static bool try_way(struct groups *g, unsigned first)
{
    const struct sampling_config config = {
        .select = ALL_BRANCHES,
        .counters = 1 << 0,
        .first_period = {first},
        .period = {PERIOD},
        .room = ROOM,
        .threshold = ROOM,
    };
    struct ring3 *ring3 = g->s.ring3;

    /* Measured. */
    ring3->level = g->way->level;
    ring3->aborts = 1;
    if (g->way->body != NULL)
        ring3->body = (uint32_t)(g->way->body - ring3_body);
    if (!sampling_around(&g->p, &config, run, (uint64_t)(uintptr_t)g) ||
        !lbr_read(&g->l))
        return false;
    if (ring3->vector != HW_NO_FAULT) {
        broken(g->p.t, "%s at ring 3", fault_name((int)ring3->vector));
        return false;
    }

    /* Check. */
    for (unsigned n = 0; n < g->p.records; n++)
        check_record(g, n);
    return true;
}

TEST(pebs_adaptive_lbrs,
     .asks = "Has the LBR group of a record at ring 3, or of an aborted "
             "transaction, what the registers have?",
     .cite = "SDM 3B, \"Adaptive PEBS\", table \"LBRs\"; \"Last Branch "
             "Records\", \"IA32_LBR_x_INFO\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS |
                           NEED_ADAPTIVE_PEBS | NEED_LBR})
{
    const bool transactions = probe_state_if_any(t);
    struct groups g = {0};
    bool ok = true;

    /* Set-up. */
    if (!lbr_claim(&g.l, t) || !sampling_claim(&g.p, t) ||
        !ring3_prepare(&g.s, t) || !lbr_hold(&g.l) ||
        !sampling_groups(&g.p,
                         PEBS_DATA_GPRS | PEBS_DATA_LBRS |
                             PEBS_DATA_ENTRIES_OF(g.l.model.depth),
                         true))
        return;
    g.s.ring3->msr = g.l.msr;

    /* Measured, and checked one by one. */
    for (unsigned i = 0; ok && i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (ways[i].tx && !transactions)
            continue;
        g.way = &ways[i];
        g.found = 0;
        WITH_PREFIX (t, "%s", ways[i].what)
            for (unsigned first = 1; ok && first <= PERIOD; first++)
                ok = try_way(&g, first);
        if (ok)
            check(t, g.found != 0,
                  "%s: no record has an entry of the window in its LBR group",
                  ways[i].what);
    }
}
