/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt.c - which packets an instruction makes. SDM volume 3C, "Change of Flow
 * Instruction (COFI) Tracing", and table "Packet Generation under Different
 * Enable Conditions", whose rows are named here by their numbers.
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"

bool pt_branch_en(const struct processor *p)
{
    return faults_pt(p, PT_BRANCH_EN,
                     (p->pt.ctl_active & RTIT_BRANCH_EN) != 0) ||
           faults_pt_value(p, PT_UNASKED, 0) != 0;
}

void pt_pass_time(struct processor *p, const struct pt_step *now)
{
    p->pt.user = now->cpl > 0;
    if ((p->pt.filter_en || faults_pt(p, PT_CYCLES_FILTERED, true)) &&
        (p->pt.context_en || faults_pt(p, PT_CYCLES_OUTSIDE, true)))
        p->pt.cycles += now->cycles;
    if (now->cycles != 0)
        p->pt.cyc_sent = false;
}

void pt_packet_en_cleared(struct processor *p, const uint64_t *ip)
{
    const enum pt_rule out = (p->pt.ctl_active & RTIT_CR3_FILTER) != 0
                                 ? PT_CR3_ENDS_CALLS
                                 : PT_LEVEL_ENDS_CALLS;

    if (faults_pt(p, PT_PGD_ENDS_CALLS, true) &&
        (p->pt.context_en || faults_pt(p, out, true)))
        p->pt.returns_known = 0;
    pt_flush_tnt_if(p, out == PT_CR3_ENDS_CALLS && !p->pt.context_en
                           ? PT_CR3_TNT
                           : PT_PGD_TNT);
    if (!pt_branch_en(p))
        return;
    if (faults_pt(p, PT_CYC_OF_PGD, true))
        pt_put_cyc(p);
    if (!faults_pt(p, PT_PGD_ALWAYS_IP, false) && !p->pt.context_en) {
        if (ip != NULL && !faults_pt(p, PT_LAST_IP_SENT, true))
            p->pt.last_ip = *ip;
        ip = NULL;
    }
    if (faults_pt(p, PT_PGD, true))
        pt_put_ip(p, PT_TIP_PGD, faults_pt(p, PT_PGD_IP, true) ? ip : NULL);
}

static bool is_conditional(const struct instruction *i)
{
    return (i->flags & INSTRUCTION_CONDITIONAL) != 0;
}

static bool is_taken(const struct instruction *i, const struct pt_step *now)
{
    if ((i->flags & INSTRUCTION_BRANCHES) == 0)
        return false;
    return !is_conditional(i) || now->next != now->ip + i->length;
}

static void put_branch(struct processor *p, const struct instruction *i,
                       const struct pt_step *now)
{
    bool far = (i->flags & INSTRUCTION_FAR) != 0,
         call = (i->flags & INSTRUCTION_CALL) != 0;
    const uint64_t *to;

    if (is_conditional(i)) {
        if (faults_pt(p, PT_TNT_SENT,
                      (p->pt.ctl_active & RTIT_DIS_TNT) == 0 ||
                          (now->cpl > 0 &&
                           !faults_pt(p, PT_DIS_TNT_IN_RING_3, true))) &&
            (faults_pt(p, PT_TNT_NOT_TAKEN, true) || is_taken(i, now)) &&
            (i->length < 6 || faults_pt(p, PT_TNT_NEAR, true)))
            pt_put_tnt(p, is_taken(i, now) == faults_pt(p, PT_TNT_TAKEN, true));
        return;
    }
    if (pt_is_near_return(i) && p->pt.in_tx && p->tsx.hle &&
        !faults_pt(p, PT_HLE_RETURNS, true))
        return;
    if (pt_is_near_return(i) && pt_returns_as_called(p, i, now)) {
        pt_put_tnt(p, faults_pt(p, PT_TNT_OF_RET, true));
        return;
    }
    if (call && !far)
        pt_push_return(p, i, now);
    if (!far && !faults_pt(p, PT_DIRECT_TIP, false) &&
        (i->flags & (INSTRUCTION_RETURN | INSTRUCTION_INDIRECT)) == 0)
        return;
    if (!faults_pt(p,
                   far    ? PT_FAR_TIP
                   : call ? PT_CALL_TIP
                          : PT_JUMP_TIP,
                   true) ||
        (far && i->system == SYSTEM_SYSCALL &&
         !faults_pt(p, PT_SYSCALL_TIP, true)) ||
        (far && i->system == SYSTEM_SYSRET &&
         !faults_pt(p, PT_SYSRET_TIP, true)) ||
        (pt_is_near_return(i) && !faults_pt(p, PT_RET_TIP, true)) ||
        (far && (i->flags & INSTRUCTION_RETURN) == 0 &&
         i->system == SYSTEM_NONE && !faults_pt(p, PT_FAR_CALL_TIP, true)) ||
        (far && (i->flags & INSTRUCTION_RETURN) != 0 &&
         !faults_pt(p, PT_IRET_TIP, true)) ||
        (far && now->cpl > 0 && (i->flags & INSTRUCTION_RETURN) == 0 &&
         i->system == SYSTEM_NONE && !faults_pt(p, PT_FAR_IN_RING_3, true)))
        return;
    if (faults_pt(p, PT_TNT_FIRST, true))
        pt_flush_tnt(p);
    if (far && faults_pt(p, PT_FAR_FUP, false))
        pt_put_ip(p, PT_FUP, &now->ip);
    if (far && faults_pt(p, PT_EXEC_BEFORE_TIP, true))
        pt_put_new_mode(p, now);
    if (faults_pt(p, PT_CYC_OF_TIP, true))
        pt_put_cyc(p);
    to = faults_pt(p, PT_TIP_NEXT, true) ? &now->next : &now->ip;
    if (pt_is_near_return(i))
        pt_put_whole_ip(p, PT_TIP, to, PT_RET_TIP_WHOLE);
    else
        pt_put_ip(p, PT_TIP, to);
    if (far && !faults_pt(p, PT_EXEC_BEFORE_TIP, true))
        pt_put_new_mode(p, now);
}

