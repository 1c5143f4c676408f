/* SPDX-License-Identifier: BSD-2-Clause */
/* A write by another processor to a line that a transaction has read or written
 * is a conflict: a plain store as well as a locked instruction, to the same
 * bytes as well as to others of the line, also where the transaction's access
 * is on two lines, or locked. Registers are then as at XBEGIN. */
#include "src/base/msr.h"
#include "src/counting/ring3.h"
#include "src/harness/case.h"
#include "src/tsx/conflict.h"
#include "src/tsx/pair.h"
#include "src/tsx/state.h"

#define STATE_TRIES 8
/* A processor that does not run makes no conflict: more are tried, until the
 * other has stored so often, for so much of the job's time. */
#define STATE_ROUNDS 1024
#define STATE_TIME   16

static const struct row {
    const char *what;
    const uint8_t *body;
    enum conflict_access access;
    enum conflict_place place;
    unsigned line; /* CONFLICT_MANY: which; else bytes on the first of two */
} rows[] = {
    {"a store to a line of the read set", tsx_body_hold_load, CONFLICT_STORE,
     CONFLICT_SAME, 0},
    {"a locked write to a line of the read set", tsx_body_hold_load,
     CONFLICT_LOCKED, CONFLICT_SAME, 0},
    {"a store to other bytes of a line of the read set", tsx_body_hold_load,
     CONFLICT_STORE, CONFLICT_LINE, 0},
    {"a store to the 20th of 192 lines of the read set", tsx_body_hold_loads,
     CONFLICT_STORE, CONFLICT_MANY, 19},
    {"a store to the 64th, the last of its page", tsx_body_hold_loads,
     CONFLICT_STORE, CONFLICT_MANY, 63},
    {"a store to the 192nd", tsx_body_hold_loads, CONFLICT_STORE, CONFLICT_MANY,
     TSX_HELD_LINES - 1},
    {"a store to the second line of a load on two", tsx_body_hold_split,
     CONFLICT_STORE, CONFLICT_SECOND, 0},
    {"a store to the second line of a load on two, of one byte there",
     tsx_body_hold_load, CONFLICT_STORE, CONFLICT_SECOND, 7},
    {"a store to the second page of a load on two, of one byte there",
     tsx_body_hold_load, CONFLICT_STORE, CONFLICT_PAGE, 7},
    {"a store to the second page of a load on two, of seven bytes there",
     tsx_body_hold_load, CONFLICT_STORE, CONFLICT_PAGE, 1},
    {"a store to other bytes of a line of a locked addition",
     tsx_body_hold_locked, CONFLICT_STORE, CONFLICT_LINE, 0},
    {"a store to a line that a transaction without stores reads",
     tsx_body_hold_unstored, CONFLICT_STORE, CONFLICT_SAME, 0},
    {"a store to a line that an inner transaction reads", tsx_body_hold_nested,
     CONFLICT_STORE, CONFLICT_SAME, 0},
    {"a store to a line that one at the third level reads", tsx_body_hold_deep,
     CONFLICT_STORE, CONFLICT_SAME, 0},
    {"a store to a line that an inner transaction has read, which has ended",
     tsx_body_hold_ended, CONFLICT_STORE, CONFLICT_SAME, 0},
    {"a store to a line of a load by REP LODS", tsx_body_hold_string,
     CONFLICT_STORE, CONFLICT_LINE, 0},
    {"a store to other bytes of a line of a load of 16 bytes",
     tsx_body_hold_vector, CONFLICT_STORE, CONFLICT_LINE, 0},
    {"a store of a byte to a line of the read set", tsx_body_hold_load,
     CONFLICT_BYTE, CONFLICT_SAME, 0},
    {"a store of 2 bytes to a line of the read set", tsx_body_hold_load,
     CONFLICT_WORD, CONFLICT_SAME, 0},
    {"a store of 4 bytes to a line of the read set", tsx_body_hold_load,
     CONFLICT_DOUBLE, CONFLICT_SAME, 0},
    {"a store of 16 bytes to a line of the read set", tsx_body_hold_load,
     CONFLICT_WIDE, CONFLICT_SAME, 0},
    {"a store by REP STOS to a line of the read set", tsx_body_hold_load,
     CONFLICT_STRING, CONFLICT_SAME, 0},
    {"a store by MOVNTI to a line of the read set", tsx_body_hold_load,
     CONFLICT_NONTEMPORAL, CONFLICT_SAME, 0},
    {"an XCHG with a line of the read set", tsx_body_hold_load, CONFLICT_XCHG,
     CONFLICT_SAME, 0},
    {"a store on two lines, the second of the read set", tsx_body_hold_load,
     CONFLICT_SPLIT, CONFLICT_SAME, 0},
    {"a store to a line of the write set", tsx_body_hold_store, CONFLICT_STORE,
     CONFLICT_SAME, 0},
    {"a locked write to a line of the write set", tsx_body_hold_store,
     CONFLICT_LOCKED, CONFLICT_SAME, 0},
    {"a store to other bytes of a line of the write set", tsx_body_hold_store,
     CONFLICT_STORE, CONFLICT_LINE, 0},
    {"a store to a line that is only written", tsx_body_hold_written,
     CONFLICT_STORE, CONFLICT_SAME, 0},
    {"a locked write to a line that is only written", tsx_body_hold_written,
     CONFLICT_LOCKED, CONFLICT_LINE, 0},
};

