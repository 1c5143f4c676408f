/* SPDX-License-Identifier: BSD-2-Clause */
/* The ARB unit counts the requests that leave the L3, on either counter, and
 * writes apart, and on counter 0 how long they stayed. */
#include "src/harness/case.h"
#include "asm/memory_windows.h"
#include "src/base/msr.h"
#include "src/counting/counters.h"
#include "src/memory/lines.h"
#include "src/uncore/uncore.h"

#define TRIES 5           /* others, graphics too, only add */
#define STRAY (LINES / 4) /* of theirs, in the quietest window */
/* Cycles of the uncore's clock in which no memory answers. */
#define LATENCY 8

static bool count_window(const struct uncore_counters *u,
                         const struct lines *lines,
                         void (*work)(const struct lines *lines),
                         const uint64_t events[2], uint64_t got[2])
{
    bool ok = true;

    for (unsigned n = 0; ok && n < 2; n++)
        ok = set_msr_again(u->t, MSR_UNC_ARB_PERFEVTSEL(n),
                           events[n] | UNCORE_EN) &&
             set_msr_again(u->t, MSR_UNC_ARB_PERFCTR(n), 0);
    if (!ok || !uncore_start(u))
        return false;
    work(lines);
    if (!uncore_stop(u))
        return false;
    for (unsigned n = 0; n < 2; n++)
        got[n] = msr_value(u->t, MSR_UNC_ARB_PERFCTR(n));
    return true;
}

/* Requests on both counters; *quiet: on each, the fewest in a window of cached
 * reads. */
static bool check_requests(const struct uncore_counters *u,
                           const struct lines *lines, uint64_t miss[2])
{
    static const uint64_t events[2] = {UNC_ARB_TRK_REQUESTS,
                                       UNC_ARB_TRK_REQUESTS};
    uint64_t hit[2], quiet[2] = {UINT64_MAX, UINT64_MAX};

    for (unsigned i = 0; i < TRIES; i++) {
        if (!count_window(u, lines, lines_miss, events, miss) ||
            !count_window(u, lines, lines_hit, events, hit))
            return false;
        for (unsigned n = 0; n < 2; n++) {
            check(
                u->t, miss[n] >= LINES,
                "MSR_UNC_ARB_PERFCTR%u (%XH), UNC_ARB_TRK_REQUESTS (81H/01H): "
                "got %lu for %u reads flushed out; wanted at least as many",
                n, MSR_UNC_ARB_PERFCTR(n), miss[n], LINES);
            quiet[n] = hit[n] < quiet[n] ? hit[n] : quiet[n];
        }
        if (quiet[0] <= STRAY && quiet[1] <= STRAY)
            break;
    }
    for (unsigned n = 0; n < 2; n++)
        check(u->t, quiet[n] <= STRAY,
              "MSR_UNC_ARB_PERFCTR%u (%XH), UNC_ARB_TRK_REQUESTS (81H/01H): "
              "got %lu for %u cached reads in the quietest of %u windows; "
              "wanted at most %u",
              n, MSR_UNC_ARB_PERFCTR(n), quiet[n], LINES, TRIES, STRAY);
    return true;
}

/* Stores to lines, which the next time are flushed before the store. */
static void store_twice(const struct lines *lines)
{
    const struct memory_walk walk = {(uint64_t)(uintptr_t)lines->at[0],
                                     UINT64_C(37) * 64, 0xffc0, LINES};

    memory_store_flush(0, &walk);
    memory_store_flush(0, &walk);
}

/* Write entries (20H) among all (01H): reads make none; lines that were stored
 * to make them when they are flushed. */
static bool check_writes(const struct uncore_counters *u,
                         const struct lines *lines)
{
    static const uint64_t events[2] = {UNC_ARB_TRK_REQUESTS,
                                       UNC_ARB_TRK_WRITES};
    const struct lines stored = {{test_buffer(u->t)}};
    uint64_t reads[2], writes[2], quiet = UINT64_MAX;

    /* memory_store_flush() writes it. */
    if (!set_msr(u->t, IA32_PERF_GLOBAL_CTRL, 0))
        return false;
    for (unsigned i = 0; i < TRIES && quiet > STRAY; i++) {
        if (!count_window(u, lines, lines_miss, events, reads))
            return false;
        quiet = reads[1] < quiet ? reads[1] : quiet;
    }
    if (!count_window(u, &stored, store_twice, events, writes))
        return false;
    check(u->t, quiet <= STRAY,
          "UNC_ARB_TRK_REQUESTS.WRITES (81H/20H): got %lu for %u reads flushed "
          "out, in the quietest of %u windows; wanted at most %u",
          quiet, LINES, TRIES, STRAY);
    check(u->t, writes[1] >= LINES / 2 && writes[0] >= writes[1],
          "UNC_ARB_TRK_REQUESTS (81H): got %lu writes (20H), %lu in all (01H), "
          "for %u lines stored to and flushed; wanted most of them, and no "
          "fewer in all",
          writes[1], writes[0], LINES);
    return true;
}

TEST(uncore_arb,
     .asks = "Does the ARB unit count requests, and their occupancy on counter "
             "0?",
     .cite = "SDM 3B, \"Uncore Performance Monitoring Events\", "
             "\"Non-Architectural Uncore Performance Events in the 4th "
             "Generation Intel Core Processors\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_UNCORE})
{
    static const uint64_t occupancy[2] = {UNC_ARB_TRK_OCCUPANCY,
                                          UNC_ARB_TRK_OCCUPANCY};
    struct uncore_counters u;
    struct lines lines;
    uint64_t requests[2], cycles[2];

    /* Set-up. */
    if (!uncore_claim(&u, t))
        return;
    lines_choose(t, &lines);

    /* Measured, and checked. */
    if (!check_requests(&u, &lines, requests) || !check_writes(&u, &lines) ||
        !count_window(&u, &lines, lines_miss, occupancy, cycles))
        return;
    check(t, cycles[0] >= LATENCY * LINES,
          "MSR_UNC_ARB_PERFCTR0 (3B0H), UNC_ARB_TRK_OCCUPANCY (80H/01H): got "
          "%lu for %u reads flushed out; wanted %u cycles of each at least",
          cycles[0], LINES, LATENCY);
    observe(t, "occupancy (80H) counts on counter 1 of the ARB unit too",
            cycles[1] != 0, 1);
    note(t, "%u reads flushed out: %lu and %lu requests, occupancy %lu", LINES,
         requests[0], requests[1], cycles[0]);
}
