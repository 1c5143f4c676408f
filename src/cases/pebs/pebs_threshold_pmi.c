/* SPDX-License-Identifier: BSD-2-Clause */
/* The record that reaches the threshold raises one interrupt, through the local
 * APIC; before that none comes. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/smi_guard.h"
#include "src/pebs/sampling.h"

#define TRIES 4

/* Two records: the first is of event 21, the second of event 201, or soon
 * after. A third would be more than a hundred events after the window's last,
 * so that the branches of the interrupt's handler do not make it. Where the
 * first reaches the threshold it is the only one. */
static struct sampling_config config_of(unsigned threshold, unsigned counter)
{
    struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1u << counter,
        .room = 8,
        .threshold = threshold,
    };

    config.first_period[counter] = 20;
    config.period[counter] = threshold == 1 ? 2 * PEBS_EVENTS : 180;
    return config;
}

/* A counter whose overflow interrupts (INT) does so beside its records. */
static const struct {
    unsigned threshold;
    bool nmi;
    const char *mode;
    bool overflows, masked;
    bool full;    /* at the threshold; more records are dropped */
    bool beside;  /* IA32_PMC1 overflows and interrupts, of the first record's
                     event, without records */
    bool another; /* IA32_PMC1 makes one record, between the two */
    unsigned counter; /* that makes the records */
} rows[] = {
    {.threshold = 1, .mode = "fixed vector"},
    {.threshold = 2, .mode = "fixed vector"},
    {.threshold = 3, .mode = "fixed vector"},
    {.threshold = 2, .mode = "NMI", .nmi = true},
    {.threshold = 3, .mode = "NMI", .nmi = true},
    {.threshold = 3,
     .mode = "IA32_PERFEVTSEL0[20] (INT) = 1, fixed vector",
     .overflows = true},
    {.threshold = 2, .mode = "masked in the local APIC", .masked = true},
    {.threshold = 2, .mode = "no room for more, fixed vector", .full = true},
    {.threshold = 3,
     .mode = "IA32_PERFEVTSEL1[20] (INT) = 1, fixed vector",
     .beside = true},
    {.threshold = 2, .mode = "fixed vector", .counter = 1},
    {.threshold = 2, .mode = "fixed vector", .counter = 2},
    {.threshold = 2, .mode = "fixed vector", .counter = 3},
    {.threshold = 3, .mode = "records of IA32_PMC1 too", .another = true},
};

/* Of more interrupts than one: with a full buffer BJ101, where there is that.
 */
static enum erratum erratum_of(const struct test_context *t, unsigned row)
{
    struct erratum_found found;

    return rows[row].full &&
                   errata_find(test_cpu(t), ERRATUM_PMI_OF_FULL_BUFFER, &found)
               ? ERRATUM_PMI_OF_FULL_BUFFER
               : ERRATUM_PMI_REPEATED;
}

/* One window with the LVT entry in the row's mode. */
struct attempt {
    struct sampling *p;
    unsigned row;
    unsigned came, masked; /* interrupts; those that found the entry masked */
};

/* False where it could not be. */
static bool run_window(void *argument)
{
    struct attempt *a = argument;
    struct sampling *p = a->p;
    const unsigned row = a->row;
    struct sampling_config config =
        config_of(rows[row].threshold, rows[row].counter);

    if (rows[row].full) {
        config.room = rows[row].threshold;
        config.period[0] = config.first_period[0];
    }
    if (rows[row].overflows)
        config.select |= IA32_PERFEVTSEL_INT;
    if (rows[row].another) {
        config.counters |= 1 << 1;
        config.first_period[1] = 100;
        config.period[1] = 2 * PEBS_EVENTS;
    }
    if (rows[row].beside) {
        config.plain = 1 << 1;
        config.first_period[1] = config.first_period[0] + 1;
    }

    /* Armed before, so that no interrupt of an earlier state can come. */
    if (!sampling_arm(p, &config) ||
        (rows[row].beside &&
         !set_msr_again(p->t, IA32_PERFEVTSEL(1),
                        msr_value(p->t, IA32_PERFEVTSEL(1)) |
                            IA32_PERFEVTSEL_INT)))
        return false;
    if (!hw_pmi_begin(rows[row].nmi)) {
        skip(p->t, "needs the local APIC, which is disabled "
                   "(IA32_APIC_BASE[11])");
        return false;
    }
    if (rows[row].masked)
        hw_pmi_mask();
    pebs_window(sampling_enable(&config), 0, &p->state);
    bool ok = sampling_stop(p);
    a->came = hw_pmi_count();
    a->masked = hw_pmi_masked();
    hw_pmi_end();
    return ok;
}

