/* SPDX-License-Identifier: BSD-2-Clause */
/* An XRELEASE that does not match aborts the elision: the abort goes on at the
 * XACQUIRE, and what runs then is no transaction. */
#include "asm/hle_regions.h"
#include "src/trace/trace.h"
#include "src/tsx/hle.h"

#define TURNS   4
#define LOCK_AT 4096 /* of test_records(), after the table */

static bool run_mismatch(void *argument)
{
    volatile uint32_t *lock = argument;
    struct hle_block block = {.lock = lock, .turns = TURNS, .ask = 1};

    *lock = 0;
    hle_other_value(&block);
    return block.inside == 0; /* the section that was carried out at last */
}

TEST(pt_hle_abort,
     .asks =
         "Does a trace show where an elided lock aborts, and the XACQUIRE as "
         "where it goes on?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.regimes = REGIME_A,
               .features = NEED_INTEL | NEED_PT | NEED_HLE})
{
    const uint64_t acquire = trace_at(hle_other_value_acquire);
    /* The XACQUIRE itself is complete when InTX is 1. */
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, acquire, acquire, 0},
        {PT_ABORT, acquire + 1, trace_at(hle_other_value_released) - 1,
         acquire}};
    unsigned which, silent = 0, tries = 0;
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!hle_hints(t) || !trace_claim(&p, t))
        return;

    /* Measured: an XACQUIRE may not elide, and then is silent; an elision may
     * abort for another reason first. */
    do {
        if (!trace_try(&p, run_mismatch, (uint8_t *)test_records(t) + LOCK_AT,
                       &seen))
            return;
        silent += seen.count == 0;
    } while (transitions_judge(&seen, wanted, 2, &which) != NULL &&
             ++tries < TRACE_TRIES);
    if (silent == TRACE_TRIES) {
        skip(t, "needs a lock that is elided; %u of %u were not", silent,
             TRACE_TRIES);
        return;
    }

    /* Check. */
    trace_check(&p, "XRELEASE of another value", &seen, wanted, 2);
}
