/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter that overflows about when it is stopped, in the documented order
 * and amid events: what is recorded happened before, and no record comes later,
 * whatever happens. */
#include "src/harness/case.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/pebs/precise.h"
#include "src/pebs/sampling.h"

/* The overflow is with the event before IA32_PERF_GLOBAL_CTRL = 0, with one of
 * some before that one, or would be with the next. */
#define PLACES 6

static struct sampling_config config_of(unsigned place)
{
    return (struct sampling_config){
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = 1 << 0,
        .first_period = {PEBS_EVENTS + 1 - place},
        .period = {PEBS_EVENTS},
        .room = 8,
        .threshold = 8,
    };
}

/* Records of events after the stop: of those after 38FH = 0, and of those after
 * 3F1H = 0 as well. */
struct late {
    unsigned records, counting_off, pebs_off;
};

static void run_stopped(struct sampling *p, uint64_t unused)
{
    (void)unused;
    pebs_window_stopped(sampling_enable(&p->config), 0, &p->state);
}

static void count_late(struct sampling *p, struct late *late)
{
    struct pebs_record record;

    for (unsigned n = 0; n < p->records; n++) {
        if (!sampling_record(p, n, &record))
            return;
        uint64_t event = record.r15 - PEBS_PLANTED(15);
        late->records++;
        late->pebs_off += event > PEBS_EVENTS + PEBS_LATE;
        late->counting_off +=
            event > PEBS_EVENTS && event <= PEBS_EVENTS + PEBS_LATE;
    }
}

/* A window of events again, while the counter runs or not. The quiescent period
 * has passed, and what is in the buffer stays as it is. */
static void check_late(struct sampling *p, uint64_t enable, const char *how)
{
    uint8_t held[2 * SAMPLING_SIZE_MAX];
    unsigned before = p->records;
    size_t bytes = before * p->size;
    struct pebs_state state;

    bytes = bytes < sizeof(held) ? bytes : sizeof(held);
    memcpy(held, p->buffer, bytes);
    pebs_window(enable, 0, &state);
    if (!sampling_stop(p))
        return;
    check(p->t, p->records == before,
          "%u records came after IA32_PERF_GLOBAL_CTRL (38FH) and "
          "IA32_PEBS_ENABLE (3F1H) were 0 for a quiescent period, with %s; "
          "wanted none",
          p->records - before, how);
    check(p->t, memcmp(held, p->buffer, bytes) == 0,
          "a record changed after PEBS was stopped, with %s", how);
}

TEST(pebs_stop_order,
     .asks = "Does no record come late after PEBS was stopped in order?",
     .cite = "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of the Intel "
             "Core microarchitecture, \"Re-configuring PEBS Facilities\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    struct late late = {0, 0, 0};
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    for (unsigned place = 0; place < PLACES; place++) {
        const struct sampling_config config = config_of(place);

        /* Measured. */
        if (!sampling_around(&p, &config, run_stopped, 0))
            return;

        /* Check. With place 0 nothing overflowed, with 1 nothing came after. */
        const unsigned before = late.counting_off + late.pebs_off;
        count_late(&p, &late);
        /* The one that overflows may have a record (precise.h). Of place 1 a
         * late one may say that it is of the event before. */
        const bool own = place == 1 && p.records == 1 &&
                         precise_without_skid(test_cpu(t)) != 0;
        check_known(
            t,
            place > 1 || own ||
                p.records == late.counting_off + late.pebs_off - before,
            ERRATUM_RECORD_AFTER_DISABLING, place == 1 && p.records == 1,
            "IA32_PMC0 (C1H), %u events before its overflow, made %u records "
            "of %u events; wanted none",
            config.first_period[0], p.records, PEBS_EVENTS);
        uint64_t want = ((uint64_t)place - 1) & p.mask;
        check(t, p.records != 0 || p.value[0] == want,
              "IA32_PMC0 (C1H), %u events before its overflow, holds 0x%lx "
              "after %u events and its stop; wanted 0x%lx",
              config.first_period[0], p.value[0], PEBS_EVENTS, want);
        check_late(&p, 0, "all counters stopped");
        check_late(&p, sampling_enable(&config), "IA32_PMC0 counting");
        if (test_refused(t) != p.refused)
            return;
    }
    /* One of an event that was on its way. */
    check_known(
        t, late.pebs_off == 0, ERRATUM_RECORD_AFTER_DISABLING,
        late.pebs_off <= PLACES,
        "%u of %u records are of events after IA32_PERF_GLOBAL_CTRL (38FH) "
        "and IA32_PEBS_ENABLE (3F1H) were 0; wanted 0",
        late.pebs_off, late.records);
    check(t, late.records != 0,
          "%u windows, in which IA32_PMC0 overflows up to %u events before it "
          "is stopped, made no record",
          PLACES, PLACES - 2);
    if (late.counting_off != 0)
        observe(t, "a record of an event after 38FH = 0, before 3F1H = 0",
                late.counting_off, late.records);
}
