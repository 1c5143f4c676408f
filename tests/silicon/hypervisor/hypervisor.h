/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hypervisor.h - what all processors under the hypervisor share, and the seams
 * between its files.
 */
#ifndef SILICON_HYPERVISOR_HYPERVISOR_H
#define SILICON_HYPERVISOR_HYPERVISOR_H

#include "tests/silicon/hypervisor/action.h"
#include "tests/silicon/hypervisor/apic.h"
#include "tests/silicon/hypervisor/vcpu.h"

#define RAM_RANGES_MAX 64

struct hypervisor {
    struct machine machine;
    struct processor *models; /* one a processor */
    struct vcpu *vcpus;
    unsigned processors;
    uint64_t lost;                    /* an AP that never starts, 0: none */
    uint64_t stuck;                   /* an AP that never returns, 0: none */
    uint8_t apic_ids[PROCESSORS_MAX]; /* of the host */
    uint8_t *msr_map, *io_map;
    uint64_t image, image_end; /* of silicon.efi itself */
    unsigned pm_timer;         /* its port; 0: not known */
    bool x2apic;               /* the guest's APICs are in x2APIC mode */
    bool mp_blocking;          /* MP services: blocking mode alone */
    bool late_timer;           /* APs have their timers' interrupts pending */
    uint32_t pages, stepped;   /* of code: looked at, with TSX */
    bool for_os;               /* CPUID has the clocks of QEMU */
    bool has_os;               /* an operating system runs: no boot services */
    struct {
        uint64_t start, end;
    } ram[RAM_RANGES_MAX];
    unsigned ram_ranges;
};
extern struct hypervisor hypervisor;

/* vcpu.c: the processor this code runs on, or NULL if unknown. */
struct vcpu *vcpu_current(void);

/* msr_map.c: what is passed through to the host processor. */
void msr_map_fill(uint8_t *map);
/* These are intercepted from then on. */
void msr_map_intercept(uint8_t *map, uint32_t first, uint32_t last);

/* startup.c: INIT, SIPI and NMI by the interrupt command register. False: it
 * is for the host's local APIC. */
bool startup_command(struct vcpu *v, uint32_t command, uint32_t destination);
/* A nested page fault: is it an access to the local APIC? */
bool startup_apic_access(struct vcpu *v, struct action *a);
/* INIT or SIPI has come: waits for SIPI, and begins as the processor does. */
bool startup_is_due(const struct vcpu *v);
void startup_begin(struct vcpu *v);

/* guest_memory.c: the guest's memory. */
bool guest_physical(const struct vcpu *v, uint64_t linear, uint64_t *physical);
/* Is the byte at the same place by other page tables, and does the guest get to
 * it, at its privilege level, without a fault or a bit set in its own? */
bool guest_sees_as_by(const struct vcpu *v, uint64_t cr3, uint64_t linear,
                      enum access access);
/* Where RIP is, linear. */
uint64_t guest_rip(const struct vcpu *v);
/* Up to INSTRUCTION_BYTES_MAX bytes at RIP: into buffer, or where they are. */
const uint8_t *guest_code(struct vcpu *v, uint8_t *buffer, size_t *length);
bool guest_is_ram(uint64_t physical);
/* Is the byte on a page that the guest's own tables let it execute? */
bool guest_is_code(const struct vcpu *v, uint64_t linear);
/* Between the buffer and linear memory, up to a page of it. False: some of it
 * is not there, and nothing has been copied. */
bool guest_copy(const struct vcpu *v, uint64_t linear, void *buffer,
                size_t bytes, bool write);

/* loop.c: one round of the loop that runs the guest. False: it has asked to
 * leave. */
bool loop_round(struct vcpu *v);

/* exits.c: what to do after the exit that the VMCB describes. */
struct action exit_handle(struct vcpu *v);
/* The host has carried out the instruction. */
struct action exit_retire(struct vcpu *v, unsigned bytes);

/* msr_exits.c: RDMSR or WRMSR. */
struct action msr_exit(struct vcpu *v);

/* debug.c: #DB. */
struct action debug_exit(struct vcpu *v);

/* control.c: MOV to CR4, of an operating system. */
struct action control_cr4(struct vcpu *v);

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

/* rings.c: in place of the instruction at RIP, if it is one of these. */
struct action rings_instruction(struct vcpu *v);
/* ptwrite.c: the same; #UD where it is none. */
struct action ptwrite(struct vcpu *v);

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

/* host_root.c: the page tables of a processor whose guest is stepped so, from
 * direct_start on and up to direct_end. */
