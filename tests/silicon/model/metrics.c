/* SPDX-License-Identifier: BSD-2-Clause */
/* metrics.c - IA32_PERF_METRICS. */
#include "tests/silicon/model/metrics.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"

enum metric { RETIRING, BAD_SPECULATION, FRONTEND_BOUND, BACKEND_BOUND };

_Static_assert(BACKEND_BOUND + 1 == METRICS, "machine.h");

#define WHOLE UINT64_C(0xFF)

bool metrics_exist(const struct processor *p)
{
    return (p->cpu->perf_capabilities & BIT(15)) != 0;
}

/* All but the last are rounded down; that has what is left. */
uint64_t metrics_value(const struct processor *p)
{
    const uint64_t *slots = p->pmu.metrics;
    uint64_t sum = 0, value = 0, left = WHOLE;

    for (unsigned n = 0; n < METRICS; n++)
        sum += slots[n];
    if (sum == 0)
        return 0;
    for (unsigned n = 0; n < METRICS; n++) {
        uint64_t part = n == BACKEND_BOUND ? left : slots[n] * WHOLE / sum;

        value |= part << (8 * n);
        left -= part;
    }
    return faults_quantity(p->machine, METRICS_READ, ANY_NUMBER, value);
}

bool metrics_write(struct processor *p, uint64_t value)
{
    if ((value & ~BITS(31, 0)) != 0)
        return false;
    for (unsigned n = 0; n < METRICS; n++)
        p->pmu.metrics[n] =
            p->pmu.fixed[FIXED_SLOTS] / WHOLE * (value >> (8 * n) & WHOLE);
    return true;
}

/* One slot an instruction; why the others were not used is guessed. */
void metrics_count(struct processor *p, const struct retirement *r)
{
    uint64_t slots = (uint64_t)r->cycles * SLOTS_PER_CYCLE;
    uint64_t used = r->instructions < slots ? r->instructions : slots;
    enum metric rest = BACKEND_BOUND;

    if (r->mispredicted || (r->tx_events & TX_EVENT_ABORTED) != 0)
        rest = BAD_SPECULATION;
    else if (r->branch != 0 && r->taken)
        rest = FRONTEND_BOUND;
    p->pmu.metrics[RETIRING] += used;
    p->pmu.metrics[rest] += slots - used;
}
