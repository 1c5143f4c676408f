/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters that run: they can be read, and written, and what is written to one
 * register meanwhile changes what that register is about, from there on, and
 * nothing else. The window's branches are LIVE_BRANCHES; a register is written
 * after LIVE_FIRST of them, and after LIVE_SECOND more (window_live). */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES     0xc4
#define INSTRUCTIONS 0xc0
#define PAUSED       (LIVE_BRANCHES - LIVE_SECOND)
#define LAST         (LIVE_BRANCHES - LIVE_FIRST - LIVE_SECOND)
#define SOME         0x40000000 /* that C1H takes as it is */

/* What has to come of the counter that a register is about. */
enum effect {
    COUNTS_ALL,   /* nothing: it counts like the others */
    PAUSES,       /* it leaves out what is between the two writes */
    IS_WRITTEN,   /* it goes on from what was written last */
    ALL_STOP,     /* it and all others stop at the first write */
    STATUS_ALONE, /* nothing, and the status is what was written */
};

struct live_row {
    const char *what;
    unsigned place; /* that it is about */
    enum effect effect;
    uint32_t msr;
    uint64_t first, second;
};

/* Past a carry into [32] when they are read first, where there is room. */
static struct bank bank_for(const struct test_context *t, uint64_t places)
{
    struct bank bank = bank_of(places, BRANCHES);

    for (unsigned p = 0; p < PLACES_END; p++) {
        const uint64_t carry = ((p + UINT64_C(1)) << 32) - 1 - p % LIVE_FIRST;
        if ((places >> p & 1) != 0)
            *bank_value(&bank, p) = bank_can_hold(test_cpu(t), p, carry + SOME)
                                        ? carry
                                        : SOME / 2 + 0x1000 * p;
    }
    return bank;
}

/* One counter of branches, the one the row is about or another. */
static void judge(struct test_context *t, const struct live_row *row,
                  unsigned n, uint64_t from, uint64_t to)
{
    const bool own = n == row->place;
    uint64_t want = from + LIVE_BRANCHES;
    char name[MSR_NAME_BYTES], written[MSR_NAME_BYTES];

    if (row->effect == ALL_STOP)
        want = from + LIVE_FIRST;
    else if (own && row->effect == PAUSES)
        want = from + PAUSED;
    else if (own && row->effect == IS_WRITTEN)
        want = row->second + LAST;
    check_known(t, to == want, ERRATUM_FREEZE_PMC4_TO_7,
                row->effect == ALL_STOP && n >= 4,
                "%s: %s written with 0x%lx after %u branches and with 0x%lx "
                "after %u more: %s, at 0x%lx before, is at 0x%lx after %u "
                "branches; wanted 0x%lx",
                row->what, msr_name(row->msr, written), row->first, LIVE_FIRST,
                row->second, LIVE_SECOND, msr_name(IA32_PMC(n), name), from, to,
                LIVE_BRANCHES, want);
}

/* What was read of a counter while it ran. */
static void judge_reads(struct test_context *t, const struct live_row *row,
                        unsigned n, uint64_t from,
                        const struct window_live *live)
{
    uint64_t second = from + LIVE_FIRST + LIVE_SECOND;
    char name[MSR_NAME_BYTES];

    if (row->place == n && row->effect == PAUSES)
        second = from + LIVE_FIRST;
    else if (row->place == n && row->effect == IS_WRITTEN)
        second = row->first + LIVE_SECOND;
    else if (row->effect == ALL_STOP)
        second = from + LIVE_FIRST;
    const uint64_t want[2] = {from + LIVE_FIRST, second};
    for (unsigned i = 0; i < 2; i++)
        check(t, live->by_rdpmc[i] == want[i] && live->by_rdmsr[i] == want[i],
              "%s: %s, from 0x%lx on, read while it counts: RDPMC 0x%lx, RDMSR "
              "0x%lx after %u branches; wanted 0x%lx",
              row->what, msr_name(IA32_PMC(n), name), from, live->by_rdpmc[i],
              live->by_rdmsr[i], i == 0 ? LIVE_FIRST : LIVE_FIRST + LIVE_SECOND,
              want[i]);
}

/* IA32_FIXED_CTR0: instructions. Whether a WRMSR that starts or stops it counts
 * is not said. */
