/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_output.c - fills a region with packets of ring 3. */
#include "src/trace/ring3_output.h"

#include "src/base/msr.h"
#include "src/counting/smi_guard.h"
#include "src/trace/window.h"

#define LEFT   10 /* bytes of the region: ring 3 makes more, and ends it */
#define NO_PSB (UINT64_C(1) << PACKET_BYTES_AT) /* where TraceEn is set */
#define PMI_MS 20

static const struct row {
    const char *what;
    uint64_t flags;
} rows[] = {
    {"INT", TOPA_INT},
    {"STOP", TOPA_STOP},
    {"INT and STOP", TOPA_INT | TOPA_STOP},
    {"neither INT nor STOP", 0},
};

struct full {
    struct trace *p;
    const struct ring3_session *ring3;
    uint64_t flags;
    uint64_t status;     /* 38EH afterwards */
    unsigned interrupts; /* by the local APIC's entry for counters */
};

static bool fill_region(void *argument)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI;
    struct full *f = argument;
    struct trace *p = f->p;

    if (!ring3_trace_arm(p, IA32_RTIT_CTL_User) ||
        !set_msr(p->t, IA32_RTIT_OUTPUT_MASK_PTRS,
                 output_topa_pointers(0, TOPA_REGION_BYTES - LEFT)) ||
        !set_msr(p->t, IA32_PERF_GLOBAL_OVF_CTRL, bit) || !hw_pmi_begin(false))
        return false;
    output_topa_table(p->table, trace_at(p->table), trace_at(p->memory), 1, 0,
                      f->flags);
    const bool traced = ring3_trace(p, f->ring3, NO_PSB, 0, window_ring3);
    const uint64_t since = hw_ms();
    bool ok = traced;
    do
        ok = ok && get_msr(p->t, IA32_PERF_GLOBAL_STATUS, &f->status);
    while (ok && (f->flags & TOPA_INT) != 0 && (f->status & bit) == 0 &&
           hw_ms() - since < PMI_MS);
    /* From the system call on RFLAGS.IF is 0: one that waits comes now. */
    hw_pmi_end();
    f->interrupts = hw_pmi_count();
    return ok && set_msr(p->t, IA32_PERF_GLOBAL_OVF_CTRL, bit);
}

static void check_row(struct full *f, const struct row *row)
{
    const bool pmi = (row->flags & TOPA_INT) != 0,
               stop = (row->flags & TOPA_STOP) != 0,
               got = (f->status & IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI) != 0,
               stopped = (f->p->status & IA32_RTIT_STATUS_Stopped) != 0;

    check(f->p->t, got == pmi && (f->interrupts != 0) == pmi,
          "%s of a region that ring 3 fills: IA32_PERF_GLOBAL_STATUS "
          "(38EH)[55] (Trace_ToPA_PMI) = %u, %u interrupts; wanted %u, and %s",
          row->what, got, f->interrupts, pmi, pmi ? "one" : "none");
    check(f->p->t, stopped == stop,
          "%s of a region that ring 3 fills: IA32_RTIT_STATUS (571H)[5] "
          "(Stopped) = %u; wanted %u",
          row->what, stopped, stop);
}

void ring3_output_check(struct trace *p, struct ring3_session *ring3)
{
    struct full f = {.p = p, .ring3 = ring3};

    if ((test_cpu(p->t)->leaf14_ebx & LEAF14_PSB_FREQ) == 0)
        return;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        f.flags = rows[i].flags;
        if (!smi_guard(p->t, fill_region, &f, NULL))
            return;
        check_row(&f, &rows[i]);
    }
}
