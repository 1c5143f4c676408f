/* SPDX-License-Identifier: BSD-2-Clause */
/* With PDIR a record is of the instruction that caused the overflow; without,
 * of a later one. So it is of the event with PDist. */
#include "src/harness/case.h"
#include "src/pebs/pdir.h"
#include "src/pebs/precise.h"

#define TESTED   32
#define COMPARED 16   /* on the other counter */
#define OTHERS   0x7u /* of these some count beside it */

static void check_exact(struct test_context *t, const struct pdir_skids *s,
                        const struct pdir_skids *without)
{
    check(t, s->none == 0,
          "PDIR: of %u windows with one overflow each, %u made no record",
          s->windows, s->none);
    check_known(t, s->more == 0, ERRATUM_PDIR_REDUNDANT, true,
                "PDIR: of %u windows with one overflow each, %u made several "
                "records",
                s->windows, s->more);
    /* PDIR "mitigates"; without it no record is exact but by chance, or none is
     * made before the window ends. PDIR++ is "instruction-accurate". */
    const bool accurate = precise_distribution(test_cpu(t)) != 0;
    const unsigned exact = pdir_exact(s, accurate);
    const bool better =
        without->records != 0 && !accurate
            ? exact * without->records > without->by_skid[0] * s->records
            : 2 * exact > s->records;
    /* Errata of PDIR (HSD011) are of periods below 100. */
    check(t, better,
          "PDIR: %u of %u records are of the instruction that caused the "
          "overflow, which is no better than without PDIR (%u of %u on "
          "IA32_PMC%u); %u of the next, %u of later ones, %u of earlier ones, "
          "%u of none in the window; the first: overflow by instruction %u, "
          "record of %u",
          s->by_skid[0], s->records, without->by_skid[0], without->records,
          pdir_without(t), s->by_skid[1],
          s->records - s->by_skid[0] - s->by_skid[1] - s->earlier - s->outside,
          s->earlier, s->outside, s->first, s->position);
    check_known(
        t, s->rip_wrong == 0, ERRATUM_EVENTING_IP,
        s->rip_wrong * 4 <= s->records,
        "PDIR: RIP (08H) of %u of %u records is not the instruction after "
        "EventingIP (B0H)",
        s->rip_wrong, s->records);
}

static void try_ring3(struct sampling *p, unsigned counter, uint64_t opening)
{
    struct pdir_skids with = {0}, without = {0};
    struct ring3_session s;

    /* Set-up, measured. */
    if (!ring3_prepare(&s, p->t) ||
        !pdir_ring3_run(p, &s, counter, opening, COMPARED, &with) ||
        !pdir_ring3_run(p, &s, pdir_without(p->t), opening, COMPARED, &without))
        return;

    /* Check. */
    WITH_PREFIX (p->t, "at ring 3")
        check_exact(p->t, &with, &without);
}

/* Of conditional branches on IA32_PMC0. */
static void try_pdist(struct sampling *p)
{
    struct pdir_skids with = {0}, without = {0};
    struct test_context *t = p->t;

    if (precise_distribution(test_cpu(t)) == 0)
        return;

    /* Measured. */
    if (!pdir_branches_run(p, 0, TESTED, &with) ||
        !pdir_branches_run(p, pdir_without(t), COMPARED, &without))
        return;

    /* Check. */
    const unsigned exact = with.by_skid[0];
    check(t, with.none == 0 && with.more == 0,
          "PDist: of %u windows with one overflow each, %u made no record and "
          "%u several",
          with.windows, with.none, with.more);
    check(t,
          2 * exact > with.records &&
              exact * without.records > without.by_skid[0] * with.records,
          "PDist: %u of %u records on IA32_PMC0 are of the branch that caused "
          "the overflow, which is no better than on IA32_PMC%u (%u of %u); %u "
          "of the next, %u of earlier ones, %u of none in the window",
          exact, with.records, pdir_without(t), without.by_skid[0],
          without.records, with.by_skid[1], with.earlier, with.outside);
    check(t, with.rip_wrong == 0,
          "PDist: RIP (08H) of %u of %u records is not the instruction after "
          "EventingIP (B0H)",
          with.rip_wrong, with.records);
    if (exact != with.records)
        observe(t, "a record made with PDist is of another branch",
                with.records - exact, with.records);
    note(t,
         "PDist: %u of %u records are of the branch that overflowed; without, "
         "on IA32_PMC%u: %u of it, %u of the next one",
         exact, with.windows, pdir_without(t), without.by_skid[0],
         without.by_skid[1]);
}

static void run_on_processor(struct test_context *t, unsigned counter)
{
    /* A trial is a window. */
    const unsigned rounds = (test_trials(t, TESTED, TESTED) - 1) / TESTED + 1;
    const unsigned without_pdir = pdir_without(t);
    struct pdir_skids with = {0}, without = {0}, beside = {0};
    struct sampling p;
    uint64_t opening;
    char skids[80];
    bool alone;

    /* Set-up. */
    if (!pdir_counter(t, &counter, &alone) || !sampling_claim(&p, t) ||
        !pdir_find_opening(&p, counter, &opening))
        return;

    /* Measured. No counter but the one counts; beside others where the manual
     * does not ask to quiesce them. */
    for (unsigned i = 0; i < rounds; i++)
        if (!pdir_skid_run(&p, counter, 0, opening, TESTED, &with) ||
            !pdir_skid_run(&p, without_pdir, 0, opening, COMPARED, &without))
            return;
    if (!alone && !pdir_skid_run(&p, counter, OTHERS & ~(unsigned)BIT(counter),
                                 opening, COMPARED, &beside))
        return;

    /* Check. */
    check_exact(t, &with, &without);
    if (!alone)
        WITH_PREFIX (t, "beside counters that count")
            check_exact(t, &beside, &without);
    if (with.by_skid[0] != with.records)
        observe(t, "a record made with PDIR is of another instruction",
                with.records - with.by_skid[0], with.records);
    text_format(
        skids, sizeof(skids),
        "a record of INST_RETIRED.ALL skids without PDIR, on IA32_PMC%u",
        without_pdir);
    observe(t, skids, without.records - without.by_skid[0], without.records);
    note(t,
         "PDIR: %u of %u records are of the instruction that overflowed; "
         "without, on IA32_PMC%u: %u of it, %u one later, %u two, %u three, %u "
         "more; %u made none",
         with.by_skid[0], with.windows, without_pdir, without.by_skid[0],
         without.by_skid[1], without.by_skid[2], without.by_skid[3],
         without.records - without.by_skid[0] - without.by_skid[1] -
             without.by_skid[2] - without.by_skid[3],
         without.none);
    try_pdist(&p);
    try_ring3(&p, counter, opening);
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
