/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * events.c - tables of events that several personalities share.
 *
 * SDM volume 3B, "Performance Monitoring", the tables of events; of later
 * processors Intel's lists (github.com/intel/perfmon).
 */
#include "tests/silicon/personalities/common/families.h"

/* clang-format off */
/* Table "UMask and Event Select Encodings for Pre-Defined Architectural
 * Performance Events": LLC references and misses, mispredicted branches. */
#define ARCHITECTURAL_REST                                                    \
    { 0x2E, 0x4F, EVENT_LLC_REFERENCES, 0, 0 },                                  \
    { 0x2E, 0x41, EVENT_LLC_MISSES, 0, 0 },                                      \
    { 0xC5, 0x00, EVENT_BRANCHES_MISPREDICTED, 0, 0 }

#define OFFCORE_EVENTS_01                                                     \
    { 0xB7, 0x01, EVENT_OFFCORE_0, 0, 0 }, { 0xBB, 0x01, EVENT_OFFCORE_1, 0, 0 }

#define ANY_COUNTER 0xF
#define COUNTER_1   0x2
#define COUNTER_3   0x8

/* START, COMMIT, ABORTED, which is precise, and ABORTED by category: table
 * "Intel TSX Performance Events". */
#define TSX_EVENTS(event, kind)                                               \
    { event, 0x01, kind, 0, 0 }, { event, 0x02, kind, 0, 0 },                       \
    { event, 0x04, kind, ANY_COUNTER, 0 }, { event, 0x08, kind, 0, 0 },             \
    { event, 0x10, kind, 0, 0 }, { event, 0x20, kind, 0, 0 },                       \
    { event, 0x40, kind, 0, 0 }, { event, 0x80, kind, 0, 0 }

/* TX_MEM, but for capacity, and TX_EXEC: what the model knows of them. */
#define TSX_CAUSES                                                            \
    { 0x54, 0x01, EVENT_TX_MEM, 0, 0 }, { 0x54, 0x04, EVENT_TX_MEM, 0, 0 },         \
    { 0x54, 0x10, EVENT_TX_MEM, 0, 0 }, { 0x54, 0x40, EVENT_TX_MEM, 0, 0 },         \
    { 0x5D, 0x04, EVENT_TX_EXEC, 0, 0 }, { 0x5D, 0x08, EVENT_TX_EXEC, 0, 0 },       \
    { 0x5D, 0x10, EVENT_TX_EXEC, 0, 0 }

/* Loads and stores of all generations, precise on these counters. */
#define MEMORY_EVENTS                                                         \
    { 0xCD, 0x01, EVENT_LOAD_LATENCY, ANY_COUNTER, 0 },                          \
    { 0xD0, 0x11, EVENT_MEM_UOPS, ANY_COUNTER, 0 }, /* STLB_MISS_LOADS */        \
    { 0xD0, 0x12, EVENT_MEM_UOPS, ANY_COUNTER, 0 }, /* STLB_MISS_STORES */       \
    { 0xD0, 0x21, EVENT_MEM_UOPS, ANY_COUNTER, 0 }, /* LOCK_LOADS */             \
    { 0xD0, 0x41, EVENT_MEM_UOPS, ANY_COUNTER, 0 }, /* SPLIT_LOADS */            \
    { 0xD0, 0x42, EVENT_MEM_UOPS, ANY_COUNTER, 0 }, /* SPLIT_STORES */           \
    { 0xD0, 0x81, EVENT_MEM_UOPS, ANY_COUNTER, 0 }, /* ALL_LOADS */              \
    { 0xD0, 0x82, EVENT_MEM_UOPS, ANY_COUNTER, 0 }, /* ALL_STORES */             \
    { 0xD1, 0x01, EVENT_MEM_LOAD, ANY_COUNTER, 0 }, /* L1_HIT */                 \
    { 0xD1, 0x02, EVENT_MEM_LOAD, ANY_COUNTER, 0 }, /* L2_HIT */                 \
    { 0xD1, 0x04, EVENT_MEM_LOAD, ANY_COUNTER, 0 }, /* L3_HIT */                 \
    { 0xD1, 0x40, EVENT_MEM_LOAD, ANY_COUNTER, 0 }, /* HIT_LFB */                \
    { 0xD2, 0x01, EVENT_MEM_LLC_HIT, ANY_COUNTER, 0 }, /* XSNP_MISS */           \
    { 0xD2, 0x02, EVENT_MEM_LLC_HIT, ANY_COUNTER, 0 }, /* XSNP_HIT */            \
    { 0xD2, 0x04, EVENT_MEM_LLC_HIT, ANY_COUNTER, 0 }, /* XSNP_HITM */           \
    { 0xD2, 0x08, EVENT_MEM_LLC_HIT, ANY_COUNTER, 0 }  /* XSNP_NONE */
