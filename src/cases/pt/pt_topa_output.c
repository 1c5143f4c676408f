/* SPDX-License-Identifier: BSD-2-Clause */
/* Output by ToPA: from region to region and from table to table, of which the
 * bytes are one whole; STOP and INT where a region is full, and not before. */
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/trace/window.h"

/* One region's end is in such a trace, not two. */
#define TURNS       20
#define FROM(end)   ((end)-100) /* before the end of a region */
#define SMALL       TOPA_REGION_BYTES
#define LARGE       (2 * TOPA_REGION_BYTES)
#define PMI_MS      20
#define PMI_TURNS   150  /* some microseconds: delivery takes less */
#define INT_TURNS   100  /* of 3 to 6 bytes: into the next region */
#define DROPPED     64   /* bytes, after which no more came */
#define TWICE_TURNS 1500 /* over that, too, and not round to the first */
#define FAR_TURNS   800  /* over the end of a region, and that of the next */
/* A single region interrupts before it is full, which need not be here. */
#define INT_EARLY       1700
#define INT_TURNS_EARLY 250

_Static_assert(TURNS *WINDOW_TURN_BYTES_MAX < SMALL / 2, "one region's end");
_Static_assert(PMI_TURNS *WINDOW_TURN_BYTES_MAX<
                   2 * SMALL - 200 && PMI_TURNS * WINDOW_TURN_BYTES> 500,
               "one region's end, and some of the next");

/* The regions in the order of the output: not that of memory. Two tables. */
#define REGIONS 5
static const struct {
    unsigned table, entry;
    uint32_t at, bytes;
} regions[REGIONS] = {
    {0, 0, 5 * SMALL, SMALL}, {0, 1, 2 * SMALL, LARGE},
    {0, 2, 6 * SMALL, LARGE}, {1, 0, 0, SMALL},
    {1, 1, 4 * SMALL, SMALL},
};

struct topa {
    struct trace *p;
    bool many;
    uint64_t *table[2];
};

/* flags are of the region `flagged`. Without entries in number it is the first
 * region alone, round and round. */
static void fill_tables(struct topa *topa, unsigned flagged, uint64_t flags)
{
    const unsigned count = topa->many ? REGIONS : 1;

    for (unsigned i = 0; i < count; i++)
        topa->table[regions[i].table][regions[i].entry] = output_topa_entry(
            trace_at(topa->p->memory) + regions[i].at,
            regions[i].bytes == LARGE ? 1 : 0, i == flagged ? flags : 0);
    for (unsigned n = 0; n < 2; n++)
        topa->table[n][topa->many ? 3 - n : 1] = output_topa_entry(
            trace_at(topa->table[topa->many ? 1 - n : n]), 0, TOPA_END);
}

static struct part part_of(const struct topa *topa, unsigned region,
                           uint32_t first, uint32_t end)
{
    return (struct part){
        .base = trace_at(topa->table[regions[region].table]),
        .low = (uint32_t)output_topa_pointers(regions[region].entry, 0),
        .at = regions[region].at,
        .first = first,
        .end = end};
}

/* From this offset of the region on, and over its end. */
static struct parts parts_from(const struct topa *topa, unsigned region,
                               uint32_t first)
{
    const unsigned next = topa->many ? (region + 1) % REGIONS : 0;

    return (struct parts){
        .control = output_control(test_cpu(topa->p->t), true),
        .count = 2,
        .part = {part_of(topa, region, first, regions[region].bytes),
                 part_of(topa, next, 0, FROM(regions[next].bytes))}};
}

static void check_regions(struct topa *topa)
{
    static const struct {
        unsigned region;
        uint32_t first;
    } rows[] = {{0, FROM(SMALL)},     {1, FROM(LARGE) - 1},
                {2, FROM(LARGE) - 2}, {3, SMALL - 1},
                {4, FROM(SMALL) - 3}, {0, 64},
                {0, FROM(SMALL) - 4}, {3, 0}};
    char what[64];
    struct window w;
    struct path_seen seen;

    fill_tables(topa, REGIONS, 0);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!topa->many && rows[i].region != 0)
            continue;
        const struct parts parts =
            parts_from(topa, rows[i].region, rows[i].first);
        text_format(what, sizeof(what), "table %u, entry %u, from %u on",
                    regions[rows[i].region].table,
                    regions[rows[i].region].entry, rows[i].first);
        window_set_loop(&w, topa->p->t, TURNS);
        window_check_parts(topa->p, what, &w, &parts, &seen);
    }
}

