/* SPDX-License-Identifier: BSD-2-Clause */
/* CYC packets have the cycles that the counter of core cycles counts: in a long
 * window so many more than in a short one. Each packet that takes a CYC has one
 * of its own, as CycThresh says. */
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/ring3.h"
#include "src/trace/cyc_places.h"
#include "src/trace/gate.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"
#include "src/tsx/probe.h"

#define CORE_CYCLES  1 /* IA32_FIXED_CTR1: CPU_CLK_UNHALTED.CORE */
#define SHORT        2 /* turns */
#define LONG         20
#define FOUR_BYTES   (UINT64_C(1) << 19) /* cycles, in a CYC */
#define DENSE        400                 /* turns more, two CYC in each */
#define SLACK        200 /* cycles: caches that were cold, once */
#define FIRST        8   /* CycThresh: 128 cycles; */
#define LAST         15
#define AFTER_BYTES  24 /* to within the jump out of the body */
#define TURNS        50
#define TRANSACTIONS 4
#define LOOPS        20
#define LOCK_AT      4096 /* of test_records(), after the table */
#define PAUSE        64   /* traces long: nothing is traced; */
#define PAUSE_MS     50   /* but no longer */
#define FASTEST      16   /* core clocks to one of TSC, at most */
#define MTCS         8    /* for the cycles between them to be most */

struct cycles {
    uint64_t counted, traced;
    unsigned packets, few; /* few: of less cycles than CycThresh asks for */
};

struct body {
    const uint8_t *at;
    const struct trace_row *rows;
    bool filtered, aborts;
};

static uint64_t second_jump(const struct body *body)
{
    return trace_at(body->at) + (uint64_t)(int64_t)body->rows[1].at;
}

/* A filter of what is after the second jump: all of a turn but its branch is
 * outside. */
struct outside {
    uint64_t in, turns;
};

static bool outside_step(const void *source, uint64_t index,
                         struct path_step *step)
{
    const struct outside *o = source;

    if (index > 2 * o->turns)
        return false;
    if (index == 2 * o->turns)
        *step = (struct path_step){PATH_PGD_DIRECT, trace_at(trace_window_off)};
    else if (index % 2 == 0)
        *step = (struct path_step){PATH_PGE, o->in};
    else
        *step = (struct path_step){
            index + 1 < 2 * o->turns ? PATH_PGD_HIDDEN : PATH_NOT_TAKEN, 0};
    return true;
}

static bool measure(struct trace *p, const struct body *body, unsigned turns,
                    uint64_t least, struct cycles *out)
{
    const struct outside outside = {second_jump(body), turns};
    unsigned tries = TRACE_TRIES;
    struct window w;
    struct path_seen seen;

    window_set(&w, body->at, body->rows);
    w.repeated = true;
    if (body->filtered)
        w.path = (struct path){.step = outside_step, .source = &outside};
    w.path.timing = PATH_TIMING_CYC;
    w.path.cyc_least = least;
    w.code.argument = IA32_PERF_GLOBAL_CTRL_FIXED_CTR(CORE_CYCLES);
    w.code.count = turns;
    w.fixed = CORE_CYCLES;
    do
        if (tries-- == 0 || !window_trace(p, &w, &seen))
            return false;
    while (body->aborts && w.code.cells[0] != turns);
    if (!window_judge(p, "two packets a turn, the second late", &seen))
        return false;
    *out = (struct cycles){.counted = w.counted,
                           .traced = seen.times.cycles,
                           .packets = seen.packets[PT_CYC],
                           .few = seen.times.cyc_short};
    return true;
}

