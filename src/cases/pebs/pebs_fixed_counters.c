/* SPDX-License-Identifier: BSD-2-Clause */
/* With extended PEBS a fixed counter makes records as a general-purpose one
 * does: with its bit of IA32_PEBS_ENABLE, named by the record, reloaded from
 * its own reset value. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/pebs/sampling.h"

#define FEW                                                          \
    16 /* that a counter has to count in the window: cycles and more \
        */

/* Events that may pass between an overflow and its record. Of instructions no
 * processor has it otherwise; cycles come with an instruction's. */
#define ARMED_WITHIN UINT64_C(64)
#define CYCLES       (UINT64_C(1) << 16)

/* Until the next overflow, where a reset value has all bits of a counter. */
#define FAR UINT64_C(0x123456789a00)

/* Each reset value is another, so that a wrong one is noticed: the periods of
 * those that make no records are larger than any window. */
static struct sampling_config config_of(unsigned fixed, uint32_t period)
{
    struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .fixed = fixed,
        .room = 16,
        .threshold = 16,
    };

    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        config.period[n] = (n + 1) << 26;
    for (unsigned n = 0; n < BANK_FIXED; n++) {
        config.fixed_first[n] = period;
        config.fixed_period[n] =
            (fixed >> n & 1) != 0 ? period : (n + 17) << 26;
    }
    return config;
}

/* Without its bit of IA32_PEBS_ENABLE it makes none. The second window is
 * warm: the fewest that it counts. */
static bool count_plain(struct sampling *p, unsigned n, uint64_t *counted)
{
    struct sampling_config config = config_of(0, FEW);
    char name[MSR_NAME_BYTES];

    config.fixed_plain = 1u << n;
    for (unsigned window = 0; window < 2; window++)
        if (!sampling_run(p, &config, 0))
            return false;
    *counted = sampling_fixed_counted(p, n);
    check(p->t, p->records == 0,
          "%s overflows, and its bit [%u] of IA32_PEBS_ENABLE (3F1H) is 0: %u "
          "records made; wanted none",
          msr_name(IA32_FIXED_CTR(n), name), PLACE_FIXED0 + n, p->records);
    return check(p->t, *counted >= FEW,
                 "%s counted %lu in a window of %u events; wanted %u or more",
                 msr_name(IA32_FIXED_CTR(n), name), *counted, PEBS_EVENTS, FEW);
}

static void check_record(struct sampling *p, unsigned i, unsigned n)
{
    const uint64_t own = BIT(PLACE_FIXED0 + n);
    struct pebs_record record;
    char name[MSR_NAME_BYTES];

    if (!sampling_record(p, i, &record))
        return;
    check(p->t, record.applicable_counter == own,
          "Applicable Counter (10H) of record %u is 0x%lx; wanted 0x%lx, of %s",
          i, record.applicable_counter, own, msr_name(IA32_FIXED_CTR(n), name));
    check(p->t, record.tsc >= p->tsc_before && record.tsc <= p->tsc_after,
          "TSC (18H) of record %u is 0x%lx; wanted 0x%lx to 0x%lx, those "
          "around the window",
          i, record.tsc, p->tsc_before, p->tsc_after);
    /* A quarter of the window's instructions is well within its events. */
    const uint64_t from = record.eventing_ip - (uint64_t)(uintptr_t)pebs_events;
    check(p->t,
          n != 0 || i != 0 || from < (uint64_t)PEBS_EVENTS * PEBS_EVENT_BYTES,
          "Instruction Pointer (08H) of record 0 is 0x%lx; wanted an address "
          "of the window's events, 0x%lx and up",
          record.eventing_ip, (uint64_t)(uintptr_t)pebs_events);
}

/* All that was counted is in the periods, in the counter, or was counted
 * between an overflow and its record, which reloads. */
