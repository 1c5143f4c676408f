/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vcpu.h - one logical processor under the hypervisor: the guest's state, the
 * transaction it may be in, and its model.
 */
#ifndef SILICON_HYPERVISOR_GUEST_VCPU_H
#define SILICON_HYPERVISOR_GUEST_VCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/silicon/hypervisor/stepping/blocks.h"
#include "tests/silicon/hypervisor/host/exit_log.h"
#include "tests/silicon/hypervisor/processors/guest_time.h"
#include "tests/silicon/hypervisor/host/npt.h"
#include "tests/silicon/hypervisor/host/vmcb.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/breakpoints.h"
#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/memory/lines.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/instructions/operand.h"
#include "tests/silicon/model/tsx/tsx.h"

/* The general registers that the VMCB does not hold, as svm.asm stores them. */
struct gprs {
    uint64_t rbx, rcx, rdx, rsi, rdi, rbp;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
};

/* x87, SSE and AVX state: an image of FXSAVE, or of XSAVE where the guest has
 * set CR4.OSXSAVE. SDM volume 1, "XSAVE Area": 512 bytes, the header of 64,
 * and the upper halves of YMM. */
#define XSAVE_HEADER 512
#define XSAVE_YMM    576
#define XSAVE_BYTES  832
#define FX_XMM       160 /* XMM0, in both */
struct extended_state {
    uint8_t image[XSAVE_BYTES] __attribute__((aligned(64)));
    bool by_xsave;
};

#define UNDO_LINES     1024
#define TX_PAGES_OPEN  4
#define TX_TABLES_OPEN 32 /* seven levels of walks at most, and some more */
/* An instruction may add this many lines before the set is found too large. */
#define UNDO_LINES_SPARE (2 * TX_PAGES_OPEN)

/* The widest store of the instruction sets that are enumerated. */
#define STORE_BYTES_MAX 32

/* Locks that are elided at a time, at most: personality.hle_locks_max. */
#define ELIDED_LOCKS_MAX 4

struct undo_line {
    uint64_t address;
    uint64_t stored; /* a bit for each byte that has been changed, */
    uint64_t wide;   /* and beyond the first 16 of its store */
    bool second;     /* of an access that began in the line before */
    bool inner;      /* in a transaction within another */
    uint64_t was[LINE_BYTES / 8];
};

/* A page that is open for the instruction being executed. */
struct open_page {
    uint64_t address; /* of the access that opened it */
    bool written;
    bool shadowed; /* the guest sees tx.shadow, not the page */
    uint8_t before[STORE_BYTES_MAX]; /* a store: the bytes from address */
    unsigned bytes;                  /* as far as it may reach on this page */
    unsigned known; /* bytes that are stored there; 0: it is not known */
};

/* A lock that HLE elides: the guest sees `value` there, memory is unchanged. */
struct elided_lock {
    uint64_t address;
    unsigned bytes;
    uint8_t value[8];
};

/* What XACQUIRE has begun. */
struct elision {
    unsigned nest;  /* MAX_HLE_NEST_COUNT counts these */
    unsigned locks; /* of them elided: used entries of lock */
    struct elided_lock lock[ELIDED_LOCKS_MAX];
    enum elide now; /* what this instruction's hint is */
    bool released;  /* and it has released a lock */
    bool ignored;   /* an XACQUIRE inside of RTM, which is executed now */
    uint8_t wrong;  /* the TX_MEM_* of a lock that was not used as one */
};

/* Breakpoints while in a transaction: removed from the host processor. */
struct watch {
    uint64_t dr7;                   /* the guest's; 0: none is enabled */
    uint64_t at[BREAKPOINTS];       /* linear */
    uint64_t physical[BREAKPOINTS]; /* of data; UINT64_MAX: none */
    unsigned hits;                  /* by the instruction being executed */
    bool user;                      /* begun at ring 3 */
};

