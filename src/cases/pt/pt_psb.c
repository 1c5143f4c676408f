/* SPDX-License-Identifier: BSD-2-Clause */
/* PSB+ in the middle of a trace: what it has to hold of the processor's state,
 * and how often it comes. */
#include "src/base/msr.h"
#include "src/counting/ring3.h"
#include "src/trace/window.h"

#define TRACE_MIN 7680u /* bytes of trace, at least */
_Static_assert(TRACE_MIN / WINDOW_TURN_BYTES * WINDOW_TURN_BYTES_MAX <
                   TRACE_BYTES - 2048,
               "no STOP");
#define PERIOD_CALLS 2048u /* a PSB in so many bytes, for calls */
#define CALLS_MIN    (2 * PERIOD_CALLS + 256)
#define CALLS_PLACES 12 /* of a PSB among calls, so many bytes apart */
#define CALLS_STEP   5
#define CALLS_FEW    64    /* turns: some hundred bytes */
#define PERIOD_MAX   4096u /* of those tried */
#define LONG_FIRST   2     /* PSBFreq: beyond PERIOD_MAX, */
#define LONG_LAST    4     /* and 32 KB */
#define LONG_TURNS   20
#define LONG_TRIES   4
#define LONG_LATE    512u /* bytes */
#define PIP_BYTES    8u
#define PERIOD_UNKNOWN                                    \
    2048u /* not enumerated: Broadwell; for the size only \
           */

/* What PSB+ holds while PacketEn, OS and BranchEn are 1. */
static const struct {
    uint8_t kind;
    const char *name;
} wanted[] = {{PT_CBR, "CBR"},
              {PT_PIP, "PIP"},
              {PT_MODE_EXEC, "MODE.Exec"},
              {PT_MODE_TSX, "MODE.TSX"},
              {PT_FUP, "FUP"}};

static void check_psb(struct trace *p, const struct path *path,
                      const struct path_psb *psb, uint64_t cr3)
{
    const bool has_tsx = test_cpu(p->t)->rtm || test_cpu(p->t)->hle;
    const uint64_t nr = identity_is_native(test_cpu(p->t)) ? 0 : psb->pip & 1;

    for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        check(p->t,
              psb->packets[wanted[i].kind] != 0 ||
                  (wanted[i].kind == PT_MODE_TSX && !has_tsx),
              "PSB+ at offset 0x%lx: got no %s, wanted one", psb->offset,
              wanted[i].name);
    check(p->t, psb->pip == (path_pip(cr3) | nr),
          "PSB+ at offset 0x%lx: PIP: got 0x%lx, wanted 0x%lx, of CR3 = 0x%lx",
          psb->offset, psb->pip, path_pip(cr3), cr3);
    check(p->t, path->at(path->source, psb->step, psb->ip),
          "PSB+ at offset 0x%lx: FUP: got 0x%lx, where the processor was not "
          "between packets %lu and %lu of the control flow; the loop is at "
          "0x%lx",
          psb->offset, psb->ip, psb->step - 1, psb->step,
          trace_at(trace_body_loop));
    check(p->t, psb->mode_tsx == 0,
          "PSB+ at offset 0x%lx: MODE.TSX: got 0x%x outside of a transaction, "
          "wanted 0",
          psb->offset, psb->mode_tsx);
}

/* The PSBs between which there are whole periods, but for the first, which is
 * made when TraceEn is set. */
static void check_all(struct trace *p, const struct path *path,
                      const struct path_seen *seen, uint64_t cr3)
{
    for (unsigned i = 1; i < seen->psbs && i < PATH_PSBS; i++)
        check_psb(p, path, &seen->psb[i], cr3);
}

/* "Timestamp Counter (TSC) Packet": its payload is TSC[55:0] at that time. */
static void check_times(struct trace *p)
{
    struct window w;
    struct path_seen seen;

    p->control |= IA32_RTIT_CTL_TSCEn;
    window_set_loop(&w, p->t, TRACE_MIN / WINDOW_TURN_BYTES);
    w.path.timing = PATH_TIMING_TSC;
    if (!window_check(p, "turns of a loop, TSCEn = 1", &w, &seen))
        return;
    for (unsigned i = 1; i < seen.psbs && i < PATH_PSBS; i++) {
        const uint64_t passed =
            (seen.psb[i].tsc - seen.psb[i - 1].tsc) & BITS(55, 0);
        check(
            p->t, passed != 0 && passed < BIT(55),
            "PSB+ at offset 0x%lx: TSC: got 0x%lx, wanted more than the 0x%lx "
            "of the one before",
            seen.psb[i].offset, seen.psb[i].tsc, seen.psb[i - 1].tsc);
    }
}

