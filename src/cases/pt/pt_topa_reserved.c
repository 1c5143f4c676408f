/* SPDX-License-Identifier: BSD-2-Clause */
/* A ToPA entry that is not well formed is an operational error, not a fault,
 * where it is reached. */
#include "src/base/msr.h"
#include "src/trace/trace.h"

#define TURNS 64
#define FROM  (TOPA_REGION_BYTES - 64) /* in the region before */

static void check_entry(struct trace *p, const char *what, unsigned bit)
{
    char name[64];

    text_format(name, sizeof(name), "%s %u", what, bit);
    trace_check_refused(p, name, p->control, trace_at(p->table),
                        output_topa_pointers(0, 0));
}

/* The first entry. */
static void check_first(struct trace *p)
{
    static const unsigned reserved[] = TOPA_RESERVED_BITS;
    const unsigned physical = test_cpu(p->t)->physical_bits;
    const uint64_t memory = trace_at(p->memory), table = trace_at(p->table);

    for (unsigned i = 0; i < TOPA_RESERVED_COUNT; i++) {
        output_topa_table(p->table, table, memory, 1, 0,
                          UINT64_C(1) << reserved[i]);
        check_entry(p, "ToPA entry with reserved bit", reserved[i]);
    }
    for (unsigned bit = physical; bit < 64; bit++) {
        output_topa_table(p->table, table, memory, 1, 0, BIT(bit));
        check_entry(p, "ToPA entry with an address beyond MAXPHYADDR: bit",
                    bit);
    }
    for (unsigned size = 1; size <= 3; size++) {
        output_topa_table(p->table, table, memory, 1, size, 0);
        p->table[0] |= TOPA_REGION_BYTES << (size - 1);
        check_entry(p, "ToPA region not at a multiple of its size: base bit",
                    11 + size);
    }
    p->table[0] = output_topa_entry(table, 0, TOPA_END);
    check_entry(p, "END in ToPA entry", 0);
    /* To a table that has nothing wrong. */
    const uint64_t next = table + TOPA_REGION_BYTES;
    p->table[0] = output_topa_entry(next, 0, TOPA_END);
    output_topa_table(p->table + TOPA_REGION_BYTES / sizeof(*p->table), next,
                      memory, 1, 0, 0);
    check_entry(p, "END, which leads to another table, in ToPA entry", 0);
}

/* The second entry, reached when a region is full: no byte after that, and
 * perhaps some less. */
static void check_second(struct trace *p, const char *what, uint64_t entry)
{
    const uint64_t table = trace_at(p->table);

    output_topa_table(p->table, table, trace_at(p->memory), 1, 0, 0);
    p->table[1] = entry;
    p->table[2] = output_topa_entry(table, 0, TOPA_END);
    if (!trace_arm_output(p, p->control, table,
                          output_topa_pointers(0, FROM)) ||
        !trace_start(p) || !trace_jumps(TURNS) || !trace_stop(p))
        return;
    check(p->t,
          (p->status & (IA32_RTIT_STATUS_Error | IA32_RTIT_STATUS_Stopped |
                        IA32_RTIT_STATUS_TriggerEn)) == IA32_RTIT_STATUS_Error,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [4] (Error) = 1, [5] "
          "(Stopped) = 0, [2] (TriggerEn) = 0",
          what, p->status);
    check(p->t,
          trace_guarded(p, 0, FROM) == FROM &&
              trace_guarded(p, TOPA_REGION_BYTES, TRACE_BYTES) ==
                  TRACE_BYTES - TOPA_REGION_BYTES,
          "%s: memory outside of the first region was written", what);
}

TEST(pt_topa_reserved,
     .asks = "Is a malformed ToPA entry an operational error?",
     .cite = "SDM 3C, Intel Processor Trace, \"ToPA Errors\", table \"ToPA "
             "Table Entry Fields\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA})
{
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    p.may_stop = true;
    const uint64_t table = trace_at(p.table),
                   next = trace_at(p.memory) + TOPA_REGION_BYTES;

    /* Measured and checked. */
    check_first(&p);
    check_second(&p, "END with STOP", table | TOPA_END | TOPA_STOP);
    check_second(&p, "END with INT", table | TOPA_END | TOPA_INT);
    check_second(&p, "END with reserved bit 1", table | TOPA_END | BIT(1));
    check_second(&p, "entry with reserved bit 5", next | BIT(5));
    check_second(&p, "region of 8 KB at 4 KB", next | 1 << 6);
    if ((test_cpu(t)->leaf14_ecx & LEAF14_TOPA_MANY) != 0)
        return;
    check_second(&p, "a second region, where CPUID.14H.0:ECX[1] = 0", next);
    /* One that has nothing wrong. */
    const uint64_t other = table + TOPA_REGION_BYTES;
    output_topa_table(p.table + TOPA_REGION_BYTES / sizeof(*p.table), other,
                      next, 1, 0, 0);
    check_second(&p, "END to another table, where CPUID.14H.0:ECX[1] = 0",
                 other | TOPA_END);
}