struct transaction {
    unsigned depth;         /* 0: none */
    bool hle;               /* begun by XACQUIRE */
    unsigned aborted_depth; /* of the last, if it has aborted */
    struct tx_decision decision;
    unsigned steps;          /* instructions executed so far */
    uint64_t begin;          /* the XBEGIN or XACQUIRE */
    uint64_t fallback;       /* HLE: the XACQUIRE itself */
    uint64_t inner_fallback; /* for INNER_FALLBACK */
    uint64_t last_begin;     /* the innermost, for debugged_at_inner */
    bool inner_ended;        /* one inside, by XEND */
    bool suspended;          /* XSUSLDTRK: */
    bool untracked;          /* loads do not join the read set */
    bool untracked_next;     /* nor those of the next one: by a fault */
    uint64_t resume_ip;      /* as a PEBS record has it */
    struct gprs gprs;        /* registers where it began */
    uint64_t rax, rsp, rflags;
    unsigned undo_lines; /* used entries of log */
    struct open_page open[TX_PAGES_OPEN];
    unsigned opened;
    uint64_t tables[TX_TABLES_OPEN]; /* the guest's page tables, in use */
    unsigned tables_open;
    uint8_t *shadow; /* a page for each of open */
    struct elision elision;
    uint64_t not_elided; /* RIP of an XACQUIRE not to be taken as one */
    enum tx_cause cause; /* of the last abort */
    struct extended_state extended; /* where it began */
    struct watch watch;
    bool debugged; /* it has aborted so: #DB at its XBEGIN is to follow */
    struct undo_line *undo;
    /* Seen by other processors, under the lock of conflict.c. */
    struct line_set lines;
    volatile bool active;
    volatile bool conflict; /* with another: it has to abort */
};

/* A page that others hold, granted for one instruction. */
struct granted_page {
    uint64_t address, entry; /* its entry otherwise */
};

/* A page of code as the host processor is to see it, for one instruction. */
struct overlay_page {
    uint64_t address; /* physical, of the page */
    uint8_t *copy;    /* is mapped instead */
    uint8_t *before;  /* the copy when it was made */
};
#define OVERLAYS_MAX 2 /* an instruction may be on two pages */

/* AMD64 APM volume 2, "64-Bit Task State Segment". */
struct task_state {
    uint32_t reserved;
    uint64_t rsp[3], reserved_1c, ist1;
    uint8_t reserved_2c[0x68 - 0x2C];
} __attribute__((packed));
_Static_assert(offsetof(struct task_state, ist1) == 0x24, "TSS");

/* Steps without VMRUN: direct.c. */
#define DIRECT_VECTORS 32
struct direct {
    uint8_t stack[192] __attribute__((aligned(64)));
    struct vcpu *self; /* above the frame of an exception: svm.asm */
    struct gate gates[DIRECT_VECTORS];
    struct table_register idtr;
    struct task_state tss;
    struct vmcb_segment guest_tr;      /* while the processor has ours */
    bool own_tr;                       /* the guest has loaded one */
    bool apart;                        /* in ring 3, or by other page tables */
    uint64_t cr0, cr3, cr4, efer, dr6; /* the firmware's */
    uint64_t *root;                    /* NULL: cr3 has it */
    bool may;                          /* the instruction looked at */
    unsigned open_steps;               /* since VMRUN, in which IF was 1 */
    unsigned accesses;                 /* that it will make */
    struct data_access access[DATA_ACCESSES_MAX];
};

/* Steps since the last access to an MSR, those with interrupts enabled, and how
 * often they came to be so: step.c. */
struct starving {
    unsigned steps, open, handlers;
    bool was_open, unwatched;
};

/* Under an operating system: levels.c. */
struct levels {
    bool sce;          /* the guest's EFER.SCE */
    bool gates;        /* levels are watched differently */
    uint8_t demand[2]; /* enum demand, of the kernel and of the user */
    unsigned steps;    /* since this was found out */
    bool tf;           /* the guest's RFLAGS.TF, while it is stepped */
    bool traps;        /* TF was set when the instruction began */
    bool loads_tf;     /* the instruction being stepped writes it */
    bool returns;      /* it is IRET */
    bool nmi_blocked;  /* by an NMI, until IRET */
    bool nmi_waiting;  /* for that */
    bool user, counts; /* where it runs; its instructions are counted */
    bool idle;         /* it is about to halt */
    bool tells_halts;  /* as IA32_MPERF or IA32_APERF has been read */
    uint64_t halted;   /* ticks, since then */
    uint64_t mperf;    /* what WRMSR has taken from one, */
    uint64_t aperf;    /* and from the other */
    uint64_t tsc;      /* before, then of the run */
    uint64_t between;  /* instructions of such a run that are the host's */
};

