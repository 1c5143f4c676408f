/* SPDX-License-Identifier: BSD-2-Clause */
/* Counter 3, preloaded, overflows at the very event, and says so in its own bit
 * of IA32_PERF_GLOBAL_STATUS alone. Counter 0 goes the same way as control. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"

#define SHOWN 3

/* Of one counter. */
struct overflow {
    unsigned counter, tried, wrong, uncleared, shown;
};

/* The status bits that cannot be cleared, after the others were. */
static uint64_t status_now(struct test_context *t)
{
    uint64_t status = msr_value(t, IA32_PERF_GLOBAL_STATUS);

    if (status == 0 || !counters_clear_status(t, status))
        return status;
    return msr_value(t, IA32_PERF_GLOBAL_STATUS);
}

/* One window of `events` events on a counter that starts `missing` events short
 * of overflow: one more than there are, as many, or one less. */
static void try_preload(struct counters *c, struct overflow *o, uint64_t events,
                        uint64_t missing)
{
    struct test_context *t = c->t;
    uint64_t bit = IA32_PERF_GLOBAL_STATUS_OVF_PMC(o->counter);
    uint64_t want = (events - missing) & c->gp_mask;
    uint64_t want_status = missing <= events ? bit : 0;
    uint64_t before = status_now(t);
    const uint64_t smis = c->smis;
    struct sample s = {{0}, 0, 0};

    if (!set_msr_again(t, IA32_PMC(o->counter), -missing & c->gp_mask) ||
        !counters_sample(c, window_plain, &s))
        return;
    uint64_t value = c->last[o->counter];
    uint64_t status = msr_value(t, IA32_PERF_GLOBAL_STATUS) & ~before;
    uint64_t left = status != 0 ? status_now(t) & status : 0;
    set_msr_again(t, IA32_PMC(o->counter), 0);
    /* After an SMI, in the window or before, counters begin from 0. */
    if (c->smis != smis)
        return;

    bool ok = value == want && status == want_status;
    o->tried++;
    o->wrong += !ok;
    o->uncleared += left != 0;
    if ((!ok || left != 0) && o->shown++ < SHOWN)
        note(t,
             "IA32_PMC%u (%XH) preloaded with -%lu, %lu events: got 0x%lx and "
             "IA32_PERF_GLOBAL_STATUS (38EH) 0x%lx, wanted 0x%lx and 0x%lx; "
             "after "
             "clearing through 390H 0x%lx is left, wanted 0",
             o->counter, IA32_PMC(o->counter), missing, events, value, status,
             want, want_status, left);
}

static void report_counter(struct test_context *t, bool promised,
                           const struct overflow *o)
{
    static const char *const wrong[] = {
        "IA32_PMC0 (C1H) did not overflow at its very event with "
        "IA32_PERF_GLOBAL_STATUS (38EH)[0] alone",
        "IA32_PMC3 (C4H) did not overflow at its very event with "
        "IA32_PERF_GLOBAL_STATUS (38EH)[3] alone"};
    static const char *const uncleared[] = {
        "IA32_PERF_GLOBAL_STATUS (38EH)[0] stayed set after 390H",
        "IA32_PERF_GLOBAL_STATUS (38EH)[3] stayed set after 390H"};

    counter3_report(t, promised, wrong[o->counter != 0], o->wrong, o->tried);
    /* The window closes right after the last event. */
    if (promised)
        check_known(t, o->uncleared == 0, ERRATUM_OVERFLOW_STAYS, true,
                    "%s: %u of %u; wanted 0", uncleared[o->counter != 0],
                    o->uncleared, o->tried);
    else
        observe(t, uncleared[o->counter != 0], o->uncleared, o->tried);
}

TEST(counter3_overflow,
     .asks = "Does counter 3 overflow exactly where preloaded, in its own bit?",
     .cite = "SDM 3B, \"Architectural Performance Monitoring Version 2\", "
             "\"IA32_PERF_GLOBAL_STATUS MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PMU, .counters = 4})
{
    /* Instructions retired are inconsistent on some processors. */
    static const struct pmu_event event = EVENT_BRANCHES;
    unsigned trials = test_trials(t, 100, 10);
    struct overflow third = {.counter = 3}, control = {.counter = 0};
    struct counters c;
    struct sample s = {{0}, 0, 0};

    /* Set-up: what the window counts on this processor. */
    bool promised = counter3_make_reliable(t);
    if (!counters_claim(t) || !counters_program(&c, t, 4, &event, promised) ||
        !counters_sample(&c, window_plain, &s))
        return;
    uint64_t events = s.gp[0];
    if (!check(t, events == window_plain_shape.branches,
               "IA32_PMC0 (C1H) counted %lu branches; wanted %u", events,
               window_plain_shape.branches))
        return;

    /* Measured: one event short of overflow, just there, one beyond. */
    for (unsigned i = 0; i < trials; i++)
        for (uint64_t missing = events + 1; missing + 1 >= events; missing--) {
            hw_poll();
            try_preload(&c, &third, events, missing);
            try_preload(&c, &control, events, missing);
        }

    /* Check. */
    if (third.tried == 0 || control.tried == 0)
        broken(t, "every window was hit by an SMI");
    report_counter(t, true, &control);
    report_counter(t, promised, &third);
    note(t, "windows of %lu branches, %u preloads of each counter", events,
         third.tried);
}
