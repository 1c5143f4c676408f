/* SPDX-License-Identifier: BSD-2-Clause */
/* counter3.c - counter 3 as it is now, made reliable, and judged. */
#include "src/counting/counter3.h"

#include "src/base/msr.h"
#include "src/counting/constraints.h"
#include "src/tsx/force_abort.h"

bool counter3_is_reliable(struct test_context *t)
{
    const struct identity *id = test_cpu(t);
    uint64_t force_abort = 0;

    if (test_regime(t) == REGIME_B)
        get_msr(t, TSX_FORCE_ABORT, &force_abort);
    return constraints_counter3(test_regime(t), id->rtm, force_abort);
}

bool counter3_make_reliable(struct test_context *t)
{
    uint64_t after;

    if (test_regime(t) == REGIME_B)
        force_abort_change(t, 0, TSX_FORCE_ABORT_RTM_FORCE_ABORT, &after);
    return counter3_is_reliable(t);
}

bool counter3_published_change(uint64_t before, uint64_t after)
{
    return after != before && (before & IA32_PERFEVTSEL_INT) != 0 &&
           after == ((before & ~IA32_PERFEVTSEL_INT) | IA32_PERFEVTSEL_IN_TX);
}

void counter3_report(struct test_context *t, bool promised, const char *what,
                     uint64_t n, uint64_t of)
{
    if (promised)
        check(t, n == 0, "%s: %lu of %lu; wanted 0", what, n, of);
    else
        observe(t, what, n, of);
}
