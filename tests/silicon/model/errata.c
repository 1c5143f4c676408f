/* SPDX-License-Identifier: BSD-2-Clause */
/* errata.c - whether an erratum shows, and those of the counters. */
#include "tests/silicon/model/errata.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/machine.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"

#define WINDOWS_INSTRUCTIONS 2000 /* a wrong count in so many of them */
#define WINDOWS_BRANCHES     64

bool erratum_is(const struct processor *p, enum erratum e)
{
    return (p->machine->errata >> e & 1) != 0;
}

bool erratum_shows(struct processor *p, enum erratum e, uint32_t one_in)
{
    return erratum_is(p, e) &&
           random_one_in(&p->errata.random,
                         (uint64_t)one_in * p->choices.errata_one_in);
}

/* "May cause the counter(s) to increment when no instruction has retired or to
 * intermittently not increment." */
static uint32_t errata_instructions(struct processor *p, uint32_t count)
{
    if (count != 1 ||
        !erratum_shows(p, ERRATUM_INSTRUCTIONS, WINDOWS_INSTRUCTIONS))
        return count;
    return (random_next(&p->errata.random) >> 32 & 1) != 0 ? 2 : 0;
}

/* "Enabled by setting bits 0 and/or 1 in .. 38DH before setting bit 32 in ..
 * 38FH": "may over count by up to 32". */
void errata_fixed0_starts(struct processor *p)
{
    if (p->machine->smt && (p->pmu.fixed_ctrl & (FIXED_OS | FIXED_USR)) != 0 &&
        erratum_shows(p, ERRATUM_FIXED0_32, 1))
        p->errata.instructions = 32;
}

uint32_t errata_fixed0(struct processor *p, uint32_t count)
{
    count = errata_instructions(p, count) + p->errata.instructions;
    p->errata.instructions = 0;
    return count;
}

uint32_t errata_count(struct processor *p, const struct event_row *event,
                      uint32_t count)
{
    switch (event->kind) {
    case EVENT_INSTRUCTIONS:
        return event->umask == 0 ? errata_instructions(p, count) : count;
    case EVENT_BRANCHES_NOT_TAKEN:
    case EVENT_BRANCHES_TAKEN:
        return count + (count != 0 &&
                        erratum_shows(p, ERRATUM_BRANCHES, WINDOWS_BRANCHES));
    default:
        return count;
    }
}

/* "May not count for a brief period during the transition to a new CPL." */
bool errata_level(struct processor *p, unsigned n, const struct retirement *r)
{
    uint64_t levels = p->pmu.select[n] & (EVTSEL_OS | EVTSEL_USR);

    if (levels == (EVTSEL_OS | EVTSEL_USR))
        return false;
    if (n >= 4 && levels == EVTSEL_USR && erratum_is(p, ERRATUM_USR_4_TO_7))
        return true;
    if (r->user == p->errata.was_user[n])
        return false;
    p->errata.was_user[n] = r->user;
    return erratum_shows(p, ERRATUM_CPL_FILTER, 1);
}

/* "Aborts (HLE or RTM) overlapping with access or manipulation" of counter 2,
 * which then "may return invalid value": here one that counts. */
void errata_aborted(struct processor *p)
{
    if ((p->pmu.global_ctrl & BIT(2)) != 0 &&
        (p->pmu.select[2] & EVTSEL_EN) != 0 &&
        erratum_shows(p, ERRATUM_PMC2, 2))
        p->pmu.counter[2] = random_next(&p->errata.random) & COUNTER_MASK;
}

void errata_smi(struct processor *p)
{
    uint64_t value;

    if (erratum_is(p, ERRATUM_SMI_CLEARS) && msr_read(p, IA32_DEBUGCTL, &value))
        msr_write(p, IA32_DEBUGCTL, value & ~DEBUGCTL_FREEZE_PERFMON_ON_PMI);
}