static bool is_plain(const uint8_t *body)
{
    return body == tsx_body_hold_load || body == tsx_body_hold_store;
}

/* The same with the next line, which is no conflict. */
static bool try_beside(struct test_context *t, const struct row *row,
                       unsigned tries, unsigned turns)
{
    bool read = row->body == tsx_body_hold_load;
    struct conflict beside = {.what = "a store to the next line",
                              .body = row->body,
                              .access = row->access,
                              .place = CONFLICT_BESIDE,
                              .tries = tries,
                              .turns = turns};

    if (!conflict_run(t, &beside))
        return false;
    conflict_judge(t, &beside);
    observe(t,
            read ? "a write to the line next to the read set sets EAX[2]"
                 : "a write to the line next to the write set sets EAX[2]",
            beside.tally.matched, beside.tally.tried);
    return true;
}

static const struct state_row states[] = {
    {"general registers and status flags changed, then a conflict",
     tsx_change_general, tsx_end_hold, 0},
    {"general registers and status flags changed, then a conflict in an inner "
     "transaction",
     tsx_change_general, tsx_end_hold_inner, 0},
    {"XMM0 to XMM15 and MXCSR changed, then a conflict", tsx_change_xmm,
     tsx_end_hold, 0},
    {"YMM0 to YMM15 changed, then a conflict", tsx_change_ymm, tsx_end_hold,
     XCR0_AVX},
    {"DF changed, then a conflict", tsx_change_direction, tsx_end_hold, 0},
    {"the x87 changed, then a conflict", tsx_change_x87, tsx_end_hold, 0},
    {"memory changed, then a conflict", tsx_change_memory, tsx_end_hold, 0},
};

/* In the second half of the boot processor's buffer. */
struct state_conflict {
    struct pair pair;
    const struct state_row *row;
    uint64_t components;
    volatile uint64_t *line;
    uint64_t stores; /* beside all the tries */
    unsigned tries, commits;
};

static void change_registers(struct test_context *t, void *argument)
{
    struct state_conflict *c = argument;
    uint64_t start = hw_ms(), rounds = c->pair.rounds;

    do {
        c->commits += state_try(t, c->row, c->components, STATE_TRIES);
        c->tries += STATE_TRIES;
        c->stores = c->pair.rounds - rounds;
    } while (c->commits == c->tries && c->stores < STATE_ROUNDS &&
             hw_ms() - start < test_timeout_ms(t) / STATE_TIME);
}

static void store_to_line(struct test_context *peer, void *argument)
{
    struct state_conflict *c = argument;

    (void)peer;
    *c->line = c->pair.rounds;
}

static bool try_state(struct test_context *t, const struct state_row *row)
{
    struct state_conflict *c =
        (void *)((uint8_t *)test_buffer(t) + TEST_BUFFER_BYTES / 2);

    *c = (struct state_conflict){.row = row,
                                 .components = state_components(test_cpu(t)),
                                 .line = state_argument(t)};
    if (!pair_run(t, &c->pair, change_registers, store_to_line, c))
        return false;
    if (c->commits == c->tries && c->stores < STATE_ROUNDS) {
        broken(t,
               "%s: the other processor stored only %lu times beside %u "
               "transactions, too few to tell",
               row->what, c->stores, c->tries);
        return false;
    }
    check(t, c->commits < c->tries,
          "%s: %u of %u committed although another processor stored %lu times "
          "to a line of the read set; wanted fewer",
          row->what, c->commits, c->tries, c->stores);
    return true;
}

