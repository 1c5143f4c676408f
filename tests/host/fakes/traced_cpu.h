/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traced_cpu.h - code of asm/ executed on the host, an instruction at a time,
 * and what a trace has of it: Processor Trace is that of the simulated
 * processor (tests/silicon/model/), with one of its faults or without.
 *
 * Privileged instructions, transactions and exceptions are played; the rest
 * runs as it is. No other name of the model is to be seen here: it shares none
 * with src/.
 */
#ifndef TESTS_HOST_FAKES_TRACED_CPU_H
#define TESTS_HOST_FAKES_TRACED_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A processor of this personality, new, with this fault ("none"), and with the
 * erratum of this name, where there is one. */
void traced_start(const char *cpu, const char *fault);
extern const char *traced_erratum;

/* What its CPUID says, EAX to EDX; its MSRs. False: #GP. */
void traced_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4]);
bool traced_read(uint32_t number, uint64_t *value);
bool traced_write(uint32_t number, uint64_t value);

/* Performance monitoring interrupts that it has asked for. While they are let
 * in each is in the trace, with a handler that only returns. */
unsigned traced_pmis(void);
extern bool traced_interrupts;
extern uint64_t traced_pmi_rip; /* where the first came since this was 0 */

/* After so many instructions of a transaction another processor stores to what
 * it has read, and nothing else aborts it by chance; 0: none does. */
extern unsigned traced_conflict;
/* A store to it aborts a transaction, by a breakpoint; 0: none. */
extern uint64_t traced_watched;

/* Is code being stepped, or played? */
bool traced_stepping(void);

/* So many branches that are not stepped: for its counters. */
void traced_branches(unsigned count);

/* How many faults there are; the n-th of them, and a boot that is to show it,
 * "cpu smt processors test verdict" and more. False where it has no such. */
size_t traced_faults(void);
bool traced_fault(size_t n, unsigned boot, const char **name,
                  const char **caught);

/* Where ring 3 may see its pages: the entry of the root table is to be free. */
#define TRACED_USER 0x320000000000

/* What CR3 and CR4 hold. */
extern uint64_t traced_cr3, traced_cr4;

/* Memory that a physical address of 39 bits reaches, at the start of a page;
 * the same each time. */
void *traced_memory(size_t bytes);

/* Signals of instructions come to it from now on. */
void traced_catch(void);

#endif
