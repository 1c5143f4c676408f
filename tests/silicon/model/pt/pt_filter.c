/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_filter.c - what is traced: by privilege level, CR3 and IP. SDM volume 3C,
 * "Trace Filtering", "Packet Generation Enable Controls".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"

#define CFG_FILTER 1u
#define CFG_STOP   2u

static unsigned config_of(const struct processor *p, unsigned range)
{
    return (unsigned)(p->pt.ctl_active >> (32 + 4 * range) & 0xF);
}

/* "Base and limit values are inclusive." */
static bool in_range(const struct processor *p, unsigned range, uint64_t ip)
{
    uint64_t bits = faults_pt_value(p, PT_RANGE_BITS, UINT64_MAX),
             base = p->pt.address[2 * range] & bits,
             limit = p->pt.address[2 * range + 1] & bits;

    ip &= bits;
    return ip >= faults_pt_value(p, PT_RANGE_BASE, base) &&
           ip <= faults_pt_value(p, PT_RANGE_LIMIT, limit);
}

static bool in_any(const struct processor *p, unsigned config, uint64_t ip)
{
    for (unsigned n = 0; n < PT_RANGES_MAX; n++)
        if (config_of(p, n) == config && in_range(p, n, ip) &&
            (n == 0 || config_of(p, 0) != CFG_STOP ||
             faults_pt(p, PT_BESIDE_STOP, true)) &&
            (n == 0 || config != CFG_STOP || config_of(p, 0) != CFG_FILTER ||
             faults_pt(p, PT_STOP_BESIDE, true)) &&
            (n == 0 || faults_pt(p, PT_SECOND_RANGE, true)))
            return true;
    return false;
}

/* The same of filter ranges, of which one has to contain it. */
static bool in_filter(const struct processor *p, uint64_t ip)
{
    if (!faults_pt(p, PT_RANGES_ANY, true))
        for (unsigned n = 0; n < PT_RANGES_MAX; n++)
            if (config_of(p, n) == CFG_FILTER && !in_range(p, n, ip))
                return false;
    if (!faults_pt(p, PT_GAP_OUTSIDE, true) && config_of(p, 0) == CFG_FILTER &&
        config_of(p, 1) == CFG_FILTER && ip >= p->pt.address[0] &&
        ip <= p->pt.address[3])
        return true;
    if (!faults_pt(p, PT_RANGES_OVERLAP, true) &&
        config_of(p, 0) == CFG_FILTER && config_of(p, 1) == CFG_FILTER &&
        in_range(p, 0, ip) && in_range(p, 1, ip))
        return false;
    return in_any(p, CFG_FILTER, ip);
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
    unsigned from = (unsigned)faults_pt_value(p, PT_CR3_FROM, 12);

    return faults_pt(p, PT_CR3_ANY,
                     (p->pt.ctl_active & RTIT_CR3_FILTER) == 0) ||
           cr3 >> from == p->pt.cr3_match >> from;
}

bool pt_between_ranges(const struct processor *p, uint64_t from, uint64_t to)
{
    return in_range(p, 0, from) != in_range(p, 0, to);
}

bool pt_in_stop_range(const struct processor *p, uint64_t ip)
{
    return faults_pt(p, PT_STOPS, in_any(p, CFG_STOP, ip));
}

void pt_update_enables(struct processor *p, const struct pt_step *now,
                       bool lands)
{
    struct pt_state *pt = &p->pt;
    bool was = pt->context_en,
         os = faults_pt(p, PT_OS, (pt->ctl_active & RTIT_OS) != 0),
         user = faults_pt(p, PT_USER, (pt->ctl_active & RTIT_USER) != 0);

    pt->context_en =
        (now->cpl == 0 ? os : user) &&
        (cr3_matches(p, now->cr3) ||
         (has_filter(p) && !faults_pt(p, PT_CR3_IN_RANGES, true)) ||
         (now->cpl > 0 && !faults_pt(p, PT_CR3_IN_RING_3, true)) ||
         (pt->packet_en && !faults_pt(p, PT_CR3_FOLLOWED, true)));
    p->faults.context_came = pt->context_en && !was;
    if (pt->context_en &&
        (lands || (!was && ((pt->ctl_active & RTIT_CR3_FILTER) == 0 ||
                            faults_pt(p, PT_FILTER_ANEW, true)))))
        pt->filter_en =
            faults_pt(p, PT_UNFILTERED, !has_filter(p)) ||
            ((pt->ctl_active & RTIT_CR3_FILTER) != 0 &&
             !faults_pt(p, PT_RANGES_OF_CR3, true)) ||
            (now->cpl > 0 && !faults_pt(p, PT_FILTER_IN_RING_3, true)) ||
            in_filter(p, now->next);
    pt->packet_en = pt_tracing(p) && pt->context_en && pt->filter_en;
}

void pt_start_enables(struct processor *p, const struct pt_step *now)
{
    p->pt.context_en = false;
    p->pt.filter_en = !has_filter(p);
    pt_update_enables(p, now, true);
}

bool pt_enters_stop(struct processor *p, const struct pt_step *now, bool lands)
{
    struct pt_state *pt = &p->pt;

    if (!lands || !pt_in_stop_range(p, now->next) ||
        (!pt->context_en &&
         faults_pt(p,
                   (pt->ctl_active & RTIT_CR3_FILTER) == 0 ? PT_STOPS_LEVEL
                                                           : PT_STOPS_CONTEXT,
                   true)) ||
        (now->cpl > 0 && !faults_pt(p, PT_STOPS_IN_RING_3, true))) {
        if (lands && !faults_pt(p, PT_STOPPED_SEEN, true) &&
            pt_in_stop_range(p, now->next))
            pt->status |= RTIT_STOPPED;
        return false;
    }
    pt->packet_en = false;
    return true;
}

void pt_stop(struct processor *p)
{
    pt_flush_tnt(p);
    pt_put_trace_stop(p);
    if (faults_pt(p, PT_SET_STOPPED, true))
        p->pt.status |= RTIT_STOPPED;
    if (!faults_pt(p, PT_RANGE_KEEPS_EN, true))
        p->pt.ctl &= ~RTIT_TRACE_EN;
    p->pt.filter_en = false;
}
