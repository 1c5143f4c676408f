/* SPDX-License-Identifier: BSD-2-Clause */
/* units.c - a window of all units of the uncore. */
#include "src/uncore/units.h"

#include "src/base/msr.h"

void units_list(struct units *s)
{
    s->count = 0;
    for (unsigned i = 0; i < 2 * s->u.boxes; i++) {
        struct uncore_unit *unit = &s->unit[s->count++];
        unit->select = uncore_box_select(i / 2, i % 2);
        unit->counter = uncore_box_counter(i / 2, i % 2);
        text_format(unit->name, sizeof(unit->name), "C-Box %u, counter %u",
                    i / 2, i % 2);
    }
    for (unsigned n = 0; n < 2; n++) {
        struct uncore_unit *unit = &s->unit[s->count++];
        unit->select = MSR_UNC_ARB_PERFEVTSEL(n);
        unit->counter = MSR_UNC_ARB_PERFCTR(n);
        text_format(unit->name, sizeof(unit->name), "ARB unit, counter %u", n);
    }
}

bool units_run(struct units *s, const uint64_t selects[UNCORE_UNITS_MAX],
               void (*work)(const struct lines *lines))
{
    struct test_context *t = s->u.t;
    bool ok = set_msr_again(t, MSR_UNC_PERF_FIXED_CTR, 0) &&
              set_msr_again(t, MSR_UNC_PERF_FIXED_CTRL, UNCORE_EN);

    for (unsigned i = 0; ok && i < s->count; i++)
        ok = set_msr_again(t, s->unit[i].select, selects[i]) &&
             set_msr_again(t, s->unit[i].counter, 0);
    if (!ok || !uncore_start(&s->u))
        return false;
    work(s->lines);
    if (!uncore_stop(&s->u))
        return false;
    for (unsigned i = 0; i < s->count; i++)
        s->got[i] = msr_value(t, s->unit[i].counter);
    s->clock = msr_value(t, MSR_UNC_PERF_FIXED_CTR);
    return true;
}
