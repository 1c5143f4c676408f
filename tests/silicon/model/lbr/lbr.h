/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lbr.h - last branch records: taken branches, interrupts and exceptions, and
 * aborts of transactions, in a stack of MSRs.
 *
 * SDM volume 3B, "LBR Stack", "Filtering of Last Branch Records", and the
 * topics on each microarchitecture from Nehalem to Skylake; numbers in volume
 * 4. The format, and with it the depth, is IA32_PERF_CAPABILITIES[5:0]: 3, 4
 * and 5 here. 3FH are architectural ones, which CPUID.7.0:EDX[19] and leaf 1CH
 * enumerate. Of those the numbers, bits and types are in Linux, too:
 * msr-index.h, perf_event.h, events/intel/lbr.c; what raises #GP in volume 4,
 * of IA32_LBR_x_INFO, and in KVM's patches for "Arch LBR".
 */
#ifndef SILICON_MODEL_LBR_LBR_H
#define SILICON_MODEL_LBR_LBR_H

#include "tests/silicon/model/bits.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/machine.h"

#define MSR_LBR_SELECT           0x1C8u
#define MSR_LASTBRANCH_TOS       0x1C9u
#define MSR_LASTBRANCH_0_FROM_IP 0x680u
#define MSR_LASTBRANCH_0_TO_IP   0x6C0u
#define MSR_LBR_INFO_0           0xDC0u

#define IA32_LBR_0_INFO    0x1200u
#define IA32_LBR_CTL       0x14CEu
#define IA32_LBR_DEPTH     0x14CFu
#define IA32_LBR_0_FROM_IP 0x1500u
#define IA32_LBR_0_TO_IP   0x1600u

#define LEAF7_EDX_LBR BIT(19)
#define LEAF_LBR      0x1Cu

/* "LBR Stack and Intel 64 Processors": where the flags are. */
#define LBR_FORMAT_FROM          3 /* MISPRED in FROM[63] */
#define LBR_FORMAT_FROM_TSX      4 /* and in FROM[62:61] those of TSX */
#define LBR_FORMAT_INFO          5
#define LBR_FORMAT_ARCHITECTURAL 0x3F

/* Table "MSR_LBR_INFO_x", and the same in FROM. */
#define LBR_INFO_MISPRED BIT(63)
#define LBR_INFO_IN_TSX  BIT(62)
#define LBR_INFO_ABORT   BIT(61)
#define LBR_INFO_CYCLES  BITS(15, 0)
/* Of architectural ones alone. */
#define LBR_INFO_CYCLES_VALID BIT(60)
#define LBR_INFO_TYPE         BITS(59, 56)
#define LBR_INFO_TYPE_SHIFT   56

#define LBR_TYPE_COND          UINT64_C(0)
#define LBR_TYPE_NEAR_IND_JMP  UINT64_C(1)
#define LBR_TYPE_NEAR_REL_JMP  UINT64_C(2)
#define LBR_TYPE_NEAR_IND_CALL UINT64_C(3)
#define LBR_TYPE_NEAR_REL_CALL UINT64_C(4)
#define LBR_TYPE_NEAR_RET      UINT64_C(5)
#define LBR_TYPE_OTHER         UINT64_C(8) /* 1xxxB; aborts, events, far ones */

/* Table "MSR_LBR_SELECT for Intel microarchitecture code name Haswell". What
 * IA32_LBR_CTL selects is kept so, too. */
#define LBR_SELECT_CPL_EQ_0      BIT(0)
#define LBR_SELECT_CPL_NEQ_0     BIT(1)
#define LBR_SELECT_JCC           BIT(2)
#define LBR_SELECT_NEAR_REL_CALL BIT(3)
#define LBR_SELECT_NEAR_IND_CALL BIT(4)
#define LBR_SELECT_NEAR_RET      BIT(5)
#define LBR_SELECT_NEAR_IND_JMP  BIT(6)
#define LBR_SELECT_NEAR_REL_JMP  BIT(7)
#define LBR_SELECT_FAR_BRANCH    BIT(8)
#define LBR_SELECT_EN_CALLSTACK  BIT(9)

#define LBR_CTL_ENABLE BIT(0)

/* lbr_msr.c. After reset. */
void lbr_start(struct processor *p);

bool lbr_is_architectural(const struct processor *p);
/* IA32_PERF_CAPABILITIES[5:0]; how many records there are. */
unsigned lbr_format(const struct processor *p);
unsigned lbr_depth(const struct processor *p);
/* Where record x, the newest of which is 0, is among the architectural ones. */
unsigned lbr_index(const struct processor *p, unsigned x);

/* Is Processor Trace on, and LBR not possible beside it? */
bool lbr_is_excluded(const struct processor *p);

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

/* Every record becomes 0. */
void lbr_empty(struct processor *p);

/* IA32_DEBUGCTL.LBR, or LBREn, is written. */
void lbr_enable(struct processor *p, bool enabled);

/* A debug exception is about to be delivered: it clears IA32_DEBUGCTL.LBR. */
void lbr_debug_exception(struct processor *p);

/* TraceEn of Processor Trace has been set or cleared. */
void lbr_trace_changed(struct processor *p, bool enabled);

#endif