/* Traces from this region on; 38EH[55] afterwards, which is then cleared. */
static bool trace_flags(struct topa *topa, unsigned region, unsigned turns,
                        bool *pmi)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI;
    const struct parts parts =
        parts_from(topa, region, FROM(regions[region].bytes));
    struct test_context *t = topa->p->t;
    struct window w;
    uint64_t status, cleared;

    window_set_loop(&w, t, turns);
    if (!set_msr(t, IA32_PERF_GLOBAL_OVF_CTRL, bit) ||
        !trace_arm_output(topa->p, parts.control, parts.part[0].base,
                          parts_pointers(&parts)))
        return false;
    w.code.control = topa->p->armed | IA32_RTIT_CTL_TraceEn;
    trace_window(&w.code);
    if (!trace_stop(topa->p) || !get_msr(t, IA32_PERF_GLOBAL_STATUS, &status) ||
        !set_msr(t, IA32_PERF_GLOBAL_OVF_CTRL, bit) ||
        !get_msr(t, IA32_PERF_GLOBAL_STATUS, &cleared))
        return false;
    check(t, (cleared & bit) == 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) = 0x%lx after 390H was written with "
          "[55]: wanted [55] (Trace_ToPA_PMI) = 0",
          cleared);
    check(t, (status & IA32_PERF_GLOBAL_STATUS_OVF_DS_BUFFER) == 0,
          "IA32_PERF_GLOBAL_STATUS (38EH) = 0x%lx after a trace: wanted [62] "
          "(OvfBuf) = 0",
          status);
    *pmi = (status & bit) != 0;
    return true;
}

static void check_stopped(struct topa *topa, const char *what, bool want)
{
    const uint64_t mask = IA32_RTIT_STATUS_Error | IA32_RTIT_STATUS_Stopped |
                          IA32_RTIT_STATUS_TriggerEn;
    struct trace *p = topa->p;

    check(p->t,
          (p->status & mask) == (want ? IA32_RTIT_STATUS_Stopped : UINT64_C(0)),
          "%s: IA32_RTIT_STATUS (571H) = 0x%lx: wanted [4] (Error) = 0, [5] "
          "(Stopped) = %u, [2] (TriggerEn) = 0",
          what, p->status, want);
}

/* The trace ends with the region's last byte, and the registers say so. */
static void check_stop_place(struct topa *topa, const char *what,
                             unsigned region)
{
    struct trace *p = topa->p;
    const struct part part = part_of(topa, region, FROM(regions[region].bytes),
                                     regions[region].bytes);
    const uint64_t pointers = (uint64_t)part.end << 32 | part.low;
    const size_t bytes = TRACE_BYTES - trace_guarded(p, 0, TRACE_BYTES);
    const size_t reached =
        part.end - part.first -
        trace_untouched(p, part.at + part.first, part.at + part.end);

    check_known(
        p->t, p->stopped_base == part.base && p->stopped_pointers == pointers,
        ERRATUM_PT_STOPS_EARLY, p->stopped_pointers < pointers,
        "%s: IA32_RTIT_OUTPUT_BASE (560H) = 0x%lx, "
        "IA32_RTIT_OUTPUT_MASK_PTRS (561H) = 0x%lx; wanted 0x%lx, "
        "0x%lx: the table, the entry with STOP, its size",
        what, p->stopped_base, p->stopped_pointers, part.base, pointers);
    check(p->t,
          trace_guarded(p, part.at + part.first, part.at + part.end) + bytes ==
              part.end - part.first,
          "%s: %lu bytes were written, some of them outside of the last %u of "
          "the region",
          what, bytes, part.end - part.first);
    check_known(p->t, reached > 90, ERRATUM_PT_STOPS_EARLY, true,
                "%s: %lu bytes were written; wanted 100 to the region's end",
                what, reached);
}

/* Over the end of a region; of one that is not full flags do nothing. */
static void check_flags(struct topa *topa, unsigned region, unsigned flagged)
{
    static const struct {
        const char *what;
        uint64_t flags;
    } rows[] = {{"STOP", TOPA_STOP},
                {"INT", TOPA_INT},
                {"INT and STOP", TOPA_INT | TOPA_STOP},
                {"neither INT nor STOP", 0}};
    bool pmi;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const uint64_t flags = region == flagged ? rows[i].flags : 0;
        const bool stop = (flags & TOPA_STOP) != 0;

        fill_tables(topa, flagged, rows[i].flags);
        if (!trace_flags(topa, region, TURNS, &pmi))
            continue;
        check_stopped(topa, rows[i].what, stop);
        if (stop)
            check_stop_place(topa, rows[i].what, region);
        check(topa->p->t, pmi == ((flags & TOPA_INT) != 0),
              "%s: IA32_PERF_GLOBAL_STATUS (38EH)[55] (Trace_ToPA_PMI): got "
              "%u, wanted %u",
              rows[i].what, pmi, !pmi);
    }
}

