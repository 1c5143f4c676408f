/* SPDX-License-Identifier: BSD-2-Clause */
/* A write by another processor to a line that a transaction has read or written
 * is a conflict: a plain store as well as a locked instruction, to the same
 * bytes as well as to others of the line. */
#include "src/harness/case.h"
#include "src/tsx/conflict.h"

static const struct row {
    const char *what;
    const uint8_t *body;
    enum conflict_access access;
    enum conflict_place place;
    unsigned line;
} rows[] = {
    {"a store to a line of the read set", tsx_body_hold_load, CONFLICT_STORE,
     CONFLICT_SAME, 0},
    {"a locked write to a line of the read set", tsx_body_hold_load,
     CONFLICT_LOCKED, CONFLICT_SAME, 0},
    {"a store to other bytes of a line of the read set", tsx_body_hold_load,
     CONFLICT_STORE, CONFLICT_LINE, 0},
    {"a store to the 20th of 96 lines of the read set", tsx_body_hold_loads,
     CONFLICT_STORE, CONFLICT_MANY, 19},
    {"a store to the 64th, the last of its page", tsx_body_hold_loads,
     CONFLICT_STORE, CONFLICT_MANY, 63},
    {"a store to the 96th", tsx_body_hold_loads, CONFLICT_STORE, CONFLICT_MANY,
     95},
    {"a store to a line of the write set", tsx_body_hold_store, CONFLICT_STORE,
     CONFLICT_SAME, 0},
    {"a locked write to a line of the write set", tsx_body_hold_store,
     CONFLICT_LOCKED, CONFLICT_SAME, 0},
    {"a store to other bytes of a line of the write set", tsx_body_hold_store,
     CONFLICT_STORE, CONFLICT_LINE, 0},
};

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
        struct conflict c = {.what = rows[i].what,
                             .body = rows[i].body,
                             .access = rows[i].access,
                             .place = rows[i].place,
                             .line = rows[i].line,
                             .tries = tries};

        /* Measured, and checked. */
        if (!conflict_run(t, &c))
            return;
        conflict_judge(t, &c);
        if (c.access == CONFLICT_STORE && c.place == CONFLICT_SAME &&
            !try_beside(t, &rows[i], tries, c.turns))
            return;
    }
}
