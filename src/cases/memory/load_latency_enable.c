/* SPDX-License-Identifier: BSD-2-Clause */
/* Load latency is recorded where PEBS and LL_EN are enabled for the counter,
 * and of loads alone. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 2
#define RAISED  8 /* windows at a threshold that no load exceeds */

/* What is enabled beside the counter's PEBS bit, and what runs. */
struct row {
    const char *what;
    bool own, other; /* LL_EN of the counter; of the others */
    enum memory_recipe_id recipe;
};
static const struct row without_own[] = {
    {"loads, without LL_EN", false, false, LOADS_SPREAD},
    {"loads, with LL_EN of the other counters alone", false, true,
     LOADS_SPREAD},
};
static const struct row of_stores = {
    "stores, with the latency of loads enabled", true, false, STORES_SPREAD};

static bool try_row(struct sampling *p, unsigned counter, const struct row *row)
{
    struct sampling_config config =
        memory_config(p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY, counter);
    unsigned found = 0, records = 0;

    config.facility =
        (row->own ? memory_latency_enable(p, counter) : 0) |
        (row->other ? BITS(35, 32) & ~IA32_PEBS_ENABLE_LL_EN(counter) : 0);
    for (unsigned i = 0; i < WINDOWS; i++) {
        if (!memory_window_run(p, &config, row->recipe))
            return false;
        found += memory_with_address(p, LOAD_LATENCY_MIN);
        records += p->records;
    }
    /* What they hold otherwise may be of an earlier load from there. */
    check(p->t, found <= 1 + records / 8,
          "%s (IA32_PEBS_ENABLE, 3F1H, is 0x%lx): %u of %u records of "
          "IA32_PMC%u (%XH) hold a latency and the address; wanted none, but "
          "by chance",
          row->what, config.counters | config.facility, found, records, counter,
          IA32_PMC(counter));
    return true;
}

/* The threshold written once the counter is armed: to more than a load from the
 * caches takes. */
static void run_raised(struct sampling *p, uint64_t unused)
{
    const struct memory_walk walk = {(uint64_t)(uintptr_t)test_buffer(p->t), 64,
                                     0x1c0, MEMORY_ACCESSES};

    (void)unused;
    if (set_msr_again(p->t, MSR_PEBS_LD_LAT, MSR_PEBS_LD_LAT_THRHLD))
        memory_load(sampling_enable(&p->config), &walk);
}

static bool try_raised(struct sampling *p, const struct sampling_config *config)
{
    unsigned found = 0, records = 0;

    for (unsigned i = 0; i < RAISED; i++) {
        if (!memory_set_threshold(p->t, MSR_PEBS_LD_LAT_THRHLD_MIN) ||
            !sampling_around(p, config, run_raised, 0))
            return false;
        found += memory_with_address(p, LOAD_LATENCY_MIN);
        records += p->records;
    }
    check(p->t, found <= 1 + records / 8,
          "MSR_PEBS_LD_LAT (3F6H) was written with 0x%lx after "
          "IA32_PEBS_ENABLE (3F1H): %u of %u records hold a latency and the "
          "address; wanted none, but by chance",
          MSR_PEBS_LD_LAT_THRHLD, found, records);
    return true;
}

TEST(load_latency_enable,
     .asks = "Is a latency recorded only with LL_EN of the counter, and of "
             "loads alone?",
     .cite = "SDM 3B, \"Load Latency Performance Monitoring Facility\", "
             "\"Layout of IA32_PEBS_ENABLE MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    struct memory_tally tally = {0};
    struct sampling p;

    /* Set-up: with both bits there are records. */
    if (!memory_has_load_latency(t) || !sampling_claim(&p, t) ||
        !memory_set_threshold(t, MSR_PEBS_LD_LAT_THRHLD_MIN))
        return;
    const unsigned counter = memory_latency_counter(t);
    const struct sampling_config config =
        memory_config(&p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY, counter);
    if (!memory_stream(&p, &config, MSR_PEBS_LD_LAT_THRHLD_MIN, LOADS_SPREAD, 1,
                       1, &tally))
        return;

    /* Measured, and checked one by one. */
    if (!try_row(&p, counter, &of_stores) || !try_raised(&p, &config) ||
        !memory_set_threshold(t, MSR_PEBS_LD_LAT_THRHLD_MIN) ||
        memory_latency_enable(&p, counter) == 0)
        return;
    FOR_EACH_ROW (t, i, without_own)
        if (!try_row(&p, counter, &without_own[i]))
            return;
}
