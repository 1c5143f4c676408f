/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fake_hw.h - a machine in tables, behind src/base/hw.h, and a list of tests
 * behind src/session/case_list.h. hw_run() runs the jobs one after another.
 */
#ifndef TESTS_HOST_FAKES_FAKE_HW_H
#define TESTS_HOST_FAKES_FAKE_HW_H

#include "src/session/case_list.h"
#include "src/base/hw.h"
#include "tests/host/fakes/fake_clock.h"

#define FAKE_PROCESSORS 8

/* One processor in regime B: 06_5EH stepping 3, microcode C6H, four counters,
 * perfmon version 4; all MSRs of the counters and 10FH. */
void fake_reset(void);
/* So many processors like it, two to a core. */
void fake_processors(unsigned count);

/* The processor that the calls below, and hw_* outside of jobs, act on. */
extern unsigned fake_current;

void fake_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx,
                uint32_t ecx, uint32_t edx);
/* The entry itself, to change; made where there is none. */
struct hw_cpuid *fake_leaf(uint32_t leaf, uint32_t subleaf);

struct fake_msr {
    uint32_t msr;
    uint64_t value;
    uint64_t writable;             /* bits that a write changes; others stay */
    int read_vector, write_vector; /* HW_NO_FAULT: it does not fault */
    unsigned reads, writes;
};
/* An MSR, made with value 0, all bits writable; others raise #GP. */
struct fake_msr *fake_msr(uint32_t msr);
/* What it holds; 0 where there is none. */
uint64_t fake_value(uint32_t msr);
void fake_msr_remove(uint32_t msr);
/* The MSRs that were written, in order. */
extern uint32_t fake_written[1024];
extern unsigned fake_written_count;
/* The k-th MSR access from now on, any processor's, raises #GP; 0: none. */
extern unsigned fake_fault_at;

/* What the MSRs belong to, where it is not NULL: called before each access to
 * one that there is; written is NULL where it is RDMSR. Answers HW_NO_FAULT,
 * and the access takes place, or a vector. */
extern int (*fake_device)(uint32_t msr, const uint64_t *written);

/* What hw_ms() says, and what it grows by at each call. */
extern uint64_t fake_ms, fake_ms_step;
extern unsigned fake_nmis, fake_machine_checks; /* of hw_nmis(), .. */
extern uint32_t fake_lvt; /* what hw_found_lvt() says; 0: not known */
/* What hw_physical() says, of one page after the other. */
extern uint64_t fake_physical;
extern unsigned fake_pat;
extern bool fake_mapped;

/* RDMSR of this one raises #MC, which no fix-up expects, on processor 1; 0:
 * none. */
extern uint32_t fake_explosive;

/* What another processor does while the boot processor runs its job: called
 * there whenever the TSC (fake_tsc) is read, which is 100 more each time. Where
 * it is not NULL, jobs overlap. */
extern void (*fake_beside)(void);

/* Between a hw_pmi_begin() of the test's own and its hw_pmi_end(): hw_poll()
 * does nothing. Else it refuses to be called while something counts, or is
 * traced. */
extern bool fake_pmi;

/* Inside a job: it ends at once, in this way. */
void fake_raise(uint64_t vector, uint64_t rip);
void fake_hang(void);
/* This processor answers no hw_run() from the start. */
extern bool fake_absent[FAKE_PROCESSORS];

/* What case_list() gives; NULL is no test. */
extern const struct test *const *fake_cases;

/* A sink that stores the report. */
extern char fake_report[65536];
struct sink;
/* Forgotten; fake_reset() does it, too. */
void fake_report_reset(void);
void fake_sink(struct sink *out);
extern unsigned fake_flushes;

#endif