static void check_reloads(struct sampling *p, unsigned n, uint64_t counted)
{
    const uint64_t period = p->config.fixed_period[n];
    const uint64_t since = sampling_fixed_since(p, n);
    const uint64_t seen = p->records * period + since;
    const uint64_t skids = p->records * (ARMED_WITHIN + 1);
    char name[MSR_NAME_BYTES];

    check(
        p->t, since <= period + (n == 0 ? ARMED_WITHIN : CYCLES),
        "%s is 0x%lx after %u records; wanted its reset value 0x%lx at %02lXH "
        "of the DS area, and what it counted since",
        msr_name(IA32_FIXED_CTR(n), name), p->fixed_value[n], p->records,
        p->set.pebs_reset[p->fixed_at + n],
        offsetof(struct pebs_ds_area, pebs_reset[p->fixed_at + n]));
    check(p->t, n != 0 || (seen <= counted && counted <= seen + skids),
          "%s: of %lu instructions %u records, one every %lu, and %lu after "
          "the last; wanted all of them to be in these",
          msr_name(IA32_FIXED_CTR(n), name), counted, p->records, period,
          since);
    /* That of the reference cycles, whose clock is slower, may come once more
     * for the value before (perfmon, CPU_CLK_UNHALTED.REF_TSC). */
    check(p->t,
          since >= period || n == 2 ||
              (p->status >> (PLACE_FIXED0 + n) & 1) == 0,
          "IA32_PERF_GLOBAL_STATUS (38EH)[%u] is 1 after the last record of "
          "%s, which did not overflow since; wanted 0",
          PLACE_FIXED0 + n, msr_name(IA32_FIXED_CTR(n), name));
}

static bool try_alone(struct sampling *p, unsigned n, uint64_t counted)
{
    const struct sampling_config config =
        config_of(1u << n, (uint32_t)(counted / 4));
    char name[MSR_NAME_BYTES];

    if (!sampling_run(p, &config, 0))
        return false;
    check(p->t, p->records >= 2,
          "%s overflows every %lu of %lu, with its bit [%u] of "
          "IA32_PEBS_ENABLE (3F1H): %u records made; wanted 2 or more",
          msr_name(IA32_FIXED_CTR(n), name), counted / 4, counted,
          PLACE_FIXED0 + n, p->records);
    for (unsigned i = 0; i < p->records; i++)
        check_record(p, i, n);
    check_reloads(p, n, counted);
    return true;
}

/* Reloaded with a value far from an overflow, whole. */
static bool try_far(struct sampling *p, unsigned n, uint64_t counted)
{
    struct sampling_config config = config_of(1u << n, (uint32_t)(counted / 4));
    char name[MSR_NAME_BYTES];

    config.fixed_period[n] = FAR;
    if (!sampling_run(p, &config, 0))
        return false;
    return check(
        p->t, p->records >= 1 && sampling_fixed_since(p, n) <= counted + CYCLES,
        "%s is 0x%lx after %u records; wanted 1 or more, its reset "
        "value 0x%lx of the DS area, and what it counted since",
        msr_name(IA32_FIXED_CTR(n), name), p->fixed_value[n], p->records,
        p->set.pebs_reset[p->fixed_at + n]);
}

/* Between them the records name all that make some, and nothing else. Each
 * makes one: cycles count what a record takes, too, and would make the next. */
static bool try_together(struct sampling *p, unsigned fixed,
                         const uint64_t counted[BANK_FIXED])
{
    struct sampling_config config = config_of(0, 0);
    struct pebs_record record;
    uint64_t named = 0;

    config.fixed = fixed;
    config.counters = sampling_counters(p->t);
    config.room = config.threshold = PEBS_ROOM_MAX;
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        config.first_period[n] = 20 * (n + 1);
    for (unsigned n = 0; n < BANK_FIXED; n++)
        config.fixed_first[n] = (uint32_t)(counted[n] / 3 + n);
    if (!sampling_run(p, &config, 0))
        return false;
    for (unsigned i = 0; i < p->records; i++)
        if (sampling_record(p, i, &record))
            named |= record.applicable_counter;
    check(p->t, named == sampling_enable(&config),
          "fixed and general-purpose counters make records together: "
          "Applicable Counter (10H) of %u records names the set 0x%lx; wanted "
          "0x%lx",
          p->records, named, sampling_enable(&config));
    return true;
}

TEST(pebs_fixed_counters,
     .asks = "Do fixed counters make records, each reloaded from its own reset "
             "value?",
     .cite = "SDM 3B, \"Extended PEBS\", \"IA32_PEBS_ENABLE\", figure of the "
             "DS buffer management area; \"Adaptive PEBS\", \"Basic Info\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS |
                           NEED_ADAPTIVE_PEBS})
{
    const unsigned fixed = (unsigned)BITS(bank_fixed(test_cpu(t)) - 1, 0);
    uint64_t counted[BANK_FIXED] = {0};
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    /* Measured, and checked one by one. */
    for (unsigned n = 0; n < bank_fixed(test_cpu(t)); n++)
        if (!count_plain(&p, n, &counted[n]) ||
            !sampling_groups(&p, SAMPLING_GROUPS, false) ||
            !try_alone(&p, n, counted[n]) ||
            !sampling_groups(&p, SAMPLING_GROUPS, true) ||
            !try_alone(&p, n, counted[n]) || !try_far(&p, n, counted[n]))
            return;
    try_together(&p, fixed, counted);
}
