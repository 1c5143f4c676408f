/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses that differ from the one before in their lower 16 bits, in 32 and
 * in all 64, and in each bit of a page's address alone: the same code mapped in
 * the upper half of memory, again and again, under a CR3 of the test's own. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/gate.h"
#include "src/trace/packets.h"
#include "src/trace/ptws.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

/* SDM 3A, "4-Level Paging". */
#define PAGE_BYTES 4096u
#define ENTRIES    512u
#define UPPER      256u /* the first entry of the upper half */
#define PRESENT    (UINT64_C(1) << 0)
#define WRITABLE   (UINT64_C(1) << 1)
#define PAGE_SIZE  (UINT64_C(1) << 7)
#define GLOBAL     (UINT64_C(1) << 8)
#define ADDRESS    UINT64_C(0x000ffffffffff000)
#define CR4_LA57   (UINT64_C(1) << 12)
#define CR4_PCIDE  (UINT64_C(1) << 17)

#define STEPS 16 /* of the body, at most */

static uint64_t *table_at(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ADDRESS);
}

/* The entry of a page directory that maps this address, which is mapped. */
static uint64_t directory_entry(uint64_t cr3, uint64_t address)
{
    const uint64_t root = table_at(cr3)[address >> 39 & (ENTRIES - 1)];
    const uint64_t entry = table_at(root)[address >> 30 & (ENTRIES - 1)];

    if ((entry & PAGE_SIZE) != 0) /* 1 GB: one of 2 MB in it */
        return entry + (address & UINT64_C(0x3fe00000));
    return table_at(entry)[address >> 21 & (ENTRIES - 1)];
}

/* Fills three pages; returns the address of the body's alias, or 0. */
static uint64_t map_alias(uint64_t tables[3][ENTRIES], uint64_t cr3,
                          uint64_t body)
{
    unsigned n = UPPER;

    memset(tables, 0, 3 * sizeof(tables[0]));
    memcpy(tables[0], table_at(cr3), PAGE_BYTES);
    while (n < ENTRIES && tables[0][n] != 0)
        n++;
    if (n == ENTRIES)
        return 0;
    tables[0][n] = trace_at(tables[1]) | PRESENT | WRITABLE;
    tables[1][0] = trace_at(tables[2]) | PRESENT | WRITABLE;
    tables[2][0] = directory_entry(cr3, body) & ~GLOBAL;
    tables[2][1] = tables[2][0];
    return (UINT64_C(0xffff) << 48) | (uint64_t)n << 39 |
           (body & (TRACE_ALIAS_STEP - 1));
}

/* The same page of 2 MB where one bit of the address is 1, too. */
static bool map_far(uint64_t tables[3][ENTRIES])
{
    for (unsigned bit = TRACE_FAR_FIRST; bit < TRACE_FAR_FIRST + TRACE_FAR_BITS;
         bit++) {
        const unsigned level = bit < 30   ? 2
                               : bit < 39 ? 1
                                          : 0,
                       shift = level == 2   ? 21
                               : level == 1 ? 30
                                            : 39,
                       first = level == 0 ? UPPER : 0;
        uint64_t *entry = &tables[level][first | 1u << (bit - shift)];

        if (level == 0 && *entry != 0)
            return false;
        *entry = tables[level][first];
    }
    return true;
}

/* Of each two rows of the pairs the first is a bit higher. */
static bool far_step(const void *source, uint64_t index, struct path_step *step)
{
    const struct path *path = source;
    const uint64_t first = 4; /* TIP.PGE, TIP, PIP, TIP */

    if (!path->step(path->source, index, step))
        return false;
    if (index >= first && index < first + 2 * TRACE_FAR_BITS && index % 2 == 0)
        step->value += BIT(TRACE_FAR_FIRST + (index - first) / 2);
    return true;
}

static void check_far(struct trace *p, const struct window *near,
                      uint64_t tables[3][ENTRIES])
{
    const uint64_t body = trace_at(trace_body_far),
                   low = body & (TRACE_ALIAS_STEP - 1);
    struct window w;
    struct path_seen seen;

    tables[2][0] = directory_entry(near->code.cells[0], body) & ~GLOBAL;
    if (low + TRACE_FAR_BYTES > TRACE_ALIAS_STEP || tables[0][UPPER] == 0 ||
        !map_far(tables)) {
        note(p->t, "not tested: addresses that differ in one bit: needs the "
                   "upper half of the page tables free");
        return;
    }
    window_set(&w, trace_body_far, trace_body_far_path);
    w.code.argument =
        (UINT64_C(0xffff) << 48) + ((uint64_t)UPPER << 39) + low - body;
    w.code.count = near->code.count;
    const struct path all = w.path;
    w.path.step = far_step;
    w.path.source = &all;
    window_check(p, "jumps to where one bit is another", &w, &seen);
}

