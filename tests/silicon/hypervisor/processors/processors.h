/* SPDX-License-Identifier: BSD-2-Clause */
/* processors.h - many of them: their start, turns and interrupts. */
#ifndef SILICON_HYPERVISOR_PROCESSORS_PROCESSORS_H
#define SILICON_HYPERVISOR_PROCESSORS_PROCESSORS_H

#include "tests/silicon/hypervisor/hypervisor.h"

/* startup.c: INIT, SIPI and NMI by the interrupt command register. False: it
 * is for the host's local APIC. */
bool startup_command(struct vcpu *v, uint32_t command, uint32_t destination);
/* A nested page fault: is it an access to the local APIC? */
bool startup_apic_access(struct vcpu *v, struct action *a);
/* INIT or SIPI has come: waits for SIPI, and begins as the processor does. */
bool startup_is_due(const struct vcpu *v);
void startup_begin(struct vcpu *v);

/* pmi.c: performance monitoring interrupts.
 * No interrupt is sent to this processor, until its LVT entry is written. */
void pmi_mask(void);
uint8_t pmi_vector_in_service(void); /* that is handled; 0: none */
/* Is there an interrupt that is not held off by its priority? */
bool apic_interrupts(void);
void pmi_send(struct vcpu *v); /* to it */
/* For pmi_twice: once more, when the handler has been entered. */
void pmi_send_again(struct vcpu *v);

/* turns.c: processors run one at a time from then on, or freely. True: the
 * TSC counts instructions. */
bool turns_start(bool on);
bool turns_enabled(void);
bool turns_tsc_counts(void); /* instructions */
/* Ticks of the TSC that an instruction takes. */
uint64_t turns_instruction_tsc(void);
/* Passes the turn on; returns when it is this one's again. */
void turns_yield(struct vcpu *v);
/* The same, for a guest that spins. */
void turns_spin(struct vcpu *v);
/* At the end of each round of the loop. */
void turns_round(struct vcpu *v, bool stepped);
/* Has no work any more: returns when it has been given some. */
void turns_sleep(struct vcpu *v);
/* Wakes those that have got work, or are to be reset. */
void turns_wake(void);

#endif
