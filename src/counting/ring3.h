/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring3.h - ring 3 for a window: a GDT, a TSS and page tables of the test's
 * own, in its buffer, and the MSRs of SYSCALL.
 *
 * SDM 3A, "Segment Descriptors", "TSS Descriptor in 64-bit mode", "64-Bit TSS
 * Format", "4-Level Paging"; SDM 2B, SYSCALL, SYSRET. Firmware's tables are
 * copied and not changed: its GDT with five descriptors more, its root table of
 * paging with one entry more. TR holds the TSS afterwards too, where it was 0:
 * no instruction takes it out again.
 */
#ifndef SRC_COUNTING_RING3_H
#define SRC_COUNTING_RING3_H

#include "asm/ring3_window.h"
#include "src/counting/bank.h"
#include "src/harness/case.h"

struct ring3_tables; /* in the buffer */

struct ring3_session {
    struct test_context *t;
    struct ring3 *ring3; /* for cells[0] of window_ring3() */
    struct ring3_tables *tables;
    struct ring3_registers firmware, ours;
    uint64_t found[4]; /* IA32_EFER, IA32_STAR, IA32_LSTAR, IA32_FMASK */
};

/* Builds the tables in test_buffer() and writes the MSRs, through the journal.
 * False, SKIP is said, where firmware's tables are none that it can add to;
 * false, ERROR is said, where an access faulted. */
bool ring3_prepare(struct ring3_session *s, struct test_context *t);

/* Shows ring 3 so many pages more, at most RING3_SHOWN, from there on, which is
 * a physical address under UEFI; returns where it sees them. */
uint64_t ring3_show(struct ring3_session *s, uint64_t first, unsigned pages);
#define RING3_SHOWN 64

/* Where ring 3 sees a label of asm/ring3_window.h that it executes. */
static inline uint64_t ring3_at(const struct ring3 *ring3, const uint8_t *label)
{
    return ring3->user_code + (uint64_t)(label - ring3_code);
}

/* True for an address of the pages that it executes. */
bool ring3_executes(const struct ring3_session *s, uint64_t ip);

/* Loads them, and gives back the firmware's. In between nothing but windows and
 * accesses to MSRs; an exception that ends the job gives them back too. */
void ring3_begin(const struct ring3_session *s);
void ring3_end(const struct ring3_session *s);

/* Writes these MSRs as they were: a job of a test that has others after it may
 * give its processor back to the firmware in between. */
void ring3_finish(const struct ring3_session *s);

/* Ring 1 or 2 in place of ring 3, from now on, for window_ring3_body() alone:
 * SYSRET goes to ring 3. To paging both are supervisors, as ring 0 is (SDM 3A,
 * "Determination of Access Rights"), whose own pages they use. */
void ring3_be_ring(struct ring3_session *s, unsigned ring);

/* A code segment of 32 bits, of ring 2: for struct ring3's user_cs, after
 * ring3_be_ring(). */
uint64_t ring3_code_32(const struct ring3_session *s);

/* Pure, for ring3_prepare() and its unit test. A code or data descriptor of
 * 64-bit mode, at that privilege level. */
uint64_t ring3_descriptor(bool code, unsigned level);
/* Adds to a copy of `root`, a table of 512 entries, one that leads over `depth`
 * further tables to those pages, one after another, for ring 3. Returns the
 * number of the entry, or 0 where there is none free in the lower half. */
unsigned ring3_map(uint64_t root[512], uint64_t tables[][512], unsigned depth,
                   const void *const pages[], unsigned count);

/* bank_window() in them. False where that is, or an exception ended the window
 * (ERROR is said). */
bool ring3_count(const struct ring3_session *s, const struct bank *before,
                 window_function *window, struct bank *after);

#endif
