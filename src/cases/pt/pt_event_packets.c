/* SPDX-License-Identifier: BSD-2-Clause */
/* With EventEn each exception and software interrupt leaves a CFE with its
 * vector, and each IRET one of its own, without BranchEn too; a page fault an
 * EVD with its address; and MODE.Exec tells RFLAGS.IF. */
#include "src/base/msr.h"
#include "src/harness/mapping.h"
#include "src/pt/packet.h"
#include "src/trace/gate.h"
#include "src/trace/packets.h"
#include "src/trace/window.h"

/* "CFE Packet Definition": the type, whether a FUP belongs to it, the vector.
 * The numbers also in Linux, tools/perf/util/intel-pt-decoder, INTEL_PT_CFE_x.
 */
#define CFE_TYPE(payload)   ((unsigned)((payload)&0x1f))
#define CFE_VECTOR(payload) ((unsigned)((payload) >> 8 & 0xff))
#define CFE_INTR            1
#define CFE_IRET            2

/* "MODE.Exec Packet": RFLAGS.IF, with EventEn. */
#define MODE_EXEC_IF UINT64_C(4)

static const unsigned vectors[] = {GATE_UD, GATE_DE,   GATE_GP,
                                   GATE_BP, TRACE_INT, GATE_DB};
#define VECTORS (sizeof(vectors) / sizeof(vectors[0]))

/* "EVD Packet Definition": the type, and its payload. */
#define EVD_CR2     0
#define PAGE_FAULTS 2
#define APART       0x108 /* on the same page */

struct events {
    unsigned count, without_fup, data; /* CFE; EVD */
    unsigned bound;                    /* EVDs before the CFE of a page fault */
    unsigned off; /* MODE.Exec with IF = 0 after one with 1, a FUP after both */
    unsigned type[2 * VECTORS], vector[2 * VECTORS];
    unsigned results[2 * VECTORS]; /* of branches, since the one before */
    uint64_t fup[2 * VECTORS], linear[PAGE_FAULTS];
};

static void read_events(const struct trace *p, struct events *e)
{
    struct packets packets;
    struct pt_packet packet;
    uint64_t mode = 0;
    unsigned results = 0, unbound = 0;
    bool fup = false, exec = false, on = false;

    *e = (struct events){0};
    packets_open(&packets, p->memory, trace_bytes(p));
    while (packets_next(&packets, &packet)) {
        if (packet.kind == PT_PAD || packet.kind == PT_CYC)
            continue; /* may stand anywhere */
        e->without_fup += fup && packet.kind != PT_FUP;
        if (fup && e->count <= 2 * VECTORS)
            e->fup[e->count - 1] = packets.ip;
        fup = packet.kind == PT_CFE && packet.detail != 0;
        if (exec && packet.kind == PT_FUP) {
            e->off += on && (mode & MODE_EXEC_IF) == 0;
            on = (mode & MODE_EXEC_IF) != 0;
        }
        exec = packet.kind == PT_MODE_EXEC;
        mode = exec ? packet.payload : mode;
        if (packet.kind == PT_EVD) {
            if (packet.detail == EVD_CR2 && e->data < PAGE_FAULTS)
                e->linear[e->data] = packet.payload;
            e->data++;
            unbound++;
        }
        if (packet.kind == PT_TNT_8 || packet.kind == PT_TNT_64)
            results += packet.detail;
        if (packet.kind != PT_CFE)
            continue;
        if (e->count < 2 * VECTORS) {
            e->type[e->count] = CFE_TYPE(packet.payload);
            e->vector[e->count] = CFE_VECTOR(packet.payload);
            e->results[e->count] = results;
        }
        if (CFE_VECTOR(packet.payload) == GATE_PF)
            e->bound += unbound;
        results = unbound = 0;
        e->count++;
    }
}

/* Where the n-th event came, or the IRET that ends its handler. */
static uint64_t event_at(unsigned n, bool iret)
{
    const struct trace_row *row = trace_body_events_path;

    if (iret) /* handlers of #UD and #DE; of the others */
        return n < 2 ? trace_at(trace_handler_end)
                     : trace_at(trace_handler_trap);
    for (unsigned found = 0; row->kind != PATH_END; row++)
        if (row->kind == PATH_FUP && found++ == n)
            break;
    return trace_at(trace_body_events) + (uint64_t)(int64_t)row->at;
}

/* Conditional branches between it and the event before it. */
static unsigned results_before(unsigned n)
{
    const struct trace_row *row = trace_body_events_path;
    unsigned results = 0;

    for (unsigned found = 0; row->kind != PATH_END; row++) {
        if (row->kind == PATH_FUP && found++ == n)
            break;
        results += row->kind == PATH_NOT_TAKEN || row->kind == PATH_TAKEN;
        if (row->kind == PATH_FUP)
            results = 0;
    }
    return results;
}

