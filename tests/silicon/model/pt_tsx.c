/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_tsx.c - transactions in the trace: MODE.TSX when their status changes,
 * alike for HLE and RTM, as soon as ContextEn is set; the FUP that belongs to
 * it where packets are enabled. SDM volume 3C, "Intel Transactional
 * Synchronization Extensions (Intel TSX)", table "TSX Packet Scenarios", and
 * the rows of table "Packet Generation under Different Enable Conditions".
 */
#include "tests/silicon/model/pt.h"

#include "tests/silicon/faults/hooks.h"

static bool is_traced(const struct processor *p)
{
    return pt_tracing(p) && p->pt.context_en &&
           ((p->pt.ctl_active & RTIT_BRANCH_EN) != 0 ||
            has_fault(p, FAULT_pt_mode_without_branch_en)) &&
           !(p->tsx.hle && has_fault(p, FAULT_pt_hle_silent));
}

/* All that is older stands before it. */
static void put_mode_tsx(struct processor *p, enum pt_tx_mode mode,
                         const uint64_t *fup)
{
    pt_flush_tnt(p);
    pt_put_cyc(p);
    if (fup != NULL && has_fault(p, FAULT_pt_mode_after_fup))
        pt_put_ip(p, PT_FUP, fup);
    pt_put_mode_tsx(p, mode);
    if (fup != NULL && !has_fault(p, FAULT_pt_mode_after_fup) &&
        !has_fault(p, FAULT_pt_fup_missing))
        pt_put_ip(p, PT_FUP, fup);
}

/* The instruction itself may lead out of the filter, or into it. */
static void finish_step(struct processor *p, const struct pt_step *now)
{
    static const struct instruction no_branch = { .flags = 0 };

    pt_retired(p, &no_branch, now);
}

bool pt_tx_begin(struct processor *p, const struct pt_step *now, bool doomed)
{
    struct pt_state *pt = &p->pt;
    const uint64_t *ip =
        has_fault(p, FAULT_pt_begin_ip_next) ? &now->next : &now->ip;

    pt->save_output = true;
    if (doomed && !p->choices.pt_begin_of_doomed)
        return false;
    pt->in_tx = true;
    if (is_traced(p))
        put_mode_tsx(p, PT_TX_IN, pt->packet_en ? ip : NULL);
    finish_step(p, now);
    return true;
}

void pt_tx_commit(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    pt->in_tx = false;
    if (is_traced(p) && !has_fault(p, FAULT_pt_commit_silent))
        put_mode_tsx(p, PT_TX_NONE, pt->packet_en ? &now->ip : NULL);
    finish_step(p, now);
}

/* For the fault: what they have written is to be written over. */
static void roll_back_output(struct processor *p)
{
    p->pt.base = p->pt.saved_base;
    p->pt.pointers = p->pt.saved_pointers;
    p->pt.tnt_count = p->pt.tnt_bits = 0;
}

void pt_tx_abort(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    const uint64_t *ip =
        has_fault(p, FAULT_pt_abort_ip_wrong) ? &now->next : &now->ip;
    bool was = pt->packet_en, fup;

    pt->in_tx = false;
    if (!pt_tracing(p))
        return;
    if (has_fault(p, FAULT_pt_packets_rolled_back))
        roll_back_output(p);
    pt_update_enables(p, now);
    fup = was && (pt->packet_en || p->choices.pt_fup_before_pgd);
    if (is_traced(p))
        put_mode_tsx(p,
                     has_fault(p, FAULT_pt_abort_is_commit) ? PT_TX_NONE
                                                            : PT_TX_ABORT,
                     fup ? ip : NULL);
    if (was && !pt->packet_en)
        pt_packet_en_cleared(p, now);
    else if (!was && pt->packet_en)
        pt_packet_en_set(p, now);
    else if (was && is_traced(p) && !has_fault(p, FAULT_pt_abort_tip_missing))
        pt_put_ip(p, PT_TIP,
                  has_fault(p, FAULT_pt_abort_target_wrong) ? &now->ip
                                                            : &now->next);
    finish_step(p, now);
}

void pt_tx_nested(struct processor *p, const struct pt_step *now)
{
    if (has_fault(p, FAULT_pt_nested_packets) && is_traced(p) &&
        p->pt.packet_en)
        put_mode_tsx(p, PT_TX_IN, &now->ip);
}
