/* SPDX-License-Identifier: BSD-2-Clause */
/* A counter makes records where its bit of IA32_PEBS_ENABLE is set, and only
 * while it counts; what was programmed stays so. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/pebs/sampling.h"

/* All in the window, each after its own number of events. The DS area has
 * values that no counter comes to by itself. */
static struct sampling_config config_of(unsigned counters, unsigned plain)
{
    struct sampling_config config = {
        .select = PRECISE_CONDITIONAL_BRANCHES,
        .counters = counters,
        .plain = plain,
        .room = 16,
        .threshold = 16,
    };

    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        config.first_period[n] = 60 + 20 * n;
        config.reset[n] = UINT64_C(0x10000) << n;
    }
    return config;
}

/* Those without the bit overflowed, went on from 0, and say so. */
static void check_plain(struct sampling *p)
{
    struct test_context *t = p->t;

    for (unsigned n = 0; n < PRECISE_COUNTERS; n++) {
        if ((p->config.plain >> n & 1) == 0)
            continue;
        uint64_t want = PEBS_EVENTS - p->config.first_period[n];
        check(t, p->value[n] == want,
              "IA32_PMC%u (%XH), whose bit of IA32_PEBS_ENABLE (3F1H) is 0, "
              "holds 0x%lx after its overflow; wanted 0x%lx, no value of the "
              "DS area",
              n, IA32_PMC(n), p->value[n], want);
        check(t, (p->status & IA32_PERF_GLOBAL_STATUS_OVF_PMC(n)) != 0,
              "IA32_PERF_GLOBAL_STATUS (38EH) is 0x%lx after IA32_PMC%u "
              "overflowed, whose bit of IA32_PEBS_ENABLE (3F1H) is 0; wanted "
              "[%u] = 1",
              p->status, n, n);
    }
}

static void check_kept(struct sampling *p, uint32_t msr, uint64_t want)
{
    check_msr_is(p->t, msr, msr_value(p->t, msr), want,
                 " after records were made");
}

/* What was programmed is there after the records as before; and a bit that was
 * 1 beside others is as one that was not. */
static void run_and_look(struct sampling *p, uint64_t unused)
{
    const uint64_t select = p->config.select | IA32_PERFEVTSEL_USR |
                            IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN |
                            sampling_adaptive(p);

    (void)unused;
    if (!set_msr_again(p->t, IA32_PEBS_ENABLE,
                       p->config.counters | p->config.plain) ||
        !set_msr_again(p->t, IA32_PEBS_ENABLE, p->config.counters))
        return;
    pebs_window(sampling_enable(&p->config), 0, &p->state);
    sampling_quiet();
    check_kept(p, IA32_PEBS_ENABLE, p->config.counters);
    check_kept(p, IA32_DS_AREA, (uint64_t)(uintptr_t)p->area);
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        if ((sampling_enable(&p->config) >> n & 1) != 0)
            check_kept(p, IA32_PERFEVTSEL(n), select);
}

static bool try_bits(struct sampling *p, unsigned usable, unsigned enabled)
{
    const struct sampling_config config = config_of(enabled, usable & ~enabled);
    unsigned wanted = enabled != 0;

    if (!sampling_around(p, &config, run_and_look, 0))
        return false;
    check(p->t, p->records == wanted,
          "IA32_PEBS_ENABLE (3F1H) is 0x%x, and the counters of the set 0x%x "
          "overflow once each: %u records made; wanted %u",
          enabled, usable, p->records, wanted);
    check_plain(p);
    return true;
}

/* Why a counter with its bit in IA32_PEBS_ENABLE does not count. */
enum off { NOT_IN_GLOBAL_CTRL, NOT_IN_SELECT, NOT_AT_RING_0 };

static void run_off(struct sampling *p, uint64_t off)
{
    const unsigned n = (unsigned)__builtin_ctz(p->config.counters);

    if (off == NOT_IN_GLOBAL_CTRL) {
        pebs_window(0, 0, &p->state);
        return;
    }
    set_msr_again(
        p->t, IA32_PERFEVTSEL(n),
        p->config.select | IA32_PERFEVTSEL_USR | sampling_adaptive(p) |
            (off == NOT_IN_SELECT ? IA32_PERFEVTSEL_OS : IA32_PERFEVTSEL_EN));
    pebs_window(sampling_enable(&p->config), 0, &p->state);
}

static bool try_off(struct sampling *p, unsigned n, enum off off)
{
    const struct sampling_config config = config_of(1u << n, 0);
    const uint64_t start = -(uint64_t)config.first_period[n] & p->mask;
    static const char *const whats[] = {
        [NOT_IN_GLOBAL_CTRL] = "its bit of IA32_PERF_GLOBAL_CTRL (38FH) is 0",
        [NOT_IN_SELECT] = "IA32_PERFEVTSELx[22] (EN) is 0",
        [NOT_AT_RING_0] = "IA32_PERFEVTSELx[17] (OS) is 0, at ring 0",
    };

    if (!sampling_around(p, &config, run_off, off))
        return false;
    check(p->t, p->records == 0 && p->value[n] == start,
          "IA32_PMC%u (%XH) has its bit in IA32_PEBS_ENABLE (3F1H), and %s: %u "
          "records made, and it went from 0x%lx to 0x%lx; wanted none, and no "
          "change",
          n, IA32_PMC(n), whats[off], p->records, start, p->value[n]);
    return true;
}

/* IA32_PEBS_ENABLE is written while the counter counts, before it overflows. */
static void run_enabled_later(struct sampling *p, uint64_t turns)
{
    struct test_context *t = p->t;

    if (!set_msr_again(t, IA32_PEBS_ENABLE, 0) || !sampling_start(p) ||
        !set_msr_again(t, IA32_PEBS_ENABLE, p->config.counters))
        return;
    for (volatile unsigned i = 0; i < turns; i++)
        ;
    set_held_msr(t, IA32_PERF_GLOBAL_CTRL, 0);
}

static void try_enabled_later(struct sampling *p)
{
    struct sampling_config config = config_of(1 << 0, 0);

    config.first_period[0] = 4 * PEBS_EVENTS;
    if (!sampling_around(p, &config, run_enabled_later, 8 * PEBS_EVENTS))
        return;
    check(p->t, p->records != 0,
          "IA32_PEBS_ENABLE (3F1H) was written with 0x%x while IA32_PMC0 (C1H) "
          "counted, which overflowed later: no record made; wanted one",
          config.counters);
}

TEST(pebs_enable_bits,
     .asks = "Does only a counter whose bit of IA32_PEBS_ENABLE is set make "
             "records, and only while it counts?",
     .cite = "SDM 3B, \"Processor Event Based Sampling (PEBS)\" of Nehalem, "
             "\"Layout of IA32_PEBS_ENABLE MSR\", \"PEBS CounterX Reset\"",
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_PEBS, .counters = 4})
{
    unsigned usable = sampling_counters(t);
    struct sampling p;

    /* Set-up. */
    if (!sampling_claim(&p, t))
        return;

    /* Measured, and checked one by one. */
    if (!try_bits(&p, usable, 0))
        return;
    for (unsigned n = 0; n < PRECISE_COUNTERS; n++)
        if ((usable >> n & 1) != 0 &&
            (!try_bits(&p, usable, 1u << n) ||
             !try_off(&p, n, NOT_IN_GLOBAL_CTRL) ||
             !try_off(&p, n, NOT_IN_SELECT) || !try_off(&p, n, NOT_AT_RING_0)))
            return;
    try_enabled_later(&p);
}
