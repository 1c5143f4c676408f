/* SPDX-License-Identifier: BSD-2-Clause */
/* Aborts by capacity and by an interrupt, which come wherever the transaction
 * is, by RTM or by HLE: the trace has the abort at an instruction of it, and an
 * interrupt after the abort, never in the transaction. */
#include "asm/hle_regions.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/packets.h"
#include "src/trace/window.h"
#include "src/tsx/hle.h"
#include "src/tsx/status.h"

#define PAGE_BYTES 4096u
#define BODY_BYTES 64 /* of tsx_body_jumps, at most */
#define LINE_BYTES 64
#define TURNS      1000 /* 3 bytes each: longer than FROM_END */
#define FROM_END   300  /* of the first region */
/* Many times a cache of the first level; their branches fit one page. */
#define LOADED_BYTES 0x400000u
#define READ_UNIT    8     /* lines of one count of tsx_body_read_lines */
#define ELIDED_TURNS 12000 /* of hle_xchg: 6 of them a byte */
#define LOCK_AT      (2 * PAGE_BYTES) /* of test_records() */
#define FIRST_AT     (5 * PAGE_BYTES)
#define NEXT_AT      (2 * PAGE_BYTES)

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

enum cause { STORES, LOADS, ELIDED_STORES, CAUSES };

/* Accesses to more lines than fit; a lock is at the start of the buffer. True:
 * aborted so; of an elided section it is not known. */
static bool run_lines(struct test_context *t, enum cause cause)
{
    volatile uint32_t *lock = test_buffer(t);
    const bool stores = cause == STORES;
    struct hle_block section = {
        .lock = lock, .turns = (TEST_BUFFER_BYTES - PAGE_BYTES) / LINE_BYTES};
    struct tsx_block block = {
        .body = stores ? tsx_body_write_lines : tsx_body_read_lines,
        .argument = trace_at(stores ? test_buffer(t) : test_source(t)),
        .count = stores ? TEST_BUFFER_BYTES / LINE_BYTES
                        : LOADED_BYTES / LINE_BYTES / READ_UNIT};

    if (cause != ELIDED_STORES)
        return tsx_inside(&block) == TSX_ABORTED &&
               (block.status & RTM_STATUS_CAPACITY) != 0;
    *lock = 0;
    hle_stores(&section);
    return true;
}

/* A transaction of them, traced. */
static bool trace_lines(struct trace *p, enum cause cause, bool *aborted,
                        struct transitions *seen)
{
    if (!arm_page(p) || !trace_start(p))
        return false;
    *aborted = run_lines(p->t, cause);
    if (!trace_stop(p))
        return false;
    transitions_read(p->memory, trace_bytes(p), seen);
    /* Not each XACQUIRE elides. */
    *aborted = *aborted && seen->packets[PT_OVF] == 0 &&
               (cause != ELIDED_STORES || seen->count != 0);
    return true;
}

/* More lines than any cache of the first level has ways, and, over all of the
 * buffer, more than it has lines: the trace goes to a page of test_records().
 */
static void check_capacity(struct trace *p, enum cause cause)
{
    static const struct {
        const char *what;
        const uint8_t *begin, *body, *target;
    } rows[CAUSES] = {
        [STORES] = {"abort by capacity", tsx_xbegin_at, tsx_body_write_lines,
                    tsx_fallback},
        [LOADS] = {"abort by too many loads", tsx_xbegin_at,
                   tsx_body_read_lines, tsx_fallback},
        [ELIDED_STORES] = {"abort of an elided section by capacity",
                           hle_stores_acquire, hle_stores_acquired,
                           hle_stores_acquire},
    };
    const uint64_t begin = trace_at(rows[cause].begin),
                   body = trace_at(rows[cause].body);
    uint8_t *const memory = p->memory;
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, begin, body + BODY_BYTES, trace_at(rows[cause].target)}};
    struct transitions seen = {0};
    unsigned which, tries = 0;
    bool measured, aborted = false;

    p->memory = (uint8_t *)test_records(p->t) + PAGE_BYTES;
    output_topa_table(p->table, trace_at(p->table), trace_at(p->memory), 1, 0,
                      0);
    do {
        measured = trace_lines(p, cause, &aborted, &seen);
        /* A few instructions after the body are in the transaction, too. */
    } while (
        measured &&
        (!aborted || transitions_judge(&seen, wanted, 2, &which) != NULL) &&
        ++tries < TRACE_TRIES);
    p->memory = memory;
    if (!measured)
        return;
    if (aborted)
        trace_check(p, rows[cause].what, &seen, wanted, 2);
    else if (cause == STORES)
        note(p->t,
             "stores to %u lines made no abort by capacity: not looked at",
             TEST_BUFFER_BYTES / LINE_BYTES);
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

