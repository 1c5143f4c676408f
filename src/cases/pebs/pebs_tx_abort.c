/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of RTM aborts, for each cause: the TX Abort Information says what the
 * abort status and the cause say, and RIP is the outermost fallback. */
#include "src/harness/case.h"
#include "src/pebs/abort_bits.h"
#include "src/pebs/abort_check.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling.h"
#include "src/tsx/causes.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/hle.h"
#include "src/tsx/status.h"

/* The first abort overflows, the second is recorded, and so on; the one that is
 * recorded may count, and then each makes a record from the second on. PMC1
 * counts the aborts; where PMC1 makes the records, PMC0. */
#define MOST_TRIES 48

static const struct sampling_config config = {
    .select = PRECISE_RTM_ABORTED,
    .counters = 1 << 0,
    .count_only = 1 << 1,
    .first_period = {1},
    .period = {1},
    .room = MOST_TRIES,
    .threshold = MOST_TRIES,
};

/* Records of aborts that have the status of the cause. Capacity, which takes a
 * long transaction, has a status of its own: few do. */
#define WANTED(id)   (causes[id].always ? 12u : 3u)
#define AFTER_WANTED 4u

static struct sampling_config config_of(unsigned counter)
{
    struct sampling_config c = config;

    c.counters = 1u << counter;
    c.count_only = 1u << !counter;
    c.first_period[counter] = c.period[counter] = 1;
    return c;
}

#define INSTRUCTION     TX_ABORT_INSTRUCTION_ABORT
#define NON_INSTRUCTION TX_ABORT_NON_INSTRUCTION_ABORT
#define OTHERS          (TX_ABORT_DATA_CONFLICT | TX_ABORT_HLE_ABORT)
#define CAPACITY        (TX_ABORT_CAPACITY_WRITES | TX_ABORT_CAPACITY_READS)

/* What a cause sets and leaves clear in B8H, and the instruction that aborts:
 * so many bytes after `at`. Whether a capacity, a breakpoint, a level too many
 * or a type of memory is "associated with the instruction" is not said; but
 * never both. */
static const struct rule {
    const uint8_t *at;
    unsigned bytes;
    uint64_t set, clear;
} rules[CAUSES] = {
    [CAUSE_XABORT] = {tsx_bodies_xabort, 0x5a * TSX_XABORT_BYTES, INSTRUCTION,
                      NON_INSTRUCTION | CAPACITY | OTHERS},
    [CAUSE_XABORT_INNER] = {tsx_body_nest_xabort_at, 0, INSTRUCTION,
                            NON_INSTRUCTION | CAPACITY | OTHERS},
    [CAUSE_CPUID] = {tsx_body_cpuid, 4, INSTRUCTION,
                     NON_INSTRUCTION | CAPACITY | OTHERS},
    [CAUSE_PAUSE] = {tsx_body_pause, 0, INSTRUCTION,
                     NON_INSTRUCTION | CAPACITY | OTHERS},
    [CAUSE_EXCEPTION] = {tsx_body_ud2, 0, INSTRUCTION,
                         NON_INSTRUCTION | CAPACITY | OTHERS},
    [CAUSE_DIVIDE] = {tsx_body_divide_fault, 0, INSTRUCTION,
                      NON_INSTRUCTION | CAPACITY | OTHERS},
    [CAUSE_WRITES] = {NULL, 0, TX_ABORT_CAPACITY_WRITES,
                      TX_ABORT_CAPACITY_READS | OTHERS},
    [CAUSE_READS] = {NULL, 0, TX_ABORT_CAPACITY_READS,
                     TX_ABORT_CAPACITY_WRITES | OTHERS},
    [CAUSE_BREAKPOINT] = {NULL, 0, 0, CAPACITY | OTHERS},
    [CAUSE_NESTING] = {NULL, 0, 0, OTHERS},
    [CAUSE_MEMORY_TYPE] = {NULL, 0, 0, CAPACITY | OTHERS},
};

/* Whether the status is the cause's alone. An abort that came first, as where
 * SDV_ENABLE_RTM makes many, has another, or says that a retry may succeed. */
static bool is_by(enum cause_id id, bool inner, uint32_t eax)
{
    const uint32_t status = causes[id].status | (inner ? RTM_STATUS_NESTED : 0),
                   may = id == CAUSE_NESTING
                             ? RTM_STATUS_NESTED | RTM_STATUS_CAPACITY
                             : 0,
                   others = RTM_STATUS_CAUSES & ~status & ~may;

    return (eax & status & ~may) == (status & ~may) && (eax & others) == 0 &&
           (!causes[id].always || (eax & RTM_STATUS_RETRY) == 0);
}

