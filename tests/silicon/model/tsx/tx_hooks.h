/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_hooks.h - more of hooks.h: what transactions leave, and say of themselves.
 */
#ifndef SILICON_MODEL_TSX_TX_HOOKS_H
#define SILICON_MODEL_TSX_TX_HOOKS_H

#include "tests/silicon/instructions/instruction.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/tsx/tsx.h"

/* tx_status.c: EAX after an abort. */
uint32_t faults_abort_status(const struct processor *p,
                             const struct tx_abort *how, uint32_t status);

/* tx_state.c: what an abort does not restore: a bit for each register in the
 * order of struct gprs, then RSP; flags; x87, SSE and AVX state, where any of
 * it is kept: images of FXSAVE or XSAVE. */
uint32_t faults_kept_registers(const struct processor *p,
                               const struct tx_decision *decision, bool hle);
uint64_t faults_kept_flags(const struct processor *p);
bool faults_keep_extended(const struct processor *p);
void faults_kept_extended(const struct processor *p, uint8_t *saved,
                          const uint8_t *now);
/* Of the bytes stored in the nth line of the log: those restored. second: a
 * store that began in the line before. */
uint64_t faults_undone(const struct processor *p, unsigned nth,
                       uint64_t address, bool second, uint64_t stored);
/* Is that line restored at all, where all are to be, or none? inner: it was
 * stored to in a transaction within another. */
bool faults_undoes(const struct processor *p, bool inner, bool undo);
/* One of TSX is complete, and has not aborted; depth: after it. */
void faults_tx_instruction(const struct processor *p,
                           enum instruction_kind kind, unsigned depth,
                           uint64_t *rax, uint64_t *rflags);
bool faults_inner_commits(const struct processor *p);

/* hle.c */
bool faults_hle_goes_on(const struct processor *p, bool hle);
bool faults_lock_stores(const struct processor *p);
bool faults_inner_release_ends(const struct processor *p);

/* force_abort.c: SDV_ENABLE_RTM; 122H and 123H; CPUID.7.0. */
bool faults_sdv(const struct processor *p, bool on);
void faults_leaf_7(const struct processor *p, uint32_t *ebx, uint32_t *edx);

/* tx_information.c: the TX Abort Information; EventingIP and RIP. */
uint64_t faults_tx_information(const struct processor *p,
                               const struct tx_abort *how, uint64_t value);
bool faults_cycles_go_on(const struct processor *p);
void faults_tx_record(struct processor *p, const struct tx_abort *how);

#endif