/* Where filters let all of it pass PSB+ is as without them. */
static void check_filtered(struct trace *p)
{
    const uint64_t control = p->control;
    struct ring3_registers registers;
    struct window w;
    struct path_seen seen;

    ring3_read(&registers);
    p->control |= IA32_RTIT_CTL_CR3Filter;
    window_set_loop(&w, p->t, TRACE_MIN / WINDOW_TURN_BYTES);
    if (set_msr(p->t, IA32_RTIT_CR3_MATCH,
                registers.cr3 & UINT64_C(0x000ffffffffff000)) &&
        window_check(p, "turns of a loop, CR3Filter = 1", &w, &seen))
        check_all(p, &w.path, &seen, w.code.cells[0]);
    p->control = control;
}

/* "The average output bytes per PSB should approximate the selected period",
 * and a processor may make more. */
static void check_period(struct trace *p, const struct path_seen *seen,
                         uint32_t period)
{
    const unsigned known = seen->psbs < PATH_PSBS ? seen->psbs : PATH_PSBS;

    if (!check(p->t, known >= 2,
               "%lu bytes of trace with %u PSB; wanted one in about %u, by "
               "IA32_RTIT_CTL (570H)[27:24] (PSBFreq)",
               trace_bytes(p), seen->psbs, period))
        return;
    const uint64_t average =
        (seen->psb[known - 1].offset - seen->psb[0].offset) / (known - 1);
    check(p->t, average > period / 8 * 5 && average < period / 2 * 3,
          "one PSB in %lu bytes; wanted about %u, by IA32_RTIT_CTL "
          "(570H)[27:24] (PSBFreq)",
          average, period);
    note(p->t, "one PSB in %lu bytes where PSBFreq says %u", average, period);
}

/* Where no return was of a call before a PSB: others, brought to other places
 * by PacketByteCnt. */
static void move_psb(struct trace *p, struct window *w, struct path_seen *seen)
{
    w->code.count = CALLS_FEW;
    w->times = 2;
    for (unsigned i = 0; i < CALLS_PLACES && seen->over_psb == 0; i++) {
        w->status = (uint64_t)(PERIOD_CALLS - 256 - CALLS_STEP * i)
                    << PACKET_BYTES_AT;
        if (!window_check(p, "calls and returns", w, seen))
            return;
    }
}

/* "The processor will never compress a RET across a PSB": each PSB comes within
 * one of the calls, or next to them. */
static void check_calls(struct trace *p)
{
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_calls, trace_body_calls_path);
    w.repeated = true;
    w.code.count = CALLS_MIN / (3 * TRACE_CALLS_JUMPS);
    if (!window_check(p, "calls and returns", &w, &seen))
        return;
    check(p->t, seen.psbs >= 2,
          "calls and returns: %lu bytes of trace with %u PSB; wanted one in "
          "about %u",
          trace_bytes(p), seen.psbs, PERIOD_CALLS);
    move_psb(p, &w, &seen);
    note(p->t, "%u PSBs, %u returns of calls before one; %u of %u compressed",
         seen.psbs, seen.over_psb, seen.compressed, seen.returns);
}

static void try_period(struct trace *p, struct window *w, uint32_t period)
{
    struct path_seen seen;

    window_set_loop(w, p->t, TRACE_MIN / WINDOW_TURN_BYTES);
    if (!window_check(p, "turns of a loop", w, &seen))
        return;
    check_all(p, &w->path, &seen, w->code.cells[0]);
    if (output_psb_bytes(test_cpu(p->t)) == 0)
        note(p->t, "%u PSBs in %lu bytes; the period is not enumerated",
             seen.psbs, trace_bytes(p));
    else
        check_period(p, &seen, period);
}

/* "The processor also uses this field to determine when the next PSB packet
 * should be inserted": PacketByteCnt, for periods that are longer than a trace.
 * Far from the period there is no PSB, in one of some tries; near to it one
 * comes. */
