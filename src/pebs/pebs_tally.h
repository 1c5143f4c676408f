/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_tally.h - records counted by counter and by cause of abort. Pure; the
 * memory is the caller's.
 *
 * One count a record and table: the tables are over all combinations of bits,
 * so that no information is lost, and what is asked is added up afterwards.
 */
#ifndef SRC_PEBS_PEBS_TALLY_H
#define SRC_PEBS_PEBS_TALLY_H

#include "src/pebs/pebs_decode.h"

#define PEBS_WAYS           4  /* so that no count waits for the one before */
#define PEBS_TALLY_COUNTERS 40 /* IA32_PMCn is n, IA32_FIXED_CTRn 32 + n */

struct pebs_tally {
    uint64_t records;
    /* By [7:0] of 90H: the applicable counter (format 3) or the overflow bits
     * of IA32_PERF_GLOBAL_STATUS (formats 1 and 2). Format 0 counts as 0. */
    uint64_t by_counters[PEBS_WAYS][256];
    /* Of adaptive records, whose Applicable Counter has more: by bit n, 8 and
     * above, and those with several bits that [7:0] does not show. */
    uint64_t by_later[PEBS_TALLY_COUNTERS];
    uint64_t several_later;
    /* By [39:32] of TX Abort Information: HLE_Abort to Capacity Reads. */
    uint64_t by_abort[PEBS_WAYS][256];
};

/* An empty tally. */
void pebs_tally_clear(struct pebs_tally *tally);

void pebs_tally_add(struct pebs_tally *tally, const struct pebs_record *record);

/* Adds all records up to the end or an error, and returns what pebs_next() says
 * there; it does what that and pebs_tally_add() do, and takes of a record of
 * formats 2 and 3 no field that is not counted. */
enum pebs_error pebs_tally_all(struct pebs_tally *tally,
                               struct pebs_reader *reader)
    __attribute__((warn_unused_result));

/* Records in which bit n of 90H is set, n = 0 to 7; of adaptive records bit n
 * of Applicable Counter, n below PEBS_TALLY_COUNTERS. With the image of
 * IA32_PERF_GLOBAL_STATUS a record in which several are set cannot be
 * correlated with one of them (SDM 3B, "Processor Event Based Sampling (PEBS)
 * Facility" of the 6th generation): pebs_tally_several counts these. */
uint64_t pebs_tally_counter(const struct pebs_tally *tally, unsigned n);
uint64_t pebs_tally_several(const struct pebs_tally *tally);

/* Records that have all of these bits of TX Abort Information, [39:32], set. */
uint64_t pebs_tally_aborts(const struct pebs_tally *tally, uint64_t bits);

#endif
