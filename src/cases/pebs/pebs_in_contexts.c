/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of each access of one body, at ring 0 and at ring 3: the instruction,
 * the one that follows, the address, and the registers that it leaves. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/memory/datala.h"
#include "src/memory/state_after.h"
#include "src/memory/memory_sampling.h"
#include "src/pebs/aborts_ring3.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling_ring3.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define PAGE_BYTES 4096u
#define LINE_BYTES 64u
#define PERIOD     5 /* events, of which no turn has a divisor */
#define FLAGS      (BIT(7) | BIT(6) | BIT(0)) /* SF, ZF, CF */
#define WINDOWS    8 /* until so many loads are tagged, at most */
#define LOADS      4
#define LOCKED     16 /* bytes of the page, which only locked loads are of */

/* SDM 3B, "Precise Events That Supports Data Linear Address Profiling". */
static const struct row {
    const char *what;
    uint64_t select;
    uint32_t kind;
} rows[] = {
    {"loads (D0H/81H)", 0x81d0, RING3_BODY_LOAD},
    {"stores (D0H/82H)", 0x82d0, RING3_BODY_STORE},
    {"locked loads (D0H/21H)", 0x21d0, RING3_BODY_LOAD | RING3_BODY_LOCKED},
    {"split loads (D0H/41H)", 0x41d0, RING3_BODY_LOAD | RING3_BODY_SPLIT},
    {"split stores (D0H/42H)", 0x42d0, RING3_BODY_STORE | RING3_BODY_SPLIT},
};

/* The access of the event before this RIP, else that at this EventingIP; NULL:
 * none. */
static const struct ring3_access *access_of(const struct row *row, uint64_t at,
                                            uint64_t rip)
{
    const struct ring3_access *found = NULL;

    for (const struct ring3_access *a = ring3_body_accesses; a->at != 0; a++) {
        if ((a->kind & row->kind) != row->kind)
            continue;
        if (a->next == rip && (a->kind & RING3_BODY_GOES) == 0)
            return a;
        if (a->at == at)
            found = a;
    }
    return found;
}

static bool is_address(const struct ring3_access *a, uint64_t place)
{
    if ((a->kind & RING3_BODY_MOVES) == 0)
        return place == a->place;
    return place - a->place < RING3_BODY_TURNS * LINE_BYTES &&
           (place - a->place) % LINE_BYTES == 0;
}

static void check_field(const struct contexts *c, bool ok, const char *what,
                        uint64_t got, uint64_t want,
                        const struct pebs_record *record)
{
    check_known(
        c->sampling.t, ok, ERRATUM_RECORD_OF_LATER, true,
        "%s is 0x%lx in a record with EventingIP (B0H) 0x%lx, RIP (08H) "
        "0x%lx; wanted 0x%lx",
        what, got, record->eventing_ip, record->rip, want);
}

struct tally {
    unsigned of_body, wrong; /* records; their EventingIP */
    unsigned stores, hits;   /* records of stores; A0H[0] is 1 */
};

/* "Other bits are zero"; A8H "always zero": what adaptive records have is not
 * certain. */
static void judge_store(const struct contexts *c, const struct pebs_record *r,
                        struct tally *sum)
{
    const uint64_t status = r->data_source & ~BIT(0);

    if (c->sampling.format < PEBS_FORMAT_ADAPTIVE) {
        check_field(c, status == 0, "Store Status (A0H)[63:1]", status, 0, r);
        check_field(c, r->latency == 0, "A8H of a store", r->latency, 0, r);
    }
    sum->stores++;
    sum->hits += (r->data_source & BIT(0)) != 0;
}

static void judge(const struct contexts *c, const struct ring3_access *a,
                  const struct pebs_record *r)
{
    const struct ring3 *ring3 = c->ring3.ring3;
    const uint64_t rsp = c->data + RING3_BODY_STACK - a->stacked;
    const uint64_t calls = c->code + (uint64_t)(ring3_body_calls - ring3_code);
    const bool flags = a->at == ring3_body_accesses[0].at;

    if ((a->kind & RING3_BODY_GOES) == 0)
        check_field(c, r->rip == c->code + a->next, "RIP (08H)", r->rip,
                    c->code + a->next, r);
    check_field(c, is_address(a, r->data_linear_address - c->data),
                "Data Linear Address (98H)", r->data_linear_address,
                c->data + a->place, r);
    check_field(c, r->rsp == rsp, "RSP (48H)", r->rsp, rsp, r);
    check_field(c, r->rbp == c->data, "RBP (40H)", r->rbp, c->data, r);
    check_field(c, r->rbx == (uintptr_t)ring3, "RBX (18H)", r->rbx,
                (uintptr_t)ring3, r);
    check_field(c, r->r8 - 1 < RING3_BODY_TURNS, "R8 (50H)", r->r8,
                RING3_BODY_TURNS, r);
    check_field(c, r->r10 == ring3->kernel_rsp, "R10 (60H)", r->r10,
                ring3->kernel_rsp, r);
    check_field(c, r->r11 == ring3->data || r->r11 == calls, "R11 (68H)",
                r->r11, calls, r);
    check_field(c, r->r14 == 0xffffffff, "R14 (80H)", r->r14, 0xffffffff, r);
    check_field(c, !flags || (r->rflags & FLAGS) == BIT(7), "RFLAGS (00H)",
                r->rflags, BIT(7), r);
    if (pebs_has(r, PEBS_TSC))
        check_field(c,
                    r->tsc >= c->sampling.tsc_before &&
                        r->tsc <= c->sampling.tsc_after,
                    "TSC (C0H), of before or after the window,", r->tsc,
                    c->sampling.tsc_before, r);
}

