/* SPDX-License-Identifier: BSD-2-Clause */
/* How many lines a transaction can read. Lines read leave the first-level cache
 * without an abort, so the limit may be as large as the largest cache, which
 * others share: what they push out may show as a conflict. */
#include "src/harness/case.h"
#include "src/counting/counters.h"
#include "src/counting/selects.h"
#include "src/tsx/capacity.h"
#include "src/tsx/state.h"
#include "src/tsx/status.h"

#define UNIT 8 /* lines of one count of tsx_body_read_lines */

#define TRIES     4
#define TRIES_FEW 1 /* of what is one register more */

/* Such an abort is one like any other: registers, and the event. */
static const struct state_row rows[] = {
    {"general registers, status flags, XMM0 to XMM15 and MXCSR changed, then "
     "loads from too many lines",
     tsx_change_both, tsx_end_reads, 0},
    {"DF changed, then loads from too many lines", tsx_change_direction,
     tsx_end_reads, 0},
    {"the x87 changed, then loads from too many lines", tsx_change_x87,
     tsx_end_reads, 0},
    {"memory changed, then loads from too many lines", tsx_change_memory,
     tsx_end_reads, 0},
    {"YMM0 to YMM15 changed, then loads from too many lines", tsx_change_ymm,
     tsx_end_reads, XCR0_AVX},
};

static void check_registers(struct test_context *t, const struct capacity *c)
{
    const uint64_t components = state_components(test_cpu(t));

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if ((components & rows[i].components) == rows[i].components)
            state_try_reads(t, &rows[i], components, i == 0 ? TRIES : TRIES_FEW,
                            test_source(t), (uint64_t)c->bad * c->unit);
}

struct work {
    const struct capacity *c;
    const uint8_t *body;
    struct rtm_tally tally; /* matched: EAX[3] is set */
};

static void run_tries(void *argument)
{
    struct work *w = argument;
    const struct tsx_block block = {
        .body = w->body, .argument = w->c->argument, .count = w->c->bad};

    probe_run(&block, TRIES, RTM_STATUS_CAPACITY, false, &w->tally);
}

/* "ABORTED_MEM: due to various memory events (e.g. read/write capacity and
 * conflicts)". */
static void check_event(struct test_context *t, const struct capacity *c,
                        const uint8_t *body)
{
    struct selects s = {.select = {EVENT_RTM_RETIRED | UMASK_ABORTED_MEM,
                                   EVENT_RTM_RETIRED | UMASK_ABORTED,
                                   EVENT_RTM_RETIRED | UMASK_COMMIT}};
    struct work w = {.c = c, .body = body};

    if (test_cpu(t)->perfmon_version < 2 || test_cpu(t)->counters < SELECTS ||
        !counters_claim(t) || !selects_count(t, &s, run_tries, &w))
        return;
    check(t, 2 * s.got[0] >= w.tally.matched && s.got[1] == w.tally.aborted,
          "%u aborts, %u of them with EAX[3] (capacity): RTM_RETIRED (C9H) "
          ".ABORTED_MEM (08H) %lu, .ABORTED (04H) %lu; wanted most of the "
          "latter, and %u",
          w.tally.aborted, w.tally.matched, s.got[0], s.got[1],
          w.tally.aborted);
    check_known(t, s.got[2] == w.tally.committed, ERRATUM_PMC2_OVER_ABORTS,
                s.got[2] > TRIES,
                "the same, RTM_RETIRED (C9H) .COMMIT (02H) %lu; wanted %u",
                s.got[2], w.tally.committed);
}

TEST(tsx_read_capacity,
     .asks = "How many lines can a transaction read, and does too many set "
             "EAX[3]?",
     .cite = "SDM 1, table \"RTM Abort Status Definition\" and \"Transactional "
             "Aborts\"; SDM 3B, table \"Intel TSX Performance Events\"",
     .scope = THREADS_IN_TURN, .needs = {.features = NEED_INTEL | NEED_RTM})
{
    struct capacity c = {.what = "loads from",
                         .body = tsx_body_read_lines,
                         .argument = (uint64_t)(uintptr_t)test_source(t),
                         .unit = UNIT,
                         .units_max = TEST_SOURCE_BYTES / (64 * UNIT),
                         .fraction = 8};

    if (!probe_set_up(t))
        return;
    capacity_find(t, &c);
    capacity_judge(t, &c, true);
    capacity_check_inner(t, &c, tsx_body_nest_read_lines, true);
    if (c.bad == 0)
        return;
    check_registers(t, &c);
    check_event(t, &c, c.body);
    WITH_PREFIX (t, "in an inner transaction")
        check_event(t, &c, tsx_body_nest_read_lines);
}
