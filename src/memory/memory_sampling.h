/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_sampling.h - records of single loads and stores made on this logical
 * processor, over the windows of asm/memory_windows.h, and judged.
 *
 * SDM 3B, "Load Latency Performance Monitoring Facility", "Precise Store
 * Facility", "PEBS Data Address Profiling". Needs NEED_PEBS, NEED_PMU.
 */
#ifndef SRC_MEMORY_MEMORY_SAMPLING_H
#define SRC_MEMORY_MEMORY_SAMPLING_H

#include "src/memory/memory_recipes.h"
#include "src/pebs/precise.h"
#include "src/pebs/sampling.h"

/* IA32_PERFEVTSELx [15:0]: MEM_TRANS_RETIRED.LOAD_LATENCY (precise_select())
 * and .PRECISE_STORE; MEM_UOPS_RETIRED.STORE_LATENCY of Gracemont, of every
 * store (Intel's list of events, ADL). */
#define MEMORY_LOAD_LATENCY  PRECISE_LOAD_LATENCY
#define MEMORY_STORE_LATENCY 0x06d0
#define MEMORY_PRECISE_STORE 0x02cd
/* LD_BLOCKS.STORE_FORWARD of the 12th generation: what has to be enabled with
 * load latency, on IA32_PMC0 (Linux, arch/x86/events/intel/core.c, PMU_FL_MEM_
 * LOADS_AUX, of 06_8FH, CFH and hybrids; alone to say so). */
#define MEMORY_LOAD_AUXILIARY 0x8203

/* True where the processor's generation has it; else SKIP is said, with what it
 * has instead. */
bool memory_has_load_latency(struct test_context *t);
bool memory_has_precise_store(struct test_context *t);
bool memory_has_data_address(struct test_context *t);
/* Has the buffer addresses of 32 bits, for LOADS_NARROW? */
bool memory_is_narrow(struct test_context *t);
/* CPUID.7.0:EBX[3], BMI1: ANDN, of LOADS_VEX. Pure. */
bool memory_has_vex_loads(const struct identity *id);

/* Sets MSR_PEBS_LD_LAT (3F6H) and checks that it holds. False where it faulted
 * or does not (said). */
bool memory_set_threshold(struct test_context *t, uint64_t cycles);

/* The set of PMC0 to PMC3 that load latency is promised on: those of
 * constraints.h and sampling_counters(). */
unsigned memory_latency_counters(struct test_context *t);
/* The first of them, and the last; 3 where none is. */
unsigned memory_latency_counter(struct test_context *t);
unsigned memory_latency_last(struct test_context *t);

/* LL_EN of a counter, a bit of IA32_PEBS_ENABLE; 0 with extended PEBS, whose
 * fixed counters have these bits: there the event alone asks for the latency
 * (Linux, arch/x86/events/intel/ds.c, of version 5 on). */
uint64_t memory_latency_enable(const struct sampling *p, unsigned counter);

/* A configuration of one counter: the first overflow and each other after 2
 * events, room for PEBS_ROOM_MAX records, and the facility's bits of
 * IA32_PEBS_ENABLE. */
struct sampling_config memory_config(const struct sampling *p,
                                     enum memory_facility facility,
                                     uint64_t select, unsigned counter);

/* What the records of some windows come to. */
#define MEMORY_KEPT 64
struct memory_tally {
    unsigned records;    /* of accesses of the loop, each judged */
    unsigned outside;    /* of other instructions */
    unsigned wrong;      /* FAIL was said for the first */
    unsigned ip_wrong;   /* EventingIP is not the access */
    unsigned bit0, bit4; /* of A0H: so many have it set */
    unsigned loaded;     /* so many have in RAX what is at the address */
    unsigned source[DATA_SOURCES]; /* so many have this in A0H[3:0] */
    uint64_t least, most;          /* of A8H */
    unsigned equal, below; /* so many have the threshold there, or less */
    unsigned reversed;     /* so many memory_judge_reversed() */
    unsigned loads;        /* made in all windows */
    /* Of an even line, and of an odd one; of them with A0H[0] set, and that say
     * that the L1 data cache had it. */
    struct {
        unsigned records, bit0, l1;
    } turn[2];
    /* The first latencies, and what they are of. */
    unsigned kept;
    uint64_t latency[MEMORY_KEPT];
    uint8_t kept_source[MEMORY_KEPT];
};

/* Runs the recipe's window with `config` once; p->records are then there, not
 * judged. False where it could not (said). */
bool memory_window_run(struct sampling *p, const struct sampling_config *config,
                       enum memory_recipe_id recipe);

/* Of p->records, those whose Data Linear Address (98H) is the address in RDI
 * and whose latency is `least` or more; what others hold is not said. */
unsigned memory_with_address(const struct sampling *p, uint64_t least);

/* Runs the recipe's window with `config`, until there are `least` records of
 * the loop, at most `windows` times; judges every record and adds it to the
 * tally, which the caller clears. Threshold: what MSR_PEBS_LD_LAT holds, for
 * load latency. False where a window could not be made (said). */
bool memory_sample(struct sampling *p, const struct sampling_config *config,
                   enum memory_facility facility, uint64_t threshold,
                   enum memory_recipe_id recipe, unsigned least,
                   unsigned windows, struct memory_tally *tally);

/* The same for load latency, of which hardware tags loads at random: goes on
 * after so many windows until there are `least` records, for up to a million
 * loads or some tenths of a second, but at least some thousand loads while
 * there is none: of some hundred one is tagged. That no record came is a failed
 * check: FAIL, or KNOWN where the facility may stop.
 * False where a window could not be made (said). */
bool memory_stream(struct sampling *p, const struct sampling_config *config,
                   uint64_t threshold, enum memory_recipe_id recipe,
                   unsigned least, unsigned windows,
                   struct memory_tally *tally);

/* Checks that most of LOADS_TURNS or STORES_TURNS are right: those of even
 * lines hit (bit0, or of loads l1), and those of odd ones miss. `bits`:
 * their name, for the line. */
void memory_check_turns(struct test_context *t, const char *bits, bool loads,
                        const struct memory_tally *tally);

/* Checks that of STORES_TURNS, and of the same of other sizes, by `config`, on
 * its facility. False where a window could not be run. */
bool memory_stores_by_turns(struct sampling *p,
                            const struct sampling_config *config,
                            enum memory_facility facility, const char *bits,
                            unsigned windows);

/* Fills test_buffer() with words that hold their own addresses, which a load
 * gives. */
void memory_fill(struct test_context *t);

/* Windows to make: the usual number, or as trials= is to 100. */
unsigned memory_windows(struct test_context *t, unsigned usual);

#endif
