/* SPDX-License-Identifier: BSD-2-Clause */
/* An XRELEASE that does not undo the XACQUIRE: the critical section runs again,
 * without elision, and ends as it would without the prefixes. */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"

#define NEXT_LINE 8 /* quadwords: 64 bytes */
#define OTHER     UINT64_C(0x5a5a5a5a)

static const struct mismatch {
    const char *what;
    hle_region *region;
    uint64_t lock, next_line; /* afterwards */
} rows[] = {
    {"XRELEASE of another value", hle_other_value, 2, OTHER},
    {"XRELEASE of another highest byte", hle_other_byte, 1 << 24, OTHER},
    {"XRELEASE of another second byte", hle_other_second, 1 << 8, OTHER},
    {"XRELEASE of another third byte", hle_other_third, 1 << 16, OTHER},
    {"XRELEASE of another value, of 1 byte", hle_other_in_byte, 1, OTHER},
    {"XRELEASE of another second byte, of 2", hle_other_in_word, 1 << 8, OTHER},
    {"XRELEASE of another value, of an inner lock", hle_other_inner, 0, 2},
    {"XRELEASE of another upper half", hle_other_half, UINT64_C(1) << 32,
     OTHER},
    {"XRELEASE of another address", hle_other_address, 1, 0},
    {"XRELEASE of another size", hle_other_size, 0, OTHER},
};

static void try_row(struct test_context *t, const struct mismatch *row,
                    unsigned tries)
{
    volatile uint64_t *lock = test_buffer(t);
    unsigned wrong = 0, stores = 0, unseen = 0, elided = 0, still_running = 0,
             changed = 0;

    for (unsigned i = 0; i < tries; i++) {
        struct hle_block block = {.lock = lock, .turns = 1, .ask = 1};
        hw_poll();
        lock[0] = 0;
        lock[NEXT_LINE] = OTHER;
        row->region(&block);
        wrong += lock[0] != row->lock || lock[NEXT_LINE] != row->next_line;
        stores += block.data != 1 || block.far != 1;
        unseen += block.seen != 1;
        elided += block.inside != 0;
        still_running += block.outside != 0;
        changed += block.rax != HLE_RAX;
    }
    check(t, wrong == 0,
          "memory is not as without the prefixes, %u of %u; the last left "
          "0x%lx and, 64 bytes after it, 0x%lx",
          wrong, tries, lock[0], lock[NEXT_LINE]);
    check_none(t, "the critical section's store was not made exactly once",
               stores, tries);
    check(t, unseen == 0,
          "the lock does not read as taken inside, executed again after the "
          "abort, %u of %u: a register was not restored",
          unseen, tries);
    check(t, elided == 0 && still_running == 0,
          "XTEST says that a transaction runs, inside %u, after it %u of "
          "%u; wanted 0",
          elided, still_running, tries);
    check(t, changed == 0,
          "the abort changed RAX, %u of %u; wanted 0 (an abort status is "
          "RTM's alone)",
          changed, tries);
}

TEST(hle_mismatch,
     .asks = "Does an XRELEASE that does not match abort the elision?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Requirements for HLE Locks\"",
     .needs = {.regimes = REGIME_A, .features = NEED_INTEL | NEED_HLE})
{
    unsigned tries = probe_row_tries(t);
    struct hle_tally matching = {0};

    /* Set-up: one that matches is elided, or nothing is shown. */
    if (!hle_hints(t))
        return;
    hle_try(t, &hle_forms[0], tries, &matching);
    if (matching.elided == 0) {
        skip(t, "needs locks that are elided, and 0 of %u were",
             matching.tried);
        return;
    }

    /* Measured, and checked. */
    FOR_EACH_ROW (t, i, rows)
        WITH_PREFIX (t, "%s", rows[i].what)
            try_row(t, &rows[i], tries);
    note(t, "a matching XRELEASE: %u of %u elided", matching.elided,
         matching.tried);
}
