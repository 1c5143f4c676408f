/* SPDX-License-Identifier: BSD-2-Clause */
/* FREEZE_PERFMON_ON_PMI is "applied on ToPA PMI just as on other PMIs": the
 * interrupt of a full region stops all counters. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/running.h"
#include "src/trace/output.h"
#include "src/trace/trace.h"
#include "src/tsx/probe.h"

#define BRANCHES 0xc4
#define PMI_MS   20
#define TURNS    200 /* of trace_jumps(): more bytes than are left */
#define LEFT     100 /* in the region */
/* In a transaction; what is before it is less. */
#define INSIDE_TURNS 400
#define INSIDE_LEFT  1000

/* The counters past the interrupt, while it is traced and afterwards. */
struct freeze {
    struct trace *p;
    uint64_t places;
    struct running traced, work;
    uint64_t start; /* of IA32_PMC0, which may overflow */
    bool ok;
};

/* One region, round and round, and its INT near its end. */
static bool arm(struct trace *p, unsigned left)
{
    output_topa_table(p->table, trace_at(p->table), trace_at(p->memory), 1, 0,
                      TOPA_INT);
    return trace_arm_output(p, output_control(test_cpu(p->t), true),
                            trace_at(p->table),
                            output_topa_pointers(0, TOPA_REGION_BYTES - left));
}

static void fill_region(void *argument)
{
    struct freeze *f = argument;

    /* The region again, where an SMI has had the window repeated. */
    f->ok = arm(f->p, LEFT) && trace_start(f->p) && trace_jumps(TURNS);
    if (f->ok)
        running_work(f->places, &f->traced);
    f->ok = f->ok && trace_stop(f->p);
    const uint64_t since = hw_ms();
    while (hw_pmi_count() == 0 && hw_ms() - since < PMI_MS)
        ;
    running_work(f->places, &f->work);
}

static void judge(struct freeze *f, const struct bank *after, bool frozen)
{
    struct test_context *t = f->p->t;
    const bool streamlined = test_cpu(t)->perfmon_version >= 4;
    const uint64_t ctrl = frozen && !streamlined ? 0 : f->places;
    const bool status = (after->status & IA32_PERF_GLOBAL_STATUS_CTR_FRZ) != 0;
    const bool ignored = frozen && !status && after->ctrl == f->places;
    char name[MSR_NAME_BYTES];

    check_known(t, status == (frozen && streamlined) && after->ctrl == ctrl,
                ERRATUM_TOPA_PMI_NO_FREEZE, ignored,
                "CTR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[59], is %d and "
                "IA32_PERF_GLOBAL_CTRL (38FH) 0x%lx; wanted %d and 0x%lx",
                status, after->ctrl, frozen && streamlined, ctrl);
    for (unsigned n = 0; n < COUNTERS_MAX; n++) {
        if ((f->places >> n & 1) == 0)
            continue;
        uint64_t counted =
            (f->work.after[n] - f->work.before[n]) & bank_mask(test_cpu(t), n);
        check_known(
            t, (counted == 0) == frozen,
            n >= 4 ? ERRATUM_FREEZE_PMC4_TO_7 : ERRATUM_TOPA_PMI_NO_FREEZE,
            frozen && (ignored || n >= 4),
            "%s counted %lu branches after the interrupt, while the harness "
            "made %u and some more; wanted %s",
            msr_name(IA32_PMC(n), name), counted, WORK_BRANCHES,
            frozen ? "0" : "them");
    }
}

