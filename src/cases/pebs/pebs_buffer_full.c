/* SPDX-License-Identifier: BSD-2-Clause */
/* A full buffer: nothing beyond its end, nothing overwritten, and a bit says
 * so. */
#include "src/harness/case.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/pebs/sampling.h"

#define ROOM 3

/* Twelve overflows for three records' room; beside them others overflow and
 * make no record. */
static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .plain = 1 << 1 | 1 << 2,
    .fixed_plain = 1 << 0,
    .fixed_first = {30},
    .first_period = {20, 25, 35},
    .period = {20},
    .room = ROOM,
    .threshold = ROOM,
};

/* Records that are dropped change nothing of what enables others. */
static void run_full(struct sampling *p, uint64_t unused)
{
    (void)unused;
    pebs_window(sampling_enable(&p->config), 0, &p->state);
    sampling_quiet();
    check_equal(p->t, "IA32_PEBS_ENABLE (3F1H) after the buffer was full",
                msr_value(p->t, IA32_PEBS_ENABLE), p->config.counters);
}

/* From the highest to the lowest: each 1 written to 390H clears its own. */
static bool clear_one_by_one(struct test_context *t, uint64_t bits)
{
    while (bits != 0) {
        const unsigned bit = 63 - (unsigned)__builtin_clzll(bits);
        bits &= ~BIT(bit);
        if (!counters_clear_status(t, BIT(bit)))
            return false;
        uint64_t got = msr_value(t, IA32_PERF_GLOBAL_STATUS);
        check(t, (got & (bits | BIT(bit))) == bits,
              "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after a 1 was written "
              "to [%u] of 390H; wanted that bit 0, and still 0x%lx",
              got, bit, bits);
    }
    return true;
}

/* Two windows; before the second one there is room again. Another counter,
 * which overflows in that one first, makes its record. */
#define BESIDE 2
#define LATER  150 /* events of the second window before it overflows */

#define ARMED_WITHIN 64 /* events between an overflow and its record */

static void run_twice(struct sampling *p, uint64_t unused)
{
    (void)unused;
    pebs_window(sampling_enable(&p->config), 0, &p->state);
    sampling_quiet();
    p->area->pebs_index = p->set.pebs_buffer_base + (ROOM - 1) * p->size;
    pebs_window(sampling_enable(&p->config), 0, &p->state);
}

static bool try_room_again(struct sampling *p)
{
    struct sampling_config again = config;
    struct pebs_record record;

    again.counters |= 1 << BESIDE;
    again.plain = 0;
    again.fixed_plain = 0;
    again.first_period[BESIDE] = PEBS_EVENTS + LATER;

    /* Measured. */
    if (!sampling_around(p, &again, run_twice, 0))
        return false;

    /* Check. */
    unsigned event = p->records == ROOM && sampling_record(p, ROOM - 1, &record)
                         ? sampling_event(p, &record)
                         : 0;
    /* The overflow whose record was skipped may still make one: no manual says
     * that its counter is not armed any more. */
    if (event != 0 && event <= ARMED_WITHIN) {
        observe(p->t,
                "the overflow of a record that was skipped makes one as soon "
                "as there is room",
                1, 1);
        return true;
    }
    check(p->t, event > LATER,
          "a buffer that was full had room for one record again, and "
          "IA32_PMC%u overflowed after %u events: the last of %u records is of "
          "event %u; wanted one after that",
          BESIDE, LATER, p->records, event);
    return true;
}

/* Between windows the area is written again, and IA32_PEBS_ENABLE is not: each
 * record is made by what is there then. The first windows have the records of
 * the threshold, and room for more. */
static const struct sampling_config found = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0,
    .first_period = {20},
    .period = {120},
    .room = ROOM,
    .threshold = ROOM - 1,
};
#define ROOM_THEN   16
#define PERIOD_THEN 40

static bool run_again(struct sampling *p)
{
    struct test_context *t = p->t;

    sampling_quiet();
    p->status = msr_value(t, IA32_PERF_GLOBAL_STATUS);
    memcpy((void *)p->area, &p->set, p->area_bytes);
    if (!counters_clear_status(t, p->status) ||
        !set_msr_again(t, IA32_PMC(0),
                       -(uint64_t)found.first_period[0] & p->mask))
        return false;
    pebs_window(sampling_enable(&p->config), 0, &p->state);
    return true;
}

