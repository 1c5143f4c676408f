/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of aborts by a data conflict with another processor: of RTM, at ring
 * 0 and at ring 3, and of HLE where locks are elided. */
#include "src/harness/case.h"
#include "src/pebs/abort_bits.h"
#include "src/pebs/abort_check.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling_ring3.h"
#include "src/tsx/hle.h"
#include "src/tsx/pair.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define TRIES     60
#define ENOUGH    3   /* records, of conflicts at ring 3 */
#define TIME_PART 16  /* of the job's time, at ring 3 */
#define TURNS     256 /* of a loop, while the line is held */
#define TURNS_MAX 512u
#define RECORDS   4                   /* of HLE, at most */
#define CODE      (UINT64_C(1) << 21) /* bytes of this program, at most */
#define CAPACITY  (TX_ABORT_CAPACITY_WRITES | TX_ABORT_CAPACITY_READS)
#define XABORT    (tsx_bodies_xabort + 0x5a * TSX_XABORT_BYTES)

/* The first abort overflows, the second is recorded, and so on; PMC1 counts all
 * of them. */
static const struct sampling_config config = {
    .counters = 1 << 0,
    .count_only = 1 << 1,
    .first_period = {1},
    .period = {1},
    .room = 32,
    .threshold = 32,
};

/* At the start of the boot processor's buffer; the line in a page of its own.
 */
struct arena {
    volatile uint64_t line[512];
    struct pair pair;
    struct sampling p;
    /* conflict: EAX[2] is set; of HLE: Data_Conflict */
    struct abort_bits all, conflict, xabort;
    unsigned aborts, records, conflicts, elsewhere;
    unsigned sections;   /* of HLE */
    const uint8_t *body; /* of RTM */
    bool hle, measured;
    bool reads; /* what another processor does, where the body has stored */
};

static const char *access_of(const struct arena *a)
{
    return a->reads ? "a read by another processor of what was written"
                    : "a write by another processor to what was read";
}

/* What another processor does, of the transaction's line. */
static void access_line(struct test_context *peer, void *argument)
{
    struct arena *a = argument;

    (void)peer;
    if (a->reads)
        (void)a->line[0];
    else
        a->line[0]++;
}

static void judge_record(struct arena *a, uint32_t eax)
{
    struct sampling *p = &a->p;
    const bool xabort = (eax & RTM_STATUS_XABORT) != 0;
    const struct pebs_abort abort = {
        .hle = a->hle,
        .eax = eax,
        .at = xabort ? (uint64_t)(uintptr_t)XABORT : 0,
        .resume =
            (uint64_t)(uintptr_t)(a->hle ? hle_xchg_acquired : tsx_fallback)};
    struct pebs_record record;

    if (!sampling_record(p, a->records++, &record))
        return;
    WITH_PREFIX (p->t, "%s", access_of(a))
        abort_check(p, &record, &abort);
    abort_bits_add(&a->all, &record, eax);
    if (a->hle ? (record.tx_abort & TX_ABORT_DATA_CONFLICT) != 0
               : (eax & RTM_STATUS_CONFLICT) != 0)
        abort_bits_add(&a->conflict, &record, eax);
    if (xabort)
        abort_bits_add(&a->xabort, &record, eax);
    a->elsewhere += record.eventing_ip - abort.resume + CODE >= 2 * CODE;
    a->conflicts += (record.tx_abort & TX_ABORT_DATA_CONFLICT) != 0;
}

static bool start(struct arena *a)
{
    struct sampling_config of_kind = config;

    of_kind.select = a->hle ? PRECISE_HLE_ABORTED : PRECISE_RTM_ABORTED;
    return sampling_arm(&a->p, &of_kind) && sampling_start(&a->p);
}

/* XABORT after a conflict, now and then: it is to be recorded, whichever of the
 * aborts are. */
static bool is_time_for_xabort(const struct arena *a, uint32_t eax)
{
    return eax != RTM_STATUS_STARTED && (eax & RTM_STATUS_CONFLICT) != 0 &&
           a->xabort.records < a->conflict.records &&
           test_random(a->p.t) % 2 != 0;
}

