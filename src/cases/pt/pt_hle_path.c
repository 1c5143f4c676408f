/* SPDX-License-Identifier: BSD-2-Clause */
/* An XACQUIRE with one nested in it: packets at the outermost, where it begins
 * a transaction; where it does not, none at all. Where it begins, ends or
 * aborts outside of a filter, a decoder still knows whether it is in one. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/registers.h"
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

static const struct over_bounds {
    const char *what;
    const uint8_t *body;
    const struct trace_row *rows;
    bool aborts;
} over_bounds[] = {
    {"an elided lock that is taken and released outside of a filter",
     trace_body_elision_seen, trace_body_elision_seen_path, false},
    {"an elided lock, aborted outside of a filter that has its XACQUIRE",
     trace_body_elision_back, trace_body_elision_back_path, true},
    {"an elided lock, aborted in a filter that has not its XACQUIRE",
     trace_body_elision_out, trace_body_elision_out_path, true},
};

/* Until it was elided, and ended as it is meant to: another abort may come
 * first. One that is not elided shows nothing. */
static void check_over_bounds(struct trace *p, const struct over_bounds *row)
{
    uint8_t *lock = (uint8_t *)test_records(p->t) + LOCK_AT;
    struct path_seen seen, shown = {.wrong = NULL};
    struct window w;

    window_set(&w, row->body, row->rows);
    w.bare = true;
    w.code.argument = trace_at(lock);
    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        memset(lock, 0, 128);
        if (!window_trace(p, &w, &seen))
            return;
        if (row->aborts ? !has_transactions(&seen) : w.code.cells[0] == 0)
            continue;
        shown = seen;
        if (seen.wrong == NULL)
            break;
    }
    window_judge(p, row->what, &shown);
}

static void check_filter(struct trace *p)
{
    if (registers_ranges(test_cpu(p->t)) == 0 ||
        !set_msr(p->t, IA32_RTIT_ADDR_A(0), trace_at(trace_tx_first)) ||
        !set_msr(p->t, IA32_RTIT_ADDR_B(0), trace_at(trace_tx_last)))
        return;
    p->control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    FOR_EACH_ROW (p->t, n, over_bounds)
        check_over_bounds(p, &over_bounds[n]);
}

TEST(pt_hle_path,
     .asks =
         "Does a trace of an elided lock have each packet in its place, and "
         "of one that is not elided none?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"; "
             "\"TSX and IP Filtering\"",
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
    if (elided)
        check_filter(&p);
}