/* What TIP.PGD says instead of the packet of this instruction. Rows 7e, 7f:
 * nothing of a conditional branch; tables differ about a compressed RET. */
static const uint64_t *pgd_ip(struct processor *p, const struct instruction *i,
                              const struct pt_step *now)
{
    if (faults_pt(p, PT_PGD_TWO, false) && pt_branch_en(p))
        put_branch(p, i, now);
    if (is_conditional(i) && faults_pt(p, PT_PGD_CONDITIONAL, true))
        return NULL;
    if (pt_is_near_return(i) && pt_returns_as_called(p, i, now) &&
        !p->choices.pt_ret_pgd_has_ip)
        return NULL;
    if ((i->flags & INSTRUCTION_BRANCHES &
         (INSTRUCTION_FAR | INSTRUCTION_RETURN)) == 0 &&
        (i->flags & INSTRUCTION_INDIRECT) == 0 &&
        erratum_shows(p, ERRATUM_PGD_IP, 2))
        return NULL;
    if ((i->flags & INSTRUCTION_FAR) != 0 && !faults_pt(p, PT_FAR_PGD_IP, true))
        return NULL;
    return now->cpl == 0 || faults_pt(p, PT_PGD_NEXT_IN_RING_3, true)
               ? &now->next
               : &now->ip;
}

static uint32_t psb_period(const struct processor *p)
{
    return (uint32_t)faults_pt_value(
        p, PT_PSB_PERIOD,
        UINT32_C(2048) << faults_pt_value(
            p, PT_PSB_FREQ, (p->pt.ctl_active & RTIT_PSB_FREQ) >> 24));
}

bool pt_psb_is_due(const struct processor *p)
{
    return p->pt.psb_bytes >= psb_period(p);
}

/* What follows any instruction. */
static void after_instruction(struct processor *p, const struct pt_step *now)
{
    pt_put_new_if(p, now);
    pt_put_mtc(p, now);
    if (pt_psb_is_due(p) &&
        (now->cpl == 0 || faults_pt(p, PT_PSB_IN_RING_3, true)))
        pt_put_psb(p, now, false);
}

/* Row 5: MOV to CR3. */
static void put_new_cr3(struct processor *p, const struct pt_step *now)
{
    bool os = (p->pt.ctl_active & RTIT_OS) != 0;

    if (!faults_pt(p, PT_PIP_CONTEXT, p->pt.context_en) || !os ||
        !faults_pt(p, PT_PIP, true) || erratum_is(p, ERRATUM_MODE_AT_PSB))
        return;
    if ((!faults_pt(p, PT_PIP_NO_BRANCHES, true) && !pt_branch_en(p)) ||
        (!p->pt.filter_en && !faults_pt(p, PT_PIP_UNFILTERED, true)))
        return;
    pt_flush_tnt(p);
    if (faults_pt(p, PT_CYC_OF_PIP, true))
        pt_put_cyc(p);
    pt_put_pip(p, now->cr3);
}

