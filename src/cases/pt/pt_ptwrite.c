/* SPDX-License-Identifier: BSD-2-Clause */
/* With PTWEn each PTWRITE leaves a PTW with its operand, whole or half, where
 * branches are traced and where they are not; with FUPonPTW a FUP says where it
 * was. None is left without PTWEn, nor of code that is filtered out. */
#include "src/base/msr.h"
#include "src/trace/gate.h"
#include "src/trace/ptws.h"
#include "src/trace/registers.h"
#include "src/trace/window.h"
#include "src/tsx/probe.h"

#define PAGE_BYTES UINT64_C(4096) /* no code is in the first two */
#define TRIES      20             /* of a transaction, for one that commits */

_Static_assert(TRACE_PTWRITES <= PTWS_MAX, "all are read");

/* No byte of the one is that of the other, and none is that of the guard; in
 * the second row the upper half is 0, or the lower. */
#define FIRST UINT64_C(0xf1e2d3c4b5a69788)
static const uint64_t operands[2][2] = {
    {FIRST, UINT64_C(0x8192a3b4c5d6e7f8)},
    {UINT64_C(0xb5a69788), UINT64_C(0x8192a3b400000000)}};

static void judge_one(struct test_context *t, const char *what, unsigned n,
                      const uint64_t operand[2], const struct ptw *found,
                      bool fup)
{
    const bool whole = (TRACE_PTWRITE_HALVES >> n & 1) == 0;
    const uint64_t value = operand[TRACE_PTWRITE_COUNTS >> n & 1];
    const uint64_t want = whole ? value : (uint32_t)value;
    const uint64_t at = trace_at(trace_body_ptwrite) + trace_body_ptwrite_at[n];

    check(t, found->payload == want && found->whole == whole,
          "%s: PTWRITE %u: a PTW of %u bytes, 0x%lx; wanted %u bytes, 0x%lx",
          what, n, found->whole ? 8 : 4, found->payload, whole ? 8 : 4, want);
    check(t, found->ip == fup,
          "%s: PTWRITE %u: IP (bit 7) of PTW is %d; "
          "wanted %d",
          what, n, found->ip, fup);
    check(t, !fup || (found->fup == at && found->results == (n == 0 ? 1 : 2)),
          "%s: PTWRITE %u: a FUP of 0x%lx follows its PTW, after %u results of "
          "branches; wanted 0x%lx after %u",
          what, n, found->fup, found->results, at, n == 0 ? 1 : 2);
}

/* count: PTWs wanted, all or none. */
static bool trace_operands(struct trace *p, const char *what, uint64_t bits,
                           const uint64_t operand[2], unsigned count)
{
    const uint64_t control = p->control;
    const bool branches = ((control ^ bits) & IA32_RTIT_CTL_BranchEn) != 0,
               fup = (bits & IA32_RTIT_CTL_FUPonPTW) != 0;
    struct ptws found;
    struct path_seen seen;
    struct window w;

    window_set(&w, trace_body_ptwrite, trace_body_ptwrite_path);
    w.code.argument = operand[0];
    w.code.count = operand[1];
    p->control ^= bits;
    const bool traced = window_trace(p, &w, &seen);
    p->control = control;
    if (!traced)
        return false;
    ptws_read(p, &found);
    check(p->t, found.count == count,
          "%s: %u PTW in a trace of %u PTWRITEs; wanted %u", what, found.count,
          TRACE_PTWRITES, count);
    for (unsigned n = 0; n < found.count && n < count; n++)
        judge_one(p->t, what, n, operand, &found.of[n], fup && branches);
    check(p->t, found.without_fup == 0,
          "%s: %u PTW with IP = 1 are not followed by a FUP; wanted 0", what,
          found.without_fup);
    return true;
}

static bool trace_ptws(struct trace *p, const char *what, uint64_t bits,
                       unsigned count)
{
    return trace_operands(p, what, bits, operands[0], count);
}

