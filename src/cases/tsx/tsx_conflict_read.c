/* SPDX-License-Identifier: BSD-2-Clause */
/* Another processor reads what a transaction has written: it must not see it
 * before the commit. */
#include "src/harness/case.h"
#include "src/tsx/conflict.h"

#define SHARED_ROUNDS 4

/* "Conflicting: another logical processor either reads a location that is part
 * of the write set or writes a location that is a part of either". An abort may
 * have another reason, but not all of them in each round. */
static bool run_shared(struct test_context *t, struct conflict *shared)
{
    for (unsigned i = 0; i < SHARED_ROUNDS; i++) {
        if (!conflict_run(t, shared))
            return false;
        if (shared->tally.matched < shared->tally.tried)
            break;
    }
    check(t, shared->tally.matched < shared->tally.tried,
          "a read of a line that the transaction only reads: %u of %u aborts "
          "with EAX[2] = 1 (conflict); wanted some without",
          shared->tally.matched, shared->tally.tried);
    return true;
}

/* Of that line by accesses of other kinds. */
static const struct kind {
    const char *what;
    enum conflict_access access;
} loads[] = {
    {"a read of a byte of the write set", CONFLICT_LOAD_BYTE},
    {"a read of 2 bytes of the write set", CONFLICT_LOAD_WORD},
    {"a read of 4 bytes of the write set", CONFLICT_LOAD_DOUBLE},
    {"a read of 16 bytes of the write set", CONFLICT_LOAD_WIDE},
    {"a read by REP LODS of the write set", CONFLICT_LOAD_STRING},
    {"a read on two lines, the second of the write set", CONFLICT_LOAD_SPLIT},
};

/* Stores by instructions of many kinds, a line each. */
static bool try_kinds(struct test_context *t, unsigned tries)
{
    static const char *const kinds[] = TSX_HELD_STORE_KINDS;
    struct conflict c = {.body = tsx_body_hold_store, .tries = tries / 4 + 1};
    char what[64];

    for (unsigned n = 0; n < sizeof(loads) / sizeof(loads[0]); n++) {
        c.what = loads[n].what;
        c.access = loads[n].access;
        if (!conflict_run(t, &c))
            return false;
        conflict_judge(t, &c);
    }
    c.what = what;
    c.body = tsx_body_hold_store_kinds;
    c.access = CONFLICT_LOAD;
    c.place = CONFLICT_MANY;
    for (unsigned n = 0; n < sizeof(kinds) / sizeof(kinds[0]); n++) {
        text_format(what, sizeof(what), "a read of a line that %s writes",
                    kinds[n]);
        c.line = n;
        if (!conflict_run(t, &c))
            return false;
        conflict_judge(t, &c);
        if (c.tally.matched == 0)
            break; /* each that sees none takes its whole time */
    }
    return true;
}

TEST(tsx_conflict_read,
     .asks =
         "Does a read by another processor of a line of the write set abort "
         "the transaction, and set EAX[2]?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Intel TSX Overview\"; table \"RTM Abort Status "
             "Definition\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_RTM | NEED_TWO_PROCESSORS})
{
    struct conflict same = {.what = "a read of a line of the write set",
                            .body = tsx_body_hold_store,
                            .tries = probe_row_tries(t)};
    struct conflict line = same, many = same, beside = same, shared = same,
                    ended = same, both = same, two = same, nested = same;

    /* Set-up. */
    if (!probe_set_up(t))
        return;

    /* Measured, and checked. */
    if (!conflict_run(t, &same))
        return;
    conflict_judge(t, &same);

    /* Other bytes of that line: conflicts are those of lines. */
    line.what = "a read of other bytes of a line of the write set";
    line.place = CONFLICT_LINE;
    if (!conflict_run(t, &line))
        return;
    conflict_judge(t, &line);

    /* It is in both sets. */
    both.what = "a read of a line of the read set and the write set";
    both.body = tsx_body_hold_both;
    if (!conflict_run(t, &both))
        return;
    conflict_judge(t, &both);

    /* One byte of a store is on that line. */
    two.what = "a read of the second line of a store on two";
    two.place = CONFLICT_SECOND;
    two.first = 7;
    if (!conflict_run(t, &two))
        return;
    conflict_judge(t, &two);
    two.what = "a read of the second page of a store on two";
    two.place = CONFLICT_PAGE;
    if (!conflict_run(t, &two))
        return;
    conflict_judge(t, &two);

    if (!try_kinds(t, same.tries))
        return;

    /* Of many lines that it has written, the last. */
    many.what = "a read of the last of 128 lines of the write set";
    many.body = tsx_body_hold_stores;
    many.place = CONFLICT_MANY;
    many.line = TSX_STORED_LINES - 1;
    if (!conflict_run(t, &many))
        return;
    conflict_judge(t, &many);

    /* What an inner transaction has stored is not committed by its end. */
    ended.what =
        "a read of a line that an inner transaction has written, which "
        "has ended";
    ended.body = tsx_body_hold_store_ended;
    ended.maybe_nested = true;
    ended.every = CONFLICT_SELDOM;
    if (!conflict_run(t, &ended))
        return;
    conflict_judge(t, &ended);

    /* Nor is it while that one lasts. */
    nested.what = "a read of a line that an inner transaction writes";
    nested.body = tsx_body_hold_store_nested;
    nested.inner = true;
    if (!conflict_run(t, &nested))
        return;
    conflict_judge(t, &nested);

    /* As long, but the line beside it; and a line that both only read. */
    beside.what = "a read of the next line";
    beside.place = CONFLICT_BESIDE;
    beside.turns = shared.turns = same.lasted;
    shared.what = "a read of a line of the read set";
    shared.body = tsx_body_hold_load;
    if (!conflict_run(t, &beside) || !run_shared(t, &shared))
        return;
    conflict_judge(t, &beside);
    observe(t, "a read of the line next to the write set sets EAX[2]",
            beside.tally.matched, beside.tally.tried);
    observe(t, "a read of a line that the transaction only reads sets EAX[2]",
            shared.tally.matched, shared.tally.tried);
}
