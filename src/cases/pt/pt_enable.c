/* SPDX-License-Identifier: BSD-2-Clause */
/* What the WRMSRs that set and clear TraceEn leave: PSB+, MODE.Exec and TIP.PGE
 * after the first, FUP and TIP.PGD at the second; and nothing where Stopped or
 * Error is set. */
#include "src/base/msr.h"
#include "src/trace/window.h"

#define AGAIN 3 /* times in one trace */

/* The usual: IA32_RTIT_STATUS is 0, so that a PSB comes. */
static void check_start(struct trace *p, const struct path_seen *seen)
{
    const struct path_psb *psb = &seen->psb[0];

    check(p->t, seen->psbs != 0,
          "first window: got no PSB, wanted one, since PacketByteCnt was 0");
    check_known(p->t, seen->packets[PT_CBR] != 0, ERRATUM_PT_LATE_MODE, true,
                "first window: got no CBR, wanted one after TraceEn is set");
    if (seen->psbs == 0)
        return;
    check(p->t, psb->packets[PT_MODE_TSX] == 0 || psb->mode_tsx == 0,
          "first PSB+: MODE.TSX = 0x%x outside of a transaction; wanted 0",
          psb->mode_tsx);
    check_known(p->t,
                psb->packets[PT_FUP] == 0 ||
                    psb->ip == trace_at(trace_window_on_next),
                ERRATUM_PT_PSB_UNEXPECTED, true,
                "first PSB+: FUP 0x%lx; wanted 0x%lx, after WRMSR", psb->ip,
                trace_at(trace_window_on_next));
}

static void check_registers(struct trace *p)
{
    const uint64_t bits = IA32_RTIT_STATUS_TriggerEn | IA32_RTIT_STATUS_Error |
                          IA32_RTIT_STATUS_Stopped;
    uint64_t control;

    check(p->t, (p->status & bits) == 0,
          "after TraceEn is cleared: IA32_RTIT_STATUS (571H) = 0x%lx: wanted "
          "[2] (TriggerEn), [4] (Error) and [5] (Stopped) = 0",
          p->status);
    if (get_msr(p->t, IA32_RTIT_CTL, &control))
        check_msr_is(p->t, IA32_RTIT_CTL, control, p->armed,
                     " after TraceEn is cleared");
    check_equal(p->t, "IA32_RTIT_OUTPUT_BASE (560H) afterwards",
                p->stopped_base, p->base);
}

/* The output goes on where it was. */
static void check_again(struct trace *p, struct window *w)
{
    const bool configurable =
        (test_cpu(p->t)->leaf14_ebx & LEAF14_PSB_FREQ) != 0;
    struct path_seen seen;

    w->times = AGAIN;
    if (!window_check(p, "three windows in one trace", w, &seen))
        return;
    check_known(
        p->t, seen.packets[PT_CBR] >= AGAIN, ERRATUM_PT_LATE_MODE, true,
        "three windows: got %u CBR, wanted one each time TraceEn is set",
        seen.packets[PT_CBR]);
    check(p->t, configurable || seen.psbs == AGAIN,
          "three windows: got %u PSBs, wanted one each time TraceEn is set, "
          "since CPUID.14H.0:EBX[1] = 0",
          seen.psbs);
    note(p->t, "three windows in one trace: %u PSBs, %u MODE.Exec, %lu bytes",
         seen.psbs, seen.packets[PT_MODE_EXEC], trace_bytes(p));
}

/* A TSC each time, without a PSB too (rows 2b to 2e). */
static void check_tsc(struct trace *p, struct window *w)
{
    const uint64_t control = p->control;
    struct path_seen seen;

    w->path.timing = PATH_TIMING_TSC;
    p->control |= IA32_RTIT_CTL_TSCEn;
    if (window_check(p, "three windows in one trace, TSCEn = 1", w, &seen))
        check(p->t, seen.packets[PT_TSC] >= AGAIN,
              "three windows, TSCEn = 1: got %u TSC, wanted one each time "
              "TraceEn is set",
              seen.packets[PT_TSC]);
    p->control = control;
}

