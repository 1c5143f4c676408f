/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uncore.h - the performance counters of the uncore of client processors: the
 * fixed counter of its clock, two counters in each C-Box (a slice of the L3)
 * and two in the ARB unit. One set for the package.
 *
 * SDM 3B, "Uncore Performance Monitoring Facilities" of Sandy Bridge and of the
 * 4th generation; SDM 3C, the tables of uncore MSRs of the 2nd, the 4th and the
 * 6th generation.
 */
#ifndef SRC_UNCORE_UNCORE_H
#define SRC_UNCORE_UNCORE_H

#include "src/harness/case.h"

struct uncore {
    /* MSR_UNC_PERF_GLOBAL_CTRL, MSR_UNC_PERF_GLOBAL_STATUS. 391H and 392H up to
     * the 5th generation, where they are not IA32_PERF_GLOBAL_STATUS_SET and
     * INUSE. */
    uint32_t global_ctrl, global_status;
    uint64_t all_cores;  /* of the core select of global_ctrl */
    unsigned boxes_max;  /* C-Boxes that MSR_UNC_CBO_CONFIG says at most */
    unsigned clock_bits; /* of MSR_UNC_PERF_FIXED_CTR, by the manual's table */
    /* MSR_UNC_CBO_CONFIG [3:0] is one more than there are ("derive value by
     * -1"); else it is the number. */
    bool one_less;
};

/* The uncore of this processor, by DisplayFamily and DisplayModel; NULL where
 * it is not one of these: then nothing of it is to be touched. Servers have
 * others. Pure. */
const struct uncore *uncore_of(const struct identity *id);

/* The number of C-Boxes that MSR_UNC_CBO_CONFIG says; may be 0 or more than
 * boxes_max. Pure. */
unsigned uncore_boxes(const struct uncore *uncore, uint64_t config);

/* MSR_UNC_CBO_box_PERFEVTSELn and MSR_UNC_CBO_box_PERFCTRn; n 0 or 1. Known of
 * boxes 0 to UNCORE_BOXES_MAX - 1. Pure. */
#define UNCORE_BOXES_MAX 8
uint32_t uncore_box_select(unsigned box, unsigned n);
uint32_t uncore_box_counter(unsigned box, unsigned n);

/* What a select has: "Layout of Uncore PERFEVTSEL MSR for a C-Box Unit or the
 * ARB Unit". OVF_EN and EN are those of MSR_UNC_PERF_FIXED_CTRL too. */
#define UNCORE_EVENT(event, umask) ((uint64_t)(umask) << 8 | (event))
#define UNCORE_E                   (UINT64_C(1) << 18)
#define UNCORE_OVF_EN              (UINT64_C(1) << 20)
#define UNCORE_EN                  (UINT64_C(1) << 22)
#define UNCORE_INV                 (UINT64_C(1) << 23)
#define UNCORE_CMASK(n)            ((uint64_t)(n) << 24)
#define UNCORE_DEFINED             UINT64_C(0x1fd4ffff)

/* "Non-Architectural Uncore Performance Events in the 4th Generation Intel Core
 * Processors"; the 2nd and the 6th have these too. A lookup needs a state and a
 * filter: here reads by a core, in any state and in none of M, E, S. Occupancy
 * is for counter 0 only. */
#define UNC_CBO_CACHE_LOOKUP_READ   UNCORE_EVENT(0x34, 0x1f)
#define UNC_CBO_CACHE_LOOKUP_READ_I UNCORE_EVENT(0x34, 0x18)
#define UNC_ARB_TRK_OCCUPANCY       UNCORE_EVENT(0x80, 0x01)
#define UNC_ARB_TRK_REQUESTS        UNCORE_EVENT(0x81, 0x01)
#define UNC_ARB_TRK_WRITES          UNCORE_EVENT(0x81, 0x20)

#define UNCORE_CLOCK_BITS   48 /* of all, or 44 */
#define UNCORE_COUNTER_BITS 44

/* MSR_UNC_PERF_GLOBAL_CTRL: see "Layout of MSR_UNC_PERF_GLOBAL_CTRL MSR for
 * Uncore". MSR_UNC_PERF_GLOBAL_STATUS: what overflowed. */
#define UNCORE_GLOBAL_EN     (UINT64_C(1) << 29)
#define UNCORE_GLOBAL_WAKE   (UINT64_C(1) << 30)
#define UNCORE_GLOBAL_FREEZE (UINT64_C(1) << 31)
#define UNCORE_STATUS_FIXED  (UINT64_C(1) << 0)
#define UNCORE_STATUS_ARB    (UINT64_C(1) << 1)
#define UNCORE_STATUS_CBOX   (UINT64_C(1) << 3)

/* The counters of the uncore, as a test holds them. */
struct uncore_counters {
    struct test_context *t;
    const struct uncore *uncore;
    unsigned said;  /* C-Boxes by MSR_UNC_CBO_CONFIG: 1 to boxes_max */
    unsigned boxes; /* those with registers: as many, or one less */
};

/* Takes the uncore over: says so where something else uses it, then stops all
 * of it and clears every select, counter and status bit. All but the status
 * goes through the journal. A number of C-Boxes that cannot be is FAIL. False
 * where it could not. */
bool uncore_claim(struct uncore_counters *u, struct test_context *t);

/* Starts and stops all of them. */
bool uncore_start(const struct uncore_counters *u);
bool uncore_stop(const struct uncore_counters *u);

/* Clears MSR_UNC_PERF_GLOBAL_STATUS and returns what stays set. How it is
 * cleared the manual does not say: tried are 1 in each set bit, then 0. */
uint64_t uncore_clear_status(const struct uncore_counters *u);

/* The bits of MSR_UNC_PERF_FIXED_CTR, once all is stopped, and clears it. The
 * manual has 43:0 in the table of the 6th generation, Linux 48 bits of all
 * (arch/x86/events/intel/uncore_snb.c): what a write of these holds. False
 * where an access faulted that must not. */
bool uncore_clock_mask(const struct uncore_counters *u, uint64_t *mask);

#endif