static void judge_fixed(struct test_context *t, const struct live_row *row,
                        uint64_t from, uint64_t to)
{
    uint64_t all = window_live_shape.instructions;
    struct count_bounds want = {all, all + 1};
    bool signature;

    if (row->place == PLACE_FIXED0 && row->effect == PAUSES)
        want =
            (struct count_bounds){all - LIVE_BETWEEN, all - LIVE_BETWEEN + 2};
    else if (row->effect == ALL_STOP)
        return;
    else if (row->place == PLACE_FIXED0) { /* written: what comes after */
        from = row->second;
        want = (struct count_bounds){LIVE_AFTER, LIVE_AFTER + 2};
    }
    enum erratum erratum =
        bank_erratum(PLACE_FIXED0, true, to - from, want, &signature);
    check_known(t, to - from >= want.least && to - from <= want.most, erratum,
                signature,
                "%s, MSR %XH written with 0x%lx and 0x%lx: IA32_FIXED_CTR0 "
                "(309H) counted %ld instructions; wanted %lu to %lu",
                row->what, row->msr, row->first, row->second, (long)(to - from),
                want.least, want.most);
}

/* False where it could not be tried. */
static bool try_row(struct test_context *t, uint64_t places,
                    const struct live_row *row)
{
    const unsigned reader = row->place < PLACE_FIXED0 ? row->place : 0;
    struct window_live live = {.rdpmc = reader,
                               .rdmsr = IA32_PMC(reader),
                               .msr = row->msr,
                               .value = {row->first, row->second}};
    struct bank before = bank_for(t, places), after;

    /* Measured. */
    if (!bank_live(t, &before, &live, &after))
        return false;

    /* Check. */
    for (unsigned n = 0; n < COUNTERS_MAX; n++)
        if ((places >> n & 1) != 0)
            judge(t, row, n, before.pmc[n], after.pmc[n]);
    judge_reads(t, row, reader, before.pmc[reader], &live);
    if ((places >> PLACE_FIXED0 & 1) != 0)
        judge_fixed(t, row, before.fixed[0], after.fixed[0]);
    uint64_t want =
        row->effect == STATUS_ALONE || row->effect == ALL_STOP ? row->first : 0;
    check(t, (after.status & ~after.stale) == (want & ~after.stale),
          "%s, MSR %XH written with 0x%lx and 0x%lx: IA32_PERF_GLOBAL_STATUS "
          "(38EH) is 0x%lx; wanted 0x%lx",
          row->what, row->msr, row->first, row->second, after.status, want);
    return true;
}

static bool try_counter(struct test_context *t, uint64_t places, unsigned n)
{
    const struct bank bank = bank_for(t, places);
    const uint64_t select = bank.select[n];
    const struct live_row rows[] = {
        {"the same select again", n, COUNTS_ALL, IA32_PERFEVTSEL(n), select,
         select},
        {"EN [22] cleared and set", n, PAUSES, IA32_PERFEVTSEL(n),
         select & ~IA32_PERFEVTSEL_EN, select},
        {"OS [17] cleared and set", n, PAUSES, IA32_PERFEVTSEL(n),
         select & ~IA32_PERFEVTSEL_OS, select},
        {"the counter written", n, IS_WRITTEN, IA32_PMC(n), 0x100, SOME},
        {"its bit cleared and set", n, PAUSES, IA32_PERF_GLOBAL_CTRL,
         places & ~BIT(n), places},
    };

    FOR_EACH_ROW (t, i, rows)
        if (!try_row(t, places, &rows[i]))
            return false;
    if (!test_cpu(t)->full_width_writes)
        return true;
    const struct live_row full = {
        "the counter written whole",       n, IS_WRITTEN, IA32_A_PMC(n), SOME,
        bank_mask(test_cpu(t), n) - 0x1000};
    return try_row(t, places, &full);
}

/* The counter overflows with the second branch: its status bit is 1 at once,
 * and once cleared it stays 0, though the counters go on. */
static bool try_status(struct test_context *t, uint64_t places, unsigned n)
{
    struct window_live live = {.rdpmc = n,
                               .rdmsr = IA32_PERF_GLOBAL_STATUS,
                               .msr = IA32_PERF_GLOBAL_STATUS_RESET,
                               .value = {BIT(n), 0}};
    struct bank before = bank_for(t, places), after;
    char name[MSR_NAME_BYTES];

    /* Measured. */
    before.pmc[n] = bank_mask(test_cpu(t), n) - 1;
    if (!bank_live(t, &before, &live, &after))
        return false;

    /* Check. */
    const uint64_t first = live.by_rdmsr[0] & ~after.stale,
                   second = live.by_rdmsr[1] & ~after.stale;
    check(t, first == BIT(n) && second == 0 && (after.status & places) == 0,
          "%s overflows with the second of %u branches: "
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx while it counts, 0x%lx "
          "after a 1 was written to [%u] of 390H, 0x%lx at the end; wanted "
          "0x%lx, 0 and 0",
          msr_name(IA32_PMC(n), name), LIVE_BRANCHES, first, second, n,
          after.status, BIT(n));
    check(t, after.pmc[n] == LIVE_BRANCHES - 2,
          "%s, 2 branches before its overflow, is at 0x%lx after %u; wanted "
          "0x%x",
          name, after.pmc[n], LIVE_BRANCHES, LIVE_BRANCHES - 2);
    return true;
}

