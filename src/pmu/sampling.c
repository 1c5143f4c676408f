/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling.c - makes records and collects them. */
#include "src/pmu/sampling.h"

#include "src/mem.h"
#include "src/msr.h"
#include "src/pmu/counter3.h"
#include "src/pmu/counters.h"

/* In run_records(): the DS area, guard bytes, the buffer, guard bytes. */
#define BUFFER_AT 256
#define GUARD     0xdb
#define GUARDS    UINT64_C(0xdbdbdbdbdbdbdbdb)
_Static_assert(BUFFER_AT + (PEBS_ROOM_MAX + 1) * PEBS_SIZE_MAX <=
                   RUN_RECORDS_BYTES,
               "room for one record too many");

static const char *const raw_names[] = {
    "PEBS records of format 0", "PEBS records of format 1",
    "PEBS records of format 2", "PEBS records of format 3"};

/* The manual gives no length. No record takes so long to write. */
#define QUIET_TSC 50000

void sampling_quiet(void)
{
    uint64_t start = hw_tsc();

    while (hw_tsc() - start < QUIET_TSC)
        ;
}

unsigned sampling_counters(struct run *t)
{
    return counter3_make_reliable(t) ? 0xf : 0x7;
}

/* What only this file's tables know of the processor. */
static bool works(struct run *t)
{
    const struct identity *id = run_cpu(t);
    uint32_t least = precise_microcode(id);

    if (!precise_conditional_branches(id)) {
        skip(t,
             "needs a processor whose precise events are known; %02X_%02XH "
             "is not among them",
             id->family, id->model);
        return false;
    }
    if (id->microcode_known && id->microcode < least) {
        skip(t,
             "needs microcode %XH or later for PEBS on %02X_%02XH; it is "
             "%XH",
             least, id->family, id->model, id->microcode);
        return false;
    }
    return true;
}

bool sampling_take(struct sampling *p, struct run *t)
{
    const struct identity *id = run_cpu(t);
    uint8_t *memory = run_records(t);

    if (!works(t))
        return false;
    *p = (struct sampling){
        .t = t,
        .format = id->pebs_format,
        .area = (volatile struct pebs_ds_area *)memory,
        .buffer = memory + BUFFER_AT,
        .mask = BITS(id->counter_bits - 1, 0),
        .smi_known = try_get_msr(t, MSR_SMI_COUNT, &p->smi) == HW_NO_FAULT,
    };
    /* Present and dirty before the processor needs them. */
    memset(memory, GUARD, RUN_RECORDS_BYTES);
    /* IA32_PEBS_ENABLE last: the journal gives it back first. */
    return pebs_record_size(p->format, &p->size) == PEBS_OK &&
           counters_take(t) &&
           set_msr(t, IA32_DS_AREA, (uint64_t)(uintptr_t)memory) &&
           set_msr(t, IA32_PEBS_ENABLE, 0);
}

uint64_t sampling_enable(const struct sampling_plan *plan)
{
    return plan->counters | plan->beside;
}

static bool fill_in(struct sampling *p)
{
    const struct sampling_plan *plan = &p->plan;

    memset((void *)p->area, GUARD, RUN_RECORDS_BYTES);
    memset(&p->set, 0, sizeof(p->set));
    enum pebs_error error = pebs_ds_set(&p->set, (uint64_t)(uintptr_t)p->buffer,
                                        plan->room, plan->threshold, p->format);
    if (error != PEBS_OK || plan->room > PEBS_ROOM_MAX) {
        broken(p->t, "DS area: %s", pebs_error_text(error));
        return false;
    }
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        p->set.pebs_counter_reset[n] = -(uint64_t)plan->again[n] & p->mask;
    *p->area = p->set;
    return true;
}

static bool program(struct sampling *p, unsigned n)
{
    const uint64_t select = p->plan.select | IA32_PERFEVTSEL_USR |
                            IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN;
    bool used = (sampling_enable(&p->plan) >> n & 1) != 0;
    uint64_t start = (p->plan.counters >> n & 1) != 0
                         ? -(uint64_t)p->plan.first[n] & p->mask
                         : 0;

    return counters_put(p->t, IA32_PMC(n), start) &&
           counters_put(p->t, IA32_PERFEVTSEL(n), used ? select : 0);
}

bool sampling_arm(struct sampling *p, const struct sampling_plan *plan)
{
    unsigned counters = counters_available(run_cpu(p->t));
    uint64_t status;

    hw_idle();
    p->plan = *plan;
    bool ok = counters_put(p->t, IA32_PERF_GLOBAL_CTRL, 0) &&
              counters_put(p->t, IA32_PEBS_ENABLE, 0) && fill_in(p);
    status = counters_fetch(p->t, IA32_PERF_GLOBAL_STATUS);
    if (ok && status != 0)
        ok = counters_clear_status(p->t, status);
    for (unsigned n = 0; ok && n < PRECISE_COUNTERS && n < counters; n++)
        ok = program(p, n);
    if (p->smi_known)
        p->smi = counters_fetch(p->t, MSR_SMI_COUNT);
    return ok && counters_put(p->t, IA32_PEBS_ENABLE,
                              plan->counters | plan->facility);
}

