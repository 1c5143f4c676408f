/* SPDX-License-Identifier: BSD-2-Clause */
/* A branch into a TraceStop range ends the trace: TIP.PGD, TraceStop, Stopped.
 * Never inside of a transaction: erratum SKL043. */
#include "src/base/msr.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"

#define STEPS 6

/* "TIP.PGD Packet Definition" leaves the address out where Stopped is set,
 * "TraceStop" and the table of packets have it there: either is accepted. */
static void check_stop(struct trace *p, const char *what, uint64_t target)
{
    const uint64_t body = trace_at(trace_body_stop);
    const struct path_step steps[STEPS] = {
        {PATH_PGE, trace_at(trace_window_on_next)},
        {PATH_TIP, body},
        {PATH_RET, body + trace_body_stop_at[0]},
        {PATH_RET, body + trace_body_stop_at[1]},
        {PATH_PGD_MAY, target},
        {PATH_TRACESTOP, 0}};
    const struct path_list list = {steps, STEPS};
    const uint64_t bits = IA32_RTIT_STATUS_TriggerEn | IA32_RTIT_STATUS_Error |
                          IA32_RTIT_STATUS_Stopped;
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_stop, NULL);
    w.path = (struct path){.step = path_list_step, .source = &list};
    w.code.argument = target;
    if (!window_check(p, what, &w, &seen))
        return;
    check(p->t, (p->status & bits) == IA32_RTIT_STATUS_Stopped,
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [5] (Stopped) = 1, [4] "
          "(Error) = 0, [2] (TriggerEn) = 0",
          what, p->status);
}

TEST(pt_trace_stop,
     .asks = "Does a branch into a TraceStop range end the trace?",
     .cite = "SDM 3C, Intel Processor Trace, \"TraceStop\", \"TraceStop "
             "Packet Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    const unsigned ranges = registers_ranges(test_cpu(t));
    struct trace p;

    /* Set-up. */
    if (ranges == 0) {
        skip(t, "needs TraceStop ranges (CPUID.14H.0:EBX[2]); there are none");
        return;
    }
    if (!trace_claim(&p, t))
        return;
    p.may_stop = true;
    const uint64_t control = p.control;

    for (unsigned n = 0; n < ranges; n++) {
        /* Measured and checked. */
        p.control = control | IA32_RTIT_CTL_ADDR_CFG(n, IA32_RTIT_ADDR_STOP);
        if (!set_msr(t, IA32_RTIT_ADDR_A(n), trace_at(trace_range_first)) ||
            !set_msr(t, IA32_RTIT_ADDR_B(n), trace_at(trace_range_last)))
            return;
        check_stop(&p, "TraceStop at the first byte of the range",
                   trace_at(trace_range_first));
        check_stop(&p, "TraceStop at the last byte of the range",
                   trace_at(trace_range_last));
    }
}
