/* SPDX-License-Identifier: BSD-2-Clause */
/* An instruction with REP retires once, however often it goes round, and CPUID
 * does. LODS: of MOVS and STOS an erratum says that they may count more
 * (SKL091). */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/bank.h"

#define INSTRUCTIONS 0xc0
#define ROUNDS_LEAST 32 /* at most, and .. */
#define DOUBLED      8  /* .. twice as many in the next windows */

TEST(counter_rep,
     .asks = "Does an instruction with REP, and does CPUID, count as one?",
     .cite = "SDM 3B, \"Pre-defined Architectural Performance Events\": "
             "Instructions Retired",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 1})
{
    const unsigned trials = test_trials(t, 10, 2);
    uint64_t first[PLACES_END] = {0}; /* that is one of the two, of each */
    uint64_t places = bank_claim(t) & BITS(PLACE_FIXED0, 0);
    char name[MSR_NAME_BYTES];
    bool signature;

    if (places == 0)
        return;
    for (unsigned i = 0; i < trials; i++) {
        struct bank before = bank_of(places, INSTRUCTIONS), after;
        const uint64_t most =
            i == 0 ? 1 : (uint64_t)ROUNDS_LEAST << i % DOUBLED;
        const uint32_t rounds = (uint32_t)(1 + test_random(t) % most);

        *(uint32_t *)test_buffer(t) = rounds;
        before.cell = (uintptr_t)test_buffer(t);
        /* Measured. */
        if (!bank_window(t, &before, window_rep, &after))
            return;

        /* Check. The WRMSR that closes may count as one more, in all alike. */
        for (unsigned p = 0; p < PLACES_END; p++) {
            if ((places >> p & 1) == 0)
                continue;
            uint64_t counted = *bank_value(&after, p);
            struct count_bounds want = {window_rep_shape.instructions,
                                        window_rep_shape.instructions + 1u};
            if (first[p] != 0)
                want.least = want.most = first[p];
            else if (counted >= want.least && counted <= want.most)
                first[p] = counted;
            enum erratum erratum =
                bank_erratum(p, true, counted, want, &signature);
            check_known(t, counted >= want.least && counted <= want.most,
                        erratum, signature,
                        "%s counted %lu instructions of a window with a REP "
                        "that goes round %u times and 3 CPUID; wanted %lu to "
                        "%lu, each counts as one",
                        msr_name(bank_msr(p), name), counted, rounds,
                        want.least, want.most);
        }
    }
}
