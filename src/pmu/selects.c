/* SPDX-License-Identifier: BSD-2-Clause */
/* selects.c - three counters, three events. */
#include "src/pmu/selects.h"

#include "src/msr.h"
#include "src/pmu/counters.h"

#define ALL_THREE BITS(SELECTS - 1, 0)

static bool program(struct run *t, const struct selects *s)
{
    bool ok = counters_put(t, IA32_PERF_GLOBAL_CTRL, 0);

    for (unsigned n = 0; ok && n < SELECTS; n++)
        ok = counters_put(t, IA32_PMC(n), 0) &&
             counters_put(t, IA32_PERFEVTSEL(n),
                          s->select[n] | IA32_PERFEVTSEL_USR |
                              IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN);
    return ok;
}

bool selects_count(struct run *t, struct selects *s,
                   void (*work)(void *argument), void *argument)
{
    uint64_t before = 0, after = 0;

    s->repeated = 0;
    while (s->repeated < SMI_RETRIES_MAX) {
        bool known = try_get_msr(t, MSR_SMI_COUNT, &before) == HW_NO_FAULT;
        if (!program(t, s) ||
            !counters_put(t, IA32_PERF_GLOBAL_CTRL, ALL_THREE))
            return false;
        work(argument);
        if (!counters_put(t, IA32_PERF_GLOBAL_CTRL, 0))
            return false;
        for (unsigned n = 0; n < SELECTS; n++)
            s->got[n] = counters_fetch(t, IA32_PMC(n));
        if (!known || (get_msr(t, MSR_SMI_COUNT, &after) && after == before))
            return true;
        s->repeated++;
    }
    broken(t, "%u windows in a row were hit by an SMI (MSR_SMI_COUNT, 34H)",
           SMI_RETRIES_MAX);
    return false;
}
