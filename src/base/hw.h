/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hw.h - the hardware boundary: everything the core asks of the machine.
 *
 * Real in asm/ (instructions) and efi/ (processors, exceptions), fake in
 * tests/host/. Substituted at link time: an indirect call would add a retired
 * branch to the very thing measured. Unless it says otherwise, a function acts
 * on the logical processor that calls it.
 */
#ifndef SRC_BASE_HW_H
#define SRC_BASE_HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Instructions (asm/) ------------------------------------------------- */

/* What a guarded instruction answers when it does not fault; otherwise the
 * exception's vector, 0 to 31 (SDM 3A, "Exception and Interrupt Vectors"). */
#define HW_NO_FAULT (-1)
#define HW_UD       6
#define HW_GP       13

struct hw_cpuid {
    uint32_t eax, ebx, ecx, edx;
};
void hw_cpuid(uint32_t leaf, uint32_t subleaf, struct hw_cpuid *out);

uint64_t hw_tsc(void);

/* HW_NO_FAULT, or the vector; on a fault *value is not changed. A test writes
 * by the functions of case.h, which can undo it. */
int hw_msr_read(uint32_t msr, uint64_t *value);
int hw_msr_write(uint32_t msr, uint64_t value);

/* RDPMC of general-purpose counter `index`, or of fixed counter `index` with
 * RDPMC_FIXED (SDM 2B, RDPMC, "Valid General and Special Purpose Performance
 * Counter Index Range for RDPMC"); answers likewise. */
#define RDPMC_FIXED UINT32_C(0x40000000) /* ECX[30] */
/* Of MSR_PERF_METRICS: Linux, arch/x86/include/asm/perf_event.h,
 * INTEL_PMC_FIXED_RDPMC_METRICS. */
#define RDPMC_METRICS UINT32_C(0x20000000)
int hw_pmc_read(uint32_t index, uint64_t *value);

/* CR4, of which a test changes PCE [8] alone (SDM 3A, "Control Registers"). A
 * job that an exception ends has its old value back. */
#define HW_CR4_PCE UINT64_C(0x100)
uint64_t hw_cr4(void);
void hw_set_cr4(uint64_t value);

/* --- Registers of devices (efi/) ----------------------------------------- */

/* One access of 1, 2 or 4 bytes: to memory, or to an I/O port. */
uint32_t hw_io_read(bool memory, uint64_t address, unsigned bytes);
void hw_io_write(bool memory, uint64_t address, unsigned bytes, uint32_t value);

/* --- Performance-monitoring interrupts (efi/) ---------------------------- */

/* From begin to end, inside of a job: the calling processor's LVT performance
 * counter entry, unmasked, leads to a handler that counts and unmasks it again
 * (after HW_PMI_MOST of them no more: some processors repeat it until the
 * overflow is cleared);
 * in the fixed mode it has a vector of the highest priority class, interrupts
 * are on, and those of lower priority held off by CR8; else it is an NMI, and
 * interrupts are off. False, and nothing is changed, where there is no local
 * APIC. An exception that ends the job in between ends this too. */
#define HW_PMI_MOST 64
bool hw_pmi_begin(bool nmi);
/* In between: masks the entry, so that none is delivered any more. */
void hw_pmi_mask(void);
/* In between: interrupts are off. What comes is handled by hw_pmi_end(). */
void hw_pmi_hold(void);
/* In between, not by NMI: CR8 holds off that vector's class too, the same. */
void hw_pmi_outrank(void);
/* After hw_pmi_hold(): HLT, with interrupts on, until one has come. */
void hw_pmi_halt(void);
/* To a processor that is in between, not by NMI: the same interrupt, as if of
 * its counters, but that nothing masks the entry. */
void hw_pmi_send(unsigned processor);
unsigned hw_pmi_count(void); /* handled since hw_pmi_begin() */
/* Of those: the ones that found the mask flag of the entry set, as a PMI sets
 * it, and nothing else changed; and where the first one interrupted, 0 before
 * it. */
unsigned hw_pmi_masked(void);
uint64_t hw_pmi_rip(void);
unsigned hw_pmi_vector(void); /* in the fixed mode */
void hw_pmi_end(void);

/* --- Processors and exceptions (efi/) ------------------------------------ */

#define HW_PROCESSORS_MAX 256

/* An exception that no fix-up expected. */
struct hw_exception {
    uint64_t vector, error, rip, cs, rflags, rsp, cr2;
    uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, r8_r15[8];
};

/* Number of logical processors the firmware lists as enabled, 1 to
 * HW_PROCESSORS_MAX. They are numbered from 0; 0 is the boot processor, which
 * runs the session. */
unsigned hw_processors(void);

/* How a job ended on one processor. */
enum hw_end {
    HW_DONE,         /* the job returned */
    HW_EXCEPTION,    /* an exception that no fix-up expected ended it */
    HW_TIMEOUT,      /* no answer in time; the processor counts as lost */
    HW_LOST,         /* not started: lost earlier, or never came up */
    HW_NOT_SELECTED, /* not in the set */
};

struct hw_result {
    enum hw_end end;
    struct hw_exception exception; /* where end is HW_EXCEPTION */
};

/* Runs job(processor, context) on every processor p with set[p], all at the
 * same time where the firmware allows it, the caller's among them; returns when
 * all have ended or timeout_ms has passed (for each, where they run one after
 * another; counters and traces that a job leaves on are then off between two
 * jobs). Interrupts are off and the local
 * APIC's LVT entries masked while a job runs; a job calls no firmware. Fills
 * results[0 .. hw_processors() - 1]. To be called by the boot processor, from
 * outside of jobs or in a job of its own: the body of a WHOLE_MACHINE test is
 * one, so that an exception in it is caught like any other. */
void hw_run(const bool set[], void (*job)(unsigned processor, void *context),
            void *context, unsigned timeout_ms, struct hw_result results[]);

/* The processor's LVT performance counters entry before it was masked. False
 * where it is not known. */
bool hw_found_lvt(unsigned processor, uint32_t *entry);

/* Where in physical memory the byte at `at` is, by the caller's paging tables,
 * and which entry of the PAT they select for it (0 to 7). False: not mapped. */
bool hw_physical(const void *at, uint64_t *physical, unsigned *pat);

/* NMIs that came outside of jobs, on any processor. */
unsigned hw_nmis(void);

/* The same of machine checks after which a processor could go on: one that is
 * told to all comes to those that it does not concern, too. */
unsigned hw_machine_checks(void);

/* Milliseconds since some moment before the session, by the time-stamp counter.
 */
uint64_t hw_ms(void);

/* From now on call(context) is called on the boot processor, outside of jobs
 * and with the firmware usable, again and again while it waits in hw_run(), and
 * by hw_poll(). */
void hw_on_poll(void (*call)(void *context), void *context);
/* To be called in every loop that may last, at least once a second, where
 * nothing is measured: no counter runs, no trace, no transaction, no recording
 * of branches. Does nothing on other processors than the boot processor, and
 * between hw_pmi_begin() and hw_pmi_end(). */
void hw_poll(void);

/* True where the jobs of one hw_run() overlap in time (a worker per processor);
 * false where firmware lets them run one after another only. */
bool hw_run_is_parallel(void);

/* True where the caller's local APIC is in x2APIC mode (IA32_APIC_BASE[10]). */
bool hw_x2apic(void);

#endif
