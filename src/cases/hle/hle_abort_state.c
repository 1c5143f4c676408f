/* SPDX-License-Identifier: BSD-2-Clause */
/* An elided critical section changes registers and aborts: what is executed
 * again, from the XACQUIRE on, finds all of them as they were. CPUID and PAUSE
 * always abort. */
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"
#include "src/tsx/state.h"

static const struct state_row rows[] = {
    {"HLE: general registers and status flags changed, then PAUSE",
     tsx_change_general, tsx_end_pause, 0},
    {"HLE: the same, then CPUID", tsx_change_general, tsx_end_cpuid, 0},
    {"HLE: the same, then #UD", tsx_change_general, tsx_end_ud2, 0},
    {"HLE: the same, then #GP", tsx_change_general, tsx_end_load, 0},
    {"HLE: the same, then INT3", tsx_change_general, tsx_end_int3, 0},
    {"HLE: the same, then stores to 64 KB", tsx_change_general,
     tsx_end_capacity, 0},
    {"HLE: DF changed, then PAUSE", tsx_change_direction, tsx_end_pause, 0},
    {"HLE: XMM0 to XMM15 and MXCSR changed, then PAUSE", tsx_change_xmm,
     tsx_end_pause, 0},
    {"HLE: the x87 changed, then PAUSE", tsx_change_x87, tsx_end_pause, 0},
    {"HLE: YMM0 to YMM15 changed, then PAUSE", tsx_change_ymm, tsx_end_pause,
     XCR0_AVX},
};

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
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if ((components & rows[i].components) != rows[i].components) {
            note(t,
                 "not tested: %s: needs 0x%lx in CPUID.0DH.0:EAX (XCR0); "
                 "there is 0x%lx",
                 rows[i].what, rows[i].components, components);
            continue;
        }
        state_try_hle(t, &rows[i], components, tries);
        tried++;
    }
    for (unsigned i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        try_ending(t, &endings[i], tries);
    note(t, "%u kinds of changes and ends, %u critical sections each", tried,
         tries);
}
