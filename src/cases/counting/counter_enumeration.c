/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID.0AH against what is there: each architectural event that it has counts
 * where it is provoked, and the counters end where it says. */
#include "src/harness/case.h"
#include "asm/memory_windows.h"
#include "src/cpu/generation.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define PERFMON_AVAILABLE BIT(7) /* of IA32_MISC_ENABLE */
#define LOADS             16
#define STEP              (2048 + 64) /* each line in a set of its own, of any L1 */
#define UNDER_WAY         2 /* requests of before a window, that miss in it */
#define RANDOM_WINDOWS    4
#define RANDOM_BRANCHES   64 /* of window_random() */
#define RANDOM_OTHERS     4  /* the loop's */

enum provoked { BY_WORK, BY_LOADS, BY_RANDOM_BRANCHES };

/* SDM 3B, "UMask and Event Select Encodings for Pre-Defined Architectural
 * Performance Events", in the order of the bits of CPUID.0AH:EBX. */
static const struct architectural {
    const char *name;
    uint16_t select;
    enum provoked provoked;
    bool llc;
} events[] = {
    {"UnHalted Core Cycles", 0x003c, BY_WORK, false},
    {"Instruction Retired", 0x00c0, BY_WORK, false},
    {"UnHalted Reference Cycles", 0x013c, BY_WORK, false},
    {"LLC Reference", 0x4f2e, BY_LOADS, true},
    {"LLC Misses", 0x412e, BY_LOADS, true},
    {"Branch Instruction Retired", 0x00c4, BY_WORK, false},
    {"Branch Misses Retired", 0x00c5, BY_RANDOM_BRANCHES, false},
    {"Topdown Slots", 0x01a4, BY_WORK, false},
};
#define EVENTS       (sizeof(events) / sizeof(events[0]))
#define EVENTS_FIRST 7 /* up to version 4 */

struct walked {
    struct test_context *t;
    memory_window *window;
};

static void walk(void *argument)
{
    const struct walked *w = argument;
    const struct memory_walk walk = {.base = (uintptr_t)test_buffer(w->t),
                                     .step = STEP,
                                     .mask = TEST_BUFFER_BYTES / 2 - 1,
                                     .count = LOADS};

    w->window(msr_value(w->t, IA32_PERF_GLOBAL_CTRL), &walk);
}

/* _flush: that miss every cache, as each line is flushed before. */
static bool count_walk(struct test_context *t, const struct bank *before,
                       memory_window *window, struct bank *after)
{
    return bank_work(t, before, walk, &(struct walked){t, window}, after);
}

static bool provoke(struct test_context *t, const struct architectural *event,
                    struct bank *before, struct bank *after)
{
    before->cell = test_random(t);
    if (event->provoked == BY_LOADS)
        return count_walk(t, before, memory_load_flush, after);
    return bank_window(t, before,
                       event->provoked == BY_WORK ? window_long : window_random,
                       after);
}

/* References and misses of the last level at once, of loads and of stores. */
static bool try_last_level(struct test_context *t, uint64_t places)
{
    struct bank before = bank_of(places & BITS(1, 0), events[3].select);
    struct bank flushed, cached, stored;

    before.select[1] ^= events[3].select ^ events[4].select;
    if (!count_walk(t, &before, memory_load_flush, &flushed) ||
        !count_walk(t, &before, memory_load, &cached) ||
        !count_walk(t, &before, memory_store_flush, &stored))
        return false;
    const bool few = flushed.pmc[1] <= flushed.pmc[0] + UNDER_WAY;
    check_known(t, few, ERRATUM_LLC_EVENTS, true,
                "%u loads of flushed lines: %lu references (2EH/4FH) and %lu "
                "misses (2EH/41H); wanted no more of these, but for %u",
                LOADS, flushed.pmc[0], flushed.pmc[1], UNDER_WAY);
    check_known(t, cached.pmc[0] < flushed.pmc[0] && cached.pmc[0] < LOADS,
                ERRATUM_LLC_EVENTS, true,
                "references (2EH/4FH): %lu by %u loads that the caches have, "
                "%lu by as many of flushed lines; wanted fewer by those",
                cached.pmc[0], LOADS, flushed.pmc[0]);
    check_known(t, stored.pmc[0] >= LOADS / 2 && stored.pmc[1] >= LOADS / 2,
                ERRATUM_LLC_EVENTS, true,
                "%u stores to flushed lines: %lu references (2EH/4FH) and %lu "
                "misses (2EH/41H); wanted half as many of each at least",
                LOADS, stored.pmc[0], stored.pmc[1]);
    return true;
}

