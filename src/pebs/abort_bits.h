/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * abort_bits.h - what the records of a number of aborts of one cause say in TX
 * Abort Information (B8H) [39:34], taken together.
 *
 * One abort may always have another cause than the one provoked (an SMI, other
 * traffic in the caches): what a cause must set is looked for in most records,
 * and what it must not, likewise. What one record alone has wrong is
 * pebs_judge.h's.
 *
 * SDM 3B, "TX Abort Information Field Definition".
 */
#ifndef SRC_PEBS_ABORT_BITS_H
#define SRC_PEBS_ABORT_BITS_H

#include "src/harness/case.h"
#include "src/pebs/pebs_decode.h"

struct abort_bits {
    unsigned records;
    unsigned set[8];  /* records with B8H[32 + n] */
    unsigned neither; /* of B8H[35:34], which say whose abort it was */
    /* By EAX[1], which says of the same abort that a retry may succeed:
     * records, and those of them with Retry. */
    unsigned by_retry[2], retry[2];
};

/* Adds a record of an abort that left this in EAX. */
void abort_bits_add(struct abort_bits *bits, const struct pebs_record *record,
                    uint32_t eax);

/* Records with this bit of B8H. */
unsigned abort_bits_set(const struct abort_bits *bits, uint64_t bit);

/* Checks that more than half of the records have each bit of `set`, not more
 * than half one of `clear`, and more than half Instruction_Abort or
 * Non_Instruction_Abort; the line names the bit. */
void abort_bits_check(struct test_context *t, const struct abort_bits *bits,
                      uint64_t set, uint64_t clear);

/* Checks Retry (B8H[36]) against EAX[1]: each in more than half of the records
 * as the other; and observes that all are. */
void abort_bits_check_retry(struct test_context *t,
                            const struct abort_bits *bits);
void abort_bits_observe_retry(struct test_context *t,
                              const struct abort_bits *bits);

/* Adds the counts of `more`. */
void abort_bits_sum(struct abort_bits *sum, const struct abort_bits *more);

#endif
