/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * data_source.h - where a load's data came from, by the encoding in its record
 * of the load latency facility. Pure.
 *
 * SDM 3B, tables "Data Source Encoding for Load Latency Record" (Nehalem) and
 * "Layout of Data Source Field of Load Latency Record" (Sandy Bridge, and
 * "unchanged" up to the 6th generation); "Data Source Encoding for Memory
 * Accesses (Ice Lake and Later Microarchitectures)" of later editions, which
 * Linux has too (arch/x86/events/intel/ds.c, pebs_data_source with the changes
 * of intel_pmu_pebs_data_source_skl, and for Gracemont of .._grt, for Lion Cove
 * lnc_pebs_data_source, alone to say so).
 */
#ifndef SRC_MEMORY_DATA_SOURCE_H
#define SRC_MEMORY_DATA_SOURCE_H

#include "src/cpu/generation.h"
#include "src/base/msr.h"

/* The field at A0H. */
#define DATA_SOURCE_SOURCE    BITS(3, 0)
#define DATA_SOURCE_L1        1      /* of every generation */
#define DATA_SOURCE_STLB_MISS BIT(4) /* from Sandy Bridge on */
#define DATA_SOURCE_LOCK      BIT(5) /* from Sandy Bridge on */
#define DATA_SOURCE_RESERVED  BITS(63, 6)
/* Of the encodings of Lion Cove, which have eight bits, 10H and 11H are taken
 * for 9 and 10, which are reserved there. */
#define DATA_SOURCE_HIGH 9

#define DATA_SOURCES 16

/* Bits, so that a set of them can be named. */
enum data_level {
    LEVEL_RESERVED = 1 << 0,
    LEVEL_L1 = 1 << 1,
    LEVEL_PENDING = 1 << 2, /* a miss of the same line was under way */
    LEVEL_L2 = 1 << 3,
    LEVEL_L3 = 1 << 4,
    LEVEL_MEMORY = 1 << 5, /* missed the L3 cache */
    LEVEL_IO = 1 << 6,
    LEVEL_UNCACHEABLE = 1 << 7,
};

/* Of the same package. */
enum data_core {
    CORE_NOTHING,
    CORE_MODIFIED, /* another core has the line, and has modified it */
    CORE_FORWARDS, /* it has, and has modified it or not */
    CORE_EITHER,   /* as CORE_MODIFIED; or it has not, where that is another */
};

struct data_source {
    enum data_level level;
    const char *name;
    enum data_core core;
};

/* What `source`, the field's [3:0], says on a processor: by generation, and by
 * DisplayModel where the manual's note goes by it. NULL where the generation
 * has no load latency facility that is known here. */
const struct data_source *data_source_of(enum generation generation,
                                         unsigned model, unsigned source);

#endif