/* The first region of the second table, come to by END of the first one. */
static void check_stop_linked(struct topa *topa)
{
    const uint64_t table = trace_at(topa->table[1]);
    struct trace *p = topa->p;
    bool pmi;

    fill_tables(topa, REGIONS - 2, TOPA_STOP);
    if (!trace_flags(topa, REGIONS - 3, FAR_TURNS, &pmi))
        return;
    const bool stopped = (p->status & IA32_RTIT_STATUS_Stopped) != 0;
    check_known(p->t, stopped && p->stopped_base == table, ERRATUM_PT_DROPS_ALL,
                trace_bytes(p) < DROPPED,
                "STOP in the table that END led to: IA32_RTIT_STATUS (571H)[5] "
                "(Stopped) = %u, IA32_RTIT_OUTPUT_BASE (560H) = 0x%lx; wanted "
                "1, 0x%lx",
                stopped, p->stopped_base, table);
}

/* STOP clears TriggerEn, not TraceEn. */
static void check_stop_running(struct topa *topa)
{
    const struct parts parts = parts_from(topa, 0, FROM(SMALL));
    struct trace *p = topa->p;
    uint64_t control;

    fill_tables(topa, 0, TOPA_STOP);
    if (!trace_arm_output(p, parts.control, parts.part[0].base,
                          parts_pointers(&parts)) ||
        !trace_start(p))
        return;
    (void)trace_jumps(INT_TURNS);
    const bool read = get_msr(p->t, IA32_RTIT_CTL, &control);
    if (trace_stop(p) && read)
        check_equal(p->t, "IA32_RTIT_CTL (570H) after STOP", control,
                    p->armed | IA32_RTIT_CTL_TraceEn);
}

/* Counts in *count how often Trace_ToPA_PMI was set by a body that clears it;
 * false where that could not be. */
static bool count_interrupts(struct topa *topa, const struct parts *parts,
                             unsigned turns, uint64_t *count)
{
    const uint64_t bit = IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI;
    struct test_context *t = topa->p->t;
    struct window w;
    uint64_t status;

    window_set(&w, trace_body_int, NULL);
    w.code.count = turns;
    if (!set_msr(t, IA32_PERF_GLOBAL_OVF_CTRL, bit) ||
        !trace_arm_output(topa->p, parts->control, parts->part[0].base,
                          parts_pointers(parts)))
        return false;
    w.code.control = topa->p->armed | IA32_RTIT_CTL_TraceEn;
    trace_window(&w.code);
    if (!trace_stop(topa->p) || !get_msr(t, IA32_PERF_GLOBAL_STATUS, &status) ||
        !set_msr(t, IA32_PERF_GLOBAL_OVF_CTRL, bit))
        return false;
    *count = w.code.cells[0] + ((status & bit) != 0);
    return true;
}

/* One interrupt of one full region, also where software clears its bit before
 * the next packet. */
static void check_int_once(struct topa *topa)
{
    const struct parts parts =
        parts_from(topa, 0, topa->many ? FROM(SMALL) : SMALL - INT_EARLY);
    uint64_t count;

    fill_tables(topa, 0, TOPA_INT);
    if (count_interrupts(topa, &parts, topa->many ? INT_TURNS : INT_TURNS_EARLY,
                         &count))
        check(topa->p->t, count == 1 || (!topa->many && count == 0),
              "INT of one full region: IA32_PERF_GLOBAL_STATUS (38EH)[55] "
              "(Trace_ToPA_PMI) was set %lu times; wanted once",
              count);
}

/* Two regions with INT, of two tables, one after the other: an interrupt of
 * each. Or one, round and round, and one each time. */
