/* SPDX-License-Identifier: BSD-2-Clause */
/* The cycles of CYC packets are those that the counter of core cycles counts:
 * in a long window more than in a short one, by as many. */
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/trace/window.h"

#define CORE_CYCLES 1 /* IA32_FIXED_CTR1: CPU_CLK_UNHALTED.CORE */
#define SHORT       2 /* turns */
#define LONG        20
#define SLACK       200 /* cycles: caches that were cold, once */

struct cycles {
    uint64_t counted, traced;
    unsigned packets;
};

static bool measure(struct trace *p, unsigned turns, struct cycles *out)
{
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_counted, trace_body_counted_path);
    w.repeated = true;
    w.path.timing = PATH_TIMING_CYC;
    w.code.argument = IA32_PERF_GLOBAL_CTRL_FIXED_CTR(CORE_CYCLES);
    w.code.count = turns;
    w.fixed = CORE_CYCLES;
    if (!window_check(p, "two jumps a turn, the second late", &w, &seen))
        return false;
    *out = (struct cycles){.counted = w.counted,
                           .traced = seen.times.cycles,
                           .packets = seen.packets[PT_CYC]};
    return true;
}

TEST(pt_cycles, .asks = "Do CYC packets say how many core cycles have passed?",
     .cite = "SDM 3C, Intel Processor Trace, \"Cycle Count Packet (CYC) "
             "Packet\", \"Cycle Counter\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PMU})
{
    const struct identity *id = test_cpu(t);
    struct trace p;
    struct cycles less, more;

    /* Set-up. */
    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) == 0 ||
        id->fixed_counters <= CORE_CYCLES) {
        skip(t, "needs CYC packets (CPUID.14H.0:EBX[1]) and IA32_FIXED_CTR1");
        return;
    }
    if (!trace_claim(&p, t) || !counters_claim(t) ||
        !set_msr(t, IA32_FIXED_CTR_CTRL,
                 IA32_FIXED_CTR_CTRL_OS(CORE_CYCLES) |
                     IA32_FIXED_CTR_CTRL_USR(CORE_CYCLES)))
        return;
    p.control |= IA32_RTIT_CTL_CYCEn;

    /* Measured. */
    if (!measure(&p, SHORT, &less) || !measure(&p, LONG, &more))
        return;

    /* Check. */
    const uint64_t counted = more.counted - less.counted,
                   traced = more.traced - less.traced;
    check(t, more.counted > less.counted,
          "IA32_FIXED_CTR1 (30AH): %lu core cycles in %u turns, %lu in %u; "
          "wanted more in more",
          less.counted, SHORT, more.counted, LONG);
    check(t,
          traced + SLACK >= counted - counted / 8 &&
              traced <= counted + counted / 8 + SLACK,
          "CYC: %lu cycles in %u turns, %lu in %u: %ld more; wanted about %lu "
          "more, as IA32_FIXED_CTR1 (30AH) says",
          less.traced, SHORT, more.traced, LONG, traced, counted);
    note(t, "%u turns: %u CYC of %lu cycles, %lu counted; %u: %u of %lu, %lu",
         SHORT, less.packets, less.traced, less.counted, LONG, more.packets,
         more.traced, more.counted);
}
