/* SPDX-License-Identifier: BSD-2-Clause */
/* Data address profiling: the records of each of its events hold the address
 * of the load or store, those of stores whether the L1 data cache was hit. */
#include "src/harness/case.h"
#include "src/memory/datala.h"
#include "src/memory/memory_sampling.h"

#define WINDOWS 1
#define LEAST                                                       \
    4 /* records of a window, where each access is of the event: an \
         overflow of three, and some until PEBS is armed */

static enum memory_facility facility_of(const struct datala_event *event)
{
    return event->store ? FACILITY_DATA_STORE : FACILITY_DATA_LOAD;
}

static enum generation generation_here(const struct test_context *t)
{
    return identity_generation(test_cpu(t));
}

/* The records of an event; *tally is what they come to. */
static bool try_event(struct sampling *p, const struct datala_event *event,
                      enum memory_recipe_id recipe, unsigned windows,
                      struct memory_tally *tally)
{
    const struct sampling_config config =
        memory_config(p, facility_of(event), event->select, 0);

    if (!memory_sample(p, &config, facility_of(event), 0, recipe, 1, windows,
                       tally))
        return false;
    const unsigned least =
        event->select == DATALA_ALL_LOADS || event->select == DATALA_ALL_STORES
            ? LEAST
            : 1;
    if ((event->certain & generation_here(p->t)) != 0)
        check(p->t, tally->records >= least,
              "%s: %u accesses, an overflow of IA32_PMC0 (C1H) every 2, %u "
              "windows: %u records; wanted %u or more",
              event->name, MEMORY_ACCESSES, windows, tally->records, least);
    return true;
}

/* The machine state is that after the instruction: a load has its data. */
static void check_loaded(struct test_context *t,
                         const struct datala_event *event,
                         const struct memory_tally *tally)
{
    check(t, tally->loaded == tally->records,
          "%s: RAX (10H) of %u of %u records is what was loaded; wanted all, "
          "the state after the load",
          event->name, tally->loaded, tally->records);
}

/* More of all loads, or all stores: other sizes, addresses, instructions. */
static bool try_others(struct sampling *p, const struct datala_event *event,
                       unsigned windows)
{
    static const struct {
        bool store;
        enum memory_recipe_id recipe;
    } others[] = {{false, LOADS_WIDE},
                  {false, LOADS_FS},
                  {false, LOADS_BYTE},
                  {false, LOADS_X87},
                  {false, LOADS_VEX},
                  {true, STORES_WIDE},
                  {true, STORES_STRING},
                  {true, STORES_DIRECT},
                  {true, STORES_PUSH},
                  {false, LOADS_INDEXED},
                  {false, LOADS_POP},
                  {false, UPDATED},
                  {true, STORES_INDEXED},
                  {true, UPDATED},
                  {false, LOADS_RETURN},
                  {false, LOADS_JUMP},
                  {false, LOADS_LEAVE},
                  {false, LOADS_GS},
                  {false, LOADS_CONDITIONAL},
                  {false, LOADS_STRING},
                  {false, LOADS_RELATIVE},
                  {false, PUSHED},
                  {false, COMPARED},
                  {true, STORES_CALL},
                  {true, PUSHED},
                  {true, COMPARED},
                  {false, LOADS_BIT},
                  {false, LOADS_NARROW},
                  {false, LOADS_DOWN},
                  {false, LOADS_LODS},
                  {false, LOADS_SCAS},
                  {false, LOADS_CALL},
                  {true, STORES_POP},
                  {true, STORES_FS},
                  {true, STORES_GS},
                  {true, STORES_PAGES},
                  {false, LOADS_PAGES},
                  {false, ADDED}};
    const bool vex = memory_has_vex_loads(test_cpu(p->t));
    const bool narrow = memory_is_narrow(p->t);

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct memory_tally tally = {0};

        if (others[i].store == event->store &&
            (others[i].recipe != LOADS_VEX || vex) &&
            (others[i].recipe != LOADS_NARROW || narrow) &&
            !try_event(p, event, others[i].recipe, windows, &tally))
            return false;
    }
    return true;
}

