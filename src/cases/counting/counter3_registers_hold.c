/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3's registers, written, then read back after transactions: they are
 * what white paper 604224 says "may contain unexpected values". */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define TRANSACTIONS 10 /* of each round */
#define SHOWN        1  /* changes of each register shown in full */

enum { PMC3, A_PMC3, PERFEVTSEL3, GLOBAL_CTRL, INUSE, REGISTERS };

static const struct {
    uint32_t msr;
    uint64_t mask; /* what of it belongs to counter 3 */
    const char *at_once, *later;
} registers[REGISTERS] = {
    [PMC3] = {IA32_PMC(3), ~UINT64_C(0),
              "IA32_PMC3 (C4H) read at once is not what was written",
              "IA32_PMC3 (C4H) changed over transactions"},
    [A_PMC3] = {IA32_A_PMC(3), ~UINT64_C(0),
                "IA32_A_PMC3 (4C4H) read at once is not what was written",
                "IA32_A_PMC3 (4C4H) changed over transactions"},
    [PERFEVTSEL3] = {IA32_PERFEVTSEL(3), ~UINT64_C(0),
                     "IA32_PERFEVTSEL3 (189H) read at once is not what was "
                     "written",
                     "IA32_PERFEVTSEL3 (189H) changed over transactions"},
    [GLOBAL_CTRL] = {IA32_PERF_GLOBAL_CTRL, IA32_PERF_GLOBAL_CTRL_PMC(3),
                     "IA32_PERF_GLOBAL_CTRL (38FH)[3] read at once is not what "
                     "was written",
                     "IA32_PERF_GLOBAL_CTRL (38FH)[3] changed over "
                     "transactions"},
    [INUSE] = {IA32_PERF_GLOBAL_INUSE, IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(3),
               "IA32_PERF_GLOBAL_INUSE (392H)[3] read at once is not "
               "(IA32_PERFEVTSEL3[7:0] != 0)",
               "IA32_PERF_GLOBAL_INUSE (392H)[3] changed over transactions"},
};

/* What is written in turn. In none of them does counter 3 count: either it is
 * selected and GLOBAL_CTRL is 0, or it is enabled there and EN is 0. The first
 * is the value whose change was published. */
static const struct {
    uint64_t select, ctrl;
} patterns[] = {
    {IA32_PERFEVTSEL_EN | IA32_PERFEVTSEL_INT | IA32_PERFEVTSEL_OS |
         IA32_PERFEVTSEL_USR | 0x3c,
     0},
    {0, IA32_PERF_GLOBAL_CTRL_PMC(3)},
    {IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR | 0xc0, BITS(3, 0)},
};

struct hold {
    struct test_context *t;
    bool present[REGISTERS];
    uint64_t want[REGISTERS];
    unsigned at_once[REGISTERS], later[REGISTERS];
    unsigned shown[REGISTERS]; /* lines */
    unsigned published; /* changes of IA32_PERFEVTSEL3 of the published kind */
    unsigned used;      /* INUSE[3] = 1 although nothing is selected */
};

static void write_pattern(struct hold *h, unsigned round)
{
    const struct identity *id = test_cpu(h->t);
    unsigned i = round % (sizeof(patterns) / sizeof(patterns[0]));
    /* C4H alone takes 32 bits; [31] clear keeps the extension 0. */
    uint64_t value =
        test_random(h->t) &
        (id->full_width_writes ? BITS(id->counter_bits - 1, 0) : BITS(30, 0));

    set_held_msr(h->t, IA32_PERF_GLOBAL_CTRL, 0);
    set_msr_again(h->t, id->full_width_writes ? IA32_A_PMC(3) : IA32_PMC(3),
                  value);
    set_msr_again(h->t, IA32_PERFEVTSEL(3), patterns[i].select);
    set_held_msr(h->t, IA32_PERF_GLOBAL_CTRL, patterns[i].ctrl);
    h->want[PMC3] = h->want[A_PMC3] = value;
    h->want[PERFEVTSEL3] = patterns[i].select;
    h->want[GLOBAL_CTRL] = patterns[i].ctrl & IA32_PERF_GLOBAL_CTRL_PMC(3);
    h->want[INUSE] = (patterns[i].select & IA32_PERFEVTSEL_EVENT) != 0
                         ? IA32_PERF_GLOBAL_INUSE_PERFEVTSEL(3)
                         : 0;
}

