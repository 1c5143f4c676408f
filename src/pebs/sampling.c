/* SPDX-License-Identifier: BSD-2-Clause */
/* sampling.c - makes records and collects them; what must be of all that was
 * not to change: sampling_check.c. */
#include "src/pebs/sampling.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/counting/smi_guard.h"
#include "src/pebs/pebs_judge.h"
#include "src/pebs/sampling_check.h"
#include "src/pebs/sampling_fixed.h"
#include "src/pebs/sampling_groups.h"

_Static_assert(SAMPLING_BUFFER_AT + (PEBS_ROOM_MAX + 1) * SAMPLING_SIZE_MAX +
                       4096 <=
                   TEST_RECORDS_BYTES,
               "room for one record too many");

static const char *const raw_names[] = {
    "PEBS records of format 0", "PEBS records of format 1",
    "PEBS records of format 2", "PEBS records of format 3",
    "PEBS records of format 4", [PEBS_FORMAT_6] = "PEBS records of format 6"};

/* The manual gives no length. No record takes so long to write. */
#define QUIET_TSC 50000

void sampling_quiet(void)
{
    uint64_t start = hw_tsc();

    while (hw_tsc() - start < QUIET_TSC)
        ;
}

unsigned sampling_counters(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    const unsigned counters =
        id->pebs_format == PEBS_FORMAT_ADAPTIVE ? counters_available(id) : 4;

    return (unsigned)BITS(counters - 1, 0) &
           ~(counter3_make_reliable(t) ? 0 : 1u << 3);
}

