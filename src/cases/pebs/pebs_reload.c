/* SPDX-License-Identifier: BSD-2-Clause */
/* After a record the counter goes on from the value in the DS area; no other
 * counter is touched; the record is of the next event after the overflow. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/bank.h"
#include "src/cpu/generation.h"
#include "src/pebs/sampling.h"

/* Different for each counter, so that another's value is noticed. The resets
 * take all bits of a counter and leave it far from an overflow. */
static const struct sampling_config pattern = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .first_period = {50, 60, 70, 80, 55, 65, 75, 85, 52, 62},
    .period = {40, 35, 30, 25, 38, 33, 28, 23, 41, 36},
    .reset = {UINT64_C(0x123456789a00), UINT64_C(0x2dcba9876500),
              UINT64_C(0xa5a5c3c30f00), UINT64_C(0x5a5a3c3cf000),
              UINT64_C(0x3c3ca5a50f00), UINT64_C(0x43218765a900),
              UINT64_C(0x69a5c3960f00), UINT64_C(0x5c3aa5960f00),
              UINT64_C(0x13579bdf2400), UINT64_C(0x2468ace01300)},
    .room = 16,
    .threshold = 16,
};

/* Events that may pass until PEBS is armed, after an overflow. The manual says
 * "the next", and no processor has it otherwise by so much. */
#define ARMED_WITHIN 64

/* A counter that has its bit of IA32_PEBS_ENABLE too, and does not overflow. */
#define IDLE_PERIOD 1000

/* Of all windows. */
struct seen {
    unsigned tried, next;   /* the first record of the very next event */
    unsigned judged, stays; /* not overflowed after it; the bit of 38EH is 1 */
};

/* The events of the records; returns the last one's, 0 where one was wrong. The
 * first may be of the one that overflows on some counters (precise.h). */
static unsigned check_events(struct sampling *p, unsigned n, unsigned *next)
{
    struct test_context *t = p->t;
    const bool exact = n < precise_without_skid(test_cpu(t));
    struct pebs_record record;
    unsigned last = 0;

    for (unsigned i = 0; i < p->records; i++) {
        unsigned distance =
            i == 0 ? p->config.first_period[n] : p->config.period[n];
        unsigned event =
            sampling_record(p, i, &record) ? sampling_event(p, &record) : 0;
        if (event == 0)
            return 0;
        /* An event that makes a record may be the first that counts again. */
        unsigned least = i == 0 ? distance + !exact : last + distance;
        if (!check(t, event >= least && event <= least + ARMED_WITHIN,
                   "IA32_PMC%u (%XH) overflows after %u more events: record %u "
                   "is of event %u, the one before of event %u; wanted event "
                   "%u, or one soon after",
                   n, IA32_PMC(n), distance, i, event, last, least))
            return 0;
        *next += i == 0 && event <= distance + 1;
        last = event;
    }
    return last;
}

static void check_others(struct sampling *p, unsigned n, unsigned beside,
                         unsigned idle)
{
    struct test_context *t = p->t;
    uint64_t want = (PEBS_EVENTS - (uint64_t)IDLE_PERIOD) & p->mask;

    check(t, p->value[beside] == PEBS_EVENTS,
          "IA32_PMC%u (%XH), which made no records, counted %lu of %u events",
          beside, IA32_PMC(beside), p->value[beside], PEBS_EVENTS);
    check(t, p->value[idle] == want,
          "IA32_PMC%u (%XH), enabled in IA32_PEBS_ENABLE (3F1H) too, did not "
          "overflow, and is 0x%lx after records of IA32_PMC%u; wanted 0x%lx",
          idle, IA32_PMC(idle), p->value[idle], n, want);
}

/* What the counter holds at the end, and its overflow bit: where the buffer is
 * not full, a record has cleared it. */
static void check_value(struct sampling *p, unsigned n, unsigned last,
                        struct seen *seen)
{
    const uint64_t reset = p->set.pebs_reset[n];
    struct test_context *t = p->t;
    /* As above: one more, where the event that made the record counts. */
    uint64_t want = reset + (uint64_t)(PEBS_EVENTS - last);
    uint64_t over = (p->value[n] - want) & p->mask;
    bool overflowed = p->value[n] < (reset & p->mask);

    seen->judged += !overflowed;
    seen->stays +=
        !overflowed && (p->status & IA32_PERF_GLOBAL_STATUS_OVF_PMC(n)) != 0;
    check(t, over <= 1,
          "IA32_PMC%u (%XH) is 0x%lx at the end, %u events after the last "
          "record; wanted 0x%lx or one more: its reset value 0x%lx in the DS "
          "area, and these events",
          n, IA32_PMC(n), p->value[n], PEBS_EVENTS - last, want & p->mask,
          reset);
}

