/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception or interrupt is recorded as a branch to its handler; a debug
 * exception is not, and ends the recording. */
#include "src/lbr/stack.h"
#include "src/trace/gate.h"

static uint64_t at(const void *label)
{
    return (uint64_t)(uintptr_t)label;
}

/* There, from the instruction that raised it; and back by IRETQ. Of INT n the
 * manual does not say whether it is from there or from the next. */
static void try_exceptions(struct lbr *l, const char *what, uint64_t select)
{
    struct lbr_branches rows, want;

    lbr_branches_of(&rows, lbr_body_exceptions, lbr_body_exceptions_rows);
    lbr_branches_clear(&want, lbr_body_exceptions);
    for (unsigned i = 0; i < rows.count; i++) {
        const struct lbr_branch *b = &rows.at[i];

        if (b->kind != LBR_FAR) {
            lbr_branches_add(&want, b->kind, b->from, b->to);
            continue;
        }
        lbr_branches_add(&want,
                         LBR_FAR | (i + 2 == rows.count ? LBR_OR_NEXT : 0),
                         b->from, at(trace_handler));
        lbr_branches_add(&want, LBR_FAR, at(trace_handler_end), b->to);
    }
    lbr_branches_select(&want, select, l->model.arch);
    l->select = select;
    if (lbr_body(l, lbr_body_exceptions))
        lbr_judge(l, what, &want);
}

static void try_debug(struct lbr *l)
{
    struct trace_window code = {.body = lbr_body_debug};
    const uint64_t freezes = test_cpu(l->t)->perfmon_version >= 2
                                 ? IA32_DEBUGCTL_FREEZE_LBRS_ON_PMI |
                                       IA32_DEBUGCTL_FREEZE_PERFMON_ON_PMI
                                 : 0;
    struct lbr_branches want;

    lbr_branches_of(&want, lbr_body_debug, lbr_body_debug_rows);
    want.count--; /* not the jump out of it */
    l->select = 0;
    l->off |= freezes | IA32_DEBUGCTL_BTF; /* with TF = 0, without effect */
    if (!lbr_window(l, &code))
        return;
    const uint64_t debugctl =
        l->model.arch ? msr_value(l->t, IA32_DEBUGCTL) : code.cells[1];
    check(l->t, (debugctl & freezes) == freezes,
          "after a debug exception IA32_DEBUGCTL (1D9H) is 0x%lx; wanted "
          "[12:11] as they were, 0x%lx: it clears LBR [0] and BTF [1]",
          debugctl, freezes);
    check(l->t, (code.cells[1] & 1) == 0,
          "after a debug exception %s, is 1; wanted 0", lbr_enable_name(l));
    check(l->t, (debugctl & IA32_DEBUGCTL_BTF) == 0,
          "after a debug exception IA32_DEBUGCTL (1D9H) is 0x%lx; wanted [1], "
          "BTF, to be 0",
          debugctl);
    lbr_judge(l, "a jump, and a debug exception, which is not recorded", &want);
}

TEST(lbr_events,
     .asks = "Are exceptions and INT n recorded, and does a debug exception "
             "end that?",
     .cite = "SDM 3B, \"Monitoring Branches, Exceptions, and Interrupts\"; "
             "\"Single-Stepping on Branches\"; "
             "\"LBR Stack for Processors Based on Intel NetBurst "
             "Microarchitecture\": the \"from\" address of an exception",
     .scope = THREADS_IN_TURN, /* may share MSR_LBR_SELECT */
     .needs = {.features = NEED_INTEL | NEED_LBR})
{
    uint8_t *gates = test_buffer(t);
    struct lbr l;

    if (!lbr_claim(&l, t))
        return;
    trace_gates(gates);
    gates_set(gates, GATE_UD, at(trace_handler));
    gates_set(gates, GATE_DE, at(trace_handler));
    gates_set(gates, TRACE_INT, at(trace_handler));
    gates_set(gates, GATE_DB, at(trace_handler_trap));
    l.gates = gates;
    try_exceptions(&l, "#UD, #DE, INT n", 0);
    try_exceptions(&l, "#UD, #DE, INT n, MSR_LBR_SELECT: FAR_BRANCH [8]",
                   MSR_LBR_SELECT_KIND(LBR_FAR));
    try_debug(&l);
}
