/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters of the context: OS and User by the privilege level, CR3Filter by CR3.
 * Where they say no, there is PSB+ without an address, and nothing else. */
#include "src/base/hw.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"

#define PAGE_BYTES 4096u
/* Of CR3: ignored, and no part of the address, but with PAE paging or PCIDs. A
 * PIP has them as 0. */
#define CR3_LOW   UINT64_C(0xfe0)
#define CR4_PCIDE BIT(17)

/* No packet of the control flow, nor of the context, in PSB+ or outside; those
 * that depend on TriggerEn alone are there. */
static void check_silent(struct trace *p, const char *what, bool *ended)
{
    const uint64_t control = p->control;
    struct window w;
    struct path_seen seen;

    window_set_silent(&w, trace_body_status);
    w.path.timing = PATH_TIMING_TSC;
    p->control |= IA32_RTIT_CTL_TSCEn;
    *ended = !window_check(p, what, &w, &seen);
    p->control = control;
    if (*ended)
        return;
    check(p->t, seen.packets[PT_TSC] != 0,
          "%s, TSCEn = 1: got no TSC, wanted one after TraceEn is set", what);
    check_known(p->t, seen.packets[PT_CBR] != 0, ERRATUM_PT_LATE_MODE, true,
                "%s: got no CBR, wanted one after TraceEn is set", what);
    check(p->t, seen.psbs != 0 && seen.packets[PT_MODE_TSX] == 0,
          "%s: got %u PSBs, %u MODE.TSX; wanted some, none", what, seen.psbs,
          seen.packets[PT_MODE_TSX]);
    check_known(p->t,
                seen.packets[PT_FUP] == 0 && seen.packets[PT_MODE_EXEC] == 0,
                ERRATUM_PT_PSB_UNEXPECTED, true,
                "%s: got %u FUP, %u MODE.Exec in PSB+; wanted none", what,
                seen.packets[PT_FUP], seen.packets[PT_MODE_EXEC]);
    check_known(p->t, seen.packets[PT_PIP] == 0, ERRATUM_PT_PSB_PIP, true,
                "%s: got %u PIP in PSB+; wanted none", what,
                seen.packets[PT_PIP]);
    window_check_status(p, what, w.code.cells[0],
                        IA32_RTIT_STATUS_TriggerEn | IA32_RTIT_STATUS_ContextEn,
                        IA32_RTIT_STATUS_TriggerEn);
}

/* This code runs at privilege level 0. */
static void check_levels(struct trace *p, uint64_t control)
{
    static const struct {
        const char *what;
        uint64_t bits;
    } rows[] = {
        {"OS = 0, User = 0", 0},
        {"OS = 0, User = 1", IA32_RTIT_CTL_User},
        {"OS = 1, User = 1", IA32_RTIT_CTL_OS | IA32_RTIT_CTL_User},
    };
    struct window w;
    struct path_seen seen;
    bool ended;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        p->control = (control & ~IA32_RTIT_CTL_OS) | rows[i].bits;
        window_set(&w, trace_body_nothing, trace_body_nothing_path);
        if ((rows[i].bits & IA32_RTIT_CTL_OS) == 0)
            check_silent(p, rows[i].what, &ended);
        else
            window_check(p, rows[i].what, &w, &seen);
    }
}

/* Every bit of the address counts; those below do not, which are not part of
 * it with IA-32e paging. */
static void check_match(struct trace *p, uint64_t control, uint64_t cr3)
{
    const uint64_t address = cr3 & UINT64_C(0x000ffffffffff000);
    char what[64];
    struct window w;
    struct path_seen seen;
    bool ended = false;

    p->control = control | IA32_RTIT_CTL_CR3Filter;
    for (unsigned low = 0; low <= 1; low++)
        if (set_msr(p->t, IA32_RTIT_CR3_MATCH, address | (low ? 0xfe0 : 0))) {
            window_set(&w, trace_body_nothing, trace_body_nothing_path);
            window_check(p,
                         low ? "CR3 matches, but for bits 11:5 of 572H"
                             : "CR3 matches",
                         &w, &seen);
        }
    const unsigned physical =
        test_cpu(p->t)->physical_bits - test_cpu(p->t)->key_bits;
    for (unsigned bit = 12; bit < physical && !ended; bit++) {
        text_format(what, sizeof(what), "CR3 differs from 572H in bit %u", bit);
        if (!set_msr(p->t, IA32_RTIT_CR3_MATCH, address ^ BIT(bit)))
            return;
        check_silent(p, what, &ended);
    }
}

