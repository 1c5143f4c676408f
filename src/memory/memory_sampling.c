/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_sampling.c - records made by the recipes. */
#include "src/memory/memory_sampling.h"

#include "src/base/msr.h"
#include "src/counting/constraints.h"

#define LINE UINT64_C(64)

bool memory_set_threshold(struct test_context *t, uint64_t cycles)
{
    uint64_t got;

    return set_msr(t, MSR_PEBS_LD_LAT, cycles) &&
           get_msr(t, MSR_PEBS_LD_LAT, &got) &&
           check_equal(t, "MSR_PEBS_LD_LAT (3F6H)", got, cycles);
}

unsigned memory_latency_counters(struct test_context *t)
{
    const struct constraints_cpu cpu = constraints_cpu_of(
        test_cpu(t), test_regime(t), TSX_FORCE_ABORT_RTM_FORCE_ABORT);
    const struct event_wanted event = {
        .select = precise_select(test_cpu(t), MEMORY_LOAD_LATENCY),
        .precise = true,
        .with = MSR_PEBS_LD_LAT_THRHLD_MIN,
    };
    char why[CONSTRAINTS_WHY_BYTES];
    struct placement placement;

    if (constraints_find(&cpu, &event, &placement, why))
        return placement.counters & sampling_counters(t);
    return 0;
}

unsigned memory_latency_counter(struct test_context *t)
{
    const unsigned counters = memory_latency_counters(t);

    return counters != 0 ? (unsigned)__builtin_ctz(counters) : 3;
}

unsigned memory_latency_last(struct test_context *t)
{
    const unsigned counters = memory_latency_counters(t);

    return counters != 0 ? 31 - (unsigned)__builtin_clz(counters) : 3;
}

uint64_t memory_latency_enable(const struct sampling *p, unsigned counter)
{
    return p->format == PEBS_FORMAT_ADAPTIVE ? 0
                                             : IA32_PEBS_ENABLE_LL_EN(counter);
}

struct sampling_config memory_config(const struct sampling *p,
                                     enum memory_facility facility,
                                     uint64_t select, unsigned counter)
{
    struct sampling_config config = {
        .select = select,
        .counters = 1u << counter,
        .room = PEBS_ROOM_MAX,
        .threshold = PEBS_ROOM_MAX,
    };

    config.first_period[counter] = config.period[counter] = 2;
    if (facility == FACILITY_PRECISE_STORE)
        config.facility = IA32_PEBS_ENABLE_PS_EN;
    if (facility == FACILITY_LOAD_LATENCY)
        config.facility = memory_latency_enable(p, counter);
    /* Where the record is not complete without it. */
    if (facility == FACILITY_LOAD_LATENCY && counter != 0 &&
        identity_generation(test_cpu(p->t)) == GOLDEN_COVE) {
        config.count_only = 1 << 0;
        config.beside = MEMORY_LOAD_AUXILIARY;
    }
    return config;
}

bool memory_is_narrow(struct test_context *t)
{
    return ((uintptr_t)test_buffer(t) + TEST_BUFFER_BYTES) >> 32 == 0;
}

static void report_wrong(struct test_context *t,
                         const struct pebs_record *record, const char *wrong,
                         const struct memory_expected *expected)
{
    check(
        t, false,
        "%s: 98H = 0x%lx, A0H = 0x%lx, A8H = 0x%lx, RDI = 0x%lx, RIP = 0x%lx; "
        "accesses are of 0x%lx and up, threshold %lu%s",
        wrong, record->data_linear_address, record->data_source,
        record->latency, record->rdi, record->rip, expected->walk->base,
        expected->threshold,
        record->format == PEBS_FORMAT_ADAPTIVE
            ? "; offsets are those of formats 1 to 3"
            : "");
}

/* `longer`: what has exceeded the threshold. */
static void add_record(struct test_context *t, const struct pebs_record *record,
                       const struct memory_expected *expected, uint64_t longer,
                       struct memory_tally *tally)
{
    const char *wrong = memory_judge(record, expected);
    const bool odd = (record->data_linear_address & LINE) != 0;
    const uint64_t source = record->data_source & DATA_SOURCE_SOURCE;