/* By RTM, or by HLE. */
static int run_long(struct test_context *t, bool elided)
{
    volatile uint32_t *lock =
        (volatile uint32_t *)((uint8_t *)test_records(t) + LOCK_AT);
    struct tsx_block block = {.body = tsx_body_jumps, .count = TURNS};
    struct hle_block section = {.lock = lock, .turns = ELIDED_TURNS, .ask = 1};

    if (!elided)
        return tsx_inside(&block);
    *lock = 0;
    hle_xchg(&section);
    return section.inside != 0 ? TSX_COMMITTED : TSX_ABORTED;
}

/* A full region with INT, so that its interrupt comes in the transaction. */
static bool interrupt_once(struct trace *p, bool elided,
                           struct interrupted *out)
{
    const uint64_t table = trace_at(p->table), memory = trace_at(p->memory);
    const struct parts parts = {
        .control = output_control(test_cpu(p->t), true),
        .count = 2,
        .part = {{table, (uint32_t)output_topa_pointers(0, 0), FIRST_AT,
                  PAGE_BYTES - FROM_END, PAGE_BYTES},
                 {table, (uint32_t)output_topa_pointers(1, 0), NEXT_AT, 0,
                  PAGE_BYTES}}};
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
    out->outcome = run_long(p->t, elided);
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

/* What is elided goes on at the XACQUIRE: where an interrupt that comes later
 * is, cannot be told by its address, but for the trace's own order. */
static void check_interrupt(struct trace *p, bool elided)
{
    const uint64_t begin = trace_at(elided ? hle_xchg_acquire : tsx_xbegin_at),
                   body = trace_at(elided ? hle_xchg_acquired : tsx_body_jumps),
                   end =
                       elided ? trace_at(hle_xchg_release) : body + BODY_BYTES;
    const struct transition_wanted wanted[] = {
        {PT_BEGIN, begin, begin, 0},
        {PT_ABORT, body, end, elided ? begin : trace_at(tsx_fallback)}};
    struct interrupted got = {.outcome = TSX_RAN};
    unsigned tries = 0;
    bool measured;

    if (!hw_pmi_begin(false)) {
        note(p->t, "no local APIC: no abort by an interrupt was looked at");
        return;
    }
    do {
        measured = interrupt_once(p, elided, &got);
    } while (measured &&
             ((elided && got.seen.count == 0) || got.outcome != TSX_ABORTED ||
              !got.came || !goes_on(p, &got) ||
              got.seen.packets[PT_OVF] != 0) &&
             ++tries < TRACE_TRIES);
    hw_pmi_end();
    if (!measured)
        return;
    if (tries == TRACE_TRIES)
        note(p->t, "no interrupt came in %s, in %u tries",
             elided ? "an elided section" : "a transaction", TRACE_TRIES);
    else if (trace_check(p,
                         elided ? "abort of an elided section by an interrupt"
                                : "abort by an interrupt",
                         &got.seen, wanted, 2)) {
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
    const bool many = (test_cpu(t)->leaf14_ecx & LEAF14_TOPA_MANY) != 0;

    /* Measured and checked. */
    check_capacity(&p, STORES);
    check_capacity(&p, LOADS);
    if (many)
        check_interrupt(&p, false);
    if (!hle_elides(t))
        return;
    check_capacity(&p, ELIDED_STORES);
    if (many)
        check_interrupt(&p, true);
}