static void check_filtered(struct trace *p)
{
    const uint64_t filter = IA32_RTIT_CTL_ADDR_CFG(0, IA32_RTIT_ADDR_FILTER);

    if (registers_ranges(test_cpu(p->t)) > 0 &&
        set_msr(p->t, IA32_RTIT_ADDR_A(0), PAGE_BYTES) &&
        set_msr(p->t, IA32_RTIT_ADDR_B(0), 2 * PAGE_BYTES - 1))
        trace_ptws(p, "outside of a filter", IA32_RTIT_CTL_PTWEn | filter, 0);
}

/* Of one that has committed: whether PTWRITE aborts no manual says. */
static void check_in_transaction(struct trace *p, uint64_t bits)
{
    const uint64_t first = trace_at(trace_body_tx_ptwrite);
    const bool fup = (bits & IA32_RTIT_CTL_FUPonPTW) != 0;
    const uint64_t control = p->control;
    struct ptws found;
    struct path_seen seen;
    struct window w;
    bool commits = false;

    if (!probe_state_if_any(p->t))
        return;
    p->control |= bits;
    for (unsigned i = 0; i < TRIES && !commits; i++) {
        window_set(&w, trace_body_tx_ptwrite, trace_body_tx_ptwrite_path);
        w.code.argument = FIRST;
        if (!window_trace(p, &w, &seen))
            break;
        commits = w.code.cells[0] != 0;
    }
    p->control = control;
    if (!commits) {
        note(p->t, "no transaction with a PTWRITE committed");
        return;
    }
    ptws_read(p, &found);
    ptws_check_forms(p->t, "in a transaction", &found, FIRST);
    for (unsigned n = 0; n < found.count && n < PTWS_FORMS; n++) {
        const struct ptw *ptw = &found.of[n];

        check(p->t,
              ptw->ip == fup && (!fup || ptw->fup - first < PAGE_BYTES) &&
                  (!fup || n == 0 || ptw->fup > found.of[n - 1].fup),
              "in a transaction, FUPonPTW = %u: PTWRITE %u: IP (bit 7) of PTW "
              "is %d, a FUP of 0x%lx follows; wanted one of its own where IP "
              "is 1",
              fup, n, ptw->ip, ptw->fup);
    }
}

TEST(pt_ptwrite,
     .asks = "Is the operand of each PTWRITE in the trace, with PTWEn alone?",
     .cite = "SDM 2B, PTWRITE; 3C, Intel Processor Trace, \"Software Trace "
             "Instrumentation with PTWRITE\", \"PTW Packet Definition\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_PTWRITE})
{
    uint8_t *gates = (uint8_t *)test_records(t) + TRACE_GATES_BYTES;
    struct path_seen seen;
    struct trace p;
    struct window w;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    if (!trace_ptws(&p, "PTWEn = 0", 0, 0) ||
        !trace_ptws(&p, "PTWEn = 0, FUPonPTW = 1", IA32_RTIT_CTL_FUPonPTW, 0) ||
        !trace_ptws(&p, "PTWEn = 1", IA32_RTIT_CTL_PTWEn, TRACE_PTWRITES))
        return;
    trace_operands(&p, "PTWEn = 1, halves of 0", IA32_RTIT_CTL_PTWEn,
                   operands[1], TRACE_PTWRITES);
    trace_ptws(&p, "FUPonPTW = 1", IA32_RTIT_CTL_PTWEn | IA32_RTIT_CTL_FUPonPTW,
               TRACE_PTWRITES);
    trace_ptws(&p, "BranchEn = 0", IA32_RTIT_CTL_PTWEn | IA32_RTIT_CTL_BranchEn,
               TRACE_PTWRITES);
    trace_ptws(&p, "User alone",
               IA32_RTIT_CTL_PTWEn | IA32_RTIT_CTL_OS | IA32_RTIT_CTL_User, 0);
    check_filtered(&p);
    check_in_transaction(&p, IA32_RTIT_CTL_PTWEn);
    check_in_transaction(&p, IA32_RTIT_CTL_PTWEn | IA32_RTIT_CTL_FUPonPTW);

    /* #UD. */
    trace_gates(gates);
    gates_set_events(gates);
    window_set(&w, trace_body_ptwrite_refused, trace_body_ptwrite_refused_path);
    w.gates = gates;
    window_check(&p, "PTWRITE with 66H, with LOCK", &w, &seen);
}