/* All three while it is traced. */
static void check_status(struct trace *p)
{
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_status, trace_body_status_path);
    if (window_check(p, "readings of IA32_RTIT_STATUS", &w, &seen))
        window_check_status(p, "tracing", w.code.cells[0],
                            IA32_RTIT_STATUS_ENABLES | IA32_RTIT_STATUS_Error |
                                IA32_RTIT_STATUS_Stopped,
                            IA32_RTIT_STATUS_ENABLES);
}

/* The same value again is no beginning: no packet. A PSB "may be sent for other
 * micro-architectural conditions as well", but not each time. */
static void check_rewrite(struct trace *p)
{
    struct window w;
    struct path_seen seen = {.psbs = 0};

    window_set(&w, trace_body_rewrite, trace_body_rewrite_path);
    for (unsigned i = 0; i < AGAIN && seen.psbs != 1; i++)
        if (!window_check(p, "IA32_RTIT_CTL written with what it holds", &w,
                          &seen))
            return;
    check(p->t, seen.psbs == 1,
          "IA32_RTIT_CTL (570H) written with what it holds, TraceEn = 1: got "
          "%u PSBs in each of %u traces, wanted the one of the beginning",
          seen.psbs, AGAIN);
}

/* Not at all where TriggerEn cannot be set. */
static void check_untriggered(struct trace *p, struct window *w, uint64_t bit,
                              const char *name)
{
    if (!trace_arm(p) || !set_msr(p->t, IA32_RTIT_STATUS, bit))
        return;
    w->code.control = p->armed | IA32_RTIT_CTL_TraceEn;
    int vector = trace_window(&w->code);
    if (!trace_stop(p))
        return;
    check(p->t, vector == HW_NO_FAULT,
          "%s = 1: WRMSR to IA32_RTIT_CTL (570H) that sets TraceEn raised "
          "vector %d; wanted no fault",
          name, vector);
    check(p->t, trace_guarded(p, 0, TRACE_BYTES) == TRACE_BYTES,
          "%s = 1: %lu bytes of trace were written; wanted none", name,
          TRACE_BYTES - trace_guarded(p, 0, TRACE_BYTES));
    check(p->t, (w->code.cells[1] & IA32_RTIT_CTL_TraceEn) != 0,
          "%s = 1: IA32_RTIT_CTL (570H) = 0x%lx after TraceEn is set; wanted "
          "[0] (TraceEn) = 1",
          name, w->code.cells[1]);
    check(p->t, (p->status & ~IA32_RTIT_STATUS_ENABLES) == bit,
          "%s = 1: IA32_RTIT_STATUS (571H) = 0x%lx afterwards; wanted 0x%lx",
          name, p->status, bit);
    check_equal(p->t, "IA32_RTIT_OUTPUT_MASK_PTRS (561H) afterwards",
                p->stopped_pointers, p->pointers);
}

TEST(pt_enable,
     .asks = "Does a trace say where it begins and ends, and how the processor "
             "was?",
     .cite = "SDM 3C, Intel Processor Trace, \"Enabling and Disabling Packet "
             "Generation with TraceEn\", table \"Packet Generation under "
             "Different Enable Conditions\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    window_set(&w, trace_body_nothing, trace_body_nothing_path);

    /* Measured and checked. */
    if (window_check(&p, "a jump", &w, &seen))
        check_start(&p, &seen);
    check_registers(&p);
    check_status(&p);
    check_again(&p, &w);
    check_tsc(&p, &w);
    check_rewrite(&p);
    window_set(&w, trace_body_status, trace_body_status_path);
    check_untriggered(&p, &w, IA32_RTIT_STATUS_Stopped,
                      "IA32_RTIT_STATUS (571H)[5] (Stopped)");
    check_untriggered(&p, &w, IA32_RTIT_STATUS_Error,
                      "IA32_RTIT_STATUS (571H)[4] (Error)");
}
