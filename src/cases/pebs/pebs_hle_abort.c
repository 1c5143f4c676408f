/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of HLE aborts: TX Abort Information says HLE, and how long the region
 * took; RIP is the instruction after the outermost XACQUIRE, and EventingIP the
 * instruction that aborted, where the record says that one did. */
#include "asm/tsx_bodies.h"
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/pebs/abort_bits.h"
#include "src/pebs/abort_check.h"
#include "src/pebs/sampling.h"
#include "src/tsx/hle.h"

#define TRIES 8

/* The first abort overflows, the second is recorded, and so on, or each but the
 * first is. PMC2 counts the aborts, PMC1 core cycles: PMC2 may hold anything
 * beside aborts (SKL194). */
#define CLOCK  1u
#define ABORTS 2u
static const struct sampling_config config = {
    .select = PRECISE_HLE_ABORTED,
    .counters = 1 << 0,
    .count_only = 1 << ABORTS | 1 << CLOCK,
    .first_period = {1},
    .period = {1},
    .room = 16,
    .threshold = 16,
};
#define CLOCK_SELECT 0x003cu /* UnHalted Core Cycles */

#define LINES 896 /* more than a cache of 48 KB has */

static const struct form {
    const char *what;
    hle_region *region;
    const uint8_t *acquired, *aborts_at;
    unsigned turns;
    uint64_t set, clear; /* of B8H */
} forms[] = {
    {"an XRELEASE that does not match", hle_other_value,
     hle_other_value_acquired, hle_other_value_release, 4, 0,
     TX_ABORT_DATA_CONFLICT | TX_ABORT_CAPACITY_WRITES |
         TX_ABORT_CAPACITY_READS},
    {"the same after a loop", hle_other_value, hle_other_value_acquired,
     hle_other_value_release, 400, 0,
     TX_ABORT_DATA_CONFLICT | TX_ABORT_CAPACITY_WRITES |
         TX_ABORT_CAPACITY_READS},
    {"a PAUSE, one lock held in another", hle_inner, hle_inner_acquired,
     hle_inner_pause, 40, TX_ABORT_INSTRUCTION_ABORT,
     TX_ABORT_NON_INSTRUCTION_ABORT | TX_ABORT_DATA_CONFLICT |
         TX_ABORT_CAPACITY_WRITES | TX_ABORT_CAPACITY_READS},
    {"stores to many lines", hle_stores, hle_stores_acquired, NULL, LINES,
     TX_ABORT_CAPACITY_WRITES,
     TX_ABORT_DATA_CONFLICT | TX_ABORT_CAPACITY_READS},
};

/* Another abort than the one provoked may come before the loop's end. */
static void check_record(struct sampling *p, const struct form *form,
                         unsigned n, const struct abort_clocks *clocks,
                         uint64_t cycles, struct abort_bits *bits)
{
    struct pebs_record record;
    char text[PEBS_TX_ABORT_TEXT];

    if (!sampling_record(p, n, &record))
        return;
    bool provoked = (record.tx_abort & TX_ABORT_INSTRUCTION_ABORT) != 0;
    const struct pebs_abort abort = {
        .hle = true,
        .at = (uint64_t)(uintptr_t)form->aborts_at,
        .resume = (uint64_t)(uintptr_t)form->acquired,
    };
    const uint64_t took = record.tx_abort & TX_ABORT_CYCLES_LAST_TX;
    const unsigned least = provoked ? form->turns : 0;

    abort_check(p, &record, &abort);
    check(p->t, abort_clocks_allow(clocks, took, least, cycles),
          "TX Abort Information (B8H)[31:0] (Cycles_Last_TX) is %lu; wanted %u "
          "or more, for the turns of a loop inside, and no more than the %lu "
          "core cycles that were measured around it; %lu of the TSC are %lu of "
          "the core",
          took, least, cycles, clocks->tsc, clocks->core);
    abort_bits_add(bits, &record, 0);
    if (n == 0)
        note(p->t, "B8H = 0x%lx (%s)", record.tx_abort,
             pebs_tx_abort_text(record.tx_abort, text));
}

/* Of which nothing is to be in the next record. */
static void abort_rtm(const struct test_context *t)
{
    struct tsx_block block = {.body = tsx_bodies_xabort};

    if (test_cpu(t)->rtm)
        (void)tsx_inside(&block);
}

/* A record is that of the abort just before it. */
static bool provoke_aborts(struct sampling *p, const struct form *form,
                           struct abort_bits *bits)
{
    volatile uint64_t *locks = test_buffer(p->t);
    struct abort_clocks clocks;
    unsigned records = 0;

    if (!sampling_arm(p, &config) ||
        !set_msr_again(p->t, IA32_PERFEVTSEL(CLOCK),
                       CLOCK_SELECT | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS |
                           IA32_PERFEVTSEL_EN) ||
        !sampling_start(p))
        return false;
    abort_clocks_compare(&clocks, CLOCK);
    for (unsigned i = 0; i < TRIES; i++) {
        struct hle_block block = {
            .lock = locks, .turns = form->turns, .ask = 1};
        uint64_t before = 0, after = 0;
        locks[0] = locks[8] = 0;
        abort_rtm(p->t);
        hw_pmc_read(CLOCK, &before);
        form->region(&block);
        hw_pmc_read(CLOCK, &after);
        if (sampling_written(p) > records)
            check_record(p, form, records++, &clocks, after - before, bits);
    }
    return sampling_stop(p);
}