/* A record is that of the abort just before it. */
static void run_transactions(struct test_context *t, void *argument)
{
    struct arena *a = argument;
    const struct tsx_block block = {.body = a->body,
                                    .argument = (uint64_t)(uintptr_t)a->line,
                                    .count = TURNS};
    struct tsx_block tried = {.status = 0};

    (void)t;
    if (!start(a))
        return;
    for (unsigned i = 0;
         i < TRIES && (a->conflicts < 3 || a->xabort.records < 2); i++) {
        const bool xabort = is_time_for_xabort(a, tried.status);
        tried = xabort ? (struct tsx_block){.body = XABORT} : block;
        a->aborts += tsx_inside(&tried) == TSX_ABORTED;
        if (sampling_written(&a->p) > a->records)
            judge_record(a, tried.status);
    }
    a->measured = sampling_stop(&a->p);
}

/* By HLE, which has no status; a section that aborts is executed again. No
 * hw_poll(): counters run. */
static void run_sections(struct test_context *t, void *argument)
{
    struct arena *a = argument;
    uint64_t turns = TURNS;

    (void)t;
    if (!start(a))
        return;
    for (unsigned i = 0; i < TRIES && a->conflicts < 3 && a->records < RECORDS;
         i++) {
        struct hle_block block = {
            .lock = &a->line[1], .turns = turns, .ask = 1};
        a->line[1] = 0;
        hle_xchg(&block);
        a->sections++;
        a->aborts += block.inside == 0;
        if (sampling_written(&a->p) > a->records)
            judge_record(a, 0);
        if (block.inside != 0 && turns < TURNS_MAX)
            turns *= 2;
    }
    a->measured = sampling_stop(&a->p);
}

/* Is a lock elided at all? */
static bool elides(struct test_context *t)
{
    struct hle_tally plain = {0};

    if (!hle_elides(t))
        return false;
    hle_try(t, &hle_forms[0], probe_row_tries(t), &plain);
    return plain.elided != 0;
}

static bool try_kind(struct test_context *t, struct arena *a, bool hle)
{
    a->hle = hle;
    a->aborts = a->records = a->conflicts = a->elsewhere = a->sections = 0;
    a->all = a->conflict = a->xabort = (struct abort_bits){0};
    a->measured = false;
    a->line[0] = 0;

    /* Measured, and each record checked. */
    if (!pair_run(t, &a->pair, hle ? run_sections : run_transactions,
                  access_line, a) ||
        !a->measured)
        return false;

    /* SDM 1, "HLE Software Interface": after an abort "without elision". */
    if (hle)
        check(t, a->p.value[1] <= a->sections,
              "%u critical sections, whose lock another processor writes "
              "beside: HLE_RETIRED (C8H) .ABORTED (04H) %lu; wanted one a "
              "section at most: it is executed again without elision",
              a->sections, a->p.value[1]);
    if (hle && a->conflicts == 0 && a->records < RECORDS) {
        note(t, "%u records of %u aborts, too few to tell", a->records,
             a->aborts);
        return true;
    }

    /* Check. */
    check(t, a->conflicts != 0,
          "%s, %lu times during %u transactions: %u aborted, and %u records "
          "were made, none with Data_Conflict (B8H[37])",
          access_of(a), a->pair.rounds, TRIES, a->aborts, a->records);
    check(t, 2 * a->elsewhere <= a->records,
          "EventingIP (B0H) is no address of this program's code in %u of %u "
          "records of aborts",
          a->elsewhere, a->records);
    WITH_PREFIX (t, "%s", access_of(a))
        abort_bits_check(t, &a->conflict,
                         TX_ABORT_DATA_CONFLICT |
                             TX_ABORT_NON_INSTRUCTION_ABORT,
                         TX_ABORT_INSTRUCTION_ABORT | CAPACITY);
    WITH_PREFIX (t, "XABORT after such an access")
        abort_bits_check(t, &a->xabort, TX_ABORT_INSTRUCTION_ABORT,
                         TX_ABORT_NON_INSTRUCTION_ABORT |
                             TX_ABORT_DATA_CONFLICT | CAPACITY);
    note(t, "%u records of %u aborts, %u with Data_Conflict", a->records,
         a->aborts, a->conflicts);
    return true;
}

/* --- At ring 3 ----------------------------------------------------------- */

/* In the second half of that buffer. */
struct at_ring3 {
    struct pair pair;
    struct contexts c;
    struct abort_bits all, conflict;
    unsigned windows, conflicts; /* whose two aborts are by a conflict */
    bool measured;
};

static volatile struct ring3_state *state_of(const struct at_ring3 *a)
{
    return (volatile struct ring3_state *)(uintptr_t)a->c.ring3.ring3->data;
}

