/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_judge.h - whether the record of a load or store says what it must, and
 * what a number of records come to. Pure.
 *
 * What the manual states flatly is wrong or right in each record: address,
 * Lock, latency, reserved bits. Whether a cache or TLB is hit is not the
 * program's alone to decide (prefetchers, an SMI, other processors): it is
 * counted, and more than half of the records have to say what was provoked.
 */
#ifndef SRC_MEMORY_MEMORY_JUDGE_H
#define SRC_MEMORY_MEMORY_JUDGE_H

#include "asm/memory_windows.h"
#include "src/memory/data_source.h"
#include "src/pebs/pebs_decode.h"

/* What the three facilities write to 98H, A0H and A8H. */
enum memory_facility {
    /* "Layout of Precise Store Information In PEBS Record" */
    FACILITY_PRECISE_STORE,
    /* "Layout of Data Source Field of Load Latency Record" */
    FACILITY_LOAD_LATENCY,
    /* "Layout of Data Linear Address Information In PEBS Record": of an event
     * of loads, and of one of stores. */
    FACILITY_DATA_LOAD,
    FACILITY_DATA_STORE,
    FACILITY_STORE_LATENCY, /* of Gracemont: as of loads */
};

/* Store Status, the field at A0H of precise stores; data address profiling has
 * the first only, for events of stores. */
#define STORE_STATUS_L1D_HIT       BIT(0)
#define STORE_STATUS_STLB_MISS     BIT(4)
#define STORE_STATUS_LOCKED_ACCESS BIT(5)

/* "The minimum detectable load latency is 4 core clock cycles." */
#define LOAD_LATENCY_MIN 4

/* The latency of the access in a record of that generation. From the 12th
 * generation on the field has two: [15:0] of the instruction, [47:32] of the
 * access (Linux, arch/x86/include/asm/perf_event.h, struct pebs_meminfo, and
 * PMU_FL_INSTR_LATENCY of both kinds of cores; alone to say so). Which of them
 * the threshold is compared with is not certain: the longer one does exceed it.
 */
bool memory_judge_has_two(enum generation generation);
uint64_t memory_judge_latency(enum generation generation, uint64_t field);
uint64_t memory_judge_longer(enum generation generation, uint64_t field);

/* Of cores that dispatch and cache latency are both known of: is that of the
 * access, which is a part of the instruction's, the longer one? */
bool memory_judge_reversed(enum generation generation, uint64_t field);

/* The field at A0H in a record of that generation, with its bits where the
 * others have them: on Gracemont [4] is Lock and [5] STLB_MISS (Linux,
 * arch/x86/events/intel/ds.c, adl_latency_data_grt(), alone to say so), on Lion
 * Cove they are [10] and [11] (the same, lnc_latency_data(), alone, too). */
uint64_t memory_judge_source(enum generation generation, uint64_t field);

struct memory_expected {
    enum memory_facility facility;
    const struct memory_walk *walk;
    bool locked; /* its accesses are */
    /* Of load latency. Loads "with latencies greater than this value" make
     * records. A record is of "the last tagged load", which need not be the one
     * that did: one of a smaller latency is counted, not yet wrong. */
    uint64_t threshold;
    uint64_t moved; /* RDI is so much more, after the access */
    bool is_part;   /* Latency is a part of the load's: may be less than that */
};

/* What is wrong with a record, the first that applies; NULL where nothing is. A
 * line of text that names field and bits, without the values. The record is of
 * an instruction of the window's loop. */
const char *memory_judge(const struct pebs_record *record,
                         const struct memory_expected *expected);

/* True for the address of one of the walk's accesses. */
bool memory_judge_planted(const struct memory_walk *walk, uint64_t address);

/* True where RIP follows an instruction of the loop. Others, as the WRMSR
 * that closes the window, may load and store what no document says. */
bool memory_judge_inside(const struct pebs_record *record, const uint8_t *loop,
                         const uint8_t *end);

/* The middle one of these latencies, the higher where there are two; 0 of none.
 * Sorts them. */
uint64_t memory_judge_median(uint64_t latencies[], unsigned count);

/* n of `of` records say what was provoked: more than half. */
bool memory_judge_most(unsigned n, unsigned of);

#endif
