/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_bodies.c - shows ring 3 the pages of the bodies, and traces these. */
#include "src/trace/ring3_bodies.h"

#include "src/base/msr.h"
#include "src/counting/smi_guard.h"
#include "src/harness/mapping.h"
#include "src/trace/cyc_places.h"
#include "src/trace/packets.h"
#include "src/trace/window.h"

#define PAGE_BYTES  4096u
#define SHOWN_BYTES ((uint64_t)RING3_SHOWN * PAGE_BYTES)
#define CORE_CYCLES 1   /* IA32_FIXED_CTR1: CPU_CLK_UNHALTED.CORE */
#define SHORT       2   /* turns of the body with calls, */
#define LONG        40  /* of 13 CYC each */
#define SLACK       100 /* cycles, once */
#define TRIES       4
#define AMID        20 /* branches, before an interrupt */
#define BRANCHES    0xc4
#define VECTORS     32 /* from there on interrupts' */

/* "CFE Packet Definition": the type, the vector. */
#define CFE_TYPE(payload)   ((unsigned)((payload)&0x1f))
#define CFE_VECTOR(payload) ((unsigned)((payload) >> 8 & 0xff))
#define CFE_INTR            1
#define CFE_IRET            2
/* "EVD Packet Definition": the type. */
#define EVD_CR2 0
#define IN_PAGE 0x108 /* the address that faults */

struct bodies {
    struct trace *p;
    struct ring3_session *ring3;
    uint64_t first, shown; /* the first page's address, and ring 3's for it */
};

/* What ring3_body_elsewhere reads on the data page. */
struct elsewhere {
    uint64_t at, count, argument;
};

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

static uint64_t page_of(const uint8_t *label)
{
    return trace_at(label) & ~(uint64_t)(PAGE_BYTES - 1);
}

/* The pages from the lowest to the highest of what is executed. */
static bool show(struct bodies *b)
{
    static const uint8_t *const parts[] = {
        trace_body_conditions, trace_body_pattern, trace_body_transfers,
        trace_body_returns,    trace_body_calls,   trace_body_page_faults,
        trace_window_off};
    uint64_t last = 0;

    b->first = UINT64_MAX;
    for (unsigned n = 0; n < sizeof(parts) / sizeof(parts[0]); n++) {
        const uint64_t page = page_of(parts[n]);
        b->first = page < b->first ? page : b->first;
        last = page > last ? page : last;
    }
    const uint64_t pages = (last - b->first) / PAGE_BYTES + 2;
    if (pages > RING3_SHOWN)
        return false;
    b->shown = ring3_show(b->ring3, b->first, (unsigned)pages);
    return true;
}

/* Where ring 3 sees it. */
static const uint8_t *seen_at(const struct bodies *b, const uint8_t *label)
{
    return (const uint8_t *)(uintptr_t)(b->shown + trace_at(label) - b->first);
}

static uint64_t code_at(const struct bodies *b, const uint8_t *label)
{
    return b->ring3->ring3->user_code + (uint64_t)(label - ring3_code);
}

/* Into the body, its rows, and the exception at its end. */
struct whole {
    const struct bodies *b;
    const struct window *w;
    uint64_t steps;
};

