/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and stores that CLFLUSH forces out of the core are off-core requests,
 * each of its own kind, cached ones are not; only what is selected is counted,
 * each response under one supplier and one snoop. */
#include "src/harness/case.h"
#include "asm/line_access.h"
#include "src/base/msr.h"
#include "src/memory/lines.h"
#include "src/uncore/offcore_beside.h"
#include "src/uncore/offcore_window.h"

/* Of what is not to be counted an eighth may be there, of whatever else the
 * core reads. */
#define STRAY (LINES / 8)
#define TRIES 3 /* where too much is counted: noise only adds */

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

/* LINES misses, then as many hits, with MSR_OFFCORE_RSP_n as it is. Requests
 * for ownership and code reads may be counted too often. */
static void check_counts(struct offcore *o, const char *what,
                         struct offcore_bounds misses,
                         struct offcore_bounds out[2])
{
    const bool more = (msr_value(o->t, MSR_OFFCORE_RSP(o->n)) &
                       (OFFCORE_DMND_RFO | OFFCORE_DMND_IFETCH)) != 0;
    const struct offcore_bounds want[2] = {misses, {0, STRAY}};

    for (unsigned i = 0; i < TRIES; i++) {
        /* Measured. */
        if (!offcore_window(o, offcore_read_misses))
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
                (value & OFFCORE_DMND_RFO) != 0 && o->got.least >= want.least,
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
    uint64_t sum = 0, value = OFFCORE_DMND_DATA_RD | with;

    for (unsigned bit = 0; bit < 64; bit++) {
        if ((parts >> bit & 1) == 0)
            continue;
        const bool none = (BIT(bit) & NOT_OF_DRAM) != 0;
        if (!offcore_write(o->t, o->table, o->n, value | BIT(bit)))
            return;
        for (unsigned i = 0; i == 0 || (none && i < TRIES); i++) {
            if (!offcore_window(o, offcore_read_misses))
                return;
            if (o->got.most <= STRAY)
                break;
        }
        sum += o->got.most;
        if (none)
            check(o->t, o->got.most <= STRAY,
                  "MSR_OFFCORE_RSP_%u (%XH) = 0x%lx, snoop [%u] alone: counted "
                  "%lu of %u reads of DRAM; wanted at most %u",
                  o->n, MSR_OFFCORE_RSP(o->n), value | BIT(bit), bit,
                  o->got.most, LINES, STRAY);
    }
    check(o->t, sum >= OFFCORE_LEAST && sum <= 2 * LINES,
          "MSR_OFFCORE_RSP_%u (%XH), data reads, each %s alone: %lu of %u "
          "reads flushed out in sum; wanted %u to %u, as a response has one",
          o->n, MSR_OFFCORE_RSP(o->n), what, sum, LINES, OFFCORE_LEAST,
          2 * LINES);
}

/* Half as many again would be explained by nothing else. */
static void check_splits(struct offcore *o)
{
    if (offcore_write(o->t, o->table, o->n,
                      OFFCORE_DMND_DATA_RD | OFFCORE_ANY) &&
        offcore_window(o, read_splits))
        check(o->t, o->got.least >= LINES + LINES / 2,
              "MSR_OFFCORE_RSP_%u (%XH), data reads, any response: "
              "IA32_PMC0-%u counted %lu to %lu of some %u reads of two lines, "
              "flushed out; wanted %u at least",
              o->n, MSR_OFFCORE_RSP(o->n), o->counters - 1, o->got.least,
              o->got.most, LINES, LINES + LINES / 2);
}

/* These reads are of ring 0. */
static void check_user(struct offcore *o)
{
    struct offcore_bounds out[2];

    if (offcore_program(o, false, IA32_PERFEVTSEL_USR))
        check_value(o, "OS = 0: data reads, any response, at ring 0",
                    OFFCORE_DMND_DATA_RD | OFFCORE_ANY,
                    (struct offcore_bounds){0, STRAY}, out);
}

/* What DRAM supplies, with each snoop: reads and reads for ownership. */
static void check_memory(struct offcore *o, uint64_t response)
{
    const struct offcore_bounds made = {OFFCORE_LEAST, OFFCORE_MOST},
                                none = {0, STRAY};
    struct offcore_bounds out[2];

    check_value(o, "data reads, suppliers beyond the L3",
                OFFCORE_DMND_DATA_RD | response, made, out);
    check_stores(o, "reads for ownership, suppliers beyond the L3",
                 memory_store_flush, OFFCORE_DMND_RFO | response, made);
    check_stores(o, "reads for ownership, found in the L3", memory_store_flush,
                 OFFCORE_DMND_RFO | o->table->l3_hit | o->table->snoop, none);
}

/* Requests that a read is none of. A prefetch may be one of the others. */
static void check_others(struct offcore *o)
{
    const uint64_t others = o->table->request & o->table->not_read;
    struct offcore_bounds out[2];

    for (unsigned bit = 0; bit < 16; bit++)
        if ((others >> bit & 1) != 0)
            check_value(o, "a request that is no read, any response",
                        BIT(bit) | OFFCORE_ANY,
                        (struct offcore_bounds){0, STRAY}, out);
}

/* any: what was counted with any response. */
static void check_msr(struct offcore *o, struct offcore_bounds any[2])
{
    const struct offcore_table *table = o->table;
    const struct offcore_bounds made = {OFFCORE_LEAST, OFFCORE_MOST},
                                none = {0, STRAY};
    const uint64_t beyond =
        table->supplier & ~(table->l3_hit | OFFCORE_NO_SUPP);
    struct offcore_bounds out[2];

    check_value(o, "data reads, any response",
                OFFCORE_DMND_DATA_RD | OFFCORE_ANY, made, any);
    check_value(o, "data reads, found in the L3",
                OFFCORE_DMND_DATA_RD | table->l3_hit | table->snoop, none, out);
    if (table->memory != 0)
        check_value(o, "data reads, every supplier and snoop",
                    OFFCORE_DMND_DATA_RD | table->supplier | table->snoop, made,
                    out);
    /* "If ANY bit is set, the supplier and snoop info bits are ignored." */
    check_value(o, "data reads or reads for ownership, any response",
                OFFCORE_DMND_DATA_RD | OFFCORE_DMND_RFO | OFFCORE_ANY |
                    table->supplier,
                made, out);
    check_value(o, "data reads, any response, suppliers of the L3",
                OFFCORE_DMND_DATA_RD | OFFCORE_ANY | table->l3_hit, made, out);
    check_value(o, "data reads, any response, NON_DRAM [37]",
                OFFCORE_DMND_DATA_RD | OFFCORE_ANY | OFFCORE_NON_DRAM, made,
                out);
    check_value(o, "reads for ownership, any response",
                OFFCORE_DMND_RFO | OFFCORE_ANY, none, out);
    check_value(o, "code reads, any response",
                OFFCORE_DMND_IFETCH | OFFCORE_ANY, none, out);
    check_stores(o, "reads for ownership", memory_store_flush,
                 OFFCORE_DMND_RFO | OFFCORE_ANY, made);
    check_stores(o, "reads for ownership, of locked additions",
                 memory_locked_flush, OFFCORE_DMND_RFO | OFFCORE_ANY, made);
    check_stores(o, "data reads", memory_store_flush,
                 OFFCORE_DMND_DATA_RD | OFFCORE_ANY, none);
    /* "It is permissible and useful to set multiple request .. bits." */
    check_stores(o, "data reads or reads for ownership", memory_store_flush,
                 OFFCORE_DMND_DATA_RD | OFFCORE_DMND_RFO | OFFCORE_ANY, made);
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
                  OFFCORE_DMND_DATA_RD | table->supplier);
    check_nothing(o, "data reads, snoops without a supplier",
                  OFFCORE_DMND_DATA_RD | table->snoop);
    check_nothing(o, "data reads, no response", OFFCORE_DMND_DATA_RD);
    check_nothing(o, "no request, any response", OFFCORE_ANY);
    check_nothing(o, "neither request nor response", 0);
}

