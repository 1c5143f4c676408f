/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_trace.c - traces a window that is at ring 3. */
#include "src/trace/ring3_trace.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/counting/smi_guard.h"

#define PAGE_BYTES 4096u

bool ring3_trace_claim(struct trace *p, struct ring3_session *ring3,
                       struct test_context *t)
{
    if (!trace_claim(p, t) || !set_msr(t, IA32_PERF_GLOBAL_CTRL, 0) ||
        !ring3_prepare(ring3, t))
        return false;
    p->memory = (uint8_t *)test_records(t) + PAGE_BYTES;
    return true;
}

bool ring3_trace_arm(struct trace *p, uint64_t bits)
{
    const uint64_t levels = IA32_RTIT_CTL_OS | IA32_RTIT_CTL_User;

    p->armed = (p->control & ~levels) | bits;
    p->begun = hw_tsc();
    memset(p->memory, TRACE_GUARD, PAGE_BYTES);
    output_topa_table(p->table, trace_at(p->table), trace_at(p->memory), 1, 0,
                      p->may_stop ? TOPA_STOP : 0);
    return set_msr(p->t, IA32_RTIT_OUTPUT_BASE, trace_at(p->table)) &&
           set_msr(p->t, IA32_RTIT_OUTPUT_MASK_PTRS,
                   output_topa_pointers(0, 0)) &&
           set_msr(p->t, IA32_RTIT_CTL, p->armed);
}

bool ring3_trace(struct trace *p, const struct ring3_session *ring3,
                 uint64_t status, uint64_t counters, window_function *window)
{
    uint64_t cells[WINDOW_CELLS] = {trace_at(ring3->ring3)};

    if (!set_msr(p->t, IA32_RTIT_STATUS, status))
        return false;
    ring3_begin(ring3);
    bool started = trace_start(p);
    if (started)
        window(counters, cells);
    ring3_end(ring3);
    const bool stopped = trace_stop(p);
    p->ended = hw_tsc();
    return stopped && started;
}

struct anew {
    struct trace *p;
    const struct ring3_session *ring3;
    uint64_t bits, counters;
    window_function *window;
};

static bool trace_anew(void *argument)
{
    const struct anew *a = argument;

    return ring3_trace_arm(a->p, a->bits) &&
           ring3_trace(a->p, a->ring3, a->p->status_before, a->counters,
                       a->window);
}

bool ring3_trace_anew(struct trace *p, const struct ring3_session *ring3,
                      uint64_t bits, uint64_t counters, window_function *window)
{
    struct anew a = {p, ring3, bits, counters, window};

    return smi_guard(p->t, trace_anew, &a, NULL);
}
