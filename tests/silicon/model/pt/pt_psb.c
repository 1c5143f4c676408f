/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_psb.c - PSB and what comes with it. SDM volume 3C, "Decoder
 * Synchronization (PSB+)".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"

#define PSB_REPEATS 8

void pt_put_psb(struct processor *p, const struct pt_step *now, bool at_start)
{
    static const uint8_t psb[] = {0x02, 0x82}, psbend[] = {0x02, 0x23};
    struct pt_state *pt = &p->pt;
    const struct choices *choices = &p->choices;
    bool branches = (pt->ctl_active & RTIT_BRANCH_EN) != 0;
    bool tx = faults_psb_has_tx(
        p, faults_pt(p, PT_PSB_TX, branches && pt->context_en));
    enum pt_tx_mode mode =
        faults_psb_in_tx(
            p, faults_pt(p, PT_PSB_IN_TX,
                         pt->in_tx && (!p->tsx.hle ||
                                       faults_pt(p, PT_PSB_IN_HLE, true))))
            ? PT_TX_IN
        : p->faults.pt_aborts != 0 && !faults_pt(p, PT_PSB_TX_ABORT_ONCE, true)
            ? PT_TX_ABORT
            : PT_TX_NONE;

    if (!at_start && pt->psb_bytes != 0 && !branches &&
        !faults_pt(p, PT_PSB_NO_BRANCHES, true))
        return;
    if (!pt->packet_en && !faults_pt(p, PT_PSB_TX_OUTSIDE, true))
        tx = false;
    if (pt->in_tx && ++pt->psbs_in_tx > 1 &&
        !faults_pt(p, PT_PSB_IN_TX_AGAIN, true))
        mode = PT_TX_NONE;
    if (now->cpl > 0 && pt->in_tx && !faults_pt(p, PT_PSB_TX_IN_RING_3, true))
        tx = false;
    if (at_start || faults_pt(p, PT_PSB_AFTER_TNT, true))
        pt_flush_tnt_if(p, PT_PSB_TNT);
    if (erratum_shows(p, ERRATUM_CYC_DROPPED, 8))
        pt->cycles = 0;
    if (faults_pt(p, PT_PSB_RESETS_COUNT, true))
        pt->psb_bytes = 0;
    p->faults.goes_on = false;
    pt->last_ip = faults_psb_last_ip(p, 0);
    if (faults_pt(p, PT_PSB_ENDS_CALLS, true) &&
        (!pt->in_tx || faults_pt(p, PT_PSB_ENDS_CALLS_IN_TX, true)))
        pt->returns_known = 0;
    if (pt->packet_en || faults_pt(p, PT_PSB_EXEC_DUE, true))
        pt->exec = PT_EXEC_NONE;
    for (unsigned n = 0; n < faults_pt_value(p, PT_PSB_PAIRS, PSB_REPEATS); n++)
        pt_put_bytes(p, psb, 2);
    if (faults_pt(p, PT_PSB_TIME_FIRST, true))
        pt_put_time(p, now);
    if (faults_pt(
            p, PT_PSB_PIP,
            pt->context_en &&
                (pt->filter_en || faults_pt(p, PT_PSB_PIP_OUTSIDE, true)) &&
                (now->cpl == 0 || faults_pt(p, PT_PSB_PIP_IN_RING_3, true)) &&
                ((pt->ctl_active & RTIT_CR3_FILTER) == 0 ||
                 faults_pt(p, PT_PSB_PIP_FILTERED, true)) &&
                ((pt->ctl_active & RTIT_OS) != 0 ||
                 !faults_pt(p, PT_PSB_PIP_OS, true) ||
                 erratum_shows(p, ERRATUM_PIP_WITHOUT_OS, 2))))
        pt_put_pip(p, faults_pt_value(p, PT_PSB_CR3,
                                      faults_pt(p, PT_PSB_CR3_NOW, true)
                                          ? now->cr3
                                          : pt->start_cr3));
    if (!faults_pt(p, PT_PSBEND_LAST, true))
        pt_put_bytes(p, psbend, 2);
    if (tx && choices->pt_tx_before_fup)
        pt_put_mode_tsx(p, mode);
    if (branches &&
        (pt->packet_en || !faults_pt(p, PT_PSB_FUP_INSIDE, true) ||
         (at_start && (choices->pt_fup_at_start ||
                       erratum_shows(p, ERRATUM_PSB_UNEXPECTED, 2))))) {
        if (faults_pt(p, PT_PSB_EXEC, true) &&
            (now->cpl == 0 || faults_pt(p, PT_PSB_EXEC_IN_RING_3, true)))
            pt_put_mode_exec(p, now);
        if (faults_pt(p, PT_PSB_FUP, true))
            pt_put_ip(p, PT_FUP,
                      pt->in_tx && !faults_pt(p, PT_PSB_FUP_IN_TX, true)
                          ? &pt->tx_begin
                      : faults_pt(p, PT_PSB_FUP_NEXT, true) ? &now->next
                                                            : &now->ip);
    }
    if (tx && !choices->pt_tx_before_fup &&
        faults_pt(p, PT_PSB_TX_INSIDE, true))
        pt_put_mode_tsx(p, mode);
    if (faults_pt(p, PT_PSBEND, true) && faults_pt(p, PT_PSBEND_LAST, true))
        pt_put_bytes(p, psbend, 2);
    if (!faults_pt(p, PT_PSB_TIME_FIRST, true))
        pt_put_time(p, now);
    if (tx && !choices->pt_tx_before_fup &&
        !faults_pt(p, PT_PSB_TX_INSIDE, true))
        pt_put_mode_tsx(p, mode);
}
