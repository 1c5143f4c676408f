/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions that abort, traced and sampled at once: the record of an abort
 * says what it says without a trace, and a record that aborts a transaction
 * leaves the packets of an abort. */
#include "src/base/msr.h"
#include "src/pebs/abort_bits.h"
#include "src/pebs/abort_check.h"
#include "src/pebs/sampling.h"
#include "src/trace/trace.h"
#include "src/tsx/causes.h"
#include "src/tsx/status.h"

#define TRIES      24
#define CODE       0x5a /* of CAUSE_XABORT */
#define LINES      128  /* written, and as many branches: pebs_inside_tx */
#define LINES_END  (LINES * 64)
#define BODY_BYTES 64
#define BARE       8 /* aborts without a record: the last is judged */

struct joint {
    struct trace p;
    struct sampling s;
    uint8_t *lines; /* that a transaction writes */
    unsigned bare;  /* aborts that left no record */
};

/* The first abort overflows, each after it may be recorded. */
static const struct sampling_config of_aborts = {
    .select = PRECISE_RTM_ABORTED,
    .counters = 1 << 0,
    .first_period = {1},
    .period = {1},
    .room = TRIES,
    .threshold = TRIES,
};

static void judge_record(struct joint *j, unsigned n, uint32_t eax,
                         struct abort_bits *bits)
{
    const struct pebs_abort abort = {
        .eax = eax,
        .at = trace_at(tsx_bodies_xabort) + CODE * TSX_XABORT_BYTES,
        .resume = trace_at(tsx_fallback),
    };
    struct pebs_record record;

    if (!sampling_record(&j->s, n, &record))
        return;
    WITH_PREFIX (j->s.t, "an abort that is traced")
        abort_check(&j->s, &record, &abort);
    if ((eax & RTM_STATUS_XABORT) != 0)
        abort_bits_add(bits, &record, eax);
}

/* A record is that of the abort just before it. */
static void try_records(struct joint *j)
{
    struct test_context *t = j->s.t;
    struct abort_bits bits = {0};
    unsigned aborts = 0, records = 0;
    uint32_t eax, of_record[TRIES];

    /* Measured. */
    if (!sampling_arm(&j->s, &of_aborts) || !trace_arm(&j->p) ||
        !trace_start(&j->p) || !sampling_start(&j->s))
        return;
    for (unsigned i = 0; i < TRIES; i++) {
        aborts += cause_provoke(t, CAUSE_XABORT, false, &eax) == TSX_ABORTED;
        if (sampling_written(&j->s) > records)
            of_record[records++] = eax;
    }
    if (!trace_stop(&j->p) || !sampling_stop(&j->s))
        return;
    for (unsigned n = 0; n < records; n++)
        judge_record(j, n, of_record[n], &bits);

    /* Check. */
    check(t,
          records != 0 &&
              records < aborts + (precise_distribution(test_cpu(t)) != 0),
          "%u aborts that are traced, of which all but the first (with PDist, "
          "all) may make a record, made %u",
          aborts, records);
    abort_bits_check(t, &bits, TX_ABORT_INSTRUCTION_ABORT,
                     TX_ABORT_NON_INSTRUCTION_ABORT | TX_ABORT_DATA_CONFLICT |
                         TX_ABORT_HLE_ABORT);
}

/* One transaction with a branch in its middle that is to make a record. */
static bool run_sampled(void *argument)
{
    const struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1 << 0,
        .first_period = {LINES / 2},
        .room = TRIES,
        .threshold = TRIES,
    };
    struct joint *j = argument;
    struct tsx_block block = {.body = tsx_body_write_lines,
                              .argument = trace_at(j->lines),
                              .count = LINES};

    /* It is traced already. */
    if (!sampling_arm_beside(&j->s, &config) || !sampling_start(&j->s))
        return false;
    bool aborted = tsx_inside(&block) == TSX_ABORTED;
    return set_held_msr(j->s.t, IA32_PERF_GLOBAL_CTRL, 0) && aborted &&
           block.status == 0 &&
           (sampling_written(&j->s) != 0 || ++j->bare == BARE);
}

static void try_abort_by_record(struct joint *j)
{
    const uint64_t begin = trace_at(tsx_xbegin_at),
                   body = trace_at(tsx_body_write_lines);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, body, body + BODY_BYTES, trace_at(tsx_fallback)}};
    struct transitions seen;

    /* Measured. */
    if (!trace_try(&j->p, run_sampled, j, &seen) || !sampling_stop(&j->s))
        return;

    /* Check. */
    trace_check(&j->p, "a transaction that a record aborts", &seen, wanted, 2);
    check(j->s.t, j->s.records != 0,
          "a transaction was aborted, without a cause of its own but a record, "
          "and there is none");
}

TEST(pt_sampled_aborts,
     .asks = "Do a trace and records of aborts leave one another alone?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"; "
             "SDM 3B, \"Intel TSX and PEBS Support\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PMU | NEED_PEBS |
                           NEED_PEBS_2 | NEED_RTM})
{
    struct joint j;

    /* Set-up. */
    if (!trace_claim_transactions(&j.p, t) || !sampling_claim(&j.s, t))
        return;
    j.bare = 0;
    trace_table_behind(&j.p);
    j.lines = test_buffer(t);
    if (j.p.memory < j.lines + LINES_END)
        j.lines = j.p.memory + TRACE_BYTES + 4096;

    /* Measured and checked. */
    try_records(&j);
    try_abort_by_record(&j);
}
