/* SPDX-License-Identifier: BSD-2-Clause */
/* A full buffer: nothing beyond its end, nothing overwritten, and a bit says
 * so. */
#include "src/harness/case.h"
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
    .fixed = 30,
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
static void clear_one_by_one(struct test_context *t, uint64_t bits)
{
    for (unsigned bit = 63; bits != 0 && bit < 64; bit--) {
        if ((bits >> bit & 1) == 0)
            continue;
        bits &= ~BIT(bit);
        if (!counters_clear_status(t, BIT(bit)))
            return;
        uint64_t got = msr_value(t, IA32_PERF_GLOBAL_STATUS);
        check(t, (got & (bits | BIT(bit))) == bits,
              "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after a 1 was written "
              "to [%u] of 390H; wanted that bit 0, and still 0x%lx",
              got, bit, bits);
    }
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
    clear_one_by_one(t, p.status & (full | others));
}
