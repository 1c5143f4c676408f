/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads that miss the caches of a core look the line up in the slice of the L3
 * that its C-Box has: the lookups of all of them together are at least as many.
 * Cached reads make none. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/counters.h"
#include "src/memory/lines.h"
#include "src/uncore/uncore.h"

#define TRIES 5           /* others, graphics too, only add */
#define STRAY (LINES / 4) /* of theirs, in the quietest window */

struct lookups {
    uint64_t in[UNCORE_BOXES_MAX]; /* lookups in each C-Box: counter 0 */
    uint64_t all, missed; /* together; those that found no line: counter 1 */
    uint64_t requests;    /* of the ARB unit */
};

static bool program_selects(const struct uncore_counters *u)
{
    static const uint64_t events[2] = {UNC_CBO_CACHE_LOOKUP_READ,
                                       UNC_CBO_CACHE_LOOKUP_READ_I};
    bool ok = set_msr_again(u->t, MSR_UNC_ARB_PERFEVTSEL(0),
                            UNC_ARB_TRK_REQUESTS | UNCORE_EN);

    for (unsigned i = 0; ok && i < 2 * u->boxes; i++)
        ok = set_msr_again(u->t, uncore_box_select(i / 2, i % 2),
                           events[i % 2] | UNCORE_EN);
    return ok;
}

static bool count_lookups(const struct uncore_counters *u,
                          const struct lines *lines,
                          void (*work)(const struct lines *lines),
                          struct lookups *out)
{
    bool ok = set_msr_again(u->t, MSR_UNC_ARB_PERFCTR(0), 0);

    *out = (struct lookups){.all = 0};
    for (unsigned i = 0; ok && i < 2 * u->boxes; i++)
        ok = set_msr_again(u->t, uncore_box_counter(i / 2, i % 2), 0);
    if (!ok || !uncore_start(u))
        return false;
    work(lines);
    if (!uncore_stop(u))
        return false;
    for (unsigned box = 0; box < u->boxes; box++) {
        out->in[box] = msr_value(u->t, uncore_box_counter(box, 0));
        out->all += out->in[box];
        out->missed += msr_value(u->t, uncore_box_counter(box, 1));
    }
    out->requests = msr_value(u->t, MSR_UNC_ARB_PERFCTR(0));
    return true;
}

struct elsewhere {
    uint32_t global_ctrl;
    const struct lines *lines;
    bool done;
};

static void miss_there(struct test_context *peer, void *argument)
{
    struct elsewhere *e = argument;

    if (!set_msr(peer, e->global_ctrl, UNCORE_GLOBAL_EN))
        return;
    lines_miss(e->lines);
    e->done = set_msr_again(peer, e->global_ctrl, 0);
}

/* Those of another processor are counted as well. */
static bool try_other(const struct uncore_counters *u,
                      const struct lines *lines, unsigned processor)
{
    struct elsewhere elsewhere = {u->uncore->global_ctrl, lines, false};
    uint64_t all = 0;
    bool ok = true;

    for (unsigned box = 0; ok && box < u->boxes; box++)
        ok = set_msr_again(u->t, uncore_box_counter(box, 0), 0);
    if (!ok || !on_processor(u->t, processor, miss_there, &elsewhere) ||
        !elsewhere.done)
        return false;
    for (unsigned box = 0; box < u->boxes; box++)
        all += msr_value(u->t, uncore_box_counter(box, 0));
    return check(u->t, all >= LINES,
                 "UNC_CBO_CACHE_LOOKUP (34H/1FH) of %u C-Boxes together: got "
                 "%lu for %u reads of processor %u flushed out; wanted at "
                 "least as many",
                 u->boxes, all, LINES, processor);
}

/* A prefetcher may bring the neighbour of each line, so there may be twice as
 * many lookups; but each that found no line is a request of the ARB unit. */
