/* SPDX-License-Identifier: BSD-2-Clause */
/* Each counter that overflows says so in its own bit of
 * IA32_PERF_GLOBAL_STATUS, which stays until it is cleared through 390H, and
 * 390H clears nothing else. */
#include "src/harness/case.h"
#include "asm/memory_windows.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES    0xc4
#define CYCLES      0x3c
#define LOADS       UINT64_C(0x81d0) /* tables of events, 06_2AH and later */
#define CYCLE_TRIES 4
#define FEW_LOADS   3
#define AMID        7 /* parts of the cycles of a window */

#define STATUS_CONDCHGD BIT(63)

/* What others than a counter may set at any time: a ToPA entry, SGX, the
 * uncore, and CondChgd. */
#define NOT_OF_COUNTERS                                 \
    (IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI | BIT(60) | \
     IA32_PERF_GLOBAL_STATUS_OVF_UNCORE | STATUS_CONDCHGD)

static uint64_t status_of(struct test_context *t, const struct bank *after)
{
    return msr_value(t, IA32_PERF_GLOBAL_STATUS) & ~NOT_OF_COUNTERS &
           ~after->stale;
}

/* Only the counters in `over` reach the end of their width. False where it
 * could not be tried. */
static bool try_overflow(struct test_context *t, uint64_t places, uint64_t over,
                         struct bank *after)
{
    struct bank bank = bank_of(places, BRANCHES);
    char name[MSR_NAME_BYTES] = "all counters";

    for (unsigned p = 0; p < PLACES_END; p++)
        if ((over >> p & 1) != 0)
            *bank_value(&bank, p) = p > PLACE_FIXED0
                                        ? bank_mask(test_cpu(t), p)
                                        : bank_mask(test_cpu(t), p) - 2;
    if (!bank_window(t, &bank, window_long, after))
        return false;
    for (unsigned p = 0; p < PLACES_END; p++)
        if (over == BIT(p))
            msr_name(bank_msr(p), name);
    uint64_t got = after->status & ~NOT_OF_COUNTERS;
    check(t, got == (over & ~after->stale),
          "overflow of %s while %s: IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx; "
          "wanted 0x%lx",
          name, over == places ? "all overflow" : "the others only count", got,
          over & ~after->stale);
    return true;
}

/* A window whose events are one too few, just enough, one too many. Fixed
 * counter 0 is short of what it counted before. */
static bool try_very_event(struct test_context *t, uint64_t places, unsigned p)
{
    struct bank bank = bank_of(places, BRANCHES), after;
    char name[MSR_NAME_BYTES];

    if (!bank_window(t, &bank, window_plain, &after))
        return false;
    const uint64_t events = *bank_value(&after, p);
    for (unsigned i = 0; i < 3 && i <= events; i++) {
        const uint64_t short_of = events + 1 - i;
        *bank_value(&bank, p) = (bank_mask(test_cpu(t), p) - short_of) + 1;
        if (!bank_window(t, &bank, window_plain, &after))
            return false;
        bool overflow = (after.status & ~after.stale & BIT(p)) != 0;
        check_known(
            t, overflow == (short_of <= events) || (after.stale >> p & 1) != 0,
            ERRATUM_INSTRUCTIONS_INCONSISTENT, p == PLACE_FIXED0,
            "%s, %lu short of its overflow, counted %lu events: "
            "IA32_PERF_GLOBAL_STATUS (38EH)[%u] is %d; wanted %d",
            msr_name(bank_msr(p), name), short_of, events, p, overflow,
            short_of <= events);
    }
    return true;
}

/* Cycles: one more or less a window. Where the counter has not gone through 0
 * it has not overflowed, were it at its highest value. */
