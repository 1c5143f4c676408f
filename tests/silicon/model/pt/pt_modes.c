/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_modes.c - where MODE.Exec is due, and TIP.PGE, which it precedes. SDM
 * volume 3C, "MODE.Exec Packet Definition"; table "Packet Generation under
 * Different Enable Conditions".
 */
#include "tests/silicon/model/pt/pt.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/errata.h"

/* "If the mode has changed since the last MODE.Exec, or if no MODE.Exec since
 * last PSB." */
void pt_put_new_mode(struct processor *p, const struct pt_step *now)
{
    if (pt_exec_mode(p, now) != p->pt.exec &&
        (p->pt.exec == PT_EXEC_NONE || (!erratum_is(p, ERRATUM_MODE_AT_PSB) &&
                                        faults_pt(p, PT_EXEC_CHANGE, true))))
        pt_put_mode_exec(p, now);
}

/* MODE.Exec has a CYC too. */
static void put_mode_of_pge(struct processor *p, const struct pt_step *now)
{
    if (p->choices.pt_exec_again && faults_pt(p, PT_PSB_EXEC_DUE, true) &&
        faults_pt(p, PT_CYC_OF_PGE, true))
        pt_put_mode_exec(p, now);
    else
        pt_put_new_mode(p, now);
}

/* Mode that has changed meanwhile, or is said for the first time. */
static bool is_mode_due(struct processor *p, const struct pt_step *now)
{
    const bool first = p->faults.goes_on;

    p->faults.goes_on = false;
    if (first && !faults_pt(p, PT_EXEC_OF_START, true)) {
        p->pt.exec = pt_exec_mode(p, now);
        return false;
    }
    return p->pt.exec == PT_EXEC_NONE ||
           (faults_pt(p, PT_EXEC_OF_PGE, true) &&
            (!p->faults.context_came ||
             faults_pt(p, PT_EXEC_OF_CONTEXT, true)));
}

void pt_packet_en_set(struct processor *p, const struct pt_step *now)
{
    if (!pt_branch_en(p))
        return;
    if (is_mode_due(p, now) && faults_pt(p, PT_EXEC_FIRST, true))
        put_mode_of_pge(p, now);
    if (faults_pt(p, PT_CYC_OF_PGE, true))
        pt_put_cyc(p);
    if (faults_pt(p, PT_PGE, true))
        pt_put_ip(p, PT_TIP_PGE,
                  faults_pt(p, PT_PGE_NEXT, true) ? &now->next : &now->ip);
    if (!faults_pt(p, PT_EXEC_FIRST, true))
        put_mode_of_pge(p, now);
}