/* More turns, as many more cycles, but for one part in `parts`. */
static bool check_more(struct trace *p, const struct body *body, unsigned turns,
                       unsigned parts, struct cycles *more)
{
    struct test_context *t = p->t;
    struct cycles less;

    if (!measure(p, body, SHORT, 0, &less) || !measure(p, body, turns, 0, more))
        return false;

    const uint64_t counted = more->counted - less.counted,
                   traced = more->traced - less.traced;
    check(t, more->counted > less.counted,
          "IA32_FIXED_CTR1 (30AH): %lu core cycles in %u turns, %lu in %u; "
          "wanted more in more",
          less.counted, SHORT, more->counted, turns);
    check(t,
          traced + SLACK >= counted - counted / parts &&
              traced <= counted + counted / parts + SLACK,
          "CYC: %lu cycles in %u turns, %lu in %u: %ld more; wanted about %lu "
          "more, as IA32_FIXED_CTR1 (30AH) says",
          less.traced, SHORT, more->traced, turns, traced, counted);
    if (!body->aborts)
        note(t,
             "%u turns: %u CYC of %lu cycles, %lu counted; %u: %u of %lu, %lu",
             SHORT, less.packets, less.traced, less.counted, turns,
             more->packets, more->traced, more->counted);
    return true;
}

/* One in each turn, where that is longer than the threshold, which its first
 * jump is not; else one for so many cycles. */
static void check_thresholds(struct trace *p, const struct body *body,
                             unsigned turns, uint64_t cycles)
{
    const uint64_t control = p->control;
    struct cycles seen;

    for (unsigned n = FIRST; n <= LAST; n++) {
        const uint64_t least = UINT64_C(1) << (n - 1);
        const bool each = cycles >= 2 * least * turns;
        const uint64_t wanted = each ? turns : cycles / (4 * least);

        if (!registers_threshold_holds(test_cpu(p->t), n) || wanted == 0)
            continue;
        p->control = control | IA32_RTIT_CTL_CycThresh(n);
        if (measure(p, body, turns, least, &seen))
            check(p->t, seen.packets >= wanted && 4 * seen.few <= seen.packets,
                  "CycThresh = %u: %u CYC in %u turns of %lu cycles, %u of "
                  "less than %lu; wanted %lu or more, few of those",
                  n, seen.packets, turns, cycles, seen.few, least, wanted);
        p->control = control;
    }
}

/* Of transactions that commit, and that abort: of these the MODE.TSX alone. */
static void trace_transactions(struct trace *p, struct cyc_places *places)
{
    struct cyc_places aborts = {.zeros = 0};
    struct window w;

    if (!probe_state_if_any(p->t))
        return;
    for (unsigned i = 0; i < TRANSACTIONS; i++) {
        window_set(&w, trace_body_tx_commit, trace_body_tx_commit_path);
        w.code.argument = trace_at(test_records(p->t)) + LOCK_AT;
        cyc_places_trace(p, &w, 0, places);
        window_set(&w, trace_body_tx_abort, trace_body_tx_abort_path);
        w.code.argument = trace_at(test_records(p->t)) + LOCK_AT;
        cyc_places_trace(p, &w, 0, &aborts);
    }
    places->all[CYC_OF_ABORT] = aborts.all[CYC_OF_ABORT];
    places->with[CYC_OF_ABORT] = aborts.with[CYC_OF_ABORT];
}

/* Branches and MTC, writes of CR3, ways into a filter and out of it. */
static void check_places(struct trace *p)
{
    const struct identity *id = test_cpu(p->t);
    struct cyc_places places = {.zeros = 0};
    uint8_t *gates = (uint8_t *)test_records(p->t) + LOCK_AT;
    struct ring3_registers registers;
    unsigned loops = LOOPS;
    struct window w;

    /* By chance all MTC of a trace come in the cycle of a branch. */
    window_set_loop(&w, p->t, TURNS);
    do
        cyc_places_trace(p, &w, registers_mtc_often(id), &places);
    while (places.with[CYC_OF_MTC] == 0 && places.all[CYC_OF_MTC] != 0 &&
           --loops != 0);
    ring3_read(&registers);
    window_set(&w, trace_body_cr3, trace_body_cr3_path);
    w.code.argument = registers.cr3;
    cyc_places_trace(p, &w, 0, &places);
    if (registers_ranges(id) != 0 &&
        set_msr(p->t, IA32_RTIT_ADDR_A(0), trace_at(trace_range_first)) &&
        set_msr(p->t, IA32_RTIT_ADDR_B(0), trace_at(trace_range_last))) {
        window_set(&w, trace_body_range, trace_body_range_path);
        w.bare = true;
        cyc_places_trace(
            p, &w, IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER), &places);
    }
    trace_transactions(p, &places);
    trace_gates(gates);
    gates_set_events(gates);
    window_set(&w, trace_body_events, trace_body_events_path);
    w.gates = gates;
    cyc_places_trace(p, &w, 0, &places);
    if ((id->leaf14_ebx & LEAF14_PTW) != 0) {
        window_set(&w, trace_body_ptwrite, trace_body_ptwrite_path);
        cyc_places_trace(p, &w, IA32_RTIT_CTL_PTWEn, &places);
    }
    cyc_places_check(p->t, "", &places);
}