void host_root_start(struct vcpu *v);
void host_root_end(const struct vcpu *v);
/* True: where the firmware's have nothing they have what the guest's have. */
bool host_root_takes(struct vcpu *v, uint64_t linear);

/* host_tables.c: page tables of all RAM, and what else the host runs on without
 * firmware. False: RAM ends too high. */
bool host_tables_prepare(void *(*allocate)(size_t count));
void host_tables_load(struct vcpu *v);
void host_tables_follow(const struct vcpu *v); /* CR4, before a run */

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

/* microcode_load.c: WRMSR of IA32_BIOS_UPDT_TRIG; linear address of an update's
 * data. One that the processor does not accept is ignored. */
void microcode_load(struct vcpu *v, uint64_t data);

/* pmi.c: performance monitoring interrupts.
 * No interrupt is sent to this processor, until its LVT entry is written. */
void pmi_mask(void);
uint8_t pmi_vector_in_service(void); /* that is handled; 0: none */
/* Is there an interrupt that is not held off by its priority? */
bool apic_interrupts(void);
void pmi_send(struct vcpu *v); /* to it */
/* For pmi_twice: once more, when the handler has been entered. */
void pmi_send_again(struct vcpu *v);

/* tx.c: transactions. What XBEGIN, XEND, XABORT and XTEST do. */
struct action tx_instruction(struct vcpu *v);
/* One more level: of HLE, whose outermost has no fallback. next: the RIP
 * after the instruction, or of it for HLE. */
void tx_begin(struct vcpu *v, bool hle, uint64_t next);
/* Commits it. False: a conflict was first, and it has aborted. The
 * guest goes on at next. */
bool tx_commit(struct vcpu *v, uint64_t next);
/* Aborts it, at any point: the guest goes on at its fallback. */
void tx_abort(struct vcpu *v, enum tx_cause cause);
/* What its processor does in the guest is broken off, after any exit: a
 * transaction aborts, and no page stays open or copied for an instruction. */
void tx_break_off(struct vcpu *v);
/* After each instruction inside one. */
void tx_step_done(struct vcpu *v);

/* tx_tracking.c: XSUSLDTRK, XRESLDTRK. */
struct action tx_track_loads(struct vcpu *v);

/* tx_registers.c: what an abort restores, but for RIP and EAX. */
void tx_registers_save(struct vcpu *v);
void tx_registers_restore(struct vcpu *v, enum tx_cause cause);

/* tx_memory.c: its loads and stores. */
void tx_memory_begin(struct vcpu *v);
/* A nested page fault inside a transaction. */
struct action tx_page_fault(struct vcpu *v);
/* The same before the instruction, for the loads and stores that it will make,
 * as far as they are known. False: it has aborted the transaction. */
bool tx_memory_expect(struct vcpu *v, const struct data_access *access,
                      unsigned count);
/* Does the guest see the pages that are open for it as they are in memory? */
bool tx_memory_is_plain(const struct vcpu *v);
/* The instruction is complete: its stores to the log, its pages closed.
 * False: it has aborted the transaction. */
bool tx_memory_step(struct vcpu *v);
/* It is over: undo its stores, unless it has committed. */
void tx_memory_end(struct vcpu *v, bool undo);

/* tx_watch.c: breakpoints in a transaction. */
void watch_begin(struct vcpu *v);
void watch_end(struct vcpu *v);
/* Does an abort by a breakpoint end in #DB before XBEGIN? */
bool watch_is_debugged(const struct vcpu *v);
void watch_data(struct watch *w, enum access access, uint64_t address,
                unsigned bytes);
/* These have been hit outside of transactions: not to be reported again. */
void watch_forget(const struct vcpu *v, uint64_t hits);
/* Of these, which the loads and stores of the instruction stepped hit. */
uint64_t watch_stepped(const struct vcpu *v, uint64_t among);
/* Does a breakpoint, or what it needs, end the transaction before this
 * instruction? It has aborted then. */
bool watch_instruction(struct vcpu *v);

/* hle.c: before the instruction, whose hint it honours if it may. False: it has
 * aborted. */
bool hle_instruction(struct vcpu *v);
/* The lock that the byte at this address is part of, or NULL. */
struct elided_lock *hle_lock_at(struct vcpu *v, uint64_t address);
/* Shows the elided values in the copy of a page. */
void hle_overlay(struct vcpu *v, uint64_t page, uint8_t *copy);
/* A store that is complete, in a copy of its page. */
enum hle_store {
    HLE_STORE_DATA,
    HLE_STORE_LOCK,    /* not for memory */
    HLE_STORE_ABORTED, /* it has aborted */
};
enum hle_store hle_stored(struct vcpu *v, const struct open_page *page,
                          const uint8_t *copy);
