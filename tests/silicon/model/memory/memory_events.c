/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_events.c - events of loads and stores, and their data in records. */
#include "tests/silicon/model/memory/memory_events.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/events.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/counters/pmu_msr.h"

/* IA32_PEBS_ENABLE: LL_EN_PMCn, PS_EN. */
#define LOAD_LATENCY(n) BIT(32 + (n))
#define LOAD_LATENCIES  BITS(35, 32)
#define PRECISE_STORE   BIT(63)

/* Umasks of D0H: what, and of which kind. */
#define UOPS_LOADS     0x01u
#define UOPS_STLB_MISS 0x10u
#define UOPS_LOCKED    0x20u
#define UOPS_SPLIT     0x40u

bool memory_is_event(const struct event_row *event)
{
    return event->kind >= EVENT_LOAD_LATENCY && event->kind <= EVENT_LLC_MISSES;
}

static bool is_memory_event(const struct event_row *event)
{
    return memory_is_event(event) || offcore_is_event(event);
}

void memory_update_watched(struct processor *p)
{
    p->memory.watched = p->memory.latency = false;
    for (unsigned n = 0; n < p->counters; n++) {
        const struct event_row *event = events_find(p, p->pmu.select[n]);

        if ((p->pmu.select[n] & EVTSEL_EN) == 0 || !is_memory_event(event))
            continue;
        p->memory.watched = true;
        if (event->kind == EVENT_LOAD_LATENCY)
            p->memory.latency = true;
    }
    if (p->cpu->metrics_in_two && (p->pmu.global_ctrl & CTRL_METRICS) != 0)
        p->memory.watched = true; /* what is memory bound */
}

/* A load that is locked asks for its line as a store would. */
static void count_requests(struct processor *p, const struct data_access *a,
                           const struct cache_outcome *out)
{
    bool writes =
        a->kind == DATA_STORE ||
        (a->locked && faults_rule(p->machine, LOCKED_LOADS_OWN, true));

    offcore_access(p, writes ? OFFCORE_RFO : OFFCORE_READ, out);
    if (writes && erratum_shows(p, ERRATUM_RFO, 4))
        offcore_access(p, OFFCORE_RFO, out);
    for (unsigned n = 0; n < out->requests; n++) {
        if (n != 0 && !faults_rule(p->machine, LOOKUPS_OF_BOTH_LINES, true))
            break;
        p->llc_references +=
            !writes || faults_rule(p->machine, STORES_REFER_LLC, true);
        p->llc_misses +=
            out->request[n].level == CACHE_DRAM &&
            (!writes || faults_rule(p->machine, STORES_MISS_LLC, true));
        if (p->index == 0 || faults_rule(p->machine, LOOKUPS_OF_ALL, true))
            uncore_lookup(p->machine, out->request[n].line,
                          writes ? UNCORE_WRITE : UNCORE_READ,
                          out->request[n].level, out->request[n].snoop,
                          out->latency);
    }
}

/* Is the latency of loads measured, for these counters? IA32_PEBS_ENABLE has
 * bits for it that fixed counters have with extended PEBS; there the event
 * alone asks for it. (Linux, ds.c, of version 5 on.) */
static bool measures(const struct processor *p, uint64_t enables)
{
    return faults_ll_enabled(p, pebs_is_adaptive(p)
                                    ? p->memory.latency
                                    : (p->pebs.enable & enables) != 0);
}

void memory_access(struct processor *p, const struct data_access *a,
                   uint64_t physical, bool ram, struct data_result *result)
{
    *result = (struct data_result){.access = *a};
    cache_access(p, a->linear, physical, a->bytes, a->kind == DATA_STORE, ram,
                 &result->outcome);
    count_requests(p, a, &result->outcome);
    result->tagged =
        a->kind == DATA_LOAD && measures(p, LOAD_LATENCIES) &&
        random_one_in(&p->memory.random, p->choices.loads_tagged_one_in) &&
        !p->errata.loads_stopped;
    if (result->tagged && p->machine->smt &&
        erratum_shows(p, ERRATUM_LOAD_LATENCY, 500))
        p->errata.loads_stopped = true;
}