/* And from the 4th generation on. */
#define MEMORY_EVENTS_HSW                                                     \
    MEMORY_EVENTS,                                                            \
    { 0xD1, 0x08, EVENT_MEM_LOAD, ANY_COUNTER, 0 }, /* L1_MISS */                \
    { 0xD1, 0x10, EVENT_MEM_LOAD, ANY_COUNTER, 0 }, /* L2_MISS */                \
    { 0xD1, 0x20, EVENT_MEM_LOAD, ANY_COUNTER, 0 }  /* L3_MISS */

/* BR_INST_RETIRED has umasks of its own beside the architectural 00H. What is
 * precise: table "Precise Events for the Skylake Microarchitecture". */
const struct event_row family_events_skl[62] = {
    { 0xC0, 0x00, EVENT_INSTRUCTIONS, 0, 0 },
    { 0xC0, 0x01, EVENT_INSTRUCTIONS, COUNTER_1, 0 },      /* PREC_DIST */
    { 0xC4, 0x00, EVENT_BRANCHES, 0, 0 },
    { 0xC4, 0x01, EVENT_BRANCHES_CONDITIONAL, ANY_COUNTER, 0 },
    { 0xC4, 0x02, EVENT_BRANCHES_CALL, ANY_COUNTER, 0 },
    { 0xC4, 0x04, EVENT_BRANCHES, ANY_COUNTER, 0 },
    { 0xC4, 0x08, EVENT_BRANCHES_RETURN, ANY_COUNTER, 0 },
    { 0xC4, 0x10, EVENT_BRANCHES_NOT_TAKEN, 0, 0 },
    { 0xC4, 0x20, EVENT_BRANCHES_TAKEN, ANY_COUNTER, 0 },
    { 0xC4, 0x40, EVENT_BRANCHES_FAR, ANY_COUNTER, 0 },
    { 0xC5, 0x04, EVENT_BRANCHES_MISPREDICTED, ANY_COUNTER, 0 },
    { 0x3C, 0x00, EVENT_CYCLES, 0, 0 },
    { 0x3C, 0x01, EVENT_CYCLES_BUS, 0, 0 },
    ARCHITECTURAL_REST,
    OFFCORE_EVENTS_01,
    TSX_EVENTS(0xC8, EVENT_HLE_RETIRED),
    TSX_EVENTS(0xC9, EVENT_RTM_RETIRED),
    TSX_CAUSES,
    { 0x54, 0x02, EVENT_TX_CAPACITY, 0, 0 },
    MEMORY_EVENTS_HSW,
    { 0xD0, 0x22, EVENT_MEM_UOPS, ANY_COUNTER, 0 },        /* LOCK_STORES */
};

/* Table "PEBS Performance Events for Intel Microarchitecture Code Name Sandy
 * Bridge", which Ivy Bridge and Haswell share. */
#define EVENTS_OLD \
    { 0xC0, 0x00, EVENT_INSTRUCTIONS, 0, 0 }, \
    { 0xC0, 0x01, EVENT_INSTRUCTIONS, COUNTER_1, 0 }, \
    { 0xC4, 0x00, EVENT_BRANCHES, 0, 0 }, \
    { 0xC4, 0x01, EVENT_BRANCHES_CONDITIONAL, ANY_COUNTER, 0 }, \
    { 0xC4, 0x02, EVENT_BRANCHES_CALL, ANY_COUNTER, 0 }, \
    { 0xC4, 0x04, EVENT_BRANCHES, ANY_COUNTER, 0 }, \
    { 0xC4, 0x08, EVENT_BRANCHES_RETURN, ANY_COUNTER, 0 }, \
    { 0xC4, 0x10, EVENT_BRANCHES_NOT_TAKEN, 0, 0 }, \
    { 0xC4, 0x20, EVENT_BRANCHES_TAKEN, ANY_COUNTER, 0 }, \
    { 0xC4, 0x40, EVENT_BRANCHES_FAR, 0, 0 }, \
    { 0xC5, 0x04, EVENT_BRANCHES_MISPREDICTED, ANY_COUNTER, 0 }, \
    { 0x3C, 0x00, EVENT_CYCLES, 0, 0 }, \
    { 0x3C, 0x01, EVENT_CYCLES_BUS, 0, 0 }, \
    ARCHITECTURAL_REST, \
    OFFCORE_EVENTS_01
