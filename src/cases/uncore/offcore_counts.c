/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and stores that CLFLUSH forces out of the core are off-core requests,
 * each of its own kind, cached ones are not; only what is selected is counted,
 * each response under one supplier and one snoop. */
#include "src/harness/case.h"
#include "asm/line_access.h"
#include "src/base/msr.h"
#include "src/counting/counter3.h"
#include "src/counting/counters.h"
#include "src/memory/lines.h"
#include "src/uncore/offcore_window.h"

/* A quarter more: page walks and prefetches may be counted as reads. An eighth
 * less: nothing explains it but an overlap of windows. Of what is not to be
 * counted, an eighth may be there, of whatever else the core reads. */
#define MOST   (LINES + LINES / 4)
#define LEAST  (LINES - LINES / 8)
#define STRAY  (LINES / 8)
#define TRIES  3 /* where too much is counted: noise only adds */
#define BESIDE 4 /* waits for the other thread, of a window at least each */

#define READ   OFFCORE_DMND_DATA_RD
#define RFO    OFFCORE_DMND_RFO
#define ANY    OFFCORE_ANY
#define LEVELS (IA32_PERFEVTSEL_OS | IA32_PERFEVTSEL_USR)

static void read_misses(const struct offcore *o)
{
    lines_miss(o->lines);
}

static void read_hits(const struct offcore *o)
{
    lines_hit(o->lines);
}

/* As many accesses to lines just flushed, 37 lines from one to the next. */
static void walk_lines(const struct offcore *o)
{
    const struct memory_walk walk = {(uint64_t)(uintptr_t)test_buffer(o->t),
                                     UINT64_C(37) * 64, 0xffc0, LINES};

    o->window(BITS(o->counters - 1, 0), &walk);
}

static void read_splits(const struct offcore *o)
{
    (void)lines_miss_both(o->lines);
}

static const struct offcore_bounds made = {LEAST, MOST}, none = {0, STRAY};

/* LINES misses, then as many hits, with MSR_OFFCORE_RSP_n as it is. Requests
 * for ownership and code reads may be counted too often. */
static void check_counts(struct offcore *o, const char *what,
                         struct offcore_bounds misses,
                         struct offcore_bounds out[2])
{
    const bool more = (msr_value(o->t, MSR_OFFCORE_RSP(o->n)) &
                       (RFO | OFFCORE_DMND_IFETCH)) != 0;
    const struct offcore_bounds want[2] = {misses, {0, STRAY}};

    for (unsigned i = 0; i < TRIES; i++) {
        /* Measured. */
        if (!offcore_window(o, read_misses))
            return;
        out[0] = o->got;
        if (!offcore_window(o, read_hits))
            return;
        out[1] = o->got;
        if (out[0].most <= want[0].most && out[1].most <= want[1].most)
            break;
    }
    for (unsigned k = 0; k < 2; k++)
        check_known(
            o->t, out[k].least >= want[k].least && out[k].most <= want[k].most,
            ERRATUM_OFFCORE_RFO, more && out[k].least >= want[k].least,
            "MSR_OFFCORE_RSP_%u (%XH), %s: IA32_PMC0-%u counted %lu to %lu "
            "of %u reads %s; wanted %lu to %lu",
            o->n, MSR_OFFCORE_RSP(o->n), what, o->counters - 1, out[k].least,
            out[k].most, LINES, k == 0 ? "flushed out" : "cached",
            want[k].least, want[k].most);
}

/* A value that selects something; out: what was counted of misses and hits. */
static void check_value(struct offcore *o, const char *what, uint64_t value,
                        struct offcore_bounds misses,
                        struct offcore_bounds out[2])
{
    if (offcore_write(o->t, o->table, o->n, value))
        check_counts(o, what, misses, out);
}

/* One that selects nothing: "the event count reported will be zero". */
static void check_nothing(struct offcore *o, const char *what, uint64_t value)
{
    struct offcore_bounds out[2];

    if (set_msr(o->t, MSR_OFFCORE_RSP(o->n), value))
        check_counts(o, what, (struct offcore_bounds){0, 0}, out);
}

