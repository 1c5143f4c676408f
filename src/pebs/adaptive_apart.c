/* SPDX-License-Identifier: BSD-2-Clause */
/* adaptive_apart.c - Adaptive_Record of each counter is its own. */
#include "src/pebs/adaptive_apart.h"

#include "src/base/msr.h"
#include "src/pebs/sampling_check.h"

#define FAR (1 << 30) /* from its overflow */

static const struct sampling_config config = {
    .select = PRECISE_CONDITIONAL_BRANCHES,
    .counters = 1 << 0 | 1 << 1,
    .first_period = {40, FAR},
    .period = {60, FAR},
    .room = 8,
    .threshold = 8,
};

static void run(struct sampling *p, uint64_t unused)
{
    const uint64_t select = msr_value(p->t, IA32_PERFEVTSEL(1));

    (void)unused;
    if (set_msr_again(p->t, IA32_PERFEVTSEL(1),
                      select ^ IA32_PERFEVTSEL_ADAPTIVE))
        pebs_window(sampling_enable(&p->config), 0, &p->state);
}

static bool try_apart(struct sampling *p, bool adaptive)
{
    const uint64_t selection = PEBS_DATA_GPRS;
    struct pebs_record record;

    /* Measured. Records of another size are no whole ones. */
    if (!sampling_groups(p, selection, adaptive) ||
        !sampling_around(p, &config, run, 0))
        return false;

    /* Check. */
    check(p->t, p->records != 0,
          "IA32_PMC0 (C1H) overflowed every 60 of %u events, and made no "
          "record",
          PEBS_EVENTS);
    for (unsigned n = 0; n < p->records; n++) {
        const enum pebs_error error =
            pebs_decode(p->buffer + n * p->size, p->size, p->format, &record);

        if (check(p->t, error == PEBS_OK, "record %u: %s", n,
                  pebs_error_text(error)))
            sampling_check_format(p, &record, adaptive ? selection : 0);
    }
    return true;
}

bool adaptive_apart_try(struct sampling *p)
{
    bool ok = true;

    for (unsigned adaptive = 0; ok && adaptive < 2; adaptive++)
        WITH_PREFIX (p->t,
                     "Adaptive_Record is %u, and %u in IA32_PERFEVTSEL1 (187H)",
                     adaptive, 1 - adaptive)
            ok = try_apart(p, adaptive != 0);
    return ok;
}
