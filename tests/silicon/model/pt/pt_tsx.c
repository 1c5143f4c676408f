/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_tsx.c - transactions in the trace: MODE.TSX when their status changes,
 * alike for HLE and RTM, as soon as ContextEn is set; the FUP that belongs to
 * it where packets are enabled. SDM volume 3C, "Intel Transactional
 * Synchronization Extensions (Intel TSX)", table "TSX Packet Scenarios", and
 * the rows of table "Packet Generation under Different Enable Conditions".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"

static bool is_traced(const struct processor *p)
{
    return faults_tx_traced(
        p,
        pt_tracing(p) &&
            (p->pt.context_en || ((p->pt.ctl_active & RTIT_CR3_FILTER) != 0 &&
                                  !faults_pt(p, PT_TX_CONTEXT, true))) &&
            (p->pt.filter_en ||
             (faults_pt(p, PT_TX_FILTER, true) &&
              (!p->tsx.hle || faults_pt(p, PT_HLE_FILTER, true)) &&
              (!p->pt.user || faults_pt(p, PT_TX_FILTER_RING_3, true)))) &&
            ((p->pt.ctl_active & RTIT_BRANCH_EN) != 0 ||
             (p->pt.aborting &&
              !faults_pt(p, PT_ABORT_NEEDS_BRANCH_EN, true))));
}

/* "Packet generation does not distinguish" it, at ring 3 either. */
static bool is_elision_hidden(const struct processor *p, enum pt_tx_mode mode)
{
    return p->tsx.hle && p->pt.user &&
           !faults_pt(p,
                      mode == PT_TX_IN      ? PT_HLE_IN_RING_3
                      : mode == PT_TX_ABORT ? PT_HLE_ABORT_RING_3
                                            : PT_HLE_COMMIT_RING_3,
                      true);
}

/* All that is older stands before it. */
static void put_mode_tsx(struct processor *p, enum pt_tx_mode mode,
                         const uint64_t *fup)
{
    if (mode != PT_TX_ABORT &&
        !faults_pt(p, mode == PT_TX_IN ? PT_BEGIN_TNT : PT_COMMIT_TNT, true))
        p->pt.tnt_bits = p->pt.tnt_count = 0;
    if (p->tsx.hle && mode != PT_TX_ABORT &&
        !faults_pt(p, mode == PT_TX_IN ? PT_HLE_BEGIN_TNT : PT_HLE_COMMIT_TNT,
                   true))
        p->pt.tnt_bits = p->pt.tnt_count = 0;
    if (faults_pt(p, PT_TX_TNT_FIRST, true))
        pt_flush_tnt(p);
    if (fup == NULL && faults_pt(p, PT_TX_FUP, false))
        fup = &p->pt.last_ip;
    if (faults_pt(p, PT_CYC_OF_TX, true) &&
        (mode != PT_TX_ABORT ||
         (faults_pt(p, PT_CYC_OF_ABORT, true) &&
          (!p->pt.user || faults_pt(p, PT_CYC_OF_ABORT_RING_3, true)))))
        pt_put_cyc(p);
    if (is_elision_hidden(p, mode))
        return;
    if (mode == PT_TX_IN && ++p->pt.begins % 16 == 0 &&
        !faults_pt(p, PT_EVERY_BEGIN, true))
        return;
    if (faults_put_mode_tsx(p, mode, fup))
        return;
    if (mode == PT_TX_IN)
        mode = (enum pt_tx_mode)faults_pt_value(p, PT_TX_BEGIN_MODE, mode);
    if (mode == PT_TX_NONE)
        mode = (enum pt_tx_mode)faults_pt_value(p, PT_TX_COMMIT_MODE, mode);
    if (mode == PT_TX_ABORT && p->tsx.hle && p->pt.user &&
        !faults_pt(p, PT_HLE_TXABORT_RING_3, true))
        mode = PT_TX_NONE;
    if (mode == PT_TX_ABORT)
        mode = (enum pt_tx_mode)faults_pt_value(p, PT_TX_ABORT_MODE, mode);
    pt_put_mode_tsx(p, mode);
    if (fup != NULL)
        pt_put_whole_ip(p, PT_FUP, fup, PT_TX_FUP_WHOLE);
    if (!faults_pt(p, PT_TX_MODE_ONCE, true))
        pt_put_mode_tsx(p, mode);
}

/* Its time has passed already. */
static void finish_step(struct processor *p, const struct pt_step *now)
{
    static const struct instruction no_branch = {.flags = 0};
    struct pt_step done = *now;

    done.cycles = 0;
    pt_retired(p, &no_branch, &done);
}

bool pt_tx_begin(struct processor *p, const struct pt_step *now, bool doomed)
{
    struct pt_state *pt = &p->pt;
    const uint64_t *ip = faults_tx_begin_ip(p, now);

    pt->tx_begin = now->ip;
    if (doomed && !p->choices.pt_begin_of_doomed)
        return false;
    pt->in_tx = true;
    pt->psbs_in_tx = 0;
    p->faults.entered = !pt->packet_en;
    pt_pass_time(p, now);
    if (is_traced(p))
        put_mode_tsx(p, PT_TX_IN,
                     pt->packet_en &&
                             (now->cpl == 0 ||
                              faults_pt(p, PT_TX_FUP_IN_RING_3, true)) &&
                             (now->cpl == 0 || !p->tsx.hle ||
                              faults_pt(p, PT_HLE_FUP_RING_3, true))
                         ? ip
                         : NULL);
    finish_step(p, now);
    return true;
}