static bool try_very_cycle(struct test_context *t, uint64_t places, unsigned p)
{
    struct bank bank = bank_of(places, BRANCHES), after;
    const uint64_t mask = bank_mask(test_cpu(t), p);
    char name[MSR_NAME_BYTES];

    if (!bank_window(t, &bank, window_plain, &after))
        return false;
    for (unsigned i = 0; i < CYCLE_TRIES; i++) {
        uint64_t start = mask - *bank_value(&after, p);
        *bank_value(&bank, p) = start;
        if (!bank_window(t, &bank, window_plain, &after))
            return false;
        uint64_t end = *bank_value(&after, p);
        bool overflow = (after.status & ~after.stale & BIT(p)) != 0;
        check(t, overflow == (end < start) || (after.stale >> p & 1) != 0,
              "%s went from 0x%lx to 0x%lx: IA32_PERF_GLOBAL_STATUS (38EH)[%u] "
              "is %d; wanted %d",
              msr_name(bank_msr(p), name), start, end, p, overflow,
              end < start);
        *bank_value(&after, p) = (end - start) & mask;
    }
    return true;
}

/* Loads that miss the caches, which take many cycles each. They are counted, so
 * that it is known which they are. */
static void load_flushed(void *argument)
{
    struct test_context *t = argument;
    const struct memory_walk walk = {.base = (uintptr_t)test_buffer(t),
                                     .step = 64,
                                     .mask = TEST_BUFFER_BYTES / 2 - 1,
                                     .count = FEW_LOADS};

    memory_load_flush(msr_value(t, IA32_PERF_GLOBAL_CTRL), &walk);
}

/* One that overflows amid the cycles that IA32_PMC2 counts too. */
static void judge_amid(struct test_context *t, unsigned p,
                       const struct bank *before, const struct bank *after)
{
    const uint64_t begin = bank_count(before, p), end = bank_count(after, p);
    const uint64_t counted = (end - begin) & bank_mask(test_cpu(t), p);
    const uint64_t margin = count_margin(COUNTS_TIME, after->pmc[2]);
    char name[MSR_NAME_BYTES];

    check(t,
          counted + margin >= after->pmc[2] &&
              counted <= after->pmc[2] + margin,
          "%s went from 0x%lx to 0x%lx over its overflow, %lu core cycles, "
          "while IA32_PMC2 (C3H) counted %lu from 0; wanted the same, but for "
          "an eighth",
          msr_name(bank_msr(p), name), begin, end, counted, after->pmc[2]);
}

/* Core cycles on four counters, three of which overflow, each somewhere else
 * amid them: all count the same, so nothing is lost at an overflow. */
static bool try_amid_cycles(struct test_context *t, uint64_t places)
{
    const unsigned amid[] = {0, 1, PLACE_FIXED0 + 1};
    struct bank before =
        bank_of(places & (BITS(3, 0) | BIT(PLACE_FIXED0 + 1)), CYCLES);
    struct erratum_found found;
    struct bank after;

    if ((places & BITS(2, 0)) != BITS(2, 0))
        return true;
    /* Of which the sibling's IA32_PMC3 may count some (HSD029). */
    if ((places & BIT(3)) != 0 &&
        (test_sibling(t) == test_processor(t) ||
         !errata_find(test_cpu(t), ERRATUM_MEMORY_EVENTS_WITH_HT, &found)))
        before.select[3] = LOADS | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS |
                           IA32_PERFEVTSEL_EN;
    if (!bank_work(t, &before, load_flushed, t, &after))
        return false;
    const uint64_t cycles = after.pmc[2];
    for (unsigned i = 1; i < AMID; i++) {
        for (unsigned n = 0; n < 3; n++)
            *bank_value(&before, amid[n]) =
                bank_mask(test_cpu(t), amid[n]) -
                cycles * ((i + 2 * n) % (AMID - 1) + 1) / AMID;
        if (!bank_work(t, &before, load_flushed, t, &after))
            return false;
        for (unsigned n = 0; n < 3; n++)
            if ((places >> amid[n] & 1) != 0)
                judge_amid(t, amid[n], &before, &after);
    }
    return true;
}

/* A counter that is given its last value again, once it has overflowed and its
 * bit was cleared, while all count: as a driver's handler does. */
struct again {
    struct test_context *t;
    unsigned place;
    uint64_t cleared; /* the status, after that */
};

static void overflow_again(void *argument)
{
    struct again *a = argument;

    counting_work(NULL);
    counters_clear_status(a->t, BIT(a->place));
    a->cleared = msr_value(a->t, IA32_PERF_GLOBAL_STATUS);
    set_msr_again(a->t, bank_msr(a->place),
                  bank_mask(test_cpu(a->t), a->place));
    counting_work(NULL);
}