/* Two filters: what is traced has to pass both. */
static void check_both(struct trace *p, uint64_t control, uint64_t cr3)
{
    const uint64_t address = cr3 & UINT64_C(0x000ffffffffff000);
    struct window w;
    struct path_seen seen;

    p->control = control | IA32_RTIT_CTL_CR3Filter |
                 IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    if (!set_msr(p->t, IA32_RTIT_ADDR_A(0), trace_at(trace_range_first)) ||
        !set_msr(p->t, IA32_RTIT_ADDR_B(0), trace_at(trace_range_last)))
        return;
    for (unsigned matches = 0; matches <= 1; matches++) {
        if (!set_msr(p->t, IA32_RTIT_CR3_MATCH,
                     matches ? address : address ^ BIT(12)))
            return;
        if (matches)
            window_set(&w, trace_body_range, trace_body_range_path);
        else
            window_set_silent(&w, trace_body_range);
        w.bare = true;
        window_check(p,
                     matches ? "a filter of addresses, and CR3 matches"
                             : "a filter of addresses, and CR3 does not match",
                     &w, &seen);
    }
}

/* "PIP Packet Definition": with OS alone, and whatever BranchEn is; CBR too. */
static void check_pip(struct trace *p, uint64_t control, uint64_t other)
{
    static const struct trace_row rows[] = {{PATH_PIP_OWN, 0},
                                            {PATH_PIP_OTHER, 0},
                                            {PATH_PIP_OWN, 0},
                                            {PATH_END, 0}};
    struct window w;
    struct path_seen seen;

    p->control = (control & ~IA32_RTIT_CTL_OS) | IA32_RTIT_CTL_User;
    window_set_silent(&w, trace_body_cr3);
    w.code.argument = other;
    window_check(p, "writes of CR3 with OS = 0, User = 1", &w, &seen);
    if (output_is_broadwell(test_cpu(p->t)))
        return; /* BDM106 */
    p->control = control & ~IA32_RTIT_CTL_BranchEn;
    window_set(&w, trace_body_cr3, rows);
    w.bare = true;
    w.code.argument = other;
    if (window_check(p, "writes of CR3 with BranchEn = 0", &w, &seen))
        check(p->t, seen.packets[PT_CBR] != 0,
              "BranchEn = 0: got no CBR, wanted one after TraceEn is set");
}

/* PIP each time that CR3 is written; with a filter, TIP.PGD where it no longer
 * matches and TIP.PGE where it does again. */
static void check_writes(struct trace *p, uint64_t control, uint64_t cr3,
                         uint64_t other)
{
    const struct path_step steps[] = {
        {PATH_PGE, trace_at(trace_window_on_next)},
        {PATH_TIP, trace_at(trace_body_cr3)},
        {PATH_NOT_TAKEN, 0},
        {PATH_PIP, path_pip(cr3)},
        {PATH_TAKEN, 0},
        {PATH_PGD_HIDDEN, 0},
        {PATH_PIP, path_pip(cr3)},
        {PATH_PGE, trace_at(trace_body_cr3_back)},
        {PATH_TIP, trace_at(trace_body_cr3_end)},
        {PATH_FUP, trace_at(trace_window_off_at)},
        {PATH_PGD_HIDDEN, 0}};
    const struct path_list list = {steps, sizeof(steps) / sizeof(steps[0])};
    struct window w;
    struct path_seen seen;

    p->control = control;
    window_set(&w, trace_body_cr3, trace_body_cr3_path);
    w.code.argument = other;
    window_check(p, "writes of CR3", &w, &seen);
    if ((test_cpu(p->t)->leaf14_ebx & LEAF14_CR3) == 0 ||
        !set_msr(p->t, IA32_RTIT_CR3_MATCH, cr3 & ~UINT64_C(0xfff)))
        return;
    p->control = control | IA32_RTIT_CTL_CR3Filter;
    w.path = (struct path){.step = path_list_step, .source = &list};
    window_check(p, "writes of CR3, with a filter of it", &w, &seen);
    window_set(&w, trace_body_cr3_returns, trace_body_cr3_returns_path);
    w.code.argument = other;
    window_check(p, "calls and returns, with a filter of CR3", &w, &seen);
}