/* LINES stores to lines just flushed, or locked additions ("regular RFOs,
 * locks": OFFCORE_REQUESTS.DEMAND_RFO, SDM 3B, tables of events). */
static void check_stores(struct offcore *o, const char *what,
                         memory_window *window, uint64_t value,
                         struct offcore_bounds want)
{
    o->window = window;
    if (!offcore_write(o->t, o->table, o->n, value))
        return;
    for (unsigned i = 0; i < TRIES; i++) {
        if (!offcore_window(o, walk_lines))
            return;
        if (o->got.most <= want.most)
            break;
    }
    check_known(o->t, o->got.least >= want.least && o->got.most <= want.most,
                ERRATUM_OFFCORE_RFO,
                (value & RFO) != 0 && o->got.least >= want.least,
                "MSR_OFFCORE_RSP_%u (%XH) = 0x%lx, %s: IA32_PMC0-%u "
                "counted %lu to %lu of %u stores to lines flushed out; wanted "
                "%lu to %lu",
                o->n, MSR_OFFCORE_RSP(o->n), value, what, o->counters - 1,
                o->got.least, o->got.most, LINES, want.least, want.most);
}

/* HIT_FWD, HITM: another core has it. NON_DRAM: I/O has. HIT_NO_FWD is not
 * among these: Intel's events for DRAM have it (ICX, OCR.*.DRAM). */
#define NOT_OF_DRAM (BITS(36, 35) | OFFCORE_NON_DRAM)

/* Each of the bits alone, with all of the other field: a response is counted
 * under one of them, so that all together are the misses. */
static void check_parts(struct offcore *o, const char *what, uint64_t parts,
                        uint64_t with)
{
    uint64_t sum = 0, value = READ | with;

    for (unsigned bit = 0; bit < 64; bit++) {
        if ((parts >> bit & 1) == 0)
            continue;
        const bool absent = (BIT(bit) & NOT_OF_DRAM) != 0;
        if (!offcore_write(o->t, o->table, o->n, value | BIT(bit)))
            return;
        for (unsigned i = 0; i == 0 || (absent && i < TRIES); i++) {
            if (!offcore_window(o, read_misses))
                return;
            if (o->got.most <= STRAY)
                break;
        }
        sum += o->got.most;
        if (absent)
            check(o->t, o->got.most <= STRAY,
                  "MSR_OFFCORE_RSP_%u (%XH) = 0x%lx, snoop [%u] alone: counted "
                  "%lu of %u reads of DRAM; wanted at most %u",
                  o->n, MSR_OFFCORE_RSP(o->n), value | BIT(bit), bit,
                  o->got.most, LINES, STRAY);
    }
    check(o->t, sum >= LEAST && sum <= 2 * LINES,
          "MSR_OFFCORE_RSP_%u (%XH), data reads, each %s alone: %lu of %u "
          "reads flushed out in sum; wanted %u to %u, as a response has one",
          o->n, MSR_OFFCORE_RSP(o->n), what, sum, LINES, LEAST, 2 * LINES);
}

/* Half as many again would be explained by nothing else. */
static void check_splits(struct offcore *o)
{
    if (offcore_write(o->t, o->table, o->n, READ | ANY) &&
        offcore_window(o, read_splits))
        check(o->t, o->got.least >= LINES + LINES / 2,
              "MSR_OFFCORE_RSP_%u (%XH), data reads, any response: "
              "IA32_PMC0-%u counted %lu to %lu of some %u reads of two lines, "
              "flushed out; wanted %u at least",
              o->n, MSR_OFFCORE_RSP(o->n), o->counters - 1, o->got.least,
              o->got.most, LINES, LINES + LINES / 2);
}

static void check_user(struct offcore *o)
{
    struct offcore_bounds out[2];

    if (offcore_program(o, false, IA32_PERFEVTSEL_USR))
        check_value(o, "OS = 0: data reads, any response, at ring 0",
                    READ | ANY, none, out);
}

/* What DRAM supplies, with each snoop: reads and reads for ownership. */
static void check_memory(struct offcore *o, uint64_t response)
{
    struct offcore_bounds out[2];

    check_value(o, "data reads, suppliers beyond the L3", READ | response, made,
                out);
    check_stores(o, "reads for ownership, suppliers beyond the L3",
                 memory_store_flush, RFO | response, made);
    check_stores(o, "reads for ownership, found in the L3", memory_store_flush,
                 RFO | o->table->l3_hit | o->table->snoop, none);
}

