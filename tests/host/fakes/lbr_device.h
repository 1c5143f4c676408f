/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_device.h - a stack of last branch records: it records the rows of a body
 * as its branches, as the manual says, or with one thing otherwise. Its
 * registers are those of fake_hw.h. */
#ifndef TESTS_HOST_FAKES_LBR_DEVICE_H
#define TESTS_HOST_FAKES_LBR_DEVICE_H

#include "src/lbr/branches.h"
#include "tests/host/fakes/fake_hw.h"

#include <stdbool.h>
#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum wrong {
    RIGHT,
    FROM_OFF,
    TO_OFF,
    TOS_STUCK,
    HALF_DEEP,
    ALWAYS_ON,
    MISPREDICTED,
    PREDICTED,
    TARGETS_PREDICTED,
    ENTRY_MISPREDICTED, /* alone: the way into a body */
    KIND_MISPREDICTED,  /* `number`, enum lbr_kind */
    KIND_PREDICTED,     /* the same */
    MISPREDICTED_STAYS, /* in an entry with another record */
    AGAIN_EMPTIES,      /* LBR = 1 where it is 1 */
    CYCLES_LOW,
    CYCLES_HIGH,
    CYCLES_WRAP,
    CYCLES_OF_LEFT_OUT, /* from the last of those on */
    SELECT_IGNORED,     /* bit `number` */
    SELECT_TAKES,       /* so does this kind, where another is left out */
    LEVEL_IGNORED,
    LEVELS_CANCEL,    /* both bits of them are as neither */
    KIND_CANCELS,     /* the level, where a kind is left out too, */
    LEVEL_CANCELS,    /* or the kind, where a level is */
    JUMPS_TAKE_CALLS, /* so that indirect ones leave out calls and returns */
    NO_LENGTH_KEPT,   /* a call of no length, with EN_CALLSTACK */
    RETURNED_KEPT,
    IN_TX_NEVER,
    IN_TX_PREDICTED, /* always */
    IN_TX_ALWAYS,
    ABORT_NEVER,
    ABORT_ALWAYS,
    ABORT_MISSING,
    ABORT_FROM,
    ABORT_TO,
    NOT_ELIDED,  /* what is to abort */
    MSR_MISSING, /* `number` */
    MSR_LOSES,   /* a bit of it */
    MSR_SHARED,
    RESERVED_KEPT,
    BIT_KEPT,    /* this one that is reserved, `number` */
    BIT_REFUSED, /* this one that is not */
    ANY_ADDRESS, /* also one that is not canonical */
    DEPTH_ANY,   /* architectural ones: any depth is taken, */
    DEPTH_KEEPS, /* which leaves the entries */
    DEPTH_READS, /* those from the depth on can be read */
    TYPE_OF_NEXT,
    UNTIMED,
    NO_CYCLES,        /* of any branch */
    EXCEPTION_UNSAID, /* the branch to the handler of vector `number`, */
    EXCEPTION_LATE,   /* or it is from the next instruction */
    RETURN_UNSAID,    /* from a handler */
    RETURN_OF_RING3,  /* is from the next byte */
    RING3_PREDICTED,  /* branches there, */
    RING3_ADDS_UP,    /* and their cycles go on in the next record */
    CONTROL_HELD,     /* IA32_LBR_CTL, written with LBREn = 1 before */
    DEBUG_SAID,       /* a debug exception is recorded, */
    DEBUG_GOES_ON,    /* does not stop the recording, */
    DEBUG_SAYS_SO,    /* or only says that it does not, */
    DEBUG_KEEPS_BTF,
    DEBUG_CLEARS, /* or clears bit `number` of IA32_DEBUGCTL, too */
};

/* lbr_device.format of architectural ones, as 345H[5:0] has it. */
#define ARCH 0x3f

extern struct lbr_device {
    enum wrong is;
    unsigned number;
    unsigned model, format, depth;
    unsigned version; /* of performance monitoring, 0: as most */
    bool traces;      /* it has Processor Trace, with ToPA */
    enum { BY_NOBODY, BY_LBR, BY_TR, BY_TRACE, BY_CTL, BY_DEPTH } used;
    unsigned windows;
    bool enters;          /* the branch is the way into a body */
    bool stopped;         /* nothing is recorded */
    const uint8_t *gates; /* NULL: exceptions are not for a body */
    void (*before)(uint32_t msr, const uint64_t *written); /* each access */
    void (*plain)(uint64_t user_code); /* what runs at ring 3, plain */
} lbr_device;

static inline bool lbr_is(enum wrong is)
{
    return lbr_device.is == is;
}

/* A branch, where the stack records such. */
void lbr_add(uint32_t kind, uint64_t from, uint64_t to, uint64_t cycles);

/* As fake_device: what a register refuses, loses, or shares. */
int lbr_access(uint32_t msr, const uint64_t *written);

/* Register n of one of a processor's entries; NULL: there is none. */
uint64_t *lbr_entry_of(unsigned n, unsigned entry);

#endif