/* Instructions: also those right after a write of IA32_PERF_GLOBAL_CTRL that
 * leaves a counter's bit as it is. The WRMSR that closes may count as one more.
 */
static bool try_beside(struct test_context *t, uint64_t places, unsigned n)
{
    const uint64_t all = window_live_shape.instructions;
    struct window_live live = {.rdpmc = n,
                               .rdmsr = IA32_PMC(n),
                               .msr = IA32_PERF_GLOBAL_CTRL,
                               .value = {places & ~BIT(n), places}};
    struct bank before = bank_of(places, INSTRUCTIONS), after;
    char name[MSR_NAME_BYTES], other[MSR_NAME_BYTES];

    /* Measured. */
    if (!bank_live(t, &before, &live, &after))
        return false;

    /* Check. */
    for (unsigned m = 0; m < COUNTERS_MAX; m++) {
        const struct count_bounds want = {all, all + 1};
        bool signature;
        enum erratum erratum =
            bank_erratum(m, true, after.pmc[m], want, &signature);

        if (m == n || (places >> m & 1) == 0)
            continue;
        check_known(t, after.pmc[m] >= want.least && after.pmc[m] <= want.most,
                    erratum, signature,
                    "the bit of %s cleared and set in IA32_PERF_GLOBAL_CTRL "
                    "(38FH): %s counted %lu instructions; wanted %lu or %lu",
                    msr_name(IA32_PMC(n), name), msr_name(IA32_PMC(m), other),
                    after.pmc[m], want.least, want.most);
    }
    return true;
}

/* What is not about one counter. */
static bool try_others(struct test_context *t, uint64_t places)
{
    const struct live_row rows[] = {
        {"the same value again", 0, COUNTS_ALL, IA32_PERF_GLOBAL_CTRL, places,
         places},
        {"the status cleared", 0, COUNTS_ALL, IA32_PERF_GLOBAL_STATUS_RESET, 0,
         places},
    };

    FOR_EACH_ROW (t, i, rows)
        if (!try_row(t, places, &rows[i]))
            return false;
    return true;
}

static bool try_fixed(struct test_context *t, uint64_t places)
{
    const struct bank bank = bank_for(t, places);
    const struct live_row rows[] = {
        {"fixed counters stopped and started", PLACE_FIXED0, PAUSES,
         IA32_FIXED_CTR_CTRL, 0, bank.fixed_ctrl},
        {"OS of fixed counter 0 cleared and set, USR left", PLACE_FIXED0,
         PAUSES, IA32_FIXED_CTR_CTRL,
         bank.fixed_ctrl & ~IA32_FIXED_CTR_CTRL_OS(0), bank.fixed_ctrl},
        {"the bit of fixed counter 0 cleared and set", PLACE_FIXED0, PAUSES,
         IA32_PERF_GLOBAL_CTRL, places & ~BIT(PLACE_FIXED0), places},
        {"IA32_FIXED_CTR0 written", PLACE_FIXED0, IS_WRITTEN, IA32_FIXED_CTR(0),
         0, SOME},
    };

    FOR_EACH_ROW (t, i, rows)
        if (!try_row(t, places, &rows[i]))
            return false;
    return true;
}

/* Fixed counter n, from there on, is read in turns, and a register written. */
static bool fixed_window(struct test_context *t, uint64_t places, unsigned n,
                         uint64_t from, struct window_live *live,
                         struct bank *after)
{
    struct bank before = bank_for(t, places);

    live->rdpmc = RDPMC_FIXED | n;
    live->rdmsr = IA32_FIXED_CTR(n);
    before.fixed[n] = from;
    return bank_live(t, &before, live, after);
}

/* RDPMC and RDMSR of a fixed counter while it counts: what is read later is not
 * less, and all of it lies between the counter's ends. The second time it may
 * be stopped, it alone: then both are the same. */