/* A loop of a stepped guest, whose rounds are alike: rounds.c. */
#define ROUND_INSTRUCTIONS 32
#define ROUND_ACCESSES     8
struct rounds {
    uint64_t ip[ROUND_INSTRUCTIONS]; /* of the round being stepped */
    unsigned count, instructions;    /* of it so far, and of the last one */
    unsigned alike;                  /* rounds so far */
    bool running;                    /* by itself */
    struct data_access access[ROUND_ACCESSES]; /* of the first round */
    uint64_t stride[ROUND_ACCESSES];
    unsigned accesses;
};

/* An instruction by its place and bytes: decoded.c. */
#define DECODED_MAX 1024
struct decoded {
    uint64_t rip, words[2];
    struct instruction instruction;
    bool wide;      /* of 64-bit mode */
    bool simple;    /* direct_is_simple() */
    bool accesses;  /* memory, by a general register or RIP */
    uint8_t length; /* of the bytes: INSTRUCTION_BYTES_MAX, or not kept */
};

enum vcpu_mode {
    MODE_FREE,  /* at full speed, but for marked pages */
    MODE_STEP,  /* one instruction at a time */
    MODE_CATCH, /* until the first instruction of an event's handler */
};

struct vcpu {
    /* Fixed offsets, known to svm.asm. */
    struct gprs gprs;
    uint64_t vmcb_address; /* 70H */
    uint64_t host_stack;   /* 78H */
    uint64_t host_rsp;     /* 80H: of svm_direct and svm_here */

    struct vmcb *vmcb;
    struct processor *model;
    enum vcpu_mode mode;
    struct npt pages_free;  /* marked pages are no-execute */
    struct npt pages_step;  /* all is allowed */
    struct npt pages_catch; /* nothing is executable */
    struct npt tx_pages;    /* for transactions: none is mapped */
    bool stores;            /* to code: code_scan.c */
    uint64_t stores_to;
    struct granted_page granted[TX_PAGES_OPEN];
    unsigned grants;
    bool if_masked; /* RFLAGS.IF, while one is granted */
    struct overlay_page overlays[OVERLAYS_MAX]; /* hint_replace.c */
    unsigned overlay_count;                     /* so many of them */
    bool overlays_in_tx; /* in tx_pages, else in pages_step */
    /* Between processors: conflict.c. */
    uint32_t in_guest;
    uint32_t flush;   /* the TLB has to be flushed */
    uint32_t nmi;     /* one of the host's is pending */
    uint64_t nmi_tsc; /* since then */
    /* Turns: turns.c. */
    uint32_t has_work;   /* it has work, and takes part */
    uint32_t awake;      /* it has the turn */
    unsigned turn_steps; /* of this turn */
    unsigned spins;      /* turns spent spinning in this state */
    uint64_t spin_state;
    bool reset;          /* its work is to end, as by INIT */
    uint64_t restart[8]; /* where it then goes on */
    uint32_t init, sipi; /* have come: startup.c */
    bool guest_nmi;      /* one for the guest is pending */
    bool pmi_pending;    /* an interrupt of counters, sent while stepped */
    struct transaction tx;
    struct instruction current; /* the one being stepped */
    uint64_t current_rip, previous_rip;
    struct gprs gprs_before; /* of it, and what VMCB has */
    uint64_t rax_before, rsp_before, rflags_before;
    uint8_t current_cpl; /* it is executed at, whatever it is after it */
    bool injected_int;   /* an INT n, past which RIP is already */
    bool injected_outer; /* an interrupt or NMI, not of an instruction */
    struct data_access access[DATA_ACCESSES_MAX];  /* that it will make */
    struct data_result results[DATA_ACCESSES_MAX]; /* and what came of them */
    unsigned accesses;
    uint64_t ptw;          /* the operand of PTWRITE */
    uint64_t pt_ip;        /* CurrentIP: not yet complete */
    bool pt_event;         /* an exception is on its way to its handler */
    bool event_user;       /* from a program with CPL > 0 */
    bool event_of_apic;    /* its vector is the APIC's, */
    uint8_t event_vector;  /* or this */
    uint64_t dr6;          /* the guest's, before the step */
    uint64_t dr6_reported; /* breakpoints hit so far */
    uint64_t code_page, code_cr3, code_physical; /* last translation */
    bool code_marked;
    bool entered;
    bool measure; /* the figures below are counted */
    struct starving starving;
    uint64_t steps, step_tsc, transactions, tx_tsc, tx_started;
    uint64_t apic_base; /* under an operating system: apic_base.c */
    struct levels levels;
    struct guest_time time;
    struct rounds rounds;
    struct blocks blocks;
    struct direct direct;
    const struct decoded *decoded; /* the instruction being stepped */
    struct decoded decodings[DECODED_MAX];
    struct exit_log exit_log;
};

