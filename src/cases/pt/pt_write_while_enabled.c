/* SPDX-License-Identifier: BSD-2-Clause */
/* While a trace runs, its MSRs cannot be written. */
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/trace/trace.h"

TEST(pt_write_while_enabled,
     .asks = "Do writes of the trace's MSRs raise #GP while TraceEn is 1?",
     .cite = "SDM 3C, Intel Processor Trace, \"Intel Processor Trace MSRs\", "
             "\"IA32_RTIT_CTL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    int vectors[3], same;
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t) || !trace_arm(&p))
        return;
    const struct {
        uint32_t msr;
        uint64_t value;
    } rows[3] = {{IA32_RTIT_OUTPUT_BASE, p.base},
                 {IA32_RTIT_OUTPUT_MASK_PTRS, p.pointers},
                 {IA32_RTIT_STATUS, 0}};

    /* Measured. */
    if (!trace_start(&p))
        return;
    for (unsigned i = 0; i < 3; i++)
        vectors[i] = try_set_msr(t, rows[i].msr, rows[i].value);
    same = try_set_msr(t, IA32_RTIT_CTL, p.armed | IA32_RTIT_CTL_TraceEn);
    if (!trace_stop(&p))
        return;

    /* Check. */
    for (unsigned i = 0; i < 3; i++) {
        char name[MSR_NAME_BYTES];
        check(t, vectors[i] == HW_GP,
              "%s: WRMSR while TraceEn is 1: got %s, wanted #GP",
              msr_name(rows[i].msr, name), fault_name(vectors[i]));
    }
    check(
        t, same == HW_NO_FAULT,
        "IA32_RTIT_CTL (570H): WRMSR of the same value while TraceEn is 1: got "
        "%s, wanted no fault",
        fault_name(same));
    check_equal(t, "IA32_RTIT_OUTPUT_BASE (560H) afterwards", p.stopped_base,
                p.base);
}