/* Requests that a read is none of. A prefetch may be one of the others. */
static void check_others(struct offcore *o)
{
    struct offcore_bounds out[2];

    for (unsigned bit = 0; bit < 16; bit++)
        if ((o->table->not_read >> bit & 1) != 0)
            check_value(o, "a request that is no read, any response",
                        BIT(bit) | ANY, none, out);
}

/* any: what was counted with any response. */
static void check_msr(struct offcore *o, struct offcore_bounds any[2])
{
    const struct offcore_table *table = o->table;
    const uint64_t beyond =
        table->supplier & ~(table->l3_hit | OFFCORE_NO_SUPP);
    struct offcore_bounds out[2];

    check_value(o, "data reads, any response", READ | ANY, made, any);
    check_value(o, "data reads, found in the L3",
                READ | table->l3_hit | table->snoop, none, out);
    if (table->memory != 0)
        check_value(o, "data reads, every supplier and snoop",
                    READ | table->supplier | table->snoop, made, out);
    /* "If ANY bit is set, the supplier and snoop info bits are ignored." */
    check_value(o, "data reads or reads for ownership, any response",
                READ | RFO | ANY | table->supplier, made, out);
    check_value(o, "data reads, any response, suppliers of the L3",
                READ | ANY | table->l3_hit, made, out);
    check_value(o, "data reads, any response, NON_DRAM [37]",
                READ | ANY | OFFCORE_NON_DRAM, made, out);
    check_value(o, "reads for ownership, any response", RFO | ANY, none, out);
    check_value(o, "code reads, any response", OFFCORE_DMND_IFETCH | ANY, none,
                out);
    check_stores(o, "reads for ownership", memory_store_flush, RFO | ANY, made);
    check_stores(o, "reads for ownership, of locked additions",
                 memory_locked_flush, RFO | ANY, made);
    check_stores(o, "data reads", memory_store_flush, READ | ANY, none);
    /* "It is permissible and useful to set multiple request .. bits." */
    check_stores(o, "data reads or reads for ownership", memory_store_flush,
                 READ | RFO | ANY, made);
    if (table->memory != 0)
        check_memory(o, beyond | table->snoop);
    check_others(o);
    check_splits(o);
    check_parts(o, "snoop", table->snoop, table->supplier);
    /* Where some suppliers go together, or not all are known, they have no
     * sum. */
    if (table->all_or_none == 0 && table->memory != 0)
        check_parts(o, "supplier", table->supplier, table->snoop);
    check_nothing(o, "data reads, suppliers without a snoop",
                  READ | table->supplier);
    check_nothing(o, "data reads, snoops without a supplier",
                  READ | table->snoop);
    check_nothing(o, "data reads, no response", READ);
    check_nothing(o, "no request, any response", ANY);
    check_nothing(o, "neither request nor response", 0);
}

/* What the other register has selected. */
static void check_apart(struct offcore *o)
{
    struct offcore_bounds out[2];

    if (!offcore_write(o->t, o->table, 1 - o->n, READ | ANY))
        return;
    check_value(o, "reads for ownership, any response, the other data reads",
                RFO | ANY, none, out);
    check_nothing(o, "no request, any response, the other data reads", ANY);
    check_nothing(o, "data reads, no response, the other any", READ);
    set_msr(o->t, MSR_OFFCORE_RSP(1 - o->n), 0);
}

/* Both events and both registers in one window. */
static void check_both(struct offcore *o)
{
    struct offcore_bounds out[2];

    o->n = 0;
    if (offcore_program(o, true, LEVELS) &&
        offcore_write(o->t, o->table, 1, READ | ANY))
        check_value(o, "data reads, any response, with 1A7H on every second",
                    READ | ANY, made, out);
}

