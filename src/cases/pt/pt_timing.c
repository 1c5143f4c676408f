/* SPDX-License-Identifier: BSD-2-Clause */
/* TSC packets are the time-stamp counter's, MTC counts the crystal clock, TMA
 * joins both, CYC counts core clocks; each only where it is enabled. */
#include "src/base/msr.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"

#define TURNS       100
#define THRESHOLDS  2  /* of CycThresh, tried at most */
#define MTC_UNITS   8  /* from one to the next: 256 are rare */
#define FASTEST     16 /* core clocks to one of TSC, at most */
#define EACH_ROUNDS 4
#define EACH_MOST   (UINT64_C(1) << 18) /* turns: some million cycles */
#define MTC_SOME    64                  /* that are not all odd by chance */
#define MTC_LATE    64                  /* units, for the first to come */
#define MTC_KNOWN   192 /* of 256, so that a wrong payload is seen */
#define MTC_ROUNDS  6   /* more, of the longest: where it is right by chance */

/* "TSC/MTC Alignment (TMA) Packet", after its two bytes. */
#define CTC_MASK             UINT64_C(0xffff)
#define TMA_FAST             24
#define TMA_FAST_MASK        UINT64_C(0x1ff)
#define TMA_MAY              8 /* this part of a clock of the crystal */
#define LEAF7_EBX_TSC_ADJUST (UINT32_C(1) << 1)
#define TSC_MASK             BITS(55, 0) /* the TSC packet has 7 bytes */

struct timed {
    struct trace *p;
    struct window w;
    struct path_seen seen;
    uint64_t before, after; /* TSC */
    uint64_t adjust;        /* IA32_TSC_ADJUST */
    bool adjusts;           /* which exists; all that moves TSC from ART */
    unsigned payloads;      /* MTCs whose payload was looked at */
    uint64_t tsc, tma;      /* of the first TMA */
    bool has_tma;
};