static bool try_form(struct sampling *p, const struct form *form)
{
    struct abort_bits bits = {0};
    struct test_context *t = p->t;

    if (!provoke_aborts(p, form, &bits))
        return false;
    check(t, p->value[ABORTS] >= 2,
          "%u regions, and HLE_RETIRED.ABORTED counted %lu", TRIES,
          p->value[ABORTS]);
    check(t, p->records != 0 && p->records < p->value[ABORTS],
          "%lu aborts, of which all but the first may make a record, made "
          "%u",
          p->value[ABORTS], p->records);
    abort_bits_check(t, &bits, form->set | TX_ABORT_HLE_ABORT,
                     form->clear | TX_ABORT_RTM_ABORT);
    return true;
}

/* A branch inside is to make a record: the section is not elided then. The
 * overflow is amid its loop, so that the next branch is in it, too. */
#define TURNS         400
#define SECTION_TRIES 4
static const struct sampling_config branches = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {TURNS / 4},
    .room = 8,
    .threshold = 8,
};

static const struct section {
    const char *what;
    hle_region *region;
    const uint8_t *acquired, *release; /* of the outermost, of the first */
    const uint8_t *inner;              /* acquired, too; NULL: there is none */
} sections[] = {
    {"an elided section", hle_xchg, hle_xchg_acquired, hle_xchg_release, NULL},
    {"an elided section inside of another", hle_two,
     hle_two_acquire + HLE_TWO_OUTER_BYTES, hle_two_release, hle_two_acquired},
};

struct executed {
    const struct section *section;
    struct hle_block block;
};

static void run_section(struct sampling *p, uint64_t argument)
{
    struct executed *e = (struct executed *)(uintptr_t)argument;
    volatile uint64_t *locks = test_buffer(p->t);

    e->block = (struct hle_block){.lock = locks, .turns = TURNS, .ask = 1};
    locks[0] = locks[8] = 0;
    if (sampling_start(p))
        e->section->region(&e->block);
}

/* others: how often the inner one may be the outermost, where what nothing
 * explains has aborted the other before. */
static bool try_inside(struct sampling *p, const struct section *section,
                       unsigned *records, unsigned *others)
{
    const struct pebs_abort abort = {
        .hle = true, .resume = (uint64_t)(uintptr_t)section->acquired};
    const uint64_t bytes = (uint64_t)(section->release - section->acquired);
    struct executed e = {.section = section};
    struct pebs_record r;

    /* Measured. */
    if (!sampling_around(p, &branches, run_section, (uint64_t)(uintptr_t)&e))
        return false;

    /* Check. One that did not abort says where it is of. */
    for (unsigned n = 0; n < p->records && sampling_record(p, n, &r); n++) {
        if ((r.tx_abort & TX_ABORT_HLE_ABORT) == 0) {
            check(p->t, e.block.inside == 0 || r.rip - abort.resume >= bytes,
                  "%s came to its XRELEASE, and a branch inside had made a "
                  "record: RIP 0x%lx, the section is at 0x%lx; wanted an abort "
                  "first",
                  section->what, r.rip, abort.resume);
            continue;
        }
        if (section->inner != NULL &&
            r.rip == (uint64_t)(uintptr_t)section->inner && *others != 0) {
            (*others)--;
            continue;
        }
        WITH_PREFIX (p->t, "a branch in %s made a record", section->what)
            abort_check(p, &r, &abort);
    }
    *records += p->records;
    return true;
}

TEST(
    pebs_hle_abort,
    .asks = "Does the record of an HLE abort say so, and where it starts over?",
    .cite = "SDM 3B, \"Intel TSX and PEBS Support\", table \"TX Abort "
            "Information Field Definition\"",
    .needs = {.regimes = REGIME_A,
              .features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_2 |
                          NEED_HLE,
              .counters = 3})
{
    struct hle_tally matching = {0};
    struct sampling p;

    /* Set-up: one that matches is elided, or none can abort. */
    if (!hle_hints(t))
        return;
    hle_try(t, &hle_forms[0], TRIES, &matching);
    if (matching.elided == 0) {
        skip(t, "needs locks that are elided, and 0 of %u were",
             matching.tried);
        return;
    }
    if (!sampling_claim(&p, t))
        return;

    /* Measured, and each record checked. */
    FOR_EACH_ROW (t, i, forms) {
        prefix_push(t, "%s", forms[i].what);
        if (!try_form(&p, &forms[i]))
            return;
        prefix_pop(t);
    }
    FOR_EACH_ROW (t, i, sections) {
        unsigned records = 0, others = SECTION_TRIES - 1;
        for (unsigned n = 0; n < SECTION_TRIES; n++)
            if (!try_inside(&p, &sections[i], &records, &others))
                return;
        check(t, records != 0,
              "%u times %s of %u branches, and an overflow after %u, made no "
              "record",
              SECTION_TRIES, sections[i].what, TURNS, TURNS / 4);
    }
}
