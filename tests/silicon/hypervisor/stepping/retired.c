/* SPDX-License-Identifier: BSD-2-Clause */
/* retired.c - how many instructions a step has retired: one, but for rounds of
 * one with REP, and for faults. */
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"

#define LONG_NOP 0x1F0Fu /* 0FH 1FH */
#define VEX      0xC4u   /* and C5H */
#define XORPS    0x570Fu /* 0FH 57H */
#define PUSH_IMM 0x68u   /* and 6AH */
#define DIVISION 0xF741u /* REX.B, F7H */

/* Is it one that a fault counts twice? */
static bool counts_again(const struct vcpu *v)
{
    const struct machine *m = v->model->machine;
    uint64_t bytes = v->vmcb->rip - v->current_rip;
    bool ends = (v->current.flags & INSTRUCTION_BRANCHES) == 0 && bytes != 0 &&
                bytes <= INSTRUCTION_BYTES_MAX;
    bool pages = (v->vmcb->rip - 1) / PAGE_BYTES != v->current_rip / PAGE_BYTES;
    bool lines = v->current_cpl > 0 &&
                 (v->vmcb->rip - 1) / LINE_BYTES != v->current_rip / LINE_BYTES;
    bool nop = (v->decoded->words[0] & BITS(15, 0)) == LONG_NOP;
    bool sse = (v->decoded->words[0] & BITS(15, 0)) == XORPS;
    bool immediate = (v->decoded->words[0] & 0xFD) == PUSH_IMM;
    bool divides = (v->decoded->words[0] & BITS(15, 0)) == DIVISION;
    bool vex = (v->decoded->words[0] & BITS(7, 1)) == VEX;

    return ends && ((bytes >= 10 && !faults_rule(m, LONG_COUNTS_ONCE, true)) ||
                    (pages && !faults_rule(m, PAGES_COUNT_ONCE, true)) ||
                    (nop && !faults_rule(m, LONG_NOP_COUNTS_ONCE, true)) ||
                    (sse && !faults_rule(m, SSE_COUNTS_ONCE, true)) ||
                    (immediate && !faults_rule(m, PUSH_COUNTS_ONCE, true)) ||
                    (divides && !faults_rule(m, DIVISION_COUNTS_ONCE, true)) ||
                    (vex && !faults_rule(m, VEX_COUNTS_ONCE, true)) ||
                    (lines && !faults_rule(m, RING3_LINES_COUNT_ONCE, true)));
}

#define LONG_REP 256 /* rounds */
/* The rounds of a REP are counted here. */
static bool ends_long_rep(struct vcpu *v)
{
    const unsigned before = v->model->faults.rounds;
    const bool goes_on = (v->current.flags & INSTRUCTION_REPEATS) != 0 &&
                         v->vmcb->rip == v->current_rip;

    v->model->faults.rounds = goes_on ? before + 1 : 0;
    return !goes_on && before >= LONG_REP;
}

uint32_t step_instructions(struct vcpu *v)
{
    const struct machine *m = v->model->machine;
    uint32_t instructions = 1;

    if ((v->current.flags & INSTRUCTION_REPEATS) != 0 &&
        v->vmcb->rip == v->current_rip &&
        faults_rule(m, ROUNDS_NOT_COUNTED, true))
        instructions = 0; /* one round of many */
    if (ends_long_rep(v) && !faults_rule(m, REP_OF_PAGES_COUNTS_ONCE, true))
        instructions++;
    instructions += counts_again(v);
    if ((v->current.flags & INSTRUCTION_SETS_CR3) != 0 &&
        !faults_rule(m, CR3_WRITE_COUNTS, true))
        instructions = 0;
    if (v->current.kind == INSTRUCTION_XBEGIN && v->tx.depth > 1 &&
        !faults_rule(m, NESTED_BEGIN_COUNTS, true))
        instructions = 0;
    return instructions;
}