/* With records at a period, or with a reset value that makes one only. */
static bool try_counter(struct sampling *p, unsigned counters, unsigned n,
                        bool periods, struct seen *seen)
{
    unsigned beside = n == 0 ? 1 : 0, idle = n <= 1 ? 2 : 1;
    struct sampling_config config = pattern;

    config.counters = counters & (1u << n | 1u << idle);
    config.count_only = 1u << beside;
    config.first_period[idle] = IDLE_PERIOD;
    for (unsigned i = 0; !periods && i < PRECISE_COUNTERS; i++) {
        config.period[i] = 0;
        config.reset[i] &= p->mask;
    }

    /* Measured. */
    if (!sampling_run(p, &config, 0))
        return false;

    /* Check. */
    unsigned last = check_events(p, n, &seen->next);
    check(p->t, periods ? p->records > 1 : p->records == 1,
          "IA32_PMC%u (%XH): %u events, overflows after %u and again after "
          "%lu, made %u records; wanted %s",
          n, IA32_PMC(n), PEBS_EVENTS, config.first_period[n],
          -p->set.pebs_reset[n] & p->mask, p->records,
          periods ? "several" : "1");
    check_others(p, n, beside, idle);
    if (last != 0)
        check_value(p, n, last, seen);
    return true;
}

/* The highest value: the very next event overflows again. One more would be 0,
 * of which there is no second record. Not on Nehalem: Linux has it that some
 * processors do not work with one event left. */
static bool try_highest(struct sampling *p, unsigned n)
{
    const struct identity *id = test_cpu(p->t);
    struct sampling_config config = pattern;

    if (identity_generation(id) == NEHALEM)
        return true;
    config.counters = 1u << n;
    config.period[n] = 0;
    config.reset[n] = p->mask;

    /* Measured. */
    if (!sampling_run(p, &config, 0))
        return false;

    /* Check. */
    check(p->t, p->records > 1,
          "IA32_PMC%u (%XH), reloaded with 0x%lx by each record, made %u of %u "
          "events; wanted several",
          n, IA32_PMC(n), config.reset[n], p->records, PEBS_EVENTS);
    return true;
}

/* Instructions retired are as many with records as without: making one is none
 * of them. */
static bool try_instructions(struct sampling *p)
{
    struct sampling_config config = pattern;
    uint64_t without, least;
    bool signature;

    if (test_cpu(p->t)->fixed_counters == 0)
        return true;
    config.counters = 1 << 0;
    config.fixed_plain = 1 << 0;
    config.fixed_first[0] = PEBS_EVENTS;
    config.first_period[0] = IDLE_PERIOD;
    if (!sampling_run(p, &config, 0))
        return false;
    without = sampling_fixed_counted(p, 0);
    config.first_period[0] = pattern.first_period[0];

    /* Measured. */
    if (!sampling_run(p, &config, 0))
        return false;

    /* Check. An erratum may have spoiled either count. */
    const uint64_t with = sampling_fixed_counted(p, 0);
    least = with < without ? with : without;
    enum erratum erratum =
        bank_erratum(PLACE_FIXED0, true, with < without ? without : with,
                     (struct count_bounds){least, least}, &signature);
    check_known(p->t, with == without, erratum, signature,
                "IA32_FIXED_CTR0 (309H) counted %lu instructions of a window "
                "that makes %u records, and %lu of the same without; wanted as "
                "many",
                with, p->records, without);
    return true;
}

TEST(
    pebs_reload,
    .asks = "Does a record reload its counter, and only it, from the DS area?",
    .cite =
        "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem, "
        "\"PEBS CounterX Reset\"; \"Global Counter Control Facilities In Intel "
        "Microarchitecture Code Name Sandy Bridge\"",
    .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned counters = sampling_counters(t);
    struct seen seen = {0};
    const uint64_t bit = (test_cpu(t)->perf_capabilities &
                          IA32_PERF_CAPABILITIES_FREEZE_WHILE_SMM) != 0
                             ? IA32_DEBUGCTL_FREEZE_WHILE_SMM_EN
                             : 0;
    struct sampling p;

    /* Set-up. A record has nothing to do with IA32_DEBUGCTL: sampling_stop()
     * looks. */
    if (!sampling_claim(&p, t) ||
        !set_msr(t, IA32_DEBUGCTL, msr_value(t, IA32_DEBUGCTL) | bit))
        return;

    /* Measured, and checked one by one. */
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        if ((counters >> n & 1) == 0)
            continue;
        if (!try_counter(&p, counters, n, true, &seen) ||
            !try_counter(&p, counters, n, false, &seen) || !try_highest(&p, n))
            return;
        seen.tried += 2;
    }
    /* Linux has seen "the PEBS events may also have their overflow bits set":
     * now and then it may be (arch/x86/events/intel/core.c). */
    check(t, seen.judged == 0 || seen.stays < seen.judged,
          "IA32_PERF_GLOBAL_STATUS (38EH) has the bit of the counter after the "
          "last record of it, which did not overflow since, in %u of %u "
          "windows; wanted 0",
          seen.stays, seen.judged);
    if (seen.stays != 0)
        observe(t, "an overflow bit is 1 after the record of its counter",
                seen.stays, seen.judged);
    if (!try_instructions(&p))
        return;
    observe(t, "the first record is of the very next event after the overflow",
            seen.next, seen.tried);
}
