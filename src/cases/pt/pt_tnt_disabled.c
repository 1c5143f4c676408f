/* SPDX-License-Identifier: BSD-2-Clause */
/* With DisTNT no TNT is left: neither by conditional branches nor by returns,
 * which have a TIP each; and the other packets are, with a filter, too. */
#include "src/base/msr.h"
#include "src/trace/gate.h"
#include "src/trace/registers.h"
#include "src/trace/ring3_trace.h"
#include "src/trace/window.h"

#define GATES_AT  4096 /* of test_records(), after the table */
#define STEPS_AT  8192
#define STEPS_MAX 512

_Static_assert(STEPS_AT + STEPS_MAX * sizeof(struct path_step) <=
                   TEST_RECORDS_BYTES,
               "room for them");

static const struct {
    const char *what;
    const uint8_t *body;
    const struct trace_row *rows;
    bool filtered, events;
} bodies[] = {
    {"conditional branches", trace_body_conditions, trace_body_conditions_path,
     false, false},
    {"jumps, calls and returns", trace_body_transfers,
     trace_body_transfers_path, false, false},
    {"returns", trace_body_returns, trace_body_returns_path, false, false},
    {"exceptions", trace_body_events, trace_body_events_path, false, true},
    {"a filter", trace_body_range, trace_body_range_path, true, false},
};

/* The window's path without what would be in a TNT. The address of a TIP.PGD
 * says where a branch went that has no other packet: it is not said whether a
 * conditional one has it, then. */
static void leave_out_results(struct window *w, struct path_list *list,
                              struct path_step steps[STEPS_MAX])
{
    struct path_step step;

    *list = (struct path_list){.steps = steps};
    for (uint64_t n = 0; w->path.step(w->path.source, n, &step); n++) {
        if (step.kind == PATH_TAKEN || step.kind == PATH_NOT_TAKEN ||
            list->count == STEPS_MAX)
            continue;
        if (step.kind == PATH_RET)
            step.kind = PATH_TIP;
        else if (step.kind == PATH_PGD_HIDDEN && w->bare)
            step.kind = PATH_PGD_MAY;
        steps[list->count++] = step;
    }
    w->path.step = path_list_step;
    w->path.at = NULL;
    w->path.source = list;
}

/* Two loops at ring 3, with User alone: of their branches nothing is left. */
static void check_ring3(struct test_context *t)
{
    struct ring3_session ring3;
    struct path_seen seen = {.overflow = true};
    struct trace p;

    if (!ring3_trace_claim(&p, &ring3, t))
        return;
    const uint64_t code = ring3.ring3->user_code;
    const struct path_step steps[] = {
        {PATH_PGE, code},
        {PATH_PGD_HIDDEN, 0},
        {PATH_PGE, ring3_at(ring3.ring3, ring3_code_again)},
        {PATH_PGD_HIDDEN, 0}};
    const struct path_list list = {steps, sizeof(steps) / sizeof(steps[0])};
    const struct path path = {.step = path_list_step, .source = &list};

    for (unsigned n = 0; n < TRACE_TRIES && seen.overflow; n++) {
        hw_poll();
        if (!ring3_trace_anew(&p, &ring3,
                              IA32_RTIT_CTL_User | IA32_RTIT_CTL_DisTNT, 0,
                              window_ring3))
            return;
        path_follow(p.memory, trace_bytes(&p), &path, 0, &seen);
        if (!seen.overflow)
            window_judge(&p, "DisTNT = 1, ring 3", &seen);
    }
}

TEST(pt_tnt_disabled,
     .asks = "Is there no TNT where DisTNT is set, and all else as before?",
     .cite = "SDM 3C, Intel Processor Trace, of later editions: \"TNT "
             "Disable\", table \"IA32_RTIT_CTL MSR\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_DISTNT})
{
    uint8_t *gates = (uint8_t *)test_records(t) + GATES_AT;
    struct path_step *steps =
        (struct path_step *)((uint8_t *)test_records(t) + STEPS_AT);
    const bool ranges = registers_ranges(test_cpu(t)) != 0;
    struct path_list list;
    struct path_seen seen;
    struct window w;
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t) ||
        (ranges &&
         (!set_msr(t, IA32_RTIT_ADDR_A(0), trace_at(trace_range_first)) ||
          !set_msr(t, IA32_RTIT_ADDR_B(0), trace_at(trace_range_last)))))
        return;
    trace_gates(gates);
    gates_set_events(gates);
    const uint64_t control = p.control | IA32_RTIT_CTL_DisTNT;

    for (unsigned i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        if (bodies[i].filtered && !ranges)
            continue;
        /* Measured. */
        window_set(&w, bodies[i].body, bodies[i].rows);
        w.gates = bodies[i].events ? gates : NULL;
        w.bare = bodies[i].filtered;
        leave_out_results(&w, &list, steps);
        p.control = control;
        if (bodies[i].filtered)
            p.control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);

        /* Checked. */
        WITH_PREFIX (t, "DisTNT = 1")
            window_check(&p, bodies[i].what, &w, &seen);
    }
    if ((test_cpu(t)->leaf14_ecx & LEAF14_TOPA) != 0 &&
        test_cpu(t)->perfmon_version >= 2)
        check_ring3(t);
}
