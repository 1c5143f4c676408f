/* SPDX-License-Identifier: BSD-2-Clause */
/* Load latency: the record of a load holds the address loaded from; on
 * Gracemont that of a store, likewise. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/memory/memory_sampling.h"

/* Loads are tagged at random, so that one window may make no record. */
#define WINDOWS 1
#define LEAST   3 /* records */

/* The records of one counter; where nothing is promised of it, only whether
 * there are any. */
static bool try_counter(struct sampling *p, unsigned counter, bool promised,
                        unsigned windows, struct memory_tally *tally)
{
    const struct sampling_config config =
        memory_config(p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY, counter);
    char what[64];

    if (promised) {
        return memory_stream(p, &config, MSR_PEBS_LD_LAT_THRHLD_MIN,
                             LOADS_SPREAD, LEAST, windows, tally);
    }
    if (!memory_window_run(p, &config, LOADS_SPREAD))
        return false;
    text_format(what, sizeof(what), "loads make records of IA32_PMC%u (%XH)",
                counter, IA32_PMC(counter));
    observe(p->t, what, p->records != 0, 1);
    return true;
}

/* On one counter: other sizes and addresses, and locked ones. */
static bool try_others(struct sampling *p, unsigned windows,
                       struct memory_tally *tally)
{
    static const enum memory_recipe_id others[] = {
        LOADS_WIDE, LOADS_FS, LOADS_BYTE,  EXCHANGED,    LOADS_INDEXED,
        LOADS_POP,  UPDATED,  LOCKED_BYTE, LOADS_RETURN, LOADS_RELATIVE,
        PUSHED,     COMPARED, ADDED,       LOADS_PAGES};
    const struct sampling_config config =
        memory_config(p, FACILITY_LOAD_LATENCY, MEMORY_LOAD_LATENCY,
                      memory_latency_counter(p->t));

    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (!memory_stream(p, &config, MSR_PEBS_LD_LAT_THRHLD_MIN, others[i],
                           LEAST, windows, tally))
            return false;
    return true;
}

/* STORE_LATENCY counts every store; on which counters it makes records, two
 * sources say differently: on the first. */
static void try_stores(struct sampling *p)
{
    const struct sampling_config config =
        memory_config(p, FACILITY_STORE_LATENCY, MEMORY_STORE_LATENCY, 0);
    struct memory_tally tally = {0}, locked = {0};
    struct test_context *t = p->t;

    if (identity_generation(test_cpu(t)) != GRACEMONT)
        return;
    if (!memory_sample(p, &config, FACILITY_STORE_LATENCY, 0, STORES_SPREAD,
                       LEAST, 1, &tally) ||
        !memory_sample(p, &config, FACILITY_STORE_LATENCY, 0, LOCKED, LEAST, 1,
                       &locked))
        return;
    check(t, tally.records != 0 && locked.records != 0,
          "STORE_LATENCY (D0H/06H): %u stores made %u records, %u locked ones "
          "%u; wanted some",
          tally.loads, tally.records, locked.loads, locked.records);
    note(t, "%u records of stores, latencies %lu to %lu", tally.records,
         tally.least, tally.most);
}

TEST(
    load_latency_address,
    .asks = "Does the record of a load's latency hold the address loaded from?",
    .cite = "SDM 3B, \"Load Latency Performance Monitoring Facility\"",
    .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned windows = memory_windows(t, WINDOWS);
    struct memory_tally tally = {0};
    struct sampling p;

    /* Set-up. */
    if (!memory_has_load_latency(t) || !sampling_claim(&p, t) ||
        !memory_set_threshold(t, MSR_PEBS_LD_LAT_THRHLD_MIN))
        return;
    unsigned usable = sampling_counters(t);
    unsigned promised = memory_latency_counters(t);

    /* Measured, and each record checked. */
    for (unsigned counter = 0; counter < PRECISE_COUNTERS; counter++)
        if ((usable >> counter & 1) != 0 &&
            !try_counter(&p, counter, (promised >> counter & 1) != 0, windows,
                         &tally))
            return;
    if (promised != 0 && !try_others(&p, windows, &tally))
        return;
    note(t, "%u records of loads, latencies %lu to %lu", tally.records,
         tally.least, tally.most);
    if (tally.outside != 0)
        note(t, "and %u of instructions around them", tally.outside);
    try_stores(&p);
}
