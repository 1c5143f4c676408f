/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_errata.c - the errata of events of retired loads and stores, beside
 * those of instructions. */
#include "src/memory/memory_errata.h"

#include "src/base/msr.h"
#include "src/counting/bank.h"

#define INSTRUCTIONS 0xc0
/* MEM_INST_RETIRED, D0H, and what loads were answered by, D1H to D3H. */
#define MEMORY_EVENTS 0xd0
/* MEM_UOPS_RETIRED.LOCK_LOADS: D0H/21H */
#define LOCKED_LOADS 0x21d0
/* "For a brief period" at a change of level (SKL117), there and back: less than
 * any event has of its own. */
#define UNDERCOUNT_MOST 7

/* Of a general-purpose counter of one level. */
static bool undercounts(const struct test_context *t, uint64_t select,
                        uint64_t counted, uint64_t want)
{
    const uint64_t level = select & (IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR);
    struct erratum_found found;

    return (level == IA32_PERFEVTSEL_OS || level == IA32_PERFEVTSEL_USR) &&
           counted < want && want - counted <= UNDERCOUNT_MOST &&
           errata_find(test_cpu(t), ERRATUM_CPL_FILTER_UNDERCOUNTS, &found);
}

enum erratum memory_erratum(const struct test_context *t, uint64_t select,
                            uint64_t counted, uint64_t want, bool *signature)
{
    const uint64_t levels = IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR;
    struct erratum_found found;

    *signature = counted != 0;
    if ((select & levels) != levels &&
        errata_find(test_cpu(t), ERRATUM_MEMORY_EVENTS_ONE_CPL, &found))
        return ERRATUM_MEMORY_EVENTS_ONE_CPL;
    if (counted < want && (select & BITS(15, 0)) == LOCKED_LOADS &&
        errata_find(test_cpu(t), ERRATUM_LOCKED_LOADS, &found))
        return ERRATUM_LOCKED_LOADS;
    *signature = *signature && test_shares_core(t);
    return ERRATUM_MEMORY_EVENTS_WITH_HT;
}

enum erratum event_erratum(const struct test_context *t, unsigned place,
                           uint64_t select, uint64_t counted, uint64_t want,
                           bool *signature)
{
    const bool general = place < PLACE_FIXED0;
    const bool memory = general && (select & BITS(7, 2)) == MEMORY_EVENTS;
    enum erratum erratum = ERRATUM_MEMORY_EVENTS_WITH_HT;

    if (memory)
        erratum = memory_erratum(t, select, counted, want, signature);
    if (erratum != ERRATUM_MEMORY_EVENTS_WITH_HT)
        return erratum;
    if (general && undercounts(t, select, counted, want)) {
        *signature = true;
        return ERRATUM_CPL_FILTER_UNDERCOUNTS;
    }
    if (memory)
        return erratum;
    return bank_erratum(
        place,
        place == PLACE_FIXED0 ||
            (general &&
             (select & (BITS(15, 0) | IA32_PERFEVTSEL_INV)) == INSTRUCTIONS),
        counted, (struct count_bounds){want, want}, signature);
}
