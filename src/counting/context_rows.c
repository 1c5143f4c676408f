/* SPDX-License-Identifier: BSD-2-Clause */
/* context_rows.c - the table. */
#include "src/counting/context_rows.h"

#include "asm/ring3_window.h"
#include "src/base/msr.h"
#include "src/cpu/generation.h"

#define WIDE 16 /* more than retire in a cycle, as CMASK */

#define BEFORE           (HASWELL | BROADWELL | SKYLAKE)
#define LISTED           (BEFORE | SINCE_ICE_LAKE)
#define BEFORE_LION_COVE (BEFORE | ICE_LAKE | GOLDEN_COVE)

const struct context_row context_rows[] = {
    {"instructions (C0H)", 0xc0, INSTRUCTIONS, 0, 0, true, 0},
    {"branches (C4H)", 0xc4, BRANCHES, 0, 0, true, 0},
    {"conditional branches (C4H/01H)", 0x01c4, EVENTS, BEFORE, 1, false, 0},
    {"conditional branches (C4H/11H)", 0x11c4, EVENTS, ICE_LAKE | GOLDEN_COVE,
     1, false, 0},
    {"conditional branches (C4H/111H)", IA32_PERFEVTSEL_UMASK2_OF(1) | 0x11c4,
     EVENTS, LION_COVE, 1, false, 0},
    {"calls (C4H/02H)", 0x02c4, EVENTS, LISTED, 0, false, 0},
    {"returns (C4H/08H)", 0x08c4, EVENTS, LISTED, 0, false, 0},
    {"branches not taken (C4H/10H)", 0x10c4, EVENTS, LISTED, 0, false, 0},
    {"branches taken (C4H/20H)", 0x20c4, EVENTS, LISTED, 5, false, 0},
    {"loads (D0H/81H)", 0x81d0, EVENTS, LISTED, 0, false, RING3_BODY_LOAD},
    {"stores (D0H/82H)", 0x82d0, EVENTS, LISTED, 0, false, RING3_BODY_STORE},
    {"locked loads (D0H/21H)", 0x21d0, EVENTS, LISTED, 0, false,
     RING3_BODY_LOAD | RING3_BODY_LOCKED},
    {"split loads (D0H/41H)", 0x41d0, EVENTS, LISTED, 0, false,
     RING3_BODY_LOAD | RING3_BODY_SPLIT},
    {"split stores (D0H/42H)", 0x42d0, EVENTS, LISTED, 0, false,
     RING3_BODY_STORE | RING3_BODY_SPLIT},
    {"loads from the L1 (D1H/01H)", 0x01d1, SOME, BEFORE_LION_COVE, 0, false,
     0},
    {"loads past the L1 (D1H/08H)", 0x08d1, SOME, BEFORE_LION_COVE, 0, false,
     0},
    {"cycles (3CH)", 0x3c, CORE, 0, 0, true, 0},
    {"cycles with fewer instructions than CMASK = 16 (C0H, INV)",
     0xc0 | IA32_PERFEVTSEL_INV | WIDE << 24, CORE, 0, 0, false, 0},
    {"the same, at their begin (EDGE)",
     0xc0 | IA32_PERFEVTSEL_INV | IA32_PERFEVTSEL_E | WIDE << 24, ONCE, 0, 0,
     false, 0},
    {"cycles with CMASK = 2 branches (C4H)", 0xc4 | 2 << 24, PAIRS, 0, 0, false,
     0},
    {"reference cycles (3CH/01H)", 0x013c, CLOCK, 0, 0, false, 0},
    {"references of the last level (2EH/4FH)", 0x4f2e, SOME, 0, 0, false, 0},
    {"misses of the last level (2EH/41H)", 0x412e, SOME, 0, 0, false, 0},
    {"off-core responses (B7H)", 0x01b7, SOME, BEFORE | ICE_LAKE, 0, false, 0},
};
const unsigned context_row_count =
    sizeof(context_rows) / sizeof(context_rows[0]);
