/* SPDX-License-Identifier: BSD-2-Clause */
/* Each cause of an abort that one processor can make: the bits of EAX that name
 * it are set, those that name another are not. */
#include "src/harness/case.h"
#include "src/tsx/causes.h"
#include "src/tsx/status.h"

#define NOT_CANONICAL (UINT64_C(1) << 63)
#define LINES         (TEST_BUFFER_BYTES / 64)
#define TRIES         32 /* for one of many stores to abort for that reason */

struct row {
    const char *what;
    const uint8_t *body;
    uint64_t argument; /* 0: test_buffer() */
    uint64_t count;
    uint32_t must, may;
};

static const struct row rows[] = {
    {"XABORT 5AH", tsx_bodies_xabort + 0x5a * TSX_XABORT_BYTES, 0, 0,
     RTM_STATUS_XABORT, 0},
    {"XABORT A5H", tsx_bodies_xabort + 0xa5 * TSX_XABORT_BYTES, 0, 0,
     RTM_STATUS_XABORT, 0},
    {"XABORT 5AH in an inner transaction", tsx_body_nest_xabort, 0, 0,
     RTM_STATUS_XABORT | RTM_STATUS_NESTED, 0},
    {"CPUID", tsx_body_cpuid, 0, 0, 0, 0},
    {"PAUSE", tsx_body_pause, 0, 0, 0, 0},
    {"UD2", tsx_body_ud2, 0, 0, 0, 0},
    {"a division by zero", tsx_body_divide, 0, 0, 0, 0},
    {"a load from a non-canonical address", tsx_body_load, NOT_CANONICAL, 0, 0,
     0},
    {"INT3", tsx_body_int3, 0, 0, RTM_STATUS_BREAKPOINT, 0},
    {"stores to 1024 lines", tsx_body_write_lines, 0, LINES,
     RTM_STATUS_CAPACITY, RTM_STATUS_CONFLICT},
};

static struct tsx_block block_of(struct test_context *t, const struct row *row)
{
    return (struct tsx_block){
        .body = row->body,
        .argument = row->argument != 0 ? row->argument
                                       : (uint64_t)(uintptr_t)test_buffer(t),
        .count = row->count};
}

/* Have all of its transactions aborted? */
static bool try_row(struct test_context *t, const struct row *row)
{
    const struct tsx_block block = block_of(t, row);
    struct rtm_tally probe;
    char text[RTM_STATUS_TEXT];

    rtm_clear(&probe);
    if (row->count == 0)
        probe_run(&block, probe_row_tries(t), row->must, false, &probe);
    /* Until EAX names it: a working set so large takes its time, and of few
     * tries each may have met something else. */
    if (row->count != 0 || (probe.ever & row->must) != row->must)
        probe_run(&block, TRIES, row->must, true, &probe);
    probe_check(t, &probe);
    probe_check_status(t, row->must, row->may, &probe);
    note(t, "%u of %u aborted; EAX = 0x%08x (%s)", probe.aborted, probe.tried,
         probe.status, rtm_status_text(probe.status, text));
    return probe.aborted == probe.tried;
}

/* A row where `jump` leads there, with these bits of EAX more. What has
 * another cause may come before. */
static void try_after(struct test_context *t, const struct row *row,
                      const uint8_t *jump, uint32_t more, uint32_t may)
{
    const uint32_t must = row->must | more;
    struct tsx_block block = block_of(t, row);
    struct rtm_tally probe;

    block.body = jump;
    block.count = (uint64_t)(uintptr_t)row->body;
    rtm_clear(&probe);
    probe_run(&block, TRIES, must, true, &probe);
    probe_check(t, &probe);
    probe_check_status(t, must, row->may | may, &probe);
}

/* A level further in, and after what was one. */
static void try_inner(struct test_context *t, const struct row *row)
{
    WITH_PREFIX (t, "%s, a level further in", row->what)
        try_after(t, row, tsx_body_nest_jump, RTM_STATUS_NESTED, 0);
    WITH_PREFIX (t, "%s, after an inner transaction", row->what)
        try_after(t, row, tsx_body_ended_jump, 0, RTM_STATUS_NESTED);
}

TEST(tsx_abort_status,
     .asks = "Does EAX name the cause of each abort, and no other?",
     .cite = "SDM 1, table \"RTM Abort Status Definition\" and \"RTM-Enabled "
             "Debugger Support\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    if (!probe_set_up(t))
        return;
    /* Where it aborts, which it may, for none of the reasons of EAX. */
    const struct row memory_type = {"a load of uncacheable memory",
                                    tsx_body_load,
                                    cause_uncacheable(t),
                                    0,
                                    0,
                                    0};

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        WITH_PREFIX (t, "%s", rows[i].what)
            try_row(t, &rows[i]);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].count == 0)
            try_inner(t, &rows[i]);
    bool aborts = false;
    if (memory_type.argument != 0)
        WITH_PREFIX (t, "%s", memory_type.what)
            aborts = try_row(t, &memory_type);
    if (aborts)
        try_inner(t, &memory_type);
}
