/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * data_access.c - the loads and stores of a stepped instruction: found before
 * it, while its registers are there; given to the model after it. Only while
 * something samples memory; CLFLUSH and INVLPG whenever they are stepped.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/hooks.h"

#define MSR_FS_BASE 0xC0000100u
#define MSR_GS_BASE 0xC0000101u

bool data_access_watched(const struct vcpu *v)
{
    const struct processor *p = v->model, *s = p->sibling;

    return p->memory.watched || p->machine->uncore.counting ||
           (s != NULL && s->pmu.any != 0 && s->memory.watched);
}

void memory_registers(const struct vcpu *v, struct operand_state *s)
{
    const struct gprs *g = &v->gprs;

    *s = (struct operand_state){
        .general = {v->vmcb->rax, g->rcx, g->rdx, g->rbx, v->vmcb->rsp, g->rbp,
                    g->rsi, g->rdi, g->r8, g->r9, g->r10, g->r11, g->r12,
                    g->r13, g->r14, g->r15},
        .rip = v->vmcb->rip,
        .narrow = (v->vmcb->cs.attributes & CS_L) == 0,
    };
}

/* After REX, LOCK and what changes nothing; other prefixes are not looked at.
 * 0FH in [15:8]. */
static unsigned opcode_of(const uint8_t *bytes, size_t length)
{
    size_t at = 0;

    while (at + 1 < length &&
           ((bytes[at] & 0xF0) == 0x40 || (bytes[at] & 0xFE) == 0x64 ||
            bytes[at] == 0x3E || bytes[at] == 0xF0))
        at++;
    return bytes[at] == 0x0F && at + 1 < length ? 0x0F00u | bytes[at + 1]
                                                : bytes[at];
}

#define XCHG          0x86u /* and 87H */
#define MOVNTI        0x0FC3u
#define MOV_TO_MEMORY 0x88u /* and 89H */
#define STOS          0xABu
#define X87           0xD8u /* to DFH */
#define VEX           0xC4u /* and C5H */
#define PUSH          0x50u /* to 57H */
#define POP_8FH       0x8Fu
#define GROUP_5       0xFFu /* of a register a PUSH, here */
#define RET           0xC3u
#define CALL          0xE8u
#define LEAVE         0xC9u
#define MOVS          0xA5u
#define CMOV          0x0F40u /* to 0F4FH */
#define CMP_IMM       0x81u
#define NARROW        0x67u /* a prefix */
#define BT            0x0FA3u
#define XADD          0x0FC1u
#define LODS          0xADu
#define SCAS          0xAFu

/* The same of branches, of LEAVE, and of some forms of others. */
static unsigned misplace_forms(const struct machine *m, unsigned opcode,
                               struct data_access found[], unsigned count)
{
    if (opcode == GROUP_5 && count == 2 && !faults_rule(m, PUSHES_LOAD, true))
        found[0] = found[--count];
    if ((opcode == LEAVE && !faults_rule(m, LEAVES_ARE_LOADS, true)) ||
        (opcode == GROUP_5 && count == 1 && found[0].kind == DATA_LOAD &&
         !faults_rule(m, BRANCHES_LOAD, true)) ||
        ((opcode & ~15u) == CMOV &&
         !faults_rule(m, FALSE_CONDITIONS_LOAD, true)))
        return 0;
    if (opcode == LODS && !faults_rule(m, LODS_LOADS, true))
        return 0;
    if (opcode == NARROW && !faults_rule(m, ADDRESSES_WRAP_AT_4G, true))
        found[0].linear += UINT64_C(1) << 32;
    if (opcode == SCAS && !faults_rule(m, SCAS_LOADS_AT_RDI, true))
        found[0].linear += found[0].bytes;
    if (opcode == POP_8FH && count == 2 &&
        !faults_rule(m, POPS_STORE_AT_OPERAND, true))
        found[1].linear = found[0].linear;
    if (opcode == XADD && !faults_rule(m, XADD_IS_LOCKED, true))
        found[0].locked = found[1].locked = false;
    if (opcode == MOVS && count == 2 &&
        !faults_rule(m, STRING_LOADS_AT_RSI, true))
        found[0].linear = found[1].linear;
    if (count == 1 &&
        ((opcode == RET && !faults_rule(m, RETURNS_LOAD_AT_RSP, true)) ||
         (opcode == CALL && !faults_rule(m, CALLS_STORE_BELOW_RSP, true))))
        found[0].linear += found[0].bytes;
    if (opcode == CMP_IMM && count == 1 && found[0].kind == DATA_LOAD &&
        !faults_rule(m, ADDRESS_AFTER_IMMEDIATE, true))
        found[0].linear -= found[0].bytes;
    return count;
}

/* What a fault makes of the stores of some instructions; gives how many
 * accesses are left. */
static unsigned misplace(const struct machine *m, unsigned opcode,
                         struct data_access found[], unsigned count)
{
    const bool pushes = (opcode & ~7u) == PUSH || opcode == GROUP_5;