/* What only this file's tables know of the processor. */
static bool is_supported(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
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

bool sampling_claim(struct sampling *p, struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    uint8_t *memory = test_records(t);

    if (!is_supported(t))
        return false;
    *p = (struct sampling){
        .t = t,
        .format = id->pebs_format,
        .decoder = id->pebs_counters ? PEBS_FORMAT_6 : id->pebs_format,
        .area_bytes = PEBS_DS_BYTES(id->pebs_format, id->pebs_area_5),
        .fixed_at = PEBS_DS_FIXED(id->pebs_area_5),
        .area = (volatile struct pebs_ds_area *)memory,
        .buffer = memory + SAMPLING_BUFFER_AT,
        .mask = BITS(id->counter_bits - 1, 0),
        .timing =
            (id->perf_capabilities & IA32_PERF_CAPABILITIES_PEBS_TIMING) != 0,
    };
    /* Present and dirty before the processor needs them. */
    memset(memory, SAMPLING_GUARD, TEST_RECORDS_BYTES);
    /* IA32_PEBS_ENABLE last: the journal gives it back first. */
    return pebs_record_size(p->format, SAMPLING_GROUPS, &p->size) == PEBS_OK &&
           counters_claim(t) && hold_msr(t, IA32_PERF_GLOBAL_CTRL) &&
           set_msr(t, IA32_DS_AREA, (uint64_t)(uintptr_t)memory) &&
           set_msr(t, IA32_PEBS_ENABLE, 0) &&
           (p->format != PEBS_FORMAT_ADAPTIVE ||
            (set_msr(t, MSR_PEBS_DATA_CFG, 0) && sampling_turns_begin(p)));
}

uint64_t sampling_enable(const struct sampling_config *config)
{
    return config->counters | config->count_only | config->plain |
           (uint64_t)(config->fixed | config->fixed_plain) << PLACE_FIXED0;
}

static bool fill_ds_area(struct sampling *p)
{
    const struct sampling_config *config = &p->config;

    memset((void *)p->area, SAMPLING_GUARD, TEST_RECORDS_BYTES);
    memset(&p->set, 0, sizeof(p->set));
    enum pebs_error error =
        pebs_ds_set(&p->set, (uint64_t)(uintptr_t)p->buffer, config->room,
                    config->threshold, p->size);
    if (error != PEBS_OK || config->room > PEBS_ROOM_MAX ||
        config->room * p->size > PEBS_ROOM_MAX * SAMPLING_SIZE_MAX ||
        config->begun > config->room || config->slack >= p->size) {
        broken(p->t, "DS area: %s", pebs_error_text(error));
        return false;
    }
    p->set.pebs_index += config->begun * p->size;
    p->set.pebs_absolute_maximum += config->slack;
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        p->set.pebs_reset[n] = config->period[n] != 0
                                   ? -(uint64_t)config->period[n] & p->mask
                                   : config->reset[n];
    for (unsigned n = 0; n < BANK_FIXED; n++)
        p->set.pebs_reset[p->fixed_at + n] =
            -config->fixed_period[n] & BITS(test_cpu(p->t)->fixed_bits - 1, 0);
    memcpy((void *)p->area, &p->set, p->area_bytes);
    return true;
}

static bool program_counter(struct sampling *p, unsigned n)
{
    uint64_t start = ((p->config.counters | p->config.plain) >> n & 1) != 0
                         ? -(uint64_t)p->config.first_period[n] & p->mask
                         : 0;

    return set_msr_again(p->t, IA32_PMC(n), start) &&
           set_msr_again(p->t, IA32_PERFEVTSEL(n), sampling_select(p, n));
}

bool sampling_arm(struct sampling *p, const struct sampling_config *config)
{
    hw_poll();
    return sampling_arm_beside(p, config);
}

bool sampling_arm_beside(struct sampling *p,
                         const struct sampling_config *config)
{
    unsigned counters = counters_available(test_cpu(p->t));

    p->config = *config;
    p->config.select = precise_select(test_cpu(p->t), config->select);
    p->same = p->looked = p->ip_wrong = p->event_ip_wrong = 0;
    bool ok = set_msr_again(p->t, IA32_PERF_GLOBAL_CTRL, 0) &&
              set_msr_again(p->t, IA32_PEBS_ENABLE, 0) && sampling_turn(p) &&
              fill_ds_area(p);
    const uint64_t status = msr_value(p->t, IA32_PERF_GLOBAL_STATUS);
    if (ok && status != 0)
        ok = counters_clear_status(p->t, status);
    p->debugctl = msr_value(p->t, IA32_DEBUGCTL);
    p->smis = smi_count(p->t);
    p->refused = test_refused(p->t);
    for (unsigned n = 0; ok && n < PRECISE_COUNTERS && n < counters; n++)
        ok = program_counter(p, n);
    return ok && sampling_program_fixed(p) &&
           set_msr_again(p->t, IA32_PEBS_ENABLE,
                         config->counters |
                             (uint64_t)config->fixed << PLACE_FIXED0 |
                             config->facility);
}

bool sampling_start(struct sampling *p)
{
    return set_held_msr(p->t, IA32_PERF_GLOBAL_CTRL,
                        sampling_enable(&p->config));
}

unsigned sampling_written(const struct sampling *p)
{
    return (unsigned)((p->area->pebs_index - p->set.pebs_buffer_base) /
                      p->size);
}

/* Of the first record that was made; a wrong one spoils all that follow. */
static bool check_size(struct sampling *p)
{
    const uint64_t form = pebs_quadword(p->buffer + p->config.begun * p->size);

    return p->format != PEBS_FORMAT_ADAPTIVE || p->records == p->config.begun ||
           check(p->t, form >> 48 == p->size,
                 "Record Size (00H[63:48]) of the first record is %lu; wanted "
                 "%lu, of the groups 0x%lx, with Adaptive_Record %d",
                 form >> 48, p->size, p->selection, !p->basic);
}

static bool collect_records(struct sampling *p)
{
    struct pebs_ds_area area = *p->area;
    struct pebs_ds_area whole = area;
    uint64_t written;

    whole.pebs_absolute_maximum -= p->config.slack;
    enum pebs_error error = pebs_ds_check(&whole, p->size, &written);

    p->records = (unsigned)written;
    if (!check(p->t, error == PEBS_OK,
               "DS area: %s; PEBS index is 0x%lx, the buffer begins at 0x%lx, "
               "a record of format %u has %lu bytes",
               pebs_error_text(error), area.pebs_index, area.pebs_buffer_base,
               p->format, p->size) ||
        !check(p->t, p->records >= p->config.begun,
               "the PEBS index was set after %u records, and is after %u",
               p->config.begun, p->records))
        return false;
    p->set.pebs_index = area.pebs_index;
    test_raw(p->t, raw_names[p->decoder], p->buffer, p->records * p->size);
    return check_size(p) &&
           check(p->t, memcmp(&area, &p->set, p->area_bytes) == 0,
                 "the DS area changed in more than its PEBS index") &&
           sampling_check_memory(p) && sampling_check_status(p);
}

bool sampling_stop(struct sampling *p)
{
    struct test_context *t = p->t;

    if (!set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0) ||
        !set_msr_again(t, IA32_PEBS_ENABLE, 0))
        return false;
    sampling_quiet();
    p->status = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        if ((sampling_enable(&p->config) >> n & 1) != 0)
            p->value[n] = msr_value(t, IA32_PMC(n));
    sampling_read_fixed(p);
    return sampling_check_registers(p) && collect_records(p);
}

struct around {
    struct sampling *p;
    const struct sampling_config *config;
    void (*window)(struct sampling *p, uint64_t argument);
    uint64_t argument;
};

static bool around_once(void *argument)
{
    const struct around *a = argument;
    struct sampling *p = a->p;

    if (!sampling_arm(p, a->config))
        return false;
    p->tsc_before = hw_tsc();
    a->window(p, a->argument);
    p->tsc_after = hw_tsc();
    return sampling_stop(p);
}

