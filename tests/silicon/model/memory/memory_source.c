/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_source.c - where a load's data came from, as its record has it. */
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/memory/memory_events.h"

/* Tables "Data Source Encoding for Load Latency Record", "Layout of Data
 * Source Field of Load Latency Record" and "Layout of Precise Store
 * Information In PEBS Record". */
#define SOURCE_PENDING  2u
#define SOURCE_L2       3u
#define SOURCE_UNCACHED 15u

static uint64_t level_of(struct processor *p, const struct cache_outcome *o)
{
    /* Later: "Data Source Encoding for Memory Accesses (Ice Lake and Later
     * Microarchitectures)", and Linux, events/intel/ds.c, pebs_data_source;
     * that of Gracemont (.._grt) is as before: 5 where a core has it, 6 where
     * it has modified it. Of Lion Cove: lnc_pebs_data_source, eight bits.
     */
    static const uint8_t of[2][4] = {{4, 4, 5, 6}, {4, 5, 6, 7}};
    static const uint8_t of_8[] = {8, 8, 0x0C, 0x0D};
    static const uint8_t level_of_8[] = {
        [CACHE_L1] = 1,      [CACHE_L1_BEHIND] = 2, [CACHE_PENDING] = 3,
        [CACHE_L2] = 5,      [CACHE_NONE] = 0, /* not said */
        [CACHE_DRAM] = 0x11,
    };
    static const uint8_t level[] = {
        [CACHE_L1] = 1,
        [CACHE_PENDING] = SOURCE_PENDING,
        [CACHE_L2] = SOURCE_L2,
        [CACHE_NONE] = SOURCE_UNCACHED,
    };
    const bool wide = p->cpu->sources_of_8;
    const uint8_t *llc = wide ? of_8 : of[p->cpu->later_sources];
    const bool missed = p->faults.load_missed;

    p->faults.load_missed = o->level != CACHE_L1;
    if (o->level == CACHE_L1 && missed &&
        !faults_rule(p->machine, L1_AFTER_A_MISS, true))
        return wide ? level_of_8[CACHE_L2] : SOURCE_L2;

    if (o->level == CACHE_LLC && o->snoop == CACHE_SNOOP_HITM &&
        !faults_rule(p->machine, SOURCE_OF_MODIFIED, true))
        return llc[CACHE_SNOOP_NONE];
    if (o->level == CACHE_LLC)
        return llc[o->snoop];
    if (wide)
        return level_of_8[o->level];
    if (o->level == CACHE_L2 && o->stlb_miss &&
        !faults_rule(p->machine, L2_WITH_STLB_MISS, true))
        return llc[CACHE_SNOOP_NONE];
    if (o->level == CACHE_DRAM)
        return p->cpu->later_sources ? 0x0A : p->choices.source_dram;
    return level[o->level];
}

uint64_t memory_address(const struct processor *p,
                        const struct event_row *event,
                        const struct data_result *r)
{
    const bool of_source = event != NULL && event->event != 0xD0;
    const bool misses =
        r->access.kind == DATA_STORE && r->outcome.level != CACHE_L1;

    if ((of_source && !faults_rule(p->machine, ADDRESS_IN_LINE_OF_D1, true)) ||
        (misses && !faults_rule(p->machine, ADDRESS_IN_LINE_OF_MISS, true)))
        return r->access.linear / CACHE_LINE_BYTES * CACHE_LINE_BYTES;
    return r->access.linear;
}

uint64_t memory_status(const struct data_result *r)
{
    return (r->outcome.stlb_miss ? STATUS_STLB : 0) |
           (r->access.locked ? STATUS_LOCKED : 0);
}

bool memory_is_split(const struct processor *p, const struct data_result *r)
{
    if ((r->access.linear % 4096 + r->access.bytes > 4096 &&
         !faults_rule(p->machine, SPLIT_OVER_PAGES, true)) ||
        (r->access.bytes == 16 &&
         !faults_rule(p->machine, SPLIT_OF_16_BYTES, true)))
        return false;
    switch ((r->access.linear + r->access.bytes) % CACHE_LINE_BYTES) {
    case 0:
        return !faults_rule(p->machine, SPLIT_BEYOND_ITS_LINE, true);
    case 1:
        return r->outcome.split &&
               faults_rule(p->machine, SPLIT_BY_A_BYTE, true);
    default:
        return r->outcome.split;
    }
}

/* Linux, events/intel/ds.c, adl_latency_data_grt(): "bit 4 is Lock, bit 5 is
 * TLB access" of Gracemont. */
uint64_t memory_source(struct processor *p, const struct data_result *r)
{
    uint64_t status = memory_status(r);

    if (r->outcome.split && !faults_rule(p->machine, STLB_NOT_OF_SPLITS, true))
        status |= STATUS_STLB;
    if (r->outcome.level == CACHE_DRAM &&
        !faults_rule(p->machine, STLB_MISS_OF_DRAM, true))
        status &= ~(uint64_t)STATUS_STLB;
    if (r->outcome.stlb_miss &&
        !faults_rule(p->machine, STLB_MISS_OF_LOCKED, true))
        status &= ~(uint64_t)STATUS_LOCKED;
    if (p->cpu->lock_below_stlb)
        status = (r->outcome.stlb_miss ? STATUS_LOCKED : 0) |
                 (r->access.locked ? STATUS_STLB : 0);
    status = faults_quantity(p->machine, LATENCY_STATUS, 0, status);
    if (p->cpu->sources_of_8)
        status <<= 6; /* 4 and 5 are 10 and 11 */
    return status | level_of(p, &r->outcome);
}
