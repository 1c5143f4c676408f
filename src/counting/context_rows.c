/* SPDX-License-Identifier: BSD-2-Clause */
/* context_rows.c - the table. */
#include "src/counting/context_rows.h"

#include "asm/ring3_window.h"
#include "src/base/msr.h"
#include "src/cpu/generation.h"

/* "MSR_OFFCORE_RSP_x Request_Type Fields Definition": DMND_DATA_RD, DMND_RFO.
 */
#define DATA_RD BIT(0)
#define RFO     BIT(1)

#define WIDE 16 /* more than retire in a cycle, as CMASK */

#define BEFORE           (HASWELL | BROADWELL | SKYLAKE)
#define LISTED           (BEFORE | SINCE_ICE_LAKE)
#define BEFORE_LION_COVE (BEFORE | ICE_LAKE | GOLDEN_COVE)

const struct context_row context_rows[] = {
    {"instructions (C0H)", 0xc0, INSTRUCTIONS, 0, 0, true, 0, 0},
    {"branches (C4H)", 0xc4, BRANCHES, 0, 0, true, 0, 0},
    {"conditional branches (C4H/01H)", 0x01c4, EVENTS, BEFORE, 1, false, 0, 0},
    {"conditional branches (C4H/11H)", 0x11c4, EVENTS, ICE_LAKE | GOLDEN_COVE,
     1, false, 0, 0},
    {"conditional branches (C4H/111H)", IA32_PERFEVTSEL_UMASK2_OF(1) | 0x11c4,
     EVENTS, LION_COVE, 1, false, 0, 0},
    {"calls (C4H/02H)", 0x02c4, EVENTS, LISTED, 0, false, 0, 0},
    {"returns (C4H/08H)", 0x08c4, EVENTS, LISTED, 0, false, 0, 0},
    {"branches not taken (C4H/10H)", 0x10c4, EVENTS, LISTED, 0, false, 0, 0},
    {"branches taken (C4H/20H)", 0x20c4, EVENTS, LISTED, 5, false, 0, 0},
    {"loads (D0H/81H)", 0x81d0, EVENTS, LISTED, 0, false, RING3_BODY_LOAD, 0},
    {"stores (D0H/82H)", 0x82d0, EVENTS, LISTED, 0, false, RING3_BODY_STORE, 0},
    {"locked loads (D0H/21H)", 0x21d0, EVENTS, LISTED, 0, false,
     RING3_BODY_LOAD | RING3_BODY_LOCKED, 0},
    {"split loads (D0H/41H)", 0x41d0, EVENTS, LISTED, 0, false,
     RING3_BODY_LOAD | RING3_BODY_SPLIT, 0},
    {"split stores (D0H/42H)", 0x42d0, EVENTS, LISTED, 0, false,
     RING3_BODY_STORE | RING3_BODY_SPLIT, 0},
    {"loads from the L1 (D1H/01H)", 0x01d1, SOME, BEFORE_LION_COVE, 0, false, 0,
     0},
    {"loads past the L1 (D1H/08H)", 0x08d1, SOME, BEFORE_LION_COVE, 0, false, 0,
     0},
    {"cycles (3CH)", 0x3c, CORE, 0, 0, true, 0, 0},
    {"cycles with fewer instructions than CMASK = 16 (C0H, INV)",
     0xc0 | IA32_PERFEVTSEL_INV | WIDE << 24, CORE, 0, 0, false, 0, 0},
    {"the same, at their begin (EDGE)",
     0xc0 | IA32_PERFEVTSEL_INV | IA32_PERFEVTSEL_E | WIDE << 24, ONCE, 0, 0,
     false, 0, 0},
    {"cycles with CMASK = 2 branches (C4H)", 0xc4 | 2 << 24, PAIRS, 0, 0, false,
     0, 0},
    {"reference cycles (3CH/01H)", 0x013c, CLOCK, 0, 0, false, 0, 0},
    {"references of the last level (2EH/4FH)", 0x4f2e, SOME, 0, 0, false, 0, 0},
    {"misses of the last level (2EH/41H)", 0x412e, SOME, 0, 0, false, 0, 0},
    {"off-core data reads (B7H)", 0x01b7, SOME, BEFORE | ICE_LAKE, 0, true, 0,
     DATA_RD},
    {"off-core reads for ownership (B7H)", 0x01b7, SOME, BEFORE | ICE_LAKE, 0,
     true, 0, RFO},
};
const unsigned context_row_count =
    sizeof(context_rows) / sizeof(context_rows[0]);

uint64_t context_accesses(const struct context_row *row)
{
    uint64_t count = 0;

    for (const struct ring3_access *a = ring3_body_accesses; a->at != 0; a++)
        count += row->kinds != 0 && (a->kind & row->kinds) == row->kinds;
    return count * RING3_BODY_TURNS;
}

uint64_t context_written(const struct context_row *row)
{
    const struct window_shape *body = &ring3_body_shape,
                              *ends = &ring3_body_ends_shape;

    return row->kind == INSTRUCTIONS ? body->instructions + ends->instructions
           : row->kind == BRANCHES   ? body->branches + ends->branches
                                     : 0;
}