/* "Loads with latencies greater than this value are eligible for counting";
 * "both the PEBS_EN_CTRX and LL_EN_CTRX bits must be set". */
static bool is_slow_load(struct processor *p, unsigned n,
                         const struct data_result *r)
{
    uint64_t threshold = 0, own = LOAD_LATENCY(n);

    if (!faults_rule(p->machine, LATENCY_OF_ITS_COUNTER, true))
        own |= LOAD_LATENCY(n ^ 2);
    if (!r->tagged || (pebs_counters(p) & BIT(n)) == 0 || !measures(p, own))
        return false;
    msr_read(p, MSR_PEBS_LD_LAT, &threshold);
    if (!faults_rule(p->machine, LOAD_THRESHOLD_AT_ONCE, true))
        threshold = p->faults.load_threshold;
    threshold = faults_load_threshold(p, threshold);
    if (n == 1 && r->outcome.latency == threshold &&
        !faults_rule(p->machine, LOAD_GREATER_ON_1, true))
        return true;
    if (n == 3 && !faults_rule(p->machine, LOAD_THRESHOLD_OF_3, true))
        threshold &= BITS(5, 0);
    if (!faults_rule(p->machine, LOAD_GREATER, true))
        return r->outcome.latency >= threshold;
    threshold =
        faults_quantity(p->machine, LOAD_THRESHOLD, ANY_NUMBER, threshold);
    return faults_load_is_slow(p, r->outcome.latency > threshold);
}

/* MEM_UOPS_RETIRED, MEM_INST_RETIRED. */
static bool is_uop(const struct processor *p, uint8_t umask,
                   const struct data_result *r)
{
    if (((umask & UOPS_LOADS) != 0) != (r->access.kind == DATA_LOAD))
        return (umask & 0xF0) == UOPS_LOCKED && r->access.locked &&
               !faults_rule(p->machine, LOCKED_STORES_ARE_NO_LOADS, true);
    switch (umask & 0xF0) {
    case UOPS_STLB_MISS:
        return r->outcome.stlb_miss &&
               (r->access.kind == DATA_LOAD ||
                faults_rule(p->machine, STORES_MISS_STLB, true));
    case UOPS_LOCKED:
        return r->access.locked &&
               (!p->faults.of_user ||
                faults_rule(p->machine, LOCKED_LOADS_IN_RING_3, true));
    case UOPS_SPLIT:
        return memory_is_split(p, r);
    default:
        return true;
    }
}

/* MEM_LOAD_RETIRED and its older names. */
static bool is_load_from(uint8_t umask, enum cache_level level)
{
    switch (umask) {
    case 0x01: /* of Lion Cove with UMASK2 = 1: both */
        return level <= CACHE_L1_BEHIND;
    case 0x02:
        return level == CACHE_L2;
    case 0x04:
        return level == CACHE_LLC;
    case 0x08: /* L1_MISS: without HIT_LFB */
        return level >= CACHE_L2 && level != CACHE_NONE;
    case 0x10:
        return level >= CACHE_LLC && level != CACHE_NONE;
    case 0x20:
        return level == CACHE_DRAM;
    case 0x40:
        return level == CACHE_PENDING;
    default:
        return false;
    }
}

/* Each umask has the levels that it names, and no others. */
static bool load_is_from(const struct processor *p, uint8_t umask,
                         enum cache_level level)
{
    const struct machine *m = p->machine;
    bool beyond = level >= CACHE_LLC && level != CACHE_NONE;

    if (level == CACHE_L2 && umask == 0x08)
        return faults_rule(m, L1_MISSES_OF_L2, true);
    if (level == CACHE_L2 && umask == 0x10)
        return !faults_rule(m, L2_MISSES_ALONE, true);
    if (level == CACHE_L2 && umask == 0x20)
        return !faults_rule(m, L3_MISSES_ALONE, true);
    if (beyond && umask == 0x02)
        return !faults_rule(m, L2_HITS_ALONE, true);
    return is_load_from(umask, level);
}

