/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * action.h - what is to be done after an exit, or in place of an instruction.
 * Handlers decide and return it; loop.c alone does it: moves RIP, injects,
 * stops. One thing is not an action: the abort of a transaction restores
 * RIP with all other registers, at whatever point it happens (tx.c).
 */
#ifndef SILICON_HYPERVISOR_GUEST_ACTION_H
#define SILICON_HYPERVISOR_GUEST_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/hypervisor/host/vmcb.h"

enum action_kind {
    ACTION_EXECUTE, /* the host processor executes it */
    ACTION_RESUME,  /* go on from the state as it is */
    ACTION_ADVANCE, /* RIP goes after the instruction, which is complete */
    ACTION_RETIRE,  /* the same, and it is counted if it was stepped */
    ACTION_BRANCH,  /* the same, but RIP goes to `to` */
    ACTION_LEAVE,   /* the guest asks to leave */
    ACTION_STOP,    /* the simulation ends, with a reason */
};

/* Small: it is returned at each step. */
struct action {
    enum action_kind kind;
    uint16_t bytes; /* of the instruction that is complete */
    bool raised;    /* the event is an exception of the instruction */
    union {
        struct {
            uint64_t event; /* that the guest gets then; 0: none */
            uint64_t to;    /* ACTION_BRANCH */
        };
        uint64_t information[2]; /* ACTION_STOP */
    };
    const char *reason; /* the same */
};

static inline struct action action_of(enum action_kind kind)
{
    return (struct action){.kind = kind};
}

static inline struct action action_complete(enum action_kind kind,
                                            unsigned bytes)
{
    return (struct action){.kind = kind, .bytes = (uint16_t)bytes};
}

static inline struct action action_branch(uint64_t to)
{
    return (struct action){.kind = ACTION_BRANCH, .to = to};
}

/* An event as it is, for VMRUN to deliver. */
static inline struct action action_event(uint64_t event)
{
    return (struct action){.kind = ACTION_RESUME, .event = event};
}

static inline struct action action_stop(const char *reason, uint64_t a,
                                        uint64_t b)
{
    return (struct action){
        .kind = ACTION_STOP, .reason = reason, .information = {a, b}};
}

/* The instruction raises an exception. Vectors 8, 10-14 and 17 carry the error
 * code. */
struct action action_raise(unsigned vector, uint32_t error);

#endif
