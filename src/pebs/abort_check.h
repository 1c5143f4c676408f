/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * abort_check.h - pebs_judge_abort() as a check, with the errata that a record
 * of an abort may show, and a region's time by either clock.
 */
#ifndef SRC_PEBS_ABORT_CHECK_H
#define SRC_PEBS_ABORT_CHECK_H

#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling.h"

/* Of the record that sampling_record() gave last: FAIL and what is wrong, or
 * KNOWN where EventingIP alone is, in few records, or where the record is of a
 * later instruction, or the last one of none that aborts. Returns whether all
 * is right. */
bool abort_check(struct sampling *p, const struct pebs_record *record,
                 const struct pebs_abort *abort);

/* The manual has Cycles_Last_TX as "the number of cycles", and not which; the
 * core's clock may be faster than that of the time-stamp counter. */
struct abort_clocks {
    uint64_t core, tsc; /* over the same time */
};
/* By IA32_PMCx, which is counting core cycles. */
void abort_clocks_compare(struct abort_clocks *clocks, unsigned counter);
/* Are so many cycles within these bounds, which are core cycles, or not less
 * than what the TSC has meanwhile where it is slower? */
bool abort_clocks_allow(const struct abort_clocks *clocks, uint64_t cycles,
                        uint64_t least, uint64_t most);

#endif
