/* SPDX-License-Identifier: BSD-2-Clause */
/* offcore.c - which requests match MSR_OFFCORE_RSP_0 and _1. */
#include "tests/silicon/model/uncore/offcore.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/msr.h"

#define DMND_DATA_RD   BIT(0)
#define DMND_RFO       BIT(1)
#define OTHER          BIT(15)
#define ANY            BIT(16)
#define REQUESTS       BITS(15, 0)
#define NO_SUPP        BIT(17)
#define LLC_HITM       BIT(18)
#define LLC_HITE       BIT(19)
#define LLC_HITS       BIT(20)
#define SUPPLIERS      BITS(30, 17)
#define SNOOPS         BITS(37, 31)
#define SNP_NONE       BIT(31)
#define SNP_NOT_NEEDED BIT(32)
#define SNP_MISS       BIT(33)
#define SNP_NO_FWD     BIT(34)
#define HITM           BIT(36)
#define NON_DRAM       BIT(37)

/* Table "Off-Core Response Event Encoding": counters 0 to 3. */
#define COUNTERS 4

static uint64_t supplier_of(const struct processor *p, enum cache_level level,
                            enum cache_snoop snoop)
{
    if (level == CACHE_DRAM)
        return p->cpu->offcore_dram;
    if (level == CACHE_NONE)
        return NO_SUPP;
    if (snoop == CACHE_SNOOP_HITM)
        return LLC_HITM;
    return snoop == CACHE_SNOOP_HIT ? LLC_HITS : LLC_HITE;
}

/* The manual does not distinguish "none" and "not needed" for a line that no
 * other core can have. */
static uint64_t snoop_of(const struct processor *p, enum cache_level level,
                         enum cache_snoop snoop)
{
    if (level == CACHE_NONE)
        return NON_DRAM;
    switch (snoop) {
    case CACHE_SNOOP_MISS:
        return SNP_MISS;
    case CACHE_SNOOP_HIT:
        return SNP_NO_FWD;
    case CACHE_SNOOP_HITM:
        return HITM;
    default:
        return p->choices.snoop_not_needed ? SNP_NOT_NEEDED : SNP_NONE;
    }
}

/* "One or more request types, and either ANY or a supplier and a snoop". */
static bool response_matches(const struct processor *p, uint64_t response,
                             uint64_t request, uint64_t supplier,
                             uint64_t snoop)
{
    request = faults_quantity(p->machine, OFFCORE_REQUEST, (uint32_t)request,
                              request);
    supplier = faults_quantity(p->machine, OFFCORE_SUPPLIER, (uint32_t)supplier,
                               supplier);
    request = faults_offcore_request(p, request, REQUESTS);
    supplier = faults_offcore_supplier(p, supplier);
    if (request == DMND_RFO &&
        !faults_rule(p->machine, OFFCORE_RFO_FROM_ONE, true))
        supplier = SUPPLIERS;
    snoop = faults_quantity(p->machine, OFFCORE_SNOOP, ANY_NUMBER, snoop);
    response = faults_offcore_response(p, response);
    if ((response & request) == 0 ||
        ((response & (request - 1)) != 0 &&
         !faults_rule(p->machine, OFFCORE_ALL_REQUESTS, true)))
        return false;
    if ((response & SNOOPS) != 0 && (response & snoop) == 0 &&
        !faults_rule(p->machine, OFFCORE_ANY_ALONE, true))
        return false;
    if ((response & SUPPLIERS) != 0 && (response & supplier) == 0 &&
        !faults_rule(p->machine, OFFCORE_ANY_SUPPLIER, true))
        return false;
    return (response & ANY) != 0 ||
           ((response & supplier) != 0 &&
            ((response & snoop) != 0 ||
             !faults_rule(p->machine, OFFCORE_NEEDS_SNOOP, true)));
}

/* What MSR_OFFCORE_RSP_n asks for. */
static uint64_t response_of(struct processor *p, unsigned n)
{
    uint64_t own = 0, other = 0;

    msr_read(p, faults_offcore_register(p, MSR_OFFCORE_RSP_0 + n), &own);
    msr_read(p, MSR_OFFCORE_RSP_0 + (1 - n), &other);
    if (!faults_rule(p->machine, OFFCORE_OWN_REQUESTS, true))
        own |= other & REQUESTS;
    if ((own & (SUPPLIERS | ANY)) == 0 &&
        !faults_rule(p->machine, OFFCORE_OWN_RESPONSE, true))
        own |= other & (SNOOPS | SUPPLIERS | ANY);
    return own;
}

static void count_request(struct processor *p, uint64_t type,
                          enum cache_level level, enum cache_snoop snoop)
{
    for (unsigned n = 0; n < OFFCORE_EVENTS; n++) {
        const uint64_t response = response_of(p, n);

        if (n != 0 && p->offcore[0] != 0 &&
            !faults_rule(p->machine, OFFCORE_BOTH_COUNT, true))
            continue;
        if ((response & (DMND_DATA_RD | DMND_RFO)) ==
                (DMND_DATA_RD | DMND_RFO) &&
            !faults_rule(p->machine, OFFCORE_COUNTS_ONCE, true))
            p->offcore[n]++;
        if (!response_matches(p, response, type, supplier_of(p, level, snoop),
                              snoop_of(p, level, snoop)))
            continue;
        p->offcore[n]++;
        if (p->sibling != NULL &&
            !faults_rule(p->machine, OFFCORE_OF_THREAD, true))
            p->sibling->offcore[n]++;
    }
}

void offcore_access(struct processor *p, enum offcore_kind kind,
                    const struct cache_outcome *out)
{
    bool owns =
        kind == OFFCORE_RFO &&
        (!p->faults.of_user ||
         faults_rule(p->machine, OFFCORE_RFO_IN_RING_3, true)) &&
        (!p->tsx.active || faults_rule(p->machine, OFFCORE_RFO_IN_TX, true));
    uint64_t type = owns ? DMND_RFO : DMND_DATA_RD;

    if (!counters_watch(p))
        return;
    for (unsigned n = 0; n < out->requests; n++) {
        if (n != 0 && !faults_rule(p->machine, OFFCORE_OF_BOTH_LINES, true))
            break;
        count_request(p, out->request[n].level == CACHE_NONE ? OTHER : type,
                      out->request[n].level, out->request[n].snoop);
    }
    if (out->requests == 0 && faults_count_cached(p))
        count_request(p, type, CACHE_LLC, CACHE_SNOOP_NONE);
}

bool offcore_is_event(const struct event_row *event)
{
    return event->kind == EVENT_OFFCORE_0 || event->kind == EVENT_OFFCORE_1;
}

uint32_t offcore_count(const struct processor *p, unsigned n,
                       const struct event_row *event)
{
    unsigned k = event->kind - EVENT_OFFCORE_0;

    if (n >= faults_offcore_counters(p, COUNTERS) || p->offcore[k] == 0 ||
        (k == 1 && !faults_rule(p->machine, OFFCORE_1_COUNTS, true)) ||
        (p->tsx.active && !faults_rule(p->machine, OFFCORE_IN_TX, true)) ||
        (p->tsx.active && p->faults.nested > 0 &&
         !faults_rule(p->machine, OFFCORE_IN_NESTED, true)) ||
        (p->faults.of_user &&
         !faults_rule(p->machine, OFFCORE_IN_RING_3, true)))
        return 0;
    return (uint32_t)faults_quantity(p->machine, OFFCORE_COUNTED, k,
                                     p->offcore[k]);
}