static bool whole_step(const void *source, uint64_t index,
                       struct path_step *step)
{
    const struct whole *whole = source;
    const struct bodies *b = whole->b;
    const struct path_step before[] = {
        {PATH_PGE, code_at(b, ring3_body)},
        {PATH_TIP, code_at(b, ring3_body_elsewhere)}};
    const struct path_step after[] = {
        {PATH_FUP, trace_at(seen_at(b, trace_window_off))},
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

/* Traced with User alone. False where an access faulted. */
static bool trace_once(const struct bodies *b, const struct window *w,
                       uint64_t bits, uint64_t counters)
{
    struct ring3 *ring3 = b->ring3->ring3;

    *(struct elsewhere *)(uintptr_t)ring3->data = (struct elsewhere){
        trace_at(w->code.body), w->code.count, w->code.argument};
    ring3->body = (uint32_t)(ring3_body_elsewhere - ring3_body);
    ring3->level = 3;
    hw_poll();
    return ring3_trace_anew(b->p, b->ring3, IA32_RTIT_CTL_User | bits, counters,
                            window_ring3_body);
}

static void set(struct window *w, const struct bodies *b, const uint8_t *body,
                const struct trace_row *rows)
{
    window_set(w, seen_at(b, body), rows);
    w->bare = true;
}

/* Follows it. False where packets were lost or it is wrong: FAIL is said. */
static bool judge(const struct bodies *b, const char *what,
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

static void check_path(const struct bodies *b, const struct body *body)
{
    struct path_seen seen = {.overflow = true};
    char what[64];
    struct window w;

    text_format(what, sizeof(what), "%s at ring 3", body->what);
    set(&w, b, body->at, body->rows);
    w.path.no_ret_compression = body->no_compression;
    for (unsigned n = 0; n < TRACE_TRIES && seen.overflow; n++) {
        if (!trace_once(b, &w, body->no_compression ? IA32_RTIT_CTL_DisRETC : 0,
                        0))
            return;
        judge(b, what, &w, &seen);
    }
}

/* So many turns: the cycles that CYCs say, and those that are counted. */
static bool measure(const struct bodies *b, unsigned turns, uint64_t *traced,
                    uint64_t *counted)
{
    struct test_context *t = b->p->t;
    struct path_seen seen;
    struct window w;

    set(&w, b, trace_body_calls, trace_body_calls_path);
    w.code.count = turns;
    w.repeated = true;
    w.path.timing = PATH_TIMING_CYC;
    if (!set_msr(t, IA32_FIXED_CTR(CORE_CYCLES), 0) ||
        !trace_once(b, &w, IA32_RTIT_CTL_CYCEn,
                    IA32_PERF_GLOBAL_CTRL_FIXED_CTR(CORE_CYCLES)) ||
        !judge(b, "calls at ring 3 with CYCEn", &w, &seen))
        return false;
    *traced = seen.times.cycles;
    return get_msr(t, IA32_FIXED_CTR(CORE_CYCLES), counted);
}

static void check_cycles(const struct bodies *b)
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

/* CYC of their own, as at ring 0. */
static void check_cyc_places(const struct bodies *b)
{
    struct cyc_places places = {.zeros = 0};
    struct window w;

    set(&w, b, trace_body_pattern, trace_body_pattern_path);
    if (!trace_once(b, &w, IA32_RTIT_CTL_CYCEn, 0))
        return;
    cyc_places_count(b->p, &places);
    cyc_places_check(b->p->t, " at ring 3", &places);
}

/* CFEs of the counters' interrupts and of others, vector and address of the
 * last event; of IRETs, and EVDs of page faults, the last address. */
struct events {
    unsigned interrupts, others, last, irets, faults;
    uint64_t at, iret, linear;
};

static struct events read_events(const struct trace *p)
{
    struct events e = {.last = VECTORS};
    struct packets packets;
    struct pt_packet packet;
    bool iret = false, event = false;

    packets_open(&packets, p->memory, trace_bytes(p));
    while (packets_next(&packets, &packet)) {
        if (packet.kind == PT_PAD || packet.kind == PT_CYC)
            continue; /* may stand anywhere */
        if (packet.kind == PT_EVD && packet.detail == EVD_CR2) {
            e.linear = packet.payload;
            e.faults++;
        }
        if ((iret || event) && packet.kind == PT_FUP)
            *(iret ? &e.iret : &e.at) = packets.ip;
        event = packet.kind == PT_CFE && CFE_TYPE(packet.payload) == CFE_INTR;
        iret = packet.kind == PT_CFE && CFE_TYPE(packet.payload) == CFE_IRET;
        e.irets += iret;
        if (!event)
            continue;
        e.last = CFE_VECTOR(packet.payload);
        e.interrupts += e.last >= VECTORS && e.last == hw_pmi_vector();
        e.others += e.last >= VECTORS && e.last != hw_pmi_vector();
    }
    return e;
}

static void check_last(const struct bodies *b, const struct events *e,
                       uint64_t at)
{
    const unsigned vector = (unsigned)b->ring3->ring3->vector;

    check(b->p->t, e->last == vector && e->at == at,
          "EventEn at ring 3: the last CFE of an event has vector %u, and a "
          "FUP of 0x%lx; wanted %u, 0x%lx, the exception at the end",
          e->last, e->at, vector, at);
}

/* A page fault ends it: a load of where nothing is mapped. */
static void check_page_fault(const struct bodies *b)
{
    const uint64_t absent = mapping_find_absent();
    struct window w;

    set(&w, b, trace_body_page_faults, trace_body_page_faults_path);
    w.code.argument = w.code.count = absent + IN_PAGE;
    if (absent == 0 || !trace_once(b, &w, IA32_RTIT_CTL_EventEn, 0))
        return;
    const struct events e = read_events(b->p);
    check(b->p->t, e.faults == 1 && e.linear == absent + IN_PAGE,
          "EventEn: a page fault at ring 3 at 0x%lx: %u EVD of one, the last "
          "of 0x%lx; wanted one of that address",
          absent + IN_PAGE, e.faults, e.linear);
    /* The second row is its FUP. */
    check_last(b, &e,
               trace_at(seen_at(b, trace_body_page_faults)) +
                   (uint64_t)(int64_t)trace_body_page_faults_path[1].at);
}

/* A counter interrupts amid the body once, and an exception ends it. */
static void check_events(const struct bodies *b)
{
    struct test_context *t = b->p->t;
    const uint64_t smis = smi_count(t);
    struct window w;

    set(&w, b, trace_body_returns, trace_body_returns_path);
    if (!counters_claim(t) ||
        !set_msr(t, IA32_PERFEVTSEL(0),
                 BRANCHES | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_INT |
                     IA32_PERFEVTSEL_EN) ||
        !set_msr(t, IA32_PMC(0), (uint32_t)-AMID) || !hw_pmi_begin(false))
        return;
    const bool traced = trace_once(b, &w, IA32_RTIT_CTL_EventEn, BIT(0));
    hw_pmi_end();
    const unsigned came = hw_pmi_count();
    if (!traced || !counters_clear_status(t, BIT(0)) || smi_count(t) != smis)
        return;
    const struct events e = read_events(b->p);
    /* One that is late comes at ring 0, which is not traced. */
    const bool inside = hw_pmi_rip() - b->shown < SHOWN_BYTES;
    check(t, came == 0 || !inside || e.interrupts != 0,
          "EventEn at ring 3: no CFE of %u interrupts, the first at 0x%lx",
          came, hw_pmi_rip());
    check(t, e.others == 0,
          "EventEn at ring 3: %u CFE of interrupts by another vector than %u; "
          "wanted none",
          e.others, hw_pmi_vector());
    check_last(b, &e, trace_at(seen_at(b, trace_window_off)));
}

/* IRETQ from ring 3 to itself: a TIP; with EventEn a CFE with its address. */
static void check_iret(const struct bodies *b, bool events)
{
    const uint64_t to = code_at(b, ring3_body_iret_to),
                   at = code_at(b, ring3_body_iret_at);
    struct packets packets;
    struct pt_packet packet;
    unsigned tips = 0;

    b->ring3->ring3->body = (uint32_t)(ring3_body_iret - ring3_body);
    b->ring3->ring3->level = 3;
    hw_poll();
    if (!ring3_trace_anew(b->p, b->ring3,
                          IA32_RTIT_CTL_User |
                              (events ? IA32_RTIT_CTL_EventEn : 0),
                          0, window_ring3_body))
        return;
    packets_open(&packets, b->p->memory, trace_bytes(b->p));
    while (packets_next(&packets, &packet)) {
        if (packet.kind == PT_OVF)
            return;
        tips += packet.kind == PT_TIP && packet.detail != 0 && packets.ip == to;
    }
    check(b->p->t, tips == 1,
          "IRETQ at ring 3: %u TIP of 0x%lx, where it goes; wanted 1", tips,
          to);
    const struct events e = read_events(b->p);
    check(b->p->t, !events || (e.irets == 1 && e.iret == at),
          "EventEn: IRETQ at ring 3: %u CFE of IRET, the last with a FUP of "
          "0x%lx; wanted 1, 0x%lx",
          e.irets, e.iret, at);
}

void ring3_bodies_check(struct trace *p, struct ring3_session *ring3)
{
    const struct identity *id = test_cpu(p->t);
    struct bodies b = {.p = p, .ring3 = ring3};

    if (!show(&b))
        return;
    for (unsigned i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
        check_path(&b, &bodies[i]);
    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) != 0 &&
        id->fixed_counters > CORE_CYCLES)
        check_cycles(&b);
    if ((id->leaf14_ebx & LEAF14_PSB_FREQ) != 0)
        check_cyc_places(&b);
    check_iret(&b, (id->leaf14_ebx & LEAF14_EVENT) != 0);
    if ((id->leaf14_ebx & LEAF14_EVENT) != 0) {
        check_events(&b);
        check_page_fault(&b);
    }
}
