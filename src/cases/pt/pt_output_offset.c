/* SPDX-License-Identifier: BSD-2-Clause */
/* An OutputOffset past the end of the output, a mask with a hole, a base that
 * the mask overlaps: an operational error, not a fault, and nothing is written.
 * One within a ToPA region is none, of whatever Size and entry that is. */
#include "src/base/msr.h"
#include "src/trace/window.h"

#define PAGE_BYTES 4096u
#define RANGE_BIT  7  /* the first above a range of 128 bytes */
#define PAGE_BIT   12 /* the first above a page */
#define MASK_BITS  32 /* of MaskOrTableOffset */
#define TURNS      20
/* Beyond a page, and less than two. */
#define TABLE_BYTES (PAGE_BYTES / 2 * 3)
#define SIZE_MOST   8                    /* of a region: 1 MB */
#define PAGE_LAST   (PAGE_BYTES / 8 - 1) /* the last entry of a table's page */
#define SIZE_END    (UINT64_C(15) << 6)  /* of an END entry */

_Static_assert(TURNS *WINDOW_TURN_BYTES_MAX < PAGE_BYTES / 2, "one page's end");

/* A hole in each place of the mask, an overlap with each bit of it: one of 4
 * GB, in which the memory is where OutputOffset says. With a hole where that
 * is 1 it would be elsewhere: one below a page then, where it is 0. So it would
 * be with an overlap where that is 0, for a processor that takes both. */
static void check_masks(struct trace *p)
{
    const uint64_t control = output_control(test_cpu(p->t), false),
                   memory = trace_at(p->memory), low = memory & BITS(31, 0),
                   all = output_range_pointers(0, (uint32_t)low);
    char what[64];

    for (unsigned bit = RANGE_BIT; bit < MASK_BITS; bit++) {
        if (bit < MASK_BITS - 1) {
            const unsigned hole =
                (low >> bit & 1) == 0
                    ? bit
                    : RANGE_BIT + bit % (PAGE_BIT - RANGE_BIT);
            text_format(what, sizeof(what), "single range, mask without bit %u",
                        hole);
            trace_check_refused(p, what, control, memory - low,
                                all & ~BIT(hole));
        }
        const unsigned overlap = BIT(bit) < TRACE_BYTES || (low >> bit & 1) != 0
                                     ? bit
                                     : RANGE_BIT + bit % (PAGE_BIT - RANGE_BIT);
        text_format(what, sizeof(what),
                    "single range of 4 GB, base with bit "
                    "%u",
                    overlap);
        trace_check_refused(p, what, control, memory - low + BIT(overlap), all);
    }
}

static void check_range(struct trace *p)
{
    const uint64_t control = output_control(test_cpu(p->t), false),
                   memory = trace_at(p->memory),
                   page = output_range_pointers(PAGE_BYTES, 0);

    trace_check_refused(p, "single range, offset greater than the mask",
                        control, memory,
                        output_range_pointers(PAGE_BYTES, PAGE_BYTES));
    trace_check_refused(p, "single range, offset of 2 GB", control, memory,
                        output_range_pointers(PAGE_BYTES, UINT32_C(1) << 31));
    trace_check_refused(p, "single range, mask without bit 8", control, memory,
                        page & ~BIT(8));
    trace_check_refused(p, "single range, mask without bit 7", control, memory,
                        page & ~BIT(7));
    trace_check_refused(p, "single range of 4 KB, base at 2 KB", control,
                        memory + PAGE_BYTES / 2, page);
    trace_check_refused(p, "single range of 4 KB, base at 128 bytes", control,
                        memory + 128, page);
    if (output_range_is_reliable(test_cpu(p->t), BIT(32)))
        check_masks(p);
}

static void check_topa(struct trace *p)
{
    const uint64_t control = output_control(test_cpu(p->t), true),
                   memory = trace_at(p->memory), table = trace_at(p->table);

    output_topa_table(p->table, table, memory, 1, 0, 0);
    trace_check_refused(p, "ToPA, offset of the region's size", control, table,
                        output_topa_pointers(0, PAGE_BYTES));
    trace_check_refused(p, "ToPA, offset of 2 GB", control, table,
                        output_topa_pointers(0, UINT32_C(1) << 31));
    if ((test_cpu(p->t)->leaf14_ecx & LEAF14_TOPA_MANY) != 0) {
        output_topa_table(p->table, table, memory, 2, 0, 0);
        trace_check_refused(p, "ToPA, offset of the second region's size",
                            control, table,
                            output_topa_pointers(1, PAGE_BYTES));
    }
    /* The same entries so many bytes on, so that nothing else is wrong. */
    for (unsigned at = 128; at < PAGE_BYTES; at *= 2)
        WITH_PREFIX (p->t, "%u bytes into a page", at) {
            output_topa_table(p->table + at / 8, table + at, memory, 1, 0, 0);
            trace_check_refused(p, "ToPA table", control, table + at,
                                output_topa_pointers(0, 0));
        }
}

/* A trace of some turns, and where it is to be. */
static void check_place(struct trace *p, const char *what,
                        const struct parts *parts)
{
    struct window w;
    struct path_seen seen;

    window_set_loop(&w, p->t, TURNS);
    window_check_parts(p, what, &w, parts, &seen);
}

/* Regions, or ranges, that begin before this memory, as their Size has it, and
 * are used from there on: the rest of them is not ours and not reached. */