void pt_tx_commit(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    pt->in_tx = !faults_pt(p, PT_COMMIT_ENDS_TX, true);
    pt_pass_time(p, now);
    if (is_traced(p) && !faults_hide_commit(p))
        put_mode_tsx(
            p, PT_TX_NONE,
            !pt->packet_en                                                ? NULL
            : !faults_pt(p, PT_COMMIT_FUP, true)                          ? NULL
            : p->faults.entered && !faults_pt(p, PT_COMMIT_ENTERED, true) ? NULL
            : faults_pt(p, PT_COMMIT_IP, true) ? &now->ip
                                               : &now->next);
    finish_step(p, now);
}

void pt_tx_abort(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    const uint64_t *ip = faults_tx_abort_ip(p, now);
    const uint64_t *target = faults_tx_target(p, now);
    const bool elided = p->tsx.hle && now->cpl > 0;
    uint64_t at;
    bool was = pt->packet_en, fup, stops;
    unsigned aborts;

    pt->in_tx = !faults_pt(p, PT_ABORT_ENDS_TX, true);
    pt->aborting = true;
    if (!faults_pt(p, PT_ABORT_HERE, true) ||
        (p->tsx.hle && !faults_pt(p, PT_HLE_ABORT_HERE, true)))
        ip = &pt->tx_begin;
    if (elided && !faults_pt(p, PT_HLE_TARGET_RING_3, true))
        target = &now->ip;
    at = faults_pt_value(p, PT_ABORT_IP, *ip);
    if (!faults_pt(p, now->cpl > 0 ? PT_ABORT_TNT_RING_3 : PT_ABORT_TNT,
                   true) ||
        (now->nested && !faults_pt(p, PT_NESTED_ABORT_TNT, true)))
        pt->tnt_bits = pt->tnt_count = 0;
    if (now->nested && pt->tnt_count != 0 &&
        pt->tnt_count == p->faults.ret_due &&
        !faults_pt(p, PT_ABORT_RET_TNT, true)) {
        pt->tnt_bits >>= 1;
        pt->tnt_count--;
    }
    if (!faults_pt(p, PT_ABORT_CYCLES, true))
        pt->cycles = 0;
    if (!pt_tracing(p)) {
        pt->aborting = false;
        return;
    }
    faults_tx_aborts(p);
    aborts = ++p->faults.pt_aborts;
    pt_pass_time(p, now);
    pt_update_enables(p, now, true);
    stops = pt_enters_stop(p, now, faults_pt(p, PT_ABORT_STOPS, true));
    fup = was && (pt->packet_en || p->choices.pt_fup_before_pgd) &&
          faults_pt(p, PT_ABORT_FUP, true) &&
          (!p->faults.entered || faults_pt(p, PT_ABORT_ENTERED, true)) &&
          (aborts == 1 || faults_pt(p, PT_EVERY_ABORT_FUP, true));
    if (is_traced(p) &&
        (was || pt->packet_en || faults_pt(p, PT_ABORT_FILTER, true)))
        put_mode_tsx(p, faults_tx_abort_mode(p), fup ? &at : NULL);
    if (was && !pt->packet_en) {
        if (faults_pt(p, PT_ABORT_PGD, true) &&
            (!p->tsx.hle || faults_pt(p, PT_HLE_ABORT_PGD, true)))
            pt_packet_en_cleared(p, &now->next);
    } else if (!was && pt->packet_en) {
        if (faults_pt(p, PT_ABORT_PGE, true) &&
            (!p->tsx.hle || faults_pt(p, PT_HLE_ABORT_PGE, true)) &&
            (now->cpl == 0 || faults_pt(p, PT_ABORT_PGE_RING_3, true)))
            pt_packet_en_set(p, now);
    } else if (was && is_traced(p) && !faults_hide_abort_tip(p)) {
        if (!faults_pt(p, PT_PSB_APART, true) && pt_psb_is_due(p))
            pt_put_psb(p, now, false);
        pt_put_whole_ip(p, PT_TIP, target, PT_ABORT_TIP_WHOLE);
    }
    if (stops)
        pt_stop(p);
    else
        finish_step(p, now);
    pt->aborting = false;
    pt->aborted = true;
    pt->aborted_at = now->ip;
}

void pt_tx_nested(struct processor *p, const struct pt_step *now)
{
    if ((faults_show_nested(p) ||
         (p->tsx.hle && faults_pt(p, PT_HLE_NESTED, false)) ||
         (!p->pt.in_tx && faults_pt(p, PT_UNELIDED, false))) &&
        is_traced(p) && p->pt.packet_en)
        put_mode_tsx(p, PT_TX_IN, &now->ip);
}