/* Of the body; what counts before and after it has its records, too. */
static bool try_period(struct contexts *c, const struct row *row,
                       unsigned level, unsigned first, struct tally *sum)
{
    const struct sampling_config config = {
        .select = row->select,
        .counters = 1 << 0,
        .first_period = {first},
        .period = {PERIOD - 1},
        .room = PEBS_ROOM_MAX,
        .threshold = first == 1 ? 2 : PEBS_ROOM_MAX,
    };
    struct test_context *t = c->sampling.t;
    struct pebs_record record;

    /* Measured. */
    if (!contexts_run(c, &config, ring3_body_plain, level))
        return false;

    /* Check. */
    check(t,
          c->sampling.records < config.threshold ||
              (c->sampling.status & IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER) != 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after %u records with the "
          "threshold at %u; wanted bit 62",
          c->sampling.status, c->sampling.records, config.threshold);
    for (unsigned n = 0; n < c->sampling.records; n++) {
        if (!sampling_record(&c->sampling, n, &record))
            return false;
        const uint64_t at = record.eventing_ip - c->code;
        if (at - PAGE_BYTES >= RING3_CODE_BYTES - PAGE_BYTES)
            continue;
        const struct ring3_access *access =
            access_of(row, at, record.rip - c->code);
        sum->of_body++;
        sum->wrong += access == NULL || access->at != at;
        if (access != NULL)
            judge(c, access, &record);
        if (access != NULL && (row->kind & RING3_BODY_STORE) != 0)
            judge_store(c, &record, sum);
    }
    return true;
}

/* From each of PERIOD events on: so each of the body has its turn. */
static bool try_row(struct contexts *c, const struct row *row, unsigned level,
                    unsigned *at_ring_0)
{
    struct test_context *t = c->sampling.t;
    struct tally sum = {0};

    for (unsigned first = 1; first <= PERIOD; first++)
        if (!try_period(c, row, level, first, &sum))
            return false;
    const unsigned records = sum.of_body;
    check_known(t, sum.wrong == 0, ERRATUM_EVENTING_IP,
                4 * sum.wrong <= records + 8, /* of few, two more */
                "EventingIP (B0H) is not of an instruction of the event, or "
                "not before RIP (08H), in %u of %u records",
                sum.wrong, records);
    /* A page that each turn writes to. What adaptive records have is not
     * certain. */
    if (sum.stores != 0 && c->sampling.format < PEBS_FORMAT_ADAPTIVE)
        check(t, 2 * sum.hits > sum.stores,
              "Store Status (A0H)[0] (L1D Hit) is 1 in %u of %u records of "
              "stores to one page; wanted more than half",
              sum.hits, sum.stores);
    if (level == 0)
        *at_ring_0 = records;
    check(t,
          records <= *at_ring_0 + PERIOD + *at_ring_0 / 8 &&
              *at_ring_0 <= records + PERIOD + records / 8,
          "%u records are of the body, one in %u events; at ring 0 %u", records,
          PERIOD, *at_ring_0);
    check(t, records >= RING3_BODY_TURNS / 2,
          "%u records are of the body, which %u times had %u of the event or "
          "more; wanted %u",
          records, PERIOD, RING3_BODY_TURNS, RING3_BODY_TURNS / 2);
    return true;
}

