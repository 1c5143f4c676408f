/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.h - the events counted, as data.
 *
 * SDM 3B, "Pre-defined Architectural Performance Events", table "UMask and
 * Event Select Encodings for Pre-Defined Architectural Performance Events";
 * "Association of Fixed-Function Performance Counters with Architectural
 * Performance Events".
 */
#ifndef SRC_COUNTING_EVENTS_H
#define SRC_COUNTING_EVENTS_H

#include <stdint.h>

/* What is known beforehand of the count in a window. */
enum pmu_event_kind {
    COUNTS_INSTRUCTIONS, /* exact, but for the WRMSRs at both ends */
    COUNTS_BRANCHES,     /* exact */
    COUNTS_TIME,         /* only that it is not 0 */
};

#define PMU_NO_FIXED 0xff

struct pmu_event {
    const char *name; /* of what is counted, plural */
    enum pmu_event_kind kind;
    uint8_t event, umask; /* IA32_PERFEVTSELx [7:0], [15:8] */
    uint8_t
        missing;   /* the bit of CPUID.0AH:EBX that is 1 where it is missing */
    uint8_t fixed; /* the fixed counter that counts it, or PMU_NO_FIXED */
};

/* Instruction Retired; Branch Instruction Retired; UnHalted Core Cycles */
#define EVENT_INSTRUCTIONS                                    \
    {                                                         \
        "instructions", COUNTS_INSTRUCTIONS, 0xc0, 0x00, 1, 0 \
    }
#define EVENT_BRANCHES                                           \
    {                                                            \
        "branches", COUNTS_BRANCHES, 0xc4, 0x00, 5, PMU_NO_FIXED \
    }
#define EVENT_CORE_CYCLES                            \
    {                                                \
        "core cycles", COUNTS_TIME, 0x3c, 0x00, 0, 1 \
    }

/* SDM 3B, table "Intel TSX Performance Events" and the tables of events of the
 * processors with TSX: RTM_RETIRED and HLE_RETIRED. */
#define EVENT_HLE_RETIRED UINT64_C(0xc8)
#define EVENT_RTM_RETIRED UINT64_C(0xc9)
#define UMASK_START       UINT64_C(0x0100)
#define UMASK_COMMIT      UINT64_C(0x0200)
#define UMASK_ABORTED     UINT64_C(0x0400)
/* Categories, of which one abort may be in several. */
#define UMASK_ABORTED_MEM        UINT64_C(0x0800)
#define UMASK_ABORTED_TIMER      UINT64_C(0x1000)
#define UMASK_ABORTED_UNFRIENDLY UINT64_C(0x2000)
#define UMASK_ABORTED_MEMTYPE    UINT64_C(0x4000)
#define UMASK_ABORTED_EVENTS     UINT64_C(0x8000) /* and of none of the others */

/* The same tables: TX_MEM and TX_EXEC. */
#define EVENT_TX_MEM                            UINT64_C(0x54)
#define UMASK_ABORT_CONFLICT                    UINT64_C(0x0100)
#define UMASK_ABORT_CAPACITY                    UINT64_C(0x0200) /* writes */
#define UMASK_ABORT_HLE_STORE_TO_ELIDED_LOCK    UINT64_C(0x0400)
#define UMASK_ABORT_HLE_ELISION_BUFFER_MISMATCH UINT64_C(0x1000)
/* The generations that have all that is not of HLE. */
#define TX_MEM_LISTED (HASWELL | BROADWELL | SKYLAKE | ICE_LAKE | GOLDEN_COVE)
#define EVENT_TX_EXEC UINT64_C(0x5d)
#define UMASK_MISC3   UINT64_C(0x0400) /* too deep */
#define UMASK_MISC4   UINT64_C(0x0800) /* XBEGIN in an elision */
#define UMASK_MISC5   UINT64_C(0x1000) /* XACQUIRE in a transaction of RTM */

/* Instruction Retired, as IA32_PERFEVTSELx [15:0] */
#define EVENT_INST_RETIRED UINT64_C(0xc0)

#endif