const struct event_row family_events_old[35] = {
    EVENTS_OLD,
    MEMORY_EVENTS,
    { 0xCD, 0x02, EVENT_PRECISE_STORE, COUNTER_3, 0 },
};

/* The same, and TSX. */
const struct event_row family_events_hsw[62] = {
    EVENTS_OLD,
    TSX_EVENTS(0xC8, EVENT_HLE_RETIRED),
    TSX_EVENTS(0xC9, EVENT_RTM_RETIRED),
    TSX_CAUSES,
    { 0x54, 0x02, EVENT_TX_MEM, 0, 0 },
    MEMORY_EVENTS_HSW,
    { 0xD3, 0x01, EVENT_MEM_LLC_MISS, ANY_COUNTER, 0 },    /* LOCAL_DRAM */
};

/* Intel's lists of events of 06_7EH and 06_6AH, "icelake_core" and
 * "icelakex_core": what is precise there, and which counters count it. The
 * first has no event D3H. */
#define FIRST_FOUR 0x0F
#define ALL_EIGHT  0xFF
#define ICX_TX(umask, precise)                                                \
    { 0xC9, umask, EVENT_RTM_RETIRED, precise, 0 }
#define ICX_LOADS(umask)                                                      \
    { 0xD1, umask, EVENT_MEM_LOAD, FIRST_FOUR, FIRST_FOUR }
#define ICX_UOPS(umask)                                                       \
    { 0xD0, umask, EVENT_MEM_UOPS, FIRST_FOUR, FIRST_FOUR }
#define ICX_SNOOPS(umask)                                                     \
    { 0xD2, umask, EVENT_MEM_LLC_HIT, FIRST_FOUR, FIRST_FOUR }

/* What both, and those of later cores, have. */
#define NEWER_EVENTS                                                          \
    { 0xC4, 0x00, EVENT_BRANCHES, ALL_EIGHT, 0 },                             \
    { 0xC4, 0x01, EVENT_BRANCHES_CONDITIONAL_TAKEN, ALL_EIGHT, 0 },           \
    { 0xC4, 0x02, EVENT_BRANCHES_CALL, ALL_EIGHT, 0 },                        \
    { 0xC4, 0x08, EVENT_BRANCHES_RETURN, ALL_EIGHT, 0 },                      \
    { 0xC4, 0x10, EVENT_BRANCHES_NOT_TAKEN, ALL_EIGHT, 0 },                   \
    { 0xC4, 0x11, EVENT_BRANCHES_CONDITIONAL, ALL_EIGHT, 0 },                 \
    { 0xC4, 0x20, EVENT_BRANCHES_TAKEN, ALL_EIGHT, 0 },                       \
    { 0xC4, 0x40, EVENT_BRANCHES_FAR, ALL_EIGHT, 0 },                         \
    { 0xC4, 0x80, EVENT_BRANCHES_INDIRECT, ALL_EIGHT, 0 },                    \
    { 0xC5, 0x00, EVENT_BRANCHES_MISPREDICTED, ALL_EIGHT, 0 },                \
    { 0x3C, 0x00, EVENT_CYCLES, 0, 0 },                                       \
    { 0xA4, 0x01, EVENT_SLOTS, 0, 0 },                                        \
    { 0x2E, 0x4F, EVENT_LLC_REFERENCES, 0, 0 },                               \
    { 0x2E, 0x41, EVENT_LLC_MISSES, 0, 0 },                                   \
    ICX_TX(0x01, 0), ICX_TX(0x02, 0), ICX_TX(0x04, ALL_EIGHT),                \
    { 0x54, 0x01, EVENT_TX_MEM, 0, FIRST_FOUR },                              \
    { 0x54, 0x02, EVENT_TX_MEM, 0, FIRST_FOUR },                              \
    { 0x54, 0x80, EVENT_TX_MEM, 0, FIRST_FOUR },                              \
    ICX_TX(0x08, 0), ICX_TX(0x20, 0), ICX_TX(0x40, 0), ICX_TX(0x80, 0),       \
    ICX_UOPS(0x11), ICX_UOPS(0x12), ICX_UOPS(0x21), ICX_UOPS(0x41),           \
    ICX_UOPS(0x42), ICX_UOPS(0x81), ICX_UOPS(0x82),                           \
    ICX_LOADS(0x01), ICX_LOADS(0x02), ICX_LOADS(0x04), ICX_LOADS(0x08),       \
    ICX_LOADS(0x10), ICX_LOADS(0x20), ICX_LOADS(0x40),                        \
    ICX_SNOOPS(0x01), ICX_SNOOPS(0x02), ICX_SNOOPS(0x04), ICX_SNOOPS(0x08)
