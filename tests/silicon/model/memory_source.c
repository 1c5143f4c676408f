/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_source.c - where a load's data came from, as its record has it. */
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/memory_events.h"

/* Tables "Data Source Encoding for Load Latency Record", "Layout of Data
 * Source Field of Load Latency Record" and "Layout of Precise Store
 * Information In PEBS Record". */
#define SOURCE_PENDING  2u
#define SOURCE_L2       3u
#define SOURCE_UNCACHED 15u

static uint64_t level_of(const struct processor *p,
                         const struct cache_outcome *o)
{
    /* Later: Linux, events/intel/ds.c, pebs_data_source; that of Gracemont
     * (.._grt) is as before: 5 where a core has it, 6 where it has modified it.
     */
    static const uint8_t of[2][4] = {{4, 4, 5, 6}, {4, 5, 6, 7}};
    const uint8_t *llc = of[p->cpu->later_sources];
    static const uint8_t level[] = {
        [CACHE_L1] = 1,
        [CACHE_PENDING] = SOURCE_PENDING,
        [CACHE_L2] = SOURCE_L2,
        [CACHE_NONE] = SOURCE_UNCACHED,
    };

    if (o->level == CACHE_LLC && o->snoop == CACHE_SNOOP_HITM &&
        !faults_rule(p->machine, SOURCE_OF_MODIFIED, true))
        return llc[CACHE_SNOOP_NONE];
    if (o->level == CACHE_LLC)
        return llc[o->snoop];
    if (o->level == CACHE_DRAM)
        return p->cpu->later_sources ? 0x0A : p->choices.source_dram;
    return level[o->level];
}

uint64_t memory_status(const struct data_result *r)
{
    return (r->outcome.stlb_miss ? STATUS_STLB : 0) |
           (r->access.locked ? STATUS_LOCKED : 0);
}

/* Linux, events/intel/ds.c, adl_latency_data_grt(): "bit 4 is Lock, bit 5 is
 * TLB access" of Gracemont. */
uint64_t memory_source(const struct processor *p, const struct data_result *r)
{
    uint64_t status = memory_status(r);

    if (p->cpu->lock_below_stlb)
        status = (r->outcome.stlb_miss ? STATUS_LOCKED : 0) |
                 (r->access.locked ? STATUS_STLB : 0);
    return faults_quantity(p->machine, LATENCY_STATUS, 0, status) |
           level_of(p, &r->outcome);
}
