/* SPDX-License-Identifier: BSD-2-Clause */
/* A ToPA entry that is not well formed is an operational error, not a fault. */
#include "src/trace/trace.h"

static void check_entry(struct trace *p, const char *what, unsigned bit)
{
    char name[64];

    text_format(name, sizeof(name), "%s %u", what, bit);
    trace_check_refused(p, name, p->control, trace_at(p->table),
                        output_topa_pointers(0, 0));
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
         TOPA_RESERVED_COUNT, p.status);
}