static void run_rewritten(struct sampling *p, uint64_t unused)
{
    const uint64_t base = p->set.pebs_buffer_base;

    (void)unused;
    pebs_window(sampling_enable(&p->config), 0, &p->state);
    if (!run_again(p))
        return;
    sampling_quiet();
    const uint64_t status = msr_value(p->t, IA32_PERF_GLOBAL_STATUS);
    check(p->t, (status & IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER) != 0,
          "the PEBS index was set back to the base, and 38EH[62] was cleared: "
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after the threshold, %u "
          "records, was reached again; wanted [62] = 1",
          status, p->config.threshold);
    p->config.threshold = ROOM_THEN;
    p->set.pebs_absolute_maximum = base + ROOM_THEN * p->size;
    p->set.pebs_interrupt_threshold = base + ROOM_THEN * p->size;
    p->set.pebs_reset[0] = -(uint64_t)PERIOD_THEN & p->mask;
    (void)run_again(p);
}

/* sampling_stop() looks at 38EH[62], by the threshold as it is at the end. */
static void try_rewritten(struct sampling *p)
{
    struct pebs_record record;
    unsigned last = 0;

    /* Measured. */
    if (!sampling_around(p, &found, run_rewritten, 0))
        return;

    /* Check. */
    for (unsigned n = 0; n < p->records; n++) {
        unsigned event =
            sampling_record(p, n, &record) ? sampling_event(p, &record) : 0;
        check(p->t,
              n == 0 || (event >= last + PERIOD_THEN &&
                         event <= last + PERIOD_THEN + ARMED_WITHIN),
              "PEBS counter 0 reset was set from -%u to -%u: record %u is of "
              "event %u, the one before of event %u",
              found.period[0], PERIOD_THEN, n, event, last);
        last = event;
    }
    check(p->t, p->records > ROOM,
          "the PEBS absolute maximum was set from %u records to %u: %u were "
          "made in a window with an overflow every %u of %u events",
          ROOM, ROOM_THEN, p->records, PERIOD_THEN, PEBS_EVENTS);
}

TEST(pebs_buffer_full,
     .asks = "Does a full PEBS buffer stay as it is, and set "
             "IA32_PERF_GLOBAL_STATUS[62]?",
     .cite = "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem, "
             "\"PEBS Absolute Maximum\"; of the Intel Core "
             "microarchitecture, \"if the bounds checks fail, the PEBS will "
             "be skipped entirely\"; \"Global Counter Control Facilities "
             "In Intel Microarchitecture Code Name Sandy Bridge\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS})
{
    const uint64_t full = IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER;
    struct pebs_record record;
    struct sampling p;
    unsigned last = 0;

    /* Set-up, measured. The checks of sampling_stop() see what is written
     * beyond the end. */
    if (!sampling_claim(&p, t) || !sampling_around(&p, &config, run_full, 0))
        return;

    /* Check. */
    check(t, p.records == ROOM,
          "the buffer has room for %u records, and %u events with an overflow "
          "every 20 of them left %u",
          ROOM, PEBS_EVENTS, p.records);
    for (unsigned n = 0; n < p.records; n++) {
        unsigned event =
            sampling_record(&p, n, &record) ? sampling_event(&p, &record) : 0;
        check(t, event > last,
              "record %u in the buffer is of event %u, the one before it of "
              "event %u; wanted a later event",
              n, event, last);
        last = event;
    }
    check(t, (p.status & full) != 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) with a full PEBS buffer is 0x%lx; "
          "wanted [62] = 1",
          p.status);
    check(t, p.value[0] <= PEBS_EVENTS,
          "IA32_PMC0 (C1H) is 0x%lx at the end, after overflows with a full "
          "PEBS buffer; wanted no more than %u, the events of the window: a "
          "record that is skipped reloads nothing",
          p.value[0], PEBS_EVENTS);
    const uint64_t others =
        config.plain | IA32_PERF_GLOBAL_STATUS_OVF_FIXED_CTR(0);
    check(t, (p.status & others) == others,
          "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after the counters 0x%lx "
          "overflowed beside the records; wanted their bits",
          p.status, others);
    if (clear_one_by_one(t, p.status & (full | others)) && try_room_again(&p))
        try_rewritten(&p);
}