/* Registers are those of the window, whose RFLAGS.IF is 1 here. */
static void check_registers(struct sampling *p)
{
    struct pebs_record record;

    for (unsigned n = 0; n < p->records && sampling_record(p, n, &record); n++)
        (void)sampling_event(p, &record);
}

/* "Freezing LBRs and PMCs on PMIs occur when .. the PEBS buffer .. reaches the
 * interrupt threshold." An SMI may clear the bit of IA32_DEBUGCTL (HSD052). */
static void run_freezing(struct sampling *p, uint64_t debugctl)
{
    p->debugctl = debugctl;
    if (set_msr_again(p->t, IA32_DEBUGCTL, debugctl))
        pebs_window(sampling_enable(&p->config), 0, &p->state);
}

/* How long it takes to freeze no manual says: the interrupt may come after the
 * window's last event. It has two records at most. */
static bool try_freeze(struct sampling *p, unsigned threshold)
{
    const bool frozen = threshold == 1;
    struct test_context *t = p->t;
    struct sampling_config config = config_of(threshold, 0);
    uint64_t found;

    config.count_only = 1 << 1;
    if (!get_msr(t, IA32_DEBUGCTL, &found) ||
        !set_msr(t, IA32_DEBUGCTL, found) || !hw_pmi_begin(false))
        return false;

    /* Measured. */
    bool ok = sampling_around(p, &config, run_freezing,
                              found | IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI);
    const bool amid =
        hw_pmi_rip() - (uintptr_t)pebs_events < PEBS_EVENTS * PEBS_EVENT_BYTES;
    hw_pmi_end();
    if (!ok || !set_msr_again(t, IA32_DEBUGCTL, found))
        return false;

    /* Check. */
    check(t, (p->value[1] < PEBS_EVENTS) == frozen || (frozen && !amid),
          "FREEZE_PERFMON_ON_PMI = 1, %u records, the threshold at %u: "
          "IA32_PMC1 (C2H) counted %lu of %u events; wanted %s",
          p->records, threshold, p->value[1], PEBS_EVENTS,
          frozen ? "it to stop before the last" : "all");
    check(t,
          p->records < threshold ||
              (p->status & IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER) != 0,
          "FREEZE_PERFMON_ON_PMI = 1, %u records, the threshold at %u: "
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx; wanted [62] = 1",
          p->records, threshold, p->status);
    /* Its own counter, which the record has reloaded. */
    const uint64_t more =
        (p->value[0] + config.period[0] + 1) & bank_mask(test_cpu(t), 0);
    if (amid && p->records == 1)
        check(t, config.first_period[0] + more < PEBS_EVENTS,
              "FREEZE_PERFMON_ON_PMI = 1, 1 record, the threshold at 1: "
              "IA32_PMC0 (C1H) counted %lu events after its reload, the last "
              "of the window too; wanted it to stop before",
              more);
    if (test_cpu(t)->perfmon_version < 4)
        return true;
    check(t, ((p->status & IA32_PERF_GLOBAL_STATUS_CTR_FRZ) != 0) == frozen,
          "FREEZE_PERFMON_ON_PMI = 1, %u records, the threshold at %u: "
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx; wanted CTR_Frz [59] = %d",
          p->records, threshold, p->status, frozen);
    return counters_clear_status(t, IA32_PERF_GLOBAL_STATUS_CTR_FRZ);
}

