/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hypervisor.h - what all processors under the hypervisor share, and the seams
 * between its files.
 */
#ifndef SILICON_HYPERVISOR_H
#define SILICON_HYPERVISOR_H

#include "tests/silicon/vcpu.h"

#define PROCESSORS_MAX 64
#define RAM_RANGES_MAX 64

struct hypervisor {
    struct machine machine;
    struct processor *models;    /* one a processor */
    struct vcpu *vcpus;
    unsigned processors;
    uint8_t apic_ids[PROCESSORS_MAX]; /* of the machine below */
    uint8_t *msr_map, *io_map;
    struct npt pages_free;       /* marked pages are no-execute */
    struct npt pages_step;       /* all is allowed */
    struct npt pages_catch;      /* nothing is executable */
    struct { uint64_t start, end; } ram[RAM_RANGES_MAX];
    unsigned ram_ranges;
};
extern struct hypervisor hypervisor;

/* vcpu.c: the processor this code runs on, or NULL if unknown. */
struct vcpu *vcpu_here(void);

/* msr_map.c: what is passed through to the processor below. */
void msr_map_fill(uint8_t *map);

/* guest.c: the guest's memory. */
bool guest_physical(const struct vcpu *v, uint64_t linear, uint64_t *physical);
/* Up to INSTRUCTION_BYTES_MAX bytes at RIP: into buffer, or where they are. */
const uint8_t *guest_code(struct vcpu *v, uint8_t *buffer, size_t *length);
bool guest_is_ram(uint64_t physical);
/* Between the buffer and linear memory, up to a page of it. False: some of it
 * is not there, and nothing has been copied. */
bool guest_copy(const struct vcpu *v, uint64_t linear, void *buffer,
                size_t bytes, bool write);

/* Event injection; vector 8, 10-14 and 17 carry the error code. */
void guest_inject(struct vcpu *v, unsigned vector, uint32_t error);

/* exits.c: act on the exit that the VMCB describes. */
void exit_handle(struct vcpu *v);

/* step.c: the mode, and one instruction at a time. */
void step_set_mode(struct vcpu *v, enum vcpu_mode mode);
/* In MODE_STEP: false if the instruction has been carried out here. */
bool step_begin(struct vcpu *v);
/* The instruction at now_rip is complete and RIP behind it. */
void step_retire(struct vcpu *v);
/* Decides the mode to go on in, after an instruction. */
void step_end(struct vcpu *v);
/* Counts it, for instructions that the host executes. */
void step_count(struct vcpu *v, unsigned instructions, uint32_t cycles,
                bool in_tx);

/* pebs.c: after an instruction that has made a PEBS event, or that asks for a
 * performance monitoring interrupt. */
void pebs_serve(struct vcpu *v);

/* pmi.c: sends the interrupt to this processor's local APIC. */
void pmi_send(void);

/* tx.c: transactions. */
void tx_instruction(struct vcpu *v);
void tx_abort(struct vcpu *v, enum tx_cause cause);
/* A nested page fault inside a transaction. */
void tx_page_fault(struct vcpu *v);
/* Does a breakpoint, or what it needs, end the transaction before this
 * instruction? It has ended then. */
bool tx_breakpoint(struct vcpu *v);
/* After each instruction inside one. */
void tx_step_done(struct vcpu *v);

/* image.c: marks the pages of a loaded image that hold transactional code. */
void image_mark(const uint8_t *base, uint64_t bytes);

/* report.c: lines on the serial port, and the end after an error. */
void report_line(const char *text);
void report_failure(struct vcpu *v, const char *what, uint64_t a, uint64_t b)
    __attribute__((noreturn));

#endif
