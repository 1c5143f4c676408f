/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks_data.c - the loads and stores of a block, where something looks at
 * memory: their addresses are found before it, from its registers and the
 * constants that its instructions add to them, and given to the model after
 * it, one after the other.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/instructions/induction.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/demand.h"
#include "tests/silicon/model/lbr/lbr.h"

#define MSR_FS_BASE 0xC0000100u
#define MSR_GS_BASE 0xC0000101u

/* More cycles than a load takes. */
#define LATENCY_MAX 1000
/* Of a load or store on two lines, each asked for and looked up. */
#define EVENTS_MAX 4

static const uint8_t *bytes_of(const struct block *b, unsigned n)
{
    return (const uint8_t *)b->code + b->at[n];
}

static void set_lost(struct operand_state *s, const struct induction *at,
                     uint64_t value)
{
    __builtin_memcpy(s->general, at->general, sizeof(s->general));
    for (unsigned n = 0; n < 16; n++)
        if ((at->lost >> n & 1) != 0)
            s->general[n] = value;
}

/* The accesses of an instruction; false: some depend on what is lost. */
static bool is_told(const struct induction *at, const uint8_t *bytes,
                    unsigned *count)
{
    struct data_access a[2][DATA_ACCESSES_MAX];
    struct operand_state s = {.rip = 0};

    set_lost(&s, at, 0);
    *count = operand_find(a[0], &s, bytes, INSTRUCTION_BYTES_MAX);
    set_lost(&s, at, PAGE_BYTES + 8);
    if (operand_find(a[1], &s, bytes, INSTRUCTION_BYTES_MAX) != *count)
        return false;
    for (unsigned n = 0; n < *count; n++)
        if (a[0][n].linear != a[1][n].linear)
            return false;
    return true;
}

void block_data_know(struct block *b)
{
    struct induction at = {.lost = 0};
    unsigned count;

    b->adds = false;
    b->all = 0;
    for (b->told = 0; b->told < b->count; b->told++) {
        const uint8_t *bytes = bytes_of(b, b->told);

        if (!is_told(&at, bytes, &count) || b->all + count > BLOCK_ACCESSES)
            return;
        b->accesses[b->told] = (uint8_t)count;
        b->all += (uint8_t)count;
        if (!induction_step(&at, bytes, INSTRUCTION_BYTES_MAX)) {
            b->told++;
            return;
        }
        for (unsigned n = 0; n < 16; n++)
            b->adds |= at.general[n] != 0;
    }
}

void block_data_find(struct vcpu *v, const struct block *b)
{
    struct data_access *to = v->blocks.access;
    struct induction at = {.lost = 0};
    struct operand_state s;

    memory_registers(v, &s);
    s.fs_base = rdmsr(MSR_FS_BASE);
    s.gs_base = rdmsr(MSR_GS_BASE);
    for (unsigned n = 0; n < b->told; n++) {
        struct data_access found[DATA_ACCESSES_MAX];

        s.rip = b->rip + b->at[n];
        if (b->accesses[n] > 0) {
            operand_find(found, &s, bytes_of(b, n), INSTRUCTION_BYTES_MAX);
            for (unsigned k = 0; k < b->accesses[n]; k++)
                *to++ = found[k];
        }
        if (!b->adds)
            continue;
        __builtin_memcpy(at.general, s.general, sizeof(at.general));
        (void)induction_step(&at, bytes_of(b, n), INSTRUCTION_BYTES_MAX);
        __builtin_memcpy(s.general, at.general, sizeof(s.general));
    }
}

void block_data_demand(uint64_t accesses, struct demand_round *round)
{
    round->cycles += accesses * LATENCY_MAX;
    round->requests = round->others = 1 + accesses * EVENTS_MAX;
}

void block_data_access(struct vcpu *v, const struct data_access *access,
                       unsigned count, struct retirement *r, uint32_t *cycles)
{
    for (unsigned n = 0; n < count; n++) {
        struct data_result *result = &v->blocks.results[r->data_count];
        uint64_t physical;

        if (!guest_physical(v, access[n].linear, &physical))
            continue;
        memory_access(v->model, &access[n], physical, guest_is_ram(physical),
                      result);
        if (access[n].kind == DATA_LOAD)
            *cycles += result->outcome.latency;
        r->data_count += access[n].kind <= DATA_STORE;
    }
}

static void retire(struct vcpu *v, const struct retirement *r)
{
    if (r->instructions == 0)
        return;
    lbr_pass(v->model, r->cycles);
    counters_retire(v->model, r);
    time_cycles(v, r->cycles);
}

/* None of them overflows a counter, so that their order is of no interest, but
 * that of what is accessed. */
void block_data_count(struct vcpu *v, const struct block *b, unsigned executed)
{
    const struct data_access *access = v->blocks.access;
    struct retirement others = {.user = v->current_cpl > 0};
    struct retirement data = {
        .user = v->current_cpl > 0,
        .data = v->blocks.results,
    };

    for (unsigned n = 0; n < executed; n++) {
        struct retirement *r = b->accesses[n] > 0 ? &data : &others;

        v->blocks.cycles[n] = v->model->choices.cycles_other;
        block_data_access(v, access, b->accesses[n], &data,
                          &v->blocks.cycles[n]);
        access += b->accesses[n];
        r->instructions++;
        r->cycles += v->blocks.cycles[n];
    }
    retire(v, &data);
    retire(v, &others);
}
