/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_bodies.c - traces the bodies at ring 3. */
#include "src/trace/ring3_bodies.h"

#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/trace/cyc_places.h"
#include "src/trace/output.h"
#include "src/trace/packets.h"
#include "src/trace/ring3_events.h"

#define CORE_CYCLES 1   /* IA32_FIXED_CTR1: CPU_CLK_UNHALTED.CORE */
#define SHORT       2   /* turns of the body with calls, */
#define LONG        40  /* of 13 CYC each */
#define SLACK       100 /* cycles, once */
#define TRIES       4
/* Bytes from where TraceEn is set until a PSB is due, and until it is there. */
#define PSB_DUE    64
#define PSB_LATEST (PSB_DUE + 512)

static const struct body {
    const char *what;
    const uint8_t *at;
    const struct trace_row *rows;
    bool no_compression;
} bodies[] = {
    {"conditional branches", trace_body_conditions, trace_body_conditions_path,
     false},
    {"branches taken and not taken", trace_body_pattern,
     trace_body_pattern_path, false},
    {"jumps, calls and returns", trace_body_transfers,
     trace_body_transfers_path, false},
    {"returns", trace_body_returns, trace_body_returns_path, false},
    {"returns, DisRETC = 1", trace_body_returns, trace_body_returns_path, true},
};

/* Into the body, its rows, and the exception at its end. */
struct whole {
    const struct ring3_shown *b;
    const struct window *w;
    uint64_t steps;
};

static bool whole_step(const void *source, uint64_t index,
                       struct path_step *step)
{
    const struct whole *whole = source;
    const struct ring3_shown *b = whole->b;
    const struct path_step before[] = {
        {PATH_PGE, ring3_shown_code(b, ring3_body)},
        {PATH_TIP, ring3_shown_code(b, ring3_body_elsewhere)}};
    const struct path_step after[] = {
        {PATH_FUP, trace_at(ring3_shown_at(b, trace_window_off))},
        {PATH_PGD_HIDDEN, 0}};

    if (index < 2) {
        *step = before[index];
        return true;
    }
    index -= 2;
    if (index < whole->steps)
        return whole->w->path.step(whole->w, index, step);
    index -= whole->steps;
    if (index >= 2)
        return false;
    *step = after[index];
    return true;
}

/* Follows it. False where packets were lost or it is wrong: FAIL is said. */
static bool judge(const struct ring3_shown *b, const char *what,
                  const struct window *w, struct path_seen *seen)
{
    struct whole whole = {b, w, 0};
    struct path path = w->path;
    struct path_step step;

    while (w->path.step(w, whole.steps, &step))
        whole.steps++;
    path.step = whole_step;
    path.at = NULL;
    path.source = &whole;
    path.errata =
        pt_errata(test_cpu(b->p->t)->family, test_cpu(b->p->t)->model);
    path_follow(b->p->memory, trace_bytes(b->p), &path, 0, seen);
    return !seen->overflow && window_judge(b->p, what, seen);
}

static void check_path(const struct ring3_shown *b, const struct body *body)
{
    struct path_seen seen = {.overflow = true};
    char what[64];
    struct window w;

    text_format(what, sizeof(what), "%s at ring 3", body->what);
    ring3_shown_set(&w, b, body->at, body->rows);
    w.path.no_ret_compression = body->no_compression;
    for (unsigned n = 0; n < TRACE_TRIES && seen.overflow; n++) {
        if (!ring3_shown_trace(
                b, &w, body->no_compression ? IA32_RTIT_CTL_DisRETC : 0, 0))
            return;
        judge(b, what, &w, &seen);
    }
}