static void check_int_twice(struct topa *topa, bool same)
{
    const unsigned first = same ? REGIONS - 2 : REGIONS - 3;
    const struct parts parts =
        parts_from(topa, first, FROM(regions[first].bytes));
    uint64_t *next =
        &topa->table[regions[first + 1].table][regions[first + 1].entry];
    uint64_t count;

    fill_tables(topa, first, TOPA_INT);
    *next = same ? output_topa_entry(parts.part[0].base, 0, TOPA_END)
                 : *next | TOPA_INT;
    if (count_interrupts(topa, &parts, TWICE_TURNS, &count))
        /* By the erratum the trace ends where the next region begins. */
        check_known(
            topa->p->t, count == 2 || (same && count > 2), ERRATUM_PT_DROPS_ALL,
            count == 1 && trace_bytes(topa->p) < DROPPED,
            "INT of %s: IA32_PERF_GLOBAL_STATUS (38EH)[55] "
            "(Trace_ToPA_PMI) was set %lu times; wanted twice",
            same ? "one region, full twice" : "two full regions", count);
}

/* The interrupt itself, which is in the trace: where it came, its handler, and
 * the way back. A second run would find Trace_ToPA_PMI = 1. */
static void check_delivery(struct topa *topa, unsigned region, bool nmi)
{
    struct test_context *t = topa->p->t;
    const struct parts parts =
        parts_from(topa, region, FROM(regions[region].bytes));
    unsigned turns = parts.part[1].end > SMALL ? PMI_TURNS : PMI_TURNS / 2;
    struct window w;
    struct path_seen seen;

    fill_tables(topa, region, TOPA_INT);
    window_set_loop(&w, t, turns);
    w.path.interrupts = true;
    if (!set_msr(t, IA32_PERF_GLOBAL_OVF_CTRL,
                 IA32_PERF_GLOBAL_STATUS_Trace_ToPA_PMI))
        return;
    if (!hw_pmi_begin(nmi)) {
        note(t, "no local APIC: the interrupt of INT was not looked for");
        return;
    }
    bool traced = window_check_parts(
        topa->p, nmi ? "NMI of INT" : "interrupt of INT", &w, &parts, &seen);
    const uint64_t since = hw_ms();
    while (traced && hw_pmi_count() == 0 && hw_ms() - since < PMI_MS)
        ;
    const unsigned count = hw_pmi_count();
    hw_pmi_end();
    if (!traced)
        return;
    check_known(t, count - 1 < w.runs, ERRATUM_PMI_REPEATED, count > w.runs,
                "INT of table %u, entry %u: got %u interrupts by the local "
                "APIC's entry for counters in %u runs; wanted 1 to that",
                regions[region].table, regions[region].entry, count, w.runs);
    /* How long after the region is full no manual says. */
    if (region == 0 && count != 0 && seen.interrupts == 0)
        observe(t, "the interrupt of INT comes after the trace", 1, 1);
    if (region == 0 && !nmi)
        note(t, "interrupt of INT: %u, %u of them in the trace", count,
             seen.interrupts);
}

TEST(pt_topa_output,
     .asks = "Does ToPA output go from region to region, and do STOP and INT "
             "what they say?",
     .cite = "SDM 3C, Intel Processor Trace, \"Table of Physical Addresses "
             "(ToPA)\", \"ToPA STOP\", \"ToPA PMI\"",
     .needs = {.features = NEED_INTEL | NEED_PT | NEED_PT_TOPA | NEED_PMU})
{
    struct trace p;

    /* Set-up. FREEZE_PERFMON_ON_PMI, where firmware has set it, clears 38FH. */
    if (!trace_claim(&p, t) || !set_msr(t, IA32_PERF_GLOBAL_CTRL, 0))
        return;
    p.may_stop = true;
    struct topa topa = {
        .p = &p,
        .many = (test_cpu(t)->leaf14_ecx & LEAF14_TOPA_MANY) != 0,
        .table = {p.table, p.table + TOPA_REGION_BYTES / sizeof(*p.table)}};

    /* Measured and checked. */
    check_regions(&topa);
    for (unsigned region = 0; region < (topa.many ? REGIONS : 1); region++)
        check_flags(&topa, region, region);
    if (topa.many) {
        WITH_PREFIX (t, "a region that is not full, or another") {
            check_flags(&topa, 0, 1);
            check_flags(&topa, 2, 1);
        }
        check_stop_linked(&topa);
    }
    check_stop_running(&topa);
    check_int_once(&topa);
    for (unsigned same = 0; topa.many && same <= 1; same++)
        check_int_twice(&topa, same != 0);
    for (unsigned region = 0; region < (topa.many ? REGIONS : 1); region++)
        check_delivery(&topa, region, false);
    check_delivery(&topa, 0, true);
}
