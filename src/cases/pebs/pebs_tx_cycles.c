/* SPDX-License-Identifier: BSD-2-Clause */
/* Cycles_Last_TX is how long the last transaction took: of one that aborted and
 * of one that committed, of short ones and long ones; in the record of the
 * abort, and in a record of what comes after. So it is of elided sections. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/pebs/abort_check.h"
#include "src/pebs/sampling.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

/* Turns of a loop inside, of a cycle each at least. Twice the short one, and
 * what is around it, is less than the long one. */
static const unsigned lengths[] = {100, 700};
#define LENGTHS       (sizeof(lengths) / sizeof(lengths[0]))
#define SECTION_TURNS 350 /* of an elided section: neither */
#define TRIES         6
#define MOST          32 /* where an abort comes before the XABORT */
#define FEW           8  /* cycles, which more stores than fit take at least */

/* Of the long one: lines, and what counts its loads (SDM 3B, tables of events
 * of 06_3CH and later). */
#define LONG_BYTES  (704u * 64)
#define LONG_PLACES (TEST_SOURCE_BYTES / LONG_BYTES)
#define LOADS_COUNTED                                              \
    (UINT64_C(0x81d0) | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS | \
     IA32_PERFEVTSEL_EN)

/* PMC1 counts core cycles around each transaction (PMC2 may hold anything
 * beside aborts: SKL194). UnHalted Core Cycles: SDM 3B, "Pre-defined
 * Architectural Performance Events". */
#define CLOCK        1u
#define CLOCK_SELECT 0x003cu

/* Of aborts, every second of which makes a record, or each but the first. */
static const struct sampling_config of_aborts = {
    .select = PRECISE_RTM_ABORTED,
    .counters = 1 << 0,
    .count_only = 1 << CLOCK,
    .first_period = {1},
    .period = {1},
    .room = PEBS_ROOM_MAX,
    .threshold = PEBS_ROOM_MAX,
};

/* Of a branch after the transaction. */
static const struct sampling_config of_branches = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .count_only = 1 << CLOCK,
    .first_period = {20},
    .room = 4,
    .threshold = 4,
};

/* Both counters armed; the clock counts, and PMC0 as well where `all`. */
static bool start(struct sampling *p, const struct sampling_config *config,
                  bool all, struct abort_clocks *clocks)
{
    if (!sampling_arm(p, config) ||
        !set_msr_again(p->t, IA32_PERFEVTSEL(CLOCK),
                       CLOCK_SELECT | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS |
                           IA32_PERFEVTSEL_EN) ||
        !set_held_msr(p->t, IA32_PERF_GLOBAL_CTRL, BIT(CLOCK)))
        return false;
    abort_clocks_compare(clocks, CLOCK);
    return !all ||
           set_held_msr(p->t, IA32_PERF_GLOBAL_CTRL, sampling_enable(config));
}

/* One transaction, and the core cycles around it. */
static int spin(const uint8_t *body, unsigned turns, struct tsx_block *block,
                uint64_t *cycles)
{
    uint64_t before = 0, after = 0;

    *block = (struct tsx_block){.body = body, .count = turns};
    hw_pmc_read(CLOCK, &before);
    int outcome = tsx_inside(block);
    hw_pmc_read(CLOCK, &after);
    *cycles = after - before;
    return outcome;
}

static bool is_aborted_at_end(int outcome, const struct tsx_block *block)
{
    return outcome == TSX_ABORTED &&
           (block->status & ~(uint32_t)RTM_STATUS_NESTED) == TSX_SPIN_STATUS;
}

static void check_cycles(struct test_context *t, const char *what,
                         const struct pebs_record *record, unsigned turns,
                         uint64_t cycles, const struct abort_clocks *clocks)
{
    const uint64_t got = record->tx_abort & TX_ABORT_CYCLES_LAST_TX;

    check(
        t, abort_clocks_allow(clocks, got, turns, cycles),
        "%s: TX Abort Information (B8H)[31:0] (Cycles_Last_TX) is %lu; wanted "
        "%u or more, the least that the last transaction can take, and no more "
        "than the %lu core cycles that were measured around it; %lu of the TSC "
        "are %lu of the core",
        what, got, turns, cycles, clocks->tsc, clocks->core);
}

