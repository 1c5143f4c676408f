/* SPDX-License-Identifier: BSD-2-Clause */
/* A long run with PDIR hits every instruction of a loop alike. */
#include "src/harness/case.h"
#include "src/pebs/pdir.h"

static void run_on_processor(struct test_context *t, unsigned counter)
{
    /* A trial is a record. */
    const unsigned trials = test_trials(t, 2 * PDIR_RECORDS, PDIR_RECORDS);
    unsigned windows = (trials - 1) / PDIR_RECORDS + 1;
    struct pdir_hits hits = {0}, without = {0};
    unsigned least, most;
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    /* Measured. */
    for (unsigned i = 0; i < windows; i++) {
        if (!pdir_even_run(&p, counter, &hits) ||
            !pdir_even_run(&p, pdir_without(t), &without))
            return;
        if (i + 1 == windows && windows < PDIR_ENOUGH &&
            pdir_no_better(&hits, &without))
            windows++;
    }

    /* Check. The manual does not say that no instruction is lost between two
     * overflows, so not that all have as many; PDIR "mitigates". */
    bool even = pdir_even(&hits, &least, &most);
    check(t, even || !pdir_no_better(&hits, &without),
          "PDIR, no better than IA32_PMC%u without it: %u records of a loop of "
          "%u instructions, %u to %u of each, %u outside; wanted %u of each, "
          "and no less than half or more than twice of it",
          pdir_without(t), hits.records, PDIR_LOOP, least, most, hits.of[0],
          windows * PDIR_RECORDS / PDIR_LOOP);
    if (!even)
        observe(t, "PDIR does not hit all instructions of a loop alike", 1, 1);
    observe(t, "a PDIR record does not follow at the period", hits.uneven,
            hits.records);
    note(t, "PDIR: %u records, %u to %u of each of %u instructions",
         hits.records, least, most, PDIR_LOOP);
}

TEST(pdir_even, .asks = "Does PDIR hit every instruction of a loop alike?",
     .cite = "SDM 3B, \"Precise Distribution of Instructions Retired (PDIR)\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 2})
{
    pdir_everywhere(t, run_on_processor);
}
