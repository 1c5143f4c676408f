/* SPDX-License-Identifier: BSD-2-Clause */
/* Exceptions, software interrupts and a debug trap, through gates of our own: a
 * FUP where it was, a TIP to the handler, and a TIP where IRET returns to. */
#include "src/base/msr.h"
#include "src/trace/gate.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"

/* The same under a filter without the handlers: TIP.PGD to a handler in place
 * of the TIP, TIP.PGE back, and at both ends by the jumps to the body and from
 * it (rows 11d, 12d, 13d, 10b). */
static bool filtered_step(const void *source, uint64_t index,
                          struct path_step *step)
{
    const struct path *path = source;

    if (!path->step(path->source, index, step)) {
        const bool last = path->step(path->source, index - 1, step);
        *step = (struct path_step){PATH_PGD_DIRECT, trace_at(trace_window_off)};
        return last;
    }
    if (step->kind != PATH_TIP)
        return true;
    step->kind = step->value == trace_at(trace_handler) ||
                         step->value == trace_at(trace_handler_error) ||
                         step->value == trace_at(trace_handler_trap)
                     ? PATH_PGD
                     : PATH_PGE;
    return true;
}

static void check_filtered(struct trace *p, uint8_t *gates)
{
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_events, trace_body_events_path);
    w.gates = gates;
    w.bare = true;
    const struct path all = w.path;
    w.path.step = filtered_step;
    w.path.source = &all;
    p->control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    if (set_msr(p->t, IA32_RTIT_ADDR_A(0), trace_at(trace_body_events)) &&
        set_msr(p->t, IA32_RTIT_ADDR_B(0), trace_at(trace_body_events_end) - 1))
        window_check(p, "the same, handlers outside of a filter", &w, &seen);
}

TEST(pt_events,
     .asks = "Does a trace say where exceptions and interrupts came from and "
             "went?",
     .cite = "SDM 3C, Intel Processor Trace, table \"FUP Cases and IP "
             "Payload\"; \"Packet Generation under Different Enable "
             "Conditions\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    uint8_t *bytes = (uint8_t *)test_records(t) + TRACE_GATES_BYTES;
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    trace_gates(bytes);
    gates_set_events(bytes);
    window_set(&w, trace_body_events, trace_body_events_path);
    w.gates = bytes;

    /* Measured and checked. */
    window_check(&p, "#UD, #DE, #GP, #BP, INT 81H, #DB", &w, &seen);
    if (registers_ranges(test_cpu(t)) != 0)
        check_filtered(&p, bytes);
}
