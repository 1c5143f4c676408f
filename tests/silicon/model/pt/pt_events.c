/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_events.c - event trace, and what PTWRITE leaves. SDM volume 3C of later
 * editions, "Event Tracing": numbers of packets as Linux has them,
 * tools/perf/util/intel-pt-decoder; "Software Trace Instrumentation with
 * PTWRITE"; volume 2B, "PTWRITE".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"

#define CFE_INTR  1 /* an interrupt, exception or INT n, with its vector */
#define CFE_IRET  2
#define VECTOR_BP 3
#define VECTOR_GP 13
#define VECTOR_PF 14

static void put_evd(struct processor *p, const struct pt_step *now)
{
    struct fault_state *f = &p->faults;

    if (now->vector != VECTOR_PF ||
        (now->from_user && !faults_pt(p, PT_EVD_OF_RING_3, true)))
        return;
    f->first_cr2 = f->first_cr2 != 0 ? f->first_cr2 : now->cr2;
    if (now->from_user && !faults_pt(p, PT_EVD_OFFSET, true))
        pt_put_evd(p, now->cr2 & ~BITS(11, 0));
    else
        pt_put_evd(p, faults_pt(p, PT_EVD_OF_EACH, true) ? now->cr2
                                                         : f->first_cr2);
}

static void put_with_fup(struct processor *p, uint8_t type, uint8_t vector,
                         const uint64_t *ip)
{
    pt_flush_tnt(p);
    pt_put_cyc(p);
    pt_put_cfe(p, type, vector);
    if (faults_pt(p, PT_CFE_FUP, true))
        pt_put_whole_ip(p, PT_FUP, ip, PT_CFE_FUP_WHOLE);
}

void pt_put_cfe_of_event(struct processor *p, const struct pt_step *now)
{
    if (faults_pt(p, PT_EVD_FIRST, true))
        put_evd(p, now);
    if (faults_pt(p, PT_CFE_OF_EVENT, true))
        put_with_fup(p, CFE_INTR,
                     now->external && !faults_pt(p, PT_CFE_VECTOR, true)
                         ? now->vector ^ 1
                     : now->from_user && now->vector == VECTOR_GP &&
                             !faults_pt(p, PT_CFE_GP_RING_3, true)
                         ? VECTOR_BP
                         : now->vector,
                     now->external || !now->from_user ||
                             faults_pt(p, PT_CFE_IP_IN_RING_3, true)
                         ? &now->ip
                         : &now->next);
    if (!faults_pt(p, PT_EVD_FIRST, true))
        put_evd(p, now);
}

void pt_put_cfe_of_iret(struct processor *p, const struct pt_step *now)
{
    if (faults_pt(p, PT_CFE_OF_IRET, true) &&
        (!p->pt.user || faults_pt(p, PT_CFE_IRET_TO_RING_3, true)))
        put_with_fup(p, CFE_IRET, 0,
                     faults_pt(p, PT_CFE_IRET_IP, true) ? &now->ip
                                                        : &now->next);
}

void pt_put_new_if(struct processor *p, const struct pt_step *now)
{
    if (!pt_event_en(p) || !p->pt.packet_en || p->pt.exec == PT_EXEC_NONE ||
        pt_exec_mode(p, now) == p->pt.exec ||
        !faults_pt(p, PT_EXEC_OF_IF, true))
        return;
    if (p->faults.popf && !faults_pt(p, PT_EXEC_OF_POPF, true)) {
        p->pt.exec = pt_exec_mode(p, now);
        return;
    }
    pt_flush_tnt(p);
    pt_put_mode_exec(p, now);
    pt_put_ip(p, PT_FUP, &now->next);
}

/* "TriggerEn, ContextEn, FilterEn, and PTWEn are all set to 1." */
void pt_put_ptwrite(struct processor *p, const struct instruction *i,
                    const struct pt_step *now)
{
    const struct pt_state *pt = &p->pt;
    const unsigned bytes =
        now->ptw >> 32 == 0 && !faults_pt(p, PT_PTW_WHOLE, true)
            ? 4
            : i->operand_bytes;
    const bool on = faults_pt(p, PT_PTW, (pt->ctl_active & RTIT_PTW_EN) != 0),
               fup = (pt->ctl_active & RTIT_FUP_ON_PTW) != 0 ||
                     !faults_pt(p, PT_PTW_FUP_ASKED, true);

    if (!on || !faults_pt(p, PT_PTW_CONTEXT, pt->context_en) ||
        !faults_pt(p, PT_PTW_FILTER, pt->filter_en) ||
        (!pt_branch_en(p) && !faults_pt(p, PT_PTW_NO_BRANCHES, true)) ||
        (pt->in_tx && !faults_pt(p, PT_PTW_IN_TX, true)) ||
        (now->cpl > 0 && !faults_pt(p, PT_PTW_IN_RING_3, true)) ||
        (bytes == 4 && pt->in_tx && !faults_pt(p, PT_PTW_4_IN_TX, true)) ||
        (bytes == 4 && now->cpl > 0 && !faults_pt(p, PT_PTW_4_IN_RING_3, true)))
        return;
    pt_flush_tnt_if(p, PT_PTW_TNT);
    if (faults_pt(p, PT_CYC_OF_PTW, true))
        pt_put_cyc(p);
    pt_put_ptw(p, now->ptw, bytes, faults_pt(p, PT_PTW_IP_BIT, fup));
    if (faults_pt(p, PT_PTW_FUP, fup) &&
        (!pt->in_tx || faults_pt(p, PT_PTW_FUP_IN_TX, true)))
        pt_put_whole_ip(p, PT_FUP,
                        faults_pt(p, PT_PTW_FUP_HERE, true) ? &now->ip
                                                            : &now->next,
                        PT_PTW_FUP_WHOLE);
}
