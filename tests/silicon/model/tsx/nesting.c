/* SPDX-License-Identifier: BSD-2-Clause */
/* nesting.c - how many transactions can be in one another. SDM volume 2,
 * XBEGIN, "Operation": MAX_RTM_NEST_COUNT. */
#include "tests/silicon/model/tsx/tsx.h"

#include "tests/silicon/model/hooks.h"

unsigned tsx_nest_max(const struct processor *p)
{
    const unsigned most = p->cpu->tx_nest_max;

    if (faults_rule(p->machine, NEST_MAX_STAYS, true))
        return most;
    return p->faults.inner_aborts < most ? most - p->faults.inner_aborts : 1;
}