/* After the instruction: does its XRELEASE end the outermost region? */
bool hle_ends(struct vcpu *v);

/* hint_replace.c: #UD of the host. True: only because of a hint for HLE; the
 * instruction is retried, on a copy of its page that is without it. */
bool hint_replace_begin(struct vcpu *v);
/* The same in a copy of the page that the guest is about to see. */
void hint_replace_overlay(struct vcpu *v, uint64_t page, uint8_t *copy);
bool hint_replace_on_page(const struct vcpu *v, uint64_t page);
/* That instruction is complete, or was cut short. */
void hint_replace_end(struct vcpu *v);

/* conflict.c: data conflicts between processors. */
void conflict_begin(struct vcpu *v);
/* False: a conflict was first. */
bool conflict_end(struct vcpu *v, bool commit);
/* The transaction accesses this line: it is in its sets (lines.h) from now on,
 * and no processor touches its page unseen. False: it has to abort. */
bool conflict_add_line(struct vcpu *v, uint64_t address, unsigned flags);
/* A nested page fault outside transactions. False: of no held page. */
bool conflict_page_fault(struct vcpu *v, struct npt *pages);
/* After the instruction that a held page was granted to. */
void conflict_revoke_grants(struct vcpu *v);
/* The processor sees a copy of this page for one instruction; no transaction
 * of another is on it. Then no more: what was stored there is in memory. */
void conflict_map_overlay(struct vcpu *v, struct overlay_page *page);
void conflict_unmap_overlay(struct vcpu *v, struct overlay_page *page);

/* kick.c. Around changes of the nested tables of other processors. */
void pages_lock(void);
void pages_unlock(void);
/* It accesses memory by what its tables have now. */
void kick_flush_tlb(struct vcpu *v);
/* Runs the guest until its next exit. */
void kick_run_guest(struct vcpu *v);
/* An NMI has made the guest leave. */
struct action kick_on_nmi(struct vcpu *v);
/* All others in their guests exit, to look for an interrupt. */
void kick_others(const struct vcpu *v);
/* One of the host's, unless one is pending already. */
void kick_send(struct vcpu *to);
/* Halts until v->awake is set, by a processor that sends an NMI. */
void kick_sleep(struct vcpu *v);
/* This processor leaves its guest. */
void kick_drain(struct vcpu *v);
/* Is another processor in its guest? */
bool kick_others_in_guest(const struct vcpu *v);

/* turns.c: processors run one at a time from then on, or freely. True: the
 * TSC counts instructions. */
bool turns_start(bool on);
bool turns_enabled(void);
bool turns_tsc_counts(void); /* instructions */
/* Ticks of the TSC that an instruction takes. */
uint64_t turns_instruction_tsc(void);
/* Passes the turn on; returns when it is this one's again. */
void turns_yield(struct vcpu *v);
/* The same, for a guest that spins. */
void turns_spin(struct vcpu *v);
/* At the end of each round of the loop. */
void turns_round(struct vcpu *v, bool stepped);
/* Has no work any more: returns when it has been given some. */
void turns_sleep(struct vcpu *v);
/* Wakes those that have got work, or are to be reset. */
void turns_wake(void);

/* sweep.c: in place of an access to an MSR, and after one: is it to fault?
 * rip: of the access. */
bool sweep_injects_gp(uint64_t rip);
bool sweep_injects_ud(uint64_t rip);

/* code_pages.c: marks the pages of an image that hold transactional code. */
void code_pages_mark(const uint8_t *base, uint64_t bytes);

/* code_scan.c: the same for an operating system, whose code is where it likes;
 * from then on, on all processors. */
void code_scan_start(struct vcpu *v);
/* A nested page fault, by this table, that is for this. The guest goes on;
 * false: it is to be stepped, or the fault is another's. */
bool code_scan_fault(struct vcpu *v, const struct npt *pages);
/* The guest is about to store there, by this table. False: it is not a page
 * that has been looked at. */
bool code_scan_store(struct vcpu *v, const struct npt *pages, uint64_t address);
/* The host has stored there; under pages_lock. */
void code_scan_changed(struct vcpu *v, uint64_t address);
/* Is the page of the last step one with an XBEGIN? */
bool code_scan_is_stepped(const struct vcpu *v);

/* log.c: lines on the serial port, and the end after an error. */
void log_print(const char *text);
void log_panic(struct vcpu *v, const char *what, uint64_t a, uint64_t b)
    __attribute__((noreturn));

#endif