/* Many of the aborts by SDV_ENABLE_RTM have a status of 0, as some causes do:
 * there a record is the cause's by its EventingIP too. */
static bool is_there(const struct test_context *t,
                     const struct pebs_record *record, uint64_t at)
{
    const enum regime regime = test_regime(t);

    return (regime != REGIME_C && regime != REGIME_C_PRIME &&
            regime != REGIME_D) ||
           at == 0 || record->eventing_ip == at;
}

/* Of one cause. */
struct tally {
    unsigned tries, aborts, records;
    unsigned counter;     /* that makes the records: 0 or 1 */
    bool inner;           /* each is met in an inner transaction */
    bool elides;          /* a critical section that aborts comes before each */
    enum cause_id before; /* an abort by this one does; CAUSES: none */
    uint32_t eax[MOST_TRIES]; /* of each record */
    bool own[MOST_TRIES];     /* and not of what comes before */
    struct abort_bits all;
    struct abort_bits cause; /* records whose abort status is the cause's */
    uint64_t info;           /* of the last record */
};

static void judge_record(struct sampling *p, enum cause_id id, unsigned n,
                         struct tally *y)
{
    const struct rule *rule = &rules[id];
    const uint32_t eax = y->eax[n];
    const struct pebs_abort abort = {
        .eax = eax,
        .at =
            rule->at != NULL ? (uint64_t)(uintptr_t)rule->at + rule->bytes : 0,
        .resume = (uint64_t)(uintptr_t)tsx_fallback,
    };
    struct pebs_record record;

    if (!sampling_record(p, n, &record))
        return;
    abort_check(p, &record, &abort);
    abort_bits_add(&y->all, &record, eax);
    if (is_by(id, y->inner, eax) && is_there(p->t, &record, abort.at))
        abort_bits_add(&y->cause, &record, eax);
    y->info = record.tx_abort;
}

/* A record is that of the abort just before it. True where there is one. */
static bool provoke(struct sampling *p, enum cause_id id, bool own,
                    struct tally *y)
{
    uint32_t eax;

    y->tries++;
    y->aborts += cause_provoke(p->t, id, y->inner, &eax) == TSX_ABORTED;
    if (sampling_written(p) <= y->records)
        return false;
    y->own[y->records] = own;
    y->eax[y->records++] = eax;
    return true;
}

static bool provoke_aborts(struct sampling *p, enum cause_id id,
                           struct tally *y)
{
    const unsigned wanted = y->before != CAUSES ? AFTER_WANTED : WANTED(id);
    const struct sampling_config c = config_of(y->counter);
    unsigned found = 0;
    bool taken = false; /* the record that was due, by what comes before */

    if (!sampling_arm(p, &c) || !sampling_start(p))
        return false;
    while (y->tries + 1 < MOST_TRIES && found < wanted) {
        if (y->elides)
            hle_mismatch(p->t, 1);
        taken =
            y->before != CAUSES && !taken && provoke(p, y->before, false, y);
        if (!provoke(p, id, true, y))
            continue;
        found += is_by(id, y->inner, y->eax[y->records - 1]);
        taken = false;
    }
    if (!sampling_stop(p))
        return false;
    for (unsigned n = 0; n < y->records; n++)
        if (y->own[n])
            judge_record(p, id, n, y);
    return true;
}

static bool try_cause(struct sampling *p, enum cause_id id, struct tally y,
                      struct abort_bits *sum)
{
    struct test_context *t = p->t;
    char text[PEBS_TX_ABORT_TEXT];

    if (!provoke_aborts(p, id, &y))
        return false;
    check(t, p->value[!y.counter] == y.aborts,
          "%u transactions aborted, and RTM_RETIRED.ABORTED counted %lu",
          y.aborts, p->value[!y.counter]);
    if (y.aborts < 2) {
        note(t, "%u of %u transactions aborted, too few for a record", y.aborts,
             y.tries);
        return true;
    }
    /* Every second one; some more may pass until PEBS is armed. */
    check(t,
          y.records != 0 && 4 * y.records + 4 >= y.aborts &&
              y.records < y.aborts + (precise_distribution(test_cpu(t)) != 0),
          "%u aborts, of which every second makes a record, or all but the "
          "first (with PDist, all), made %u; wanted a quarter of them at least",
          y.aborts, y.records);
    abort_bits_check(t, &y.cause, rules[id].set, rules[id].clear);
    if (y.before == CAUSES && !y.inner && y.counter == 0)
        note(t,
             "%u records of %u aborts, %u by this cause, %u Instruction_Abort; "
             "B8H: %s",
             y.records, y.aborts, y.cause.records,
             abort_bits_set(&y.all, INSTRUCTION),
             pebs_tx_abort_text(y.info, text));
    abort_bits_sum(sum, &y.all);
    return true;
}

