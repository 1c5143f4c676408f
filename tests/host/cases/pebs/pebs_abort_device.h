/* SPDX-License-Identifier: BSD-2-Clause */
/* pebs_abort_device.h - a processor that makes records of RTM aborts, whose
 * transactions end as their bodies are named, or with one thing otherwise. */
#ifndef TESTS_HOST_CASES_PEBS_PEBS_ABORT_DEVICE_H
#define TESTS_HOST_CASES_PEBS_PEBS_ABORT_DEVICE_H

#include "asm/hle_regions.h"
#include "asm/rtm_store.h"
#include "asm/tsx_bodies.h"
#include "src/memory/datala.h"
#include "src/pebs/precise.h"
#include "src/tsx/pair.h"
#include "src/tsx/status.h"
#include "tests/host/cases/pebs/pebs_fixture.h"
#include "tests/host/cases/ring3_fixture.h"

extern const struct test test_pebs_tx_conflict;

#define BODY(name) const uint8_t tsx_body_##name[64] = {0};
BODY(hold_nested)
BODY(hold_store)
BODY(nest_write_lines)
BODY(spin)
BODY(spin_xabort)
BODY(nest_spin_xabort)
BODY(spin_nest_xabort)
BODY(nest_xabort_at)
BODY(divide_fault)
#undef BODY
const uint8_t hle_xchg_acquired[64] = {0};

#define INSTRUCTION TX_ABORT_INSTRUCTION_ABORT
#define ANY_OTHER   TX_ABORT_NON_INSTRUCTION_ABORT
#define CONFLICT    (RTM_STATUS_RETRY | RTM_STATUS_CONFLICT)

/* How a transaction ends, by its body. */
struct end {
    const uint8_t *body;
    uint32_t status;
    uint64_t info; /* B8H[39:34] but Retry */
    const uint8_t *at;
};
static const struct end ends[] = {
    {tsx_bodies_xabort + 0x5a * TSX_XABORT_BYTES, 0x5a000001, INSTRUCTION,
     tsx_bodies_xabort + 0x5a * TSX_XABORT_BYTES},
    {tsx_body_nest_xabort, 0x5a000021, INSTRUCTION, tsx_body_nest_xabort_at},
    {tsx_body_cpuid, 0, INSTRUCTION, tsx_body_cpuid + 4},
    {tsx_body_pause, 0, INSTRUCTION, tsx_body_pause},
    {tsx_body_ud2, 0, INSTRUCTION, tsx_body_ud2},
    {tsx_body_divide, 0, INSTRUCTION, tsx_body_divide_fault},
    {tsx_body_write_lines, RTM_STATUS_CAPACITY,
     ANY_OTHER | TX_ABORT_CAPACITY_WRITES, tsx_body_write_lines},
    {tsx_body_read_lines, RTM_STATUS_CAPACITY,
     ANY_OTHER | TX_ABORT_CAPACITY_READS, tsx_body_read_lines},
    {tsx_body_store, RTM_STATUS_BREAKPOINT, INSTRUCTION, tsx_body_store},
    {tsx_body_nest, RTM_STATUS_CAPACITY, INSTRUCTION, tsx_body_nest},
    {tsx_body_load, 0, INSTRUCTION, tsx_body_load},
    {tsx_body_hold_load, CONFLICT, ANY_OTHER | TX_ABORT_DATA_CONFLICT,
     tsx_body_hold_load},
    {tsx_body_hold_nested, CONFLICT | RTM_STATUS_NESTED,
     ANY_OTHER | TX_ABORT_DATA_CONFLICT, tsx_body_hold_nested},
    {tsx_body_hold_store, CONFLICT, ANY_OTHER | TX_ABORT_DATA_CONFLICT,
     tsx_body_hold_store},
    {tsx_body_spin_xabort, TSX_SPIN_STATUS, INSTRUCTION, tsx_body_spin_xabort},
    {tsx_body_nest_spin_xabort, TSX_SPIN_STATUS | RTM_STATUS_NESTED,
     INSTRUCTION, tsx_body_nest_spin_xabort},
    {tsx_body_spin_nest_xabort, TSX_SPIN_STATUS | RTM_STATUS_NESTED,
     INSTRUCTION, tsx_body_spin_nest_xabort},
    {tsx_body_read_lines_xabort, TSX_SPIN_STATUS, INSTRUCTION,
     tsx_body_read_lines_xabort},
    {tsx_body_nothing, 0, ANY_OTHER, tsx_body_nothing},
};
#define LINES_OF_A_TRANSACTION 512