static void check_misses(const struct uncore_counters *u,
                         const struct lookups *miss)
{
    check(u->t, miss->all >= LINES,
          "UNC_CBO_CACHE_LOOKUP (34H/1FH) of %u C-Boxes together: got %lu for "
          "%u reads flushed out; wanted at least as many",
          u->boxes, miss->all, LINES);
    check(u->t, miss->missed >= LINES && miss->missed <= miss->all,
          "UNC_CBO_CACHE_LOOKUP (34H/18H), found in I: got %lu for %u reads "
          "flushed out, of %lu in any state; wanted at least as many",
          miss->missed, LINES, miss->all);
    check(u->t, miss->missed <= miss->requests + STRAY,
          "UNC_CBO_CACHE_LOOKUP (34H/18H), found in I: got %lu for %lu "
          "UNC_ARB_TRK_REQUESTS (81H/01H); wanted at most %u more",
          miss->missed, miss->requests, STRAY);
}

/* The C-Boxes that had lookups. With two slices of the L3 at least, random
 * lines are not all in one. */
static unsigned check_spread(const struct uncore_counters *u,
                             const struct lookups *miss)
{
    unsigned used = 0, slices = u->boxes - !u->uncore->one_less;

    for (unsigned box = 0; box < u->boxes; box++)
        used += miss->in[box] != 0;
    check(u->t, used >= 2 || slices < 2,
          "UNC_CBO_CACHE_LOOKUP (34H/1FH): %lu lookups of %u random lines in "
          "%u of %u C-Boxes; wanted more than one",
          miss->all, LINES, used, u->boxes);
    return used;
}

/* C-Boxes past the number that MSR_UNC_CBO_CONFIG has: "an access .. beyond the
 * number reported .. should signal a #GP" is a word of erratum HSD079 alone,
 * and where that is "the processor may hang" nothing is tried. */
static void observe_absent(const struct uncore_counters *u)
{
    const unsigned reported = u->said + u->uncore->one_less;
    struct test_context *t = u->t;
    struct erratum_found found;
    unsigned answered = 0;

    if (errata_find(test_cpu(t), ERRATUM_UNCORE_ABSENT, &found) ||
        reported >= UNCORE_BOXES_MAX)
        return;
    for (unsigned box = reported; box < UNCORE_BOXES_MAX; box++)
        answered +=
            try_set_msr(t, uncore_box_counter(box, 0), 0) == HW_NO_FAULT;
    observe(t, "C-Boxes beyond MSR_UNC_CBO_CONFIG answer", answered,
            UNCORE_BOXES_MAX - reported);
}

TEST(uncore_cboxes,
     .asks = "Do the C-Boxes count the lookups of reads that miss the core's "
             "caches?",
     .cite = "SDM 3B, \"Non-Architectural Uncore Performance Events in the 4th "
             "Generation Intel Core Processors\"; SDM 3C, MSR_UNC_CBO_CONFIG",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_UNCORE})
{
    struct uncore_counters u;
    struct lookups miss, hit;
    struct lines lines;
    uint64_t quiet = UINT64_MAX;

    /* Set-up. */
    if (!uncore_claim(&u, t) || !program_selects(&u))
        return;
    lines_choose(t, &lines);

    for (unsigned i = 0; i < TRIES; i++) {
        /* Measured. */
        if (!count_lookups(&u, &lines, lines_miss, &miss) ||
            !count_lookups(&u, &lines, lines_hit, &hit))
            return;

        /* Check. */
        check_misses(&u, &miss);
        quiet = hit.all < quiet ? hit.all : quiet;
        if (quiet <= STRAY)
            break;
    }
    check(t, quiet <= STRAY,
          "UNC_CBO_CACHE_LOOKUP (34H/1FH): got %lu for %u cached reads in the "
          "quietest of %u windows; wanted at most %u",
          quiet, LINES, TRIES, STRAY);
    unsigned used = check_spread(&u, &miss);
    for (unsigned n = 1; n < hw_processors(); n++)
        if (!try_other(&u, &lines, n))
            return;
    observe_absent(&u);
    note(t,
         "%u reads flushed out: %lu lookups in %u of %u C-Boxes (by 396H %u), "
         "%lu found in I; as many cached: %lu",
         LINES, miss.all, used, u.boxes, u.said, miss.missed, quiet);
}