static void write_held(struct test_context *peer, void *argument)
{
    const struct at_ring3 *a = argument;

    (void)peer;
    state_of(a)->held[0] = a->pair.rounds;
}

/* Two transactions a window: the first abort overflows, and the record is of
 * the second; where both have left the same, it is of such a one. */
static void judge_window(struct at_ring3 *a)
{
    struct sampling *p = &a->c.sampling;
    const uint32_t eax = (uint32_t)state_of(a)->results[0];
    const bool xabort = (eax & RTM_STATUS_XABORT) != 0;
    const uint64_t code = a->c.code - (uint64_t)(uintptr_t)ring3_code;
    const struct pebs_abort abort = {
        .eax = eax,
        .at = xabort ? code + (uint64_t)(uintptr_t)ring3_aborts_held_at : 0,
        .resume = code + (uint64_t)(uintptr_t)ring3_aborts_held_resume};
    struct pebs_record record;

    if (eax != (uint32_t)state_of(a)->results[1])
        return;
    a->conflicts += (eax & RTM_STATUS_CONFLICT) != 0;
    for (unsigned n = 0; n < p->records; n++) {
        if (!sampling_record(p, n, &record))
            return;
        if (!abort_check(p, &record, &abort))
            continue;
        abort_bits_add(&a->all, &record, eax);
        if ((eax & RTM_STATUS_CONFLICT) != 0)
            abort_bits_add(&a->conflict, &record, eax);
    }
}

static void run_at_ring3(struct test_context *t, void *argument)
{
    struct at_ring3 *a = argument;
    struct sampling_config two = config;
    const uint64_t start = hw_ms();

    two.select = PRECISE_RTM_ABORTED;
    while (a->conflict.records < ENOUGH && a->windows < TRIES &&
           (a->windows < ENOUGH ||
            hw_ms() - start < test_timeout_ms(t) / TIME_PART)) {
        a->windows++;
        if (!contexts_run(&a->c, &two, ring3_aborts_held, 3))
            return;
        judge_window(a);
    }
    a->measured = true;
}

static void try_at_ring3(struct test_context *t, const struct sampling *claimed)
{
    struct at_ring3 *a =
        (void *)((uint8_t *)test_buffer(t) + TEST_BUFFER_BYTES / 2);

    /* Set-up: ring 3's tables are in the first half from now on. */
    *a = (struct at_ring3){.c.sampling = *claimed};
    if (!ring3_prepare(&a->c.ring3, t))
        return;

    /* Measured, and each record checked. */
    if (!pair_run(t, &a->pair, run_at_ring3, write_held, a) || !a->measured)
        return;

    /* Check. */
    check(t, a->conflicts < 2 || a->conflict.records != 0,
          "no record in %u windows with two aborts by a conflict each",
          a->conflicts);
    abort_bits_check(t, &a->conflict,
                     TX_ABORT_DATA_CONFLICT | TX_ABORT_NON_INSTRUCTION_ABORT,
                     TX_ABORT_INSTRUCTION_ABORT | CAPACITY);
    abort_bits_check_retry(t, &a->all);
}

TEST(pebs_tx_conflict,
     .asks = "Does the record of an abort by a data conflict say so?",
     .cite = "SDM 3B, \"Intel TSX and PEBS Support\", table \"TX Abort "
             "Information Field Definition\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_2 |
                           NEED_RTM | NEED_TWO_PROCESSORS})
{
    struct arena *a = test_buffer(t);

    _Static_assert(sizeof(*a) <= TEST_BUFFER_BYTES / 2, "fits");

    /* Set-up. */
    a->body = tsx_body_hold_load;
    a->reads = false;
    if (!probe_set_up(t) || !sampling_claim(&a->p, t) || !try_kind(t, a, false))
        return;
    abort_bits_check_retry(t, &a->all);
    abort_bits_observe_retry(t, &a->all);
    a->body = tsx_body_hold_nested;
    WITH_PREFIX (t, "in an inner transaction")
        if (!try_kind(t, a, false))
            return;
    a->body = tsx_body_hold_store;
    a->reads = true;
    if (!try_kind(t, a, false))
        return;
    a->reads = false;
    if (elides(t))
        WITH_PREFIX (t, "an elided lock")
            if (!try_kind(t, a, true))
                return;
    WITH_PREFIX (t, "at ring 3")
        try_at_ring3(t, &a->p);
}
