/* SPDX-License-Identifier: BSD-2-Clause */
/* Precise store on other counters than counter 3: "only IA32_PMC3 can be used",
 * and what the others do is not said. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 2

static bool try_counter(struct sampling *p, unsigned counter, unsigned trials)
{
    const struct sampling_config config =
        memory_config(p, FACILITY_PRECISE_STORE, MEMORY_PRECISE_STORE, counter);
    unsigned made = 0, records = 0, right = 0;
    char what[128];

    for (unsigned i = 0; i < trials; i++) {
        if (!memory_window_run(p, &config, STORES_SPREAD))
            return false;
        made += p->records != 0;
        records += p->records;
        right += memory_with_address(p, 0);
    }
    text_format(what, sizeof(what),
                "a window of stores makes records of IA32_PMC%u (%XH); %u of "
                "%u with the address",
                counter, IA32_PMC(counter), right, records);
    observe(p->t, what, made, trials);
    return true;
}

TEST(precise_store_counters,
     .asks = "What does precise store do on other counters than counter 3?",
     .cite = "SDM 3B, \"Precise Store Facility\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned trials = memory_windows(t, WINDOWS);
    struct sampling p;

    /* Set-up. */
    if (!memory_has_precise_store(t) || !sampling_claim(&p, t))
        return;

    /* Measured, and observed. */
    for (unsigned counter = 0; counter < 3; counter++)
        if (!try_counter(&p, counter, trials))
            return;
}
