/* SPDX-License-Identifier: BSD-2-Clause */
/* A branch into a TraceStop range ends the trace: TIP.PGD, TraceStop, Stopped.
 * Inside of a transaction never, and by its abort not where erratum SKL043 is
 * known, or of the same core. */
#include "src/base/msr.h"
#include "src/counting/ring3.h"
#include "src/trace/gate.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"
#include "src/tsx/probe.h"

#define STEPS      6
#define JUMPS      4
#define WRITES     4
#define READS      100 /* of IA32_RTIT_STATUS, at most */
#define BODY_BYTES 16  /* of tsx_body_jumps, at least */

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

/* ContextEn is 0 at the end of the branch: no TraceStop, and no packet. */
static void check_no_stop(struct trace *p, const char *what, uint64_t bits)
{
    struct window w;
    struct path_seen seen;

    p->control = bits | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_STOP);
    window_set_silent(&w, trace_body_stop);
    w.code.argument = trace_at(trace_range_first);
    if (window_check(p, what, &w, &seen))
        check(p->t, (p->status & IA32_RTIT_STATUS_Stopped) == 0,
              "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [5] (Stopped) = 0",
              what, p->status);
}

static void check_out_of_context(struct trace *p, uint64_t control)
{
    check_no_stop(p, "TraceStop range at ring 0, OS = 0",
                  (control & ~IA32_RTIT_CTL_OS) | IA32_RTIT_CTL_User);
    if (trace_match_other_cr3(p))
        check_no_stop(p, "TraceStop range, another CR3 than 572H has",
                      control | IA32_RTIT_CTL_CR3Filter);
}

/* "WRMSR that sets TraceEn in TraceStop IP region." */
static void check_start_inside(struct trace *p, uint64_t control)
{
    struct window w;
    struct path_seen seen;

    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_STOP);
    window_set(&w, trace_body_nothing, trace_body_nothing_path);
    if (!set_msr(p->t, IA32_RTIT_ADDR_A(0), trace_at(trace_window_on)) ||
        !set_msr(p->t, IA32_RTIT_ADDR_B(0), trace_at(trace_window_on_next)) ||
        !window_trace(p, &w, &seen))
        return;
    check(p->t,
          seen.packets[PT_TRACESTOP] == 1 && seen.packets[PT_TIP] == 0 &&
              (p->status & IA32_RTIT_STATUS_Stopped) != 0,
          "TraceEn set in a TraceStop range: got %u TraceStop, %u TIP, "
          "IA32_RTIT_STATUS (571H) = 0x%lx; wanted one, none, [5] (Stopped) = "
          "1",
          seen.packets[PT_TRACESTOP], seen.packets[PT_TIP], p->status);
}

/* TraceEn stays: "this disables tracing by setting Stopped, thereby clearing
 * TriggerEn". */
static void check_running(struct trace *p, uint64_t control)
{
    const uint64_t body = trace_at(tsx_body_jumps);
    uint64_t running = 0, status = 0;
    unsigned refused = 0;

    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_STOP);
    if (!set_msr(p->t, IA32_RTIT_ADDR_A(0), body) ||
        !set_msr(p->t, IA32_RTIT_ADDR_B(0), body + BODY_BYTES - 1) ||
        !trace_arm(p) || !trace_start(p))
        return;
    (void)trace_jumps(JUMPS);
    bool read = get_msr(p->t, IA32_RTIT_CTL, &running);
    /* How soon no manual says. */
    for (unsigned i = 0; read && i < READS; i++) {
        read = get_msr(p->t, IA32_RTIT_STATUS, &status);
        if (read && (status & IA32_RTIT_STATUS_Stopped) != 0)
            break;
    }
    const struct {
        uint32_t msr;
        uint64_t value;
    } writes[] = {{IA32_RTIT_OUTPUT_BASE, p->base},
                  {IA32_RTIT_OUTPUT_MASK_PTRS, p->pointers},
                  {IA32_RTIT_STATUS, 0},
                  {IA32_RTIT_CTL, running ^ IA32_RTIT_CTL_TSCEn}};
    for (unsigned i = 0; read && i < WRITES; i++)
        refused +=
            try_set_msr_again(p->t, writes[i].msr, writes[i].value) == HW_GP;
    if (!trace_stop(p) || !read)
        return;
    check(p->t,
          (status & (IA32_RTIT_STATUS_Stopped | IA32_RTIT_STATUS_TriggerEn)) ==
              IA32_RTIT_STATUS_Stopped,
          "IA32_RTIT_STATUS (571H) = 0x%lx after a branch into a TraceStop "
          "range, TraceEn = 1: wanted [5] (Stopped) = 1, [2] (TriggerEn) = 0",
          status);
    check(p->t, refused == WRITES,
          "WRMSR to 560H, 561H, 571H, and to 570H with TSCEn changed, after "
          "TraceStop, TraceEn = 1: %u of %u raised #GP, wanted all",
          refused, WRITES);
    check_equal(p->t, "IA32_RTIT_CTL (570H) after TraceStop", running,
                p->armed | IA32_RTIT_CTL_TraceEn);
}