static bool is_snoop(uint8_t umask, enum cache_snoop snoop)
{
    static const uint8_t umasks[] = {
        [CACHE_SNOOP_MISS] = 0x01,
        [CACHE_SNOOP_HIT] = 0x02,
        [CACHE_SNOOP_HITM] = 0x04,
        [CACHE_SNOOP_NONE] = 0x08,
    };

    return umasks[snoop] == umask;
}

/* What a load that went to the last level, or beyond, is taken for. */
static enum cache_level supplier(struct processor *p, enum cache_level level)
{
    if (level != CACHE_LLC && level != CACHE_DRAM)
        return level;
    if (erratum_shows(p, ERRATUM_L3_SIDE, 3))
        return level == CACHE_LLC ? CACHE_DRAM : CACHE_LLC;
    return erratum_shows(p, ERRATUM_L3_LOST, 3) ? CACHE_NONE : level;
}

static bool load_counts(const struct processor *p, uint8_t umask)
{
    if (p->faults.of_user && !faults_rule(p->machine, LOADS_IN_RING_3, true))
        return false;
    return umask == 0x02   ? faults_rule(p->machine, L2_HITS_COUNT, true)
           : umask == 0x08 ? faults_rule(p->machine, L1_MISSES_COUNT, true)
           : umask == 0x20 ? faults_rule(p->machine, L3_MISSES_COUNT, true)
                           : true;
}

/* "May produce incorrect results when .. configured in OS-only or USR-only
 * modes." */
static bool is_missed(struct processor *p, unsigned n)
{
    uint64_t levels = p->pmu.select[n] & (EVTSEL_OS | EVTSEL_USR);

    return levels != (EVTSEL_OS | EVTSEL_USR) &&
           erratum_shows(p, ERRATUM_MEMORY_ONE_CPL, 4);
}

static bool is_counted(struct processor *p, unsigned n,
                       const struct event_row *event,
                       const struct data_result *r)
{
    bool load = r->access.kind == DATA_LOAD;

    switch (event->kind) {
    case EVENT_LOAD_LATENCY:
        return is_slow_load(p, n, r);
    case EVENT_PRECISE_STORE:
    case EVENT_STORE_LATENCY:
        return !load;
    case EVENT_MEM_UOPS:
        return is_uop(p, (uint8_t)event->umask, r) &&
               !(r->access.locked && r->outcome.level == CACHE_L2 &&
                 erratum_shows(p, ERRATUM_LOCKED_LOADS, 2));
    case EVENT_MEM_LOAD:
        return load && load_counts(p, (uint8_t)event->umask) &&
               load_is_from(p, (uint8_t)event->umask,
                            supplier(p, r->outcome.level));
    case EVENT_MEM_LLC_HIT:
        return load && supplier(p, r->outcome.level) == CACHE_LLC &&
               is_snoop((uint8_t)event->umask, r->outcome.snoop);
    case EVENT_MEM_LLC_MISS: /* LOCAL_DRAM */
        return load && (supplier(p, r->outcome.level) == CACHE_DRAM) ==
                           faults_rule(p->machine, DRAM_IS_LOCAL_DRAM, true);
    default:
        return false;
    }
}

static bool hits_l1(struct processor *p, const struct data_result *r)
{
    bool hits = r->outcome.level == CACHE_L1, before = p->faults.store_hit;

    hits = faults_quantity(p->machine, STORE_HITS, r->access.bytes, hits);
    p->faults.store_hit = hits;
    return hits ||
           (before && !faults_rule(p->machine, L1_HIT_OF_ITS_STORE, true));
}

static struct data_record load_record(struct processor *p,
                                      const struct data_result *r)
{
    struct data_record d = {r->access.linear, memory_source(p, r),
                            r->outcome.latency};

    if (p->faults.of_user && !faults_rule(p->machine, LATENCY_IN_RING_3, true))
        d.latency = 0;
    if (d.latency > 0xFF && !faults_rule(p->machine, LATENCY_HAS_16_BITS, true))
        d.latency = 0xFF;
    faults_load_record(p, &d);
    faults_load_fields(p, &d);
    faults_latency_data(p, &d);
    faults_place_data(p, r, &d);
    return d;
}

