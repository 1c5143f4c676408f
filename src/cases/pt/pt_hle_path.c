/* SPDX-License-Identifier: BSD-2-Clause */
/* An XACQUIRE with one nested in it: packets at the outermost, where it begins
 * a transaction; where it does not, none at all. */
#include "src/base/mem.h"
#include "src/trace/window.h"

#define LOCK_AT  4096 /* of test_records(), after the table */
#define ROWS_MAX 16

/* What the same instructions leave that are no transaction. */
static void strip(struct trace_row rows[ROWS_MAX])
{
    const struct trace_row *from = trace_body_tx_elision_path;
    unsigned count = 0;

    do {
        if (from->kind != PATH_MODE_TSX && from->kind != PATH_FUP)
            rows[count++] = *from;
    } while ((from++)->kind != PATH_END && count < ROWS_MAX);
}

/* MODE.TSX outside of PSB+. */
static bool has_transactions(const struct path_seen *seen)
{
    unsigned in_psb = 0;

    for (unsigned i = 0; i < seen->psbs && i < PATH_PSBS; i++)
        in_psb += seen->psb[i].packets[PT_MODE_TSX];
    return seen->packets[PT_MODE_TSX] > in_psb;
}

TEST(pt_hle_path,
     .asks =
         "Does a trace of an elided lock have each packet in its place, and "
         "of one that is not elided none?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    uint8_t *lock = (uint8_t *)test_records(t) + LOCK_AT;
    struct trace_row plain[ROWS_MAX];
    struct trace p;
    struct window w;
    struct path_seen seen;
    bool elided = false;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    strip(plain);

    /* Measured: an elision may abort, and then is none. */
    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        memset(lock, 0, 128);
        window_set(&w, trace_body_tx_elision, trace_body_tx_elision_path);
        w.code.argument = trace_at(lock);
        if (!window_trace(&p, &w, &seen))
            return;
        elided = w.code.cells[0] != 0;
        if (elided || !has_transactions(&seen))
            break;
    }

    /* Check. */
    if (!elided) {
        w.rows = plain;
        path_follow(p.memory, trace_bytes(&p), &w.path, 0, &seen);
    }
    window_judge(&p, elided ? "a lock that is elided" : "a lock that is not",
                 &seen);
    note(t, "the lock was %s", elided ? "elided" : "not elided");
}
