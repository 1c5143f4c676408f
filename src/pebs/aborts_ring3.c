/* SPDX-License-Identifier: BSD-2-Clause */
/* aborts_ring3.c - each cause by itself. How many records there are is not
 * certain, for another abort may come before the one that is meant: only what
 * is wrong is said. */
#include "src/pebs/aborts_ring3.h"

#include "src/base/msr.h"
#include "src/pebs/abort_bits.h"
#include "src/pebs/pebs_judge.h"
#include "src/tsx/status.h"

#define INSTRUCTION TX_ABORT_INSTRUCTION_ABORT
#define OTHER       TX_ABORT_NON_INSTRUCTION_ABORT
#define WRITES      TX_ABORT_CAPACITY_WRITES
#define READS       TX_ABORT_CAPACITY_READS
#define CONFLICT    TX_ABORT_DATA_CONFLICT

/* Instructions, from the first of two transactions to the midst of the second
 * (ring3_aborts_held), and windows until some interrupts came there. */
#define UNTIL   3072
#define WINDOWS 4

static const struct aborts {
    const char *what;
    uint32_t select;
    const uint8_t *body, *at, *resume;
    uint32_t eax;
    bool hle;
    bool lines;          /* too many: where they are, eax is each one's */
    uint64_t set, clear; /* of B8H */
} aborts[] = {
    {"aborts of RTM", PRECISE_RTM_ABORTED, ring3_aborts_rtm,
     ring3_aborts_rtm_at, ring3_aborts_rtm_resume,
     (uint32_t)RING3_TX_CODE << 24 | RTM_STATUS_XABORT, false, false,
     INSTRUCTION, OTHER | CONFLICT | WRITES | READS},
    {"aborts of RTM by CPUID", PRECISE_RTM_ABORTED, ring3_aborts_cpuid,
     ring3_aborts_cpuid_at, ring3_aborts_cpuid_resume, 0, false, false,
     INSTRUCTION, OTHER | CONFLICT | WRITES | READS},
    {"aborts of RTM by UD2", PRECISE_RTM_ABORTED, ring3_aborts_ud2,
     ring3_aborts_ud2_at, ring3_aborts_ud2_resume, 0, false, false, INSTRUCTION,
     OTHER | CONFLICT | WRITES | READS},
    {"aborts of RTM by CPUID in an inner one", PRECISE_RTM_ABORTED,
     ring3_aborts_inner, ring3_aborts_inner_at, ring3_aborts_inner_resume, 0,
     false, false, INSTRUCTION, OTHER | CONFLICT | WRITES | READS},
    {"aborts of RTM by stores to many lines", PRECISE_RTM_ABORTED,
     ring3_aborts_writes, ring3_aborts_writes_at, ring3_aborts_writes_resume,
     RTM_STATUS_CAPACITY, false, true, WRITES, READS | CONFLICT},
    {"aborts of RTM by loads from many lines", PRECISE_RTM_ABORTED,
     ring3_aborts_reads, ring3_aborts_reads_at, ring3_aborts_reads_resume,
     RTM_STATUS_CAPACITY, false, true, READS, WRITES | CONFLICT},
    {"aborts of HLE", PRECISE_HLE_ABORTED, ring3_aborts_hle,
     ring3_aborts_hle_at, ring3_aborts_hle_resume, 0, true, false, INSTRUCTION,
     OTHER | CONFLICT | WRITES | READS},
};

static const struct aborts interrupts = {"aborts of RTM by an interrupt",
                                         PRECISE_RTM_ABORTED,
                                         ring3_aborts_held,
                                         ring3_aborts_held_at,
                                         ring3_aborts_held_resume,
                                         0,
                                         false,
                                         false,
                                         0,
                                         CONFLICT | WRITES | READS};

static uint64_t seen_at(const struct contexts *c, const uint8_t *label)
{
    return c->code + (uint64_t)(label - ring3_code);
}

static void judge(struct contexts *c, const struct aborts *row,
                  const struct pebs_record *r)
{
    const struct pebs_abort abort = {
        .hle = row->hle,
        .eax = row->eax,
        .at = seen_at(c, row->at),
        .resume = seen_at(c, row->resume),
        .cycles_least = 1,
        .cycles_most = UINT32_MAX,
    };
    const uint64_t kind = row->hle ? TX_ABORT_HLE_ABORT : TX_ABORT_RTM_ABORT;
    const char *wrong =
        (r->tx_abort & INSTRUCTION) != 0 && !row->lines
            ? pebs_judge_abort(r, &abort)
        : (r->tx_abort & (TX_ABORT_HLE_ABORT | TX_ABORT_RTM_ABORT)) != kind
            ? "TX Abort Information (B8H)[33:32] is of another kind of abort"
        : r->rip != abort.resume ? "RIP (08H) is not where it goes on"
                                 : NULL;

    /* What it says of an abort, a record of a later instruction does not. */
    if (wrong != NULL)
        check_known(
            c->sampling.t, false, ERRATUM_RECORD_OF_LATER,
            !ring3_executes(&c->ring3, r->eventing_ip),
            "%s; B8H = 0x%lx, RIP 0x%lx, EventingIP 0x%lx; the fallback is at "
            "0x%lx, the aborting instruction at 0x%lx",
            wrong, r->tx_abort, r->rip, r->eventing_ip, abort.resume, abort.at);
}

