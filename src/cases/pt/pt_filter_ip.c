/* SPDX-License-Identifier: BSD-2-Clause */
/* A filter of addresses: a branch into the range is TIP.PGE, one out of it
 * TIP.PGD, both ends of the range belong to it, and nothing is traced outside.
 */
#include "src/base/msr.h"
#include "src/trace/gate.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"

#define PAGE_BYTES UINT64_C(4096) /* no code is in the first two */
#define PART_STEP  4

static bool set_range(struct trace *p, unsigned n, uint64_t first,
                      uint64_t last)
{
    return set_msr(p->t, IA32_RTIT_ADDR_A(n), first) &&
           set_msr(p->t, IA32_RTIT_ADDR_B(n), last);
}

/* Range n alone; the others hold the range too, and are not in use. */
static void check_range(struct trace *p, unsigned n, uint64_t control)
{
    char what[64];
    struct window w;
    struct path_seen seen;

    text_format(what, sizeof(what), "filter of address range %u", n);
    window_set(&w, trace_body_range, trace_body_range_path);
    w.bare = true;
    p->control = control | IA32_RTIT_CTL_ADDR_CFG(n, IA32_RTIT_ADDR_FILTER);
    if (!window_check(p, what, &w, &seen))
        return;
    check_known(p->t,
                seen.psbs == 0 || (seen.psb[0].packets[PT_FUP] == 0 &&
                                   seen.psb[0].packets[PT_MODE_EXEC] == 0),
                ERRATUM_PT_PSB_UNEXPECTED, true,
                "%s: got FUP or MODE.Exec in PSB+ outside of the range; wanted "
                "none",
                what);
    check(p->t, seen.psbs == 0 || seen.psb[0].packets[PT_PIP] != 0,
          "%s: got no PIP in PSB+ outside of the range; wanted one, since "
          "ContextEn is 1",
          what);
}

/* Erratum RKL008: FilterEn may be an older one. The core of 06_A7H is that of
 * Ice Lake. */
static bool filter_en_is_late(const struct identity *id)
{
    return identity_generation(id) == ICE_LAKE;
}

/* FilterEn of code outside of the range, and of code in it. */
static void check_status(struct trace *p, uint64_t control)
{
    const uint64_t body = trace_at(trace_body_status);
    struct window w;
    struct path_seen seen;

    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    window_set_silent(&w, trace_body_status);
    if (window_check(p, "code outside of a filter", &w, &seen) &&
        !filter_en_is_late(test_cpu(p->t)))
        window_check_status(
            p, "outside of a filter", w.code.cells[0], IA32_RTIT_STATUS_ENABLES,
            IA32_RTIT_STATUS_TriggerEn | IA32_RTIT_STATUS_ContextEn);
    const struct path_step steps[] = {
        {PATH_PGE, body}, {PATH_PGD_DIRECT, trace_at(trace_window_off)}};
    const struct path_list list = {steps, 2};
    window_set(&w, trace_body_status, NULL);
    w.path = (struct path){.step = path_list_step, .source = &list};
    if (set_range(p, 0, body, body + TRACE_STATUS_BYTES) &&
        window_check(p, "code in a filter", &w, &seen) &&
        !filter_en_is_late(test_cpu(p->t)))
        window_check_status(p, "in a filter", w.code.cells[0],
                            IA32_RTIT_STATUS_ENABLES, IA32_RTIT_STATUS_ENABLES);
}

/* Two parts of the range, each by a pair of its own: the same is left, also
 * where a branch leads from one into the other. */
static void check_halves(struct trace *p, uint64_t control)
{
    const uint64_t first = trace_at(trace_range_first),
                   last = trace_at(trace_range_last);
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_range, trace_body_range_path);
    w.bare = true;
    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER) |
                 IA32_RTIT_CTL_ADDR_CFG(1, IA32_RTIT_ADDR_FILTER);
    for (uint64_t at = first + 1; at <= last; at += PART_STEP)
        if (!set_range(p, 0, at, last) || !set_range(p, 1, first, at - 1) ||
            !window_check(p, "filters of two parts of the range", &w, &seen))
            return;
    if (set_range(p, 0, first, last) && set_range(p, 1, first + 1, last))
        window_check(p, "filters of the range and of a part of it", &w, &seen);
}

/* A body with an INT3, under this handler and a filter of this range. */
static void check_event(struct trace *p, const char *what, struct window *w,
                        uint64_t handler, uint64_t first, uint64_t last)
{
    uint8_t *gates = (uint8_t *)test_records(p->t) + PAGE_BYTES;
    struct path_seen seen;

    trace_gates(gates);
    gates_set(gates, GATE_BP, handler);
    w->bare = true;
    w->gates = gates;
    if (set_range(p, 0, first, last))
        window_check(p, what, w, &seen);
}

