/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of RTM aborts, for each cause: the TX Abort Information says what the
 * abort status says, and RIP is the outermost fallback. */
#include "src/harness/case.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling.h"
#include "src/tsx/causes.h"
#include "src/tsx/status.h"

/* The first abort overflows, the second is recorded, and so on. PMC1 counts the
 * aborts. */
static const struct sampling_config config = {
    .select = PRECISE_RTM_ABORTED,
    .counters = 1 << 0,
    .count_only = 1 << 1,
    .first_period = {1},
    .period = {1},
    .room = 16,
    .threshold = 16,
};

#define TRIES 6

/* Of one cause. */
struct tally {
    unsigned aborts, records;
    unsigned cause;       /* records whose abort status is the cause's */
    unsigned instruction; /* records with Instruction_Abort */
    unsigned retry;       /* records whose Retry differs from EAX[1] */
    unsigned writes;      /* records with Capacity Writes, and their cycles */
    uint64_t info;        /* of the last record */
};

static void judge_record(struct sampling *p, enum cause_id id, uint32_t eax,
                         struct tally *y)
{
    const struct cause *cause = &causes[id];
    const bool at_start = id == CAUSE_XABORT || id == CAUSE_PAUSE ||
                          id == CAUSE_EXCEPTION; /* of the body */
    const struct pebs_abort abort = {
        .eax = eax,
        .at = at_start ? (uint64_t)(uintptr_t)cause->body : 0,
        .resume = (uint64_t)(uintptr_t)tsx_fallback,
    };
    struct pebs_record record;

    if (!sampling_record(p, y->records++, &record))
        return;
    const char *wrong = pebs_judge_abort(&record, &abort);
    check(p->t, wrong == NULL,
          "%s: %s; B8H = 0x%lx, EAX = 0x%08x, RIP 0x%lx, EventingIP 0x%lx, "
          "fallback at 0x%lx",
          cause->name, wrong, record.tx_abort, eax, record.rip,
          record.eventing_ip, abort.resume);
    y->writes += (record.tx_abort & TX_ABORT_CAPACITY_WRITES) != 0 &&
                 (record.tx_abort & TX_ABORT_CYCLES_LAST_TX) != 0;
    y->cause += (eax & cause->status) == cause->status;
    y->instruction += (record.tx_abort & TX_ABORT_INSTRUCTION_ABORT) != 0;
    y->retry += ((record.tx_abort & TX_ABORT_RETRY) != 0) !=
                ((eax & RTM_STATUS_RETRY) != 0);
    y->info = record.tx_abort;
}

/* A record is that of the abort just before it. */
static bool provoke_aborts(struct sampling *p, enum cause_id id,
                           struct tally *y)
{
    uint32_t eax;

    if (!sampling_arm(p, &config) || !sampling_start(p))
        return false;
    for (unsigned i = 0; i < TRIES; i++) {
        y->aborts += cause_provoke(p->t, id, &eax) == TSX_ABORTED;
        if (sampling_written(p) > y->records)
            judge_record(p, id, eax, y);
    }
    return sampling_stop(p);
}

static bool try_cause(struct sampling *p, enum cause_id id, unsigned *retry,
                      unsigned *records)
{
    struct test_context *t = p->t;
    struct tally y = {0};
    char text[PEBS_TX_ABORT_TEXT];

    if (!provoke_aborts(p, id, &y))
        return false;
    check(t, p->value[1] == y.aborts,
          "%s: %u transactions aborted, and RTM_RETIRED.ABORTED counted %lu",
          causes[id].name, y.aborts, p->value[1]);
    if (y.aborts < 2) {
        note(t, "%s: %u of %u transactions aborted, too few for a record",
             causes[id].name, y.aborts, TRIES);
        return true;
    }
    check(t, y.records != 0 && y.records <= y.aborts / 2,
          "%s: %u aborts, of which every second makes a record, made %u",
          causes[id].name, y.aborts, y.records);
    check(t, id != CAUSE_WRITES || y.cause == 0 || y.writes != 0,
          "%s: %u records of aborts with EAX[3] = 1, none with Capacity Writes "
          "(B8H[38]) and Cycles_Last_TX ([31:0]) not 0",
          causes[id].name, y.cause);
    note(t,
         "%s: %u records of %u aborts, %u by this cause, %u with "
         "Instruction_Abort; B8H = 0x%lx (%s)",
         causes[id].name, y.records, y.aborts, y.cause, y.instruction, y.info,
         pebs_tx_abort_text(y.info, text));
    *retry += y.retry;
    *records += y.records;
    return true;
}

TEST(pebs_tx_abort,
     .asks = "Does the record of an RTM abort show its cause and its fallback?",
     .cite = "SDM 3B, \"Intel TSX and PEBS Support\", table \"TX Abort "
             "Information Field Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_2 |
                           NEED_RTM})
{
    unsigned retry = 0, records = 0;
    struct sampling p;

    /* Set-up. */
    if (!probe_set_up(t) || !sampling_claim(&p, t))
        return;

    /* Measured, and checked one by one. */
    for (enum cause_id id = 0; id < CAUSES; id++)
        if (!try_cause(&p, id, &retry, &records))
            return;
    observe(t, "Retry (B8H[36]) differs from EAX[1]", retry, records);
}
