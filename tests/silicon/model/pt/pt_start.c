/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_start.c - where WRMSR sets and clears TraceEn: SDM volume 3C, "Enabling
 * and Disabling Packet Generation with TraceEn".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"

bool pt_is_switched(const struct processor *p, bool was, uint32_t number)
{
    bool is = (p->pt.ctl & RTIT_TRACE_EN) != 0;

    return was != is || (is && number == IA32_RTIT_CTL &&
                         !faults_pt(p, PT_REWRITE_SILENT, true));
}

/* "Duplicated for each logical processor." */
static void leave_others(const struct processor *p)
{
    const struct machine *m = p->machine;

    if (faults_pt(p, PT_TRACES_APART, true))
        return;
    for (unsigned n = 0; n < m->processors; n++)
        if (m->processor[n] != p)
            m->processor[n]->pt.ctl &= ~RTIT_TRACE_EN;
}

void pt_started(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    bool configurable = (pt_leaf(p, 0).ebx & PT_EBX_CONFIGURABLE) != 0, stops;

    leave_others(p);
    pt->ctl_active = pt->ctl;
    pt->start_cr3 = now->cr3;
    pt->start_base = pt->base;
    pt->begins = 0;
    p->faults.pt_status_ignored = faults_pt_value(p, PT_STATUS_IGNORED, 0);
    pt->status &= ~faults_pt_value(p, PT_STATUS_CLEARED, 0);
    pt->tnt_bits = pt->tnt_count = 0;
    if (faults_pt(p, PT_START_ENDS_CALLS, true))
        pt->returns_known = 0;
    p->faults.int_seen = false;
    p->faults.pt_aborts = 0;
    p->faults.first_cr2 = 0;
    pt->cycles = faults_pt(p, PT_START_RESETS_CYCLES, true)
                     ? 0
                     : (uint32_t)(now->tsc - p->faults.ended_tsc);
    pt->cyc_sent = false;
    pt->exec = PT_EXEC_NONE;
    p->faults.goes_on = true;
    pt->buffered = 0;
    if (!faults_pt(p, PT_START_KEEPS_RANGES, true))
        pt->address[2] = pt->address[3] = 0;
    if (!faults_pt(p, PT_START_KEEPS_CR3, true))
        pt->cr3_match = 0;
    p->errata.trace_dropped = false;
    pt->check_output = true;
    pt->int_signaled = pt->clocks_stopped = false;
    pt->packet_en = false;
    if (!pt_tracing(p))
        return;
    pt_start_mtc(p, now);
    pt_start_enables(p, now);
    pt->packet_en = false; /* until the WRMSR is complete */
    if (faults_pt(p, PT_PSB_AT_START, !configurable || pt->psb_bytes == 0) &&
        (pt->context_en || faults_pt(p, PT_PSB_ANYWHERE, true))) {
        pt_put_psb(p, now, pt->context_en && pt->filter_en);
    } else {
        p->faults.no_cbr = !faults_pt(p, PT_CBR_AT_START, true);
        p->faults.no_tsc = !faults_pt(p, PT_TSC_AT_START, true);
        pt_put_time(p, now);
        p->faults.no_cbr = p->faults.no_tsc = false;
    }
    pt_start_enables(p, now);
    stops =
        faults_pt(p, PT_STOPS_AT_START, true) && pt_enters_stop(p, now, true);
    if (pt->packet_en && faults_pt(p, PT_PGE_AT_START, true))
        pt_packet_en_set(p, now);
    if (stops)
        pt_stop(p);
}

/* Row 3b, "WRMSR that changes TraceEn 1 -> 0": FUP(CLIP), TIP.PGD(). */
void pt_stopped(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    pt->status &= ~faults_pt_value(p, PT_STATUS_CLEARED_LAST, 0);
    p->faults.ended_tsc = now->tsc;
    if (!pt->packet_en)
        return;
    pt_pass_time(p, now);
    if (faults_pt(p, PT_STOP_FLUSHES, true))
        pt_flush_tnt(p);
    pt->packet_en = false;
    if (!pt_branch_en(p))
        return;
    if (faults_pt(p, PT_STOP_FUP, true))
        pt_put_ip(p, PT_FUP,
                  faults_pt(p, PT_STOP_FUP_IP, true) ? &now->ip : &now->next);
    pt_put_cyc(p);
    if (faults_pt(p, PT_STOP_PGD, true))
        pt_put_ip(p, PT_TIP_PGD,
                  faults_pt(p, PT_STOP_PGD_IP, false) ? &now->next : NULL);
}