/* "TraceStop Packet Definition": "taken branch", "MOV CR3". */
static bool stop_is_seen(const struct processor *p, const struct instruction *i,
                         const struct pt_step *now)
{
    if (is_taken(i, now))
        return !is_conditional(i) || faults_pt(p, PT_STOPS_CONDITIONAL, true);
    return (i->flags & INSTRUCTION_SETS_CR3) != 0 &&
           faults_pt(p, PT_STOPS_CR3, true);
}

/* From a filter range to another: no packet but that of the branch. */
static void leave_and_enter(struct processor *p, const struct pt_step *now)
{
    pt_packet_en_cleared(p, &now->next);
    pt_packet_en_set(p, now);
}

/* A far transfer out of the context or into it that has a TIP all the same. */
static bool changes_level_alone(const struct processor *p,
                                const struct instruction *i, bool was)
{
    if (was == p->pt.packet_en)
        return false;
    return i->system == SYSTEM_SYSCALL
               ? !was && !faults_pt(p, PT_SYSCALL_PGE, true)
               : was && !faults_pt(p, PT_SYSRET_PGD, true);
}

/* By a RET to where its CALL was: as if it were compressed. */
static bool leaves_silently(struct processor *p, const struct instruction *i,
                            const struct pt_step *now)
{
    return p->pt.context_en && pt_is_near_return(i) && pt_branch_en(p) &&
           !faults_pt(p, PT_RET_PGD, true) && pt_returns_as_called(p, i, now);
}

/* The same without a result. */
static bool leaves_unsaid(const struct processor *p,
                          const struct instruction *i)
{
    if ((i->flags & (INSTRUCTION_CALL | INSTRUCTION_INDIRECT |
                     INSTRUCTION_FAR)) == INSTRUCTION_CALL)
        return !faults_pt(p, PT_CALL_PGD, true);
    return is_conditional(i) && (p->pt.ctl_active & RTIT_DIS_TNT) != 0 &&
           !faults_pt(p, PT_PGD_DIS_TNT, true);
}

void pt_retired(struct processor *p, const struct instruction *i,
                const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    bool was = pt->packet_en, lands = is_taken(i, now), stops;
    bool new_cr3 = (i->flags & INSTRUCTION_SETS_CR3) != 0;

    pt->aborted = false;
    if (!pt_tracing(p))
        return;
    p->faults.popf = (i->flags & INSTRUCTION_POPF) != 0;
    pt_put_time_again(p, now);
    pt_pass_time(p, now);
    pt_update_enables(p, now, lands);
    if (!was)
        pt_pass_by(p, i, now);
    if (new_cr3)
        put_new_cr3(p, now);
    if (i->is_ptwrite)
        pt_put_ptwrite(p, i, now);
    stops = pt_enters_stop(p, now, stop_is_seen(p, i, now));
    if (was && (i->flags & INSTRUCTION_IRET) != 0 && pt_event_en(p))
        pt_put_cfe_of_iret(p, now);
    if (i->system != SYSTEM_NONE && changes_level_alone(p, i, was))
        put_branch(p, i, now);
    else if (was && !pt->packet_en && leaves_silently(p, i, now))
        pt_put_tnt(p, true);
    else if (was && !pt->packet_en && pt->context_en && leaves_unsaid(p, i))
        pt_flush_tnt(p);
    else if (was && !pt->packet_en)
        pt_packet_en_cleared(p, stops && !p->choices.pt_stop_pgd_has_ip
                                    ? NULL
                                    : pgd_ip(p, i, now));
    else if (!was && pt->packet_en)
        pt_packet_en_set(p, now);
    else if (was && lands && !faults_pt(p, PT_RANGE_TO_RANGE, true) &&
             pt_between_ranges(p, now->ip, now->next))
        leave_and_enter(p, now);
    else if (was && (i->flags & INSTRUCTION_BRANCHES) != 0 && pt_branch_en(p) &&
             !faults_hide_branch(p))
        put_branch(p, i, now);
    if (stops)
        pt_stop(p);
    else
        after_instruction(p, now);
}

/* "Internal Buffer Overflow": what follows is "not compressed against packets
 * that were lost"; OVF, and with PacketEn a FUP where tracing goes on. */
