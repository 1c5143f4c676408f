/* SPDX-License-Identifier: BSD-2-Clause */
/* host.h - what the host runs on: its page tables, its log, its NMIs. */
#ifndef SILICON_HYPERVISOR_HOST_HOST_H
#define SILICON_HYPERVISOR_HOST_HOST_H

#include "tests/silicon/hypervisor/hypervisor.h"

/* host_root.c: the page tables of a processor whose guest is stepped so, from
 * direct_start on and up to direct_end. */
void host_root_start(struct vcpu *v);
void host_root_end(const struct vcpu *v);
/* True: where the firmware's have nothing they have what the guest's have. */
bool host_root_takes(struct vcpu *v, uint64_t linear);

/* host_tables.c: page tables of all RAM, and what else the host runs on without
 * firmware. False: RAM ends too high. */
bool host_tables_prepare(void *(*allocate)(size_t count));
void host_tables_load(struct vcpu *v);
void host_tables_follow(const struct vcpu *v); /* CR4, before a run */

/* kick.c. Around changes of the nested tables of other processors. */
void pages_lock(void);
void pages_unlock(void);
/* It accesses memory by what its tables have now. */
void kick_flush_tlb(struct vcpu *v);
/* Runs the guest until its next exit. */
void kick_run_guest(struct vcpu *v);
/* An NMI has made the guest leave. */
struct action kick_on_nmi(struct vcpu *v);
/* All others in their guests exit, to look for an interrupt. */
void kick_others(const struct vcpu *v);
/* One of the host's, unless one is pending already. */
void kick_send(struct vcpu *to);
/* Halts until v->awake is set, by a processor that sends an NMI. */
void kick_sleep(struct vcpu *v);
/* This processor leaves its guest. */
void kick_drain(struct vcpu *v);
/* Is another processor in its guest? */
bool kick_others_in_guest(const struct vcpu *v);

/* log.c: lines on the serial port, and the end after an error. */
void log_print(const char *text);
void log_panic(struct vcpu *v, const char *what, uint64_t a, uint64_t b)
    __attribute__((noreturn));

#endif
