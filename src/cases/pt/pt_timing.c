/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing packets: TSC is the time-stamp counter's, MTC counts the crystal
 * clock, TMA joins the two, CYC counts core clocks; each only where it is
 * enabled. */
#include "src/base/msr.h"
#include "src/trace/window.h"

#define TURNS 100

/* SDM 3C, "Timestamp Counter (TSC) Packet": 7 bytes of it. */
#define TSC_MASK BITS(55, 0)

struct timed {
    struct trace *p;
    struct window w;
    struct path_seen seen;
    uint64_t before, after; /* TSC */
};

/* With these bits of IA32_RTIT_CTL, and only their packets. */
static bool trace_timed(struct timed *m, const char *what, uint64_t bits,
                        unsigned packets)
{
    const uint64_t control = m->p->control;

    window_set_loop(&m->w, m->p->t, TURNS);
    m->w.path.timing = packets;
    m->p->control |= bits;
    m->before = hw_tsc();
    bool right = window_check(m->p, what, &m->w, &m->seen);
    m->after = hw_tsc();
    m->p->control = control;
    return right;
}

static void check_tsc(struct timed *m)
{
    struct test_context *t = m->p->t;
    const uint64_t first = m->seen.first_tsc, last = m->seen.last_tsc,
                   length = (m->after - m->before) & TSC_MASK;

    if (!check(t, m->seen.packets[PT_TSC] != 0,
               "TSCEn = 1: got no TSC; wanted one when TraceEn is set"))
        return;
    check(t,
          ((first - m->before) & TSC_MASK) <= length &&
              ((last - m->before) & TSC_MASK) <= length &&
              ((last - first) & TSC_MASK) <= length,
          "TSC: got 0x%lx to 0x%lx; wanted 0x%lx to 0x%lx, RDTSC before and "
          "after",
          first, last, m->before & TSC_MASK, m->after & TSC_MASK);
    for (unsigned i = 0; i < m->seen.psbs && i < PATH_PSBS; i++)
        check(t, m->seen.psb[i].packets[PT_TSC] == 1,
              "PSB+ at offset 0x%lx: got %u TSC, wanted one with TSCEn = 1",
              m->seen.psb[i].offset, m->seen.psb[i].packets[PT_TSC]);
}

TEST(pt_timing,
     .asks =
         "Do TSC, MTC and CYC come where they are enabled, and say the time?",
     .cite = "SDM 3C, Intel Processor Trace, \"Timestamp Counter (TSC) "
             "Packet\", \"Mini Time Counter (MTC) Packet\", \"Cycle Count "
             "Packet (CYC) Packet\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    const struct identity *id = test_cpu(t);
    struct trace p;
    struct timed m = {.p = &p};

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    if (trace_timed(&m, "TSCEn", IA32_RTIT_CTL_TSCEn, PATH_TIMING_TSC))
        check_tsc(&m);
    (void)id;
}
