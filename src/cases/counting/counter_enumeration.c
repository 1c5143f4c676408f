/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID.0AH against what is there: each architectural event that it has counts
 * where it is provoked, and the counters end where it says. */
#include "src/harness/case.h"
#include "asm/memory_windows.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define PERFMON_AVAILABLE BIT(7) /* of IA32_MISC_ENABLE */
#define LOADS             16
#define PAGE              4096

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
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

/* Loads that miss every cache: each line is flushed before. */
static void load_flushed(void *argument)
{
    struct test_context *t = argument;
    const struct memory_walk walk = {.base = (uintptr_t)test_buffer(t),
                                     .step = PAGE / 2,
                                     .mask = TEST_BUFFER_BYTES / 2 - 1,
                                     .count = LOADS};

    memory_load_flush(msr_value(t, IA32_PERF_GLOBAL_CTRL), &walk);
}

static bool provoke(struct test_context *t, const struct architectural *event,
                    struct bank *before, struct bank *after)
{
    before->cell = test_random(t);
    if (event->provoked == BY_LOADS)
        return bank_work(t, before, load_flushed, t, after);
    return bank_window(t, before,
                       event->provoked == BY_WORK ? window_long : window_random,
                       after);
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

/* Registers past the last that is enumerated: the other four counters of the
 * core may answer. */
static void look_beyond(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    const uint32_t beyond[] = {IA32_PERFEVTSEL(id->counters),
                               IA32_PMC(id->counters),
                               IA32_FIXED_CTR(id->fixed_counters)};
    unsigned there = 0;
    uint64_t value;

    for (unsigned i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
        there += try_get_msr(t, beyond[i], &value) == HW_NO_FAULT;
    observe(t, "registers of counters that CPUID.0AH does not have can be read",
            there, sizeof(beyond) / sizeof(beyond[0]));
}

static void check_leaf(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    uint64_t misc = 0;

    /* A write by C1H is of 32 bits, sign-extended. */
    check(t, id->counter_bits >= 32 && id->counter_bits <= 64,
          "CPUID.0AH:EAX[23:16], the width of a counter, is %u",
          id->counter_bits);
    check(t,
          id->fixed_counters == 0 ||
              (id->fixed_bits >= 32 && id->fixed_bits <= 64),
          "CPUID.0AH:EDX[12:5], the width of the %u fixed counters, is %u",
          id->fixed_counters, id->fixed_bits);
    if (get_msr(t, IA32_MISC_ENABLE, &misc))
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
    for (unsigned bit = 0; bit < EVENTS; bit++) {
        if (bit >= length || (id->leaf0a_ebx >> bit & 1) != 0)
            continue;
        tried++;
        if (!try_event(t, places, bit))
            return;
    }
    look_beyond(t);
    note(t, "CPUID.0AH: EAX = 0x%08x, EBX = 0x%08x, EDX = 0x%08x: %u events",
         id->leaf0a_eax, id->leaf0a_ebx, id->leaf0a_edx, tried);
}
