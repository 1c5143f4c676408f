/* SPDX-License-Identifier: BSD-2-Clause */
/* decoded.c - what is known of the instructions that a stepped guest comes by
 * again: the bytes are compared each time, for code may change. */
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/operand.h"

/* The last word begins within the first: they have 15 bytes between them. */
static void words_of(uint64_t words[2], const uint8_t *bytes)
{
    __builtin_memcpy(&words[0], bytes, 8);
    __builtin_memcpy(&words[1], bytes + INSTRUCTION_BYTES_MAX - 8, 8);
}

/* REP makes no access if RCX is 0. */
static bool has_accesses(const uint8_t *bytes, size_t length)
{
    struct data_access found[DATA_ACCESSES_MAX];
    struct operand_state any = {.rip = 0};

    for (unsigned n = 0; n < sizeof(any.general) / sizeof(any.general[0]); n++)
        any.general[n] = 1;
    return operand_find(found, &any, bytes, length) > 0;
}

const struct decoded *decoded_find(struct vcpu *v, const uint8_t *bytes,
                                   size_t length)
{
    uint64_t rip = v->vmcb->rip, words[2] = {0, 0};
    struct decoded *d = &v->decodings[(rip ^ rip >> 8) % DECODED_MAX];

    if (length == INSTRUCTION_BYTES_MAX)
        words_of(words, bytes);
    if (d->length == length && d->rip == rip && d->words[0] == words[0] &&
        d->words[1] == words[1])
        return d;
    *d = (struct decoded){.rip = rip, .words = {words[0], words[1]}};
    instruction_classify(&d->instruction, bytes, length);
    d->accesses = has_accesses(bytes, length);
    if (length == INSTRUCTION_BYTES_MAX) {
        d->simple = direct_is_simple(&d->instruction, bytes);
        d->length = (uint8_t)length;
    }
    return d;
}
