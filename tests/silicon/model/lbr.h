/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lbr.h - last branch records: taken branches, interrupts and exceptions, and
 * aborts of transactions, in a stack of MSRs.
 *
 * SDM volume 3B, "LBR Stack", "Filtering of Last Branch Records", and the
 * topics on each microarchitecture from Nehalem to Skylake; numbers in volume
 * 4. The format, and with it the depth, is IA32_PERF_CAPABILITIES[5:0]: 3, 4
 * and 5 here.
 */
#ifndef SILICON_MODEL_LBR_H
#define SILICON_MODEL_LBR_H

#include "tests/silicon/model/instruction.h"
#include "tests/silicon/model/machine.h"

#define MSR_LBR_SELECT           0x1C8u
#define MSR_LASTBRANCH_TOS       0x1C9u
#define MSR_LASTBRANCH_0_FROM_IP 0x680u
#define MSR_LASTBRANCH_0_TO_IP   0x6C0u
#define MSR_LBR_INFO_0           0xDC0u

/* Is it one of these registers, on this processor? False of the others: #GP. */
bool lbr_is_msr(struct processor *p, uint32_t number);
bool lbr_read(struct processor *p, uint32_t number, uint64_t *value);
bool lbr_write(struct processor *p, uint32_t number, uint64_t value);

/* LBR is enabled: neither LBR_Frz nor Processor Trace is in the way? */
bool lbr_is_unhindered(const struct processor *p);

static inline bool lbr_records(const struct processor *p)
{
    return p->lbr.enabled && lbr_is_unhindered(p);
}

/* The same of branches at this privilege level. */
bool lbr_records_at(const struct processor *p, bool user);

/* A branch, or what else changes the instruction pointer. */
struct lbr_branch {
    uint64_t from, to;
    bool user, to_user; /* CPL > 0, before and after it */
    bool taken, mispredicted, in_tx;
};

/* Where lbr_records() was true before: an instruction has retired; an interrupt
 * or exception has entered its handler; a transaction has aborted. */
void lbr_retired(struct processor *p, const struct instruction *i,
                 const struct lbr_branch *b);
void lbr_event(struct processor *p, const struct lbr_branch *b);
void lbr_aborted(struct processor *p, const struct lbr_branch *b);

/* Core clocks have passed. */
void lbr_pass(struct processor *p, uint32_t cycles);

/* IA32_DEBUGCTL.LBR is written. */
void lbr_enable(struct processor *p, bool enabled);

/* A debug exception is about to be delivered: it clears IA32_DEBUGCTL.LBR. */
void lbr_debug_exception(struct processor *p);

/* TraceEn of Processor Trace has been set or cleared. */
void lbr_trace_changed(struct processor *p, bool enabled);

#endif
