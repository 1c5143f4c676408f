/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - registers before a transaction, and after its commit or its abort:
 * each that is not as it must be is named.
 *
 * SDM 1, "Programming with Intel Transactional Synchronization Extensions",
 * "RTM Software Interface" and "Instruction Based Considerations".
 */
#ifndef SRC_TSX_STATE_H
#define SRC_TSX_STATE_H

#include "asm/tsx_state.h"
#include "src/harness/case.h"

/* One transaction: what it changes, and how it ends. */
struct state_row {
    const char *what;            /* "XMM0 to XMM15 changed, then XABORT" */
    const uint8_t *change, *end; /* of asm/tsx_state.h */
    uint64_t components;         /* of XCR0 that it needs */
};

/* What there is to look at here: components of XCR0 that CPUID.0DH enumerates
 * and this file knows; 0: no XSAVE, and FXSAVE is used. */
uint64_t state_components(const struct identity *id);

/* What a row's end gets as its argument: in test_buffer(), and before its
 * second half. */
uint64_t *state_argument(struct test_context *t);

/* So many transactions of a row, each with other values in all registers; tells
 * how many committed. Checks that an abort left everything but EAX as at
 * XBEGIN, that a commit left what the transaction made of it, and that no
 * exception was delivered. Uses test_buffer(); needs transactions (rtm.h). */
unsigned state_try(struct test_context *t, const struct state_row *row,
                   uint64_t components, unsigned times);

/* The same of tsx_end_reads, which loads from so many lines, from there on. */
unsigned state_try_reads(struct test_context *t, const struct state_row *row,
                         uint64_t components, unsigned times, const void *from,
                         uint64_t lines);

/* The same without a transaction; needs RTM. */
unsigned state_try_outside(struct test_context *t, const struct state_row *row,
                           uint64_t components, unsigned times);

/* The same by HLE, a section that aborts and is executed again without elision;
 * needs XTEST. */
unsigned state_try_hle(struct test_context *t, const struct state_row *row,
                       uint64_t components, unsigned times);

/* Where every transaction is forced to abort: each change, so often; all is as
 * at XBEGIN afterwards, and none commits. */
void state_check_forced(struct test_context *t, unsigned tries);

#endif