/* Of a cause after another one; those that take long come before one alone. */
static bool is_tried_after(enum cause_id id, enum cause_id before)
{
    return causes[id].always && id != before && id < CAUSE_NESTING &&
           before < CAUSE_NESTING && before != CAUSE_READS &&
           (before != CAUSE_WRITES || id == CAUSE_XABORT);
}

/* Nothing of the cause that was before is in the record. */
static bool try_after(struct sampling *p, struct abort_bits *sum)
{
    for (enum cause_id id = 0; id < CAUSES; id++)
        for (enum cause_id before = 0; before < CAUSES; before++) {
            if (!is_tried_after(id, before))
                continue;
            prefix_push(p->t, "%s after %s", causes[id].name,
                        causes[before].name);
            if (!try_cause(p, id, (struct tally){.before = before}, sum))
                return false;
            prefix_pop(p->t);
        }
    return true;
}

/* Forced aborts, by the white paper with an abort status of 0. Whether they
 * count as aborted is not said: where there is a record, it is of one. */
#define FORCED 8

static void try_forced(struct sampling *p)
{
    struct pebs_record record;
    struct test_context *t = p->t;
    uint32_t eax[FORCED] = {0};
    unsigned records = 0;
    uint64_t value;

    /* Set-up. */
    if (!force_abort_change(t, 0, TSX_FORCE_ABORT_RTM_FORCE_ABORT, &value))
        return;

    /* Measured. */
    if (!sampling_arm(p, &config) || !sampling_start(p))
        return;
    for (unsigned i = 0; i < FORCED; i++) {
        struct tsx_block block = {.body = tsx_body_nothing};
        tsx_inside(&block);
        if (sampling_written(p) > records)
            eax[records++] = block.status;
    }
    if (!sampling_stop(p))
        return;

    /* Check. */
    for (unsigned n = 0; n < records && sampling_record(p, n, &record); n++) {
        const struct pebs_abort abort = {
            .eax = eax[n], .resume = (uint64_t)(uintptr_t)tsx_fallback};
        WITH_PREFIX (t, "RTM_FORCE_ABORT = 1")
            abort_check(p, &record, &abort);
    }
    note(t, "RTM_FORCE_ABORT = 1: %u records of %u aborts", records, FORCED);
}

TEST(pebs_tx_abort,
     .asks = "Does the record of an RTM abort show its cause and its fallback?",
     .cite = "SDM 3B, \"Intel TSX and PEBS Support\", table \"TX Abort "
             "Information Field Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_2 |
                           NEED_RTM})
{
    struct abort_bits sum = {0};
    struct sampling p;

    /* Set-up. */
    if (!probe_set_up(t) || !sampling_claim(&p, t))
        return;
    const bool elides = hle_elides(t);

    /* Measured, and checked one by one. */
    for (enum cause_id id = 0; id < CAUSES; id++) {
        prefix_push(t, "%s", causes[id].name);
        if (!try_cause(&p, id,
                       (struct tally){.before = CAUSES,
                                      .elides = elides && id == CAUSE_XABORT},
                       &sum))
            return;
        prefix_pop(t);
        prefix_push(t, "%s, a level further in", causes[id].name);
        if (!try_cause(&p, id, (struct tally){.before = CAUSES, .inner = true},
                       &sum))
            return;
        prefix_pop(t);
    }
    if (!try_after(&p, &sum))
        return;
    prefix_push(t, "by IA32_PMC1 (C2H), %s", causes[CAUSE_XABORT].name);
    if (!try_cause(&p, CAUSE_XABORT,
                   (struct tally){.before = CAUSES, .counter = 1}, &sum))
        return;
    prefix_pop(t);
    abort_bits_check_retry(t, &sum);
    abort_bits_observe_retry(t, &sum);
    if (test_regime(t) == REGIME_B)
        try_forced(&p);
}
