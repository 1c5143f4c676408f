/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of HLE aborts: TX Abort Information says HLE, and RIP is the
 * instruction after the outermost XACQUIRE. */
#include "src/harness/case.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling.h"
#include "src/tsx/hle.h"

#define TRIES 8

/* The first abort overflows, the second is recorded, and so on. PMC1 counts the
 * aborts. */
static const struct sampling_config config = {
    .select = PRECISE_HLE_ABORTED,
    .counters = 1 << 0,
    .count_only = 1 << 1,
    .first_period = {1},
    .period = {1},
    .room = 16,
    .threshold = 16,
};

static void check_record(struct sampling *p, unsigned n)
{
    const struct pebs_abort abort = {
        .hle = true, .resume = (uint64_t)(uintptr_t)hle_other_value_acquired};
    struct pebs_record record;

    if (!sampling_record(p, n, &record))
        return;
    const char *wrong = pebs_judge_abort(&record, &abort);
    check(p->t, wrong == NULL,
          "an XRELEASE that does not match: %s; B8H = 0x%lx, RIP 0x%lx, after "
          "the XACQUIRE is 0x%lx",
          wrong, record.tx_abort, record.rip, abort.resume);
    if (n == 0) {
        char text[PEBS_TX_ABORT_TEXT];
        note(p->t, "an XRELEASE that does not match: B8H = 0x%lx (%s)",
             record.tx_abort, pebs_tx_abort_text(record.tx_abort, text));
    }
}

TEST(
    pebs_hle_abort,
    .asks = "Does the record of an HLE abort say so, and where it starts over?",
    .cite = "SDM 3B, \"Intel TSX and PEBS Support\", table \"TX Abort "
            "Information Field Definition\"",
    .needs = {.regimes = REGIME_A,
              .features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_2 |
                          NEED_HLE})
{
    struct hle_tally matching = {0};
    struct sampling p;

    /* Set-up: one that matches is elided, or none can abort. */
    hle_try(t, &hle_forms[0], TRIES, &matching);
    if (matching.elided == 0) {
        skip(t, "needs locks that are elided, and 0 of %u were",
             matching.tried);
        return;
    }
    if (!sampling_claim(&p, t))
        return;

    /* Measured. */
    volatile uint64_t *lock = test_buffer(t);
    if (!sampling_arm(&p, &config) || !sampling_start(&p))
        return;
    for (unsigned i = 0; i < TRIES; i++) {
        struct hle_block block = {.lock = lock, .turns = 1, .ask = 1};
        *lock = 0;
        hle_other_value(&block);
    }
    if (!sampling_stop(&p))
        return;

    /* Check. */
    check(t, p.value[1] >= 2,
          "%u elisions ended with an XRELEASE that does not match, and "
          "HLE_RETIRED.ABORTED counted %lu",
          TRIES, p.value[1]);
    check(t, p.records != 0 && p.records <= p.value[1] / 2,
          "%lu HLE aborts, of which every second makes a record, made %u",
          p.value[1], p.records);
    for (unsigned n = 0; n < p.records; n++)
        check_record(&p, n);
    note(t, "%u records of %lu aborts", p.records, p.value[1]);
}