/* An exception goes out, and IRET comes back, between a call and its return;
 * and one comes in, which leaves no FUP then (rows 10 and 12). */
static void check_events(struct trace *p)
{
    struct window w;

    window_set(&w, trace_body_event_returns, trace_body_event_returns_path);
    check_event(p, "a return after an exception out of a filter", &w,
                trace_at(trace_event_returns_handler),
                trace_at(trace_body_event_returns),
                trace_at(trace_event_returns_end) - 1);
    window_set(&w, trace_body_far_ways, trace_body_far_ways_path);
    check_event(p, "into a filter and out by INT3, IRETQ and far RETs", &w,
                trace_at(trace_far_first), trace_at(trace_far_first),
                trace_at(trace_far_last));
}

/* Out by a return that could be compressed, were its target in the range;
 * within, by one that could be, had its call been. */
static void check_return(struct trace *p, uint64_t control)
{
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_range_return, trace_body_range_return_path);
    w.bare = true;
    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    if (set_range(p, 0, trace_at(trace_range_first),
                  trace_at(trace_range_last) - 1))
        window_check(p, "a return out of a filter to where its call was", &w,
                     &seen);
    window_set(&w, trace_body_range_called, trace_body_range_called_path);
    w.bare = true;
    if (set_range(p, 0, trace_at(trace_called_first),
                  trace_at(trace_called_last)))
        window_check(p, "a return whose call was outside of a filter", &w,
                     &seen);
    check_events(p);
}

/* ADDR0 stops at what is not executed; ADDR1 filters. */
static void check_beside_stop(struct trace *p, uint64_t control)
{
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_range, trace_body_range_path);
    w.bare = true;
    p->may_stop = true;
    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_STOP) |
                 IA32_RTIT_CTL_ADDR_CFG(1, IA32_RTIT_ADDR_FILTER);
    if (set_range(p, 0, PAGE_BYTES, 2 * PAGE_BYTES - 1) &&
        set_range(p, 1, trace_at(trace_range_first),
                  trace_at(trace_range_last)))
        window_check(p, "a filter beside a TraceStop range", &w, &seen);
    p->may_stop = false;
}

/* What lies between two ranges is in neither. */
static void check_between(struct trace *p, uint64_t control)
{
    struct window w;
    struct path_seen seen;

    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER) |
                 IA32_RTIT_CTL_ADDR_CFG(1, IA32_RTIT_ADDR_FILTER);
    for (unsigned low = 0; low < 2; low++) {
        window_set_silent(&w, trace_body_range);
        if (set_range(p, low, PAGE_BYTES, 2 * PAGE_BYTES - 1) &&
            set_range(p, 1 - low, BIT(46), BIT(46) + PAGE_BYTES - 1))
            window_check(p, "between two filters", &w, &seen);
    }
}

/* Each bit of the bounds counts: those above 31 of a range 4 GB higher, or of
 * one that begins there, too. */
static void check_far(struct trace *p, uint64_t control)
{
    const uint64_t first = trace_at(trace_range_first),
                   last = trace_at(trace_range_last);
    struct window w;
    struct path_seen seen;

    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    for (unsigned bit = 32; bit < 47; bit += 7) {
        window_set_silent(&w, trace_body_range);
        if (set_range(p, 0, first ^ BIT(bit), last ^ BIT(bit)))
            window_check(p, "filter of the range in another 4 GB", &w, &seen);
    }
    window_set(&w, trace_body_range, trace_body_range_path);
    w.bare = true;
    if (set_range(p, 0, first, last))
        window_check(p, "filter of the range again", &w, &seen);
}

TEST(pt_filter_ip,
     .asks = "Does a filter trace the addresses of its range, and no other?",
     .cite = "SDM 3C, Intel Processor Trace, \"Filtering by IP\", \"Filter "
             "Enable (FilterEn)\", \"Packet Generation Disable (TIP.PGD)\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    const unsigned ranges = registers_ranges(test_cpu(t));
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (ranges == 0) {
        skip(t, "needs filters of addresses (CPUID.14H.0:EBX[2]); there are "
                "none");
        return;
    }
    if (!trace_claim(&p, t))
        return;
    const uint64_t control = p.control;
    for (unsigned n = 0; n < ranges; n++)
        if (!set_range(&p, n, trace_at(trace_range_first),
                       trace_at(trace_range_last)))
            return;

    /* Measured and checked. */
    window_set(&w, trace_body_nothing, trace_body_nothing_path);
    window_check(&p, "ranges that are not in use", &w, &seen);
    for (unsigned n = 0; n < ranges; n++)
        check_range(&p, n, control);
    if (ranges >= 2)
        check_halves(&p, control);
    if (ranges >= 2)
        check_between(&p, control);
    if (ranges >= 2)
        check_beside_stop(&p, control);
    check_return(&p, control);
    check_far(&p, control);
    check_status(&p, control);
}
