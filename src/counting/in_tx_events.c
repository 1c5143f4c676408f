/* SPDX-License-Identifier: BSD-2-Clause */
/* in_tx_events.c - IA32_PMC0 counts all, 1 with IN_TX, 2 with IN_TXCP. */
#include "src/counting/in_tx_events.h"

#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/counting/lost_slots.h"
#include "src/counting/selects.h"
#include "src/tsx/causes.h"
#include "src/tsx/status.h"

#define ROUNDS     16 /* of work outside */
#define ABORTS     4
#define EDGES      2 /* whether XBEGIN and what aborts are inside is not said */
#define FEW_STORES 8 /* less than a cache has ways */
#define MISSES_BIT 6 /* of CPUID.0AH:EBX: Branch Misses Retired */
#define IMPOSSIBLE BIT(32)
/* Errata lose some of an event and add some, on one counter: a part. */
#define PART 4
#define LISTED                                                                \
    (HASWELL | BROADWELL | SKYLAKE | SINCE_ICE_LAKE) /* D0H, in Intel's lists \
                                                      */

static const struct event {
    const char *what;
    uint64_t select;
    unsigned generations; /* 0: all that CPUID says */
    unsigned least;       /* in each transaction that aborts */
} events[] = {
    {"mispredicted branches (C5H)", 0xc5, 0, 0},
    {"loads (D0H/81H)", 0x81d0, LISTED, 0},
    {"stores (D0H/82H)", 0x82d0, LISTED, FEW_STORES},
};

static bool has(const struct identity *id, const struct event *event)
{
    return event->generations != 0
               ? (identity_generation(id) & event->generations) != 0
               : id->leaf0a_eax >> 24 > MISSES_BIT &&
                     (id->leaf0a_ebx >> MISSES_BIT & 1) == 0;
}

/* Mispredicts, loads and stores. */
static void run_outside(void *argument)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        lost_unpredictable(argument);
}

static void check_outside(struct test_context *t, const struct event *event)
{
    struct selects s = {.select = {event->select,
                                   event->select | IA32_PERFEVTSEL_IN_TX,
                                   event->select | IA32_PERFEVTSEL_IN_TXCP}};
    uint64_t random = test_random(t);

    if (!selects_count(t, &s, run_outside, &random))
        return;
    check(t, s.got[1] <= s.got[0] / PART,
          "%s outside of transactions: %lu, with IN_TX = 1 IA32_PMC1 (C2H) "
          "counted %lu; wanted 0",
          event->what, s.got[0], s.got[1]);
    check(t,
          s.got[2] + s.got[0] / PART >= s.got[0] &&
              s.got[2] <= s.got[0] + s.got[0] / PART,
          "%s outside of transactions: %lu, with IN_TXCP = 1 IA32_PMC2 (C3H) "
          "counted %lu; wanted as many",
          event->what, s.got[0], s.got[2]);
}

struct aborts {
    struct test_context *t;
    unsigned aborted, full; /* and of these with too many stores */
};

static void run_aborts(void *argument)
{
    struct aborts *a = argument;
    uint32_t eax;

    a->aborted = a->full = 0;
    for (unsigned i = 0; i < ABORTS; i++)
        if (cause_provoke(a->t, CAUSE_WRITES, false, &eax) == TSX_ABORTED) {
            a->aborted++;
            a->full += (eax & RTM_STATUS_CAPACITY) != 0;
        }
}

static void check_aborted(struct test_context *t, const struct event *event)
{
    struct selects s = {.select = {event->select,
                                   event->select | IA32_PERFEVTSEL_IN_TX,
                                   event->select | IA32_PERFEVTSEL_IN_TX |
                                       IA32_PERFEVTSEL_IN_TXCP}};
    struct aborts a = {.t = t};

    if (!selects_count(t, &s, run_aborts, &a) || a.aborted != ABORTS)
        return;
    /* At least one that was not aborted by something else has come so far. */
    check(t, a.full == 0 || s.got[1] >= event->least,
          "%s of %u aborted transactions: with IN_TX = 1 IA32_PMC1 (C2H) "
          "counted %lu; wanted %u at least",
          event->what, ABORTS, s.got[1], event->least);
    check_known(t, s.got[2] <= s.got[1] / PART + ABORTS,
                ERRATUM_PMC2_OVER_ABORTS, s.got[2] > IMPOSSIBLE,
                "%s of %u aborted transactions: with IN_TX = 1 %lu, with "
                "IN_TXCP = 1 too IA32_PMC2 (C3H) counted %lu; wanted 0, or one "
                "at the end of each",
                event->what, ABORTS, s.got[1], s.got[2]);
}

static void run_xaborts(void *argument)
{
    unsigned *ends = argument; /* commits; aborts that the XABORT made */

    for (unsigned i = 0; i < ABORTS; i++) {
        struct tsx_block block = {.body = tsx_body_long_xabort};
        const bool aborts = tsx_inside(&block) == TSX_ABORTED;
        ends[0] += !aborts;
        ends[1] += aborts && (block.status & RTM_STATUS_XABORT) != 0;
    }
}

/* Of ring 0 alone, with OS and without USR: the same. */
static void check_os_alone(struct test_context *t)
{
    struct bank before = bank_of(BITS(2, 0), EVENT_INST_RETIRED), after;
    unsigned ends[2] = {0, 0};

    for (unsigned n = 0; n < 3; n++)
        before.select[n] &= ~IA32_PERFEVTSEL_USR;
    before.select[1] |= IA32_PERFEVTSEL_IN_TX;
    before.select[2] |= IA32_PERFEVTSEL_IN_TX | IA32_PERFEVTSEL_IN_TXCP;
    if (!bank_work(t, &before, run_xaborts, ends, &after) || ends[0] != 0)
        return;
    check(t,
          after.pmc[1] >= (uint64_t)TSX_LONG * ends[1] &&
              after.pmc[1] <= after.pmc[0],
          "instructions of %u transactions that XABORT ends, with OS = 1 and "
          "USR = 0: with IN_TX = 1 IA32_PMC1 (C2H) counted %lu of %lu; wanted "
          "%u at least",
          ABORTS, after.pmc[1], after.pmc[0], TSX_LONG * ends[1]);
    check_known(t, after.pmc[2] <= EDGES * ABORTS, ERRATUM_PMC2_OVER_ABORTS,
                after.pmc[2] > IMPOSSIBLE,
                "instructions of %u transactions that XABORT ends, with OS = 1 "
                "and USR = 0: with IN_TX = IN_TXCP = 1 IA32_PMC2 (C3H) counted "
                "%lu; wanted %u at most",
                ABORTS, after.pmc[2], EDGES * ABORTS);
}

void in_tx_events_check(struct test_context *t)
{
    check_os_alone(t);
    for (unsigned i = 0; i < sizeof(events) / sizeof(events[0]); i++)
        if (has(test_cpu(t), &events[i])) {
            check_outside(t, &events[i]);
            check_aborted(t, &events[i]);
        }
}
