/* SPDX-License-Identifier: BSD-2-Clause */
/* counter3.c - the promise about counter 3, per regime. */
#include "src/pmu/counter3.h"

#include "src/msr.h"
#include "src/tsx/force_abort.h"

bool counter3_reliable(enum regime regime, bool rtm, uint64_t force_abort)
{
    switch (regime) {
    case REGIME_A:
    case REGIME_C:
    case REGIME_C_PRIME:
    case REGIME_D:
    case REGIME_F:
        return true;
    case REGIME_B:
        return !rtm || (force_abort & TSX_FORCE_ABORT_RTM_FORCE_ABORT) != 0;
    case REGIME_E:
    case REGIME_NONE:
    case REGIME_CONTRADICTORY:
        break;
    }
    return false;
}

bool counter3_is_reliable(struct run *t)
{
    const struct identity *id = run_cpu(t);
    uint64_t force_abort = 0;

    if (run_regime(t) == REGIME_B)
        get_msr(t, TSX_FORCE_ABORT, &force_abort);
    return counter3_reliable(run_regime(t), id->rtm, force_abort);
}

bool counter3_make_reliable(struct run *t)
{
    uint64_t after;

    if (run_regime(t) == REGIME_B)
        force_abort_change(t, 0, TSX_FORCE_ABORT_RTM_FORCE_ABORT, &after);
    return counter3_is_reliable(t);
}

bool counter3_published_change(uint64_t before, uint64_t after)
{
    return after != before && (before & IA32_PERFEVTSEL_INT) != 0 &&
           after == ((before & ~IA32_PERFEVTSEL_INT) | IA32_PERFEVTSEL_IN_TX);
}

void counter3_say(struct run *t, bool firm, const char *what, uint64_t n,
                  uint64_t of)
{
    if (firm)
        check(t, n == 0, "%s: %lu of %lu; wanted 0", what, (unsigned long)n,
              (unsigned long)of);
    else
        observe(t, what, n, of);
}