void pt_overflow(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;

    if (!pt_tracing(p) || pt->buffered == 0 ||
        !random_one_in(
            &pt->random,
            faults_pt_value(p, PT_OVF_ONE_IN, p->choices.pt_overflow_one_in)))
        return;
    pt->buffered = 0;
    pt->tnt_bits = pt->tnt_count = 0;
    pt->returns_known = 0;
    pt->exec = PT_EXEC_NONE;
    pt->last_ip = pt->sent_ip;
    pt->psb_bytes = pt->sent_bytes;
    pt->cyc_sent = false;
    pt_put_cyc(p);
    if (faults_pt(p, PT_OVF, true))
        pt_put_ovf(p);
    if (pt->packet_en && pt_branch_en(p) &&
        !erratum_shows(p, ERRATUM_OVF_FUP, 2))
        pt_put_ip(p, PT_FUP,
                  faults_pt(p, PT_OVF_FUP_NEXT, true) ? &now->next : &now->ip);
}

/* Rows 11 to 13: FUP of where it came, then where it goes. */
void pt_event(struct processor *p, const struct pt_step *now)
{
    struct pt_state *pt = &p->pt;
    bool was = pt->packet_en, stops, cfe, nmi = p->faults.nmi;
    const bool user = now->from_user && now->external;
    const unsigned calls = pt->returns_known;

    p->faults.nmi = false;
    if (!pt_tracing(p) || !faults_pt(p, PT_EVENTS, true) ||
        (nmi && !faults_pt(p, PT_NMI_TRACED, true)) ||
        (pt->aborted && !faults_pt(p, PT_EVENT_AFTER_ABORT, true)))
        return;
    pt_pass_time(p, now);
    pt_update_enables(p, now, true);
    stops = pt_enters_stop(p, now, faults_pt(p, PT_STOPS_EVENT, true));
    pt_flush_tnt_if(p, !pt->context_en  ? PT_EVENT_TNT_OUT
                       : now->from_user ? PT_EVENT_TNT_RING_3
                       : pt_event_en(p) ? PT_CFE_TNT
                                        : PT_EVENT_TNT);
    cfe = was && pt_event_en(p) &&
          (!now->from_user || faults_pt(p, PT_CFE_FROM_RING_3, true)) &&
          (!now->external || faults_pt(p, PT_CFE_OF_INTERRUPT, true)) &&
          (pt_branch_en(p) || faults_pt(p, PT_CFE_NO_BRANCHES, true));
    if (cfe)
        pt_put_cfe_of_event(p, now);
    if (!was && pt->packet_en && pt_branch_en(p) &&
        !faults_pt(p, PT_EVENT_PGE_FUP, true))
        pt_put_ip(p, PT_FUP, &now->ip);
    if (was && pt->packet_en && pt_branch_en(p) &&
        !faults_pt(p, PT_EVENT_FUP_FIRST, true))
        pt_put_ip(p, PT_TIP, &now->next);
    if (was && !cfe && pt_branch_en(p) && faults_pt(p, PT_EVENT_FUP, true) &&
        (!user || faults_pt(p, PT_INTERRUPT_FUP_RING_3, true)) &&
        (pt->packet_en ||
         faults_pt(p, pt->context_en ? PT_EVENT_FUP_OF_PGD : PT_EVENT_FUP_OUT,
                   true)))
        pt_put_ip(p, PT_FUP,
                  pt->aborted && !faults_pt(p, PT_ABORTED_EVENT_IP, true)
                      ? &pt->aborted_at
                  : faults_pt(p, PT_EVENT_FUP_IP, true) &&
                          (!user || faults_pt(p, PT_INTERRUPT_IP_RING_3, true))
                      ? &now->ip
                      : &now->next);
    if (was && !pt->packet_en && user &&
        !faults_pt(p, PT_INTERRUPT_PGD_RING_3, true)) {
        pt_put_ip(p, PT_TIP_PGD, &now->next);
    } else if (was && !pt->packet_en) {
        pt_packet_en_cleared(p, faults_pt(p, PT_EVENT_PGD_IP, true) ? &now->next
                                                                    : NULL);
        if (pt->context_en && !faults_pt(p, PT_EVENT_ENDS_CALLS, true))
            pt->returns_known = calls;
    } else if (!was && pt->packet_en) {
        pt_packet_en_set(p, now);
    } else if (was && pt_branch_en(p)) {
        pt_put_new_mode(p, now);
        if (faults_pt(p, PT_CYC_OF_EVENT, true))
            pt_put_cyc(p);
        if (!faults_pt(p, PT_PSB_APART, true) && pt_psb_is_due(p))
            pt_put_psb(p, now, false);
        if (faults_pt(p, PT_EVENT_TIP, true) &&
            (!user || faults_pt(p, PT_INTERRUPT_TIP_RING_3, true)) &&
            faults_pt(p, PT_EVENT_FUP_FIRST, true))
            pt_put_ip(p, PT_TIP, &now->next);
    }
    if (stops)
        pt_stop(p);
    else
        after_instruction(p, now);
}
