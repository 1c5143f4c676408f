/* SPDX-License-Identifier: BSD-2-Clause */
/* offcore_window.c - counters of one event, and a window of them. */
#include "src/uncore/offcore_window.h"

#include "src/base/msr.h"
#include "src/counting/smi_guard.h"

bool offcore_program(const struct offcore *o, bool both, uint64_t levels)
{
    bool ok = true;

    for (unsigned c = 0; ok && c < o->counters; c++)
        ok = set_msr_again(o->t, IA32_PERFEVTSEL(c),
                           offcore_event(o->table, both ? c % 2 : o->n) |
                               levels | IA32_PERFEVTSEL_EN);
    return ok;
}

static bool run_window(void *argument)
{
    struct offcore *o = argument;

    o->got = (struct offcore_bounds){UINT64_MAX, 0};
    for (unsigned c = 0; c < o->counters; c++)
        if (!set_msr_again(o->t, IA32_PMC(c), 0))
            return false;
    if (!set_held_msr(o->t, IA32_PERF_GLOBAL_CTRL, BITS(o->counters - 1, 0)))
        return false;
    o->work(o);
    if (!set_held_msr(o->t, IA32_PERF_GLOBAL_CTRL, 0))
        return false;
    for (unsigned c = 0; c < o->counters; c++) {
        uint64_t got = msr_value(o->t, IA32_PMC(c));
        o->got.least = got < o->got.least ? got : o->got.least;
        o->got.most = got > o->got.most ? got : o->got.most;
    }
    return true;
}

bool offcore_window(struct offcore *o, void (*work)(const struct offcore *o))
{
    o->work = work;
    return smi_guard(o->t, run_window, o, &o->repeated);
}
