/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.h - a trace of this logical processor, taken around a workload: set-up,
 * start, stop, and what is then in memory. Memory is test_buffer() and
 * test_records(), whose addresses are physical ones under UEFI.
 *
 * SDM 3C, Intel Processor Trace, "Enabling and Configuration of Intel PT",
 * "Disabling Packet Generation". Needs NEED_INTEL, NEED_PT.
 */
#ifndef SRC_TRACE_TRACE_H
#define SRC_TRACE_TRACE_H

#include "asm/tsx_bodies.h"
#include "src/harness/case.h"
#include "src/trace/output.h"
#include "src/trace/transitions.h"

#define TRACE_BYTES 32768u
#define TRACE_GUARD 0xe7 /* what the memory holds before */

struct trace {
    struct test_context *t;
    uint64_t control; /* the usual one, of output_control() */
    uint8_t *memory;  /* TRACE_BYTES, and aligned to them */
    uint64_t *table;  /* one page, for ToPA */
    bool may_stop;    /* the test's promise: nothing that it traces begins a
                         transaction, by RTM or HLE; or this processor is none
                         that may hang then (trace_stop_may_hang()) */

    uint64_t status_before; /* IA32_RTIT_STATUS for ring3_trace_anew(); 0: a PSB
                               comes where TraceEn is set */

    /* After trace_arm(). */
    uint64_t armed; /* IA32_RTIT_CTL without TraceEn */
    uint64_t base, pointers;
    uint64_t begun, ended; /* TSC: of ring3_trace_arm(), ring3_trace() */
    /* After trace_stop(). */
    uint64_t status, stopped_base, stopped_pointers;
};

/* False, with a SKIP, where something else traces, or uses the LBRs of a
 * processor on which these exclude a trace; or where an access faulted (ERROR
 * is said). */
bool trace_claim(struct trace *p, struct test_context *t);
/* The same where transactions are to be traced: they can commit then, or it is
 * SKIP (probe_set_up()). */
bool trace_claim_transactions(struct trace *p, struct test_context *t);
/* After it, for a test that takes records too, which are in test_records(): the
 * table is behind the output instead. */
void trace_table_behind(struct trace *p);

/* Fills the memory with TRACE_GUARD and writes the registers, TraceEn = 0. The
 * first form: the usual output, which is ToPA with one region of TRACE_BYTES,
 * or the single range of a page where there is no ToPA; the trace has to be
 * shorter. base: of the table or the range; a table is filled in before.
 * Refused, as ERROR, where Stopped or Error could be set inside of a
 * transaction, which may hang the machine (erratum SKL043): STOP, a TraceStop
 * range, a table without END, unless may_stop. */
bool trace_arm(struct trace *p);
bool trace_arm_output(struct trace *p, uint64_t control, uint64_t base,
                      uint64_t pointers);

/* Is that erratum known of it, or of a processor with the same core? Pure. */
bool trace_stop_may_hang(const struct identity *id);

/* Writes IA32_RTIT_CR3_MATCH with what is not in CR3: the page of p->table.
 * False where there is no such filter, or not written: ERROR says so. */
bool trace_match_other_cr3(struct trace *p);

/* Sets and clears TraceEn. Between the two no other MSR of the trace may be
 * written. trace_stop() reads the registers; what they say is not checked. */
bool trace_start(struct trace *p);
bool trace_stop(struct trace *p);

/* The bytes in memory, for the usual output, from p->memory on. */
size_t trace_bytes(const struct trace *p);

/* The bytes from `from` up to `to` in memory that are still TRACE_GUARD. */
size_t trace_guarded(const struct trace *p, size_t from, size_t to);
/* The same of runs of TRACE_GUARD_RUN bytes or more: where code lies may make a
 * byte of each address TRACE_GUARD. */
size_t trace_untouched(const struct trace *p, size_t from, size_t to);
#define TRACE_GUARD_RUN 8

/* Traces workload(argument), which returns true where it went as wanted, until
 * it does and nothing disturbed the trace; at most TRACE_TRIES times. True:
 * *seen is that trace's. False: a SKIP says that none came, or an ERROR what
 * faulted; or a FAIL that IA32_RTIT_STATUS says Error. */
#define TRACE_TRIES 20
bool trace_try(struct trace *p, bool (*workload)(void *argument),
               void *argument, struct transitions *seen);

/* Waits a bit, longer from try to try: all processors trace at once, and share
 * what memory takes. */
void trace_step_back(unsigned tries);

/* Each of so many traces, by this IA32_RTIT_CTL, had an OVF. How rare these are
 * no manual says: FAIL, but SKIP where another thread of the core may have
 * traced beside, or with CYCEn, by which a short loop fills what is left of the
 * bandwidth. Returns false. */
bool trace_overflowed(struct test_context *t, uint64_t control,
                      unsigned traces);

/* The usual workload: one transaction, wanted to end as in `want`. */
struct trace_transaction {
    const uint8_t *body;
    uint64_t argument, count;
    uint64_t dr7;    /* not 0: DR7 meanwhile, with the argument in DR0 */
    int want;        /* TSX_COMMITTED, TSX_ABORTED */
    uint32_t status; /* bits that EAX has at the fallback: RTM may abort for any
                        reason, and this is the one that is wanted */
};
bool trace_transaction(struct trace *p, const struct trace_transaction *tx,
                       struct transitions *seen);

/* Checks that `seen` is these transitions; `what` is for the line. */
bool trace_check(struct trace *p, const char *what,
                 const struct transitions *seen,
                 const struct transition_wanted wanted[], unsigned count);

/* The same for one transaction of tsx_inside() that commits. */
bool trace_check_commit(struct trace *p, const char *what,
                        const struct transitions *seen);

/* Traces the jumps with an output that is an operational error: no fault, Error
 * is set, and nothing is written. `what` is for the lines. False where it could
 * not be tried (ERROR is said). */
bool trace_check_refused(struct trace *p, const char *what, uint64_t control,
                         uint64_t base, uint64_t pointers);

/* tsx_body_jumps, outside of a transaction, while a trace runs: 4 bytes of it
 * for each of `turns`, or a little more. */
bool trace_jumps(unsigned turns);

/* An address as a number. */
static inline uint64_t trace_at(const void *label)
{
    return (uint64_t)(uintptr_t)label;
}

#endif