/* All counters, of which each overflows once, far from the others. */
static bool try_all(struct sampling *p, const struct datala_event *event)
{
    const unsigned apart = MEMORY_ACCESSES / PRECISE_COUNTERS;
    unsigned counters = 0;
    struct sampling_config config =
        memory_config(p, facility_of(event), event->select, 0);
    struct memory_tally tally = {0};

    /* Intel's list of events: on IA32_PMC0 to IA32_PMC3. */
    config.counters = sampling_counters(p->t) & (unsigned)BITS(3, 0);
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        counters += config.counters >> n & 1;
        config.first_period[n] = n * apart + apart / 2;
        config.period[n] = 4 * MEMORY_ACCESSES;
    }

    /* Measured, and each record checked. */
    if (!memory_sample(p, &config, facility_of(event), 0, event->recipe, 1, 1,
                       &tally))
        return false;
    check(p->t, tally.records + tally.outside >= counters,
          "%s: the counters of the set 0x%x overflow once each, the first "
          "after %u of %u accesses, the others each %u later, and %u records "
          "were made; wanted %u",
          event->name, config.counters, apart / 2, MEMORY_ACCESSES, apart,
          p->records, counters);
    return true;
}

/* Accesses that are not of the event: a few may be, by what else goes on. */
static bool try_not(struct sampling *p, const struct datala_event *event)
{
    const struct sampling_config config =
        memory_config(p, facility_of(event), event->select, 0);

    /* The first window brings lines and translations. */
    if (!memory_window_run(p, &config, event->never) ||
        !memory_window_run(p, &config, event->never))
        return false;
    check_known(p->t, p->records <= MEMORY_ACCESSES / 12,
                ERRATUM_MEMORY_EVENTS_WITH_HT, test_shares_core(p->t),
                "%s: %u accesses that are not of the event made %u records",
                event->name, MEMORY_ACCESSES, p->records);
    return true;
}

/* A0H[0] of stores that should hit, and of others. */
static bool try_status(struct sampling *p, const struct datala_event *event,
                       unsigned windows)
{
    const struct sampling_config config =
        memory_config(p, FACILITY_DATA_STORE, event->select, 0);
    struct memory_tally hit = {0}, miss = {0};

    if (!try_event(p, event, STORES_L1, windows, &hit) ||
        !try_event(p, event, STORES_FLUSH, windows, &miss) ||
        !memory_stores_by_turns(p, &config, FACILITY_DATA_STORE,
                                "A0H[0] (DCU Hit)", windows))
        return false;
    check(
        p->t,
        memory_judge_most(hit.bit0, hit.records) &&
            memory_judge_most(miss.records - miss.bit0, miss.records),
        "stores: A0H[0] (DCU Hit) is 1 in %u of %u records of lines stored to "
        "just before, in %u of %u of lines just flushed; wanted more than "
        "half, and less",
        hit.bit0, hit.records, miss.bit0, miss.records);
    note(p->t,
         "stores: records say that the L1 data cache was hit (A0H[0]) in %u of "
         "%u of lines stored to before, in %u of %u of flushed lines",
         hit.bit0, hit.records, miss.bit0, miss.records);
    return true;
}

TEST(data_address,
     .asks = "Do the records of loads and stores hold their addresses?",
     .cite = "SDM 3B, \"PEBS Data Address Profiling\", tables \"Precise Events "
             "That Supports Data Linear Address Profiling\", \"Layout of Data "
             "Linear Address Information In PEBS Record\"",
     .scope = THREADS_IN_TURN,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    unsigned windows = memory_windows(t, WINDOWS), seen = 0, tried = 0;
    unsigned records = 0, outside = 0;
    struct sampling p;

    /* Set-up. */
    if (!memory_has_data_address(t) || !sampling_claim(&p, t))
        return;
    const enum generation generation = generation_here(t);

    /* Measured, and each record checked. */
    for (unsigned i = 0; i < datala_event_count; i++) {
        const struct datala_event *event = &datala_events[i];
        struct memory_tally tally = {0};

        if ((event->generations & generation) == 0)
            continue;
        memory_fill(t);
        if (!try_event(&p, event, event->recipe, windows, &tally))
            return;
        records += tally.records;
        outside += tally.outside;
        if ((event->certain & generation) == 0) {
            tried++;
            seen += tally.records != 0;
        }
        if (event->select == DATALA_ALL_LOADS)
            check_loaded(t, event, &tally);
        if (!try_not(&p, event) ||
            ((event->select == DATALA_ALL_LOADS ||
              event->select == DATALA_ALL_STORES) &&
             (!try_others(&p, event, windows) || !try_all(&p, event))))
            return;
        if (event->select == DATALA_ALL_STORES &&
            p.format != PEBS_FORMAT_ADAPTIVE && !try_status(&p, event, windows))
            return;
    }
    if (outside != 0)
        note(t, "%u records, and %u of instructions around", records, outside);
    observe(t, "an event of a cache or TLB made records", seen, tried);
}
