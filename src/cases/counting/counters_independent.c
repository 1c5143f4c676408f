/* SPDX-License-Identifier: BSD-2-Clause */
/* What one counter counts does not depend on what the others are told to: an
 * exact count on each in turn, while all others have other events, masks and
 * levels, or are off. Nor on PC [19], which is about pins, where it is there.
 */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES 0xc4

/* SDM 3B, "UMask and Event Select Encodings for Pre-Defined Architectural
 * Performance Events". */
static const uint16_t events[] = {0x003c, 0x00c0, 0x013c, 0x4f2e,
                                  0x412e, 0x00c4, 0x00c5};
#define EVENTS (sizeof(events) / sizeof(events[0]))

/* Any select of an architectural event. */
static uint64_t any_select(struct test_context *t)
{
    const uint64_t flags = IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_OS |
                           IA32_PERFEVTSEL_E | IA32_PERFEVTSEL_EN |
                           IA32_PERFEVTSEL_INV | (uint64_t)3 << 24;

    return events[test_random(t) % EVENTS] | (test_random(t) & flags);
}

TEST(counters_independent,
     .asks = "Does a counter count the same whatever the others are told to?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 1\" and "
             "\"Version 2\": each IA32_PERFEVTSELx is paired with its own "
             "IA32_PMCx",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 2})
{
    const unsigned trials = test_trials(t, 40, 10);
    const unsigned count = counters_available(test_cpu(t));
    uint64_t places = bank_claim(t);
    char name[MSR_NAME_BYTES];

    if (places == 0)
        return;
    const uint64_t pc = counters_have_pc(t, places) ? IA32_PERFEVTSEL_PC : 0;
    for (unsigned i = 0; i < trials; i++) {
        unsigned exact = i % count;
        struct bank before = bank_of(places, BRANCHES), after;

        if ((places >> exact & 1) == 0)
            continue;
        for (unsigned n = 0; n < count; n++)
            if (n != exact)
                before.select[n] = any_select(t);
        before.select[exact] |= test_random(t) & pc;
        before.fixed_ctrl &= test_random(t);
        before.ctrl &= test_random(t) | BIT(exact);

        /* Measured. */
        if (!bank_window(t, &before, window_plain, &after))
            return;

        /* Check. */
        check(t, after.pmc[exact] == window_plain_shape.branches,
              "%s counted %lu of %u branches with IA32_PERFEVTSEL%u = 0x%lx, "
              "38DH = 0x%lx and 38FH = 0x%lx; wanted all",
              msr_name(IA32_PMC(exact), name), after.pmc[exact],
              window_plain_shape.branches, (exact + 1) % count,
              before.select[(exact + 1) % count], before.fixed_ctrl,
              before.ctrl);
    }
}