static bool try_again(struct test_context *t, uint64_t places, unsigned p)
{
    struct again again = {.t = t, .place = p};
    struct bank before = bank_of(places, BRANCHES), after;
    char name[MSR_NAME_BYTES];

    before.live = true;
    *bank_value(&before, p) = bank_mask(test_cpu(t), p);
    if (!bank_work(t, &before, overflow_again, &again, &after))
        return false;
    check(t,
          (after.stale >> p & 1) != 0 ||
              ((again.cleared >> p & 1) == 0 && (after.status >> p & 1) != 0),
          "%s overflows, its bit is cleared through 390H, and it overflows "
          "again, all while it is enabled: IA32_PERF_GLOBAL_STATUS (38EH)[%u] "
          "is %lu, then %lu; wanted 0, then 1",
          msr_name(bank_msr(p), name), p, again.cleared >> p & 1,
          after.status >> p & 1);
    return true;
}

/* Bits that are no counter's, and that software can set from version 4 on. */
#define BESIDE \
    (IA32_PERF_GLOBAL_STATUS_OVF_UNCORE | IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER)

struct beside {
    struct test_context *t;
    uint64_t places;
};

/* Once the bits are there. */
static void overflow_beside(void *argument)
{
    const struct beside *b = argument;

    set_msr_again(b->t, IA32_PERF_GLOBAL_STATUS_SET, BESIDE);
    counters_clear_status(b->t, b->places);
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((b->places >> p & 1) != 0)
            set_msr_again(b->t, bank_msr(p), bank_mask(test_cpu(b->t), p));
    counting_work(NULL);
}

static bool try_beside(struct test_context *t, uint64_t places)
{
    struct bank before = bank_of(places, BRANCHES), after;
    struct beside beside = {t, places};

    if (test_cpu(t)->perfmon_version < 4)
        return true;
    before.live = true;
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0)
            *bank_value(&before, p) = bank_mask(test_cpu(t), p);
    if (!bank_work(t, &before, overflow_beside, &beside, &after))
        return false;
    const uint64_t want = (places | BESIDE) & ~after.stale;
    check(t, (after.status & want) == want,
          "[62:61] of IA32_PERF_GLOBAL_STATUS (38EH) are set through 391H, and "
          "all counters overflow: it is 0x%lx; wanted 0x%lx",
          after.status, want);
    return true;
}

/* Each 1 written to 390H clears its own bit, while those after it are set, or,
 * falling, those before it. */
static void clear_each(struct test_context *t, uint64_t set,
                       const struct bank *after, bool falling)
{
    for (unsigned n = 0; n < PLACES_END; n++) {
        const unsigned p = falling ? PLACES_END - 1 - n : n;

        if ((set >> p & 1) == 0)
            continue;
        uint64_t before = status_of(t, after);
        counters_clear_status(t, BIT(p));
        uint64_t now = status_of(t, after);
        check(t, now == (before & ~BIT(p)),
              "IA32_PERF_GLOBAL_STATUS (38EH) was 0x%lx; after bit %u alone "
              "was written to 390H it is 0x%lx, wanted 0x%lx",
              before, p, now, before & ~BIT(p));
    }
}

/* With all of them set: disabled counters keep theirs. */
static void clear_one_by_one(struct test_context *t, uint64_t places,
                             const struct bank *after)
{
    uint64_t want = places & ~after->stale;

    for (unsigned again = 0; again < 2; again++) {
        for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
            set_msr_again(t, IA32_PERFEVTSEL(n), 0);
        set_msr_again(t, IA32_FIXED_CTR_CTRL, 0);
    }
    check_equal(t,
                "IA32_PERF_GLOBAL_STATUS (38EH) once the counters that "
                "overflowed are disabled, and their selects 0 written as 0",
                status_of(t, after), want);
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0) {
            set_msr_again(t, bank_msr(p), 0x55);
            if (p < PLACE_FIXED0 && test_cpu(t)->full_width_writes)
                set_msr_again(t, IA32_A_PMC(p), 0x55);
        }
    check_equal(t,
                "IA32_PERF_GLOBAL_STATUS (38EH) after the counters that "
                "overflowed were written",
                status_of(t, after), want);
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, places);
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0);
    check_equal(t,
                "IA32_PERF_GLOBAL_STATUS (38EH) after IA32_PERF_GLOBAL_CTRL "
                "(38FH) was written with the bits of all counters, and with 0",
                status_of(t, after), want);
    counters_clear_status(t, 0);
    check_equal(t, "IA32_PERF_GLOBAL_STATUS (38EH) after 0 was written to 390H",
                status_of(t, after), want);
    clear_each(t, want, after, false);
}

