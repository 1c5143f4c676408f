/* SPDX-License-Identifier: BSD-2-Clause */
/* Advanced debugging of transactions: only with both DR7[11] and
 * IA32_DEBUGCTL[15] does a breakpoint inside go back to XBEGIN and raise #DB.
 */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define HW_DB 1
#define CELL  UINT64_C(0x5a5a5a5a5a5a5a5a)

/* SDM 3B, "Debug Registers": DR7[10] is always 1; L0 [0]; 8 bytes (LEN0 [19:18]
 * = 2) written to (R/W0 [17:16] = 1); RTM [11]. DR6: B0 [0]; RTM [16] is 0 for
 * a breakpoint inside a transaction alone. */
#define DR7_ONE  UINT64_C(0x400)
#define DR7_DATA (DR7_ONE | UINT64_C(0x90001))
#define DR7_RTM  (UINT64_C(1) << 11)
#define DR6_NONE UINT64_C(0xffff0ff0)
#define DR6_B0   UINT64_C(1)
#define DR6_RTM  (UINT64_C(1) << 16)
/* BD [13], BS [14], BT [15]: of causes that are none of these. */
#define DR6_OTHERS UINT64_C(0xe000)

static const struct point {
    const char *what;
    const uint8_t *body;
    uint64_t dr7;
} points[] = {
    {"data breakpoint", tsx_body_store, DR7_DATA},
    {"INT3", tsx_body_int3, DR7_ONE},
    {"data breakpoint in an inner transaction", tsx_body_nest_store, DR7_DATA},
};

/* What of both is set. */
static const struct enabling {
    const char *name;
    uint64_t dr7, debugctl;
} enablings[] = {
    {"DR7[11] and IA32_DEBUGCTL[15] = 0", 0, 0},
    {"DR7[11] = 1, IA32_DEBUGCTL[15] = 0", DR7_RTM, 0},
    {"DR7[11] = 0, IA32_DEBUGCTL[15] = 1", 0, IA32_DEBUGCTL_RTM},
    {"DR7[11] and IA32_DEBUGCTL[15] = 1", DR7_RTM, IA32_DEBUGCTL_RTM},
};

/* Of the tries of one point with one enabling. */
struct outcomes {
    unsigned tried, delivered, aborted, flagged; /* flagged: EAX[4] */
    unsigned dr7_changed, dr6_changed, dr6_wrong, leaked;
    unsigned registers, eax; /* #DB with others than before XBEGIN */
    uint64_t rax;            /* the last such RAX */
    unsigned inner;          /* went to the inner XBEGIN, or to its fallback */
    int other;               /* vector, or what else came */
    uint64_t dr6_bad, dr7;
};

static void try_once(const struct point *point, uint64_t dr7,
                     struct outcomes *out)
{
    volatile uint64_t target = CELL;
    struct tsx_block block = {.body = point->body,
                              .argument = (uint64_t)(uintptr_t)&target,
                              .count = 1,
                              .cell = CELL,
                              .flags = CELL};
    struct tsx_debug debug = {
        .dr0 = block.argument, .dr6 = DR6_NONE, .dr7 = dr7};
    int outcome = tsx_debugged(tsx_inside, &block, &debug);

    out->tried++;
    if (outcome == HW_DB) {
        out->delivered++;
        out->registers += block.unrestored != 0;
        if (block.fault_rax != UINT32_MAX) { /* as tsx_inside() has it */
            out->eax++;
            out->rax = block.fault_rax;
        }
        if ((debug.dr6_after & (DR6_RTM | DR6_OTHERS)) != 0) {
            out->dr6_wrong++;
            out->dr6_bad = debug.dr6_after;
        }
    } else if (outcome == TSX_ABORTED) {
        out->aborted++;
        out->flagged += (block.status & RTM_STATUS_BREAKPOINT) != 0;
        out->dr6_changed += debug.dr6_after != DR6_NONE;
    } else {
        out->inner += outcome == TSX_INNER;
        out->other = outcome;
    }
    out->leaked += target != CELL || block.cell != CELL;
    if (debug.dr7_after != dr7) {
        out->dr7_changed++;
        out->dr7 = debug.dr7_after;
    }
}

