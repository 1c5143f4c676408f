/* SPDX-License-Identifier: BSD-2-Clause */
/* With PDIR a record is of the instruction that caused the overflow; without,
 * of a later one. */
#include "src/harness/case.h"
#include "src/pebs/pdir.h"

#define TESTED   32
#define COMPARED 16 /* on the other counter */

static void check_exact(struct test_context *t, const struct pdir_skids *s)
{
    check(t, s->none == 0 && s->more == 0,
          "PDIR: of %u windows with one overflow each, %u made no record and "
          "%u several",
          s->windows, s->none, s->more);
    check(t, s->by_skid[0] == s->records,
          "PDIR: %u of %u records are of the instruction that caused the "
          "overflow; %u of the next, %u of later ones, %u of earlier ones, %u "
          "of none in the window; the first: overflow by instruction %u, "
          "record of %u",
          s->by_skid[0], s->records, s->by_skid[1],
          s->records - s->by_skid[0] - s->by_skid[1] - s->earlier - s->outside,
          s->earlier, s->outside, s->first, s->position);
    check(t, s->rip_wrong == 0,
          "PDIR: RIP (08H) of %u of %u records is not the instruction after "
          "EventingIP (B0H)",
          s->rip_wrong, s->records);
}

static void run_on_processor(struct test_context *t, unsigned counter)
{
    /* A trial is a window. */
    const unsigned rounds = (test_trials(t, TESTED, TESTED) - 1) / TESTED + 1;
    struct pdir_skids with = {0}, without = {0};
    struct sampling p;
    uint64_t opening;

    /* Set-up. */
    if (!sampling_claim(&p, t) || !pdir_find_opening(&p, counter, &opening))
        return;

    /* Measured. No counter but the one counts. */
    for (unsigned i = 0; i < rounds; i++)
        if (!pdir_skid_run(&p, counter, opening, TESTED, &with) ||
            !pdir_skid_run(&p, 0, opening, COMPARED, &without))
            return;

    /* Check. */
    check_exact(t, &with);
    observe(t, "a record of INST_RETIRED.ALL skids without PDIR, on IA32_PMC0",
            without.records - without.by_skid[0], without.records);
    note(
        t,
        "PDIR: %u of %u records exact; IA32_PMC0: skids of 0 to 3 instructions "
        "%u %u %u %u, of more %u, no record %u",
        with.by_skid[0], with.windows, without.by_skid[0], without.by_skid[1],
        without.by_skid[2], without.by_skid[3],
        without.records - without.by_skid[0] - without.by_skid[1] -
            without.by_skid[2] - without.by_skid[3],
        without.none);
}

TEST(pdir_skid,
     .asks = "Is a record made with PDIR of the instruction that caused the "
             "overflow?",
     .cite = "SDM 3B, \"Precise Distribution of Instructions Retired (PDIR)\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 2})
{
    pdir_everywhere(t, run_on_processor);
}