bool sampling_around(struct sampling *p, const struct sampling_config *config,
                     void (*window)(struct sampling *p, uint64_t argument),
                     uint64_t argument)
{
    struct around around = {p, config, window, argument};

    return smi_guard(p->t, around_once, &around, &p->repeated);
}

static void run_branches(struct sampling *p, uint64_t flags)
{
    pebs_window(sampling_enable(&p->config), flags, &p->state);
}

bool sampling_run(struct sampling *p, const struct sampling_config *config,
                  uint64_t flags)
{
    return sampling_around(p, config, run_branches, flags) &&
           sampling_check_selects(p);
}

/* No instruction of a window is repeated, or goes to itself, but where an
 * elided section aborts. By an erratum a few may say otherwise. */
static void check_addresses(struct sampling *p, unsigned n,
                            const struct pebs_record *record)
{
    const bool same = pebs_has(record, PEBS_EVENTING_IP) &&
                      (record->tx_abort & TX_ABORT_HLE_ABORT) == 0 &&
                      record->rip == record->eventing_ip;

    if (n >= p->looked) {
        p->looked = n + 1;
        p->same += same;
    }
    check_known(p->t, !same, ERRATUM_EVENTING_IP, p->same <= p->records / 4 + 1,
                "record %u: EventingIP (B0H) and RIP (08H), the "
                "instruction after it, are both 0x%lx",
                n, record->rip);
}

bool sampling_record(struct sampling *p, unsigned n, struct pebs_record *record)
{
    enum pebs_error error =
        pebs_decode(p->buffer + n * p->size, p->size, p->decoder, record);

    p->last = n + 1 == p->records;
    p->first_look = n >= p->looked;
    if (error == PEBS_TX_ABORT_RESERVED) {
        if (!p->reserved_said)
            observe(p->t,
                    "a record has reserved bits [63:40] of TX Abort "
                    "Information (B8H) set",
                    1, 1);
        p->reserved_said = true;
        error = PEBS_OK;
    }
    if (!check(p->t, error == PEBS_OK, "record %u: %s", n,
               pebs_error_text(error)))
        return false;
    if (!p->timing && !p->latency_said &&
        (record->record_format & PEBS_RETIRE_LATENCY) != 0) {
        observe(p->t, "a record has Retire Latency without 345H[17]", 1, 1);
        p->latency_said = true;
    }
    check_addresses(p, n, record);
    return true;
}

/* Whether RIP is in the events of one of the windows, or after the last. */
static bool is_of_events(const struct pebs_record *record)
{
    const uint64_t timed = (uint64_t)(uintptr_t)pebs_window_timed;

    return sampling_is_planted(record) ||
           record->rip - timed <= (uint64_t)(uintptr_t)pebs_timed_end - timed;
}

static bool check_field(struct sampling *p, const struct pebs_record *record,
                        enum pebs_field field, bool ok, uint64_t want)
{
    return check(p->t, ok, "%s (%02XH) of a record is 0x%lx; wanted 0x%lx",
                 pebs_field_name(field),
                 (unsigned)pebs_field_offset(record, field),
                 pebs_field_value(record, field), want);
}

/* Every register, of every record. */
static bool check_planted(struct sampling *p, const struct pebs_record *record,
                          unsigned event)
{
    const uint32_t wrong = pebs_judge_planted(record, &p->state, event);
    bool ok = check_field(p, record, PEBS_RFLAGS,
                          (wrong & BIT(PEBS_RFLAGS)) == 0, p->state.rflags);

    for (enum pebs_field f = PEBS_RAX; f <= PEBS_R15; f++)
        ok = check_field(p, record, f, (wrong & BIT(f)) == 0,
                         pebs_judge_register(f, &p->state, event)) &&
             ok;
    return ok;
}

unsigned sampling_event(struct sampling *p, const struct pebs_record *record)
{
    const uint64_t planted = PEBS_PLANTED(15) ^ p->state.complement;
    uint64_t event = record->r15 - planted;

    if (p->last && !is_of_events(record)) {
        check_known(p->t, false, ERRATUM_RECORD_AFTER_DISABLING, true,
                    "the last record has RIP = 0x%lx, after the window; wanted "
                    "an address of its events",
                    record->rip);
        return 0;
    }
    if (check(p->t, event >= 1 && event <= PEBS_EVENTS,
              "a record has R15 = 0x%lx; wanted 0x%lx plus the event's number, "
              "1 to %u",
              record->r15, planted, PEBS_EVENTS) &&
        (!sampling_is_planted(record) ||
         check_planted(p, record, (unsigned)event))) {
        if (sampling_is_planted(record))
            sampling_check_event(p, record, (unsigned)event);
        return (unsigned)event;
    }
    return 0;
}