static void judge(struct test_context *t, const struct events *e)
{
    check(t, e->count == 2 * VECTORS,
          "%u CFE in a trace of 6 exceptions and interrupts and 6 IRETs; "
          "wanted one of each",
          e->count);
    for (unsigned n = 0; n < e->count && n < 2 * VECTORS; n++) {
        const unsigned type = n % 2 == 0 ? CFE_INTR : CFE_IRET;

        check(t,
              e->type[n] == type &&
                  (n % 2 != 0 || e->vector[n] == vectors[n / 2]),
              "CFE %u: type %u, vector %u; wanted type %u%s%u", n, e->type[n],
              e->vector[n], type, n % 2 == 0 ? ", vector " : " after ",
              vectors[n / 2]);
    }
    for (unsigned n = 0; n < e->count && n < 2 * VECTORS; n++) {
        const uint64_t at = event_at(n / 2, n % 2 != 0);

        check(t, e->fup[n] == at,
              "CFE %u: a FUP of 0x%lx follows; wanted 0x%lx, where the %s", n,
              e->fup[n], at, n % 2 == 0 ? "event came" : "IRET is");
        const unsigned results = n % 2 == 0 ? results_before(n / 2) : 0;
        check(t, e->results[n] == results,
              "CFE %u: %u results of branches come before it; wanted %u", n,
              e->results[n], results);
    }
    check(t, e->without_fup == 0,
          "%u CFE with IP = 1 are not followed by a FUP; wanted 0",
          e->without_fup);
    check(t, e->data == 0,
          "%u EVD in a trace without page faults and VM exits; wanted 0",
          e->data);
}

/* CFE "Dependencies": not BranchEn; those of its FUP may be. */
static void check_no_branches(struct trace *p, struct window *w)
{
    const uint64_t control = p->control;
    struct events events;
    struct path_seen seen;

    p->control &= ~IA32_RTIT_CTL_BranchEn;
    if (window_trace(p, w, &seen)) {
        read_events(p, &events);
        check(p->t, events.count == 2 * VECTORS,
              "BranchEn = 0: %u CFE in a trace of 6 exceptions and interrupts "
              "and 6 IRETs; wanted one of each",
              events.count);
    }
    p->control = control;
}

static void check_page_faults(struct trace *p, uint8_t *gates)
{
    const uint64_t first = mapping_find_absent(), second = first + APART;
    struct events events;
    struct path_seen seen;
    struct window w;

    if (first == 0) {
        note(p->t, "EVD: not tested: needs an address that is not mapped");
        return;
    }
    window_set(&w, trace_body_page_faults, trace_body_page_faults_path);
    w.code.argument = first;
    w.code.count = second;
    w.gates = gates;
    if (!window_trace(p, &w, &seen))
        return;
    read_events(p, &events);
    check(p->t,
          events.data == PAGE_FAULTS && events.linear[0] == first &&
              events.linear[1] == second,
          "page faults at 0x%lx, 0x%lx: %u EVD, of 0x%lx, 0x%lx; wanted one of "
          "each address",
          first, second, events.data, events.linear[0], events.linear[1]);
    check(p->t, events.bound == events.data,
          "page faults: the CFE after %u of %u EVD has vector %u; wanted after "
          "each",
          events.bound, events.data, GATE_PF);
}

TEST(pt_event_packets,
     .asks = "Does a trace with EventEn name each exception and interrupt?",
     .cite = "SDM 3C, Intel Processor Trace, of later editions: \"Event "
             "Trace\", \"CFE Packet Definition\", \"EVD Packet Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_EVENT})
{
    uint8_t *gates = (uint8_t *)test_records(t) + TRACE_GATES_BYTES;
    struct events events;
    struct path_seen seen;
    struct trace p;
    struct window w;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    trace_gates(gates);
    gates_set_events(gates);
    window_set(&w, trace_body_events, trace_body_events_path);
    w.gates = gates;

    /* Measured and checked: without EventEn none; with it all. */
    if (!window_trace(&p, &w, &seen))
        return;
    read_events(&p, &events);
    check(t, events.count == 0 && events.data == 0,
          "EventEn = 0: %u CFE and %u EVD; wanted none", events.count,
          events.data);
    p.control |= IA32_RTIT_CTL_EventEn;
    if (!window_trace(&p, &w, &seen))
        return;
    read_events(&p, &events);
    judge(t, &events);
    check_no_branches(&p, &w);
    check_page_faults(&p, gates);

    /* IF changes, by CLI and by POPF, and no branch is near. */
    window_set(&w, trace_body_if, trace_body_if_path);
    if (!window_trace(&p, &w, &seen))
        return;
    read_events(&p, &events);
    check(
        t, events.off == 2,
        "STI, CLI, STI, POPF: %u times MODE.Exec with IF = 0 after one with IF "
        "= 1, with a FUP after both; wanted twice",
        events.off);
}
