/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_tsx.c - transactions in the trace: MODE.TSX when their status changes,
 * alike for HLE and RTM, as soon as ContextEn is set; the FUP that belongs to
 * it where packets are enabled. SDM volume 3C, "Intel Transactional
 * Synchronization Extensions (Intel TSX)", table "TSX Packet Scenarios", and
 * the rows of table "Packet Generation under Different Enable Conditions".
 */
#include "tests/silicon/model/pt.h"

static bool is(const struct processor *p, enum fault_id fault)
{
    return fault_is(p->machine, fault);
}

static bool shows(const struct processor *p)
{
    return pt_tracing(p) && p->pt.context_en &&
           ((p->pt.on & RTIT_BRANCH_EN) != 0 ||
            is(p, FAULT_pt_mode_without_branch_en)) &&
           !(p->tsx.hle && is(p, FAULT_pt_hle_silent));
}

/* All that is older stands before it. */
static void put_mode(struct processor *p, enum pt_tx_mode mode,
                     const uint64_t *fup)
{
    pt_flush_tnt(p);
    pt_put_cyc(p);
    if (fup != NULL && is(p, FAULT_pt_mode_after_fup))
        pt_put_ip(p, PT_FUP, fup);
    pt_put_mode_tsx(p, mode);
    if (fup != NULL && !is(p, FAULT_pt_mode_after_fup) &&
        !is(p, FAULT_pt_fup_missing))
        pt_put_ip(p, PT_FUP, fup);
}

/* The instruction itself may lead out of the filter, or into it. */
static void go_on(struct processor *p, const struct pt_now *now)
{
    static const struct instruction plain = { .flags = 0 };

    pt_retired(p, &plain, now);
}

bool pt_tx_begin(struct processor *p, const struct pt_now *now, bool doomed)
{
    struct pt_state *pt = &p->pt;
    const uint64_t *ip = is(p, FAULT_pt_begin_ip_next) ? &now->next : &now->ip;

    pt->keep = true;
    if (doomed && !p->open.pt_begin_of_doomed)
        return false;
    pt->in_tx = true;
    if (shows(p))
        put_mode(p, PT_TX_IN, pt->packet_en ? ip : NULL);
    go_on(p, now);
    return true;
}

void pt_tx_commit(struct processor *p, const struct pt_now *now)
{
    struct pt_state *pt = &p->pt;

    pt->in_tx = false;
    if (shows(p) && !is(p, FAULT_pt_commit_silent))
        put_mode(p, PT_TX_NONE, pt->packet_en ? &now->ip : NULL);
    go_on(p, now);
}

/* For the fault: what they have written is to be written over. */
static void take_back(struct processor *p)
{
    p->pt.base = p->pt.kept_base;
    p->pt.pointers = p->pt.kept_pointers;
    p->pt.tnts = p->pt.tnt = 0;
}

void pt_tx_abort(struct processor *p, const struct pt_now *now)
{
    struct pt_state *pt = &p->pt;
    const uint64_t *ip = is(p, FAULT_pt_abort_ip_wrong) ? &now->next : &now->ip;
    bool was = pt->packet_en, fup;

    pt->in_tx = false;
    if (!pt_tracing(p))
        return;
    if (is(p, FAULT_pt_packets_rolled_back))
        take_back(p);
    pt_follow(p, now);
    fup = was && (pt->packet_en || p->open.pt_fup_before_pgd);
    if (shows(p))
        put_mode(p, is(p, FAULT_pt_abort_is_commit) ? PT_TX_NONE : PT_TX_ABORT,
                 fup ? ip : NULL);
    if (was && !pt->packet_en)
        pt_exit(p, now);
    else if (!was && pt->packet_en)
        pt_enter(p, now);
    else if (was && shows(p) && !is(p, FAULT_pt_abort_tip_missing))
        pt_put_ip(p, PT_TIP, is(p, FAULT_pt_abort_target_wrong) ? &now->ip
                                                                : &now->next);
    go_on(p, now);
}

void pt_tx_nested(struct processor *p, const struct pt_now *now)
{
    if (is(p, FAULT_pt_nested_packets) && shows(p) && p->pt.packet_en)
        put_mode(p, PT_TX_IN, &now->ip);
}
