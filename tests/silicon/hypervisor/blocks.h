/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.h - instructions of a stepped guest, one after the other, that are
 * executed in one run.
 */
#ifndef SILICON_HYPERVISOR_BLOCKS_H
#define SILICON_HYPERVISOR_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vcpu;

#define BLOCK_INSTRUCTIONS 16
#define BLOCK_BYTES        64
#define BLOCKS_KNOWN       256

/* By its place and bytes, for code may change. */
struct block {
    uint64_t rip;
    uint64_t code[BLOCK_BYTES / 8];
    uint8_t count, bytes;
    uint8_t at[BLOCK_INSTRUCTIONS]; /* they begin so far behind */
};

struct blocks {
    struct block known[BLOCKS_KNOWN];
    unsigned branches; /* that may be told, before the guest is run again */
    bool cut_short;    /* by an exit, which stepping comes to again */
};

/* Before a step under an operating system. True: a block has been run in its
 * place, and counted. */
bool blocks_run(struct vcpu *v);
/* Is it a near branch of these bytes, behind a block? Then it has been carried
 * out, but that RIP is to go there. */
bool blocks_tell_branch(struct vcpu *v, const uint8_t *bytes, size_t length,
                        uint64_t *to);

/* rounds.c: an instruction of one. */
void rounds_passed(struct vcpu *v);

#endif
