/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_filter.c - what is traced: by privilege level, CR3 and IP. SDM volume 3C,
 * "Trace Filtering", "Packet Generation Enable Controls".
 */
#include "tests/silicon/model/pt.h"

#include "tests/silicon/faults/hooks.h"

#define CFG_FILTER 1u
#define CFG_STOP   2u

static unsigned config_of(const struct processor *p, unsigned range)
{
    return (unsigned)(p->pt.ctl_active >> (32 + 4 * range) & 0xF);
}

/* "Base and limit values are inclusive." */
static bool in_range(const struct processor *p, unsigned range, uint64_t ip)
{
    return ip >= p->pt.address[2 * range] && ip <= p->pt.address[2 * range + 1];
}

static bool in_any(const struct processor *p, unsigned config, uint64_t ip)
{
    for (unsigned n = 0; n < PT_RANGES_MAX; n++)
        if (config_of(p, n) == config && in_range(p, n, ip))
            return true;
    return false;
}

static bool has_filter(const struct processor *p)
{
    for (unsigned n = 0; n < PT_RANGES_MAX; n++)
        if (config_of(p, n) == CFG_FILTER)
            return true;
    return false;
}

/* "Identical for bits 63:12": of 11:5, PAE paging alone has an address. */
static bool cr3_matches(const struct processor *p, uint64_t cr3)
{
    return (p->pt.ctl_active & RTIT_CR3_FILTER) == 0 ||
           cr3 >> 12 == p->pt.cr3_match >> 12;
}

bool pt_in_stop_range(const struct processor *p, uint64_t ip)
{
    return in_any(p, CFG_STOP, ip);
}

void pt_update_enables(struct processor *p, const struct pt_step *now,
                       bool lands)
{
    struct pt_state *pt = &p->pt;
    uint64_t level = now->cpl == 0 ? RTIT_OS : RTIT_USER;
    bool was = pt->context_en;

    pt->context_en = (pt->ctl_active & level) != 0 && cr3_matches(p, now->cr3);
    if (pt->context_en && (lands || !was))
        pt->filter_en = !has_filter(p) || in_any(p, CFG_FILTER, now->next);
    pt->packet_en = pt_tracing(p) && pt->context_en && pt->filter_en;
}

void pt_start_enables(struct processor *p, const struct pt_step *now)
{
    p->pt.context_en = false;
    p->pt.filter_en = !has_filter(p);
    pt_update_enables(p, now, true);
}