    if (wrong == NULL)
        check(t, true, "%s", "");
    else if (tally->wrong++ == 0)
        report_wrong(t, record, wrong, expected);
    tally->bit0 += (record->data_source & BIT(0)) != 0;
    tally->turn[odd].records++;
    tally->turn[odd].bit0 += (record->data_source & BIT(0)) != 0;
    tally->turn[odd].l1 += source == DATA_SOURCE_L1;
    tally->bit4 += (record->data_source & BIT(4)) != 0;
    tally->source[source]++;
    if (tally->records == 0 || record->latency < tally->least)
        tally->least = record->latency;
    if (record->latency > tally->most)
        tally->most = record->latency;
    tally->equal += record->latency == expected->threshold;
    tally->below += longer < expected->threshold;
    tally->loaded += record->rax == record->data_linear_address;
    if (tally->kept < MEMORY_KEPT) {
        tally->latency[tally->kept] = record->latency;
        tally->kept_source[tally->kept++] = (uint8_t)source;
    }
    tally->records++;
}

/* By an erratum it may be wrong in some. What is not wrong is no check. */
static void check_eventing_ip(const struct sampling *p,
                              const struct pebs_record *record,
                              const struct memory_recipe *r,
                              struct memory_tally *tally)
{
    const unsigned records =
        p->records > tally->records ? p->records : tally->records;
    const uint64_t next = (uintptr_t)r->next, want = (uintptr_t)r->access;

    if (!pebs_has(record, PEBS_EVENTING_IP) || record->eventing_ip == want)
        return;
    tally->ip_wrong++;
    check_known(
        p->t, false,
        record->rip == next ? ERRATUM_EVENTING_IP : ERRATUM_RECORD_OF_LATER,
        record->rip != next || tally->ip_wrong <= records / 2 + 1,
        "EventingIP (%02XH) of the record of an access is 0x%lx; wanted "
        "0x%lx, RIP being 0x%lx",
        (unsigned)pebs_field_offset(record, PEBS_EVENTING_IP),
        record->eventing_ip, want, record->rip);
}

struct call {
    memory_window *window;
    const struct memory_walk *walk;
};

/* At other times the firmware may have the processor, and the segments. */
static void run_window(struct sampling *p, uint64_t argument)
{
    const struct call *call = (const struct call *)(uintptr_t)argument;
    const bool fs =
        call->window == memory_load_fs || call->window == memory_store_fs;
    const bool gs =
        call->window == memory_load_gs || call->window == memory_store_gs;
    const uint32_t segment = fs ? IA32_FS_BASE : gs ? IA32_GS_BASE : 0;
    const uint64_t base = segment != 0 ? msr_value(p->t, segment) : 0;

    if (segment != 0 && !set_msr(p->t, segment, MEMORY_SEGMENT))
        return;
    call->window(sampling_enable(&p->config), call->walk);
    if (segment != 0)
        set_msr_again(p->t, segment, base);
}

bool memory_window_run(struct sampling *p, const struct sampling_config *config,
                       enum memory_recipe_id recipe)
{
    const struct memory_recipe *r = memory_recipe_of(p->t, recipe);
    const struct memory_walk walk = memory_recipe_walk(p->t, r);
    const struct call call = {r->window, &walk};

    return sampling_around(p, config, run_window, (uint64_t)(uintptr_t)&call);
}

unsigned memory_with_address(const struct sampling *p, uint64_t least)
{
    const enum generation generation = identity_generation(test_cpu(p->t));
    struct pebs_record record;
    unsigned n = 0;

    for (unsigned i = 0; i < p->records; i++)
        n += pebs_decode(p->buffer + i * p->size, p->size, p->format,
                         &record) == PEBS_OK &&
             memory_judge_latency(generation, record.latency) >= least &&
             record.data_linear_address == record.rdi;
    return n;
}

/* One load after the other: all together did not take longer than the window.
 * A core clock cycle is a quarter of one of the TSC at least. */
