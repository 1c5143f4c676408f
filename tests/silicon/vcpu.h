/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vcpu.h - one logical processor under the hypervisor: the guest's state, the
 * transaction it may be in, and the model behind it.
 */
#ifndef SILICON_VCPU_H
#define SILICON_VCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/silicon/model/breakpoints.h"
#include "tests/silicon/model/instruction.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/tsx.h"
#include "tests/silicon/npt.h"
#include "tests/silicon/vmcb.h"

/* The general registers that the VMCB does not hold, as svm.asm stores them. */
struct gprs {
    uint64_t rbx, rcx, rdx, rsi, rdi, rbp;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

#define LINE_BYTES  64
#define LOG_LINES   1024
#define TX_PAGES_OPEN 4
/* An instruction may add this many lines before the set is found too large. */
#define LOG_LINES_SPARE (2 * TX_PAGES_OPEN)

/* The widest store of the instruction sets that are enumerated. */
#define STORE_BYTES_MAX 16

struct log_line {
    uint64_t address;
    uint64_t stored;            /* a bit for each byte that has been changed */
    uint64_t was[LINE_BYTES / 8];
};

/* A store of the instruction being executed. */
struct store {
    uint64_t address;
    uint8_t before[STORE_BYTES_MAX];
    unsigned bytes;             /* as far as it may reach on this page */
};

/* Breakpoints while in a transaction: taken from the processor below. */
struct watch {
    uint64_t dr7;               /* the guest's; 0: none is enabled */
    uint64_t at[BREAKPOINTS];   /* linear */
    uint64_t physical[BREAKPOINTS]; /* of data; UINT64_MAX: none */
    bool hit;                   /* by the instruction being executed */
    uint64_t opened;            /* a watched page, for it; UINT64_MAX: none */
};

struct transaction {
    unsigned depth;             /* 0: none */
    struct tx_plan plan;
    unsigned steps;             /* instructions executed so far */
    uint64_t fallback;
    uint64_t inner_fallback;    /* for inner_abort_to_inner_fallback */
    struct gprs gprs;           /* registers at the outermost XBEGIN */
    uint64_t rsp, rflags;
    unsigned lines;             /* used entries of log */
    unsigned candidates;        /* the last of them, that may be unwritten */
    struct store open[TX_PAGES_OPEN]; /* whose pages are writable now */
    unsigned opened;
    uint8_t fx[512] __attribute__((aligned(16))); /* FXSAVE image */
    struct watch watch;
    struct log_line *log;
};

enum vcpu_mode {
    MODE_FREE,  /* nothing is watched but marked pages */
    MODE_STEP,  /* one instruction at a time */
    MODE_CATCH, /* until the first instruction of an event's handler */
};

struct vcpu {
    /* Fixed offsets, known to svm.asm. */
    struct gprs gprs;
    uint64_t vmcb_address;      /* 70H */
    uint64_t host_stack;        /* 78H */
    uint64_t host_rsp;          /* 80H: of the loop, while the guest runs */

    struct vmcb *vmcb;
    struct processor *model;
    enum vcpu_mode mode;
    struct npt tx_pages;        /* its own table, for transactions */
    struct transaction tx;
    struct instruction now;     /* the one being stepped */
    uint64_t now_rip;
    uint64_t dr6;               /* the guest's, before the step */
    uint64_t code_page, code_cr3, code_physical; /* last translation */
    bool code_marked;
    bool entered;
    bool measure;               /* keep the figures below */
    uint64_t steps, step_tsc, transactions, tx_tsc, tx_started, exits;
};

/* svm.asm */
void svm_vmrun(struct vcpu *v);
void svm_fxsave(uint8_t *image);
void svm_fxrstor(const uint8_t *image);

/* Take this processor into its guest: returns in the guest. */
void vcpu_enter(struct vcpu *v);

/* Called in the guest: returns outside it. */
void vcpu_leave(void);

#endif