/* With these bits of IA32_RTIT_CTL; no packets but of these kinds. */
static bool trace_timed(struct timed *m, const char *what, uint64_t bits,
                        unsigned packets, uint64_t cyc_least)
{
    const uint64_t control = m->p->control;

    window_set_loop(&m->w, m->p->t, TURNS);
    m->w.path.timing = packets;
    m->w.path.cyc_least = cyc_least;
    m->p->control |= bits;
    bool right = window_check(m->p, what, &m->w, &m->seen);
    m->after = hw_tsc();
    m->before = m->w.code.tsc;
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

/* The clocks that MTCs count are those that passed. MTCs may be dropped: then
 * multiples of 256 may be missing. */
static void check_clocks(struct timed *m, unsigned n)
{
    const struct identity *id = test_cpu(m->p->t);
    const unsigned packets = m->seen.packets[PT_MTC];
    const uint64_t least = identity_crystal(id, m->w.code.cells[2] -
                                                    m->w.code.cells[1]) >>
                           n,
                   most = (identity_crystal(id, m->after - m->before) >> n) + 2;
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

/* The crystal clock's count, the Always Running Timer, where the time-stamp
 * counter is this ("Time Domain Relationships"). */
static uint64_t art(const struct timed *m, uint64_t tsc)
{
    return identity_crystal(test_cpu(m->p->t), tsc - m->adjust);
}

/* The TMA of the first TSC: the crystal's clocks and what is left of one. */
static void check_tma(struct timed *m)
{
    const struct identity *id = test_cpu(m->p->t);
    const uint64_t tsc = m->seen.times.first_tsc, tma = m->seen.times.tma,
                   ctc = tma & CTC_MASK, fast = tma >> TMA_FAST & TMA_FAST_MASK,
                   p = (id->leaf15_ebx + id->leaf15_eax - 1) / id->leaf15_eax;
    /* TSC[63:56] are not in the packet, and those of RDTSC. */
    const uint64_t want = art(m, (m->before & ~TSC_MASK) | tsc);

    check(m->p->t, fast <= p + 1,
          "TMA: FastCounter: got %lu; wanted less than %lu, the clocks of TSC "
          "to one of the crystal (CPUID.15H)",
          fast, p);
    if (m->adjusts)
        check(m->p->t, ((ctc + 1 - want) & CTC_MASK) <= 2,
              "TMA: CTC: got 0x%lx; wanted 0x%lx: the crystal's clocks at TSC "
              "= 0x%lx, IA32_TSC_ADJUST (3BH) = 0x%lx, CPUID.15H: %u/%u",
              ctc, want & CTC_MASK, tsc, m->adjust, id->leaf15_ebx,
              id->leaf15_eax);
}

/* "The payload values are consistent with the TSC payload value": TSC less the
 * FastCounter moves on by the clocks of the crystal that CTC counts, whatever
 * moves TSC from these. */
static void check_tma_apart(struct timed *m, const struct path_psb *psb)
{
    const struct identity *id = test_cpu(m->p->t);
    const uint64_t eax = id->leaf15_eax, ebx = id->leaf15_ebx,
                   whole = (CTC_MASK + 1) * ebx,
                   may = (ebx / TMA_MAY + 2 * eax) % whole,
                   fast = psb->tma >> TMA_FAST & TMA_FAST_MASK,
                   first = m->tma >> TMA_FAST & TMA_FAST_MASK;

    if (psb->packets[PT_TSC] != 1 || psb->packets[PT_TMA] != 1)
        return;
    if (!m->has_tma) {
        m->has_tma = true;
        m->tsc = psb->tsc;
        m->tma = psb->tma;
        return;
    }
    const uint64_t clocks = ((psb->tsc - m->tsc) & TSC_MASK) + first - fast,
                   ticks = (psb->tma - m->tma) & CTC_MASK;
    check(m->p->t,
          (clocks * eax + whole - ticks * ebx + may) % whole <= 2 * may,
          "TMA of TSC = 0x%lx: CTC = 0x%lx, FastCounter = %lu, %lu clocks of "
          "TSC after CTC = 0x%lx, FastCounter = %lu; wanted %lu/%lu of them to "
          "one of CTC, as CPUID.15H has it",
          psb->tsc, psb->tma & CTC_MASK, fast, clocks + fast - first,
          m->tma & CTC_MASK, first, ebx, eax);
}

/* The first MTC says the crystal's time of about then: ART >> MTCFreq. */
static void check_payload(struct timed *m, unsigned n)
{
    const uint64_t from = art(m, m->before) >> n,
                   passed = (art(m, m->w.code.cells[1]) >> n) - from,
                   most = 2 * passed + MTC_LATE;
    const uint8_t got = m->seen.times.first_mtc;

    if (!m->adjusts || m->seen.packets[PT_MTC] == 0 || most > MTC_KNOWN)
        return;
    m->payloads++;
    check(m->p->t, (uint8_t)(got - from) <= most,
          "MTCFreq = %u: the first MTC says 0x%02x; wanted 0x%02x to 0x%02x: "
          "bits %u to %u of the crystal's clocks after TraceEn is set",
          n, got, (uint8_t)from, (uint8_t)(from + most), n, n + 7);
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
    check_tma(m);
    for (unsigned i = 0; i < m->seen.psbs && i < PATH_PSBS; i++)
        check_tma_apart(m, &m->seen.psb[i]);
    check_clocks(m, n);
    check_payload(m, n);
}

/* MTC depends on TriggerEn alone: not on ContextEn, nor on FilterEn. */
static bool trace_silent(struct timed *m, const char *what, unsigned n,
                         uint64_t control, uint64_t turns)
{
    struct trace *p = m->p;
    const uint64_t usual = p->control;

    window_set_silent(&m->w, trace_body_loop);
    m->w.code.argument = test_random(p->t) | 1;
    m->w.code.count = turns;
    m->w.path.timing = PATH_TIMING_MTC;
    p->control = control | IA32_RTIT_CTL_MTCEn | IA32_RTIT_CTL_MTCFreq(n);
    bool right = window_check(p, what, &m->w, &m->seen);
    p->control = usual;
    return right;
}

static void check_silent(struct timed *m, const char *what, unsigned n,
                         uint64_t control)
{
    struct trace *p = m->p;

    if (!trace_silent(m, what, n, control, TURNS) ||
        test_cpu(p->t)->leaf15_eax == 0 || test_cpu(p->t)->leaf15_ebx == 0)
        return;
    const uint64_t clocks = identity_crystal(
        test_cpu(p->t), m->w.code.cells[2] - m->w.code.cells[1]);
    check(p->t, m->seen.packets[PT_MTC] != 0 || clocks >> n < 2,
          "%s, MTCFreq = %u: got no MTC in %lu clocks of the crystal; wanted "
          "them though PacketEn is 0",
          what, n, clocks);
}

/* MTCs may be dropped, but of several times 256 not the same one each time. */
static void check_each(struct timed *m, unsigned n)
{
    const uint64_t control =
        (m->p->control & ~IA32_RTIT_CTL_OS) | IA32_RTIT_CTL_User;
    const struct path_times *times = &m->seen.times;
    uint64_t turns = 2 * TURNS;
    unsigned payload = 0;

    if (!trace_silent(m, "MTCEn, OS = 0", n, control, turns) ||
        times->mtc_steps == 0)
        return;
    turns += turns * EACH_ROUNDS * 256 / times->mtc_steps;
    if (times->mtc_steps < EACH_ROUNDS * 256 &&
        (turns > EACH_MOST ||
         !trace_silent(m, "MTCEn, OS = 0", n, control, turns)))
        return;
    const uint64_t rounds = times->mtc_steps / 256;
    const unsigned all = m->seen.packets[PT_MTC];
    check(m->p->t,
          rounds < EACH_ROUNDS || all < MTC_SOME ||
              (times->mtc_ones & times->mtc_zeros) == 255,
          "MTCFreq = %u: %u MTC that count %lu have 1 in bits 0x%02x and 0 in "
          "bits 0x%02x; wanted both in each",
          n, all, times->mtc_steps, times->mtc_ones, times->mtc_zeros);
    if (rounds < EACH_ROUNDS || all + 2 * rounds < times->mtc_steps)
        return;
    while (payload < 256 &&
           (times->mtc_payloads[payload / 64] >> payload % 64 & 1) != 0)
        payload++;
    check(m->p->t, payload == 256,
          "MTCFreq = %u: none of %u MTC that count %lu says 0x%02x; wanted "
          "each payload in one of %lu times",
          n, all, times->mtc_steps, payload, rounds);
}

static void check_unseen(struct timed *m, unsigned n)
{
    const uint64_t control = m->p->control;

    check_silent(m, "MTCEn, OS = 0", n,
                 (control & ~IA32_RTIT_CTL_OS) | IA32_RTIT_CTL_User);
    if (registers_ranges(test_cpu(m->p->t)) != 0 &&
        set_msr(m->p->t, IA32_RTIT_ADDR_A(0), 0) &&
        set_msr(m->p->t, IA32_RTIT_ADDR_B(0), 0)) /* no code is there */
        check_silent(m, "MTCEn outside of a filter", n,
                     control |
                         IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER));
}

/* "Once this threshold has passed, CYC will either be sent in the next cycle
 * that produces other CYC-eligible packets, or could be sent stand-alone". */
static void check_threshold(struct timed *m, unsigned n)
{
    const uint64_t least = UINT64_C(1) << (n - 1);
    const struct path_times *times = &m->seen.times;

    if (!trace_timed(m, "CYCEn, CycThresh",
                     IA32_RTIT_CTL_CYCEn | IA32_RTIT_CTL_CycThresh(n),
                     PATH_TIMING_CYC, least))
        return;
    const unsigned all = m->seen.packets[PT_CYC];
    /* Some stand alone, for reasons of the processor's own. */
    check(m->p->t, 2 * times->cyc_short <= all,
          "CycThresh = %u: %u of %u CYC are of less than %lu cycles", n,
          times->cyc_short, all, least);
    check(m->p->t, all >= 2 && times->cycles / (all - 1) < 15 * least / 8,
          "CycThresh = %u: %u CYC of %lu cycles in all; wanted one as soon as "
          "%lu cycles have passed and a packet comes",
          n, all, times->cycles, least);
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
    if (all < 2)
        return;
    /* Thresholds of many packets, and of which there are many. */
    const uint64_t gap = times->cycles / (all - 1), sum = times->cycles;
    unsigned tried = 0;
    for (unsigned n = 1; n < 16 && tried < THRESHOLDS; n++) {
        const uint64_t least = UINT64_C(1) << (n - 1);
        if (registers_threshold_holds(test_cpu(t), n) && least >= 8 * gap &&
            8 * least <= sum) {
            check_threshold(m, n);
            tried++;
        }
    }
    if (tried == 0)
        note(t, "not tested: CycThresh: none fits %u CYC of %lu cycles", all,
             sum);
}

/* What moves TSC from the crystal's clocks; without the MSR nothing does. */
static bool read_adjust(struct timed *m)
{
    return (test_cpu(m->p->t)->leaf7_ebx & LEAF7_EBX_TSC_ADJUST) == 0 ||
           get_msr(m->p->t, IA32_TSC_ADJUST, &m->adjust);
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
    unsigned shortest = 16, longest = 0;

    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    m.adjusts = identity_is_native(id) && read_adjust(&m);
    if (trace_timed(&m, "TSCEn", IA32_RTIT_CTL_TSCEn, PATH_TIMING_TSC, 0))
        check_tsc(&m);
    if ((id->leaf14_ebx & LEAF14_MTC) != 0)
        for (unsigned n = 0; n < 16; n++)
            if ((id->leaf14_1_eax >> 16 >> n & 1) != 0) {
                check_mtc(&m, n);
                shortest = n < shortest ? n : shortest;
                longest = n;
            }
    if (shortest < 16) {
        for (unsigned i = 0; i < MTC_ROUNDS; i++)
            check_mtc(&m, longest);
        note(t, "MTCFreq = %u: %u MTC that count %lu", longest,
             m.seen.packets[PT_MTC], m.seen.times.mtc_steps);
        check_unseen(&m, shortest);
        check_each(&m, shortest);
        check_each(&m, longest);
    }
    if (m.payloads == 0)
        note(t, "not tested: MTC against the crystal's clocks: needs CPUID.15H "
                "and periods longer than an instruction takes");
    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) != 0)
        check_cycles(&m);
}