/* Loads that are tagged, of which there are some in a few windows. */
static bool try_latency(struct contexts *c, unsigned level)
{
    struct sampling *p = &c->sampling;
    const struct sampling_config config =
        memory_config(p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY, 0);
    struct pebs_record record;
    unsigned found = 0, unknown = 0;

    for (unsigned i = 0; i < WINDOWS && found < LOADS; i++) {
        if (!contexts_run(c, &config, ring3_body_plain, level))
            return false;
        for (unsigned n = 0; n < p->records; n++) {
            if (!sampling_record(p, n, &record))
                return false;
            if (record.data_linear_address - c->data >= PAGE_BYTES)
                continue;
            found++;
            unknown += (record.data_source & BITS(3, 0)) == 0;
            const uint64_t source = memory_judge_source(
                identity_generation(test_cpu(p->t)), record.data_source);
            const bool locked = record.data_linear_address - c->data < LOCKED;
            const uint64_t latency = memory_judge_longer(
                identity_generation(test_cpu(p->t)), record.latency);
            if (latency < LOAD_LATENCY_MIN ||
                ((source & DATA_SOURCE_LOCK) != 0) != locked)
                check(p->t, false,
                      "a load from 0x%lx has A8H = %lu, A0H = 0x%lx; wanted %u "
                      "cycles or more, Lock = %d",
                      record.data_linear_address, latency, record.data_source,
                      LOAD_LATENCY_MIN, locked);
        }
    }
    /* Each turn of the body has the page's lines in the caches; the first have
     * not, and of few some are mistaken by an erratum (HSD025). */
    check(p->t, found < 3 || unknown < found,
          "A0H[3:0] (Source) is 0 (unknown L3 cache miss) in %u of %u records "
          "of loads from one page; wanted fewer",
          unknown, found);
    return true;
}

/* An access in a transaction that is to make a record aborts it: SDM 3B, "Intel
 * TSX and PEBS Support". The body's accesses are in it, all of them. */
static bool try_inside(struct contexts *c, const struct row *row,
                       unsigned level)
{
    const struct sampling_config config = {.select = row->select,
                                           .counters = 1 << 0,
                                           .first_period = {PERIOD},
                                           .room = PEBS_ROOM_MAX,
                                           .threshold = PEBS_ROOM_MAX};
    struct pebs_record record;

    /* Measured. */
    if (!contexts_run(c, &config, ring3_body_committed, level))
        return false;

    /* Check. */
    for (unsigned n = 0; n < c->sampling.records; n++) {
        if (!sampling_record(&c->sampling, n, &record))
            return false;
        const struct ring3_access *a =
            access_of(row, record.eventing_ip - c->code, 0);
        if (a == NULL || c->ring3.ring3->status != RTM_STATUS_STARTED)
            continue;
        check(c->sampling.t, false,
              "a transaction committed, and an event inside, at 0x%lx, had "
              "made a record; wanted an abort first",
              record.eventing_ip);
    }
    return true;
}

TEST(pebs_in_contexts,
     .asks = "Do records of ring 3 say the same as elsewhere: instruction, "
             "address, registers?",
     .cite = "SDM 3B, \"PEBS Data Address Profiling\"; table \"PEBS Record "
             "Format for 4th Generation Intel Core Processor Family\"",
     .scope = THREADS_IN_TURN,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_2})
{
    struct contexts c;
    const bool transactions = probe_state_if_any(t);
    unsigned at_ring_0 = 0;

    /* Set-up. */
    if (!memory_has_data_address(t) || !sampling_claim(&c.sampling, t) ||
        !ring3_prepare(&c.ring3, t))
        return;

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, rows)
        for (unsigned level = 0; level <= 3; level += 3)
            WITH_PREFIX (t, "%s at ring %u", rows[i].what, level)
                if (!try_row(&c, &rows[i], level, &at_ring_0))
                    return;
    for (unsigned level = 0; level <= 3; level += 3)
        WITH_PREFIX (t, "loads into registers, and REP STOS, at ring %u", level)
            if (!state_after_loads(&c, level) || !state_after_string(&c, level))
                return;
    WITH_PREFIX (t, "at ring 3")
        if (!state_after_crossing(&c))
            return;
    for (unsigned i = 0; i < 2 && transactions; i++)
        for (unsigned level = 0; level <= 3; level += 3)
            WITH_PREFIX (t, "%s at ring %u", rows[i].what, level)
                if (!try_inside(&c, &rows[i], level))
                    return;
    if (transactions &&
        !aborts_at_ring3(&c, test_regime(t) == REGIME_A && test_cpu(t)->hle))
        return;
    /* Counter 3 is made to work for it: no transaction commits from now on. */
    if ((memory_latency_counters(t) & 1) != 0) {
        if (!memory_set_threshold(t, MSR_PEBS_LD_LAT_THRHLD_MIN))
            return;
        for (unsigned level = 0; level <= 3; level += 3)
            WITH_PREFIX (t, "load latency (CDH/01H) at ring %u", level)
                if (!try_latency(&c, level))
                    return;
    }
    struct tally sum = {0}; /* of latencies nothing is left in them */
    WITH_PREFIX (t, "stores after load latency")
        try_period(&c, &rows[1], 0, 1, &sum);
}
