/* SPDX-License-Identifier: BSD-2-Clause */
/* Output by ToPA: region after region, STOP, and INT. */
#include "src/base/msr.h"
#include "src/trace/trace.h"

/* More than one region of 4 KB, less than two. */
#define TURNS 1536

/* Traces the jumps into so many regions; the last has these flags. */
static bool trace_to_topa(struct trace *p, unsigned regions, uint64_t flags)
{
    const uint64_t table = trace_at(p->table);

    output_topa_table(p->table, table, trace_at(p->memory), regions, 0, flags);
    return set_msr(p->t, IA32_PERF_GLOBAL_OVF_CTRL,
                   IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI) &&
           trace_arm_output(p, p->control, table, output_topa_pointers(0, 0)) &&
           trace_start(p) && trace_jumps(TURNS) && trace_stop(p);
}

static void check_untouched(struct trace *p, const char *what, size_t end)
{
    size_t left = trace_guarded(p, end, TRACE_BYTES);

    check(p->t, left == TRACE_BYTES - end,
          "%s: %lu bytes were written after the last region's %lu", what,
          TRACE_BYTES - end - left, end);
}

static void check_stopped(struct trace *p, const char *what, bool want)
{
    const uint64_t mask = IA32_RTIT_STATUS_Error | IA32_RTIT_STATUS_Stopped;
    const uint64_t bits = want ? IA32_RTIT_STATUS_Stopped : 0;

    check(p->t, (p->status & mask) == bits,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [4] (Error) = 0, [5] "
          "(Stopped) = %u",
          what, p->status, want);
}

/* Regions lie one after the other, so that what is written does too. */
static void check_in_order(struct trace *p)
{
    struct transitions seen;

    if (!trace_to_topa(p, 4, 0))
        return;
    unsigned entry = output_entry(p->stopped_pointers);
    uint32_t offset = output_offset(p->stopped_pointers);
    check(p->t, entry >= 1 && entry < 4 && offset < TOPA_REGION_BYTES,
          "four regions: IA32_RTIT_OUTPUT_MASK_PTRS (561H) = 0x%lx: got entry "
          "%u, offset %u; wanted 1 to 3, below 4096",
          p->stopped_pointers, entry, offset);
    size_t size = (size_t)(entry & 3) * TOPA_REGION_BYTES + offset;
    transitions_read(p->memory, size, &seen);
    check(p->t, seen.end == PT_END && seen.packets[PT_TIP] >= TURNS,
          "four regions, read as one: %s at byte %lu of %lu; %u TIP, wanted %u "
          "or more",
          pt_result_text(seen.end), seen.end_at, size, seen.packets[PT_TIP],
          TURNS);
    check_untouched(p, "four regions", size);
    check_stopped(p, "four regions", false);
    note(p->t, "four regions: %lu bytes, %u PSBs", size, seen.packets[PT_PSB]);
}

static void check_stop(struct trace *p)
{
    if (!trace_to_topa(p, 1, TOPA_STOP))
        return;
    check_stopped(p, "STOP", true);
    check_untouched(p, "STOP", TOPA_REGION_BYTES);
    check(p->t,
          trace_guarded(p, TOPA_REGION_BYTES - 64, TOPA_REGION_BYTES) < 64,
          "STOP: the last 64 bytes of the region were not written");
}

static void check_interrupt(struct trace *p, uint64_t flags, const char *what)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI;
    uint64_t status;

    if (!trace_to_topa(p, 1, flags) ||
        !get_msr(p->t, IA32_PERF_GLOBAL_STATUS, &status) ||
        !set_msr(p->t, IA32_PERF_GLOBAL_OVF_CTRL, bit))
        return;
    check(p->t, (status & bit) == (flags != 0 ? bit : 0),
          "%s: IA32_PERF_GLOBAL_STATUS (38EH) = 0x%lx: wanted [55] "
          "(Trace_ToPA_PMI) = %u",
          what, status, flags != 0);
    check_stopped(p, what, false);
    check_untouched(p, what, TOPA_REGION_BYTES);
}

TEST(pt_topa_output,
     .asks = "Does ToPA output go from region to region, and do STOP and INT "
             "what they say?",
     .cite = "SDM 3C, Intel Processor Trace, \"Table of Physical Addresses "
             "(ToPA)\", \"ToPA STOP\", \"ToPA PMI\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA | NEED_PMU})
{
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    if ((test_cpu(t)->leaf14_ecx & LEAF14_TOPA_MANY) != 0)
        check_in_order(&p);
    check_stop(&p);
    check_interrupt(&p, 0, "one circular region");
    check_interrupt(&p, TOPA_INT, "INT");
}
