/* SPDX-License-Identifier: BSD-2-Clause */
/* Aborts by capacity and by an interrupt, which come wherever the transaction
 * is: the trace has the abort at an instruction of it, and an interrupt after
 * the abort, never in the transaction. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/packets.h"
#include "src/trace/window.h"
#include "src/tsx/status.h"

#define PAGE_BYTES 4096u
#define BODY_BYTES 64 /* of tsx_body_jumps, at most */
#define LINE_BYTES 64
#define TURNS      1000 /* 3 bytes each: longer than FROM_END */
#define FROM_END   300  /* of the first region */
#define FIRST_AT   (5 * PAGE_BYTES)
#define NEXT_AT    (2 * PAGE_BYTES)

/* The usual output, to the page that p->memory is for now. */
static bool arm_page(struct trace *p)
{
    memset(p->memory, TRACE_GUARD, PAGE_BYTES);
    p->armed = p->control;
    return set_msr(p->t, IA32_RTIT_STATUS, 0) &&
           set_msr(p->t, IA32_RTIT_OUTPUT_BASE, trace_at(p->table)) &&
           set_msr(p->t, IA32_RTIT_OUTPUT_MASK_PTRS,
                   output_topa_pointers(0, 0)) &&
           set_msr(p->t, IA32_RTIT_CTL, p->armed);
}

/* A transaction over all of the buffer, traced; *status: EAX, where it has
 * aborted. */
static bool write_once(struct trace *p, uint32_t *status,
                       struct transitions *seen)
{
    struct tsx_block block = {.body = tsx_body_write_lines,
                              .argument = trace_at(test_buffer(p->t)),
                              .count = TEST_BUFFER_BYTES / LINE_BYTES};

    if (!arm_page(p) || !trace_start(p))
        return false;
    *status = tsx_inside(&block) == TSX_ABORTED ? block.status : 0;
    if (!trace_stop(p))
        return false;
    transitions_read(p->memory, trace_bytes(p), seen);
    return true;
}

/* More lines than any cache of the first level has ways, and, over all of the
 * buffer, more than it has lines: the trace goes to a page of test_records().
 */
static void check_capacity(struct trace *p)
{
    uint8_t *const memory = p->memory;
    const uint64_t begin = trace_at(tsx_xbegin_at),
                   body = trace_at(tsx_body_write_lines);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, begin, body + BODY_BYTES, trace_at(tsx_fallback)}};
    struct transitions seen = {0};
    uint32_t status = 0;
    unsigned tries = 0;
    bool measured;

    p->memory = (uint8_t *)test_records(p->t) + PAGE_BYTES;
    output_topa_table(p->table, trace_at(p->table), trace_at(p->memory), 1, 0,
                      0);
    do {
        measured = write_once(p, &status, &seen);
    } while (
        measured &&
        ((status & RTM_STATUS_CAPACITY) == 0 || seen.packets[PT_OVF] != 0) &&
        ++tries < TRACE_TRIES);
    p->memory = memory;
    if (!measured)
        return;
    if (tries == TRACE_TRIES)
        note(p->t,
             "stores to %u lines made no abort by capacity: not looked at",
             TEST_BUFFER_BYTES / LINE_BYTES);
    else
        trace_check(p, "abort by capacity", &seen, wanted, 2);
}

/* FUPs that begin an event: outside of PSB+, not those of MODE.TSX, and with a
 * TIP next. *inside: those that are in the transaction. */
static unsigned count_events(const uint8_t *bytes, size_t size,
                             unsigned *inside)
{
    const uint64_t begin = trace_at(tsx_xbegin_at),
                   body = trace_at(tsx_body_jumps);
    struct packets packets;
    struct pt_packet packet;
    unsigned before = PT_KINDS, count = 0;
    bool in_psb = false, event = false;
    uint64_t fup = 0;

    *inside = 0;
    packets_open(&packets, bytes, size);
    while (packets_next(&packets, &packet)) {
        if (packet.kind == PT_PAD)
            continue;
        if (event && packet.kind == PT_TIP) {
            count++;
            *inside += fup == begin || fup - body < BODY_BYTES;
        }
        fup = packet.kind == PT_FUP ? packets.ip : fup;
        in_psb = packet.kind == PT_PSB || (in_psb && packet.kind != PT_PSBEND);
        event = packet.kind == PT_FUP && !in_psb && before != PT_MODE_TSX;
        before = packet.kind;
    }
    return count;
}

