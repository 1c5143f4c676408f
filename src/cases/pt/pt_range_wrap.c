/* SPDX-License-Identifier: BSD-2-Clause */
/* Output to a single range: each packet is there, from any start on and over
 * the wrap, no byte lies outside, and the pointer ends after the last, at the
 * beginning where that is the range's last. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/window.h"

#define TURNS       16 /* less than 1 KB of trace */
#define END_TRIES   24
#define END_SIZE    1024u
#define ROUND_TURNS 64   /* more than ROUND_SIZE */
#define ROUND_SIZE  512u /* ranges up to this are overwritten */

_Static_assert(TURNS *WINDOW_TURN_BYTES_MAX < 1024 - 128, "one round");
_Static_assert(ROUND_TURNS *WINDOW_TURN_BYTES > ROUND_SIZE, "all of it");

static const struct {
    uint32_t bytes, start;
} rows[] = {{1024, 64},         {1024, 1023},        {2048, 2048 - 101},
            {2048, 2048 - 102}, {4096, 4096 - 103},  {4096, 0},
            {8192, 4090},       {16384, 16384 - 105}};

/* The range lies at its own size, and is a circle. */
static bool check_wrap(struct trace *p, uint32_t bytes, uint32_t start,
                       unsigned turns)
{
    const uint64_t base = trace_at(p->memory) + bytes;
    const uint32_t low = (uint32_t)output_range_pointers(bytes, 0);
    const struct parts parts = {.control =
                                    output_control(test_cpu(p->t), false),
                                .count = start != 0 ? 2 : 1,
                                .part = {{base, low, bytes, start, bytes},
                                         {base, low, bytes, 0, start}}};
    char what[80];
    struct window w;
    struct path_seen seen;

    text_format(what, sizeof(what), "range of %u bytes, from %u on", bytes,
                start);
    if (turns != 0)
        window_set_loop(&w, p->t, turns);
    else
        window_set(&w, trace_body_nothing, trace_body_nothing_path);
    return window_check_parts(p, what, &w, &parts, &seen);
}

/* Short traces that are to end with the last byte, until one does: they may
 * differ in length. */
static void check_end(struct trace *p)
{
    uint32_t start = 0;

    for (unsigned n = 0; n < END_TRIES; n++) {
        if (!check_wrap(p, END_SIZE, start, 0))
            return;
        const uint32_t end = output_offset(p->stopped_pointers);
        if (end == 0)
            return;
        start = (start - end) & (END_SIZE - 1);
    }
    note(p->t,
         "not tested: a trace that ends with the range's last byte: "
         "none of %u did",
         END_TRIES);
}

/* A small one, gone through again and again. */
static void check_rounds(struct trace *p, uint32_t bytes)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI;
    struct window w;
    uint64_t status;

    window_set_loop(&w, p->t, ROUND_TURNS);
    if (!set_msr(p->t, IA32_PERF_GLOBAL_OVF_CTRL, bit) ||
        !trace_arm_output(p, output_control(test_cpu(p->t), false),
                          trace_at(p->memory) + bytes,
                          output_range_pointers(bytes, 0)))
        return;
    w.code.control = p->armed | IA32_RTIT_CTL_TraceEn;
    int vector = trace_window(&w.code);
    if (!trace_stop(p) || !get_msr(p->t, IA32_PERF_GLOBAL_STATUS, &status))
        return;
    check(p->t, (status & bit) == 0,
          "range of %u bytes, many times: IA32_PERF_GLOBAL_STATUS (38EH) = "
          "0x%lx; wanted [55] (Trace_ToPA_PMI) = 0 without ToPA",
          bytes, status);
    const size_t outside =
        trace_guarded(p, 0, bytes) + trace_guarded(p, 2 * bytes, TRACE_BYTES);
    check(p->t, vector == HW_NO_FAULT && outside == TRACE_BYTES - bytes,
          "range of %u bytes, many times: %lu bytes were written outside of it",
          bytes, TRACE_BYTES - bytes - outside);
    check(p->t, trace_untouched(p, bytes, 2 * bytes) < bytes / 4,
          "range of %u bytes, many times: %lu bytes of it were not written",
          bytes, trace_untouched(p, bytes, 2 * bytes));
    check(p->t,
          output_offset(p->stopped_pointers) < bytes &&
              (uint32_t)p->stopped_pointers == bytes - 1,
          "range of %u bytes, many times: IA32_RTIT_OUTPUT_MASK_PTRS (561H) = "
          "0x%lx; wanted an OutputOffset below, and the mask as it was",
          bytes, p->stopped_pointers);
}

TEST(pt_range_wrap,
     .asks = "Does output to a single range wrap, and stay inside?",
     .cite = "SDM 3C, Intel Processor Trace, \"Single Range Output\", table "
             "\"IA32_RTIT_OUTPUT_MASK_PTRS MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_RANGE | NEED_PMU})
{
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (output_range_is_reliable(test_cpu(t), rows[i].bytes))
            check_wrap(&p, rows[i].bytes, rows[i].start, TURNS);
    check_end(&p);
    for (uint32_t bytes = 128; bytes <= ROUND_SIZE; bytes *= 2)
        check_rounds(&p, bytes);
}
