/* SPDX-License-Identifier: BSD-2-Clause */
/* A ToPA entry that is not well formed is an operational error, not a fault. */
#include "src/base/msr.h"
#include "src/trace/trace.h"

#define TURNS 64

static void check_entry(struct trace *p, const char *what, unsigned bit)
{
    struct test_context *t = p->t;

    /* Measured. */
    if (!trace_arm_output(p, p->control, trace_at(p->table),
                          output_topa_pointers(0, 0)))
        return;
    int vector =
        try_set_msr(t, IA32_RTIT_CTL, p->control | IA32_RTIT_CTL_TraceEn);
    (void)trace_jumps(TURNS);
    if (!trace_stop(p))
        return;

    /* Check. */
    check(t, vector == HW_NO_FAULT,
          "%s %u: WRMSR to IA32_RTIT_CTL (570H) raised vector %d; wanted no "
          "fault",
          what, bit, vector);
    check(t, (p->status & IA32_RTIT_STATUS_Error) != 0,
          "%s %u: IA32_RTIT_STATUS (571H) = 0x%lx: got [4] (Error) = 0, wanted "
          "1",
          what, bit, (unsigned long)p->status);
    check(t, trace_guarded(p, 0, TRACE_BYTES) == TRACE_BYTES,
          "%s %u: %lu bytes were written; wanted none", what, bit,
          (unsigned long)(TRACE_BYTES - trace_guarded(p, 0, TRACE_BYTES)));
}

TEST(pt_topa_reserved,
     .asks = "Is a malformed ToPA entry an operational error?",
     .cite = "SDM 3C, Intel Processor Trace, \"ToPA Errors\", table \"ToPA "
             "Table Entry Fields\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA})
{
    static const unsigned reserved[] = TOPA_RESERVED_BITS;
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    uint64_t memory = trace_at(p.memory), table = trace_at(p.table);

    for (unsigned i = 0; i < TOPA_RESERVED_COUNT; i++) {
        output_topa_table(p.table, table, memory, 1, 0,
                          UINT64_C(1) << reserved[i]);
        check_entry(&p, "ToPA entry with reserved bit", reserved[i]);
    }
    output_topa_table(p.table, table, memory + TOPA_REGION_BYTES, 1, 1, 0);
    check_entry(&p, "ToPA region of 8 KB at 4 KB: base bit", 12);
    p.table[0] = output_topa_entry(table, 0, TOPA_END);
    check_entry(&p, "END in ToPA entry", 0);
    note(t,
         "%u reserved bits, a base that is not aligned, END in entry 0: the "
         "last leaves IA32_RTIT_STATUS (571H) = 0x%lx",
         TOPA_RESERVED_COUNT, (unsigned long)p.status);
}
