/* SPDX-License-Identifier: BSD-2-Clause */
/* An OutputOffset past the end of the output is an operational error, not a
 * fault, and nothing is written. */
#include "src/base/msr.h"
#include "src/trace/trace.h"

#define TURNS      64
#define PAGE_BYTES 4096u

static void check_offset(struct trace *p, const char *what, uint64_t control,
                         uint64_t base, uint64_t pointers)
{
    struct test_context *t = p->t;

    /* Measured. */
    if (!trace_arm_output(p, control, base, pointers))
        return;
    int vector = try_set_msr(t, IA32_RTIT_CTL, control | IA32_RTIT_CTL_TraceEn);
    (void)trace_jumps(TURNS);
    if (!trace_stop(p))
        return;

    /* Check. */
    check(t, vector == HW_NO_FAULT,
          "%s: WRMSR to IA32_RTIT_CTL (570H) raised vector %d; wanted no fault",
          what, vector);
    check(t, (p->status & IA32_RTIT_STATUS_Error) != 0,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx: got [4] (Error) = 0, wanted 1",
          what, (unsigned long)p->status);
    check(t, trace_guarded(p, 0, TRACE_BYTES) == TRACE_BYTES,
          "%s: %lu bytes were written; wanted none", what,
          (unsigned long)(TRACE_BYTES - trace_guarded(p, 0, TRACE_BYTES)));
    note(t, "%s: IA32_RTIT_STATUS (571H) = 0x%lx", what,
         (unsigned long)p->status);
}

TEST(pt_output_offset,
     .asks = "Is an OutputOffset past the output an operational error?",
     .cite = "SDM 3C, Intel Processor Trace, tables "
             "\"IA32_RTIT_OUTPUT_MASK_PTRS MSR\", \"IA32_RTIT_STATUS MSR\"; "
             "\"ToPA Errors\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    const struct identity *id = test_cpu(t);
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    uint64_t memory = trace_at(p.memory), table = trace_at(p.table);

    if ((id->leaf14_ecx & LEAF14_RANGE) != 0)
        check_offset(&p, "single range, offset greater than the mask",
                     output_control(id, false), memory,
                     output_range_pointers(PAGE_BYTES, PAGE_BYTES));
    if ((id->leaf14_ecx & LEAF14_TOPA) != 0) {
        output_topa_table(p.table, table, memory, 1, 0, 0);
        check_offset(&p, "ToPA, offset of the region's size",
                     output_control(id, true), table,
                     output_topa_pointers(0, PAGE_BYTES));
    }
}
