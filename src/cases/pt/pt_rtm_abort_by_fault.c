/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception, or an instruction that is not for transactions, aborts one: the
 * trace has the abort at the instruction, and no asynchronous event, since none
 * is delivered. */
#include "src/trace/trace.h"

/* Bits 63:47 differ: not canonical, with any number of paging levels. */
#define NOT_CANONICAL UINT64_C(0x8000000000000000)

#define CPUID_AT   4  /* of tsx_body_cpuid */
#define INT3_BYTES 1  /* of tsx_body_int3 */
#define NEST_BYTES 16 /* of tsx_body_nest, with its XBEGIN */
#define NESTED     64 /* more than any processor takes */

static const struct {
    const char *what;
    const uint8_t *body, *at;
    uint64_t argument;
    uint64_t bytes; /* that it may be after `at`: a trap, a loop */
    uint64_t count;
} rows[] = {
    {"UD2", tsx_body_ud2, tsx_body_ud2_fault, 0, 0, 0},
    {"division by zero", tsx_body_divide, tsx_body_divide_fault, 0, 0, 0},
    {"load from a non-canonical address", tsx_body_load, tsx_body_load_fault,
     NOT_CANONICAL, 0, 0},
    {"PAUSE", tsx_body_pause, tsx_body_pause, 0, 0, 0},
    {"CPUID", tsx_body_cpuid, tsx_body_cpuid, 0, CPUID_AT, 0},
    {"INT3", tsx_body_int3, tsx_body_int3, 0, INT3_BYTES, 0},
    {"one XBEGIN too many", tsx_body_nest, tsx_body_nest, 0, NEST_BYTES,
     NESTED},
};

TEST(pt_rtm_abort_by_fault,
     .asks =
         "Does a trace show an exception in a transaction, or what else it may "
         "not execute, as an abort alone?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    const uint64_t begin = trace_at(tsx_xbegin_at);
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    FOR_EACH_ROW (t, i, rows) {
        const struct trace_transaction tx = {.body = rows[i].body,
                                             .argument = rows[i].argument,
                                             .count = rows[i].count,
                                             .want = TSX_ABORTED};
        const uint64_t at = trace_at(rows[i].at);
        const struct transition_wanted wanted[] = {
            {PT_BEGIN, begin, begin, 0},
            {PT_ABORT, at, at + rows[i].bytes, trace_at(tsx_fallback)}};

        unsigned which, tries = 0;

        /* Measured. EAX does not distinguish this abort from others:
         * tried until it is there. */
        do {
            if (!trace_transaction(&p, &tx, &seen))
                return;
        } while (transitions_judge(&seen, wanted, 2, &which) != NULL &&
                 ++tries < TRACE_TRIES);

        /* Check. */
        trace_check(&p, rows[i].what, &seen, wanted, 2);
    }
}
