/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uncore.h - the performance monitors outside the cores of client processors:
 * the clock, a pair of counters for each C-Box and for the ARB. They belong to
 * the package: all its processors see the same registers.
 *
 * SDM volume 3B, "Performance Monitoring", topics "Uncore Performance
 * Monitoring Facilities In Intel Core i7-2xxx ..", "Uncore Performance
 * Monitoring Facilities in the 4th Generation Intel Core Processors", table
 * "Uncore PMU MSR Summary", figures "Layout of Uncore PERFEVTSEL MSR for a
 * C-Box Unit or the ARB Unit", "Layout of MSR_UNC_PERF_GLOBAL_CTRL MSR for
 * Uncore"; numbers in volume 4. Events: table "Non-Architectural Performance
 * Events In the Processor Core", its uncore part, of each generation.
 */
#ifndef SILICON_MODEL_UNCORE_UNCORE_H
#define SILICON_MODEL_UNCORE_UNCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/silicon/model/memory/cache.h"
#include "tests/silicon/model/choices.h"

struct machine;
struct processor;

#define UNCORE_BOXES_MAX 8

/* What a personality has; its numbers beyond these are all the same. */
struct uncore_traits {
    uint32_t global_ctrl, global_status; /* MSRs */
    uint8_t cores;                /* that MSR_UNC_PERF_GLOBAL_CTRL can select */
    uint8_t config;               /* MSR_UNC_CBO_CONFIG */
    uint8_t boxes;                /* C-Boxes of cores, a power of two */
    uint8_t registers;            /* C-Boxes that have them */
    uint8_t clock_up, clock_down; /* ticks of the clock to those of the TSC */
    uint8_t clock_bits; /* of MSR_UNC_PERF_FIXED_CTR: 48, or 44 by the table of
                           uncore MSRs of the 6th generation */
};

/* Bits of MSR_UNC_PERF_GLOBAL_STATUS. */
#define UNCORE_STATUS_FIXED UINT64_C(1)
#define UNCORE_STATUS_ARB   UINT64_C(2)
#define UNCORE_STATUS_CBOX  UINT64_C(8)

struct uncore_counter {
    uint64_t select, value;
    uint64_t busy; /* cycles with events, for INV, since the clock was read */
    bool was_busy; /* since the last edge */
};

struct uncore {
    volatile uint32_t lock;
    uint64_t (*tsc)(void); /* NULL: the clock stands still */
    uint64_t ctrl, status;
    uint64_t fixed_ctrl, fixed; /* the clock as of fixed_tsc */
    uint64_t fixed_tsc, fixed_remainder;
    struct uncore_counter box[UNCORE_BOXES_MAX][2], arb[2];
    volatile bool counting;      /* C-Boxes, ARB, or a clock that interrupts */
    volatile uint32_t pmis;      /* sent so far */
    volatile uint64_t pmi_cores; /* that the last one was for */
    unsigned lookups;            /* so far */
    struct random random;
    bool status_write_clears, status_of_all, status_without_pmi; /* open */
};

void uncore_start(struct machine *m);

/* Is this a register of the uncore, on this processor? */
bool uncore_is_msr(const struct machine *m, uint32_t number);
/* Of the fixed counter? */
bool uncore_is_fixed(uint32_t number);
/* False: #GP. */
bool uncore_read(struct machine *m, uint32_t number, uint64_t *value);
bool uncore_write(struct machine *m, uint32_t number, uint64_t value);

enum uncore_kind { UNCORE_READ, UNCORE_WRITE };

/*
 * A request of a core that has missed the second level: line: its physical
 * address; level: CACHE_LLC, CACHE_DRAM or CACHE_NONE. cycles: of the core,
 * until it is served.
 */
void uncore_lookup(struct machine *m, uint64_t line, enum uncore_kind kind,
                   enum cache_level level, enum cache_snoop snoop,
                   uint32_t cycles);

/*
 * To be called after each instruction while m->uncore.counting is set or
 * m->uncore.pmis differs from p->uncore_pmis: lets the clock overflow and gives
 * this processor the interrupts that are for it.
 */
void uncore_poll(struct processor *p);

#endif