/* The cycles to the first CYC of a trace; 0 where there is none. *tsc: how long
 * the trace took. */
static uint64_t first_cycles(struct trace *p, uint64_t *tsc)
{
    struct window w;
    struct path_seen seen;

    window_set(&w, trace_body_nothing, trace_body_nothing_path);
    w.path.timing = PATH_TIMING_CYC;
    if (!window_trace(p, &w, &seen))
        return 0;
    *tsc = hw_tsc() - w.code.tsc;
    return cyc_cycles(p, false);
}

/* A filter of the window's end alone: no packet before it, and so many cycles
 * that a CYC of them has four bytes. It may be several. */
static void check_gap(struct trace *p, const struct body *body,
                      uint64_t counted)
{
    const struct path_step steps[] = {{PATH_PGE, trace_at(trace_window_off)},
                                      {PATH_FUP, trace_at(trace_window_off_at)},
                                      {PATH_PGD_HIDDEN, 0}};
    const struct path_list list = {steps, 3};
    /* Of LONG turns; a turn has one cycle at least. */
    const uint64_t cycles = counted > LONG ? counted : LONG;
    const uint64_t control = p->control;
    struct path_seen seen;
    struct window w;

    window_set(&w, body->at, body->rows);
    w.path = (struct path){
        .step = path_list_step, .source = &list, .timing = PATH_TIMING_CYC};
    w.code.argument = IA32_PERF_GLOBAL_CTRL_FIXED_CTR(CORE_CYCLES);
    w.code.count = LONG * FOUR_BYTES / cycles + 1;
    w.fixed = CORE_CYCLES;
    p->control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    if (registers_ranges(test_cpu(p->t)) != 0 &&
        set_msr(p->t, IA32_RTIT_ADDR_A(0), steps[0].value) &&
        set_msr(p->t, IA32_RTIT_ADDR_B(0), steps[1].value) &&
        window_check(p, "a filter of the window's end", &w, &seen)) {
        const uint64_t all = cyc_cycles(p, true), part = w.counted / 8;
        check(p->t, all + part >= w.counted && all <= w.counted + part + SLACK,
              "CYC without a packet before: %lu cycles; wanted about %lu, as "
              "IA32_FIXED_CTR1 (30AH) says",
              all, w.counted);
    }
    p->control = control;
}

/* "The cycle counter will continue to count when ContextEn or FilterEn are
 * cleared": as many cycles as without the filter. */
static void check_outside(struct trace *p, const struct body *body)
{
    const uint64_t control = p->control;
    const struct body filtered = {body->at, body->rows, true, false};
    struct cycles seen;

    p->control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    if (registers_ranges(test_cpu(p->t)) != 0 &&
        set_msr(p->t, IA32_RTIT_ADDR_A(0), second_jump(body)) &&
        set_msr(p->t, IA32_RTIT_ADDR_B(0), second_jump(body) + AFTER_BYTES))
        check_more(p, &filtered, LONG, 8, &seen);
    p->control = control;
}

/* The same where nothing but the time is traced: MTC have CYC then, and may be
 * too many for a page, which is what a single range has. False: not traced. */