#define ICL_EVENTS                                                            \
    NEWER_EVENTS,                                                             \
    { 0xC0, 0x00, EVENT_INSTRUCTIONS, ALL_EIGHT, 0 },                         \
    { 0x3C, 0x01, EVENT_CYCLES_BUS, 0, 0 },                                   \
    { 0x5D, 0x04, EVENT_TX_EXEC, 0, 0 },                                      \
    { 0xCD, 0x01, EVENT_LOAD_LATENCY, ALL_EIGHT, 0 },                         \
    { 0xB7, 0x01, EVENT_OFFCORE_0, 0, FIRST_FOUR },                           \
    { 0xBB, 0x01, EVENT_OFFCORE_1, 0, FIRST_FOUR }

const struct event_row family_events_icl[48] = { ICL_EVENTS };

const struct event_row family_events_icx[49] = {
    ICL_EVENTS,
    { 0xD3, 0x01, EVENT_MEM_LLC_MISS, FIRST_FOUR, FIRST_FOUR },
};

/* Intel's list of 06_8FH, "sapphirerapids_core". Neither instructions nor the
 * latency of loads on counter 0. */
#define ALL_BUT_0 0xFE
#define GOLDEN_COVE_EVENTS                                                    \
    NEWER_EVENTS,                                                             \
    { 0xC0, 0x00, EVENT_INSTRUCTIONS, ALL_BUT_0, 0 },                         \
    { 0x3C, 0x01, EVENT_CYCLES_REFERENCE, 0, 0 },                             \
    { 0xCD, 0x01, EVENT_LOAD_LATENCY, ALL_BUT_0, ALL_BUT_0 },                 \
    { 0x2A, 0x01, EVENT_OFFCORE_0, 0, FIRST_FOUR },                           \
    { 0x2B, 0x01, EVENT_OFFCORE_1, 0, FIRST_FOUR }

const struct event_row family_events_spr[48] = {
    GOLDEN_COVE_EVENTS,
    { 0xD3, 0x01, EVENT_MEM_LLC_MISS, FIRST_FOUR, FIRST_FOUR },
};

/* Of 06_97H: "alderlake_goldencove_core", and "alderlake_gracemont_core", whose
 * branches have umasks of their own. */
const struct event_row family_events_glc[47] = { GOLDEN_COVE_EVENTS };

/* Intel's list of 06_BDH, "lunarlake_lioncove_core", which is that of 06_C6H,
 * too: conditional branches that are taken are two kinds, and what has both has
 * UMASK2 = 1. */
#define ALL_TEN 0x3FF
#define FROM_2  0x3FC
#define LNC_BRANCHES(umask, kind)                                             \
    { 0xC4, umask, kind, ALL_TEN, 0 }
#define LNC_L1_HIT                                                            \
    { 0xD1, 0x101, EVENT_MEM_LOAD, FIRST_FOUR, FIRST_FOUR }
