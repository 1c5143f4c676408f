/* SPDX-License-Identifier: BSD-2-Clause */
/* A lock that is elided: MODE.TSX and FUP at the XACQUIRE, and at the XRELEASE.
 */
#include "asm/hle_regions.h"
#include "src/trace/trace.h"

#define TURNS   4
#define LOCK_AT 4096 /* of test_records(), after the table */

/* True where the lock was elided to the end. */
static bool run_section(void *argument)
{
    volatile uint32_t *lock = argument;
    struct hle_block block = {.lock = lock, .turns = TURNS, .ask = 1};

    *lock = 0;
    hle_xchg(&block);
    return block.inside != 0;
}

TEST(pt_hle_commit,
     .asks = "Does a trace show where a lock is elided and released?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.regimes = REGIME_A,
               .features = NEED_INTEL | NEED_PT | NEED_HLE})
{
    const uint64_t acquire = trace_at(hle_xchg_acquire),
                   release = trace_at(hle_xchg_release);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, acquire, acquire, 0}, {PT_COMMIT, release, release, 0}};
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured. */
    if (!trace_try(&p, run_section, (uint8_t *)test_records(t) + LOCK_AT,
                   &seen))
        return;

    /* Check. */
    trace_check(&p, "XACQUIRE, XRELEASE", &seen, wanted, 2);
}
