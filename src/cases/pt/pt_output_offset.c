/* SPDX-License-Identifier: BSD-2-Clause */
/* An OutputOffset past the end of the output, a mask with a hole, a base that
 * the mask overlaps: an operational error, not a fault, and nothing is written.
 */
#include "src/base/msr.h"
#include "src/trace/trace.h"

#define PAGE_BYTES 4096u

static void check_range(struct trace *p)
{
    const uint64_t control = output_control(test_cpu(p->t), false),
                   memory = trace_at(p->memory),
                   page = output_range_pointers(PAGE_BYTES, 0);

    trace_check_refused(p, "single range, offset greater than the mask",
                        control, memory,
                        output_range_pointers(PAGE_BYTES, PAGE_BYTES));
    trace_check_refused(p, "single range, offset of 2 GB", control, memory,
                        output_range_pointers(PAGE_BYTES, UINT32_C(1) << 31));
    trace_check_refused(p, "single range, mask without bit 8", control, memory,
                        page & ~BIT(8));
    trace_check_refused(p, "single range, mask without bit 7", control, memory,
                        page & ~BIT(7));
    trace_check_refused(p, "single range of 4 KB, base at 2 KB", control,
                        memory + PAGE_BYTES / 2, page);
    trace_check_refused(p, "single range of 4 KB, base at 128 bytes", control,
                        memory + 128, page);
}

static void check_topa(struct trace *p)
{
    const uint64_t control = output_control(test_cpu(p->t), true),
                   memory = trace_at(p->memory), table = trace_at(p->table);

    output_topa_table(p->table, table, memory, 1, 0, 0);
    trace_check_refused(p, "ToPA, offset of the region's size", control, table,
                        output_topa_pointers(0, PAGE_BYTES));
    trace_check_refused(p, "ToPA, offset of 2 GB", control, table,
                        output_topa_pointers(0, UINT32_C(1) << 31));
    /* The same entries 128 bytes on, so that nothing else is wrong. */
    output_topa_table(p->table + 16, table + 128, memory, 1, 0, 0);
    trace_check_refused(p, "ToPA, table at 128 bytes of a page", control,
                        table + 128, output_topa_pointers(0, 0));
}

TEST(pt_output_offset,
     .asks =
         "Are offsets past the output, and masks and bases that do not fit, "
         "operational errors?",
     .cite = "SDM 3C, Intel Processor Trace, \"Single-Range Output Errors\", "
             "tables \"IA32_RTIT_OUTPUT_MASK_PTRS MSR\", \"IA32_RTIT_STATUS "
             "MSR\"; \"ToPA Errors\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    const struct identity *id = test_cpu(t);
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    if ((id->leaf14_ecx & LEAF14_RANGE) != 0)
        check_range(&p);
    if ((id->leaf14_ecx & LEAF14_TOPA) != 0)
        check_topa(&p);
}
