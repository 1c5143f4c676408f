/* SPDX-License-Identifier: BSD-2-Clause */
/* An OutputOffset past the end of the output is an operational error, not a
 * fault, and nothing is written. */
#include "src/trace/trace.h"

#define PAGE_BYTES 4096u

static void check_offset(struct trace *p, const char *what, uint64_t control,
                         uint64_t base, uint64_t pointers)
{
    if (!trace_check_refused(p, what, control, base, pointers))
        return;
    note(p->t, "%s: IA32_RTIT_STATUS (571H) = 0x%lx", what, p->status);
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
