/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * below.h - the processor below the hypervisor, as far as its tests need one:
 * VMRUN executes a few instructions of the guest, through the nested tables
 * and with translations that are kept until they are flushed, up to an exit.
 * Exits that no program makes are put before its next instruction.
 *
 * AMD64 APM volume 2, chapter "Secure Virtual Machine".
 */
#ifndef TESTS_HOST_BELOW_H
#define TESTS_HOST_BELOW_H

#include "tests/silicon/hypervisor.h"

#define BELOW_PROCESSORS 2
#define BELOW_PAGES      600    /* of the guest's memory */

struct below_exit {
    uint64_t code, info1, info2, int_info;
};

struct below {
    struct below_exit exits[8]; /* the next ones, in this order */
    unsigned exits_left;
    bool refuses_hints;         /* #UD for F2H and F3H before 87H and 0FC7H */
    bool x87;                   /* what FXSAVE finds, in its first byte */
    struct vcpu *other;         /* it has a turn whenever this one waits */
    /* What was seen. */
    uint64_t events[16];        /* given to the guest */
    unsigned events_given;
    uint64_t run_rflags, run_shadow; /* at the last VMRUN */
    unsigned runs;
    uint64_t frame_rip, frame_rflags; /* of the last event */
    const char *why;            /* the run has ended with this line */
    uint64_t breakpoints[BREAKPOINTS];
    uint32_t apic[0x400 / 4] __attribute__((aligned(4096)));
    bool sweep_faults, sweep_throws;
};
extern struct below below;

/* Processors in their guests, which stand at the first byte of page 0 and 1,
 * with an empty stack at the end of page 3, in MODE_FREE. Nothing happens to
 * their transactions by chance. */
void below_start(const char *cpu, const char *fault);
struct vcpu *below_vcpu(unsigned n);
/* A page of the guest's memory; all are 0 at the start. */
uint8_t *below_page(unsigned n);
/* Where handlers begin. */
#define BELOW_HANDLER (below_page(2))

/* Its code goes on with these bytes, or stands there from now on. */
void below_code(struct vcpu *v, const void *bytes, size_t length);
/* The same, and the page is marked as one with transactional code. */
void below_marked(struct vcpu *v, const void *bytes, size_t length);

/* An exit before the guest's next instruction. */
void below_exit(uint64_t code, uint64_t info1, uint64_t info2,
                uint64_t int_info);

/* Turns of the loop. False: the run has ended, below.why says how. */
bool below_turns(struct vcpu *v, unsigned turns);
/* Up to the turn after which the guest stands so many bytes behind the code.
 * False: it never does, or the run has ended. */
bool below_until(struct vcpu *v, const uint8_t *rip);

#endif
