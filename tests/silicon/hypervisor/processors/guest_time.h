/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest_time.h - a guest whose clocks stand still while silicon works: an
 * operating system on one processor, where the TSC counts instructions.
 * Elsewhere none of this changes anything.
 */
#ifndef SILICON_HYPERVISOR_PROCESSORS_GUEST_TIME_H
#define SILICON_HYPERVISOR_PROCESSORS_GUEST_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct vcpu;

struct guest_time {
    bool own;        /* the guest's time is not the host's */
    uint64_t now;    /* ticks of its TSC, but for */
    uint64_t adjust; /* what WRMSR has made of it */
    uint64_t rest;   /* of cycles, not yet a tick */
    /* The local APIC's timer: its registers, when the initial count was
     * written, and when it ends next. */
    uint32_t lvt, initial, divide;
    unsigned shift;
    uint64_t loaded, next;
    bool armed; /* the host's runs: since then, and for so long */
    uint64_t armed_at, armed_for;
    bool interrupted;     /* by the host's, which has ended */
    bool before_overflow; /* it ends then, by an NMI of the host's */
};

/* From then on, where it is so. */
void time_start(struct vcpu *v);
bool time_is_own(const struct vcpu *v);
/* What the guest's TSC reads; of the first processor. */
uint64_t time_tsc(const struct vcpu *v);
uint64_t time_tsc_of_first(void);

/* levels.c: of a run that begins, ticks before an overflow comes near;
 * UINT64_MAX: none does. */
uint64_t levels_ticks_left(const struct vcpu *v);

/* Before a run of the guest, and after one that has taken so many ticks. */
void time_run(struct vcpu *v);
void time_ran(struct vcpu *v, uint64_t ticks);
/* After one whose ticks are not known before its instructions are. */
void time_stopped(struct vcpu *v);
/* Cycles of instructions that are stepped, or carried out. */
void time_cycles(struct vcpu *v, uint32_t cycles);
/* HLT of a guest that is stepped: up to the timer's end. */
void time_halted(struct vcpu *v);

/* Registers of the local APIC. False: it is none of the timer's. */
bool time_apic_read(const struct vcpu *v, uint32_t offset, uint32_t *value);
bool time_apic_write(struct vcpu *v, uint32_t offset, uint32_t value);
/* IA32_TIME_STAMP_COUNTER, which time_tsc() reads. Any value may be written. */
bool time_is_msr(const struct vcpu *v, uint32_t msr);
void time_write_tsc(struct vcpu *v, uint64_t value);
/* An access to the ports of the PM timer. */
struct action time_port(struct vcpu *v);

#endif
