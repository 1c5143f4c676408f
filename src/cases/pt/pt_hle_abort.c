/* SPDX-License-Identifier: BSD-2-Clause */
/* An XRELEASE that does not match aborts the elision, and so does what is not
 * for transactions: the abort goes on at the XACQUIRE, and what runs then is no
 * transaction. */
#include "asm/hle_regions.h"
#include "src/trace/trace.h"
#include "src/tsx/hle.h"

#define TURNS   4
#define LOCK_AT 4096 /* of test_records(), after the table */

/* What aborts is in [at, last]; the XACQUIRE itself is complete when InTX is 1.
 */
static const struct section {
    const char *what;
    hle_region *region;
    const uint8_t *acquire, *at, *last;
    bool asks; /* XTEST */
} sections[] = {
    {"XRELEASE of another value", hle_other_value, hle_other_value_acquire,
     hle_other_value_acquire + 1, hle_other_value_released - 1, false},
    {"CPUID in an elided section", hle_stays_cpuid, hle_stays_cpuid_acquire,
     hle_stays_cpuid_at, hle_stays_cpuid_at, true},
    {"PAUSE in an elided section", hle_stays_pause, hle_stays_pause_acquire,
     hle_stays_pause_at, hle_stays_pause_at, true},
    {"DIV by 0 in an elided section", hle_stays_divide,
     hle_stays_divide_acquire, hle_stays_divide_at, hle_stays_divide_at, true},
};

struct run {
    const struct section *section;
    volatile uint32_t *lock;
};

static bool run_section(void *argument)
{
    const struct run *run = argument;
    struct hle_block block = {.lock = run->lock, .turns = TURNS, .ask = 1};

    *run->lock = 0;
    run->section->region(&block);
    return block.inside == 0; /* the section that was carried out at last */
}

/* False where no more can be tried. An XACQUIRE may not elide, and then is
 * silent; an elision may abort for another reason first. */
static bool try_section(struct trace *p, const struct section *section,
                        unsigned *elided)
{
    const uint64_t acquire = trace_at(section->acquire);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, acquire, acquire, 0},
        {PT_ABORT, trace_at(section->at), trace_at(section->last), acquire}};
    struct run run = {
        section,
        (volatile uint32_t *)((uint8_t *)test_records(p->t) + LOCK_AT)};
    unsigned which, silent = 0, tries = 0;
    struct transitions seen, elision = {.count = 0};

    do {
        if (!trace_try(p, run_section, &run, &seen))
            return false;
        silent += seen.count == 0;
        if (seen.count != 0)
            elision = seen;
    } while (transitions_judge(&seen, wanted, 2, &which) != NULL &&
             ++tries < TRACE_TRIES);
    if (silent == TRACE_TRIES)
        return true;
    ++*elided;
    trace_check(p, section->what, &elision, wanted, 2);
    return true;
}

TEST(pt_hle_abort,
     .asks =
         "Does a trace show where an elided lock aborts, and the XACQUIRE as "
         "where it goes on?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.regimes = REGIME_A,
               .features = NEED_INTEL | NEED_PT | NEED_HLE})
{
    unsigned elided = 0;
    struct trace p;

    /* Set-up. */
    if (!hle_hints(t) || !trace_claim(&p, t))
        return;

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, sections)
        if ((!sections[i].asks || hle_can_ask(t)) &&
            !try_section(&p, &sections[i], &elided))
            return;
    if (elided == 0)
        skip(t, "needs a lock that is elided; of %u tries each none was",
             TRACE_TRIES);
}