static bool check_silent(struct trace *p, const char *what, uint64_t bits,
                         const struct body *body, struct path_seen *seen)
{
    const uint64_t control = p->control,
                   mtc = registers_mtc_often(test_cpu(p->t));
    struct window w;

    window_set_silent(&w, body->at);
    w.path.timing = PATH_TIMING_CYC | PATH_TIMING_MTC;
    w.code.argument = IA32_PERF_GLOBAL_CTRL_FIXED_CTR(CORE_CYCLES);
    w.code.count = LONG;
    w.fixed = CORE_CYCLES;
    p->control = bits | mtc;
    const bool traced = mtc != 0 &&
                        (test_cpu(p->t)->leaf14_ecx & LEAF14_TOPA) != 0 &&
                        window_check(p, what, &w, seen);
    p->control = control;
    if (traced)
        check(p->t,
              seen->packets[PT_MTC] < MTCS ||
                  2 * seen->times.cycles + SLACK >= w.counted,
              "%s: CYC: %lu cycles between %u MTC; wanted most of the %lu that "
              "IA32_FIXED_CTR1 (30AH) says",
              what, seen->times.cycles, seen->packets[PT_MTC], w.counted);
    return traced;
}

/* Where ContextEn is 0; and BranchEn, which "timing" does not depend on. */
static void check_time_alone(struct trace *p, const struct body *body)
{
    struct path_seen level, branches;

    if (check_silent(p, "CYCEn, MTCEn, OS = 0",
                     (p->control & ~IA32_RTIT_CTL_OS) | IA32_RTIT_CTL_User,
                     body, &level) &&
        !output_is_broadwell(test_cpu(p->t)) && /* BDM106 */
        check_silent(p, "CYCEn, MTCEn, BranchEn = 0",
                     p->control & ~IA32_RTIT_CTL_BranchEn, body, &branches))
        check(p->t,
              branches.packets[PT_MTC] != 0 || level.packets[PT_MTC] < MTCS,
              "CYCEn, MTCEn, BranchEn = 0: got no MTC; wanted some, as the %u "
              "with OS = 0",
              level.packets[PT_MTC]);
}

/* "The cycle counter is reset to zero any time that TriggerEn is cleared". */
static void check_reset(struct trace *p)
{
    uint64_t tsc = 0;

    (void)first_cycles(p, &tsc);
    const uint64_t since = hw_tsc(), ms = hw_ms(), pause = PAUSE * tsc;
    while (hw_tsc() - since < pause && hw_ms() - ms < PAUSE_MS)
        hw_poll();
    const uint64_t paused = hw_tsc() - since;
    const uint64_t got = first_cycles(p, &tsc);
    check(p->t, got <= FASTEST * tsc,
          "the first CYC: got %lu cycles; wanted less than %lu, since TraceEn "
          "was set: %lu clocks of TSC before it was 0",
          got, FASTEST * tsc, paused);
}

/* Those of a transaction that aborts are counted as others are, and sent. */
static void check_aborts(struct trace *p)
{
    static const struct body aborts = {trace_body_tx_counted,
                                       trace_body_tx_counted_path, false, true};
    struct cycles seen;

    if (probe_state_if_any(p->t) && check_more(p, &aborts, LONG, 8, &seen))
        check_thresholds(p, &aborts, LONG, seen.traced);
}

TEST(pt_cycles, .asks = "Do CYC packets say how many core cycles have passed?",
     .cite = "SDM 3C, Intel Processor Trace, \"Cycle Count Packet (CYC) "
             "Packet\", \"Cycle-Accurate Mode\", \"Cycle Counter\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PMU})
{
    static const struct body late = {trace_body_counted,
                                     trace_body_counted_path, false, false},
                             dense = {trace_body_dense, trace_body_dense_path,
                                      false, false};
    const struct identity *id = test_cpu(t);
    struct trace p;
    struct cycles seen;

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

    /* Measured and checked. */
    if (!check_more(&p, &late, LONG, 8, &seen))
        return;
    const uint64_t counted = seen.counted;
    check_thresholds(&p, &late, LONG, seen.traced);
    check_places(&p);
    check_gap(&p, &late, counted);
    check_outside(&p, &late);
    check_aborts(&p);
    check_time_alone(&p, &late);
    check_reset(&p);
    p.control =
        (p.control & ~IA32_RTIT_CTL_PSBFreq(15)) | registers_psb_seldom(id);
    if ((id->leaf14_ecx & LEAF14_TOPA) != 0 &&
        check_more(&p, &dense, DENSE, 64, &seen))
        check_thresholds(&p, &dense, DENSE, seen.traced);
}
