/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe.h - one body (asm/tsx_bodies.h) tried in transactions, its outcomes
 * counted and checked; and the set-up without which no transaction can commit.
 */
#ifndef SRC_TSX_PROBE_H
#define SRC_TSX_PROBE_H

#include "asm/tsx_bodies.h"
#include "src/harness/case.h"
#include "src/tsx/rtm.h"

/* Tries of a transaction that may abort for no reason of its own. */
#define PROBE_TRIES 100

/* Tries of one row of a table of many: a fifth of trials=, 20 where the user
 * said nothing. */
unsigned probe_row_tries(struct test_context *t);

/* Tries the body once and enters the outcome. Returns what tsx_inside() did. An
 * abort matches where EAX has all bits of `bits`; 0 is matched by all. */
int probe_once(const struct tsx_block *block, uint32_t bits,
               struct rtm_tally *out);

/* The same with bits = 0, while these bits of CR0 are set (tsx_with_cr0()), if
 * any. Returns how many of TSX_BELOW quadwords below the stack an abort has
 * changed. */
unsigned probe_below(const struct tsx_block *block, uint64_t cr0,
                     struct rtm_tally *out);

/* The same while DR0 and DR7 hold this; DR0, DR6 and DR7 are put back. */
int probe_watched(const struct tsx_block *block, uint64_t dr0, uint64_t dr7,
                  uint32_t bits, struct rtm_tally *out);

/* Adds the counts of `more` to `sum`; its last status and vector, if any. */
void probe_add(struct rtm_tally *sum, const struct rtm_tally *more);

/* Clears, then tries `times`; stops at the first abort that matches where
 * until_match is true. */
void probe_run(const struct tsx_block *block, unsigned times, uint32_t bits,
               bool until_match, struct rtm_tally *out);

/* Checks what holds for any transaction: an aborted one goes on at the
 * outermost fallback and changes nothing, a committed one makes its store, and
 * no exception is delivered (SDM 1, "Restricted Transactional Memory", "RTM
 * Abort Status Definition"; SDM 2, XABORT). */
void probe_check(struct test_context *t, const struct rtm_tally *probe);

/* Checks EAX after aborts by one cause: all bits of `must` came at least once,
 * and of the others, `may` and retry apart, none did; conflict and capacity not
 * each time (such an abort may come first). */
void probe_check_status(struct test_context *t, uint32_t must, uint32_t may,
                        const struct rtm_tally *probe);

/* Brings this processor into a state in which transactions are not forced to
 * abort: RTM_FORCE_ABORT = 0 in regime B, SDV_ENABLE_RTM = 1 and
 * TSX_CPUID_CLEAR = 0 in C, C' and D, nothing elsewhere. The journal undoes it.
 * False where an access faulted (ERROR is said). */
bool probe_state(struct test_context *t);

/* The same for tests of more than transactions: false, and nothing said, where
 * RTM is not enumerated, always aborts, or takes an option that was not given.
 */
bool probe_state_if_any(struct test_context *t);

/* The same, and true only where transactions commit then; else a SKIP that says
 * so. */
bool probe_set_up(struct test_context *t);

#endif