static void judge(struct test_context *t, bool advanced, uint64_t dr7,
                  const struct outcomes *out)
{
    check(
        t, out->inner == 0,
        "%u of %u went on at the inner XBEGIN, or at its fallback; wanted the "
        "outermost",
        out->inner, out->tried);
    if (advanced) {
        /* One that aborts before it gets there goes to the fallback. */
        check(t,
              out->delivered != 0 && out->flagged == 0 &&
                  out->delivered + out->aborted == out->tried,
              "#DB delivered at XBEGIN in %u of %u, %u aborted to the "
              "fallback, %u of these with EAX[4]; wanted #DB, or an abort by "
              "something else before it",
              out->delivered, out->tried, out->aborted, out->flagged);
        check(t, out->registers == 0,
              "registers are not as before XBEGIN after #DB, %u of %u",
              out->registers, out->delivered);
        /* An interrupt in between may have written where it is kept. */
        check(t, 2 * out->eax <= out->delivered,
              "RAX = 0x%lx at #DB, %u of %u; wanted 0x%x as before XBEGIN",
              out->rax, out->eax, out->delivered, UINT32_MAX);
        check(t, out->dr6_wrong == 0,
              "DR6 = 0x%lx after #DB in %u of %u; wanted [16] (RTM) = 0, and "
              "[15:13] (BT, BS, BD) = 0",
              out->dr6_bad, out->dr6_wrong, out->delivered);
    } else {
        check(t, out->delivered == 0 && out->aborted == out->tried,
              "%u of %u aborted to the fallback, #DB delivered in %u; "
              "wanted an abort in all",
              out->aborted, out->tried, out->delivered);
        check(t, out->flagged != 0 || out->aborted == 0,
              "none of %u aborts set EAX[4]", out->aborted);
        if (out->dr6_changed != 0)
            note(t, "DR6 changed in %u of %u aborts", out->dr6_changed,
                 out->aborted);
    }
    check(t, out->leaked == 0,
          "a store of the transaction remained in memory, %u of %u; wanted "
          "0",
          out->leaked, out->tried);
    check(t, out->dr7_changed == 0,
          "DR7 = 0x%lx afterwards, wanted 0x%lx as before, %u of %u", out->dr7,
          dr7, out->dr7_changed, out->tried);
}

/* Outside of transactions #DB says so: DR6[16] = 1. */
static void check_outside(struct test_context *t)
{
    volatile uint64_t target = CELL;
    struct tsx_block block = {.body = tsx_body_store,
                              .argument = (uint64_t)(uintptr_t)&target};
    struct tsx_debug debug = {
        .dr0 = block.argument, .dr6 = DR6_NONE & ~DR6_RTM, .dr7 = DR7_DATA};
    int outcome = tsx_debugged(tsx_outside, &block, &debug);

    if (outcome != HW_DB) {
        broken(t, "data breakpoint outside a transaction: got %s, wanted #DB",
               fault_name(outcome));
        return;
    }
    check(t, (debug.dr6_after & (DR6_RTM | DR6_B0)) == (DR6_RTM | DR6_B0),
          "data breakpoint outside a transaction: DR6 = 0x%lx, wanted [16] "
          "(RTM) = 1 and [0] (B0) = 1",
          debug.dr6_after);
}

static bool set_debugctl(struct test_context *t, uint64_t found, uint64_t bit)
{
    uint64_t value = 0;
    int vector =
        try_set_msr(t, IA32_DEBUGCTL, (found & ~IA32_DEBUGCTL_RTM) | bit);

    if (!identity_is_native(test_cpu(t)) &&
        (msr_value(t, IA32_DEBUGCTL) & IA32_DEBUGCTL_RTM) != bit) {
        skip(t, "needs IA32_DEBUGCTL (1D9H)[15] (RTM), which the hypervisor "
                "refuses its guest");
        return false;
    }
    return check(
               t, vector == HW_NO_FAULT,
               "WRMSR of IA32_DEBUGCTL (1D9H)[15] (RTM) = %d raised %s; wanted "
               "no exception where RTM is enumerated",
               bit != 0, fault_name(vector)) &&
           get_msr(t, IA32_DEBUGCTL, &value) &&
           check(t, (value & IA32_DEBUGCTL_RTM) == bit,
                 "IA32_DEBUGCTL (1D9H) reads 0x%lx; wanted [15] (RTM) = %d",
                 value, bit != 0);
}

TEST(
    tsx_debug_advanced,
    .asks = "Does a breakpoint inside a transaction go back to XBEGIN with #DB "
            "where DR7[11] and IA32_DEBUGCTL[15] are both 1, and only there?",
    .cite = "SDM 3B, \"Debug Exceptions, Breakpoint Exceptions, and Restricted "
            "Transactional Memory (RTM)\"; SDM 1, \"RTM-Enabled Debugger "
            "Support\"",
    .needs = {.features = NEED_INTEL | NEED_RTM})
{
    unsigned tries = probe_row_tries(t);
    uint64_t found;

    /* Set-up. */
    if (!probe_set_up(t) || !get_msr(t, IA32_DEBUGCTL, &found))
        return;
    check_outside(t);

    for (unsigned e = 0; e < sizeof(enablings) / sizeof(enablings[0]); e++) {
        const struct enabling *enabling = &enablings[e];
        bool advanced = enabling->dr7 != 0 && enabling->debugctl != 0;
        if (!set_debugctl(t, found, enabling->debugctl))
            return;
        for (unsigned p = 0; p < sizeof(points) / sizeof(points[0]); p++) {
            uint64_t dr7 = points[p].dr7 | enabling->dr7;
            /* Others' aborts may come before, again and again. */
            const unsigned most = 8 * (tries + 1);
            struct outcomes out = {0};

            /* Measured, and checked. */
            for (unsigned i = 0;
                 i < tries ||
                 ((advanced ? out.delivered : out.flagged) == 0 && i < most);
                 i++) {
                hw_poll();
                try_once(&points[p], dr7, &out);
            }
            WITH_PREFIX (t, "%s, %s", points[p].what, enabling->name)
                judge(t, advanced, dr7, &out);
        }
    }
}
