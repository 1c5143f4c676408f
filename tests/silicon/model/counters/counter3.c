/* SPDX-License-Identifier: BSD-2-Clause */
/* counter3.c - how counter 3 goes wrong: white paper 604224, section 1.2. */
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/pmu_msr.h"

void counter3_recover(struct processor *p)
{
    p->pmu.stopped = false;
    p->pmu.inuse3 = false;
}

void counter3_rewrite_select(struct processor *p)
{
    /* The published fingerprint: LKML, 2022-04-19, Wen Yang. */
    p->pmu.select[3] &= ~EVTSEL_INT;
    p->pmu.select[3] |= EVTSEL_IN_TX;
}

void counter3_disable(struct processor *p)
{
    p->pmu.disabled3 |= (p->pmu.global_ctrl & BIT(3)) != 0;
    p->pmu.global_ctrl &= ~BIT(3);
    pmu_update(p);
}

void counter3_garble(struct processor *p, bool always)
{
    struct pmu_state *pmu = &p->pmu;
    uint32_t ways = always ? GARBLE_COUNT_JUMPS : p->choices.garble;
    uint64_t any = random_next(&p->random);

    if (!always && any % p->choices.garble_one_in != 0)
        return;
    any >>= 32;
    if ((ways & GARBLE_COUNT_JUMPS) != 0)
        pmu->counter[3] = (pmu->counter[3] + 1 + any % 99991) & COUNTER_MASK;
    if ((ways & GARBLE_COUNT_LOSES) != 0 && pmu->counter[3] > 0)
        pmu->counter[3]--;
    if ((ways & GARBLE_COUNT_STANDS) != 0)
        pmu->stopped = (any & 1) != 0;
    if ((ways & GARBLE_EVTSEL) != 0)
        pmu->select[3] ^= BIT(any % 8) | EVTSEL_INT;
    if ((ways & GARBLE_FINGERPRINT) != 0 && pmu->select[3] != 0)
        counter3_rewrite_select(p);
    if ((ways & GARBLE_GLOBAL_CTRL) != 0)
        counter3_disable(p);
    if ((ways & GARBLE_INUSE) != 0)
        pmu->inuse3 = true;
}
