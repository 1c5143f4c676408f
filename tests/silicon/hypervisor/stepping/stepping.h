/* SPDX-License-Identifier: BSD-2-Clause */
/* stepping.h - one instruction after the other, or many in one run, and what
 * is observed of each. */
#ifndef SILICON_HYPERVISOR_STEPPING_STEPPING_H
#define SILICON_HYPERVISOR_STEPPING_STEPPING_H

#include "tests/silicon/hypervisor/hypervisor.h"

/* step.c: the mode, and one instruction at a time. */
void step_set_mode(struct vcpu *v, enum vcpu_mode mode);
/* In MODE_STEP: what to do with the instruction at RIP. */
struct action step_begin(struct vcpu *v);
/* The instruction at current_rip is complete, and RIP after it. */
void step_retire(struct vcpu *v);

/* retired.c: so many instructions it is. */
uint32_t step_instructions(struct vcpu *v);
/* Counts it, and no more. */
void step_count_current(struct vcpu *v);
/* Decides the mode to go on in, after an instruction. */
void step_end(struct vcpu *v);
/* Have others had an interrupt of the uncore, or begun to count this one? */
bool step_is_due(const struct vcpu *v);
/* Counts it, for instructions that the host executes. */
void step_count(struct vcpu *v, unsigned instructions, uint32_t cycles,
                bool in_tx);

/* decoded.c: the instruction at RIP, until the next call. */
const struct decoded *decoded_find(struct vcpu *v, const uint8_t *bytes,
                                   size_t length);

/* direct.c: a step without VMRUN. Around all rounds of the loop: the host's
 * state is the guest's at direct_start. */
void direct_start(struct vcpu *v);
void direct_end(struct vcpu *v);
/* bytes: INSTRUCTION_BYTES_MAX of them. */
bool direct_is_simple(const struct instruction *i, const uint8_t *bytes);
/* Before VMRUN. */
void direct_leave(struct vcpu *v);
/* Last in step_begin: may the instruction be stepped so? False: what it would
 * do has aborted the transaction. bytes: NULL where they are on two pages. */
bool direct_look(struct vcpu *v, const uint8_t *bytes, size_t length);
/* True: it has been, and the VMCB is as after the exit of its #DB. False: it
 * is for VMRUN. */
bool direct_step(struct vcpu *v);

/* From now on the guest's memory is not where the host has it. */
void direct_never(struct vcpu *v);

/* levels.c, where an operating system runs. How it goes on, after whatever may
 * have changed that. */
void levels_choose(struct vcpu *v);
/* What is counted has been changed. */
void levels_stale(struct vcpu *v);
/* An event is about to be delivered. */
void levels_event(struct vcpu *v);
/* An exit where the guest enters or leaves its kernel: to be stepped. False: it
 * is not one. */
bool levels_passes_gate(struct vcpu *v);
/* The same for an exception, of an instruction that is one. */
bool levels_steps_instead(struct vcpu *v, unsigned vector);
/* An NMI is for the guest, or one that had to wait for IRET may come now. */
struct action levels_nmi(struct vcpu *v);
bool levels_nmi_is_due(const struct vcpu *v);
/* HLT. */
struct action levels_halt(struct vcpu *v);
/* Around a run of the guest: VMRUN, and what came of it. */
void levels_run(struct vcpu *v);
void levels_ran(struct vcpu *v);
/* The host has carried out an instruction for it. */
void levels_carried_out(struct vcpu *v);
/* EFER as the guest has it, or as it runs with. */
uint64_t levels_efer(const struct vcpu *v, bool seen_by_guest);
/* The guest's TF: before and after each step; when stepping has begun or is
 * about to end. */
void levels_step(struct vcpu *v, const uint8_t *bytes, size_t length);
void levels_stepped(struct vcpu *v);
void levels_own_tf(struct vcpu *v, bool stepped);

/* rounds.c: after each step under an operating system, and in place of one.
 * True: rounds have been run instead. */
void rounds_stepped(struct vcpu *v);
bool rounds_run(struct vcpu *v, struct action *a);

/* data_access.c: the accesses of the instruction at RIP; its completion. */
struct retirement;
struct operand_state;
/* Where the guest stands, without the bases of FS and GS. */
void memory_registers(const struct vcpu *v, struct operand_state *s);
void data_access_find(struct vcpu *v, const uint8_t *bytes, size_t length);
void data_access_retire(struct vcpu *v, struct retirement *r);
/* Are accesses of interest at all? */
bool data_access_watched(const struct vcpu *v);
/* What these bytes, at RIP, are about to access; how many there are. */
unsigned memory_accesses(const struct vcpu *v, struct data_access found[],
                         const uint8_t *bytes, size_t length);
/* Bytes that it loads or stores from there on; 0: not known. */
unsigned memory_bytes(struct vcpu *v, uint64_t physical, enum data_kind kind);

/* pebs_assist.c: after one that made a PEBS event, or asks for a PMI. */
void pebs_assist(struct vcpu *v);

/* trace.c: what Processor Trace observes. WRMSR is done, and execution goes
 * on at next; TraceEn was. */
void trace_wrmsr(struct vcpu *v, bool was, uint64_t next);
/* The instruction at current_rip is complete. It may be a branch. */
void trace_branch(struct vcpu *v, const struct retirement *r);
void trace_retire(struct vcpu *v, uint32_t cycles);
/* An event is to be delivered: its handler is caught. */
void trace_catch(struct vcpu *v);
/* The handler is about to run. */
void trace_event(struct vcpu *v);
/* A transaction has aborted, for the last branch records. */
void trace_abort(struct vcpu *v);
/* Transactions. next: where execution goes on. */
enum trace_tx {
    TRACE_TX_BEGIN,
    TRACE_TX_NESTED,
    TRACE_TX_COMMIT,
    TRACE_TX_ABORT,
};
void trace_tx(struct vcpu *v, enum trace_tx what, uint64_t next);

#endif