/* What is otherwise. */
struct wrong {
    const uint8_t *of; /* in transactions of this body; NULL: in all */
    unsigned only;     /* in this record alone, from 1; 0: in all */
    uint64_t info;     /* XORed to B8H */
    uint32_t status;   /* and to EAX */
    int64_t rip, ip, cycles;
    int64_t slow;       /* added to what the clock says of a transaction */
    uint64_t after;     /* XORed to B8H of a record after a transaction */
    bool stale_section; /* the same, after an elided section */
    bool stale;         /* which has the time of the last abort */
    unsigned most;      /* records; 0: no limit */
    bool silent;        /* none */
    unsigned uncounted; /* aborts that a counter loses */
    bool commits, leaks, loses;
    unsigned cause;       /* in EAX of an abort by a record */
    bool outside;         /* IN_TX counts outside of transactions */
    bool idle;            /* the other processor's writes abort nothing */
    bool conflicts_ring3; /* at ring 3 they do, and no record is made */
    uint64_t sticky;      /* of B8H: 1 where it was in the abort before */
    uint64_t by_1;        /* the same, of records of counter 1 */
    bool adds;            /* cycles of the commit before */
    bool of_hle; /* HLE_Abort is that of the last abort of any kind, too */
};
static struct wrong wrong;
static bool hle_before;                        /* the last abort was one */
static uint64_t info_before, committed_before; /* of the transaction before */
static unsigned records;

static bool is_wrong(const struct tsx_block *b)
{
    return wrong.of == NULL || wrong.of == b->body;
}

static uint64_t cycles_of(const struct tsx_block *b)
{
    return b->body == tsx_body_read_lines_xabort ? 140000
           : b->body == tsx_body_nest_jump       ? 20
                                                 : b->count + 20;
}

static void record_abort(const struct tsx_block *b, const struct end *end,
                         unsigned counters)
{
    const bool is =
        is_wrong(b) && (wrong.only == 0 || wrong.only == records + 1);
    struct pebs_format3 record = {
        .rip =
            (uintptr_t)(b->body == hle_xchg_acquired ? b->body : tsx_fallback) +
            (uint64_t)(is ? wrong.rip : 0),
        .eventing_ip = (uintptr_t)end->at + (uint64_t)(is ? wrong.ip : 0),
        .applicable_counter = counters,
        .tsc = hw_tsc(),
        .tx_abort =
            (cycles_of(b) + (uint64_t)(is ? wrong.cycles : 0)) |
            (b->body == hle_xchg_acquired ? TX_ABORT_HLE_ABORT
                                          : TX_ABORT_RTM_ABORT) |
            end->info |
            ((end->status & RTM_STATUS_RETRY) != 0 ? TX_ABORT_RETRY : 0)};

    if (wrong.of_hle && hle_before)
        record.tx_abort |= TX_ABORT_HLE_ABORT;
    hle_before = b->body == hle_xchg_acquired;
    if (!has_room() || (is && wrong.silent) ||
        (wrong.most != 0 && records >= wrong.most))
        return;
    record.tx_abort ^= is ? wrong.info : 0;
    record.tx_abort ^= counters == 2 ? wrong.by_1 : 0;
    record.tx_abort |= wrong.sticky & info_before;
    record.tx_abort += wrong.adds ? committed_before : 0;
    put(&record);
    reached();
    records++;
}

