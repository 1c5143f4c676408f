/* SPDX-License-Identifier: BSD-2-Clause */
/* ring3_events.c - CFE and EVD of what happens at ring 3. */
#include "src/trace/ring3_events.h"

#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/smi_guard.h"
#include "src/harness/mapping.h"
#include "src/trace/packets.h"

#define AMID     20 /* branches, before an interrupt */
#define BRANCHES 0xc4
#define VECTORS  32 /* from there on interrupts' */
#define INT3_FUP 4  /* in the rows of trace_body_events, that of INT3 */

/* "CFE Packet Definition": the type, the vector. */
#define CFE_TYPE(payload)   ((unsigned)((payload)&0x1f))
#define CFE_VECTOR(payload) ((unsigned)((payload) >> 8 & 0xff))
#define CFE_INTR            1
#define CFE_IRET            2
/* "EVD Packet Definition": the type. */
#define EVD_CR2 0
#define IN_PAGE 0x108 /* the address that faults */

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

static void check_last(const struct ring3_shown *b, const struct events *e,
                       uint64_t at)
{
    const unsigned vector = (unsigned)b->ring3->ring3->vector;

    check(b->p->t, e->last == vector && e->at == at,
          "EventEn at ring 3: the last CFE of an event has vector %u, and a "
          "FUP of 0x%lx; wanted %u, 0x%lx, the exception at the end",
          e->last, e->at, vector, at);
}

/* A page fault ends it: a load of where nothing is mapped. */
static void check_page_fault(const struct ring3_shown *b)
{
    const uint64_t absent = mapping_find_absent();
    struct window w;

    ring3_shown_set(&w, b, trace_body_page_faults, trace_body_page_faults_path);
    w.code.argument = w.code.count = absent + IN_PAGE;
    if (absent == 0 || !ring3_shown_trace(b, &w, IA32_RTIT_CTL_EventEn, 0))
        return;
    const struct events e = read_events(b->p);
    check(b->p->t, e.faults == 1 && e.linear == absent + IN_PAGE,
          "EventEn: a page fault at ring 3 at 0x%lx: %u EVD of one, the last "
          "of 0x%lx; wanted one of that address",
          absent + IN_PAGE, e.faults, e.linear);
    /* The second row is its FUP. */
    check_last(b, &e,
               trace_at(ring3_shown_at(b, trace_body_page_faults)) +
                   (uint64_t)(int64_t)trace_body_page_faults_path[1].at);
}

/* A counter interrupts amid the body once, and an exception ends it. */
static void check_events(const struct ring3_shown *b)
{
    struct test_context *t = b->p->t;
    const uint64_t smis = smi_count(t);
    struct window w;

    ring3_shown_set(&w, b, trace_body_returns, trace_body_returns_path);
    if (!counters_claim(t) ||
        !set_msr(t, IA32_PERFEVTSEL(0),
                 BRANCHES | IA32_PERFEVTSEL_USR | IA32_PERFEVTSEL_INT |
                     IA32_PERFEVTSEL_EN) ||
        !set_msr(t, IA32_PMC(0), (uint32_t)-AMID) || !hw_pmi_begin(false))
        return;
    const bool traced = ring3_shown_trace(b, &w, IA32_RTIT_CTL_EventEn, BIT(0));
    hw_pmi_end();
    const unsigned came = hw_pmi_count();
    if (!traced || !counters_clear_status(t, BIT(0)) || smi_count(t) != smis)
        return;
    const struct events e = read_events(b->p);
    /* One that is late comes at ring 0, which is not traced. */
    const bool inside = hw_pmi_rip() - b->shown < RING3_SHOWN_BYTES;
    check(t, came == 0 || !inside || e.interrupts != 0,
          "EventEn at ring 3: no CFE of %u interrupts, the first at 0x%lx",
          came, hw_pmi_rip());
    check(t, e.others == 0,
          "EventEn at ring 3: %u CFE of interrupts by another vector than %u; "
          "wanted none",
          e.others, hw_pmi_vector());
    check_last(b, &e, trace_at(ring3_shown_at(b, trace_window_off)));
}

/* IRETQ from ring 3 to itself: a TIP; with EventEn a CFE with its address. */
static void check_iret(const struct ring3_shown *b, bool events)
{
    const uint64_t to = ring3_shown_code(b, ring3_body_iret_to),
                   at = ring3_shown_code(b, ring3_body_iret_at);
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

/* INT3, which the harness's gate of ring 0 refuses: the exception is #GP. */
static void check_refused(const struct ring3_shown *b)
{
    const struct trace_row *row = trace_body_events_path;
    unsigned fups = 0;
    struct window w;

    while (row->kind != PATH_FUP || ++fups != INT3_FUP)
        row++;
    const uint8_t *at = trace_body_events + row->at;
    ring3_shown_set(&w, b, at, trace_body_nothing_path);
    if (!ring3_shown_trace(b, &w, IA32_RTIT_CTL_EventEn, 0))
        return;
    const struct events e = read_events(b->p);
    check_last(b, &e, trace_at(ring3_shown_at(b, at)));
}

void ring3_events_check(const struct ring3_shown *b)
{
    const bool events = (test_cpu(b->p->t)->leaf14_ebx & LEAF14_EVENT) != 0;

    check_iret(b, events);
    if (!events)
        return;
    check_events(b);
    check_page_fault(b);
    check_refused(b);
}
