/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * causes.h - the causes of an abort as a table: each is met once, on demand, by
 * one transaction.
 *
 * SDM 1, "Programming with Intel Transactional Synchronization Extensions",
 * table "RTM Abort Status Definition" and "Programming Considerations". A
 * conflict needs a second processor: conflict.h.
 */
#ifndef SRC_TSX_CAUSES_H
#define SRC_TSX_CAUSES_H

#include "src/tsx/probe.h"

enum cause_id {
    CAUSE_XABORT,       /* code 5AH */
    CAUSE_XABORT_INNER, /* the same in an inner transaction */
    CAUSE_CPUID,        /* an instruction that always aborts */
    CAUSE_PAUSE,
    CAUSE_EXCEPTION, /* #UD */
    CAUSE_DIVIDE,    /* #DE: of an instruction that does not abort by itself */
    CAUSE_WRITES,    /* more lines than a transaction can write */
    CAUSE_READS,     /* more than it can read, where test_source() is enough */
    CAUSE_BREAKPOINT,
    CAUSE_NESTING,     /* one level too many: whether it was nested, or a buffer
                          overflowed, is not said */
    CAUSE_MEMORY_TYPE, /* may abort: cause_uncacheable(), where there is one */
    CAUSES,
};

struct cause {
    const char *name;
    const uint8_t *body;
    uint32_t status; /* the bits of EAX that belong to it; 0: none promised */
    bool always;     /* no transaction that meets it may commit */
};
extern const struct cause causes[CAUSES]; /* by enum cause_id */

/* One transaction that meets the cause; `inner`: in one more inside. Answers
 * what tsx_inside() does and leaves EAX, the abort status, in *eax. It may
 * abort for another reason first. CAUSE_WRITES overwrites test_buffer(); debug
 * registers are put back. Needs probe_set_up(). Says nothing and writes no MSR,
 * so that it can stand in a window that counts. */
int cause_provoke(struct test_context *t, enum cause_id id, bool inner,
                  uint32_t *eax);

/* An address that a load changes nothing at, of the frame buffer of VGA, where
 * the fixed MTRRs have it uncacheable; else 0. It may abort a transaction. */
uint64_t cause_uncacheable(struct test_context *t);

#endif