#define CORE_CYCLES_MAX 4

static void check_time(struct sampling *p, uint64_t latencies)
{
    const uint64_t most = (p->tsc_after - p->tsc_before) * CORE_CYCLES_MAX;

    check(p->t, latencies <= most,
          "Latency (A8H) of %u records is %lu in sum; the window took %lu "
          "cycles of the TSC, and its loads waited for each other",
          p->records, latencies, p->tsc_after - p->tsc_before);
}

bool memory_sample(struct sampling *p, const struct sampling_config *config,
                   enum memory_facility facility, uint64_t threshold,
                   enum memory_recipe_id recipe, unsigned least,
                   unsigned windows, struct memory_tally *tally)
{
    const struct memory_recipe *r = memory_recipe_of(p->t, recipe);
    const struct memory_walk walk = memory_recipe_walk(p->t, r);
    const enum generation generation = identity_generation(test_cpu(p->t));
    const struct memory_expected expected = {
        facility,
        &walk,
        r->locked,
        threshold,
        r->window == memory_store_string || r->window == memory_load_scas
            ? MEMORY_STRING_BYTES
            : 0,
        memory_judge_has_two(generation)};
    const unsigned before = tally->records;
    struct pebs_record record;

    for (unsigned i = 0; i < windows && tally->records - before < least; i++) {
        uint64_t latencies = 0;
        if (!memory_window_run(p, config, recipe))
            return false;
        tally->loads += MEMORY_ACCESSES;
        for (unsigned n = 0; n < p->records; n++) {
            if (!sampling_record(p, n, &record))
                return false;
            if (!memory_judge_inside(&record, r->loop, r->end)) {
                tally->outside++;
                continue;
            }
            const uint64_t longer =
                memory_judge_longer(generation, record.latency);
            tally->reversed +=
                memory_judge_reversed(generation, record.latency);
            record.latency = memory_judge_latency(generation, record.latency);
            record.data_source =
                memory_judge_source(generation, record.data_source);
            latencies += record.latency;
            add_record(p->t, &record, &expected, longer, tally);
            check_eventing_ip(p, &record, r, tally);
            sampling_check_made(p, &record, "access", tally->records);
        }
        if (facility == FACILITY_LOAD_LATENCY)
            check_time(p, latencies);
    }
    return true;
}

/* A million loads; what a user still takes for at once. */
#define STREAM_WINDOWS (1000000 / MEMORY_ACCESSES)
#define STREAM_MS      300
#define STREAM_LOADS   8192

/* No record says something of so many alone. */
static bool are_few(const struct memory_tally *tally, unsigned records,
                    unsigned loads)
{
    return tally->records == records && tally->loads - loads < STREAM_LOADS;
}

bool memory_stream(struct sampling *p, const struct sampling_config *config,
                   uint64_t threshold, enum memory_recipe_id recipe,
                   unsigned least, unsigned windows, struct memory_tally *tally)
{
    const unsigned before = tally->records, loads = tally->loads;
    const uint64_t start = hw_ms();

    for (unsigned i = 0; tally->records - before < least &&
                         (i < windows || (i < STREAM_WINDOWS &&
                                          (hw_ms() - start < STREAM_MS ||
                                           are_few(tally, before, loads))));
         i++)
        if (!memory_sample(p, config, FACILITY_LOAD_LATENCY, threshold, recipe,
                           least, 1, tally))
            return false;
    check_known(p->t, tally->records != before, ERRATUM_LOAD_LATENCY_STOPS,
                true,
                "load latency: %u loads that took more than %lu core cycles "
                "made no record",
                tally->loads - loads, threshold);
    return true;
}

void memory_fill(struct test_context *t)
{
    volatile uint64_t *words = test_buffer(t);

    for (unsigned i = 0; i < TEST_BUFFER_BYTES / sizeof(words[0]); i++)
        words[i] = (uint64_t)(uintptr_t)&words[i];
}

unsigned memory_windows(struct test_context *t, unsigned usual)
{
    return (test_trials(t, 100, 1) * usual + 99) / 100;
}
