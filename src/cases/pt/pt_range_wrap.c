/* SPDX-License-Identifier: BSD-2-Clause */
/* Output to a single range: a whole number of packets in a short trace, and a
 * ring in a long one, of which no byte lies outside. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/trace.h"

/* Of trace: more than the range, less than two of it. */
#define TURNS_SHORT 64
#define TURNS_LONG  1536
#define RANGE_BYTES 4096u

static bool trace_to_range(struct trace *p, unsigned turns)
{
    return trace_arm_output(p, output_control(test_cpu(p->t), false),
                            trace_at(p->memory) + RANGE_BYTES,
                            output_range_pointers(RANGE_BYTES, 0)) &&
           trace_start(p) && trace_jumps(turns) && trace_stop(p);
}

static void check_inside(struct trace *p, const char *what)
{
    size_t before = trace_guarded(p, 0, RANGE_BYTES),
           after = trace_guarded(p, 2 * RANGE_BYTES, TRACE_BYTES);

    check(p->t, before + after == TRACE_BYTES - RANGE_BYTES,
          "%s: %lu bytes were written outside of the range", what,
          TRACE_BYTES - RANGE_BYTES - before - after);
    check(p->t,
          (p->status & (IA32_RTIT_STATUS_Error | IA32_RTIT_STATUS_Stopped)) ==
              0,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [4] (Error) and [5] "
          "(Stopped) = 0",
          what, p->status);
    check(p->t, output_offset(p->stopped_pointers) < RANGE_BYTES,
          "%s: IA32_RTIT_OUTPUT_MASK_PTRS (561H) = 0x%lx: got OutputOffset "
          "%u, wanted below 4096",
          what, p->stopped_pointers, output_offset(p->stopped_pointers));
}

TEST(pt_range_wrap,
     .asks = "Does output to a single range wrap, and stay inside?",
     .cite = "SDM 3C, Intel Processor Trace, \"Single Range Output\", table "
             "\"IA32_RTIT_OUTPUT_MASK_PTRS MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_RANGE})
{
    struct trace p;
    struct transitions seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    uint8_t *range = p.memory + RANGE_BYTES;

    /* Measured, and checked: a short one. */
    if (!trace_to_range(&p, TURNS_SHORT))
        return;
    check_inside(&p, "short trace");
    uint32_t size = output_offset(p.stopped_pointers) % RANGE_BYTES;
    transitions_read(range, size, &seen);
    check(t, seen.end == PT_END && seen.packets[PT_TIP] >= TURNS_SHORT,
          "short trace: %s at byte %lu of %u; %u TIP, wanted %u or more",
          pt_result_text(seen.end), seen.end_at, size, seen.packets[PT_TIP],
          TURNS_SHORT);

    unsigned jumps = seen.packets[PT_TIP];

    /* One that wraps: unrolled, with the oldest byte first. */
    if (!trace_to_range(&p, TURNS_LONG))
        return;
    check_inside(&p, "long trace");
    size = output_offset(p.stopped_pointers) % RANGE_BYTES;
    check(t, trace_guarded(&p, RANGE_BYTES, 2 * RANGE_BYTES) < 64,
          "long trace: %lu bytes of the range were not written; wanted all",
          trace_guarded(&p, RANGE_BYTES, 2 * RANGE_BYTES));
    memmove(p.memory, range, RANGE_BYTES); /* after it, the newer part */
    memmove(range, p.memory, size);
    transitions_read(p.memory + size, RANGE_BYTES, &seen);
    uint32_t period = output_psb_bytes(test_cpu(t));
    check(t,
          period == 0 || period > RANGE_BYTES / 2 ||
              (seen.packets[PT_PSB] != 0 && seen.packets[PT_TIP] != 0),
          "long trace: got %u PSB and %u TIP in the range, wanted some of both",
          seen.packets[PT_PSB], seen.packets[PT_TIP]);
    /* WRMSR that clears TraceEn makes the last packet. */
    check(t, seen.packets[PT_TIP_PGD] != 0,
          "long trace: got no TIP.PGD, wanted the newest packet to be in the "
          "range");
    note(t, "short trace: %u TIP; long trace ends at offset %u", jumps, size);
}