/* OvfBuf [62] and CondChgd [63] can be cleared on every version, be they set or
 * not, and no counter's bit by that. */
static void clear_others(struct test_context *t, const struct bank *after)
{
    for (unsigned bit = 62; bit < 64; bit++) {
        uint64_t before = status_of(t, after);
        int vector = try_set_msr_again(t, IA32_PERF_GLOBAL_OVF_CTRL, BIT(bit));
        uint64_t now = status_of(t, after);
        check(t, vector == HW_NO_FAULT,
              "IA32_PERF_GLOBAL_OVF_CTRL (390H) written with bit %u alone: got "
              "%s, wanted no exception",
              bit, fault_name(vector));
        check(t, (now | BIT(62)) == (before | BIT(62)),
              "bit %u written to 390H: IA32_PERF_GLOBAL_STATUS (38EH) was "
              "0x%lx and is 0x%lx; wanted no counter's bit changed",
              bit, before, now);
    }
}

/* A write makes none, be it of what the counter holds. */
static bool try_written(struct test_context *t, uint64_t places)
{
    for (unsigned p = 0; p < 2 * PLACES_END; p++)
        if ((places >> p / 2 & 1) != 0)
            set_msr_again(t, bank_msr(p / 2), bank_mask(test_cpu(t), p / 2));
    return check_equal(t,
                       "IA32_PERF_GLOBAL_STATUS (38EH) after all ones were "
                       "written to each counter, twice",
                       msr_value(t, IA32_PERF_GLOBAL_STATUS) & places, 0);
}

TEST(counter_overflow_bits,
     .asks = "Does each counter overflow in its own status bit, to be cleared "
             "alone?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 2\", "
             "\"Layout of IA32_PERF_GLOBAL_STATUS MSR\", \"Layout of "
             "IA32_PERF_GLOBAL_OVF_CTRL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    uint64_t places = bank_claim(t);
    struct bank after;

    if (places == 0)
        return;
    for (unsigned p = 0; p < PLACES_END; p++)
        if ((places >> p & 1) != 0 && !try_overflow(t, places, BIT(p), &after))
            return;
    for (unsigned p = 0; p <= PLACE_FIXED0; p++)
        if ((places >> p & 1) != 0 && !try_very_event(t, places, p))
            return;
    for (unsigned p = PLACE_FIXED0 + 1; p < PLACES_END; p++)
        if ((places >> p & 1) != 0 && !try_very_cycle(t, places, p))
            return;
    /* Reference cycles come in steps, which may be longer. */
    for (unsigned p = 0; p < PLACE_FIXED0 + 2; p++)
        if ((places >> p & 1) != 0 && !try_again(t, places, p))
            return;
    if (!try_amid_cycles(t, places) || !try_beside(t, places))
        return;
    if (!try_overflow(t, places, 0, &after) ||
        !try_written(t, places & ~after.stale) ||
        !try_overflow(t, places, places, &after))
        return;
    /* Cleared with all of its bits before each window. */
    check_known(t, (after.stale & (STATUS_CONDCHGD | places)) == 0,
                ERRATUM_OVERFLOW_STAYS, (after.stale & STATUS_CONDCHGD) == 0,
                "IA32_PERF_GLOBAL_STATUS (38EH) was 0x%lx after 390H was "
                "written with all of its bits; wanted [63] (CondChgd) and "
                "those of counters 0",
                after.stale);
    clear_others(t, &after);
    clear_one_by_one(t, places, &after);
    if (!try_overflow(t, places, places, &after))
        return;
    clear_each(t, places & ~after.stale, &after, true);
    if (after.stale != 0)
        note(t,
             "IA32_PERF_GLOBAL_STATUS (38EH) was 0x%lx, which 390H does not "
             "clear, and was not judged",
             after.stale);
}
