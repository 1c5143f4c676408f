/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - the recipes, and records made by them. */
#include "src/memory/memory.h"

#include "src/base/msr.h"
#include "src/counting/constraints.h"

#define CODE(name) memory_##name, memory_##name##_loop, memory_##name##_end

#define LINE UINT64_C(64)
#define PAGE UINT64_C(4096)

/* in_buffer: run_buffer(), 64 KiB; else run_source(), read only.
 *
 * L2: 16 lines of one set of an L1 data cache of 64 sets, of which it holds 8,
 * and prefetchers do not go over a page's end. L3: 32 lines of one set of an L2
 * cache of up to 1024 sets, of which it holds at most 16, spread over at least
 * two sets of the L3 cache (SDM 2A, CPUID, "Deterministic Cache Parameters",
 * of the processors of generation.h). The first round finds them elsewhere: 16
 * and 32 of 96 accesses. Steps of 37 lines lead the prefetcher of the adjacent
 * line nowhere. */
static const struct recipe {
    memory_window *run;
    const uint8_t *loop, *end;
    bool own, locked;
    uint64_t at, step, mask;
} recipes[MEMORY_RECIPES] = {
    [LOADS_SPREAD] = {CODE(load), true, false, 0, 8 * 1031, 0xfff8},
    [LOADS_L1] = {CODE(load), true, false, 0, LINE, 0x1c0},
    [LOADS_L2] = {CODE(load), true, false, 0, PAGE, 0xf000},
    [LOADS_L3] = {CODE(load), false, false, 0, 16 * PAGE, 0x1f0000},
    [LOADS_FLUSH] = {CODE(load_flush), true, false, 0, 37 * LINE, 0xffc0},
    [LOADS_STLB] = {CODE(load_invlpg), true, false, 0, PAGE, 0xf000},
    [LOADS_SPLIT] = {CODE(load), true, false, LINE - 4, 37 * LINE, 0x7fc0},
    [LOCKED] = {CODE(locked), true, true, 0, 8 * 1031, 0xfff8},
    [STORES_SPREAD] = {CODE(store), true, false, 0, 8 * 1031, 0xfff8},
    [STORES_L1] = {CODE(store), true, false, 0, LINE, 0x1c0},
    [STORES_FLUSH] = {CODE(store_flush), true, false, 0, 37 * LINE, 0xffc0},
    [STORES_STLB] = {CODE(store_invlpg), true, false, 0, PAGE, 0xf000},
    [STORES_SPLIT] = {CODE(store), true, false, LINE - 4, 37 * LINE, 0x7fc0},
};

#define WITH_PRECISE_STORE (SANDY_BRIDGE | IVY_BRIDGE)
#define WITH_DATA_ADDRESS  (HASWELL | BROADWELL | SKYLAKE)

static bool have(struct run *t, unsigned generations, const char *what,
                 const char *instead)
{
    const struct identity *id = run_cpu(t);
    enum generation generation = generation_of(id->family, id->model);

    if ((generation & generations) != 0)
        return true;
    skip(t, "needs %s; %02X_%02XH %s", what, id->family, id->model,
         generation == GENERATION_UNKNOWN ? "is not known to have it"
                                          : instead);
    return false;
}

bool memory_has_load_latency(struct run *t)
{
    return have(t, WITH_PRECISE_STORE | WITH_DATA_ADDRESS,
                "the load latency facility with event CDH/01H",
                "has an older one");
}

bool memory_has_precise_store(struct run *t)
{
    return have(t, WITH_PRECISE_STORE, "precise store (2nd and 3rd generation)",
                (generation_of(run_cpu(t)->family, run_cpu(t)->model) &
                 WITH_DATA_ADDRESS) != 0
                    ? "has its successor, data address profiling"
                    : "is older");
}

bool memory_has_data_address(struct run *t)
{
    return have(t, WITH_DATA_ADDRESS,
                "data address profiling (4th generation and later)",
                (generation_of(run_cpu(t)->family, run_cpu(t)->model) &
                 WITH_PRECISE_STORE) != 0
                    ? "has its predecessor, precise store"
                    : "is older");
}

bool memory_set_threshold(struct run *t, uint64_t cycles)
{
    uint64_t got;

    return set_msr(t, MSR_PEBS_LD_LAT, cycles) &&
           get_msr(t, MSR_PEBS_LD_LAT, &got) &&
           check_equal(t, "MSR_PEBS_LD_LAT (3F6H)", got, cycles);
}

