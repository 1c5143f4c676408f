/* SPDX-License-Identifier: BSD-2-Clause */
/* checkpoint.c - what an abort makes of the counters. */
#include "tests/silicon/model/counters/counters.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"

void counters_checkpoint(struct processor *p)
{
    for (unsigned n = 0; n < p->counters; n++)
        if (!p->tsx.was_aborted ||
            faults_rule(p->machine, CHECKPOINT_AFTER_ABORT, true))
            p->pmu.at_xbegin[n] = p->pmu.counter[n];
    for (unsigned n = 0; n < p->fixed_counters; n++)
        p->faults.fixed[n] = p->pmu.fixed[n];
}

/* SDM 3B, "Intel TSX support": IN_TXCP leaves out aborted regions. What has
 * overflowed in the region has overflowed. */
void counters_roll_back(struct processor *p)
{
    const struct machine *m = p->machine;
    bool all = !faults_rule(m, TXCP_OF_ITS_COUNTER, true);
    bool none = ((p->pt.ctl & RTIT_TRACE_EN) != 0 &&
                 !faults_rule(m, TXCP_WHILE_TRACED, true)) ||
                (p->tsx.user && !faults_rule(m, RING3_TXCP_ROLLED, true));

    for (unsigned n = 0; n < p->counters && !none; n++) {
        uint64_t select = p->pmu.select[n];

        select = faults_quantity(m, SELECT_OF_EVENT,
                                 (uint32_t)(select & EVTSEL_EVENT), select);
        if (all ||
            ((p->pmu.select[n] & EVTSEL_IN_TX) != 0 &&
             (p->pmu.select[n] & EVTSEL_EVENT) == 0xC4 &&
             !faults_rule(m, IN_TX_KEEPS_BRANCHES, true)) ||
            ((select & EVTSEL_IN_TXCP) != 0 &&
             ((select & EVTSEL_EVENT) == 0xC0 ||
              faults_rule(m, TXCP_OF_ANY_EVENT, true)) &&
             ((select & EVTSEL_USR) != 0 ||
              faults_rule(m, TXCP_OF_OS_ALONE, true)) &&
             !faults_keep_aborted(p)))
            p->pmu.counter[n] =
                faults_quantity(m, TXCP_RESTORED, n, p->pmu.at_xbegin[n]) &
                COUNTER_MASK;
    }
    if (!faults_rule(m, ABORT_KEEPS_STATUS, true))
        p->pmu.global_status = 0;
    for (unsigned n = 0; n < p->fixed_counters; n++)
        if (!faults_rule(m, ABORT_KEEPS_FIXED, true))
            p->pmu.fixed[n] = p->faults.fixed[n];
}

void counters_restore(struct processor *p)
{
    for (unsigned n = 0; n < p->counters; n++)
        p->pmu.counter[n] = p->pmu.at_xbegin[n];
}
