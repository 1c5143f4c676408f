/* SPDX-License-Identifier: BSD-2-Clause */
/* The trace's MSRs are each logical processor's own: all write another value,
 * then each reads what it wrote. */
#include "src/base/hw.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"

#define TURNS  40
#define TRACES 8

/* What this processor writes: legal, and another than its neighbours'. */
static uint64_t value_of(struct test_context *peer,
                         const struct register_rule *rule)
{
    const uint64_t number = test_processor(peer) + 1;

    return rule->writable & (number * UINT64_C(0x0000102040810100));
}

static uint64_t control_of(struct test_context *peer)
{
    const unsigned number = test_processor(peer) & 3;

    return ((number & 1) != 0 ? IA32_RTIT_CTL_TSCEn : 0) |
           ((number & 2) != 0 ? IA32_RTIT_CTL_DisRETC : 0) |
           ((number & 1) != 0 ? IA32_RTIT_CTL_User : IA32_RTIT_CTL_OS);
}

static void write_all(struct test_context *peer, void *argument)
{
    struct trace p;

    (void)argument;
    if (!trace_claim(&p, peer))
        return;
    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        const struct register_rule rule = registers_rule(test_cpu(peer), i);
        if (rule.present)
            try_set_msr(peer, rule.msr, value_of(peer, &rule));
    }
    try_set_msr(peer, IA32_RTIT_CTL, control_of(peer) | IA32_RTIT_CTL_BranchEn);
}

static void check_one(struct test_context *peer, uint32_t msr, uint64_t want,
                      uint64_t ignored)
{
    char name[MSR_NAME_BYTES];
    uint64_t got = 0;
    int vector = try_get_msr(peer, msr, &got);

    check(peer, vector == HW_NO_FAULT && ((got ^ want) & ~ignored) == 0,
          "%s: got %s, 0x%lx after all processors wrote their own value; "
          "wanted 0x%lx, which this one wrote",
          msr_name(msr, name), fault_name(vector), got, want);
}

static void read_all(struct test_context *peer, void *argument)
{
    struct trace p;

    (void)argument;
    if (!trace_claim(&p, peer))
        return;
    for (unsigned i = 0; i < REGISTERS_COUNT; i++) {
        const struct register_rule rule = registers_rule(test_cpu(peer), i);
        if (rule.present)
            check_one(peer, rule.msr, value_of(peer, &rule), rule.ignored);
    }
    /* Nothing stays enabled after a job if jobs only follow one another. */
    if (hw_run_is_parallel())
        check_one(peer, IA32_RTIT_CTL,
                  control_of(peer) | IA32_RTIT_CTL_BranchEn, 0);
}

/* Turns of a loop, on all processors at once: each has traces of its own, of
 * its own path. */
static void trace_own(struct test_context *t, void *argument)
{
    struct trace p;
    struct window w;
    struct path_seen seen;

    (void)argument;
    if (!trace_claim(&p, t))
        return;
    for (unsigned i = 0; i < TRACES; i++) {
        window_set_loop(&w, t, TURNS);
        window_check(&p, "turns of a loop while other processors trace, too",
                     &w, &seen);
    }
}

TEST(pt_thread_scope,
     .asks = "Has each logical processor the trace's MSRs of its own?",
     .cite = "SDM 3C, Intel Processor Trace, \"Enabling and Configuration "
             "MSRs\" (\"duplicated for each logical processor\")",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_TWO_PROCESSORS})
{
    /* Measured, then checked: the last that wrote must not be seen by the
     * first. */
    on_all_in_turn(t, write_all);
    on_all_in_turn(t, read_all);
    if (hw_run_is_parallel())
        on_all_but(t, HW_PROCESSORS_MAX, trace_own, NULL);
}
