/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pebs_area.c - which counters can have PEBS, and where the DS area has what
 * they are reset to. SDM volume 3B, "Extended PEBS", figure of the DS buffer
 * management area; with format 5 it has room for 32 general-purpose counters,
 * then 16 fixed ones: Linux, "perf/x86/intel: Enable PEBS format 5".
 */
#include "tests/silicon/model/pebs/pebs.h"

#include <stddef.h>

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"

#define FIXED_AT   8 /* the reset of fixed counter 0, up to format 4 */
#define FIXED_AT_5 32

bool pebs_is_adaptive(const struct processor *p)
{
    return (p->cpu->perf_capabilities & BIT(14)) != 0;
}

/* IA32_PERF_CAPABILITIES[11:8]; that of 6 is the same, Linux has it. */
static bool is_format_5(const struct processor *p)
{
    return (p->cpu->perf_capabilities >> 8 & 0xF) >= 5 &&
           faults_rule(p->machine, AREA_OF_FORMAT_5, true);
}

uint64_t pebs_counters(const struct processor *p)
{
    if (!pebs_is_adaptive(p))
        return BITS(PEBS_COUNTERS - 1, 0);
    return (BIT(p->counters) - 1) | (BIT(p->fixed_counters) - 1) << 32;
}

uint64_t pebs_enabled(const struct processor *p)
{
    return p->pebs.enable & pebs_counters(p);
}

/* 40H to 78H and 80H to 98H; up to format 3, 40H to 58H. */
unsigned pebs_ds_bytes(const struct processor *p)
{
    const unsigned resets = is_format_5(p)        ? PEBS_RESETS
                            : pebs_is_adaptive(p) ? FIXED_AT + FIXED_MAX
                                                  : PEBS_COUNTERS;

    return (unsigned)(offsetof(struct pebs_ds, reset) + 8 * resets);
}

unsigned pebs_reset_at(const struct processor *p, unsigned place)
{
    const struct machine *m = p->machine;

    if (place < COUNTERS_MAX)
        return place < PEBS_COUNTERS ||
                       faults_rule(m, ABOVE_3_HAVE_OWN_RESET, true)
                   ? place
                   : place - PEBS_COUNTERS;
    place -= COUNTERS_MAX;
    if (!faults_rule(m, FIXED_HAVE_OWN_RESET, true))
        return place;
    return (is_format_5(p) ? FIXED_AT_5 : FIXED_AT) + place;
}