/* A range stops outside of a filter's as well as within it, where it "will get
 * TraceStop behavior". */
static void check_beside_filter(struct trace *p, uint64_t control,
                                unsigned stop)
{
    const unsigned filter = 1 - stop;
    const uint64_t first = trace_at(trace_range_first),
                   last = trace_at(trace_range_last);
    const struct path_step none[] = {{PATH_TRACESTOP, 0}};
    const struct {
        const char *what;
        uint64_t from, to; /* of the filter */
        struct path_list list;
    } rows[] = {
        {"TraceStop from outside of a filter",
         trace_at(trace_body_nothing),
         trace_at(trace_body_nothing),
         {none, 1}},
        {"TraceStop in a filter of the same range", first, last, {none, 1}},
    };
    struct window w;
    struct path_seen seen;

    p->control = control | IA32_RTIT_CTL_ADDR_CFG(stop, IA32_RTIT_ADDR_STOP) |
                 IA32_RTIT_CTL_ADDR_CFG(filter, IA32_RTIT_ADDR_FILTER);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        window_set(&w, trace_body_stop, NULL);
        w.path = (struct path){.step = path_list_step, .source = &rows[i].list};
        w.code.argument = first;
        if (!set_msr(p->t, IA32_RTIT_ADDR_A(stop), first) ||
            !set_msr(p->t, IA32_RTIT_ADDR_B(stop), last) ||
            !set_msr(p->t, IA32_RTIT_ADDR_A(filter), rows[i].from) ||
            !set_msr(p->t, IA32_RTIT_ADDR_B(filter), rows[i].to) ||
            !window_check(p, rows[i].what, &w, &seen))
            continue;
        check(p->t, (p->status & IA32_RTIT_STATUS_Stopped) != 0,
              "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [5] (Stopped) = 1",
              rows[i].what, p->status);
    }
}

static unsigned count_stops(const struct trace *p)
{
    struct pt_reader reader;
    struct pt_packet packet;
    unsigned stops = 0;

    pt_open(&reader);
    pt_feed(&reader, p->memory, trace_bytes(p), true);
    while (pt_next(&reader, &packet) == PT_OK)
        stops += packet.kind == PT_TRACESTOP;
    return stops;
}

/* A body that ends its trace within the range, wherever in its path. */
static void check_kind(struct trace *p, const char *what, struct window *w,
                       uint64_t first, uint64_t last)
{
    struct path_seen seen;

    if (!set_msr(p->t, IA32_RTIT_ADDR_A(0), first) ||
        !set_msr(p->t, IA32_RTIT_ADDR_B(0), last) || !window_trace(p, w, &seen))
        return;
    const unsigned stops = count_stops(p);
    check(p->t, stops == 1 && (p->status & IA32_RTIT_STATUS_Stopped) != 0,
          "TraceStop by %s: got %u TraceStop, IA32_RTIT_STATUS (571H) = 0x%lx; "
          "wanted one, [5] (Stopped) = 1",
          what, stops, p->status);
}

/* "Taken branch with target in TraceStop IP region, MOV CR3 in TraceStop IP
 * region"; "a taken branch or event". */
static void check_kinds(struct trace *p, uint64_t control)
{
    uint8_t *gates = (uint8_t *)test_records(p->t) + TRACE_GATES_BYTES;
    const uint64_t own = trace_at(trace_body_cr3_own);
    struct ring3_registers registers;
    struct window w;

    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_STOP);
    window_set(&w, trace_body_range, trace_body_range_path);
    check_kind(p, "a conditional branch", &w, trace_at(trace_range_taken),
               trace_at(trace_range_taken));
    ring3_read(&registers);
    window_set(&w, trace_body_cr3, trace_body_cr3_path);
    w.code.argument = registers.cr3;
    check_kind(p, "MOV to CR3", &w, own, own + TRACE_CR3_BYTES);
    trace_gates(gates);
    gates_set_events(gates);
    window_set(&w, trace_body_events, trace_body_events_path);
    w.gates = gates;
    check_kind(p, "an exception", &w, trace_at(trace_handler),
               trace_at(trace_handler));
    check_kind(p, "INT3", &w, trace_at(trace_handler_trap),
               trace_at(trace_handler_trap));
}

/* An abort that goes on in the range. */
static void check_abort(struct trace *p, uint64_t control)
{
    const uint64_t fallback = trace_at(trace_tx_fallback);
    struct window w;

    if (trace_stop_may_hang(test_cpu(p->t)) || !probe_state_if_any(p->t))
        return;
    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_STOP);
    window_set(&w, trace_body_tx_abort, trace_body_tx_abort_path);
    w.code.argument = trace_at(test_records(p->t)) + TRACE_GATES_BYTES;
    check_kind(p, "an abort", &w, fallback, fallback);
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
    check_out_of_context(&p, control);
    for (unsigned stop = 0; ranges >= 2 && stop < 2; stop++)
        WITH_PREFIX (t, "ADDR%u", stop)
            check_beside_filter(&p, control, stop);
    check_start_inside(&p, control);
    check_kinds(&p, control);
    check_running(&p, control);
    check_abort(&p, control);
}