static bool try_fixed_reads(struct test_context *t, uint64_t places, unsigned n,
                            bool stopped)
{
    const uint64_t from = SOME - 1, without = places & ~BIT(PLACE_FIXED0 + n);
    struct window_live live = {.msr = IA32_PERF_GLOBAL_CTRL,
                               .value = {stopped ? without : places, places}};
    char name[MSR_NAME_BYTES];
    struct bank after;

    if (!fixed_window(t, places, n, from, &live, &after))
        return false;
    check(t,
          from <= live.by_rdpmc[0] && live.by_rdpmc[0] <= live.by_rdmsr[0] &&
              live.by_rdmsr[0] <= live.by_rdpmc[1] &&
              live.by_rdpmc[1] <= live.by_rdmsr[1] &&
              live.by_rdmsr[1] <= after.fixed[n],
          "%s, from 0x%lx on, read while it counts: RDPMC 0x%lx, RDMSR 0x%lx, "
          "RDPMC 0x%lx, RDMSR 0x%lx, and 0x%lx at the end; wanted none to be "
          "less than the one before",
          msr_name(IA32_FIXED_CTR(n), name), from, live.by_rdpmc[0],
          live.by_rdmsr[0], live.by_rdpmc[1], live.by_rdmsr[1], after.fixed[n]);
    check(t, !stopped || live.by_rdpmc[1] == live.by_rdmsr[1],
          "%s with IA32_PERF_GLOBAL_CTRL (38FH)[%u] = 0, others being 1: RDPMC "
          "0x%lx, then RDMSR 0x%lx; wanted it to stand",
          name, PLACE_FIXED0 + n, live.by_rdpmc[1], live.by_rdmsr[1]);
    return true;
}

/* Each fixed counter goes on from 0, then from SOME, where they are written. */
static bool try_fixed_written(struct test_context *t, uint64_t places,
                              unsigned n)
{
    const uint64_t from = UINT64_C(2) * SOME;
    struct window_live live = {.msr = IA32_FIXED_CTR(n), .value = {0, SOME}};
    char name[MSR_NAME_BYTES];
    struct bank after;

    if (!fixed_window(t, places, n, from, &live, &after))
        return false;
    check(t,
          live.by_rdpmc[1] < SOME && live.by_rdmsr[1] < SOME &&
              after.fixed[n] - SOME < SOME,
          "%s, from 0x%lx on, written with 0 while it counts: RDPMC 0x%lx, "
          "RDMSR 0x%lx; written with 0x%x: 0x%lx at the end; wanted less than "
          "0x%x, and then that or more",
          msr_name(IA32_FIXED_CTR(n), name), from, live.by_rdpmc[1],
          live.by_rdmsr[1], SOME, after.fixed[n], SOME);
    return true;
}

/* Version 4: the status written by software. */
static bool try_status_set(struct test_context *t, uint64_t places)
{
    const struct live_row rows[] = {
        {"overflows set", 0, STATUS_ALONE, IA32_PERF_GLOBAL_STATUS_SET, places,
         0},
        {"CTR_Frz set", 0, ALL_STOP, IA32_PERF_GLOBAL_STATUS_SET,
         IA32_PERF_GLOBAL_STATUS_CTR_FRZ, 0},
    };

    if (!set_msr(t, IA32_PERF_GLOBAL_STATUS_SET, 0))
        return false;
    FOR_EACH_ROW (t, i, rows)
        if (!try_row(t, places, &rows[i]))
            return false;
    return true;
}

TEST(counter_while_running,
     .asks = "Can a running counter be read and written, and does a write "
             "change nothing else?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1 "
             "Facilities\", \"Version 2\", \"Version 4\", \"Full-Width Writes "
             "to Performance Counter Registers\"; SDM 2B, RDPMC",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    uint64_t places = bank_claim(t);

    if (places == 0)
        return;
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
        if ((places >> n & 1) != 0 &&
            (!try_counter(t, places, n) || !try_status(t, places, n)))
            return;
    if ((places >> PLACE_FIXED0 & 1) != 0 && !try_fixed(t, places))
        return;
    for (unsigned n = 0; n < BANK_FIXED; n++)
        if ((places >> (PLACE_FIXED0 + n) & 1) != 0 &&
            (!try_fixed_reads(t, places, n, false) ||
             !try_fixed_reads(t, places, n, true) ||
             !try_fixed_written(t, places, n)))
            return;
    if (try_others(t, places) && try_beside(t, places, 0) &&
        try_beside(t, places, 1) && test_cpu(t)->perfmon_version >= 4)
        (void)try_status_set(t, places);
}