/* Of 64 branches at random some are mispredicted, and no more than there are
 * branches. */
static bool try_random(struct test_context *t, uint64_t places)
{
    struct bank before = bank_of(places & BITS(1, 0), events[6].select), after;

    if ((places & BITS(1, 0)) != BITS(1, 0))
        return true;
    before.select[1] ^= events[6].select ^ events[5].select;
    for (unsigned i = 0; i < RANDOM_WINDOWS; i++) {
        before.cell = test_random(t);
        if (!bank_window(t, &before, window_random, &after))
            return false;
        check(t, after.pmc[0] <= RANDOM_BRANCHES + RANDOM_OTHERS,
              "a window with %u branches at random, and a loop: Branch Misses "
              "Retired (C5H/00H) is %lu on IA32_PMC0 (C1H); wanted %u at most",
              RANDOM_BRANCHES, after.pmc[0], RANDOM_BRANCHES + RANDOM_OTHERS);
    }
    check(t, after.pmc[0] <= after.pmc[1],
          "a window with 64 branches at random: Branch Misses Retired "
          "(C5H/00H) is %lu on IA32_PMC0 (C1H), Branch Instruction Retired "
          "(C4H/00H) %lu on IA32_PMC1 (C2H); wanted no more misses than "
          "branches",
          after.pmc[0], after.pmc[1]);
    return true;
}

/* Jumps that were taken before are not all mispredicted. */
static bool try_predicted(struct test_context *t, uint64_t places)
{
    struct bank before = bank_of(places & BIT(0), events[6].select), after;

    for (unsigned i = 0; i < 4; i++)
        if (!bank_window(t, &before, window_long, &after))
            return false;
    check(t, after.pmc[0] < window_long_shape.branches,
          "Branch Misses Retired (C5H/00H): IA32_PMC0 (C1H) counted %lu of %u "
          "direct jumps, taken for the fourth time; wanted fewer",
          after.pmc[0], window_long_shape.branches);
    return true;
}

/* Reference cycles of both kinds: event 3CH/01H counts the bus or the crystal
 * clock, the fixed counter the TSC's, which is a multiple of one of them. */
static void judge_reference(struct test_context *t, uint64_t slow,
                            uint64_t fixed)
{
    struct hw_cpuid leaf = {0, 0, 0, 0};
    uint64_t info = 0, ratio[2] = {0, 0};
    bool fits = false;

    if (try_get_msr(t, MSR_PLATFORM_INFO, &info) == HW_NO_FAULT)
        ratio[0] = (info & MSR_PLATFORM_INFO_RATIO) >> 8;
    if (test_cpu(t)->leaf_max >= 0x15)
        hw_cpuid(0x15, 0, &leaf);
    if (leaf.eax != 0)
        ratio[1] = leaf.ebx / leaf.eax;
    if ((identity_generation(test_cpu(t)) & BUS_AT_TSC_RATE) != 0)
        ratio[1] = 1;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t want = slow * ratio[i], margin = want / 16 + 2 * ratio[i];
        fits = fits || (ratio[i] != 0 && fixed <= want + margin &&
                        fixed + margin >= want);
    }
    if (ratio[0] != 0 || ratio[1] != 0)
        check(t, fits,
              "IA32_FIXED_CTR2 (30BH) counted %lu reference cycles and "
              "IA32_PMC1 (C2H) %lu (3CH/01H); wanted %lu times as many "
              "(MSR_PLATFORM_INFO, CEH[15:8]) or %lu times (CPUID.15H)",
              fixed, slow, ratio[0], ratio[1]);
}

/* Core cycles on a fixed and on a general-purpose counter, where they are many
 * more than instructions; reference cycles of both kinds: at ring 0, whose
 * bit alone the fixed ones may have. */
static bool try_cycles(struct test_context *t, uint64_t places, bool os_alone)
{
    struct bank before = bank_of(places, events[0].select), after;

    if ((places & BIT(0)) == 0 || bank_fixed(test_cpu(t)) < 3)
        return true;
    before.select[1] ^= events[0].select ^ events[2].select;
    for (unsigned n = 0; n < BANK_FIXED && os_alone; n++)
        before.fixed_ctrl &= ~IA32_FIXED_CTR_CTRL_USR(n);
    if (!count_walk(t, &before, memory_load_flush, &after))
        return false;
    uint64_t margin = count_margin(COUNTS_TIME, after.pmc[0]);
    check(t,
          after.fixed[1] <= after.pmc[0] + margin &&
              after.fixed[1] + margin >= after.pmc[0],
          "%u loads that miss the caches: IA32_FIXED_CTR1 (30AH) counted %lu "
          "core cycles, IA32_PMC0 (C1H) %lu (3CH/00H); wanted the same, but "
          "for an eighth",
          LOADS, after.fixed[1], after.pmc[0]);
    if (identity_known(test_cpu(t)) && (test_cpu(t)->leaf0a_ebx & 4) == 0)
        judge_reference(t, after.pmc[1], after.fixed[2]);
    return true;
}

