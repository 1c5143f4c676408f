/* SPDX-License-Identifier: BSD-2-Clause */
/* CBR: the ratio that the core runs at, one that it can have. */
#include "src/base/msr.h"
#include "src/trace/window.h"

#define TURNS          200 /* PSBs, where they come every 2 KB */
#define LEAF_FREQUENCY 0x16
#define LEAF_POWER     6
#define TURBO_MAX_3    (UINT32_C(1) << 14) /* of CPUID.06H:EAX */
#define RATIO_MOST     128                 /* 12.8 GHz */
#define RATIO_MS       50

struct ratios {
    struct trace *p;
    struct path_times times;
};

static bool trace_ratio(struct ratios *m)
{
    struct window w;
    struct path_seen seen;

    window_set_loop(&w, m->p->t, TURNS);
    const bool right = window_check(m->p, "turns of a loop", &w, &seen);
    m->times = seen.times;
    return right &&
           check_known(m->p->t, seen.packets[PT_CBR] != 0, ERRATUM_PT_LATE_MODE,
                       true, "got no CBR; wanted one when TraceEn is set");
}

/* SDM 2A, CPUID.16H: MHz, the greatest and the bus. 0: not said. */
static unsigned greatest_ratio(const struct identity *id)
{
    struct hw_cpuid leaf;

    if (id->leaf_max < LEAF_FREQUENCY)
        return 0;
    hw_cpuid(LEAF_FREQUENCY, 0, &leaf);
    const unsigned most = leaf.ebx & 0xffff, bus = leaf.ecx & 0xffff;
    return bus != 0 ? (most + bus - 1) / bus : 0;
}

/* SDM 2A, CPUID.06H: then some cores go beyond what is said of all, and the
 * manual has no register that says how far. */
static bool has_turbo_max(const struct identity *id)
{
    struct hw_cpuid leaf;

    if (id->leaf_max < LEAF_POWER)
        return false;
    hw_cpuid(LEAF_POWER, 0, &leaf);
    return (leaf.eax & TURBO_MAX_3) != 0;
}

/* "Core:Bus Ratio (CBR) Packet"; of a processor that may be overclocked
 * MSR_TURBO_RATIO_LIMIT (1ADH)[7:0] says so. */
static void check_ratio(struct ratios *m)
{
    const struct path_times *times = &m->times;
    struct test_context *t = m->p->t;
    unsigned most = greatest_ratio(test_cpu(t));
    uint64_t limit = 0;

    if (try_get_msr(t, MSR_TURBO_RATIO_LIMIT, &limit) == HW_NO_FAULT &&
        (limit & 0xff) > most)
        most = limit & 0xff;
    if (most == 0 || has_turbo_max(test_cpu(t)))
        most = RATIO_MOST;
    check(t, times->cbr_least != 0 && times->cbr_most <= most,
          "CBR: got ratios of %u to %u; wanted 1 to %u, the greatest by "
          "CPUID.16H and MSR_TURBO_RATIO_LIMIT (1ADH)",
          times->cbr_least, times->cbr_most, most);
    note(t, "CBR: %u to %u, of %u at most", times->cbr_least, times->cbr_most,
         most);
}

/* "The core:bus ratio of the processor core", which is in IA32_PERF_STATUS's
 * bits 15:8 where [7:0] are 0. Either may be late after a change, not for
 * long. A Lion Cove core's ratio is not of whole buses: each may be rounded. */
static void check_ratio_now(struct ratios *m)
{
    const struct path_times *times = &m->times;
    struct test_context *t = m->p->t;
    const unsigned room = identity_generation(test_cpu(t)) == LION_COVE;
    const uint64_t since = hw_ms();
    uint64_t before, after;
    bool right, stays;

    do {
        if (try_get_msr(t, IA32_PERF_STATUS, &before) != HW_NO_FAULT ||
            (before & BITS(7, 0)) != 0 || (before & BITS(15, 8)) == 0) {
            note(t, "not tested: CBR against IA32_PERF_STATUS (198H)[15:8]");
            return;
        }
        before = (before & BITS(15, 8)) >> 8;
        if (!trace_ratio(m) || !get_msr(t, IA32_PERF_STATUS, &after))
            return;
        stays = (after & BITS(15, 8)) >> 8 == before;
        right = times->cbr_least + room >= before &&
                times->cbr_most <= before + room;
    } while (!right && hw_ms() - since < RATIO_MS);
    check(t, right || !stays,
          "CBR: got ratios of %u to %u, in each trace for %u ms; wanted %lu, "
          "by IA32_PERF_STATUS (198H)[15:8], or %u more or less",
          times->cbr_least, times->cbr_most, RATIO_MS, before, room);
}

TEST(pt_ratio, .asks = "Does CBR say the ratio that the core runs at?",
     .cite = "SDM 3C, Intel Processor Trace, \"Core:Bus Ratio (CBR) Packet\"; "
             "SDM 4, IA32_PERF_STATUS",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    struct trace p;
    struct ratios m = {.p = &p};

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    if (!trace_ratio(&m))
        return;
    check_ratio(&m);
    /* What IA32_PERF_STATUS holds is of the generation: "performance state". */
    if (identity_is_native(test_cpu(t)) && identity_known(test_cpu(t)))
        check_ratio_now(&m);
}
