/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * worker.h - what the other processors execute, and the mailboxes in which the
 * boot processor (processors.c) gives them jobs.
 */
#ifndef EFI_WORKER_H
#define EFI_WORKER_H

#include "efi/enables.h"
#include "efi/exceptions.h"
#include "src/base/hw.h"

#include <efi.h>

/* A job is GIVEN by the boot processor, and BUSY once it has begun. */
enum state { ABSENT, IDLE, GIVEN, BUSY, RAISED, GONE };

/* Firmware's stack for a processor may be of 4 KB (PcdCpuApStackSize of Purley
 * and Whitley boards), and another processor's stack is next below it; the
 * deepest test takes some 18 KB, and one has 32-bit code on it. */
#define STACK_BYTES 65536

/* One processor's mailbox, on cache lines of its own. */
struct member {
    uint8_t
        stack[STACK_BYTES]; /* of its jobs; the boot processor's is unused */
    UINTN number;           /* the firmware's */
    uint32_t apic_id;
    bool lost;  /* did not answer once: gets no more jobs */
    bool stuck; /* firmware has given it up inside our code */
    bool lvt_known;
    uint32_t lvt;     /* for counters, before it was masked first */
    enum state state; /* see change_state() */
    void (*job)(unsigned processor, void *context);
    void *context;
    struct hw_exception exception;
    struct exceptions exceptions;
    struct enables enables;
} __attribute__((aligned(128)));

/* By number, the boot processor first; set up by processors_start(). */
extern struct member *members;
extern unsigned members_count;
/* Set to have all workers go back to the firmware. */
extern bool workers_leave;
/* Set while there is no job to come for long, for a user reads the report. */
extern bool workers_rest;

static inline enum state state_of(const struct member *member)
{
    return __atomic_load_n(&member->state, __ATOMIC_ACQUIRE);
}

static inline void set_state(struct member *member, enum state state)
{
    __atomic_store_n(&member->state, state, __ATOMIC_RELEASE);
}

/* One side wins: the processor that begins a job, or the boot processor that
 * takes it back. False, and nothing is changed, where it is not in `from`. */
static inline bool change_state(struct member *member, enum state from,
                                enum state to)
{
    return __atomic_compare_exchange_n(&member->state, &from, to, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* On the processor itself, before it masks them. */
void worker_find_lvt(struct member *me);
/* For StartupAllAPs: takes jobs until workers_leave. */
VOID EFIAPI worker(VOID *unused);
/* For StartupThisAP, where firmware does not let workers stay: one job of the
 * processor whose number is the argument. */
VOID EFIAPI worker_single_job(VOID *number);

#endif
