/* SPDX-License-Identifier: BSD-2-Clause */
/* An elided critical section changes registers and aborts: what is executed
 * again, from the XACQUIRE on, finds all of them as they were. CPUID and PAUSE
 * always abort. */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"
#include "src/tsx/state.h"

/* Each change, and each end after it. Within an elided section XBEGIN may abort
 * by itself: memory is changed without. */
static const struct change {
    const char *what;
    const uint8_t *change;
    uint64_t components;
} changes[] = {
    {"general registers and status flags", tsx_change_general, 0},
    {"DF", tsx_change_direction, 0},
    {"XMM0 to XMM15 and MXCSR", tsx_change_xmm, 0},
    {"the x87", tsx_change_x87, 0},
    {"memory", tsx_change_stored, 0},
    {"YMM0 to YMM15", tsx_change_ymm, XCR0_AVX},
};
static const struct end {
    const char *what;
    const uint8_t *end;
} ends[] = {
    {"PAUSE", tsx_end_pause}, {"CPUID", tsx_end_cpuid},
    {"#UD", tsx_end_ud2},     {"#GP", tsx_end_load},
    {"INT3", tsx_end_int3},   {"stores to 64 KB", tsx_end_capacity},
};
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The same up to its end: else no abort was of what changed registers. */
static const struct state_row elided = {
    "HLE: XMM0 to XMM15 and MXCSR changed, then XRELEASE", tsx_change_xmm,
    tsx_end_xrelease, 0};

static const struct ending {
    const char *name;
    hle_region *region;
} endings[] = {
    {"CPUID", hle_stays_cpuid},
    {"PAUSE", hle_stays_pause},
};

/* SDM 1, "Instruction Based Considerations": of RTM and HLE alike. */
static void try_ending(struct test_context *t, const struct ending *ending,
                       unsigned tries)
{
    unsigned stayed = 0;

    for (unsigned i = 0; i < tries; i++) {
        struct hle_block block = {.lock = test_buffer(t)};
        hw_poll();
        *(volatile uint64_t *)block.lock = 0;
        ending->region(&block);
        stayed += block.inside != 0;
    }
    check(t, stayed == 0,
          "%s in an elided section: it goes on in %u of %u; wanted an abort, "
          "on any implementation",
          ending->name, stayed, tries);
}

static void try_change(struct test_context *t, const struct change *change,
                       const struct end *end, uint64_t components,
                       unsigned tries)
{
    char what[80];
    const struct state_row row = {what, change->change, end->end,
                                  change->components};

    text_format(what, sizeof(what), "HLE: %s changed, then %s", change->what,
                end->what);
    state_try_hle(t, &row, components, tries);
}

TEST(hle_abort_state,
     .asks =
         "Does an abort between XACQUIRE and XRELEASE restore all registers "
         "and flags?",
     .cite = "SDM 2, XACQUIRE/XRELEASE, \"Operation\"; SDM 1, \"Programming "
             "with Intel Transactional Synchronization Extensions\", "
             "\"Transactional Nesting\", \"Instruction Based Considerations\"",
     .needs = {.regimes = REGIME_A, .features = NEED_INTEL | NEED_HLE})
{
    uint64_t components = state_components(test_cpu(t));
    unsigned tries = (test_trials(t, 40, 20) + 4) / 5, tried = 0;

    /* Set-up: a section without an abort is elided, or nothing is shown. */
    if (!hle_hints(t))
        return;
    if (state_try_hle(t, &elided, components, tries) == 0) {
        skip(t, "needs locks that are elided, and 0 of %u were", tries);
        return;
    }

    /* Measured, and checked. */
    for (unsigned i = 0; i < COUNT(changes); i++) {
        if ((components & changes[i].components) != changes[i].components) {
            note(t,
                 "not tested: HLE: %s: needs 0x%lx in CPUID.0DH.0:EAX (XCR0); "
                 "there is 0x%lx",
                 changes[i].what, changes[i].components, components);
            continue;
        }
        for (unsigned n = 0; n < COUNT(ends); n++)
            try_change(t, &changes[i], &ends[n], components, tries);
        tried += (unsigned)COUNT(ends);
    }
    for (unsigned i = 0; i < COUNT(endings); i++)
        try_ending(t, &endings[i], tries);
    note(t, "%u kinds of changes and ends, %u critical sections each", tried,
         tries);
}