/* A store at ring 3, where programs are. */
struct at_ring3 {
    struct ring3_session session;
    bool tried, ready;
};

static bool prepare(struct at_ring3 *a, struct test_context *peer,
                    volatile uint64_t *place)
{
    const uint64_t at = (uint64_t)(uintptr_t)place, page = at & ~BITS(11, 0);

    if (!set_msr(peer, IA32_PERF_GLOBAL_CTRL, 0) ||
        !ring3_prepare(&a->session, peer))
        return false;
    struct ring3 *ring3 = a->session.ring3;
    *(uint64_t *)(uintptr_t)ring3->data =
        ring3_show(&a->session, page, 1) + (at - page);
    ring3->body = (uint32_t)(ring3_body_stores - ring3_body);
    ring3->level = 3;
    return true;
}

static void store_at_ring3(struct test_context *peer, volatile uint64_t *place,
                           void *with)
{
    struct at_ring3 *a = with;

    if (!a->tried)
        a->ready = prepare(a, peer, place);
    a->tried = true;
    if (!a->ready)
        return;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)a->session.ring3};
    ring3_begin(&a->session);
    window_ring3_body(0, cells);
    ring3_end(&a->session);
}

static void try_ring3(struct test_context *t, unsigned tries)
{
    struct at_ring3 *a =
        (void *)((uint8_t *)test_buffer(t) + TEST_BUFFER_BYTES / 2);
    struct conflict c = {.what = "a store at ring 3 to a line of the read set",
                         .body = tsx_body_hold_load,
                         .by = store_at_ring3,
                         .with = a,
                         .tries = tries / 4 + 1}; /* of each length */

    *a = (struct at_ring3){.tried = false};
    if (conflict_run(t, &c) && a->ready)
        conflict_judge(t, &c);
}

/* Loads by instructions of many kinds, a line each. */
static bool try_kinds(struct test_context *t, unsigned tries)
{
    static const char *const kinds[] = TSX_HELD_KINDS;

    for (unsigned n = 0; n < sizeof(kinds) / sizeof(kinds[0]); n++) {
        char what[64];
        struct conflict c = {.what = what,
                             .body = tsx_body_hold_kinds,
                             .access = CONFLICT_STORE,
                             .place = CONFLICT_MANY,
                             .line = n,
                             .tries = tries / 4 + 1};

        text_format(what, sizeof(what), "a store to a line that %s reads",
                    kinds[n]);
        if (!conflict_run(t, &c))
            return false;
        conflict_judge(t, &c);
        if (c.tally.matched == 0)
            break; /* each that sees none takes its whole time */
    }
    return true;
}

TEST(tsx_conflict_write,
     .asks = "Does a write by another processor to a line of the read set or "
             "the write set abort the transaction, and set EAX[2]?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Intel TSX Overview\"; table \"RTM Abort Status "
             "Definition\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_RTM | NEED_TWO_PROCESSORS})
{
    unsigned tries = probe_row_tries(t);

    /* Set-up. */
    if (!probe_set_up(t))
        return;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const bool ended = rows[i].body == tsx_body_hold_ended,
                   deep = rows[i].body == tsx_body_hold_deep,
                   many = rows[i].place == CONFLICT_MANY;
        struct conflict c = {.what = rows[i].what,
                             .body = rows[i].body,
                             .access = rows[i].access,
                             .place = rows[i].place,
                             .inner =
                                 deep || rows[i].body == tsx_body_hold_nested,
                             .maybe_nested = ended,
                             .every = ended || deep ? CONFLICT_SELDOM : 0,
                             .line = rows[i].line,
                             .first = many ? 0 : rows[i].line,
                             .tries = tries};

        /* Measured, and checked. */
        if (!conflict_run(t, &c))
            return;
        conflict_judge(t, &c);
        if (c.access == CONFLICT_STORE && c.place == CONFLICT_SAME &&
            is_plain(rows[i].body) && !try_beside(t, &rows[i], tries, c.lasted))
            return;
    }
    if (!try_kinds(t, tries))
        return;
    for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        if ((states[i].components & ~state_components(test_cpu(t))) == 0 &&
            !try_state(t, &states[i]))
            return;
    if (test_cpu(t)->perfmon_version >= 2) /* its window is of counters */
        try_ring3(t, tries);
}
