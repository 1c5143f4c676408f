/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks_here.c - a block whose addresses are told needs no run of the guest,
 * which with its exit costs QEMU all that it remembers of memory: the host
 * executes a copy of its instructions with the guest's registers. What they
 * load is copied to words of the host's before, what they store from there
 * after it; relocate.c has the operands there.
 *
 * Left to a run of the guest: an instruction that relocate.c does not know; an
 * access that could fault, is not of simple memory, or follows a store to the
 * same place.
 */
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/instructions/relocate.h"

/* SDM volume 1, "EFLAGS Register": status flags and DF. */
#define FLAGS_HERE UINT64_C(0xCD5)

#define RSP_OPCODE_BYTES 3 /* REX.W, opcode and ModR/M; then a displacement */
#define RSP_BYTES        7
#define END_BYTES        (2 * RSP_BYTES + 1)
#define RSP_AT_RIP       0x25 /* ModR/M */
#define RET              0xC3

/* --- The copy ------------------------------------------------------------ */

/* MOV of RSP from there, or to there: 8BH, 89H. NULL: too far away. */
static uint8_t *move_rsp(uint8_t *to, uint8_t opcode, const uint64_t *there)
{
    const uint8_t bytes[RSP_OPCODE_BYTES] = {0x48, opcode, RSP_AT_RIP};
    const int64_t distance = (int64_t)((uint64_t)there - (uint64_t)to);
    const int32_t displacement = (int32_t)(distance - RSP_BYTES);

    __builtin_memcpy(to, bytes, sizeof(bytes));
    __builtin_memcpy(to + RSP_OPCODE_BYTES, &displacement,
                     sizeof(displacement));
    return displacement == distance - RSP_BYTES ? to + RSP_BYTES : NULL;
}

void block_here_know(struct vcpu *v, struct block *b)
{
    uint8_t *const code = v->blocks.code[b - v->blocks.known];
    uint8_t *to = move_rsp(code, 0x8B, &v->blocks.rsp);
    unsigned count = 0;

    b->here = 0;
    while (to != NULL && count < b->told &&
           to + RELOCATED_MAX + END_BYTES <= code + BLOCK_CODE_BYTES) {
        unsigned bytes = relocate(
            to, (const uint8_t *)b->code + b->at[count], b->rip + b->at[count],
            b->accesses[count] > 0 ? (uint64_t)&v->blocks.words[count] : 0);

        if (bytes == 0)
            break;
        to += bytes;
        count++;
    }
    if (to == NULL || (to = move_rsp(to, 0x89, &v->blocks.rsp)) == NULL ||
        (to = move_rsp(to, 0x8B, &v->host_rsp)) == NULL)
        return;
    *to = RET;
    b->here = (uint8_t)count;
}

/* --- Its memory ---------------------------------------------------------- */

static bool is_reached(struct vcpu *v, const struct data_access *a,
                       uint64_t *physical)
{
    const bool writes = a->kind == DATA_STORE;

    return a->kind <= DATA_STORE && !a->locked &&
           (a->bytes == 8 || a->bytes == 4 || a->bytes <= 2) &&
           a->linear % PAGE_BYTES + a->bytes <= PAGE_BYTES &&
           guest_reaches(v, a->linear, writes, physical) &&
           npt_gives(&v->pages_step, *physical, writes);
}

/* Has one of those before it stored there? */
static bool is_stored(const struct data_access *access,
                      const uint64_t *physical, unsigned before, unsigned n)
{
    for (unsigned k = 0; k < before; k++)
        if (access[k].kind == DATA_STORE &&
            physical[k] < physical[n] + access[n].bytes &&
            physical[n] < physical[k] + access[k].bytes)
            return true;
    return false;
}

/* Of as many bytes at once as the guest's instruction, for other processors. */
static uint64_t load(uint64_t physical, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return *(const volatile uint8_t *)physical;
    case 2:
        return *(const volatile uint16_t *)physical;
    case 4:
        return *(const volatile uint32_t *)physical;
    default:
        return *(const volatile uint64_t *)physical;
    }
}

static void store(uint64_t physical, unsigned bytes, uint64_t word)
{
    switch (bytes) {
    case 1:
        *(volatile uint8_t *)physical = (uint8_t)word;
        break;
    case 2:
        *(volatile uint16_t *)physical = (uint16_t)word;
        break;
    case 4:
        *(volatile uint32_t *)physical = (uint32_t)word;
        break;
    default:
        *(volatile uint64_t *)physical = word;
    }
}

/* All of it, before anything is stored. A load may pass a store to another
 * place: SDM volume 3A, "Memory Ordering". */
static bool load_words(struct vcpu *v, const struct block *b,
                       uint64_t physical[BLOCK_ACCESSES])
{
    const struct data_access *access = v->blocks.access;
    unsigned k = 0;

    for (unsigned n = 0; n < b->here; n++) {
        const unsigned before = k;

        for (; k < before + b->accesses[n]; k++) {
            if (!is_reached(v, &access[k], &physical[k]) ||
                is_stored(access, physical, before, k))
                return false;
            if (access[k].kind == DATA_LOAD)
                v->blocks.words[n] = load(physical[k], access[k].bytes);
        }
    }
    return true;
}

static void store_words(struct vcpu *v, const struct block *b,
                        const uint64_t physical[BLOCK_ACCESSES])
{
    unsigned k = 0;

    for (unsigned n = 0; n < b->here; n++)
        for (unsigned left = b->accesses[n]; left > 0; left--, k++)
            if (v->blocks.access[k].kind == DATA_STORE)
                store(physical[k], v->blocks.access[k].bytes,
                      v->blocks.words[n]);
}

static void execute(struct vcpu *v, const uint8_t *code)
{
    struct vmcb *b = v->vmcb;
    uint64_t flags;

    v->blocks.rsp = b->rsp;
    flags = svm_here(v, code, (b->rflags & FLAGS_HERE) | 2);
    b->rsp = v->blocks.rsp;
    b->rflags = (b->rflags & ~(FLAGS_HERE | RFLAGS_TF)) | (flags & FLAGS_HERE);
}

bool block_here(struct vcpu *v, const struct block *b)
{
    const uint8_t *code = v->blocks.code[b - v->blocks.known];
    uint64_t physical[BLOCK_ACCESSES];
    bool good;

    if ((v->vmcb->rflags & RFLAGS_AC) != 0 ||
        __atomic_load_n(&v->nmi, __ATOMIC_RELAXED) != 0)
        return false;
    /* As in its guest: who takes a page away waits until it is out again. */
    __atomic_store_n(&v->in_guest, 1, __ATOMIC_SEQ_CST);
    good = load_words(v, b, physical);
    if (good) {
        execute(v, code);
        store_words(v, b, physical);
        v->vmcb->rip =
            b->rip + (b->here < b->count ? b->at[b->here] : b->bytes);
    }
    __atomic_store_n(&v->in_guest, 0, __ATOMIC_SEQ_CST);
    return good;
}
