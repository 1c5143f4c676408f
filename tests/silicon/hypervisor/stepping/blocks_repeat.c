/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks_repeat.c - MOVS and STOS with REP: all rounds of it, or those up to an
 * exit, in one run. RCX tells how many these were. Each is counted as if it had
 * been stepped: QEMU looks at RCX once more after the last one where it counts
 * instructions, which takes a step.
 *
 * SDM volume 2B, "REP/REPE/REPZ/REPNE/REPNZ".
 */
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/demand.h"
#include "tests/silicon/model/lbr/lbr.h"

#define PREFIX_REP 0xF3

#define ROUNDS_MIN 2
#define ROUNDS_MAX (1u << 20)
/* Counted in one go, where their accesses are: two each. */
#define ROUNDS_AT_ONCE (BLOCK_ACCESSES / 2)

bool block_repeats(const uint8_t *code)
{
    const uint8_t op = code[(code[1] & 0xF0) == 0x40 ? 2 : 1] & 0xFE;

    return code[0] == PREFIX_REP && (op == 0xA4 || op == 0xAA);
}

static bool passes(struct vcpu *v, uint64_t rounds, bool watched)
{
    struct demand_round round = {
        .instructions = 1,
        .cycles = (rounds + 1) * v->model->choices.cycles_other,
    };

    if (watched)
        block_data_demand(2 * rounds, &round);
    return demand_passes(v->model, v->vmcb->cpl > 0, &round);
}

/* Is over: with its last round. */
static void retire(struct vcpu *v, struct retirement *r, bool is_over)
{
    r->instructions = is_over;
    lbr_pass(v->model, r->cycles);
    counters_retire(v->model, r);
    time_cycles(v, r->cycles);
    r->cycles = 0;
    r->data_count = 0;
}

/* s: the registers before them. */
static void count_accesses(struct vcpu *v, struct operand_state *s,
                           const struct block *b, struct retirement *r,
                           uint64_t rounds)
{
    const bool down = (v->vmcb->rflags & RFLAGS_DF) != 0;
    struct data_access found[DATA_ACCESSES_MAX];
    uint64_t by;

    for (uint64_t n = 0; n < rounds; n++) {
        unsigned count = operand_find(found, s, (const uint8_t *)b->code,
                                      INSTRUCTION_BYTES_MAX);

        if (n > 0 && n % ROUNDS_AT_ONCE == 0)
            retire(v, r, false);
        block_data_access(v, found, count, r, &r->cycles);
        by = down ? -(uint64_t)found[0].bytes : found[0].bytes;
        s->general[6] += by; /* RSI, RDI */
        s->general[7] += by;
    }
}

static void count(struct vcpu *v, struct operand_state *s,
                  const struct block *b, uint64_t rounds, bool is_over,
                  bool watched)
{
    const uint32_t cycles = v->model->choices.cycles_other;
    const uint64_t steps = rounds + (is_over && turns_tsc_counts());
    const uint64_t rip = v->vmcb->rip;
    struct retirement r = {
        .user = v->current_cpl > 0,
        .data = v->blocks.results,
    };

    if (steps == 0)
        return;
    if (watched)
        count_accesses(v, s, b, &r, rounds);
    r.cycles += (uint32_t)(steps * cycles);
    retire(v, &r, is_over);
    instruction_classify(&v->current, (const uint8_t *)b->code,
                         INSTRUCTION_BYTES_MAX);
    v->current_rip = v->vmcb->rip = b->rip;
    for (uint64_t n = 0; n < steps; n++) {
        if (n + 1 == steps)
            v->vmcb->rip = rip;
        trace_retire(v, cycles);
    }
    rounds_stepped(v);
}

bool block_repeat(struct vcpu *v, const struct block *b)
{
    const uint64_t before = v->gprs.rcx;
    const bool watched = data_access_watched(v);
    struct operand_state s;
    bool is_over;

    if (before < ROUNDS_MIN || before > ROUNDS_MAX ||
        !passes(v, before, watched))
        return false;
    memory_registers(v, &s);
    is_over = blocks_run_to(v, b->rip + b->bytes);
    count(v, &s, b, before - v->gprs.rcx, is_over, watched);
    step_end(v);
    return true;
}
