/* SPDX-License-Identifier: BSD-2-Clause */
/* PSB+ amid all kinds of packets: PacketByteCnt brings it to a place after each
 * of them, and it says what the packets before it do. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/gate.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"
#include "src/tsx/probe.h"

#define PAGE_BYTES  4096u
#define LOCK_AT     (2 * PAGE_BYTES) /* of test_records(), after the table */
#define GATES_AT    (3 * PAGE_BYTES)
#define PLACES      12
#define FIRST       6 /* bytes before a PSB is due: then so many more */
#define STEP        7
#define LOOP_TURNS  6
#define LOOP_PLACES 96 /* a byte apart: more than a turn has */

struct place {
    struct trace *p;
    uint64_t cr3, other; /* another one, that maps the same */
    uint32_t period;
    uint8_t *gates; /* of its windows; or NULL */
    unsigned psbs;
};

/* Of the steps before it. */
struct state {
    uint64_t pip;
    bool in_tx, enabled; /* PacketEn */
};

static struct state state_before(const struct path *path, uint64_t index,
                                 uint64_t cr3)
{
    struct state state = {.pip = path_pip(cr3)};
    struct path_step step;

    for (uint64_t i = 0; i < index && path->step(path->source, i, &step); i++)
        switch (step.kind) {
        case PATH_PIP:
            state.pip = step.value;
            break;
        case PATH_MODE_TSX:
            state.in_tx = (step.value & PT_MODE_TSX_INTX) != 0;
            break;
        case PATH_PGE:
            state.enabled = true;
            break;
        case PATH_PGD:
        case PATH_PGD_DIRECT:
        case PATH_PGD_HIDDEN:
            state.enabled = false;
            break;
        default:
            break;
        }
    return state;
}

static void check_psb(struct place *place, const char *what,
                      const struct path *path, const struct path_psb *psb)
{
    const struct state want = state_before(path, psb->step, place->cr3);
    const uint64_t any = path->any_nr ? 1 : 0;
    struct test_context *t = place->p->t;

    place->psbs++;
    check(t, psb->packets[PT_PIP] != 0 && ((psb->pip ^ want.pip) & ~any) == 0,
          "%s, PSB+ before packet %lu: PIP: got %u, of 0x%lx; wanted 0x%lx",
          what, psb->step, psb->packets[PT_PIP], psb->pip, want.pip);
    check(t, psb->packets[PT_CBR] != 0,
          "%s, PSB+ before packet %lu: got no CBR; wanted one", what,
          psb->step);
    /* "If ContextEn and BranchEn": whatever PacketEn is. */
    check(t,
          psb->packets[PT_MODE_TSX] != 0 ||
              (!test_cpu(t)->rtm && !test_cpu(t)->hle),
          "%s, PSB+ before packet %lu: got no MODE.TSX; wanted one", what,
          psb->step);
    if (!want.enabled) {
        check_known(
            t, psb->packets[PT_FUP] == 0 && psb->packets[PT_MODE_EXEC] == 0,
            ERRATUM_PT_PSB_UNEXPECTED, true,
            "%s, PSB+ before packet %lu: got %u FUP, %u MODE.Exec where "
            "PacketEn is 0; wanted none",
            what, psb->step, psb->packets[PT_FUP], psb->packets[PT_MODE_EXEC]);
        return;
    }
    check(t, psb->packets[PT_FUP] != 0 && psb->packets[PT_MODE_EXEC] != 0,
          "%s, PSB+ before packet %lu: got %u FUP, %u MODE.Exec; wanted one "
          "each",
          what, psb->step, psb->packets[PT_FUP], psb->packets[PT_MODE_EXEC]);
    check(t,
          psb->packets[PT_FUP] == 0 ||
              path->at(path->source, psb->step, psb->ip),
          "%s, PSB+ before packet %lu: FUP: got 0x%lx, where the processor was "
          "not between that packet and the one before: a PSB comes after the "
          "TNT that is due",
          what, psb->step, psb->ip);
    check(t,
          psb->packets[PT_MODE_TSX] == 0 ||
              ((psb->mode_tsx & PT_MODE_TSX_INTX) != 0) == want.in_tx,
          "%s, PSB+ before packet %lu: MODE.TSX: got InTX = %u; wanted %u",
          what, psb->step, psb->mode_tsx & PT_MODE_TSX_INTX, want.in_tx);
}

/* Two windows: the second begins with so many bytes until a PSB. Without rows
 * it is the loop. */
