/* SPDX-License-Identifier: BSD-2-Clause */
/* metrics.c - IA32_PERF_METRICS. */
#include "tests/silicon/model/counters/metrics.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/hooks.h"

enum metric {
    RETIRING,
    BAD_SPECULATION,
    FRONTEND_BOUND,
    BACKEND_BOUND,
    SECOND_LEVEL, /* of each of these */
    HEAVY_OPERATIONS = SECOND_LEVEL,
    BRANCH_MISPREDICT,
    FETCH_LATENCY,
    MEMORY_BOUND,
};

_Static_assert(MEMORY_BOUND + 1 == METRICS, "machine.h");

#define WHOLE UINT64_C(0xFF)

bool metrics_exist(const struct processor *p)
{
    return (p->cpu->perf_capabilities & BIT(15)) != 0 || p->cpu->metrics_untold;
}

/* All but the last of a level are rounded down; that has what is left, and so
 * none of the second is more than what it is of. */
uint64_t metrics_value(const struct processor *p)
{
    const uint64_t *slots = p->pmu.metrics;
    uint64_t sum = 0, value = 0, left = WHOLE;

    for (unsigned n = 0; n < SECOND_LEVEL; n++)
        sum += slots[n];
    if (sum == 0)
        return 0;
    for (unsigned n = 0; n < SECOND_LEVEL; n++) {
        uint64_t part = n == BACKEND_BOUND ? left : slots[n] * WHOLE / sum;

        value |= part << (8 * n);
        left -= part;
    }
    for (unsigned n = SECOND_LEVEL; p->cpu->metrics_in_two && n < METRICS; n++)
        value |= slots[n] * WHOLE / sum << (8 * n);
    return faults_quantity(p->machine, METRICS_READ, ANY_NUMBER, value);
}

uint64_t metrics_read(const struct processor *p, bool rdpmc)
{
    const uint64_t enables = CTRL_METRICS | BIT(32 + FIXED_SLOTS);
    enum metrics_state state = METRICS_AT_REST;

    if ((p->pmu.global_ctrl & enables) == enables) {
        bool field = (p->pmu.fixed_ctrl >> 4 * FIXED_SLOTS & BITS(1, 0)) != 0;

        state = !field  ? METRICS_HELD
                : rdpmc ? METRICS_LIVE_RDPMC
                        : METRICS_LIVE;
    }
    return faults_quantity(p->machine, METRICS_READ, state, metrics_value(p));
}

bool metrics_write(struct processor *p, uint64_t value)
{
    unsigned metrics = p->cpu->metrics_in_two ? METRICS : SECOND_LEVEL;

    if ((value & ~BITS(8 * metrics - 1, 0)) != 0)
        return false;
    for (unsigned n = 0; n < METRICS; n++)
        p->pmu.metrics[n] =
            p->pmu.fixed[FIXED_SLOTS] / WHOLE * (value >> (8 * n) & WHOLE);
    return true;
}

/* One slot an instruction; why the others were not used is guessed. */
void metrics_count(struct processor *p, const struct retirement *r)
{
    uint64_t *metrics = p->pmu.metrics;
    uint64_t slots = (uint64_t)r->cycles * p->cpu->slots_per_cycle;
    uint64_t used = r->instructions < slots ? r->instructions : slots;
    enum metric rest = BACKEND_BOUND;

    if (faults_quantity(p->machine, METRICS_COUNTED, r->user, 1) == 0)
        return;
    if (r->mispredicted || (r->tx_events & TX_EVENT_ABORTED) != 0)
        rest = BAD_SPECULATION;
    else if (r->branch != 0 && r->taken)
        rest = FRONTEND_BOUND;
    metrics[RETIRING] += used;
    metrics[rest] += slots - used;
    if (r->cycles / (r->instructions > 1 ? r->instructions : 1) >=
        p->choices.cycles_slow)
        metrics[HEAVY_OPERATIONS] += used;
    if (r->mispredicted)
        metrics[BRANCH_MISPREDICT] += slots - used;
    else if (rest == FRONTEND_BOUND)
        metrics[FETCH_LATENCY] += slots - used;
    else if (rest == BACKEND_BOUND && r->data_count > 0)
        metrics[MEMORY_BOUND] += slots - used;
}