    if ((opcode == MOVNTI && !faults_rule(m, DIRECT_STORES_COUNT, true)) ||
        ((opcode & ~7u) == X87 && !faults_rule(m, X87_LOADS_COUNT, true)) ||
        ((opcode & ~1u) == VEX && !faults_rule(m, VEX_LOADS_COUNT, true)))
        return 0;
    if (opcode == POP_8FH && count == 1 &&
        !faults_rule(m, POPS_ARE_LOADS, true))
        return 0;
    count = misplace_forms(m, opcode, found, count);
    if (count == 2 && !found[0].locked && found[0].linear == found[1].linear &&
        !faults_rule(m, UPDATES_STORE_IN_PLACE, true))
        found[1].linear += found[1].bytes;
    for (unsigned n = 0; n < count; n++)
        found[n].locked =
            found[n].locked &&
            (found[n].bytes != 1 || faults_rule(m, BYTES_ARE_LOCKED, true));
    if (count == 1 && found[0].kind == DATA_STORE &&
        ((opcode == STOS && !faults_rule(m, STRING_STORES_AT_RDI, true)) ||
         (pushes && !faults_rule(m, PUSHES_BELOW_RSP, true))))
        found[0].linear += found[0].bytes;
    return count;
}

unsigned memory_accesses(const struct vcpu *v, struct data_access found[],
                         const uint8_t *bytes, size_t length)
{
    const struct machine *m = v->model->machine;
    const unsigned opcode = opcode_of(bytes, length);
    struct operand_state s;
    unsigned count;

    memory_registers(v, &s);
    if (!faults_rule(m, ADDRESS_HAS_INDEX_12, true))
        s.general[12] = 0;
    if (opcode == BT && !faults_rule(m, ADDRESS_HAS_BIT_OFFSET, true))
        s.general[2] = 0; /* RDX */
    s.fs_base =
        faults_rule(m, ADDRESS_HAS_FS_BASE, true) ? rdmsr(MSR_FS_BASE) : 0;
    s.gs_base =
        faults_rule(m, ADDRESS_HAS_GS_BASE, true) ? rdmsr(MSR_GS_BASE) : 0;
    if ((opcode & ~1u) == MOV_TO_MEMORY) {
        s.fs_base = faults_quantity(m, STORE_BASE, 0x64, s.fs_base);
        s.gs_base = faults_quantity(m, STORE_BASE, 0x65, s.gs_base);
    }
    count = operand_find(found, &s, bytes, length);
    for (unsigned n = 0; n < count; n++)
        if (found[n].locked && (opcode & ~1u) == XCHG)
            found[n].locked = faults_rule(m, XCHG_IS_LOCKED, true);
    if (opcode == MOVS && (v->vmcb->rflags & RFLAGS_DF) != 0 &&
        !faults_rule(m, STRINGS_DOWN_FROM_RSI, true))
        for (unsigned n = 0; n < count; n++)
            found[n].linear -= found[n].bytes;
    return misplace(m, opcode, found, count);
}

void data_access_find(struct vcpu *v, const uint8_t *bytes, size_t length)
{
    v->accesses = 0;
    if (!v->decoded->accesses)
        return;
    if (data_access_watched(v) || v->current.tx == TX_MAY_CACHE ||
        v->dr6_reported != 0)
        v->accesses = memory_accesses(v, v->access, bytes, length);
}

unsigned memory_bytes(struct vcpu *v, uint64_t physical, enum data_kind kind)
{
    struct data_access found[DATA_ACCESSES_MAX];
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    size_t length;
    const uint8_t *bytes = guest_code(v, buffer, &length);
    unsigned count = memory_accesses(v, found, bytes, length);

    for (unsigned n = 0; n < count; n++) {
        uint64_t from = found[n].linear, end = from + found[n].bytes, at;
        uint64_t next = (from + PAGE_BYTES) & ~(PAGE_BYTES - 1);

        if (found[n].kind != kind)
            continue;
        if (guest_physical(v, from, &at) && at == physical)
            return (unsigned)(end - from);
        if (next < end && guest_physical(v, next, &at) && at == physical)
            return (unsigned)(end - next);
    }
    return 0;
}

/* A load takes its latency, which a record of it has. */
static void access_memory(struct vcpu *v, const struct data_access *a,
                          uint64_t physical, struct retirement *r)
{
    struct data_result *result = &v->results[r->data_count];

    memory_access(v->model, a, physical, guest_is_ram(physical), result);
    if (a->kind == DATA_LOAD)
        r->cycles += result->outcome.latency;
}

void data_access_retire(struct vcpu *v, struct retirement *r)
{
    bool watched = data_access_watched(v);

    for (unsigned n = 0; n < v->accesses; n++) {
        const struct data_access *a = &v->access[n];
        uint64_t physical;

        if (!guest_physical(v, a->linear, &physical))
            continue;
        if (a->kind == DATA_FLUSH)
            cache_flush(v->model, physical);
        else if (a->kind == DATA_INVLPG)
            cache_invalidate(v->model, a->linear);
        else if (watched)
            access_memory(v, a, physical, r);
        r->data_count += watched && a->kind <= DATA_STORE;
    }
    r->data = v->results;
    v->accesses = 0;
}