/* What the other register has selected. */
static void check_apart(struct offcore *o)
{
    const uint64_t reads = OFFCORE_DMND_DATA_RD | OFFCORE_ANY;
    struct offcore_bounds out[2];

    if (!offcore_write(o->t, o->table, 1 - o->n, reads))
        return;
    check_value(o, "reads for ownership, any response, the other data reads",
                OFFCORE_DMND_RFO | OFFCORE_ANY,
                (struct offcore_bounds){0, STRAY}, out);
    check_nothing(o, "no request, any response, the other data reads",
                  OFFCORE_ANY);
    check_nothing(o, "data reads, no response, the other any",
                  OFFCORE_DMND_DATA_RD);
    set_msr(o->t, MSR_OFFCORE_RSP(1 - o->n), 0);
}

/* Both events and both registers in one window. */
static void check_both(struct offcore *o)
{
    const struct offcore_bounds made = {OFFCORE_LEAST, OFFCORE_MOST};
    struct offcore_bounds out[2];

    o->n = 0;
    if (offcore_program(o, true, OFFCORE_LEVELS) &&
        offcore_write(o->t, o->table, 1, OFFCORE_DMND_DATA_RD | OFFCORE_ANY))
        check_value(o, "data reads, any response, with 1A7H on every second",
                    OFFCORE_DMND_DATA_RD | OFFCORE_ANY, made, out);
}

static void check_processor(struct test_context *peer, void *argument)
{
    struct offcore_bounds any[2][2] = {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}};
    struct lines lines;
    struct offcore o;

    (void)argument;
    /* Set-up; one window to warm up: page walks and the stack, once. */
    if (!offcore_prepare(&o, peer, &lines) ||
        !offcore_window(&o, offcore_read_misses))
        return;

    for (o.n = 0; o.n < 2 && offcore_program(&o, false, OFFCORE_LEVELS);
         o.n++) {
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
    offcore_check_beside(t);
}
