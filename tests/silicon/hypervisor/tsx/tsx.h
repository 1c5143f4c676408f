/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx.h - transactions: their registers, memory and conflicts, and the code
 * that begins them. */
#ifndef SILICON_HYPERVISOR_TSX_TSX_H
#define SILICON_HYPERVISOR_TSX_TSX_H

#include "tests/silicon/hypervisor/hypervisor.h"

/* tx_instructions.c: what XBEGIN, XEND, XABORT and XTEST do. */
struct action tx_instruction(struct vcpu *v);

/* tx.c: transactions. The outermost begins. next: the RIP after XBEGIN, or of
 * the instruction for HLE; fallback: where an abort goes on. */
void tx_begin(struct vcpu *v, bool hle, uint64_t next, uint64_t fallback);
/* Commits it. False: a conflict was first, and it has aborted. The
 * guest goes on at next. */
bool tx_commit(struct vcpu *v, uint64_t next);
/* Aborts it, at any point: the guest goes on at its fallback. */
void tx_abort(struct vcpu *v, enum tx_cause cause);
/* It was doomed from its start, without a cause in the program. */
void tx_abort_doomed(struct vcpu *v);
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

/* tx_undo.c: the line of this address, if it has been saved. */
struct undo_line *undo_find(struct transaction *tx, uint64_t address);
/* Before its first store. There is room: tx_step_done has seen to it. second:
 * of the lines that one store is on. */
void undo_save(struct transaction *tx, uint64_t address, bool second);
/* All that is to be undone; only the bytes that were stored: others of the line
 * may have been written by another processor meanwhile. */
void undo_stores(const struct vcpu *v, bool undo);

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

#endif