/* svm.asm */
void svm_vmrun(struct vcpu *v);
/* Executes the guest's next instruction here; its RFLAGS has TF set. False: it
 * has raised an exception, and nothing has changed. */
bool svm_direct(struct vcpu *v, const void *idtr);
extern const char svm_direct_trap[], svm_direct_fault[];
/* Executes this code with the guest's registers and these flags; gives those
 * that it leaves. */
uint64_t svm_here(struct vcpu *v, const void *code, uint64_t rflags);
/* What VMRUN and its exit leave alone, to and from a VMCB. */
void svm_vmsave(struct vmcb *b);
void svm_vmload(const struct vmcb *b);
/* Delivers a pending NMI; its handler clears *pending. */
void svm_take_nmi(const void *idtr, uint32_t *pending);
extern const char svm_nmi_handler[];
/* Halts until *awake is set and no NMI is *pending any more. */
void svm_sleep(const void *idtr, uint32_t *pending, const uint32_t *awake);
extern const char svm_sleep_handler[];
/* Returns at that tick of the TSC; instruction_tsc: ticks an instruction. */
void svm_wait_until_tsc(uint64_t tsc, uint64_t instruction_tsc);
uint32_t svm_tsc_per_64(void);
/* Halts until an interrupt, which this descriptor table sends to the handler;
 * it writes to the local APIC's EOI register. */
void svm_halt(const void *idtr, volatile uint32_t *eoi);
extern const char svm_halt_handler[];
void svm_take_interrupt(const void *idtr, volatile uint32_t *eoi);
/* The global interrupt flag: off, NMIs wait too. */
void svm_clgi(void);
/* The VMMCALLs of vcpu_leave, vcpu_wake and vcpu_os_takes_over. */
extern const char vcpu_leave_point[], vcpu_wake_point[], vcpu_takeover_point[];

/* extended.asm */
void svm_fxsave(uint8_t *image);
void svm_fxrstor(const uint8_t *image);
void svm_xsave(uint8_t *image);
void svm_xrstor(const uint8_t *image);

/* Once on each processor; from then on NMIs wait while it is in the host. */
void vcpu_prepare(struct vcpu *v);

/* Saves where its caller is, which must not return: it goes on there where
 * what its processor does in the guest ends by a reset. */
void svm_setjmp(uint64_t jump_buffer[8]) __attribute__((returns_twice));

/* Take this processor into its guest: returns in the guest. */
void vcpu_enter(struct vcpu *v);

/* Called in the guest: returns outside it, where NMIs still wait. */
void vcpu_leave(void);

/* Called in the guest that has given work to processors: turns_wake(). */
void vcpu_wake(void);

/* Called in the guest, after boot services: the firmware's memory is no longer
 * the firmware's. */
void vcpu_os_takes_over(void);

#endif