/* Every second abort makes a record: the first overflows. */
static void count_abort(uint64_t event, const struct tsx_block *b,
                        const struct end *end)
{
    for (unsigned n = 0; n < COUNTERS; n++) {
        uint64_t *value = msr(IA32_PMC(n));
        if ((*msr(IA32_PERF_GLOBAL_CTRL) >> n & 1) == 0 ||
            (*msr(IA32_PERFEVTSEL(n)) & 0xffff) != event ||
            (n == 1 && wrong.uncounted != 0 && wrong.uncounted-- != 0))
            continue;
        *value = (*value + 1) & MASK;
        if (pending[n] != 0) {
            pending[n] = 0;
            *value = area()->pebs_reset[n];
            record_abort(b, end, 1u << n);
        } else if (*value == 0 && (*msr(IA32_PEBS_ENABLE) >> n & 1) != 0)
            pending[n] = 1;
    }
    info_before = end->info |
                  ((end->status & RTM_STATUS_RETRY) != 0 ? TX_ABORT_RETRY : 0);
    committed_before = 0;
}

/* Branches, stores or loads of lines: with a record amid them the transaction
 * aborts. So many events are there. */
static uint64_t events_of(const struct tsx_block *b, uint64_t event)
{
    if (b->body == tsx_body_read_lines)
        return event == DATALA_ALL_LOADS ? 8 * b->count : 0;
    if (b->body == tsx_body_nest_write_lines)
        return event == PRECISE_CONDITIONAL_BRANCHES ? b->count : 0;
    return b->body == tsx_body_write_lines &&
                   (event == PRECISE_CONDITIONAL_BRANCHES ||
                    event == DATALA_ALL_STORES)
               ? b->count
               : 0;
}

static bool is_recorded(const struct tsx_block *b, struct end *end)
{
    for (unsigned n = 0; n < COUNTERS; n++) {
        const uint64_t left = -*msr(IA32_PMC(n)) & MASK;

        if ((*msr(IA32_PEBS_ENABLE) >> n & *msr(IA32_PERF_GLOBAL_CTRL) >> n &
             1) == 0)
            continue;
        if (left >= events_of(b, *msr(IA32_PERFEVTSEL(n)) & 0xffff))
            continue;
        *end = (struct end){b->body, wrong.cause, ANY_OTHER, b->body + 8};
        *msr(IA32_PMC(n)) = area()->pebs_reset[n];
        record_abort(b, end, 1u << n);
        return true;
    }
    return false;
}

static bool finds_end(const struct tsx_block *b, struct end *end)
{
    const uint8_t *lines =
        b->body == tsx_body_nest_write_lines  ? tsx_body_write_lines
        : b->body == tsx_body_nest_read_lines ? tsx_body_read_lines
                                              : NULL;

    if (b->body == tsx_body_spin ||
        ((b->body == tsx_body_write_lines || lines == tsx_body_write_lines) &&
         b->count <= LINES_OF_A_TRANSACTION) ||
        (b->body == tsx_body_nothing && *msr(TSX_FORCE_ABORT) == 0) ||
        ((b->body == tsx_body_hold_load || b->body == tsx_body_hold_nested ||
          b->body == tsx_body_hold_store) &&
         wrong.idle))
        return false;
    const bool jumps = b->body == tsx_body_nest_jump,
               inner = jumps || lines != NULL;
    const uint8_t *body = jumps   ? (const uint8_t *)(uintptr_t)b->count
                          : inner ? lines
                                  : b->body;

    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        if (ends[i].body == body)
            *end = ends[i];
    end->status |= inner ? RTM_STATUS_NESTED : 0;
    return end->body != NULL;
}

static int commit(struct tsx_block *b)
{
    b->status = RTM_STATUS_STARTED;
    committed_before = cycles_of(b);
    if (!wrong.stale)
        device.tx_abort = cycles_of(b);
    return TSX_COMMITTED;
}