/* False where it could not be tried. */
static bool try_event(struct test_context *t, uint64_t places, unsigned bit)
{
    const struct architectural *event = &events[bit];
    struct bank before = bank_of(places, event->select), after;
    char name[MSR_NAME_BYTES];

    /* Measured. */
    if (!provoke(t, event, &before, &after))
        return false;

    /* Check. */
    for (unsigned n = 0; n < counters_available(test_cpu(t)); n++)
        if ((places >> n & 1) != 0)
            check_known(t, after.pmc[n] != 0, ERRATUM_LLC_EVENTS, event->llc,
                        "CPUID.0AH:EBX[%u] = 0, so there is %s (%02XH/%02XH); "
                        "%s counted 0 where it was provoked",
                        bit, event->name, event->select & 0xffu,
                        event->select >> 8, msr_name(IA32_PMC(n), name));
    return true;
}

/* An event that it does not have does not count. Not tried on Nehalem, which
 * denies one that is there, though not under this select, nor on a hybrid,
 * whose leaf 0AH denies what one kind of core has not. False: not tried. */
static bool denies_rightly(const struct identity *id)
{
    return id->core_type == 0 &&
           (identity_generation(id) & ~(unsigned)NEHALEM) != GENERATION_UNKNOWN;
}

static bool try_absent(struct test_context *t, uint64_t places, unsigned bit)
{
    const struct architectural *event = &events[bit];
    struct bank before = bank_of(places & BIT(0), event->select), after;

    if (!provoke(t, event, &before, &after))
        return false;
    check(t, after.pmc[0] == 0,
          "CPUID.0AH:EBX[%u] = 1, so there is no %s (%02XH/%02XH); IA32_PMC0 "
          "(C1H) counted %lu where it was provoked",
          bit, event->name, event->select & 0xffu, event->select >> 8,
          after.pmc[0]);
    return true;
}

/* Each register that is enumerated, be it one more than is used elsewhere. */
static void look_at_all(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    const unsigned general = id->counters, fixed = 2 * general;
    char name[MSR_NAME_BYTES];
    uint64_t value;

    for (unsigned n = 0; n < fixed + 32; n++) {
        uint32_t msr = n < general ? IA32_PMC(n)
                       : n < fixed ? IA32_PERFEVTSEL(n - general)
                                   : IA32_FIXED_CTR(n - fixed);
        if (n >= fixed && (id->fixed_set >> (n - fixed) & 1) == 0)
            continue;
        int vector = try_get_msr(t, msr, &value);
        check(t, vector == HW_NO_FAULT,
              "CPUID has %u counters and the fixed ones 0x%x: RDMSR of %s got "
              "%s, wanted no exception",
              general, id->fixed_set, msr_name(msr, name), fault_name(vector));
    }
}

/* "If CPUID.0AH:EAX[15:8] > n", say the rows of IA32_PMCn and IA32_PERFEVTSELn
 * (SDM 3C, "IA-32 Architectural MSRs"). Hypervisors may let it be read. */
static void check_absent(struct test_context *t, uint32_t msr)
{
    const struct identity *id = test_cpu(t);
    uint64_t value;
    int vector = try_get_msr(t, msr, &value);

    check(t, vector == HW_GP || !identity_is_native(id),
          "CPUID.0AH has %u counters and %u fixed ones: RDMSR of %XH, which "
          "would be of one more, got %s; wanted #GP",
          id->counters, id->fixed_counters, msr, fault_name(vector));
}

#define OF_A_CORE 8 /* general-purpose counters, up to version 5 */

/* Counters that another logical processor of the core has, or that a hybrid's
 * CPUID does not tell: whether they raise #GP here no manual says. */
