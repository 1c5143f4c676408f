/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_PERF_GLOBAL_CTRL written with 0 in the middle of a workload, and with
 * the same value again: counted are the two parts, not what lies between. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define BRANCHES     0xc4
#define INSTRUCTIONS 0xc0
#define FROM         0x100000 /* every counter; so that a reset would show */

static void judge(struct test_context *t, const char *event, unsigned place,
                  uint64_t counted, uint64_t least, uint64_t most)
{
    char name[MSR_NAME_BYTES];
    bool signature;
    enum erratum erratum =
        bank_erratum(place, most != least, counted,
                     (struct count_bounds){least, most}, &signature);

    check_known(t, counted >= least && counted <= most, erratum, signature,
                "%s, paused by IA32_PERF_GLOBAL_CTRL (38FH) = 0 in between: %s "
                "counted %ld; wanted %lu to %lu",
                event, msr_name(bank_msr(place), name), (long)counted, least,
                most);
}

TEST(counter_pause,
     .asks = "Does a pause by IA32_PERF_GLOBAL_CTRL leave out what it spans, "
             "and nothing else?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 2\", "
             "\"Layout of IA32_PERF_GLOBAL_CTRL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const unsigned trials = test_trials(t, 20, 1);
    const uint64_t branches = window_paused_shape.branches;
    const uint64_t instructions = window_paused_shape.instructions;
    uint64_t places = bank_claim(t);

    if (places == 0)
        return;
    for (unsigned i = 0; i < trials; i++) {
        const bool of_branches = i % 2 == 0;
        struct bank after,
            before = bank_of(places, of_branches ? BRANCHES : INSTRUCTIONS);

        for (unsigned p = 0; p < PLACES_END; p++)
            if ((places >> p & 1) != 0)
                *bank_value(&before, p) = FROM;
        /* Measured. */
        if (!bank_window(t, &before, window_paused, &after))
            return;
        /* Check. Each WRMSR that closes may count as one more. */
        for (unsigned p = 0; p < PLACES_END; p++) {
            if ((places >> p & 1) == 0 || p > PLACE_FIXED0)
                continue;
            uint64_t counted = *bank_value(&after, p) - FROM;
            if (p != PLACE_FIXED0 && of_branches)
                judge(t, "branches", p, counted, branches, branches);
            else
                judge(t, "instructions", p, counted, instructions,
                      instructions + 2);
        }
    }
}