static void try_long(struct trace *p, unsigned n)
{
    const uint32_t period = 2048u << n;
    unsigned psbs = 2;
    struct window w;
    struct path_seen seen;

    window_set_loop(&w, p->t, LONG_TURNS);
    w.times = 2;
    w.status = (uint64_t)(period / 2) << PACKET_BYTES_AT;
    for (unsigned i = 0; i < LONG_TRIES && psbs != 1; i++) {
        if (!window_check(p, "PacketByteCnt far from a PSB", &w, &seen))
            return;
        psbs = seen.psbs;
    }
    check(p->t, psbs == 1,
          "PSBFreq = %u: PacketByteCnt, IA32_RTIT_STATUS (571H)[48:32], from "
          "%u on: got a PSB in each of %u traces; wanted none before %u",
          n, period / 2, LONG_TRIES, period);
    window_set_loop(&w, p->t, (period / 16 + LONG_LATE) / WINDOW_TURN_BYTES);
    w.times = 2;
    w.status = (uint64_t)(period - LONG_LATE / 2) << PACKET_BYTES_AT;
    if (window_check(p, "PacketByteCnt near to a PSB", &w, &seen))
        check(p->t, seen.psbs > 1,
              "PSBFreq = %u: PacketByteCnt, IA32_RTIT_STATUS (571H)[48:32], "
              "from %u on: got no PSB in %u bytes; wanted one at about %u",
              n, period - LONG_LATE / 2, period / 16 + LONG_LATE, period);
}

/* BranchEn is of the control flow: PSB comes without it too. All there is are
 * PIPs, three of each run, which goes on where the last has stopped. */
static void check_no_branches(struct trace *p, uint32_t period)
{
    struct ring3_registers registers;
    struct pt_reader reader;
    struct pt_packet packet;
    unsigned psbs = 0, pips = 0;
    struct window w;
    struct path_seen seen;

    ring3_read(&registers);
    window_set(&w, trace_body_cr3, trace_body_cr3_path);
    w.code.argument = registers.cr3;
    w.times = 2 * period / (3 * PIP_BYTES);
    p->control &= ~IA32_RTIT_CTL_BranchEn;
    if (!window_trace(p, &w, &seen))
        return;
    pt_open(&reader);
    pt_feed(&reader, p->memory, trace_bytes(p), true);
    while (pt_next(&reader, &packet) == PT_OK) {
        psbs += packet.kind == PT_PSB;
        pips += packet.kind == PT_PIP;
    }
    check(p->t, psbs >= 2 || pips * PIP_BYTES < period + period / 2,
          "BranchEn = 0: %u PIP of %u bytes each, and %u PSB; wanted one in "
          "about %u bytes, as with BranchEn = 1",
          pips, PIP_BYTES, psbs, period);
}

TEST(pt_psb, .asks = "Does PSB+ come in time, and say all of the state?",
     .cite = "SDM 3C, Intel Processor Trace, \"Decoder Synchronization "
             "(PSB+)\", \"Packet Stream Boundary (PSB) Packet\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA})
{
    const struct identity *id = test_cpu(t);
    const uint32_t shortest = output_psb_bytes(id);
    struct trace p;
    struct window w;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    if (shortest == 0) {
        try_period(&p, &w, PERIOD_UNKNOWN);
        return;
    }
    for (unsigned n = 0; 2048u << n <= PERIOD_MAX; n++)
        if ((id->leaf14_1_ebx >> 16 >> n & 1) != 0) {
            p.control &= ~IA32_RTIT_CTL_PSBFreq(15);
            p.control |= IA32_RTIT_CTL_PSBFreq(n);
            try_period(&p, &w, 2048u << n);
        }
    for (unsigned n = LONG_FIRST; n <= LONG_LAST; n++)
        if ((id->leaf14_1_ebx >> 16 >> n & 1) != 0) {
            p.control &= ~IA32_RTIT_CTL_PSBFreq(15);
            p.control |= IA32_RTIT_CTL_PSBFreq(n);
            try_long(&p, n);
        }
    p.control = output_control(id, true);
    if (shortest <= PERIOD_MAX && (id->leaf14_ebx & LEAF14_CR3) != 0)
        check_filtered(&p);
    if (shortest <= PERIOD_MAX)
        check_times(&p);
    if (shortest == PERIOD_CALLS) {
        p.control = output_control(id, true);
        check_calls(&p);
    }
    if (shortest <= PERIOD_MAX) {
        p.control = output_control(id, true);
        check_no_branches(&p, shortest);
    }
    if (shortest > PERIOD_MAX)
        skip(t, "needs PSBs every %u bytes or less; PSBFreq allows %u",
             PERIOD_MAX, shortest);
}