bool sampling_open(struct sampling *p)
{
    return counters_put(p->t, IA32_PERF_GLOBAL_CTRL, sampling_enable(&p->plan));
}

unsigned sampling_written(const struct sampling *p)
{
    return (unsigned)((p->area->pebs_index - p->set.pebs_buffer_base) /
                      p->size);
}

/* The first byte in [from, to) of run_records() that something wrote to. */
static size_t touched(const struct sampling *p, size_t from, size_t to)
{
    const volatile uint8_t *memory = (const volatile uint8_t *)p->area;
    const volatile uint64_t *words = (const volatile uint64_t *)p->area;

    while (from % 8 == 0 && from + 8 <= to && words[from / 8] == GUARDS)
        from += 8;
    while (from < to && memory[from] == GUARD)
        from++;
    return from;
}

static bool check_untouched(struct sampling *p)
{
    size_t end = BUFFER_AT + p->records * p->size;
    size_t before = touched(p, sizeof(*p->area), BUFFER_AT);
    size_t after = touched(p, end, RUN_RECORDS_BYTES);

    return check(p->t, before == BUFFER_AT,
                 "%lu bytes behind the DS area's start a byte was written; "
                 "the area ends at 60H",
                 (unsigned long)before) &&
           check(p->t, after == RUN_RECORDS_BYTES,
                 "%u records of %lu bytes end %lu bytes behind the PEBS buffer "
                 "base, and a byte was written %lu bytes behind it",
                 p->records, (unsigned long)p->size,
                 (unsigned long)(end - BUFFER_AT),
                 (unsigned long)(after - BUFFER_AT));
}

static bool collect(struct sampling *p)
{
    struct pebs_ds_area area = *p->area;
    uint64_t written;
    enum pebs_error error = pebs_ds_check(&area, p->format, &written);

    p->records = (unsigned)written;
    if (!check(p->t, error == PEBS_OK,
               "DS area: %s; PEBS index is 0x%lx, the buffer begins at 0x%lx, "
               "a record of format %u has %lu bytes",
               pebs_error_text(error), (unsigned long)area.pebs_index,
               (unsigned long)area.pebs_buffer_base, p->format,
               (unsigned long)p->size))
        return false;
    p->set.pebs_index = area.pebs_index;
    run_raw(p->t, raw_names[p->format], p->buffer, p->records * p->size);
    return check(p->t, memcmp(&area, &p->set, sizeof(area)) == 0,
                 "the DS area changed in more than its PEBS index") &&
           check_untouched(p);
}

bool sampling_stop(struct sampling *p)
{
    struct run *t = p->t;

    if (!counters_put(t, IA32_PERF_GLOBAL_CTRL, 0) ||
        !counters_put(t, IA32_PEBS_ENABLE, 0))
        return false;
    sampling_quiet();
    p->status = counters_fetch(t, IA32_PERF_GLOBAL_STATUS);
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        if ((sampling_enable(&p->plan) >> n & 1) != 0)
            p->value[n] = counters_fetch(t, IA32_PMC(n));
    return collect(p);
}

bool sampling_around(struct sampling *p, const struct sampling_plan *plan,
                     void (*window)(struct sampling *p, uint64_t argument),
                     uint64_t argument)
{
    for (unsigned attempt = 0; attempt < SMI_RETRIES_MAX; attempt++) {
        if (!sampling_arm(p, plan))
            return false;
        p->tsc_before = hw_tsc();
        window(p, argument);
        p->tsc_after = hw_tsc();
        if (!sampling_stop(p))
            return false;
        if (!p->smi_known || counters_fetch(p->t, MSR_SMI_COUNT) == p->smi)
            return true;
        p->repeated++;
    }
    broken(p->t, "%u windows in a row were hit by an SMI (MSR_SMI_COUNT, 34H)",
           SMI_RETRIES_MAX);
    return false;
}

static void branches(struct sampling *p, uint64_t flags)
{
    pebs_window(sampling_enable(&p->plan), flags, &p->state);
}

bool sampling_run(struct sampling *p, const struct sampling_plan *plan,
                  uint64_t flags)
{
    return sampling_around(p, plan, branches, flags);
}

bool sampling_record(struct sampling *p, unsigned n, struct pebs_record *record)
{
    enum pebs_error error =
        pebs_decode(p->buffer + n * p->size, p->size, p->format, record);

    return check(p->t, error == PEBS_OK, "record %u: %s", n,
                 pebs_error_text(error));
}

unsigned sampling_event(struct sampling *p, const struct pebs_record *record)
{
    uint64_t event = record->r15 - PEBS_PLANTED(15);

    if (check(p->t, event >= 1 && event <= PEBS_EVENTS,
              "a record has R15 = 0x%lx; wanted 0x%lx plus the event's number, "
              "1 to %u",
              (unsigned long)record->r15, (unsigned long)PEBS_PLANTED(15),
              PEBS_EVENTS))
        return (unsigned)event;
    return 0;
}
