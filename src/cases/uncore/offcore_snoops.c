/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads of lines that another core has: the snoop that finds them there is told
 * apart by MSR_OFFCORE_RSP_x, modified or not; the L3 supplies them, and no
 * DRAM. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/smi_guard.h"
#include "src/cpu/caches.h"
#include "src/uncore/offcore.h"
#include "src/uncore/other_core.h"

#define MOST_OF (OTHER_CORE_LINES / 2)

/* "MSR_OFFCORE_RSP_x Snoop Info Field Definition". A line that another core has
 * without a change may be forwarded by it or not. */
#define SNP_NONE  BITS(33, 31) /* none, not needed, none has it */
#define HIT       BITS(35, 34)
#define HITM      BIT(36)
#define ANY_SNOOP BITS(37, 31)

static const struct row {
    const char *what;
    bool modified;
    uint64_t snoop;
    bool counts;
    enum { ALL, L3, MEMORY } suppliers;
} rows[] = {
    {"modified there, snoop HITM [36]", true, HITM, true, ALL},
    {"modified there, snoop HIT_NO_FWD and HIT_FWD [35:34]", true, HIT, false,
     ALL},
    {"modified there, none of the snoops that hit [33:31]", true, SNP_NONE,
     false, ALL},
    {"not modified there, snoop HIT_NO_FWD and HIT_FWD [35:34]", false, HIT,
     true, ALL},
    {"not modified there, snoop HITM [36]", false, HITM, false, ALL},
    {"modified there, any snoop", true, ANY_SNOOP, true, ALL},
    {"modified there, any snoop, suppliers of the L3", true, ANY_SNOOP, true,
     L3},
    {"modified there, any snoop, suppliers beyond the L3", true, ANY_SNOOP,
     false, MEMORY},
    {"not modified there, any snoop, suppliers of the L3", false, ANY_SNOOP,
     true, L3},
};

static uint64_t suppliers_of(const struct offcore_table *table,
                             const struct row *row)
{
    const uint64_t caches = table->l3_hit | table->cluster;

    return row->suppliers == L3 ? caches
           : row->suppliers == MEMORY
               ? table->supplier & ~(caches | OFFCORE_NO_SUPP)
               : table->supplier;
}

/* One row, by MSR_OFFCORE_RSP_n. */
struct attempt {
    struct test_context *t;
    const struct offcore_table *table;
    unsigned n;
    const struct row *row;
    uint64_t got;
};

/* An SMI's handler may take the lines out of the other core's caches. */
static bool load_lines(void *argument)
{
    struct attempt *a = argument;
    struct test_context *t = a->t;
    const struct memory_walk walk = other_core_walk(t);
    const uint64_t suppliers = suppliers_of(a->table, a->row);

    if (!offcore_write(t, a->table, a->n,
                       OFFCORE_DMND_DATA_RD | suppliers | a->row->snoop) ||
        !set_msr_again(t, IA32_PERFEVTSEL(0),
                       offcore_event(a->table, a->n) | IA32_PERFEVTSEL_USR |
                           IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN) ||
        !set_msr_again(t, IA32_PMC(0), 0) ||
        !other_core_takes(t, a->row->modified))
        return false;
    memory_load(BIT(0), &walk);
    a->got = msr_value(t, IA32_PMC(0));
    return true;
}

static bool try_row(struct test_context *t, const struct offcore_table *table,
                    unsigned n, const struct row *row)
{
    struct attempt a = {t, table, n, row, 0};

    /* Measured. */
    if (!smi_guard(t, load_lines, &a, NULL))
        return false;

    /* Check. */
    check(t, (a.got >= MOST_OF) == row->counts,
          "MSR_OFFCORE_RSP_%u (%XH), data reads of %u lines that another core "
          "has, %s: IA32_PMC0 (C1H) counted %lu; wanted %s",
          n, MSR_OFFCORE_RSP(n), OTHER_CORE_LINES, row->what, a.got,
          row->counts ? "most" : "few");
    return true;
}

/* LLC Reference and LLC Misses (SDM 3B, "Pre-defined Architectural Performance
 * Events"): what another core has, an L3 that includes the others has, so that
 * nothing misses it. */
static void try_last_level(struct test_context *t)
{
    static const uint64_t selects[] = {0x4f2e, 0x412e};
    const struct memory_walk walk = other_core_walk(t);

    if ((test_cpu(t)->leaf0a_ebx & BITS(4, 3)) != 0 ||
        !caches_l3_includes(test_cpu(t)))
        return;
    for (unsigned n = 0; n < 2; n++)
        if (!set_msr_again(t, IA32_PERFEVTSEL(n),
                           selects[n] | IA32_PERFEVTSEL_USR |
                               IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_EN) ||
            !set_msr_again(t, IA32_PMC(n), 0))
            return;
    if (!other_core_takes(t, false))
        return;
    memory_load(BITS(1, 0), &walk);
    uint64_t references = msr_value(t, IA32_PMC(0));
    uint64_t misses = msr_value(t, IA32_PMC(1));
    check_known(t, references >= MOST_OF && misses < MOST_OF,
                ERRATUM_LLC_EVENTS, true,
                "loads of %u lines that another core has, not modified: %lu "
                "references of the last level (2EH/4FH), %lu misses (2EH/41H); "
                "wanted most, and few",
                OTHER_CORE_LINES, references, misses);
}

TEST(offcore_snoops,
     .asks = "Does an off-core response tell lines that another core has "
             "modified from others?",
     .cite = "SDM 3B, \"Off-core Response Performance Monitoring\", "
             "\"MSR_OFFCORE_RSP_x Snoop Info Field Definition\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_OFFCORE |
                           NEED_TWO_PROCESSORS,
               .counters = 2})
{
    const struct offcore_table *table = offcore_of(test_cpu(t));

    if (!other_core_there(t) || !counters_claim(t) ||
        !hold_msr(t, IA32_PERF_GLOBAL_CTRL))
        return;
    for (unsigned n = 0; n < 2; n++)
        FOR_EACH_ROW (t, i, rows)
            if (!try_row(t, table, n, &rows[i]))
                return;
    try_last_level(t);
}