/* Records of the aborts themselves, before each of which there is a transaction
 * that commits. Returns how many; -1: an access failed. */
static int try_aborts(struct sampling *p, const uint8_t *body, unsigned turns)
{
    struct abort_clocks clocks;
    unsigned records = 0;
    int judged = 0;

    if (!start(p, &of_aborts, true, &clocks))
        return -1;
    for (unsigned i = 0; i < TRIES || (judged == 0 && i < MOST); i++) {
        struct pebs_record record;
        struct tsx_block block;
        uint64_t cycles;
        (void)spin(tsx_body_spin, turns, &block, &cycles);
        records = sampling_written(p); /* it may have aborted */
        int outcome = spin(body, turns, &block, &cycles);
        if (sampling_written(p) == records)
            continue;
        if (sampling_record(p, records++, &record) &&
            is_aborted_at_end(outcome, &block)) {
            check_cycles(p->t,
                         body == tsx_body_spin_xabort
                             ? "the record of an abort"
                             : "the record of an abort in an inner transaction",
                         &record, turns, cycles, &clocks);
            judged++;
        }
    }
    return sampling_stop(p) ? judged : -1;
}

/* The record of a branch after a transaction that ended as the body has it. */
static int try_after(struct sampling *p, const uint8_t *body, unsigned turns)
{
    bool aborts = body == tsx_body_spin_xabort;
    struct abort_clocks clocks;
    struct pebs_record record;
    struct tsx_block block;
    uint64_t cycles;

    if (!start(p, &of_branches, false, &clocks))
        return -1;
    int outcome = spin(body, turns, &block, &cycles);
    pebs_window(sampling_enable(&of_branches), 0, &p->state);
    if (!sampling_stop(p))
        return -1;
    if (p->records == 0 || !sampling_record(p, 0, &record) ||
        !(aborts ? is_aborted_at_end(outcome, &block)
                 : outcome == TSX_COMMITTED))
        return 0;
    const uint64_t of_abort = TX_ABORT_HLE_ABORT | TX_ABORT_RTM_ABORT;
    check(p->t, (record.tx_abort & of_abort) == 0,
          "the record of a branch after a transaction: TX Abort Information "
          "(B8H) is 0x%lx; wanted [33:32] = 0, it is of no abort",
          record.tx_abort);
    check_cycles(p->t,
                 aborts ? "the record of a branch after an abort"
                        : "the record of a branch after a commit",
                 &record, turns, cycles, &clocks);
    return 1;
}

/* The commit is of the other length: what an abort before has left shows. */
static bool try_length(struct sampling *p, unsigned turns, unsigned other)
{
    const int aborts = try_aborts(p, tsx_body_spin_xabort, turns);
    const int nested =
        aborts < 0 ? -1 : try_aborts(p, tsx_body_nest_spin_xabort, turns);
    const int before =
        nested < 0 ? -1 : try_aborts(p, tsx_body_spin_nest_xabort, turns);
    int after_abort = before < 0 ? -1 : 0, after_commit = 0;

    for (unsigned i = 0; i < MOST && after_abort == 0; i++)
        after_abort = try_after(p, tsx_body_spin_xabort, turns);
    for (unsigned i = 0; i < MOST && after_abort >= 0 && after_commit == 0; i++)
        after_commit = try_after(p, tsx_body_spin, other);
    if (after_abort < 0 || after_commit < 0)
        return false;
    check(p->t,
          aborts > 0 && nested > 0 && before > 0 && after_abort > 0 &&
              after_commit > 0,
          "transactions of %u turns: %d records of aborts, %d of aborts in an "
          "inner one, %d of such after the turns, %d after an abort; of %u "
          "turns: %d after a commit; wanted one of each at least, in %u tries",
          turns, aborts, nested, before, after_abort, other, after_commit,
          MOST);
    return true;
}