const struct event_row family_events_lnc[33] = {
    { 0xC0, 0x00, EVENT_INSTRUCTIONS, ALL_TEN, 0 },
    LNC_BRANCHES(0x00, EVENT_BRANCHES),
    LNC_BRANCHES(0x101, EVENT_BRANCHES_CONDITIONAL_TAKEN),
    LNC_BRANCHES(0x111, EVENT_BRANCHES_CONDITIONAL),
    LNC_BRANCHES(0x02, EVENT_BRANCHES_CALL),
    LNC_BRANCHES(0x08, EVENT_BRANCHES_RETURN),
    LNC_BRANCHES(0x10, EVENT_BRANCHES_NOT_TAKEN),
    LNC_BRANCHES(0x20, EVENT_BRANCHES_TAKEN),
    LNC_BRANCHES(0x40, EVENT_BRANCHES_FAR),
    LNC_BRANCHES(0x80, EVENT_BRANCHES_INDIRECT),
    { 0xC5, 0x00, EVENT_BRANCHES_MISPREDICTED, ALL_TEN, 0 },
    { 0x3C, 0x00, EVENT_CYCLES, 0, 0 },
    { 0x3C, 0x01, EVENT_CYCLES_REFERENCE, 0, 0 },
    { 0xA4, 0x01, EVENT_SLOTS, 0, 0 },
    { 0x2E, 0x4F, EVENT_LLC_REFERENCES, 0, 0 },
    { 0x2E, 0x41, EVENT_LLC_MISSES, 0, 0 },
    { 0xCD, 0x01, EVENT_LOAD_LATENCY, FROM_2, FROM_2 },
    ICX_UOPS(0x11), ICX_UOPS(0x12), ICX_UOPS(0x21), ICX_UOPS(0x41),
    ICX_UOPS(0x42), ICX_UOPS(0x81), ICX_UOPS(0x82),
    LNC_L1_HIT, ICX_LOADS(0x02), ICX_LOADS(0x04), ICX_LOADS(0x08),
    ICX_LOADS(0x10), ICX_LOADS(0x20), ICX_LOADS(0x40),
    ICX_SNOOPS(0x01), ICX_SNOOPS(0x04),
};

#define ALL_SIX 0x3F
#define FIRST_TWO 0x03
const struct event_row family_events_grt[30] = {
    { 0xC0, 0x00, EVENT_INSTRUCTIONS, ALL_SIX, 0 },
    { 0xC4, 0x00, EVENT_BRANCHES, ALL_SIX, 0 },
    { 0xC4, 0x7E, EVENT_BRANCHES_CONDITIONAL, ALL_SIX, 0 },
    { 0xC4, 0xBF, EVENT_BRANCHES_FAR, ALL_SIX, 0 },
    { 0xC4, 0xC0, EVENT_BRANCHES_TAKEN, ALL_SIX, 0 },
    { 0xC4, 0xEB, EVENT_BRANCHES_INDIRECT, ALL_SIX, 0 },
    { 0xC4, 0xF7, EVENT_BRANCHES_RETURN, ALL_SIX, 0 },
    { 0xC4, 0xF9, EVENT_BRANCHES_CALL, ALL_SIX, 0 },
    { 0xC4, 0xFE, EVENT_BRANCHES_CONDITIONAL_TAKEN, ALL_SIX, 0 },
    { 0xC5, 0x00, EVENT_BRANCHES_MISPREDICTED, ALL_SIX, 0 },
    { 0x3C, 0x00, EVENT_CYCLES, 0, 0 },
    { 0x3C, 0x01, EVENT_CYCLES_REFERENCE, 0, 0 },
    { 0x2E, 0x4F, EVENT_LLC_REFERENCES, 0, 0 },
    { 0x2E, 0x41, EVENT_LLC_MISSES, 0, 0 },
    { 0xD0, 0x05, EVENT_LOAD_LATENCY, FIRST_TWO, FIRST_TWO },
    { 0xD0, 0x06, EVENT_STORE_LATENCY, ALL_SIX, 0 },
    { 0xD0, 0x11, EVENT_MEM_UOPS, ALL_SIX, 0 },
    { 0xD0, 0x12, EVENT_MEM_UOPS, ALL_SIX, 0 },
    { 0xD0, 0x21, EVENT_MEM_UOPS, ALL_SIX, 0 },
    { 0xD0, 0x41, EVENT_MEM_UOPS, ALL_SIX, 0 },
    { 0xD0, 0x42, EVENT_MEM_UOPS, ALL_SIX, 0 },
    { 0xD0, 0x81, EVENT_MEM_UOPS, ALL_SIX, 0 },
    { 0xD0, 0x82, EVENT_MEM_UOPS, ALL_SIX, 0 },
    { 0xD1, 0x01, EVENT_MEM_LOAD, ALL_SIX, 0 },
    { 0xD1, 0x02, EVENT_MEM_LOAD, ALL_SIX, 0 },
    { 0xD1, 0x04, EVENT_MEM_LOAD, ALL_SIX, 0 },
    { 0xD1, 0x08, EVENT_MEM_LOAD, ALL_SIX, 0 },
    { 0xD1, 0x10, EVENT_MEM_LOAD, ALL_SIX, 0 },
    { 0xB7, 0x01, EVENT_OFFCORE_0, 0, 0 },
    { 0xB7, 0x02, EVENT_OFFCORE_1, 0, 0 },
};
/* clang-format on */