static void check_sizes(struct trace *p, bool topa)
{
    const struct identity *id = test_cpu(p->t);
    const uint64_t memory = trace_at(p->memory), table = trace_at(p->table),
                   start = memory + PAGE_BYTES;
    char what[64];

    for (unsigned size = 0; size <= SIZE_MOST; size++) {
        const uint32_t bytes = PAGE_BYTES << size;
        const uint64_t base = start & ~((uint64_t)bytes - 1);
        const uint32_t offset = (uint32_t)(start - base);
        const struct parts parts = {
            .control = output_control(id, topa),
            .count = 1,
            .part = {{topa ? table : base,
                      (uint32_t)(topa ? output_topa_pointers(0, 0)
                                      : output_range_pointers(bytes, 0)),
                      (uint32_t)(base - memory), offset, offset + PAGE_BYTES}}};

        if (!topa && !output_range_is_reliable(id, bytes))
            return;
        text_format(what, sizeof(what), "%s of %u KB, from %u on",
                    topa ? "ToPA region" : "single range", bytes >> 10, offset);
        output_topa_table(p->table, table, base, 1, size, 0);
        check_place(p, what, &parts);
    }
}

/* "This field is ignored if END = 1": Size, where END leads back. */
static void check_end_size(struct trace *p)
{
    const uint64_t table = trace_at(p->table);
    const uint32_t low = (uint32_t)output_topa_pointers(0, 0),
                   first = PAGE_BYTES - 100;
    const struct parts parts = {.control = output_control(test_cpu(p->t), true),
                                .count = 2,
                                .part = {{table, low, 0, first, PAGE_BYTES},
                                         {table, low, 0, 0, first}}};

    output_topa_table(p->table, table, trace_at(p->memory), 1, 0, 0);
    p->table[1] |= SIZE_END;
    check_place(p, "ToPA, END with Size = 15", &parts);
}

/* A table of more than a page: from its 512th entry to the next. Those before
 * are not reached. */
static void check_pages(struct trace *p)
{
    const uint64_t table = trace_at(p->table), memory = trace_at(p->memory);
    const uint32_t first = PAGE_BYTES - 100;
    const struct parts parts = {
        .control = output_control(test_cpu(p->t), true),
        .count = 2,
        .part = {{table, (uint32_t)output_topa_pointers(PAGE_LAST, 0),
                  2 * PAGE_BYTES, first, PAGE_BYTES},
                 {table, (uint32_t)output_topa_pointers(PAGE_LAST + 1, 0),
                  PAGE_BYTES, 0, first}}};

    output_topa_table(p->table, table, memory, 1, 0, 0);
    p->table[PAGE_LAST] = output_topa_entry(memory + 2 * PAGE_BYTES, 0, 0);
    p->table[PAGE_LAST + 1] = output_topa_entry(memory + PAGE_BYTES, 0, 0);
    p->table[PAGE_LAST + 2] = output_topa_entry(table, 0, TOPA_END);
    check_place(p, "ToPA, from entry 511 on", &parts);
}

/* Two tables of a region, each of which leads to the other: there and back. */
static void check_tables(struct trace *p)
{
    uint64_t *const second = p->table + PAGE_BYTES / sizeof(*p->table);
    const uint64_t tables[] = {trace_at(p->table), trace_at(second)},
                   memory = trace_at(p->memory);
    const uint32_t low = (uint32_t)output_topa_pointers(0, 0),
                   first = PAGE_BYTES - 100;
    const struct parts parts = {
        .control = output_control(test_cpu(p->t), true),
        .count = 3,
        .part = {{tables[0], low, 0, first, PAGE_BYTES},
                 {tables[1], low, 2 * PAGE_BYTES, 0, PAGE_BYTES},
                 {tables[0], low, 0, 0, first}}};
    struct window w;
    struct path_seen seen;

    window_set_loop(&w, p->t, TURNS);
    if (!window_check(p, "turns of a loop", &w, &seen))
        return;
    const unsigned turns = TURNS * TABLE_BYTES / (unsigned)trace_bytes(p);
    output_topa_table(p->table, tables[1], memory, 1, 0, 0);
    output_topa_table(second, tables[0], memory + 2 * PAGE_BYTES, 1, 0, 0);
    window_set_loop(&w, p->t, turns);
    window_check_parts(p, "ToPA, from table to table and back", &w, &parts,
                       &seen);
}

TEST(pt_output_offset,
     .asks =
         "Are offsets past the output, and masks and bases that do not fit, "
         "operational errors, and no others?",
     .cite = "SDM 3C, Intel Processor Trace, \"Single-Range Output Errors\", "
             "tables \"IA32_RTIT_OUTPUT_MASK_PTRS MSR\", \"IA32_RTIT_STATUS "
             "MSR\", \"ToPA Table Entry Fields\"; \"ToPA Errors\"",
     .needs = {.features = NEED_INTEL | NEED_PT})
{
    const struct identity *id = test_cpu(t);
    struct trace p;

    /* Set-up. */
    if (!trace_claim(&p, t))
        return;

    /* Measured and checked. */
    if ((id->leaf14_ecx & LEAF14_RANGE) != 0)
        check_range(&p);
    if ((id->leaf14_ecx & LEAF14_RANGE) != 0)
        check_sizes(&p, false);
    if ((id->leaf14_ecx & LEAF14_TOPA) != 0)
        check_topa(&p);
    if ((id->leaf14_ecx & LEAF14_TOPA) != 0) {
        check_sizes(&p, true);
        check_end_size(&p);
    }
    if ((id->leaf14_ecx & LEAF14_TOPA_MANY) != 0) {
        check_pages(&p);
        check_tables(&p);
    }
}
