/* SPDX-License-Identifier: BSD-2-Clause */
/* datala.c - the table. */
#include "src/memory/datala.h"

#define ALL     (HASWELL | BROADWELL | SKYLAKE | SINCE_ICE_LAKE)
#define BUT_LNC (ALL & ~(unsigned)LION_COVE)
#define OLDER   (HASWELL | BROADWELL)
#define NEWER   (SKYLAKE | SINCE_ICE_LAKE)

/* clang-format off */
const struct datala_event datala_events[] = {
    {"STLB_MISS_LOADS (D0H/11H)",  0x11d0, ALL,   false, ALL,   LOADS_STLB, LOADS_L1},
    {"STLB_MISS_STORES (D0H/12H)", 0x12d0, ALL,   true,  ALL,   STORES_STLB, STORES_L1},
    {"LOCK_LOADS (D0H/21H)",       0x21d0, ALL,   false, ALL,   LOCKED, LOADS_SPREAD},
    {"SPLIT_LOADS (D0H/41H)",      0x41d0, ALL,   false, ALL,   LOADS_SPLIT, LOADS_SPREAD},
    {"SPLIT_STORES (D0H/42H)",     0x42d0, ALL,   true,  ALL,   STORES_SPLIT, STORES_SPREAD},
    {"ALL_LOADS (D0H/81H)",        0x81d0, ALL,   false, ALL,   LOADS_SPREAD, STORES_SPREAD},
    {"ALL_STORES (D0H/82H)",  DATALA_ALL_STORES, ALL,   true,  ALL,   STORES_SPREAD, LOADS_SPREAD},
    {"L1_HIT (D1H/01H)",           0x01d1, BUT_LNC, false, BUT_LNC, LOADS_L1, LOADS_FLUSH},
    {"L1_HIT (D1H/01H, UMASK2 = 1)",
     IA32_PERFEVTSEL_UMASK2_OF(1) | 0x01d1, LION_COVE, false, LION_COVE, LOADS_L1, LOADS_FLUSH},
    {"L2_HIT (D1H/02H)",           0x02d1, ALL,   false, ALL,   LOADS_L2, LOADS_L1},
    {"L2_HIT (D1H/02H)",           0x02d1, ALL,   false, ALL,   LOADS_L2, LOADS_FLUSH},
    {"L3_HIT (D1H/04H)",           0x04d1, ALL,   false, 0,     LOADS_L3, LOADS_L1},
    {"L1_MISS (D1H/08H)",          0x08d1, ALL,   false, ALL,   LOADS_FLUSH, LOADS_L1},
    {"L1_MISS (D1H/08H)",          0x08d1, ALL,   false, ALL,   LOADS_L2, LOADS_L1},
    {"L2_MISS (D1H/10H)",          0x10d1, ALL,   false, ALL,   LOADS_FLUSH, LOADS_L1},
    {"L2_MISS (D1H/10H)",          0x10d1, ALL,   false, ALL,   LOADS_FLUSH, LOADS_L2},
    {"L3_MISS (D1H/20H)",          0x20d1, NEWER, false, NEWER, LOADS_FLUSH, LOADS_L2},
    {"L3_MISS (D1H/20H)",          0x20d1, ALL,   false, NEWER, LOADS_FLUSH, LOADS_L1},
    {"HIT_LFB (D1H/40H)",          0x40d1, ALL,   false, 0,     LOADS_FLUSH, LOADS_L1},
    {"XSNP_MISS (D2H/01H)",        0x01d2, ALL,   false, 0,     LOADS_L3, LOADS_L1},
    {"XSNP_HIT (D2H/02H)",         0x02d2, ALL,   false, 0,     LOADS_L3, LOADS_L1},
    {"XSNP_HITM (D2H/04H)",        0x04d2, ALL,   false, 0,     LOADS_L3, LOADS_L1},
    {"XSNP_NONE (D2H/08H)",        0x08d2, BUT_LNC,   false, 0,     LOADS_L3, LOADS_L1},
    {"STORE_SAMPLE (CDH/02H)",     0x02cd, SINCE_GOLDEN_COVE, true, 0,   STORES_SPREAD, LOADS_SPREAD},
    {"LOCAL_DRAM (D3H/01H)",       0x01d3, OLDER, false, 0,     LOADS_FLUSH, LOADS_L1},
};
/* clang-format on */

const unsigned datala_event_count =
    sizeof(datala_events) / sizeof(datala_events[0]);
