/* SPDX-License-Identifier: BSD-2-Clause */
/* abort_check.c - records of aborts, and the errata that they may show. */
#include "src/pebs/abort_check.h"

#define LATER 256 /* bytes, that some instructions have */

/* The erratum where something is wrong; *signature: it looks like it. */
static enum erratum erratum_of(struct sampling *p,
                               const struct pebs_record *record,
                               const struct pebs_abort *abort, bool *signature)
{
    struct pebs_abort elsewhere = *abort;

    elsewhere.at = 0;
    if (pebs_judge_abort(record, &elsewhere) != NULL) {
        *signature = record->rip - abort->resume - 1 < LATER;
        /* None of an abort at all, when counters had been stopped. */
        if (!*signature && p->last && record->tx_abort >> 32 == 0) {
            *signature = true;
            return ERRATUM_RECORD_AFTER_DISABLING;
        }
        return ERRATUM_RECORD_OF_LATER;
    }
    *signature = ++p->ip_wrong <= p->looked / 4 + 1;
    return ERRATUM_EVENTING_IP;
}

bool abort_check(struct sampling *p, const struct pebs_record *record,
                 const struct pebs_abort *abort)
{
    const char *wrong = pebs_judge_abort(record, abort);
    bool signature = false;
    enum erratum erratum = ERRATUM_EVENTING_IP;

    if (wrong != NULL)
        erratum = erratum_of(p, record, abort, &signature);
    return check_known(
        p->t, wrong == NULL, erratum, signature,
        "%s; B8H = 0x%lx, EAX = 0x%08x, RIP 0x%lx, EventingIP 0x%lx; it goes "
        "on at 0x%lx, and the aborting instruction is at 0x%lx (0: not known), "
        "after %lu to %lu cycles",
        wrong, record->tx_abort, abort->eax, record->rip, record->eventing_ip,
        abort->resume, abort->at, abort->cycles_least, abort->cycles_most);
}

#define TURNS 4096

void abort_clocks_compare(struct abort_clocks *clocks, unsigned counter)
{
    uint64_t before = 0, after = 0;
    const uint64_t tsc = hw_tsc();

    hw_pmc_read(counter, &before);
    for (volatile unsigned i = 0; i < TURNS; i++)
        ;
    hw_pmc_read(counter, &after);
    *clocks =
        (struct abort_clocks){.core = after - before, .tsc = hw_tsc() - tsc};
}

bool abort_clocks_allow(const struct abort_clocks *clocks, uint64_t cycles,
                        uint64_t least, uint64_t most)
{
    const uint64_t by_tsc =
        clocks->core != 0 ? least * clocks->tsc / clocks->core : least;

    return cycles >= (by_tsc < least ? by_tsc : least) && cycles <= most;
}
