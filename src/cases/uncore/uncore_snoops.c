/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of, and stores to, lines that another core has: a C-Box says what its
 * snoop of that core has found, what it made of it, and that the L3, which is
 * inclusive, has them. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/counting/smi_guard.h"
#include "src/uncore/other_core.h"
#include "src/uncore/uncore.h"

#define MOST_OF (OTHER_CORE_LINES / 2)

/* UNC_CBO_XSNP_RESPONSE: what was found, by a filter of where the request is
 * from. */
#define XSNP(umask) UNCORE_EVENT(0x22, umask)
#define MISS        0x01
#define INVAL       0x02
#define HIT         0x04
#define HITM        0x08
#define INVAL_M     0x10
#define EXTERNAL    0x20
#define CORES       0x40

/* UNC_CBO_CACHE_LOOKUP: reads, by the state in which the L3 has the line. */
#define LOOKUP(umask) UNCORE_EVENT(0x34, umask)
#define READ_M_E_S    0x17
#define READ_I        0x18

/* Lines of another core, what is done to them, and two counters of each box. */
struct row {
    const char *what;
    bool modified, store;
    uint16_t counts, silent; /* events with their umasks */
};

static const struct row rows[] = {
    {"loads of lines that another core has modified", true, false,
     XSNP(CORES | HITM), XSNP(EXTERNAL | HITM)},
    {"loads of lines that another core has modified", true, false,
     XSNP(CORES | HITM), XSNP(CORES | MISS)},
    {"loads of lines that another core has, not modified", false, false,
     XSNP(CORES | HIT), XSNP(CORES | HITM)},
    {"loads of lines that another core has modified", true, false,
     LOOKUP(READ_M_E_S), LOOKUP(READ_I)},
    {"loads of lines that another core has, not modified", false, false,
     LOOKUP(READ_M_E_S), LOOKUP(READ_I)},
};

/* INVAL and INVAL_M are in the tables of these alone. */
#define TO_HASWELL (SANDY_BRIDGE | IVY_BRIDGE | HASWELL)
static const struct row stores[] = {
    {"stores to lines that another core has modified", true, true,
     XSNP(CORES | INVAL_M), XSNP(EXTERNAL | INVAL_M)},
    {"stores to lines that another core has, not modified", false, true,
     XSNP(CORES | INVAL), XSNP(CORES | INVAL_M)},
};

static const char *event_name(uint16_t event)
{
    return (event & 0xff) == 0x22 ? "UNC_CBO_XSNP_RESPONSE"
                                  : "UNC_CBO_CACHE_LOOKUP";
}

static bool program(const struct uncore_counters *u, const struct row *row)
{
    bool ok = true;

    for (unsigned i = 0; ok && i < 2 * u->boxes; i++)
        ok = set_msr_again(u->t, uncore_box_select(i / 2, i % 2),
                           (i % 2 == 0 ? row->counts : row->silent) |
                               UNCORE_EN) &&
             set_msr_again(u->t, uncore_box_counter(i / 2, i % 2), 0);
    return ok;
}

struct attempt {
    const struct uncore_counters *u;
    const struct row *row;
};

/* An SMI's handler may take the lines out of the other core's caches. */
static bool access_lines(void *argument)
{
    const struct uncore_counters *u = ((struct attempt *)argument)->u;
    const struct row *row = ((struct attempt *)argument)->row;
    const struct memory_walk walk = other_core_walk(u->t);

    if (!program(u, row) || !other_core_takes(u->t, row->modified) ||
        !uncore_start(u))
        return false;
    if (row->store)
        memory_store(0, &walk);
    else
        memory_load(0, &walk);
    return uncore_stop(u);
}

static bool try_row(const struct uncore_counters *u, const struct row *row)
{
    struct attempt a = {u, row};
    uint64_t got[2] = {0, 0};

    /* Measured. */
    if (!smi_guard(u->t, access_lines, &a, NULL))
        return false;

    /* Check. */
    for (unsigned i = 0; i < 2 * u->boxes; i++)
        got[i % 2] += msr_value(u->t, uncore_box_counter(i / 2, i % 2));
    check(u->t, got[0] >= MOST_OF,
          "%s (%02XH/%02XH), %u %s: all C-Boxes counted %lu; wanted most",
          event_name(row->counts), row->counts & 0xff, row->counts >> 8,
          OTHER_CORE_LINES, row->what, got[0]);
    check(u->t, got[1] < MOST_OF,
          "%s (%02XH/%02XH), %u %s: all C-Boxes counted %lu; wanted few",
          event_name(row->silent), row->silent & 0xff, row->silent >> 8,
          OTHER_CORE_LINES, row->what, got[1]);
    return true;
}

TEST(uncore_snoops,
     .asks = "Do the C-Boxes tell what their snoops of other cores have found?",
     .cite = "SDM 3B, \"Non-Architectural Uncore Performance Events in the 4th "
             "Generation Intel Core Processors\", UNC_CBO_XSNP_RESPONSE, "
             "UNC_CBO_CACHE_LOOKUP",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_UNCORE |
                           NEED_TWO_PROCESSORS})
{
    struct uncore_counters u;

    if (!other_core_there(t) || !counters_claim(t) || !uncore_claim(&u, t))
        return;
    FOR_EACH_ROW (t, i, rows)
        if (!try_row(&u, &rows[i]))
            return;
    if ((identity_generation(test_cpu(t)) & TO_HASWELL) == 0)
        return;
    FOR_EACH_ROW (t, i, stores)
        if (!try_row(&u, &stores[i]))
            return;
}