unsigned memory_latency_counters(struct run *t)
{
    const struct constraints_cpu cpu = constraints_cpu_of(
        run_cpu(t), run_regime(t), TSX_FORCE_ABORT_RTM_FORCE_ABORT);
    const struct event_wanted event = {
        .select = MEMORY_LOAD_LATENCY,
        .precise = true,
        .with = MSR_PEBS_LD_LAT_THRHLD_MIN,
    };
    char why[CONSTRAINTS_WHY_BYTES];
    struct placement placement;

    if (constraints_find(&cpu, &event, &placement, why))
        return placement.counters & sampling_counters(t);
    return 0;
}

unsigned memory_latency_counter(struct run *t)
{
    return (memory_latency_counters(t) & 1) != 0 ? 0 : 3;
}

struct sampling_plan memory_plan(enum memory_facility facility, uint32_t select,
                                 unsigned counter)
{
    struct sampling_plan plan = {
        .select = select,
        .counters = 1u << counter,
        .room = PEBS_ROOM_MAX,
        .threshold = PEBS_ROOM_MAX,
    };

    plan.first[counter] = plan.again[counter] = 2;
    if (facility == FACILITY_PRECISE_STORE)
        plan.facility = IA32_PEBS_ENABLE_PS_EN;
    if (facility == FACILITY_LOAD_LATENCY)
        plan.facility = IA32_PEBS_ENABLE_LL_EN(counter);
    return plan;
}

static void say(struct run *t, const struct pebs_record *record,
                const char *wrong, const struct memory_expected *expected)
{
    check(
        t, false,
        "%s: 98H = 0x%lx, A0H = 0x%lx, A8H = 0x%lx, RDI = 0x%lx, RIP = 0x%lx; "
        "accesses are of 0x%lx and up, threshold %lu",
        wrong, (unsigned long)record->data_linear_address,
        (unsigned long)record->data_source, (unsigned long)record->latency,
        (unsigned long)record->rdi, (unsigned long)record->rip,
        (unsigned long)expected->walk->base,
        (unsigned long)expected->threshold);
}

static void add(struct run *t, const struct pebs_record *record,
                const struct memory_expected *expected,
                struct memory_tally *tally)
{
    const char *wrong = memory_judge(record, expected);

    if (wrong == NULL)
        check(t, true, "%s", "");
    else if (tally->wrong++ == 0)
        say(t, record, wrong, expected);
    tally->bit0 += (record->data_source & BIT(0)) != 0;
    tally->bit4 += (record->data_source & BIT(4)) != 0;
    tally->source[record->data_source & DATA_SOURCE_SOURCE]++;
    if (tally->records == 0 || record->latency < tally->least)
        tally->least = record->latency;
    if (record->latency > tally->most)
        tally->most = record->latency;
    tally->equal += record->latency == expected->threshold;
    tally->records++;
}

struct call {
    memory_window *run;
    const struct memory_walk *walk;
};

static void run_window(struct sampling *p, uint64_t argument)
{
    const struct call *call = (const struct call *)(uintptr_t)argument;

    call->run(sampling_enable(&p->plan), call->walk);
}

static struct memory_walk walk_of(struct run *t, const struct recipe *r)
{
    const void *at = r->own ? run_buffer(t) : run_source(t);

    return (struct memory_walk){(uint64_t)(uintptr_t)at + r->at, r->step,
                                r->mask, MEMORY_ACCESSES};
}

bool memory_window_run(struct sampling *p, const struct sampling_plan *plan,
                       enum memory_recipe_id recipe)
{
    const struct memory_walk walk = walk_of(p->t, &recipes[recipe]);
    const struct call call = {recipes[recipe].run, &walk};

    return sampling_around(p, plan, run_window, (uint64_t)(uintptr_t)&call);
}

bool memory_sample(struct sampling *p, const struct sampling_plan *plan,
                   enum memory_facility facility, uint64_t threshold,
                   enum memory_recipe_id recipe, unsigned least,
                   unsigned windows, struct memory_tally *tally)
{
    const struct recipe *r = &recipes[recipe];
    const struct memory_walk walk = walk_of(p->t, r);
    const struct memory_expected expected = {facility, &walk, r->locked,
                                             threshold};
    const unsigned before = tally->records;
    struct pebs_record record;

    for (unsigned i = 0; i < windows && tally->records - before < least; i++) {
        if (!memory_window_run(p, plan, recipe))
            return false;
        for (unsigned n = 0; n < p->records; n++) {
            if (!sampling_record(p, n, &record))
                return false;
            if (memory_judge_inside(&record, r->loop, r->end))
                add(p->t, &record, &expected, tally);
            else
                tally->outside++;
        }
    }
    return true;
}
