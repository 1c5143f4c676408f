/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * datala.h - the events whose records carry the address of the access: data
 * address profiling, from the 4th generation on. Pure.
 *
 * SDM 3B, table "Precise Events That Supports Data Linear Address Profiling"
 * (4th and 5th generation), "Precise Events for the Skylake Microarchitecture";
 * codes from these and from the tables of non-architectural performance events.
 * STORE_SAMPLE is in the place of precise store: Intel's list of events, SPR;
 * what Lion Cove has otherwise: LNL.
 * Not here: UOPS_RETIRED.ALL, which is also of uops that access nothing.
 *
 * Errata HSD29 and its like (BJ122, BV98): with Hyper-Threading, counts of D0H
 * to D3H may also have events of the other thread in them. An overflow then
 * comes sooner; what a record says of its access stays true. So nothing is
 * judged by these counts.
 */
#ifndef SRC_MEMORY_DATALA_H
#define SRC_MEMORY_DATALA_H

#include "src/cpu/generation.h"
#include "src/memory/memory_sampling.h"

struct datala_event {
    const char *name; /* D0H: MEM_UOPS_RETIRED, from Skylake on MEM_INST_ */
    uint64_t select;  /* umasks, event */
    uint16_t generations;
    bool store;       /* of stores, else of loads */
    uint16_t certain; /* generations on which the recipe makes it, and neither
                        prefetchers nor an erratum may keep it away */
    enum memory_recipe_id recipe; /* what makes it, or may */
    enum memory_recipe_id never;  /* what does not */
};

#define DATALA_ALL_LOADS  0x81d0
#define DATALA_ALL_STORES 0x82d0

extern const struct datala_event datala_events[];
extern const unsigned datala_event_count;

#endif