static void observe_others(struct test_context *t)
{
    const bool hybrid = counters_told_in_part(test_cpu(t));
    unsigned answered = 0, tried = 0;
    uint64_t value;

    for (unsigned n = test_cpu(t)->counters; n < OF_A_CORE; n++) {
        answered += try_get_msr(t, IA32_PMC(n), &value) == HW_NO_FAULT;
        answered += try_get_msr(t, IA32_PERFEVTSEL(n), &value) == HW_NO_FAULT;
        tried += 2;
    }
    observe(t,
            hybrid ? "registers of counters that a hybrid's CPUID.0AH need not "
                     "tell can be read"
                   : "registers of counters that a core without "
                     "hyper-threading has can be read",
            answered, tried);
}

/* Registers past the last. */
static void check_beyond(struct test_context *t)
{
    const struct identity *id = test_cpu(t);

    if (counters_all_known(id) || counters_told_in_part(id))
        observe_others(t);
    if (!counters_all_known(id))
        return;
    const unsigned first = id->counters > OF_A_CORE ? id->counters : OF_A_CORE;
    for (unsigned n = first; n < first + 2; n++) {
        check_absent(t, IA32_PMC(n));
        check_absent(t, IA32_PERFEVTSEL(n));
    }
    for (unsigned n = id->fixed_counters; n != 0 && n <= 3; n++)
        check_absent(t, IA32_FIXED_CTR(n));
}

static void check_leaf(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    struct hw_cpuid leaf, other;
    uint64_t misc = 0;

    /* It has no sub-leaves: ECX is not looked at. */
    hw_cpuid(0x0a, 0, &leaf);
    hw_cpuid(0x0a, 1, &other);
    check(t, memcmp(&leaf, &other, sizeof(leaf)) == 0,
          "CPUID.0AH with ECX = 1: EAX = 0x%x, EDX = 0x%x; wanted 0x%x and "
          "0x%x, all as with ECX = 0",
          other.eax, other.edx, leaf.eax, leaf.edx);
    /* A write by C1H is of 32 bits, sign-extended. */
    check(t, id->counter_bits >= 32 && id->counter_bits <= 64,
          "CPUID.0AH:EAX[23:16], the width of a counter, is %u",
          id->counter_bits);
    check(t,
          id->fixed_counters == 0 ||
              (id->fixed_bits >= 32 && id->fixed_bits <= 64),
          "CPUID.0AH:EDX[12:5], the width of the %u fixed counters, is %u",
          id->fixed_counters, id->fixed_bits);
    check(t, id->leaf0a_eax >> 24 >= EVENTS_FIRST,
          "CPUID.0AH:EAX[31:24], the length of the list of architectural "
          "events, is %u; wanted %u or more",
          id->leaf0a_eax >> 24, EVENTS_FIRST);
    if (identity_is_native(id) && get_msr(t, IA32_MISC_ENABLE, &misc))
        check(t, (misc & PERFMON_AVAILABLE) != 0,
              "IA32_MISC_ENABLE (1A0H) is 0x%lx: [7], Performance Monitoring "
              "Available, is 0; CPUID.0AH says version %u",
              misc, id->perfmon_version);
}

TEST(counter_enumeration,
     .asks = "Is there each event, and each counter, that CPUID.0AH has?",
     .cite = "SDM 2A, CPUID, \"Architectural Performance Monitoring Leaf\"; "
             "SDM 3B, \"Pre-defined Architectural Performance Events\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const struct identity *id = test_cpu(t);
    const unsigned length = id->leaf0a_eax >> 24;
    uint64_t places = bank_claim(t);
    unsigned tried = 0;

    if (places == 0)
        return;
    check_leaf(t);
    look_at_all(t);
    for (unsigned bit = 0; bit < EVENTS; bit++) {
        if (bit >= length)
            continue;
        if ((id->leaf0a_ebx >> bit & 1) != 0) {
            if (denies_rightly(id) && !try_absent(t, places, bit))
                return;
            continue;
        }
        tried++;
        if (!try_event(t, places, bit))
            return;
    }
    if ((places & BITS(1, 0)) == BITS(1, 0) && length > 4 &&
        (id->leaf0a_ebx & BITS(4, 3)) == 0 && !try_last_level(t, places))
        return;
    if (length > 6 && (id->leaf0a_ebx & BIT(6)) == 0 &&
        (!try_predicted(t, places) || !try_random(t, places)))
        return;
    if (!try_cycles(t, places, false) || !try_cycles(t, places, true))
        return;
    check_beyond(t);
    if (id->counters > COUNTERS_MAX)
        note(t, "counters above IA32_PMC9 are read here, and tried nowhere");
    note(t, "CPUID.0AH: EAX = 0x%08x, EBX = 0x%08x, EDX = 0x%08x: %u events",
         id->leaf0a_eax, id->leaf0a_ebx, id->leaf0a_edx, tried);
}