/* False where it could not be tried. */
static bool try_freeze(struct freeze *f, bool frozen)
{
    const uint64_t bit = IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI;
    struct test_context *t = f->p->t;
    struct bank before = bank_of(f->places, BRANCHES), after;
    uint64_t debugctl;

    /* Set-up. */
    before.pmi = BANK_PMI;
    before.pmc[0] = f->start;
    if (!get_msr(t, IA32_DEBUGCTL, &debugctl) ||
        !set_msr(t, IA32_DEBUGCTL, (debugctl & ~bit) | (frozen ? bit : 0)))
        return false;

    /* Measured. */
    if (!bank_work(t, &before, fill_region, f, &after) || !f->ok)
        return false;

    /* Check. */
    if (!check(t, after.interrupts != 0,
               "a region with INT was filled, and no interrupt came by the "
               "local APIC's entry for counters"))
        return true;
    check_known(t, after.masked == after.interrupts, ERRATUM_PMI_REPEATED,
                after.interrupts > 1 && after.masked != 0,
                "%u of %u ToPA PMIs left the mask flag [16] of the local "
                "APIC's LVT performance counter entry 0; wanted it 1",
                after.interrupts - after.masked, after.interrupts);
    judge(f, &after, frozen);
    if (!frozen)
        WITH_PREFIX (t, "IA32_RTIT_CTL (570H)[0], TraceEn, is 1")
            running_check(t, f->places, &f->traced);
    check(t, (after.status & IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI) != 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after the interrupt of a "
          "region; wanted [55] (Trace_ToPA_PMI) = 1",
          after.status);
    return true;
}

/* IA32_PMC0 overflows before the interrupt, and, where nothing is frozen, in
 * the work after it: neither status bit is lost by the other. bank_window()
 * looks at that of the counter. */
static void try_overflows(struct freeze *f)
{
    const uint64_t most = bank_mask(test_cpu(f->p->t), 0);
    const uint64_t events = f->work.before[0]; /* from 0 to the interrupt */

    f->start = most - 1;
    WITH_PREFIX (f->p->t, "IA32_PMC0 overflows before the interrupt")
        if (!try_freeze(f, false))
            return;
    f->start = most - events - WORK_BRANCHES / 2;
    WITH_PREFIX (f->p->t, "IA32_PMC0 overflows after the interrupt")
        (void)try_freeze(f, false);
}

/* A region that is full while a transaction runs interrupts as well: the entry
 * for counters is masked meanwhile. */
static void check_inside(struct trace *p)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI;
    struct test_context *t = p->t;
    bool committed = false;
    uint64_t status = 0;

    if (!probe_state_if_any(t))
        return;
    for (unsigned i = 0; i < TRACE_TRIES && !committed; i++) {
        struct tsx_block block = {.body = tsx_body_jumps,
                                  .count = INSIDE_TURNS};
        hw_poll();
        if (!set_msr(t, IA32_PERF_GLOBAL_OVF_CTRL, bit) ||
            !arm(p, INSIDE_LEFT) || !trace_start(p))
            return;
        committed = tsx_inside(&block) == TSX_COMMITTED;
        if (!trace_stop(p) || !get_msr(t, IA32_PERF_GLOBAL_STATUS, &status) ||
            !set_msr(t, IA32_PERF_GLOBAL_OVF_CTRL, bit))
            return;
    }
    check(t, !committed || (status & bit) != 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after a transaction filled "
          "a region with INT; wanted [55] (Trace_ToPA_PMI) = 1",
          status);
}

TEST(pt_pmi_freezes,
     .asks = "Does FREEZE_PERFMON_ON_PMI stop the counters at a ToPA PMI?",
     .cite = "SDM 3C, Intel Processor Trace, \"ToPA PMI\"; SDM 3B, "
             "\"Freezing LBR and Performance Counters on PMI\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA | NEED_PMU,
               .counters = 1})
{
    struct trace p;
    struct freeze f = {.p = &p};

    if (!trace_claim(&p, t) || (f.places = bank_claim(t)) == 0)
        return;
    for (unsigned frozen = 2; frozen-- > 0;)
        WITH_PREFIX (t, "FREEZE_PERFMON_ON_PMI = %u", frozen)
            if (!try_freeze(&f, frozen != 0))
                return;
    try_overflows(&f);
    check_inside(&p);
}
