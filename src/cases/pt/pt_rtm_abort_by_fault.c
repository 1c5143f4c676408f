/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception, a breakpoint, or an instruction that is not for transactions,
 * aborts one: the trace has the abort at the instruction, and no asynchronous
 * event, since none is delivered. */
#include "src/harness/mapping.h"
#include "src/trace/trace.h"

/* Bits 63:47 differ: not canonical, with any number of paging levels. */
#define NOT_CANONICAL UINT64_C(0x8000000000000000)

#define CPUID_AT   4  /* of tsx_body_cpuid */
#define INT3_BYTES 1  /* of tsx_body_int3 */
#define NEST_BYTES 16 /* of tsx_body_nest, with its XBEGIN */
#define NESTED     64 /* more than any processor takes */

/* SDM 3B, "Debug Control Register (DR7)": [10] is always 1; DR0 is for stores
 * of 8 bytes. A trap: after the store. */
#define DR7_STORES  UINT64_C(0x90401)
#define STORE_BYTES 4 /* of tsx_body_store, and of the NOP after it */

static const struct row {
    const char *what;
    const uint8_t *body, *at;
    uint64_t bytes; /* that it may be after `at`: a trap, a loop */
    uint64_t argument, count, dr7;
    bool store; /* the argument is a cell */
} rows[] = {
    {.what = "UD2", .body = tsx_body_ud2, .at = tsx_body_ud2_fault},
    {.what = "division by zero",
     .body = tsx_body_divide,
     .at = tsx_body_divide_fault},
    {.what = "load from a non-canonical address",
     .body = tsx_body_load,
     .at = tsx_body_load_fault,
     .argument = NOT_CANONICAL},
    {.what = "data breakpoint",
     .body = tsx_body_store,
     .at = tsx_body_store_fault,
     .bytes = STORE_BYTES,
     .dr7 = DR7_STORES,
     .store = true},
    {.what = "PAUSE", .body = tsx_body_pause, .at = tsx_body_pause},
    {.what = "CPUID",
     .body = tsx_body_cpuid,
     .at = tsx_body_cpuid,
     .bytes = CPUID_AT},
    {.what = "INT3",
     .body = tsx_body_int3,
     .at = tsx_body_int3,
     .bytes = INT3_BYTES},
    {.what = "one XBEGIN too many",
     .body = tsx_body_nest,
     .at = tsx_body_nest,
     .bytes = NEST_BYTES,
     .count = NESTED},
};

/* Until the trace has it: EAX does not distinguish such an abort from others.
 * False where no more can be tried. */
static bool try_row(struct trace *p, const struct row *row, uint64_t argument)
{
    const struct trace_transaction tx = {.body = row->body,
                                         .argument = argument,
                                         .count = row->count,
                                         .dr7 = row->dr7,
                                         .want = TSX_ABORTED};
    const uint64_t begin = trace_at(tsx_xbegin_at), at = trace_at(row->at);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, at, at + row->bytes, trace_at(tsx_fallback)}};
    struct transitions seen;
    unsigned which, tries = 0;

    do {
        if (!trace_transaction(p, &tx, &seen))
            return false;
    } while (transitions_judge(&seen, wanted, 2, &which) != NULL &&
             ++tries < TRACE_TRIES);
    trace_check(p, row->what, &seen, wanted, 2);
    return true;
}

TEST(pt_rtm_abort_by_fault,
     .asks =
         "Does a trace show an exception or a breakpoint in a transaction, or "
         "what else it may not execute, as an abort alone?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    static const struct row page_fault = {
        .what = "load from a page that is not present",
        .body = tsx_body_load,
        .at = tsx_body_load_fault};
    const uint64_t absent = mapping_find_absent();
    _Alignas(64) volatile uint64_t cell = 0;
    struct trace p;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    /* Measured and checked. */
    FOR_EACH_ROW (t, i, rows)
        if (!try_row(&p, &rows[i],
                     rows[i].store ? trace_at((const void *)&cell)
                                   : rows[i].argument))
            return;
    if (absent != 0)
        try_row(&p, &page_fault, absent);
}