struct interrupted {
    struct transitions seen;
    int outcome;
    bool came;               /* and was handled before the trace's end */
    unsigned events, inside; /* in the trace */
};

/* A full region with INT, so that its interrupt comes in the transaction. */
static bool interrupt_once(struct trace *p, struct interrupted *out)
{
    const uint64_t table = trace_at(p->table), memory = trace_at(p->memory);
    const struct parts parts = {
        .control = output_control(test_cpu(p->t), true),
        .count = 2,
        .part = {{table, (uint32_t)output_topa_pointers(0, 0), FIRST_AT,
                  PAGE_BYTES - FROM_END, PAGE_BYTES},
                 {table, (uint32_t)output_topa_pointers(1, 0), NEXT_AT, 0,
                  PAGE_BYTES}}};
    struct tsx_block block = {.body = tsx_body_jumps, .count = TURNS};
    uint8_t *copy =
        (uint8_t *)test_records(p->t) + TEST_RECORDS_BYTES - WINDOW_COPY_BYTES;
    const unsigned before = hw_pmi_count();
    size_t bytes = 0;

    p->table[0] = output_topa_entry(memory + FIRST_AT, 0, TOPA_INT);
    p->table[1] = output_topa_entry(memory + NEXT_AT, 0, 0);
    p->table[2] = output_topa_entry(table, 0, TOPA_END);
    if (!set_msr(p->t, IA32_PERF_GLOBAL_OVF_CTRL,
                 IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI) ||
        !trace_arm_output(p, parts.control, table, parts_pointers(&parts)) ||
        !trace_start(p))
        return false;
    out->outcome = tsx_inside(&block);
    out->came = hw_pmi_count() != before;
    if (!trace_stop(p))
        return false;
    if (!parts_written(&parts, p->stopped_base, p->stopped_pointers, &bytes))
        out->outcome = TSX_RAN;
    bytes = parts_copy(&parts, p->memory, bytes, copy, WINDOW_COPY_BYTES);
    transitions_read(copy, bytes, &out->seen);
    out->events = count_events(copy, bytes, &out->inside);
    return true;
}

/* To the TIP.PGD of TraceEn = 0, from a region that is full to the next. */
static bool goes_on(struct trace *p, const struct interrupted *got)
{
    return !got->came || got->seen.packets[PT_TIP_PGD] != 0 ||
           check_known(p->t, false, ERRATUM_PT_DROPS_ALL, true,
                       "abort by an interrupt: got no TIP.PGD at the end, "
                       "after a ToPA region became full; wanted one");
}

static void check_interrupt(struct trace *p)
{
    const uint64_t begin = trace_at(tsx_xbegin_at),
                   body = trace_at(tsx_body_jumps);
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, body, body + BODY_BYTES, trace_at(tsx_fallback)}};
    struct interrupted got = {.outcome = TSX_RAN};
    unsigned tries = 0;
    bool measured;

    if (!hw_pmi_begin(false)) {
        note(p->t, "no local APIC: no abort by an interrupt was looked at");
        return;
    }
    do {
        measured = interrupt_once(p, &got);
    } while (measured &&
             (got.outcome != TSX_ABORTED || !got.came || !goes_on(p, &got) ||
              got.seen.packets[PT_OVF] != 0) &&
             ++tries < TRACE_TRIES);
    hw_pmi_end();
    if (!measured)
        return;
    if (tries == TRACE_TRIES)
        note(p->t, "no interrupt came in a transaction, in %u tries",
             TRACE_TRIES);
    else if (trace_check(p, "abort by an interrupt", &got.seen, wanted, 2)) {
        check(p->t, got.events != 0,
              "an interrupt that aborts a transaction: got no FUP and TIP of "
              "its own after the abort; wanted them");
        check(p->t, got.inside == 0,
              "an interrupt that aborts a transaction: its FUP is in the "
              "transaction; wanted where the abort has gone");
    }
}

TEST(pt_rtm_abort_causes,
     .asks = "Does a trace show aborts by capacity and by an interrupt, and "
             "the interrupt after its abort?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"; "
             "\"Packet Generation under Different Enable Conditions\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA | NEED_RTM |
                           NEED_PMU})
{
    struct trace p;

    /* Set-up. */
    if (!trace_claim_transactions(&p, t))
        return;

    /* Measured and checked. */
    check_capacity(&p);
    if ((test_cpu(t)->leaf14_ecx & LEAF14_TOPA_MANY) != 0)
        check_interrupt(&p);
}
