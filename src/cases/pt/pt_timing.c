/* SPDX-License-Identifier: BSD-2-Clause */
/* Timing packets: TSC is the time-stamp counter's, MTC counts the crystal
 * clock, TMA joins the two, CYC counts core clocks; each only where it is
 * enabled. */
#include "src/base/msr.h"
#include "src/trace/window.h"

#define TURNS     100
#define THRESHOLD 7  /* CycThresh: 64 cycles */
#define MTC_UNITS 8  /* from one to the next: 256 are rare */
#define FASTEST   16 /* core clocks to one of TSC, at most */

/* SDM 3C, "Timestamp Counter (TSC) Packet": 7 bytes of it. */
#define TSC_MASK BITS(55, 0)

struct timed {
    struct trace *p;
    struct window w;
    struct path_seen seen;
    uint64_t before, after; /* TSC */
};

/* With these bits of IA32_RTIT_CTL, and no packets but of these kinds. */
static bool trace_timed(struct timed *m, const char *what, uint64_t bits,
                        unsigned packets, uint64_t cyc_least)
{
    const uint64_t control = m->p->control;

    window_set_loop(&m->w, m->p->t, TURNS);
    m->w.path.timing = packets;
    m->w.path.cyc_least = cyc_least;
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
    const struct path_times *times = &m->seen.times;
    const uint64_t length = (m->after - m->before) & TSC_MASK;

    if (!check(t, m->seen.packets[PT_TSC] != 0,
               "TSCEn = 1: got no TSC; wanted one when TraceEn is set"))
        return;
    check(t,
          ((times->first_tsc - m->before) & TSC_MASK) <= length &&
              ((times->last_tsc - m->before) & TSC_MASK) <= length &&
              ((times->last_tsc - times->first_tsc) & TSC_MASK) <= length,
          "TSC: got 0x%lx to 0x%lx; wanted 0x%lx to 0x%lx, RDTSC before and "
          "after",
          times->first_tsc, times->last_tsc, m->before & TSC_MASK,
          m->after & TSC_MASK);
    check(
        t, ((m->w.code.cells[1] - times->first_tsc) & TSC_MASK) <= length,
        "TSC: got 0x%lx when TraceEn is set; wanted no more than 0x%lx, RDTSC "
        "after it",
        times->first_tsc, m->w.code.cells[1] & TSC_MASK);
    for (unsigned i = 0; i < m->seen.psbs && i < PATH_PSBS; i++)
        check(t, m->seen.psb[i].packets[PT_TSC] != 0,
              "PSB+ at offset 0x%lx: got no TSC, wanted one with TSCEn = 1",
              m->seen.psb[i].offset);
}

/* The crystal's clocks in so many of the time-stamp counter's. */
static uint64_t crystal(const struct identity *id, uint64_t tsc)
{
    return tsc * id->leaf15_eax / id->leaf15_ebx;
}

/* The clocks that MTCs count are those that passed. MTCs may be dropped: then
 * multiples of 256 may be missing. */
static void check_clocks(struct timed *m, unsigned n)
{
    const struct identity *id = test_cpu(m->p->t);
    const unsigned packets = m->seen.packets[PT_MTC];
    const uint64_t least =
                       crystal(id, m->w.code.cells[2] - m->w.code.cells[1]) >>
                       n,
                   most = (crystal(id, m->after - m->before) >> n) + 2;
    uint64_t counted = m->seen.times.mtc_steps;

    check(m->p->t, packets != 0 || least < 2,
          "MTCEn, MTCFreq = %u: got no MTC in %lu clocks of the crystal", n,
          least << n);
    if (packets != 0 && least / packets < MTC_UNITS)
        check(m->p->t, 16 * m->seen.times.mtc_repeats <= packets,
              "MTCFreq = %u: %u of %u MTC say what the one before said; wanted "
              "none",
              n, m->seen.times.mtc_repeats, packets);
    while (counted + 2 < least)
        counted += 256;
    check(m->p->t, packets == 0 || counted <= most,
          "MTCFreq = %u: %u MTC that count %lu or as many less as 256 go into; "
          "wanted %lu to %lu, units of 2^%u clocks of the crystal",
          n, packets, counted, least, most, n);
}

static void check_mtc(struct timed *m, unsigned n)
{
    const struct identity *id = test_cpu(m->p->t);
    struct test_context *t = m->p->t;

    if (!trace_timed(m, "TSCEn, MTCEn",
                     IA32_RTIT_CTL_TSCEn | IA32_RTIT_CTL_MTCEn |
                         IA32_RTIT_CTL_MTCFreq(n),
                     PATH_TIMING_TSC | PATH_TIMING_MTC | PATH_TIMING_TMA, 0))
        return;
    check_tsc(m);
    check(t, m->seen.packets[PT_TMA] == m->seen.packets[PT_TSC],
          "TSCEn and MTCEn: got %u TMA for %u TSC, wanted one each",
          m->seen.packets[PT_TMA], m->seen.packets[PT_TSC]);
    if (id->leaf15_eax == 0 || id->leaf15_ebx == 0)
        return;
    check_clocks(m, n);
    note(t, "MTCFreq = %u: %u MTC that count %lu", n, m->seen.packets[PT_MTC],
         m->seen.times.mtc_steps);
}

static void check_cycles(struct timed *m)
{
    const struct path_times *times = &m->seen.times;
    struct test_context *t = m->p->t;

    if (!trace_timed(m, "CYCEn", IA32_RTIT_CTL_CYCEn, PATH_TIMING_CYC, 0))
        return;
    const unsigned all = m->seen.packets[PT_CYC];
    check(t, all != 0, "CYCEn = 1: got no CYC; wanted some");
    check(
        t, times->cycles <= (m->after - m->before) * FASTEST,
        "CYC: %u packets of %lu cycles; wanted %lu at most, %u times what the "
        "time-stamp counter says",
        all, times->cycles, (m->after - m->before) * FASTEST, FASTEST);
    note(t, "%u CYC of %lu cycles; TSC %lu", all, times->cycles,
         m->w.code.cells[2] - m->w.code.cells[1]);
    if ((test_cpu(t)->leaf14_1_ebx >> THRESHOLD & 1) == 0 ||
        !trace_timed(m, "CYCEn, CycThresh",
                     IA32_RTIT_CTL_CYCEn | IA32_RTIT_CTL_CycThresh(THRESHOLD),
                     PATH_TIMING_CYC, UINT64_C(1) << (THRESHOLD - 1)))
        return;
    /* Some stand alone, for reasons of the processor's own. */
    check(t, 2 * times->cyc_short <= m->seen.packets[PT_CYC],
          "CycThresh = %u: %u of %u CYC are of less than %u cycles", THRESHOLD,
          times->cyc_short, m->seen.packets[PT_CYC], 1u << (THRESHOLD - 1));
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
    if (trace_timed(&m, "TSCEn", IA32_RTIT_CTL_TSCEn, PATH_TIMING_TSC, 0))
        check_tsc(&m);
    if ((id->leaf14_ebx & LEAF14_MTC) != 0)
        for (unsigned n = 0; n < 16; n++)
            if ((id->leaf14_1_eax >> 16 >> n & 1) != 0)
                check_mtc(&m, n);
    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) != 0)
        check_cycles(&m);
}
