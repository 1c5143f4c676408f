/* SPDX-License-Identifier: BSD-2-Clause */
/* guest.h - the guest: its registers and memory, and what its exits ask for. */
#ifndef SILICON_HYPERVISOR_GUEST_GUEST_H
#define SILICON_HYPERVISOR_GUEST_GUEST_H

#include "tests/silicon/hypervisor/hypervisor.h"

/* vcpu.c: the processor this code runs on, or NULL if unknown. */
struct vcpu *vcpu_current(void);

/* msr_map.c: what is passed through to the host processor. */
void msr_map_fill(uint8_t *map);
/* These are intercepted from then on. */
void msr_map_intercept(uint8_t *map, uint32_t first, uint32_t last);

/* guest_memory.c: the guest's memory. */
bool guest_physical(const struct vcpu *v, uint64_t linear, uint64_t *physical);
/* Is the byte at the same place by other page tables, and does the guest get to
 * it, at its privilege level, without a fault or a bit set in its own? */
bool guest_sees_as_by(const struct vcpu *v, uint64_t cr3, uint64_t linear,
                      enum access access);
/* Where RIP is, linear. */
uint64_t guest_rip(const struct vcpu *v);
/* Up to INSTRUCTION_BYTES_MAX bytes at RIP: into buffer, or where they are. */
const uint8_t *guest_code(struct vcpu *v, uint8_t *buffer, size_t *length);
bool guest_is_ram(uint64_t physical);
/* Is the byte on a page that the guest's own tables let it execute? */
bool guest_is_code(const struct vcpu *v, uint64_t linear);
/* Between the buffer and linear memory, up to a page of it. False: some of it
 * is not there, and nothing has been copied. */
bool guest_copy(const struct vcpu *v, uint64_t linear, void *buffer,
                size_t bytes, bool write);

/* loop.c: one round of the loop that runs the guest. False: it has asked to
 * leave. */
bool loop_round(struct vcpu *v);

/* exits.c: what to do after the exit that the VMCB describes. */
struct action exit_handle(struct vcpu *v);
/* The host has carried out the instruction. */
struct action exit_retire(struct vcpu *v, unsigned bytes);

/* msr_exits.c: RDMSR or WRMSR. */
struct action msr_exit(struct vcpu *v);

/* debug.c: #DB. */
struct action debug_exit(struct vcpu *v);

/* control.c: MOV to CR4, of an operating system. */
struct action control_cr4(struct vcpu *v);

/* rings.c: in place of the instruction at RIP, if it is one of these. */
struct action rings_instruction(struct vcpu *v);

/* ptwrite.c: the same; #UD where it is none. */
struct action ptwrite(struct vcpu *v);

/* microcode_load.c: WRMSR of IA32_BIOS_UPDT_TRIG; linear address of an update's
 * data. One that the processor does not accept is ignored. */
void microcode_load(struct vcpu *v, uint64_t data);

/* sweep.c: in place of an access to an MSR, and after one: is it to fault?
 * rip: of the access. */
bool sweep_injects_gp(uint64_t rip);
bool sweep_injects_ud(uint64_t rip);

#endif