static struct data_record store_record(struct processor *p,
                                       const struct data_result *r)
{
    struct data_record d = {.address = memory_address(p, NULL, r),
                            .status = memory_status(r)};

    if (hits_l1(p, r))
        d.status |= STATUS_L1D_HIT;
    faults_store_record(p, r, &d);
    faults_store_fields(p, &d);
    faults_place_data(p, r, &d);
    return d;
}

/* Table "Layout of Data Linear Address Information In PEBS Record": bit 0 is
 * valid for stores alone, and not for those of LOCK_STORES; all else is 0. */
static struct data_record linear_record(struct processor *p,
                                        const struct event_row *event,
                                        const struct data_result *r)
{
    bool store = r->access.kind == DATA_STORE;
    bool valid = store && (event->umask & UOPS_LOCKED) == 0;
    struct data_record d = {.address = memory_address(p, event, r)};

    if (valid ? hits_l1(p, r) : p->choices.data_hit_of_loads)
        d.status = STATUS_L1D_HIT;
    faults_linear_record(p, r, valid, &d);
    faults_data_fields(p, !store, &d);
    faults_address_data(p, r, &d);
    faults_place_data(p, r, &d);
    return d;
}

/* The data of this access, for the record that it makes on counter n. */
static void capture_record(struct processor *p, unsigned n,
                           const struct event_row *event,
                           const struct data_result *r)
{
    struct data_record *d = &p->memory.captured[n];

    if (event->kind == EVENT_LOAD_LATENCY ||
        event->kind == EVENT_STORE_LATENCY) {
        *d = load_record(p, r);
        if (event->kind == EVENT_STORE_LATENCY)
            d->address = faults_quantity(p->machine, STORE_LATENCY_ADDRESS, 0,
                                         d->address);
    } else if (event->kind == EVENT_PRECISE_STORE) {
        if ((n != 3 && faults_rule(p->machine, STORE_OF_COUNTER_3, true)) ||
            !faults_ps_enabled(p, (p->pebs.enable & PRECISE_STORE) != 0))
            return;
        *d = store_record(p, r);
    } else if (pebs_format(p) >= 2 &&
               (event->event == 0xD0 ||
                faults_rule(p->machine, ADDRESS_OF_MISSES, true))) {
        *d = linear_record(p, event, r);
    } else {
        return;
    }
    p->memory.has_captured |= BIT(n);
}

static uint32_t llc_events(const struct processor *p, uint32_t count)
{
    return count != 0 ? (uint32_t)faults_quantity(p->machine, LLC_COUNTED,
                                                  ANY_NUMBER, count)
                      : 0;
}

/* May the next record be of this event? With PDist of the one that overflows.
 */
static bool may_be_recorded(const struct processor *p, unsigned n)
{
    const bool armed = (p->pebs.armed & BIT(n)) != 0;

    return (p->pebs.triggered & BIT(n)) == 0 && (armed || n < p->cpu->pdist);
}

uint32_t memory_count(struct processor *p, unsigned n,
                      const struct event_row *event,
                      const struct data_result *results, unsigned count)
{
    uint32_t sum = 0;

    if (event->kind == EVENT_LLC_REFERENCES)
        return llc_events(p, p->llc_references);
    if (event->kind == EVENT_LLC_MISSES)
        return llc_events(p, p->llc_misses);
    for (unsigned k = 0; k < count; k++) {
        if (!is_counted(p, n, event, &results[k]) || is_missed(p, n))
            continue;
        if (sum++ == 0 && may_be_recorded(p, n))
            capture_record(p, n, event, &results[k]);
    }
    return sum;
}

struct data_record memory_take_record(struct processor *p, uint64_t counters)
{
    struct data_record d = {0};

    counters &= p->memory.has_captured;
    if (counters != 0)
        d = p->memory.captured[__builtin_ctzll(counters)];
    p->memory.has_captured &= ~counters;
    return d;
}