int tsx_inside(struct tsx_block *b)
{
    struct end end = {.body = NULL};
    const bool recorded = is_recorded(b, &end);

    if ((*msr(IA32_PERFEVTSEL(1)) & 0xffff) == 0x3c)
        *msr(IA32_PMC(1)) += cycles_of(b) + 10 + (uint64_t)wrong.slow;
    if ((!recorded && !finds_end(b, &end)) || (recorded && wrong.commits))
        return commit(b);
    if (is_wrong(b))
        end.status ^= wrong.status;
    if (!recorded)
        count_abort(PRECISE_RTM_ABORTED, b, &end);
    device.tx_abort = cycles_of(b) ^ wrong.after;
    b->status = end.status;
    b->unrestored = wrong.loses;
    if (recorded && wrong.leaks)
        ((volatile uint64_t *)(uintptr_t)b->argument)[8] = 1;
    return TSX_ABORTED;
}

/* An elided lock beside which another processor writes, wherever aborts are
 * counted: then the section is executed without elision. */
static unsigned elided_again; /* before that */

void hle_xchg(struct hle_block *block)
{
    static const struct tsx_block b = {.body = hle_xchg_acquired};
    static const struct end end = {hle_xchg_acquired, 0,
                                   ANY_OTHER | TX_ABORT_DATA_CONFLICT,
                                   hle_xchg_acquired + 8};
    const bool aborts =
        (*msr(IA32_PERF_GLOBAL_CTRL) & 1) != 0 &&
        (*msr(IA32_PERFEVTSEL(0)) & 0xffff) == PRECISE_HLE_ABORTED;

    block->inside = !aborts && t->cpu.hle;
    if ((*msr(IA32_PERFEVTSEL(1)) & 0xffff) == 0x3c)
        *msr(IA32_PMC(1)) += block->turns + 30;
    if (!wrong.stale_section)
        device.tx_abort = block->turns + 20;
    block->seen = block->data = block->far = 1;
    for (unsigned n = 0; aborts && n <= elided_again; n++)
        count_abort(PRECISE_HLE_ABORTED, &b, &end);
}

void hle_other_value(struct hle_block *block)
{
    (void)block;
    hle_before = true;
}

/* Of rtm_try(). */
int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax)
{
    *cell = value;
    *eax = RTM_STATUS_STARTED;
    return RTM_COMMITTED;
}

/* After the line of the arena, in the boot processor's buffer. */
#define PAIR ((struct pair *)(void *)(buffers[0] + 4096))

#define PAIR_RING3 ((struct pair *)(void *)(buffers[0] + TEST_BUFFER_BYTES / 2))

static void step_beside(void)
{
    struct pair *pair = PAIR_RING3->repeat != NULL ? PAIR_RING3 : PAIR;

    if (pair->repeat == NULL || pair->stop)
        return;
    pair->repeat(&all[1], pair->argument);
    pair->rounds++;
}

/* Both of its transactions end alike; as conflicts, where it is to be one. */
uint64_t window_ring3_body(uint64_t enable, uint64_t cells[WINDOW_CELLS])
{
    struct ring3 *ring3 = (struct ring3 *)(uintptr_t)cells[0];
    struct ring3_state *state = (void *)(uintptr_t)ring3->data;

    (void)enable;
    ring3->vector = HW_NO_FAULT;
    state->results[0] = state->results[1] =
        wrong.conflicts_ring3 ? CONFLICT : 0;
    return 0;
}

static bool elides; /* HLE */

static enum verdict verdict_of(const struct test *test)
{
    begin(test);
    ring3_firmware();
    device.outside_too = wrong.outside;
    fake_msr(IA32_MTRR_FIX16K_A0000)->value = 0; /* UC, and enabled: */
    fake_msr(IA32_MTRR_DEF_TYPE)->value = BITS(11, 10);
    records = 0;
    memset(buffers[0], 0, sizeof(buffers[0]));
    t->cpu.hle = elides;
    if (elides)
        t->cpu.tsx_force_abort = false; /* regime A */
    if (test == &test_pebs_tx_conflict)
        fake_beside = step_beside;
    return case_end();
}

#endif