/* So many turns: the cycles that CYCs say, and those that are counted. */
static bool measure(const struct ring3_shown *b, unsigned turns,
                    uint64_t *traced, uint64_t *counted)
{
    struct test_context *t = b->p->t;
    struct path_seen seen;
    struct window w;

    ring3_shown_set(&w, b, trace_body_calls, trace_body_calls_path);
    w.code.count = turns;
    w.repeated = true;
    w.path.timing = PATH_TIMING_CYC;
    if (!set_msr(t, IA32_FIXED_CTR(CORE_CYCLES), 0) ||
        !ring3_shown_trace(b, &w, IA32_RTIT_CTL_CYCEn,
                           IA32_PERF_GLOBAL_CTRL_FIXED_CTR(CORE_CYCLES)) ||
        !judge(b, "calls at ring 3 with CYCEn", &w, &seen))
        return false;
    *traced = seen.times.cycles;
    return get_msr(t, IA32_FIXED_CTR(CORE_CYCLES), counted);
}

static void check_cycles(const struct ring3_shown *b)
{
    uint64_t traced[2], counted[2];
    bool good = false;

    if (!counters_claim(b->p->t) ||
        !set_msr(b->p->t, IA32_FIXED_CTR_CTRL,
                 IA32_FIXED_CTR_CTRL_USR(CORE_CYCLES)))
        return;
    for (unsigned n = 0; n < TRIES && !good; n++) {
        if (!measure(b, SHORT, &traced[0], &counted[0]) ||
            !measure(b, LONG, &traced[1], &counted[1]))
            return;
        const uint64_t more = traced[1] - traced[0],
                       want = counted[1] - counted[0],
                       slack = want / 16 + SLACK;
        good = more + slack >= want && more <= want + slack;
    }
    check(b->p->t, good,
          "CYC at ring 3: %lu cycles in %u turns, %lu in %u; wanted as many "
          "more as IA32_FIXED_CTR1 (30AH) says, %lu and %lu, in one of %u "
          "tries",
          traced[0], SHORT, traced[1], LONG, counted[0], counted[1], TRIES);
}

/* "The PSB period is not precise": one that is due at ring 3 is there by then.
 */
static void check_psb(const struct ring3_shown *b, uint32_t period)
{
    struct packets packets;
    struct pt_packet packet;
    unsigned psbs = 0;
    struct window w;

    ring3_shown_set(&w, b, trace_body_calls, trace_body_calls_path);
    w.code.count = LONG;
    b->p->status_before = (uint64_t)(period - PSB_DUE) << PACKET_BYTES_AT;
    const bool traced = ring3_shown_trace(b, &w, 0, 0);
    b->p->status_before = 0;
    if (!traced)
        return;
    packets_open(&packets, b->p->memory, trace_bytes(b->p));
    while (packets_next(&packets, &packet))
        psbs +=
            packet.kind == PT_PSB && pt_offset(&packets.reader) <= PSB_LATEST;
    check(b->p->t, psbs != 0 || trace_bytes(b->p) < PSB_LATEST,
          "at ring 3: got no PSB in the first %u of %lu bytes, and one is due "
          "after %u of them",
          PSB_LATEST, trace_bytes(b->p), PSB_DUE);
}

/* CYC of their own, as at ring 0. */
static void check_cyc_places(const struct ring3_shown *b)
{
    struct cyc_places places = {.zeros = 0};
    struct window w;

    ring3_shown_set(&w, b, trace_body_pattern, trace_body_pattern_path);
    if (!ring3_shown_trace(b, &w, IA32_RTIT_CTL_CYCEn, 0))
        return;
    cyc_places_count(b->p, &places);
    cyc_places_check(b->p->t, " at ring 3", &places);
}

void ring3_bodies_check(struct trace *p, struct ring3_session *ring3)
{
    const struct identity *id = test_cpu(p->t);
    struct ring3_shown b = {.p = p, .ring3 = ring3};

    if (!ring3_show_bodies(&b))
        return;
    for (unsigned i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        check_path(&b, &bodies[i]);
    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) != 0 &&
        id->fixed_counters > CORE_CYCLES)
        check_cycles(&b);
    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) != 0)
        check_cyc_places(&b);
    const uint32_t period = output_psb_counted(id);
    if (period != 0)
        check_psb(&b, period);
    ring3_events_check(&b);
}