/* The page of another body at the alias of the first one's. False: it lies over
 * the end of 2 MB. */
static bool alias_body(struct trace *p, struct window *w,
                       const struct window *first, const uint8_t *body,
                       const struct trace_row *rows,
                       uint64_t tables[3][ENTRIES])
{
    const uint64_t at = trace_at(body), low = at & (TRACE_ALIAS_STEP - 1),
                   alias = trace_at(first->code.body) + first->code.argument;

    if (low + TRACE_ALIAS_BYTES > TRACE_ALIAS_STEP) {
        note(p->t, "not tested: code at 0x%lx, which lies over the end of 2 MB",
             at);
        return false;
    }
    tables[2][0] = directory_entry(first->code.cells[0], at) & ~GLOBAL;
    tables[2][1] = tables[2][0];
    window_set(w, body, rows);
    w->code.argument = (alias & ~(TRACE_ALIAS_STEP - 1)) + low - at;
    w->code.count = first->code.count;
    return true;
}

static void check_calls(struct trace *p, const struct window *first,
                        uint64_t tables[3][ENTRIES])
{
    struct window w;
    struct path_seen seen;

    if (alias_body(p, &w, first, trace_body_alias_calls,
                   trace_body_alias_calls_path, tables))
        window_check(p, "calls and returns between pages", &w, &seen);
}

/* Where its row of a FUP is. */
static uint64_t fup_of(const struct window *w)
{
    const struct trace_row *row = w->rows;

    while (row->kind != PATH_FUP_ALIAS_2)
        row++;
    return trace_at(w->code.body) + (uint64_t)(int64_t)row->at +
           w->code.argument + TRACE_ALIAS_STEP;
}

static void check_ptwrite(struct trace *p, const struct window *first,
                          uint64_t tables[3][ENTRIES])
{
    const uint64_t control = p->control;
    struct ptws found;
    struct window w;
    struct path_seen seen;

    if ((test_cpu(p->t)->leaf14_ebx & LEAF14_PTW) == 0 ||
        !alias_body(p, &w, first, trace_body_alias_ptwrite,
                    trace_body_alias_ptwrite_path, tables))
        return;
    p->control |= IA32_RTIT_CTL_PTWEn | IA32_RTIT_CTL_FUPonPTW;
    const bool traced = window_trace(p, &w, &seen);
    p->control = control;
    if (!traced)
        return;
    ptws_read(p, &found);
    check(p->t, found.count == 1 && found.of[0].fup == fup_of(&w),
          "PTWRITE on another page: %u PTW, the first with a FUP of 0x%lx; "
          "wanted 1, 0x%lx",
          found.count, found.of[0].fup, fup_of(&w));
}

/* With EventEn the FUP belongs to a CFE. */
static void check_event(struct trace *p, struct window *w)
{
    const uint64_t control = p->control,
                   iret = trace_at(trace_alias_handler) + w->code.argument;
    uint64_t fups[2] = {0, 0};
    unsigned count = 0;
    bool bound = false;
    struct packets packets;
    struct pt_packet packet;
    struct path_seen seen;

    if ((test_cpu(p->t)->leaf14_ebx & LEAF14_EVENT) == 0)
        return;
    p->control |= IA32_RTIT_CTL_EventEn;
    const bool traced = window_trace(p, w, &seen);
    p->control = control;
    if (!traced)
        return;
    packets_open(&packets, p->memory, trace_bytes(p));
    while (packets_next(&packets, &packet)) {
        if (packet.kind == PT_PAD)
            continue; /* may stand anywhere */
        if (bound && packet.kind == PT_FUP && count <= 2)
            fups[count - 1] = packets.ip;
        bound = packet.kind == PT_CFE;
        count += bound;
    }
    check(p->t, count == 2 && fups[0] == fup_of(w) && fups[1] == iret,
          "INT3 on another page, and IRET: %u CFE, with FUPs of 0x%lx, 0x%lx; "
          "wanted 2, 0x%lx, 0x%lx",
          count, fups[0], fups[1], fup_of(w), iret);
}

/* An abort's FUP and TIP; FUPs of a begin and of a commit. */
static void check_transactions(struct trace *p, const struct window *first,
                               uint64_t tables[3][ENTRIES])
{
    struct window w;
    struct path_seen seen;

    if (!probe_state_if_any(p->t) ||
        !alias_body(p, &w, first, trace_body_alias_tx, trace_body_alias_tx_path,
                    tables))
        return;
    for (unsigned i = 0; i < TRACE_TRIES; i++) {
        if (!window_trace(p, &w, &seen))
            return;
        if ((w.code.cells[1] & (RTM_STATUS_CODE | RTM_STATUS_XABORT)) ==
                ((uint64_t)TRACE_XABORT << 24 | RTM_STATUS_XABORT) &&
            w.code.cells[2] == RTM_STATUS_STARTED) {
            window_judge(p, "transactions on two pages", &seen);
            return;
        }
    }
    note(p->t, "no transaction on two pages ended as meant");
}

