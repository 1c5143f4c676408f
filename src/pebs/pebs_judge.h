/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_judge.h - whether a record says what it must. Pure.
 */
#ifndef SRC_PEBS_PEBS_JUDGE_H
#define SRC_PEBS_PEBS_JUDGE_H

#include "asm/pebs_window.h"
#include "src/pebs/pebs_decode.h"

/* What a general register, PEBS_RAX to PEBS_R15, holds at the event. */
uint64_t pebs_judge_register(enum pebs_field field,
                             const struct pebs_state *state, unsigned event);

/* The set, BIT(enum pebs_field), of RFLAGS and general registers that are not
 * as pebs_window() holds them at the event. RIP is not looked at, nor is RF
 * [16] of RFLAGS, which belongs to the instruction boundary (SDM 3B,
 * "Instruction-Breakpoint Exception Condition"). */
uint32_t pebs_judge_planted(const struct pebs_record *record,
                            const struct pebs_state *state, unsigned event);

/* What 90H must say of a record. */
struct pebs_counters {
    unsigned own;    /* set of PMC0 to PMC3: the record is of these */
    uint64_t others; /* bits of IA32_PERF_GLOBAL_STATUS that were set before it:
                        what overflowed and makes no record, OvfBuf [62] */
};

/* What is wrong with 90H, all 64 bits of it; NULL where nothing is. Format 3:
 * "applicable counter", nothing else. Before it: the image of
 * IA32_PERF_GLOBAL_STATUS before the record, "for all counters, regardless of
 * whether they were programmed for PEBS"; there *race is true where the
 * record's own bits are missing and that alone, which is not said to be wrong:
 * the status can be cleared by then (Linux, arch/x86/events/intel/ds.c).
 *
 * SDM 3B, "PEBS Record Format for Intel Core i7 Processor Family" and for the
 * 6th generation. */
const char *pebs_judge_counters(const struct pebs_record *record,
                                const struct pebs_counters *counters,
                                bool *race);

/* What TX Abort Information (B8H) must say of an abort whose status is known.
 */
struct pebs_abort {
    bool hle;        /* of an HLE region; then eax says nothing */
    uint32_t eax;    /* the abort status of the same abort */
    uint64_t at;     /* the instruction that aborts; 0: not known */
    uint64_t resume; /* where execution goes on: what RIP must be */
    /* Cycles that the region took, at least and at most; 0: not known. */
    uint64_t cycles_least, cycles_most;
};

/* What is wrong with a record of an abort, the first that applies; NULL where
 * nothing is. A line of text that names field and bits, without the values.
 *
 * SDM 3B, "TX Abort Information Field Definition" and "Intel TSX and PEBS
 * Support"; SDM 1, "RTM Abort Status Definition". */
const char *pebs_judge_abort(const struct pebs_record *record,
                             const struct pebs_abort *abort);

#endif