static bool prepare(struct offcore *o, struct test_context *t,
                    struct lines *lines)
{
    *o = (struct offcore){.t = t,
                          .lines = lines,
                          .table = offcore_of(test_cpu(t)),
                          .counters = counters_available(test_cpu(t))};
    if (o->table == NULL) {
        skip(t, "needs the same model on every processor");
        return false;
    }
    if (o->counters > OFFCORE_COUNTERS)
        o->counters = OFFCORE_COUNTERS;
    if (o->counters > 3 && !counter3_make_reliable(t))
        o->counters = 3;
    lines_choose(t, lines);
    return counters_claim(t) && hold_msr(t, IA32_PERF_GLOBAL_CTRL) &&
           offcore_program(o, false, LEVELS);
}

static void check_processor(struct test_context *peer, void *argument)
{
    struct offcore_bounds any[2][2] = {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}};
    struct lines lines;
    struct offcore o;

    (void)argument;
    /* Set-up; one window to warm up: page walks and the stack, once. */
    if (!prepare(&o, peer, &lines) || !offcore_window(&o, read_misses))
        return;

    for (o.n = 0; o.n < 2 && offcore_program(&o, false, LEVELS); o.n++) {
        check_msr(&o, any[o.n]);
        check_apart(&o);
        check_user(&o);
    }
    check_both(&o);
    note(
        peer,
        "%u reads flushed out counted as %lu to %lu with 1A6H, %lu to %lu with "
        "1A7H; as many cached: %lu to %lu, %lu to %lu",
        LINES, any[0][0].least, any[0][0].most, any[1][0].least, any[1][0].most,
        any[0][1].least, any[0][1].most, any[1][1].least, any[1][1].most);
}

/* Two threads of one core, of which one reads, and both count. */
struct beside {
    struct pair pair;
    struct offcore here, there;
    struct lines lines[2];  /* of here, and of there */
    volatile uint64_t made; /* what the other has counted, of its own */
};

static bool select_reads(struct offcore *o, struct test_context *t,
                         struct lines *lines)
{
    return prepare(o, t, lines) && offcore_write(t, o->table, 0, READ | ANY);
}

static void read_there(struct test_context *peer, void *argument)
{
    struct beside *b = argument;

    if ((b->there.t != NULL || select_reads(&b->there, peer, &b->lines[1])) &&
        offcore_window(&b->there, read_misses))
        b->made += b->there.got.least;
}

static void wait_beside(const struct offcore *o)
{
    for (unsigned i = 0; i < BESIDE && pair_wait(o->t, o->pair); i++)
        ;
}

/* AnyThread is 0: "the specific thread". */
static void count_beside(struct test_context *t, void *argument)
{
    struct beside *b = argument;

    if (!select_reads(&b->here, t, &b->lines[0]))
        return;
    uint64_t there = 0;

    /* An SMI's reads would be of this thread, too. */
    b->here.pair = &b->pair;
    for (unsigned k = 0; k < TRIES && b->here.got.most >= there / 2; k++) {
        there = b->made;
        if (!offcore_window(&b->here, wait_beside))
            return;
        there = b->made - there;
    }
    check(t, there >= BESIDE * LEAST && b->here.got.most <= there / 2,
          "data reads, any response: the other thread of this core counted %lu "
          "of its own, and IA32_PMC0-%u here up to %lu meanwhile; wanted %u or "
          "more, and no more than half",
          there, b->here.counters - 1, b->here.got.most, BESIDE * LEAST);
}

TEST(offcore_counts,
     .asks = "Are reads that leave the core counted as off-core responses, and "
             "no others?",
     .cite = "SDM 3B, \"Off-core Response Performance Monitoring\", \"Off-Core "
             "Response Event Encoding\", \"MSR_OFFCORE_RSP_x Snoop Info Field "
             "Definition\"",
     .scope = WHOLE_MACHINE,
     .needs = {.features = NEED_INTEL | NEED_PMU | NEED_OFFCORE, .counters = 1})
{
    /* In turn: they share the lines, and a core its path to the L3. */
    on_all_in_turn(t, check_processor);
    struct beside *b = test_buffer(t);
    *b = (struct beside){.made = 0};
    if (test_sibling(t) != test_processor(t) && hw_run_is_parallel())
        (void)pair_run_beside(t, &b->pair, test_sibling(t), count_beside,
                              read_there, b);
}