static void note_change(struct hold *h, unsigned round, unsigned r,
                        uint64_t got, bool published)
{
    if (h->shown[r]++ < SHOWN)
        note(h->t, "round %u: %s: before 0x%lx, after 0x%lx%s", round,
             registers[r].later, h->want[r], got,
             published ? " (the published change: INT cleared, IN_TX set)"
                       : "");
}

/* Reads all of them back and counts those that are not as written. */
static void read_back(struct hold *h, unsigned round, unsigned count[REGISTERS])
{
    for (unsigned r = 0; r < REGISTERS; r++) {
        if (!h->present[r])
            continue;
        uint64_t got = msr_value(h->t, registers[r].msr) & registers[r].mask;
        if (got == h->want[r])
            continue;
        bool published =
            r == PERFEVTSEL3 && counter3_published_change(h->want[r], got);
        count[r]++;
        h->published += published;
        h->used += r == INUSE && got != 0;
        note_change(h, round, r, got, published);
    }
}

static void report_registers(struct hold *h, bool promised, unsigned rounds)
{
    for (unsigned r = 0; r < REGISTERS; r++) {
        if (!h->present[r])
            continue;
        /* The control first: without it the second line says nothing. */
        if (promised || h->at_once[r] != 0)
            counter3_report(h->t, promised, registers[r].at_once, h->at_once[r],
                            rounds);
        counter3_report(h->t, promised, registers[r].later, h->later[r],
                        rounds);
    }
    if (h->published != 0)
        note(h->t,
             "the published change of IA32_PERFEVTSEL3 (INT [20] cleared, "
             "IN_TX [32] set) was seen %u times",
             h->published);
    if (h->used != 0)
        note(h->t,
             "IA32_PERF_GLOBAL_INUSE (392H)[3] = 1 with every "
             "IA32_PERFEVTSELx written with 0, %u times: something else uses "
             "counter 3",
             h->used);
}

/* All the rounds in one state of TSX_FORCE_ABORT; `state` is for the last line.
 */
static void hold_rounds(struct test_context *t, const char *state)
{
    const struct identity *id = test_cpu(t);
    bool promised = counter3_is_reliable(t);
    unsigned rounds = test_trials(t, 200, 50), committed = 0;
    struct hold h = {.t = t};
    struct rtm_tally tally;

    /* Set-up. */
    if (!hold_msr(t, IA32_PERF_GLOBAL_CTRL))
        return;
    for (unsigned r = 0; r < REGISTERS; r++)
        h.present[r] = (r != A_PMC3 || id->full_width_writes) &&
                       (r != INUSE || id->perfmon_version >= 4);

    /* Measured. */
    for (unsigned round = 0; round < rounds; round++) {
        hw_poll();
        write_pattern(&h, round);
        read_back(&h, round, h.at_once);
        rtm_try(TRANSACTIONS, &tally);
        committed += tally.committed;
        read_back(&h, round, h.later);
    }
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0);

    /* Check. */
    report_registers(&h, promised, rounds);
    note(t, "%s: %u rounds of %u transactions, %u committed in all", state,
         rounds, TRANSACTIONS, committed);
}

TEST(counter3_registers_hold,
     .asks = "Do counter 3's registers hold their values over transactions?",
     .cite = "White paper 604224, section 1.2 and appendix A; SDM 3B, "
             "\"IA32_PERF_GLOBAL_INUSE MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_RTM, .counters = 4})
{
    const uint64_t bit = TSX_FORCE_ABORT_RTM_FORCE_ABORT;
    uint64_t value;

    if (!rtm_usable(t) || !counters_claim(t))
        return;
    if (test_regime(t) != REGIME_B) {
        hold_rounds(t, "TSX_FORCE_ABORT (10FH) as found");
        return;
    }
    if (force_abort_change(t, bit, 0, &value))
        hold_rounds(t, "RTM_FORCE_ABORT = 0");
    if (force_abort_change(t, 0, bit, &value))
        hold_rounds(t, "RTM_FORCE_ABORT = 1");
}
