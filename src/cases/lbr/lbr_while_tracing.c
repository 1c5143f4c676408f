/* SPDX-License-Identifier: BSD-2-Clause */
/* Some generations have either last branch records or a trace: while TraceEn is
 * 1 nothing is recorded, the registers read 0, and what is written to them is
 * lost. */
#include "src/base/names.h"
#include "src/lbr/stack.h"
#include "src/trace/trace.h"

#define LOST        UINT64_C(0x1000)
#define LOST_SELECT MSR_LBR_SELECT_KIND(LBR_JCC)

/* The registers of the list, read. */
struct reading {
    unsigned registers, others; /* not 0 */
    unsigned faults;
    uint32_t other; /* the last */
};

static void read_one(const struct lbr *l, uint32_t msr, struct reading *r)
{
    uint64_t value = 0;

    r->registers++;
    r->faults += try_get_msr(l->t, msr, &value) != HW_NO_FAULT;
    if (value == 0)
        return;
    r->others++;
    r->other = msr;
}

static struct reading read_entries(const struct lbr *l)
{
    struct reading r = {.registers = 0};

    for (unsigned entry = 0; entry < l->model.depth; entry++)
        for (unsigned n = 0; n < lbr_entry_msrs(&l->model); n++)
            read_one(l, lbr_entry_msr(&l->model, n, entry), &r);
    return r;
}

static void judge_reading(const struct lbr *l, const char *when,
                          const struct reading *r)
{
    char name[MSR_NAME_BYTES];

    if (check_known(l->t, r->faults == 0, ERRATUM_LBR_FAULTS_WITH_TRACE, true,
                    "%s: RDMSR of %u of %u registers of last branch records "
                    "raised an exception; wanted none",
                    when, r->faults, r->registers))
        check(l->t, r->others == 0,
              "%s: %u of %u registers of last branch records are not 0, %s "
              "among them; wanted all 0",
              when, r->others, r->registers, msr_name(r->other, name));
}

/* Branches while TraceEn = 1; what is written meanwhile. */
static bool run_traced(struct lbr *l, struct reading *r)
{
    struct trace_window code = {
        .control = lbr_on(l), .body = lbr_body_kinds, .msr = l->msr};

    if (trace_window(&code) != HW_NO_FAULT)
        return false;
    *r = read_entries(l);
    return true;
}

static void try_excluded(struct lbr *l, struct trace *p)
{
    static const char tracing[] = "IA32_RTIT_CTL (570H)[0] (TraceEn) is 1";
    struct test_context *t = l->t;
    char name[MSR_NAME_BYTES];
    uint64_t debugctl, tos = 0, select = 0;
    struct reading r;

    if (!lbr_get(l, MSR_LASTBRANCH_TOS, &tos))
        return;
    const uint64_t lost_tos = tos != 1 ? 1 : 2;
    if (!trace_arm(p) ||
        !set_msr_again(t, IA32_DEBUGCTL, l->off | IA32_DEBUGCTL_LBR) ||
        !trace_start(p) || !get_msr(t, IA32_DEBUGCTL, &debugctl) ||
        !set_msr_again(t, IA32_DEBUGCTL, l->off) || !run_traced(l, &r))
        return;
    read_one(l, MSR_LASTBRANCH_TOS, &r);
    read_one(l, MSR_LBR_SELECT, &r);
    int vector = try_set_msr_again(t, MSR_LASTBRANCH_FROM_IP(0), LOST);
    (void)try_set_msr_again(t, MSR_LBR_SELECT, LOST_SELECT);
    (void)try_set_msr_again(t, MSR_LASTBRANCH_TOS, lost_tos);
    if (!trace_stop(p))
        return;
    judge_reading(l, tracing, &r);
    check_known(t, vector == HW_NO_FAULT, ERRATUM_LBR_FAULTS_WITH_TRACE, true,
                "%s: %s: WRMSR: got %s, wanted no fault", tracing,
                msr_name(MSR_LASTBRANCH_FROM_IP(0), name), fault_name(vector));
    check(t, (debugctl & IA32_DEBUGCTL_LBR) != 0,
          "%s: IA32_DEBUGCTL (1D9H)[0], LBR, was 1 before and is 0; wanted 1",
          tracing);
    r = read_entries(l);
    judge_reading(l, "after TraceEn was cleared", &r);
    if (!lbr_get(l, MSR_LASTBRANCH_TOS, &tos) ||
        !lbr_get(l, MSR_LBR_SELECT, &select))
        return;
    check(t, tos != lost_tos && select != LOST_SELECT,
          "after TraceEn was cleared: MSR_LASTBRANCH_TOS (1C9H) is %lu, "
          "MSR_LBR_SELECT (1C8H) 0x%lx; wanted neither %lu nor 0x%lx, which "
          "were written while it was 1",
          tos, select, lost_tos, LOST_SELECT);
}

/* What the manual leaves open. */
static void try_beside(struct lbr *l, struct trace *p)
{
    struct reading r;

    if (!trace_arm(p) || !trace_start(p) || !run_traced(l, &r) ||
        !trace_stop(p))
        return;
    observe(l->t, "branches are recorded beside a trace", r.others != 0, 1);
}

TEST(lbr_while_tracing,
     .asks = "Do last branch records and Processor Trace exclude one another "
             "where the manual says so?",
     .cite = "SDM 3C, Intel Processor Trace, \"Model Specific Capability "
             "Restrictions\"",
     .needs = {.features = NEED_INTEL | NEED_LBR | NEED_PT})
{
    struct trace p;
    struct lbr l;

    /* Set-up: there are records. */
    if (!trace_claim(&p, t) || !lbr_claim(&l, t) ||
        !lbr_check(&l, "before a trace", lbr_body_kinds, lbr_body_kinds_rows))
        return;

    /* Measured and checked. */
    if (output_excludes_lbr(test_cpu(t))) {
        if (!lbr_put(&l, MSR_LBR_SELECT, MSR_LBR_SELECT_KIND(LBR_FAR)))
            return;
        try_excluded(&l, &p);
    } else if (lbr_empty(&l))
        try_beside(&l, &p);
    if (lbr_empty(&l))
        lbr_check(&l, "after a trace", lbr_body_kinds, lbr_body_kinds_rows);
}