static const uint64_t *statuses(const struct contexts *c)
{
    const struct ring3_state *state =
        (const struct ring3_state *)(uintptr_t)c->ring3.ring3->data;

    return state->results;
}

/* Whether all were by too many lines: a record does not tell which is its. */
static bool all_of_capacity(const struct contexts *c)
{
    for (unsigned n = 0; n < RING3_ABORTS; n++)
        if ((statuses(c)[n] & RTM_STATUS_CAUSES & ~RTM_STATUS_RETRY) !=
            RTM_STATUS_CAPACITY)
            return false;
    return true;
}

/* One abort overflows, a later one is recorded, and so on; IA32_PMC1 counts
 * them. */
static bool try_aborts(struct contexts *c, const struct aborts *row)
{
    const struct sampling_config config = {
        .select = row->select,
        .counters = 1 << 0,
        .count_only = 1 << 1,
        .first_period = {1},
        .period = {1},
        .room = 2 * RING3_ABORTS,
        .threshold = 2 * RING3_ABORTS,
    };
    struct sampling *p = &c->sampling;
    struct abort_bits bits = {0};
    struct pebs_record record;

    /* Measured. */
    if (!contexts_run(c, &config, row->body, 3))
        return false;
    const bool lines = row->lines && all_of_capacity(c);

    /* Check. */
    for (unsigned n = 0; n < p->records; n++) {
        if (!sampling_record(p, n, &record))
            return false;
        judge(c, row, &record);
        if (lines || (!row->lines && record.eventing_ip == seen_at(c, row->at)))
            abort_bits_add(&bits, &record, row->eax);
    }
    abort_bits_check(p->t, &bits, row->set, row->clear);
    check(p->t, p->records != 0 || p->value[1] < RING3_ABORTS,
          "%lu aborts made no record; wanted some", p->value[1]);
    return true;
}

/* IA32_PMC1 counts instructions of ring 3 alone, and interrupts. */
static void run_interrupted(struct sampling *p, uint64_t session)
{
    if (set_msr_again(p->t, IA32_PERFEVTSEL(1),
                      EVENT_INST_RETIRED | IA32_PERFEVTSEL_USR |
                          IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_EN))
        sampling_ring3_body(p, session);
}

/* The first of two aborts is an XABORT; by the second's status, and where it
 * was, it is the interrupt's. */
static bool try_interrupt(struct contexts *c, struct abort_bits *bits)
{
    const struct aborts *row = &interrupts;
    const struct sampling_config config = {
        .select = row->select,
        .counters = 1 << 0,
        .plain = 1 << 1,
        .first_period = {1, UNTIL},
        .period = {1},
        .room = 2 * RING3_ABORTS,
        .threshold = 2 * RING3_ABORTS,
    };
    struct sampling *p = &c->sampling;
    struct pebs_record record;

    if (!contexts_run_prepared(c, &config, row->body, 3, run_interrupted))
        return false;
    const uint64_t first = seen_at(c, row->body);
    const bool is = (statuses(c)[1] & RTM_STATUS_XABORT) != 0 &&
                    (uint32_t)statuses(c)[0] == 0 && hw_pmi_count() != 0;
    for (unsigned n = 0; n < p->records && is; n++) {
        if (!sampling_record(p, n, &record))
            return false;
        if (record.eventing_ip - first >= seen_at(c, row->at) - first)
            continue;
        judge(c, row, &record);
        abort_bits_add(bits, &record, row->eax);
    }
    return true;
}

static bool try_interrupts(struct contexts *c)
{
    struct abort_bits bits = {0};

    for (unsigned i = 0; i < WINDOWS; i++) {
        if (!hw_pmi_begin(false)) /* there is no local APIC */
            return true;
        const bool ok = try_interrupt(c, &bits);
        hw_pmi_end();
        if (!ok)
            return false;
        hw_poll();
    }
    abort_bits_check(c->sampling.t, &bits, interrupts.set, interrupts.clear);
    return true;
}

bool aborts_at_ring3(struct contexts *c, bool elides)
{
    struct test_context *t = c->sampling.t;

    (void)ring3_show(&c->ring3, (uintptr_t)test_source(t), RING3_SHOWN);
    for (unsigned i = 0; i < sizeof(aborts) / sizeof(aborts[0]); i++)
        if (!aborts[i].hle || elides)
            WITH_PREFIX (t, "%s at ring 3", aborts[i].what)
                if (!try_aborts(c, &aborts[i]))
                    return false;
    WITH_PREFIX (t, "%s at ring 3", interrupts.what)
        if (!try_interrupts(c))
            return false;
    return true;
}