static void check_places(struct place *place, const char *what,
                         const uint8_t *body, const struct trace_row *rows,
                         uint64_t argument, bool transaction)
{
    const bool bare = body == trace_body_range;
    struct window w;
    struct path_seen seen;

    for (unsigned i = 0; i < (rows != NULL ? PLACES : LOOP_PLACES); i++) {
        memset((uint8_t *)test_records(place->p->t) + LOCK_AT, 0, 128);
        if (rows != NULL)
            window_set(&w, body, rows);
        else
            window_set_loop(&w, place->p->t, LOOP_TURNS);
        w.bare = bare;
        w.gates = place->gates;
        w.path.timing = (place->p->control & IA32_RTIT_CTL_CYCEn) != 0
                            ? PATH_TIMING_CYC
                            : 0;
        if (rows != NULL)
            w.code.argument = argument;
        w.times = 2;
        w.status =
            (uint64_t)(place->period - FIRST - (rows != NULL ? STEP : 1) * i)
            << PACKET_BYTES_AT;
        /* A transaction may go otherwise, and counts in the first cell where it
         * does not. */
        if (!window_trace(place->p, &w, &seen) ||
            (transaction && w.code.cells[0] != w.times) ||
            !window_judge(place->p, what, &seen))
            continue;
        for (unsigned n = 1; n < seen.psbs && n < PATH_PSBS; n++)
            check_psb(place, what, &w.path, &seen.psb[n]);
    }
}

/* Another CR3, of a copy of the table that it points at. */
static bool find_tables(struct place *place)
{
    struct test_context *t = place->p->t;
    const uint64_t control = place->p->control;
    uint8_t *copy = (uint8_t *)test_records(t) + PAGE_BYTES;
    struct window w;
    struct path_seen seen;

    window_set_silent(&w, trace_body_cr3_read);
    place->p->control = control & ~IA32_RTIT_CTL_OS;
    const bool read = window_check(place->p, "reading CR3", &w, &seen);
    place->p->control = control;
    place->cr3 = w.code.cells[0];
    place->other = trace_at(copy) | (place->cr3 & BITS(11, 0));
    if (read)
        memcpy(copy, (const void *)(uintptr_t)(place->cr3 & ~BITS(11, 0)),
               PAGE_BYTES);
    return read;
}

/* Right before or after the packets of an event, not amid them. */
static void check_events(struct place *place)
{
    uint8_t *gates = (uint8_t *)test_records(place->p->t) + GATES_AT;

    trace_gates(gates);
    gates_set_events(gates);
    place->gates = gates;
    check_places(place, "exceptions and interrupts", trace_body_events,
                 trace_body_events_path, 0, false);
    place->gates = NULL;
}

/* With a filter, PSB+ comes outside of it too, and a MODE.Exec with the next
 * TIP.PGE: "if no MODE.Exec since last PSB". */
static void check_range(struct place *place)
{
    struct trace *p = place->p;

    p->control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    if (set_msr(p->t, IA32_RTIT_ADDR_A(0), trace_at(trace_range_first)) &&
        set_msr(p->t, IA32_RTIT_ADDR_B(0), trace_at(trace_range_last)))
        check_places(place, "in and out of a filter", trace_body_range,
                     trace_body_range_path, 0, false);
}

TEST(pt_psb_place, .asks = "Is PSB+ whole wherever it comes?",
     .cite = "SDM 3C, Intel Processor Trace, \"Decoder Synchronization "
             "(PSB+)\", \"IA32_RTIT_STATUS MSR\", table \"Compound Packet "
             "Event Summary\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA})
{
    struct trace p;
    struct place place = {.p = &p, .period = output_psb_counted(test_cpu(t))};

    /* Set-up. */
    if (place.period == 0) {
        skip(t,
             "needs PacketByteCnt (CPUID.14H.0:EBX[1]) and PSBs every %u "
             "bytes or less",
             PACKET_BYTES_MAX);
        return;
    }
    const bool rtm = probe_state_if_any(t);
    if (!trace_claim(&p, t) || !find_tables(&place))
        return;

    /* Measured and checked. */
    check_places(&place, "conditional branches", trace_body_conditions,
                 trace_body_conditions_path, 0, false);
    /* A CYC is sent before the TNT that it is for is full. */
    p.control |= IA32_RTIT_CTL_CYCEn;
    check_places(&place, "conditional branches and CYC", trace_body_conditions,
                 trace_body_conditions_path, 0, false);
    check_places(&place, "turns of a loop and CYC", trace_body_loop, NULL, 0,
                 false);
    p.control &= ~IA32_RTIT_CTL_CYCEn;
    check_places(&place, "jumps, calls and returns", trace_body_transfers,
                 trace_body_transfers_path, 0, false);
    check_places(&place, "writes of CR3", trace_body_cr3, trace_body_cr3_path,
                 place.other, false);
    check_events(&place);
    if (rtm) {
        check_places(&place, "a transaction", trace_body_tx_commit,
                     trace_body_tx_commit_path,
                     trace_at(test_records(t)) + LOCK_AT, true);
        check_places(&place, "an elided lock", trace_body_tx_elision,
                     trace_body_tx_elision_path,
                     trace_at(test_records(t)) + LOCK_AT, true);
    }
    if (registers_ranges(test_cpu(t)) != 0)
        check_range(&place);
    note(t, "%u PSBs amid %u windows", place.psbs, PLACES);
}