/* The same after an elided section that has come to its end. */
static int try_section(struct sampling *p, unsigned turns)
{
    struct hle_block block = {
        .lock = test_buffer(p->t), .turns = turns, .ask = 1};
    struct abort_clocks clocks;
    struct pebs_record record;
    uint64_t before = 0, after = 0;

    *(volatile uint64_t *)block.lock = 0;
    if (!start(p, &of_branches, false, &clocks))
        return -1;
    hw_pmc_read(CLOCK, &before);
    hle_xchg(&block);
    hw_pmc_read(CLOCK, &after);
    pebs_window(sampling_enable(&of_branches), 0, &p->state);
    if (!sampling_stop(p))
        return -1;
    if (block.inside == 0 || p->records == 0 || !sampling_record(p, 0, &record))
        return 0;
    check_cycles(p->t, "the record of a branch after an elided section",
                 &record, turns, after - before, &clocks);
    return 1;
}

static bool try_sections(struct sampling *p)
{
    int found = 0;

    for (unsigned i = 0; i < MOST && found == 0; i++)
        found = try_section(p, SECTION_TURNS);
    return found >= 0;
}

/* Aborts by stores to more lines than a transaction can hold. */
static bool try_capacity(struct sampling *p)
{
    struct abort_clocks clocks;
    struct pebs_record record;
    unsigned records = 0;
    bool judged = false;

    if (!start(p, &of_aborts, true, &clocks))
        return false;
    for (unsigned i = 0; i < MOST && !judged; i++) {
        struct tsx_block block = {.body = tsx_body_write_lines,
                                  .argument =
                                      (uint64_t)(uintptr_t)test_buffer(p->t),
                                  .count = TEST_BUFFER_BYTES / 64};
        uint64_t before = 0, after = 0;
        hw_pmc_read(CLOCK, &before);
        tsx_inside(&block);
        hw_pmc_read(CLOCK, &after);
        if (sampling_written(p) == records ||
            !sampling_record(p, records++, &record) ||
            (block.status & RTM_STATUS_CAPACITY) == 0)
            continue;
        check_cycles(p->t, "the record of an abort by too many stores", &record,
                     FEW, after - before, &clocks);
        judged = true;
    }
    return sampling_stop(p);
}

/* Aborts after more cycles than 16 bits hold, by loads of lines that no cache
 * has yet; where they are quicker, nothing is judged. */
static bool try_long(struct sampling *p)
{
    /* No processor has read the lines of another's. */
    const unsigned first = test_processor(p->t) * TRIES;
    const uint8_t *source = test_source(p->t);
    struct abort_clocks clocks;
    struct pebs_record record;
    unsigned records = 0;

    if (!start(p, &of_aborts, true, &clocks) ||
        !set_msr_again(p->t, IA32_PERFEVTSEL(2), LOADS_COUNTED) ||
        !set_held_msr(p->t, IA32_PERF_GLOBAL_CTRL,
                      sampling_enable(&of_aborts) | BIT(2)))
        return false;
    for (unsigned i = 0; i < TRIES && records == 0; i++) {
        struct tsx_block block = {
            .body = tsx_body_read_lines_xabort,
            .argument =
                (uint64_t)(uintptr_t)(source +
                                      (first + i) % LONG_PLACES * LONG_BYTES),
            .count = LONG_BYTES / 512};
        uint64_t before = 0, after = 0;
        hw_pmc_read(CLOCK, &before);
        int outcome = tsx_inside(&block);
        hw_pmc_read(CLOCK, &after);
        if (sampling_written(p) != 0 &&
            sampling_record(p, records++, &record) &&
            is_aborted_at_end(outcome, &block) &&
            after - before > 2 * BITS(15, 0))
            check_cycles(p->t, "the record of an abort after many loads",
                         &record, 1u << 16, after - before, &clocks);
    }
    return sampling_stop(p);
}

TEST(pebs_tx_cycles,
     .asks = "Is Cycles_Last_TX the time of the last transaction?",
     .cite = "SDM 3B, \"Intel TSX and PEBS Support\", table \"TX Abort "
             "Information Field Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_PEBS_2 |
                           NEED_RTM,
               .counters = 3})
{
    struct sampling p;

    /* Set-up. */
    if (!probe_set_up(t) || !sampling_claim(&p, t))
        return;
    const bool elides = hle_elides(t);

    /* Measured, and each record checked. */
    FOR_EACH_ROW (t, i, lengths)
        if (!try_length(&p, lengths[i], lengths[LENGTHS - 1 - i]))
            return;
    if ((!elides || try_sections(&p)) && try_capacity(&p))
        (void)try_long(&p);
}
