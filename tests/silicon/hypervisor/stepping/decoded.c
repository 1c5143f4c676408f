/* SPDX-License-Identifier: BSD-2-Clause */
/* decoded.c - what is known of the instructions that a stepped guest comes by
 * again: the bytes are compared each time, for code may change. */
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/instructions/operand.h"

/* The last word begins within the first: they have 15 bytes between them. */
static void words_of(uint64_t words[2], const uint8_t *bytes)
{
    __builtin_memcpy(&words[0], bytes, 8);
    __builtin_memcpy(&words[1], bytes + INSTRUCTION_BYTES_MAX - 8, 8);
}

/* REP makes no access if RCX is 0. */
static bool has_accesses(const uint8_t *bytes, size_t length, bool wide)
{
    struct data_access found[DATA_ACCESSES_MAX];
    struct operand_state any = {.narrow = !wide};

    for (unsigned n = 0; n < sizeof(any.general) / sizeof(any.general[0]); n++)
        any.general[n] = 1;
    return operand_find(found, &any, bytes, length) > 0;
}

/* In compatibility mode 40H to 4FH are INC and DEC, no REX prefixes. */
static bool is_inc_or_dec(const struct vcpu *v, const uint8_t *bytes,
                          size_t length)
{
    size_t at = 0;

    if ((v->vmcb->cs.attributes & CS_L) != 0)
        return false;
    while (at < length && bytes[at] == 0x66)
        at++;
    return at < length && (bytes[at] & 0xF0) == 0x40;
}

const struct decoded *decoded_find(struct vcpu *v, const uint8_t *bytes,
                                   size_t length)
{
    uint64_t rip = v->vmcb->rip, words[2] = {0, 0};
    struct decoded *d = &v->decodings[(rip ^ rip >> 10) % DECODED_MAX];

    if (length == INSTRUCTION_BYTES_MAX)
        words_of(words, bytes);
    if (d->length == length && d->rip == rip && d->words[0] == words[0] &&
        d->words[1] == words[1] &&
        d->wide == ((v->vmcb->cs.attributes & CS_L) != 0))
        return d;
    *d = (struct decoded){
        .rip = rip,
        .words = {words[0], words[1]},
        .wide = (v->vmcb->cs.attributes & CS_L) != 0,
    };
    if (is_inc_or_dec(v, bytes, length))
        return d; /* nothing that is of interest */
    instruction_classify(&d->instruction, bytes, length);
    d->accesses = has_accesses(bytes, length, d->wide);
    if (length == INSTRUCTION_BYTES_MAX) {
        d->simple = direct_is_simple(&d->instruction, bytes);
        d->length = (uint8_t)length;
    }
    return d;
}
