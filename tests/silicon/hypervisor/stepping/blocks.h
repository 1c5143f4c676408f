/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocks.h - instructions of a stepped guest, one after the other, that are
 * executed in one run.
 */
#ifndef SILICON_HYPERVISOR_STEPPING_BLOCKS_H
#define SILICON_HYPERVISOR_STEPPING_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/model/memory/memory_events.h"

struct vcpu;
struct demand_round;
struct retirement;

#define BLOCK_INSTRUCTIONS 16
#define BLOCK_BYTES        64
#define BLOCK_ACCESSES     16    /* of those whose addresses are told */
#define BLOCKS_KNOWN       16384 /* 6 MiB, with their copies */
#define BLOCK_CODE_BYTES   256   /* of its copy */

/* By its place and bytes, for code may change. */
struct block {
    uint64_t rip;
    uint64_t code[BLOCK_BYTES / 8];
    uint8_t count, bytes;           /* 0 of them: see `repeats` */
    uint8_t at[BLOCK_INSTRUCTIONS]; /* they begin so far behind */
    /* Of so many the addresses follow from the registers before the first. */
    uint8_t told, all;                    /* and so many accesses they are */
    uint8_t accesses[BLOCK_INSTRUCTIONS]; /* of each of these */
    uint8_t here;                         /* and those that the host executes */
    bool adds;                            /* constants to registers */
    bool repeats; /* it is MOVS or STOS with REP, of so many bytes */
};

struct blocks {
    struct block *known; /* BLOCKS_KNOWN of them; NULL: no operating system */
    uint8_t (*code)[BLOCK_CODE_BYTES]; /* NULL: the host executes none */
    /* What of the block being executed here is in memory, and its RSP. */
    uint64_t words[BLOCK_INSTRUCTIONS], rsp;
    unsigned branches; /* and blocks, without a run of the guest between them */
    bool cut_short;    /* by an exit, which stepping comes to again */
    /* Of the one that is run: its accesses, what came of them, and the cycles
     * of each instruction. */
    struct data_access access[BLOCK_ACCESSES];
    struct data_result results[BLOCK_ACCESSES];
    uint32_t cycles[BLOCK_INSTRUCTIONS];
};

/* Before a step under an operating system. True: a block has been run in its
 * place, and counted. */
bool blocks_run(struct vcpu *v);
/* An instruction has been stepped in a run of its own. */
void blocks_stepped(struct vcpu *v);
/* Is it a near branch of these bytes, behind one of these? Then it has been
 * carried out, but that RIP is to go there. */
bool blocks_tell_branch(struct vcpu *v, const uint8_t *bytes, size_t length,
                        uint64_t *to);

/* blocks_data.c: what is known of its accesses from its bytes; before it, their
 * addresses, and what they may ask for; after so many of its instructions. */
void block_data_know(struct block *b);
void block_data_find(struct vcpu *v, const struct block *b);
void block_data_demand(uint64_t accesses, struct demand_round *round);
/* As data_access_retire, with room for all that is retired at once. */
void block_data_access(struct vcpu *v, const struct data_access *access,
                       unsigned count, struct retirement *r, uint32_t *cycles);
void block_data_count(struct vcpu *v, const struct block *b, unsigned executed);

/* blocks_here.c: makes its copy; executes that, where nothing of it can fault:
 * false, nothing has been done. Its accesses have been found. */
void block_here_know(struct vcpu *v, struct block *b);
bool block_here(struct vcpu *v, const struct block *b);

/* guest_memory.c: does the guest get to the byte, which is in RAM, without a
 * fault, or a bit that is set, in its own page tables? Where it is, then. */
bool guest_reaches(const struct vcpu *v, uint64_t linear, bool writes,
                   uint64_t *physical);

/* blocks_repeat.c: the rounds of one with REP, as one that was run. */
bool block_repeats(const uint8_t *code);
bool block_repeat(struct vcpu *v, const struct block *b);

/* blocks.c: from RIP to there, where it is not cut short; true: it was not. */
bool blocks_run_to(struct vcpu *v, uint64_t end);

/* rounds.c: an instruction of one. */
void rounds_passed(struct vcpu *v);

#endif
