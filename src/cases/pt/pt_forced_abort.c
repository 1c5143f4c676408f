/* SPDX-License-Identifier: BSD-2-Clause */
/* Transactions that are forced to abort do so while a trace runs, too. What
 * XBEGIN leaves in it no source says: it is observed and never FAIL. */
#include "src/base/msr.h"
#include "src/trace/trace.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define TRIES 8
#define MOST  (2 * TRIES) /* aborts for another reason */

/* Every transaction aborts. */
static bool force_aborts(struct test_context *t)
{
    uint64_t value;

    switch (test_regime(t)) {
    case REGIME_B:
        return force_abort_change(t, 0, TSX_FORCE_ABORT_RTM_FORCE_ABORT,
                                  &value);
    case REGIME_D:
        return force_abort_change(t, TSX_FORCE_ABORT_SDV_ENABLE_RTM, 0, &value);
    case REGIME_F:
        if (test_cpu(t)->rtm_always_abort)
            return true;
        if (try_get_msr(t, IA32_TSX_CTRL, &value) != HW_NO_FAULT) {
            skip(t, "needs IA32_TSX_CTRL (122H), with RTM_DISABLE");
            return false;
        }
        return set_msr(t, IA32_TSX_CTRL, value | IA32_TSX_CTRL_RTM_DISABLE);
    default:
        return true;
    }
}

struct ends {
    unsigned committed, others; /* EAX is not 0 */
    uint32_t status;            /* the last such */
};

/* An abort that has another cause may come before, but not always. */
static bool try_transaction(void *argument)
{
    struct tsx_block block = {.body = tsx_body_nothing};
    struct ends *ends = argument;
    const int outcome = tsx_inside(&block);

    ends->committed += outcome == TSX_COMMITTED;
    if (outcome == TSX_ABORTED && block.status != 0) {
        ends->status = block.status;
        return ++ends->others > MOST;
    }
    return outcome == TSX_COMMITTED || outcome == TSX_ABORTED;
}

TEST(pt_forced_abort,
     .asks = "What does a trace show of XBEGIN that is forced to abort?",
     .cite = "SDM 3C, Intel Processor Trace, table \"TSX Packet Scenarios\"; "
             "white paper 604224, table A-1",
     .needs = {.regimes = REGIME_B | REGIME_C | REGIME_D | REGIME_F,
               .features = NEED_INTEL | NEED_PT | NEED_RTM})
{
    unsigned begun = 0, aborted = 0, targets = 0, strange = 0, tried = 0;
    struct ends ends = {0};
    struct transitions seen = {0};
    struct trace p;

    /* Set-up. */
    if (!force_aborts(t) || !rtm_usable(t) || !trace_claim(&p, t))
        return;

    /* Measured. */
    for (; tried < TRIES && trace_try(&p, try_transaction, &ends, &seen);
         tried++) {
        for (unsigned i = 0; i < seen.count && i < TRANSITIONS_MAX; i++) {
            const struct pt_tsx_event *event = &seen.events[i];
            begun += event->transition == PT_BEGIN;
            aborted += event->transition == PT_ABORT;
            targets += event->transition == PT_ABORT && event->has_target &&
                       event->target == trace_at(tsx_fallback);
        }
        strange += seen.end != PT_END;
    }
    if (tried < TRIES)
        return;

    /* Check. */
    check(t, ends.committed == 0,
          "%u transactions committed while a trace ran, though all are forced "
          "to abort; wanted 0",
          ends.committed);
    check(t, ends.others <= MOST,
          "EAX = 0x%08x after forced aborts while a trace ran, not 0 in %u of "
          "them; wanted 0",
          ends.status, ends.others);

    /* Observed. */
    observe(t, "a forced abort makes MODE.TSX with InTX = 1", begun, tried);
    observe(t, "a forced abort makes MODE.TSX with TXAbort = 1", aborted,
            tried);
    note(t,
         "%u of the aborts with a TIP to the fallback; the last trace has %u "
         "MODE.TSX, %u FUP, %u TIP; %u traces could not be read to the end",
         targets, seen.packets[PT_MODE_TSX], seen.packets[PT_FUP],
         seen.packets[PT_TIP], strange);
}