/* Adaptive records have sizes of their own, so that the threshold may be inside
 * of one: Linux takes it from the end of the buffer
 * (arch/x86/events/intel/ds.c, pebs_update_threshold()). */
static void run_inside(struct sampling *p, uint64_t unused)
{
    (void)unused;
    p->area->pebs_interrupt_threshold =
        p->set.pebs_interrupt_threshold - sizeof(uint64_t);
    pebs_window(sampling_enable(&p->config), 0, &p->state);
    sampling_quiet();
    p->area->pebs_interrupt_threshold = p->set.pebs_interrupt_threshold;
}

static void try_inside(struct sampling *p)
{
    const struct sampling_config config = config_of(1, 0);

    /* Measured. */
    if (!sampling_around(p, &config, run_inside, 0))
        return;

    /* Check. */
    check(p->t,
          p->records == 0 ||
              (p->status & IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER) != 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after a record of %lu bytes "
          "with the threshold at %lu of them; wanted [62] = 1",
          p->status, p->size, p->size - sizeof(uint64_t));
}

TEST(pebs_threshold_pmi,
     .asks = "Does the record at the threshold raise exactly one interrupt?",
     .cite = "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem, "
             "\"PEBS Interrupt Threshold\"; of the Intel Core "
             "microarchitecture, \"Freezing LBRs and PMCs on PMIs\"; SDM 3A, "
             "\"Local Vector Table\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    const uint64_t full = IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER;
    const unsigned usable = sampling_counters(t);
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    for (unsigned i = 0; i < TRIES * sizeof(rows) / sizeof(rows[0]); i++) {
        struct attempt a = {.p = &p, .row = i / TRIES};
        const unsigned row = a.row, threshold = rows[row].threshold;
        const unsigned counter = rows[row].counter;

        if ((usable >> counter & 1) == 0)
            continue;

        /* Measured. */
        if (!smi_guard(t, run_window, &a, &p.repeated))
            return;
        const unsigned came = a.came, masked = a.masked;

        /* Check. */
        bool reached = p.records >= threshold;
        unsigned least = threshold == 1 ? 1 : 2;
        unsigned want =
            (reached && !rows[row].masked) || rows[row].beside ? 1 : 0;
        check(t, p.records >= least,
              "IA32_PMC%u (%XH) overflowed %u times at least, and %u records "
              "were made",
              counter, IA32_PMC(counter), least, p.records);
        if (rows[row].overflows)
            check(t, came != 0,
                  "%s: %u records of IA32_PMC%u, and no performance-monitoring "
                  "interrupt of the overflows; wanted one after each record",
                  rows[row].mode, p.records, counter);
        else
            check_known(
                t, came == want, erratum_of(t, row), want == 1 && came > 1,
                "%s: %u records of IA32_PMC%u with the threshold at %u "
                "raised %u performance-monitoring interrupts; wanted "
                "%u",
                rows[row].mode, p.records, counter, threshold, came, want);
        if (masked != came)
            check_known(
                t, false, ERRATUM_PMI_REPEATED, came > 1 && masked != 0,
                "%s: %u of %u performance-monitoring interrupts left the mask "
                "flag of the LVT entry clear; wanted 0",
                rows[row].mode, came - masked, came);
        check(t, ((p.status & full) != 0) == reached,
              "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after %u records with "
              "the threshold at %u; wanted [62] = %u",
              p.status, p.records, threshold, reached ? 1 : 0);
        check_registers(&p);
    }
    if (try_freeze(&p, 1) && try_freeze(&p, 3) &&
        p.format == PEBS_FORMAT_ADAPTIVE)
        try_inside(&p);
}