/* "PIP Packet Definition": whatever FilterEn is. And where CR3 matches again
 * FilterEn is that of the next instruction. */
static void check_writes_filtered(struct trace *p, uint64_t control,
                                  uint64_t cr3, uint64_t other)
{
    static const struct trace_row pips[] = {{PATH_PIP_OWN, 0},
                                            {PATH_PIP_OTHER, 0},
                                            {PATH_PIP_OWN, 0},
                                            {PATH_END, 0}};
    const uint64_t back = trace_at(trace_body_cr3_back),
                   end = trace_at(trace_body_cr3_end);
    const struct path_step steps[] = {
        {PATH_PIP, path_pip(cr3)},
        {PATH_PIP, path_pip(cr3)},
        {PATH_PGE, back},
        {PATH_TIP, end},
        {PATH_PGD_DIRECT, trace_at(trace_window_off)}};
    const struct path_list list = {steps, sizeof(steps) / sizeof(steps[0])};
    struct window w;
    struct path_seen seen;

    p->control = control | IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);
    window_set(&w, trace_body_cr3, pips);
    w.bare = true;
    w.code.argument = other;
    if (!set_msr(p->t, IA32_RTIT_ADDR_A(0), PAGE_BYTES) ||
        !set_msr(p->t, IA32_RTIT_ADDR_B(0), 2 * PAGE_BYTES - 1) ||
        !window_check(p, "writes of CR3 outside of a filter", &w, &seen))
        return;
    p->control |= IA32_RTIT_CTL_CR3Filter;
    w.path = (struct path){.step = path_list_step, .source = &list};
    if (set_msr(p->t, IA32_RTIT_CR3_MATCH, cr3 & ~UINT64_C(0xfff)) &&
        set_msr(p->t, IA32_RTIT_ADDR_A(0), back) &&
        set_msr(p->t, IA32_RTIT_ADDR_B(0), end))
        window_check(p, "writes of CR3, the last into both filters", &w, &seen);
}

TEST(pt_filter_context,
     .asks = "Do filters of privilege level and of CR3 keep out what they say?",
     .cite = "SDM 3C, Intel Processor Trace, \"Filtering by Current Privilege "
             "Level (CPL)\", \"Filtering by CR3\", \"Context Enable "
             "(ContextEn)\", \"Indirect Transfer Compression for Returns "
             "(RET)\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    struct trace p;
    struct window w;
    struct path_seen seen;

    /* Set-up: another CR3, of a copy of the table that it points at. */
    if (!trace_claim(&p, t))
        return;
    const uint64_t control = p.control;
    uint8_t *copy = (uint8_t *)test_records(t) + PAGE_BYTES;
    window_set_silent(&w, trace_body_cr3_read);
    p.control = control & ~IA32_RTIT_CTL_OS;
    if (!window_check(&p, "reading CR3", &w, &seen))
        return;
    const uint64_t cr3 = w.code.cells[0];
    memcpy(copy, (const void *)(uintptr_t)(cr3 & ~UINT64_C(0xfff)), PAGE_BYTES);
    const uint64_t other = trace_at(copy) | (cr3 & 0xfff) |
                           ((hw_cr4() & CR4_PCIDE) == 0 ? CR3_LOW : 0);

    /* Measured and checked. */
    check_levels(&p, control);
    if ((test_cpu(t)->leaf14_ebx & LEAF14_CR3) != 0)
        check_match(&p, control, cr3);
    if ((test_cpu(t)->leaf14_ebx & LEAF14_CR3) != 0 &&
        registers_ranges(test_cpu(t)) != 0) {
        check_both(&p, control, cr3);
        check_writes_filtered(&p, control, cr3, other);
    }
    check_writes(&p, control, cr3, other);
    check_pip(&p, control, other);
}
