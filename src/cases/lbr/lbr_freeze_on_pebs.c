/* SPDX-License-Identifier: BSD-2-Clause */
/* With FREEZE_LBRS_ON_PMI the record that reaches the threshold of the PEBS
 * buffer, whose interrupt is a PMI too, stops the recording of branches; a
 * record below it does not, nor with that bit 0. It stops the counters too
 * where FREEZE_PERFMON_ON_PMI is 1 beside it, and only there. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/lbr/stack.h"
#include "src/pebs/sampling.h"

#define EVENT 20 /* whose record is the first, or soon after */

static const struct row {
    const char *what;
    unsigned threshold; /* in records, of which there are two */
    bool freeze, frozen;
    bool counters; /* FREEZE_PERFMON_ON_PMI too */
} rows[] = {
    {"FREEZE_LBRS_ON_PMI = 1, the threshold reached", 1, true, true, false},
    {"FREEZE_LBRS_ON_PMI = 1, the threshold not reached", 3, true, false,
     false},
    {"FREEZE_LBRS_ON_PMI = 0, the threshold reached", 1, false, false, false},
    {"both FREEZE bits = 1, the threshold reached", 1, true, true, true},
    {"both FREEZE bits = 1, the threshold not reached", 3, true, false, true},
};

/* The sampling first: its window is given that. */
struct freezing {
    struct sampling p;
    struct lbr l;
    bool on;      /* recorded at the window's end */
    uint64_t rip; /* where the interrupt came, 0 for none */
};

static void run(struct sampling *p, uint64_t freeze)
{
    struct freezing *f = (struct freezing *)p;

    if (!lbr_turn_held(&f->l, freeze, true))
        return;
    pebs_window(sampling_enable(&p->config), 0, &p->state);
    f->on = lbr_is_on(&f->l);
    lbr_turn_held(&f->l, 0, false);
}

/* The interrupt is delivered: a processor might freeze no sooner. */
static bool measure(struct freezing *f, const struct row *row)
{
    const struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1 << 0,
        .count_only = 1 << 1,
        .first_period = {EVENT},
        .period = {row->threshold == 1 ? 2 * PEBS_EVENTS : 9 * EVENT},
        .room = 8,
        .threshold = row->threshold,
    };
    const uint64_t freeze =
        (row->freeze ? IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI : 0) |
        (row->counters ? IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI : 0);

    if (!hw_pmi_begin(false)) {
        skip(f->p.t, "needs the local APIC, which is disabled "
                     "(IA32_APIC_BASE[11])");
        return false;
    }
    f->p.debugctl = freeze;
    const bool ok = sampling_around(&f->p, &config, run, freeze);
    f->rip = hw_pmi_rip();
    hw_pmi_end();
    return ok;
}

static void judge(struct freezing *f, const struct row *row)
{
    struct pebs_record record;
    const bool streamlined = test_cpu(f->p.t)->perfmon_version >= 4;
    const bool bit = (f->p.status & IA32_PERF_GLOBAL_STATUS_LBR_FRZ) != 0;

    check(f->p.t, f->p.records != 0, "%s: no record was made", row->what);
    for (unsigned n = 0; n < f->p.records; n++)
        if (sampling_record(&f->p, n, &record))
            sampling_event(&f->p, &record);
    check(f->p.t, bit == (row->frozen && streamlined),
          "%s, %u records: LBR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[58], is %d "
          "after it; wanted %d",
          row->what, f->p.records, bit, row->frozen && streamlined);
    check(f->p.t, f->on == (!row->frozen || streamlined),
          "%s, %u records: %s, is %d after it; wanted %d", row->what,
          f->p.records, lbr_enable_name(&f->l), f->on,
          !row->frozen || streamlined);
}

/* IA32_PMC1 makes no record, and has all events of the window but where it is
 * stopped. The interrupt may come after the last. */
static void judge_counters(const struct freezing *f, const struct row *row)
{
    const bool stopped = row->frozen && row->counters;
    const bool amid =
        f->rip - (uintptr_t)pebs_events < PEBS_EVENTS * PEBS_EVENT_BYTES;
    const bool streamlined = test_cpu(f->p.t)->perfmon_version >= 4;
    const bool bit = (f->p.status & IA32_PERF_GLOBAL_STATUS_CTR_FRZ) != 0;

    check(f->p.t,
          (f->p.value[1] < PEBS_EVENTS) == stopped || (stopped && !amid),
          "%s, %u records: IA32_PMC1 (C2H) counted %lu of %u events; wanted %s",
          row->what, f->p.records, f->p.value[1], PEBS_EVENTS,
          stopped ? "it to stop before the last" : "all");
    check(f->p.t, bit == (stopped && streamlined),
          "%s, %u records: CTR_Frz, IA32_PERF_GLOBAL_STATUS (38EH)[59], is %d "
          "after it; wanted %d",
          row->what, f->p.records, bit, stopped && streamlined);
}

/* A record is no branch: the window has none that are taken. */
static void judge_branches(struct lbr *l, const struct row *row)
{
    const uint64_t events = (uint64_t)(uintptr_t)pebs_events;

    if (!lbr_read(l))
        return;
    for (unsigned n = 0; n < l->model.depth; n++)
        if (l->records[n].from - events < PEBS_EVENTS * PEBS_EVENT_BYTES)
            check(l->t, false,
                  "%s: the branch record %u before TOS is from 0x%lx; wanted "
                  "none from the events of the window, 0x%lx and up, which are "
                  "not taken",
                  row->what, n, l->records[n].from, events);
}

TEST(lbr_freeze_on_pebs,
     .asks = "Does the threshold of the PEBS buffer freeze the records of "
             "branches where told to?",
     .cite = "SDM 3B, \"Freezing LBRs and PMCs on PMIs\", \"Streamlined "
             "Freeze_LBRs_On_PMI\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS | NEED_LBR,
               .counters = 2})
{
    struct freezing f;

    /* Set-up. */
    if (!lbr_claim(&f.l, t) || !sampling_claim(&f.p, t) ||
        !lbr_turn(&f.l, 0, false) || !lbr_hold(&f.l))
        return;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        /* Measured. */
        if (!measure(&f, &rows[i]))
            return;

        /* Check. */
        judge(&f, &rows[i]);
        judge_counters(&f, &rows[i]);
        if (!rows[i].frozen)
            judge_branches(&f.l, &rows[i]);
        if (test_cpu(t)->perfmon_version >= 4 &&
            !counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_LBR_FRZ |
                                          IA32_PERF_GLOBAL_STATUS_CTR_FRZ))
            return;
    }
}
