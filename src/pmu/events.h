/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - the events counted, as data.
 *
 * SDM 3B, "Pre-defined Architectural Performance Events", table "UMask and Event
 * Select Encodings for Pre-Defined Architectural Performance Events"; "Association
 * of Fixed-Function Performance Counters with Architectural Performance Events".
 */
#ifndef SRC_PMU_EVENTS_H
#define SRC_PMU_EVENTS_H

#include <stdint.h>

#define PMU_NO_FIXED 0xff

struct pmu_event {
    const char *name;    /* of what is counted, plural */
    uint8_t event, umask; /* IA32_PERFEVTSELx [7:0], [15:8] */
    uint8_t missing;     /* bit of CPUID.0AH:EBX that is 1 where it is missing */
    uint8_t fixed;       /* the fixed counter that counts it, or PMU_NO_FIXED */
};

/* UnHalted Core Cycles */
#define EVENT_CORE_CYCLES {"core cycles", 0x3c, 0x00, 0, 1}
/* Instruction Retired */
#define EVENT_INSTRUCTIONS {"instructions", 0xc0, 0x00, 1, 0}
/* Branch Instruction Retired */
#define EVENT_BRANCHES {"branches", 0xc4, 0x00, 5, PMU_NO_FIXED}

#endif
