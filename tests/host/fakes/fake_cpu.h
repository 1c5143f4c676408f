/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_cpu.h - the host processor of the hypervisor, as far as tests need one:
 * VMRUN executes a few instructions of the guest, through the nested tables
 * and with translations that stay until they are flushed, up to an exit.
 * Exits that no program makes are queued before its next instruction.
 *
 * AMD64 APM volume 2, chapter "Secure Virtual Machine".
 */
#ifndef TESTS_HOST_FAKES_FAKE_CPU_H
#define TESTS_HOST_FAKES_FAKE_CPU_H

#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#define FAKE_CPU_PROCESSORS 2
#define FAKE_CPU_PAGES      600 /* of the guest's memory */

struct fake_cpu_exit {
    uint64_t code, info1, info2, int_info;
};

struct fake_cpu {
    struct fake_cpu_exit exits[8]; /* the next ones, in this order */
    unsigned exits_left;
    bool refuses_hints;   /* #UD for F2H and F3H before 87H and 0FC7H */
    bool x87;             /* what FXSAVE finds, in its first byte */
    struct vcpu *other;   /* it runs whenever this one waits */
    struct vcpu *running; /* in its guest: it exits when waited for */
    /* What was seen. */
    uint64_t events[16]; /* delivered to the guest */
    unsigned events_delivered;
    uint64_t run_rflags, run_shadow; /* at the last VMRUN */
    unsigned runs;
    uint64_t frame_rip, frame_rflags; /* of the last event */
    unsigned directs;                 /* steps without VMRUN that were tried */
    bool direct_faults;               /* each raises an exception */
    bool in_direct;
    uint16_t tr;            /* its selector */
    uint64_t cr3, dr6, dr7; /* the host's */
    const char *reason;     /* of the panic that ended the run */
    uint64_t breakpoints[BREAKPOINTS];
    uint32_t apic[0x400 / 4] __attribute__((aligned(4096)));
    uint64_t star[4];   /* IA32_STAR, _LSTAR, _CSTAR, _FMASK */
    uint64_t apic_mode; /* bits of IA32_APIC_BASE: enabled */
    uint32_t msr;       /* the last one that was written */
    uint64_t msr_value;
    bool sweep_injects_gp, sweep_injects_ud;
    void (*asleep)(void); /* called while one sleeps */
    unsigned sleeps;
    uint64_t waited_until, instruction_tsc;
    uint32_t tsc_per_64;
    bool counts;       /* the TSC is the number of instructions */
    uint64_t executed; /* so far */
};
extern struct fake_cpu fake_cpu;

/* Processors in their guests, which stand at the first byte of page 0 and 1,
 * with an empty stack at the end of page 3, in MODE_FREE. Nothing happens to
 * their transactions by chance. */
void fake_cpu_start(const char *cpu, const char *fault);
struct vcpu *fake_cpu_vcpu(unsigned n);
/* A page of the guest's memory; all are 0 at the start. */
uint8_t *fake_cpu_page(unsigned n);
/* So far behind where the first one begins. */
static inline const uint8_t *fake_cpu_at(unsigned offset)
{
    return fake_cpu_page(0) + offset;
}
/* No translation stays: fake_guest.c. */
void fake_guest_flush(void);
/* Where handlers begin. */
#define FAKE_CPU_HANDLER (fake_cpu_page(2))

/* Writes bytes at its RIP. */
void fake_cpu_code(struct vcpu *v, const void *bytes, size_t length);
/* The same, and the page is marked as one with transactional code. */
void fake_cpu_marked(struct vcpu *v, const void *bytes, size_t length);
#define CODE(v, ...)                                   \
    fake_cpu_code(v, ((const uint8_t[]){__VA_ARGS__}), \
                  sizeof((const uint8_t[]){__VA_ARGS__}))
#define MARKED(v, ...)                                   \
    fake_cpu_marked(v, ((const uint8_t[]){__VA_ARGS__}), \
                    sizeof((const uint8_t[]){__VA_ARGS__}))

/* What it executes itself; memory is at RDI. */
#define NOP_      0x90
#define UD2_      0x0F, 0x0B
#define CPUID_    0x0F, 0xA2
#define WRMSR_    0x0F, 0x30
#define RDMSR_    0x0F, 0x32
#define RDPMC_    0x0F, 0x33
#define HLT_      0xF4
#define IRETQ_    0x48, 0xCF             /* pops nothing */
#define LOOP_     0xE2                   /* and the displacement */
#define ADD_      0x48, 0x83, 0xC7, 0x40 /* 64 to RDI */
#define MOV_CR4_  0x0F, 0x22, 0xE0       /* of RAX: always an exit */
#define PUSHFQ_   0x9C
#define POPFQ_    0x9D
#define STORE_    0x48, 0x89, 0x07 /* 8 bytes of RAX */
#define LOAD_     0x48, 0x8B, 0x07
#define REP_STOS_ 0xF3, 0x48, 0xAB /* of RAX */
#define XCHG_     0x87, 0x07       /* 4 bytes of EAX */
#define STORE32_  0x89, 0x07
#define PAIR_     0xF0, 0x0F, 0xC7, 0x0F /* LOCK CMPXCHG8B: always equal */
/* And what it does not. */
#define XACQUIRE_ 0xF2
#define XRELEASE_ 0xF3
#define XBEGIN_   0xC7, 0xF8, 0x20, 0x00, 0x00, 0x00 /* falls back to 26H */
#define FALLBACK  0x26
#define XEND_     0x0F, 0x01, 0xD5
#define XTEST_    0x0F, 0x01, 0xD6
#define XABORT_   0xC6, 0xF8, 0xAB

/* An exit before the guest's next instruction. */
void fake_cpu_exit(uint64_t code, uint64_t info1, uint64_t info2,
                   uint64_t int_info);

/* Rounds of the loop. False: the run has ended, for fake_cpu.why. */
bool fake_cpu_rounds(struct vcpu *v, unsigned turns);
/* Up to the round after which the guest is at RIP.
 * False: it never does, or the run has ended. */
bool fake_cpu_until(struct vcpu *v, const uint8_t *rip);

#endif
