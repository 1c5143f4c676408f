/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_forced.c - transactions that are forced to abort, at ring 3, and
 * CPUID there. */
#include "src/counting/ring3_forced.h"

#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/counting/ring3_state.h"
#include "src/tsx/status.h"

#define TRIES 16

/* False where there is no PMU, or ERROR or SKIP is said. */
static bool prepare(struct ring3_session *s, struct test_context *t)
{
    return test_cpu(t)->perfmon_version >= 2 && counters_claim(t) &&
           hold_msr(t, IA32_PERF_GLOBAL_CTRL) && ring3_prepare(s, t);
}

void ring3_check_forced(struct test_context *t)
{
    struct ring3_session s;
    uint64_t got[2] = {0, 0};
    unsigned wrong = 0, early = 0, apart = 0;

    if (!prepare(&s, t))
        return;
    const unsigned counters = counters_available(test_cpu(t));
    const uint64_t there = (UINT64_C(1) << counters) - 1;
    for (unsigned n = 0; n < counters && n <= 3; n += 3)
        if (!set_msr(t, IA32_PERFEVTSEL(n),
                     EVENT_INST_RETIRED | IA32_PERFEVTSEL_OS |
                         IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_EN))
            return;
    const bool reliable = counter3_is_reliable(t);
    s.ring3->aborts = 0;
    for (unsigned i = 0; i < TRIES; i++) {
        uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s.ring3};
        const uint64_t enable =
            ((i % 2 != 0 ? BIT(0) : 0) | (i % 4 > 1 ? BIT(3) : 0)) & there;
        const bool both = reliable && enable == (BIT(0) | BIT(3));
        hw_poll();
        if (both &&
            (!set_msr(t, IA32_PMC(0), 0) || !set_msr(t, IA32_PMC(3), 0)))
            return;
        ring3_begin(&s);
        window_ring3_tx(enable, cells);
        ring3_end(&s);
        if (both) {
            got[0] = msr_value(t, IA32_PMC(0));
            got[1] = msr_value(t, IA32_PMC(3));
            apart += got[0] != got[1];
        }
        wrong += s.ring3->vector != HW_NO_FAULT || s.ring3->status != 0;
        early += s.ring3->vector == HW_NO_FAULT &&
                 s.ring3->status == RTM_STATUS_RETRY;
    }
    ring3_finish(&s);
    /* As at ring 0, one may end before it is forced to: by an SMI. */
    check(t, wrong == 0 || (wrong == 1 && early == 1),
          "%u of %u transactions at ring 3 did not abort with EAX = 0; the "
          "last status is 0x%08x (all ones: it committed)",
          wrong, TRIES, s.ring3->status);
    check(
        t, apart == 0,
        "IA32_PMC3 (C4H) beside IA32_PMC0 (C1H) over a transaction at ring 3: "
        "in %u windows they count otherwise, at last %lu and %lu "
        "instructions; wanted the same",
        apart, got[1], got[0]);
}

void ring3_check_leaf7(struct test_context *t)
{
    struct ring3_session s;
    struct hw_cpuid leaf;

    if (!prepare(&s, t))
        return;
    uint64_t cells[WINDOW_CELLS] = {(uintptr_t)s.ring3};
    const struct ring3_state *state = (void *)(uintptr_t)s.ring3->data;
    ring3_state_plant(&s);
    s.ring3->body = (uint32_t)(ring3_state_leaf7 - ring3_body);
    s.ring3->level = 3;
    ring3_begin(&s);
    window_ring3_body(0, cells);
    ring3_end(&s);
    ring3_finish(&s);
    const uint32_t ebx = (uint32_t)state->results[0],
                   edx = (uint32_t)(state->results[0] >> 32);
    hw_cpuid(7, 0, &leaf);
    check(t,
          s.ring3->vector == HW_NO_FAULT && ebx == leaf.ebx && edx == leaf.edx,
          "CPUID.07H.0 at ring 3: EBX = 0x%08x, EDX = 0x%08x; wanted 0x%08x "
          "and 0x%08x, as at ring 0",
          ebx, edx, leaf.ebx, leaf.edx);
}