/* A page that neither the trace nor the tables use. */
static uint8_t *free_page(struct trace *p)
{
    uint8_t *buffer = test_buffer(p->t);

    return p->memory - buffer >= (long)PAGE_BYTES ? buffer
                                                  : p->memory + TRACE_BYTES;
}

/* What a row of the body leaves with a filter of its first alias alone. */
static struct path_step filtered(const struct window *w,
                                 const struct trace_row *row)
{
    const uint64_t low = trace_at(w->code.body) + (uint64_t)(int64_t)row->at,
                   first = low + w->code.argument,
                   second = first + TRACE_ALIAS_STEP;

    switch (row->kind) {
    case PATH_PIP_COUNT:
        return (struct path_step){PATH_PIP, path_pip(w->code.count)};
    case PATH_PIP_OWN:
        return (struct path_step){PATH_PIP, path_pip(w->code.cells[0])};
    case PATH_TIP_ALIAS:
        return (struct path_step){PATH_PGE, first};
    case PATH_TIP_ALIAS_2:
        return (struct path_step){PATH_PGD, second};
    case PATH_FUP_ALIAS_2: /* where the direct jump to it left the filter */
        return (struct path_step){PATH_PGD_DIRECT, second};
    default:
        return (struct path_step){PATH_PGD, low};
    }
}

/* TIP.PGE at one page, TIP.PGD with an address of another, in turn. */
static void check_filter(struct trace *p, struct window *w)
{
    const uint64_t first = trace_at(w->code.body) + w->code.argument;
    struct path_step steps[STEPS];
    struct path_list list = {steps, 0};
    struct path_seen seen;

    /* The first row is the jump to the body, outside of the filter. */
    while (list.count < STEPS && w->rows[list.count + 1].kind != PATH_END) {
        steps[list.count] = filtered(w, &w->rows[list.count + 1]);
        list.count++;
    }
    w->path = (struct path){.step = path_list_step, .source = &list};
    p->control |= IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    if (set_msr(p->t, IA32_RTIT_ADDR_A(0), first) &&
        set_msr(p->t, IA32_RTIT_ADDR_B(0), first + TRACE_ALIAS_BYTES - 1))
        window_check(p, "the same with a filter of one of the pages", w, &seen);
}

TEST(pt_ip_compression,
     .asks = "Are addresses right in every form of compression?",
     .cite = "SDM 3C, Intel Processor Trace, \"IP Compression\", table "
             "\"FUP/TIP IP Reconstruction\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    const uint64_t body = trace_at(trace_body_alias);
    uint64_t(*tables)[ENTRIES] =
        (void *)((uint8_t *)test_records(t) + PAGE_BYTES);
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;
    window_set(&w, trace_body_cr3_read, trace_body_nothing_path);
    if (!trace_arm(&p))
        return;
    w.code.control = p.armed;
    trace_window(&w.code); /* without a trace */
    const uint64_t cr3 = w.code.cells[0], cr4 = w.code.cells[1];
    if ((cr4 & (CR4_LA57 | CR4_PCIDE)) != 0 ||
        (body & (TRACE_ALIAS_STEP - 1)) + TRACE_ALIAS_BYTES >
            TRACE_ALIAS_STEP) {
        skip(t,
             "needs 4-level paging without PCIDs, and code that does not lie "
             "over the end of 2 MB: CR4 = 0x%lx, code at 0x%lx",
             cr4, body);
        return;
    }
    const uint64_t alias = map_alias(tables, cr3, body);
    if (alias == 0) {
        skip(t, "needs a free entry in the upper half of the page tables");
        return;
    }
    window_set(&w, trace_body_alias, trace_body_alias_path);
    w.code.argument = alias - body;
    w.code.count = trace_at(tables);
    w.gates = free_page(&p);
    trace_gates(w.gates);
    gates_set(w.gates, GATE_BP,
              trace_at(trace_alias_handler) + w.code.argument);

    /* Measured and checked. */
    window_check(&p, "jumps between two halves of memory", &w, &seen);
    check_event(&p, &w);
    if (registers_ranges(test_cpu(t)) != 0)
        check_filter(&p, &w);
    p.control &= ~IA32_RTIT_CTL_ADDR_CFG(0, 15);
    check_calls(&p, &w, tables);
    check_ptwrite(&p, &w, tables);
    check_transactions(&p, &w, tables);
    check_far(&p, &w, tables);
}
