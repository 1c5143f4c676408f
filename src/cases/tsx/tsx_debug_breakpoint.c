/* SPDX-License-Identifier: BSD-2-Clause */
/* A breakpoint hit inside a transaction aborts it and says so in EAX[4]: of an
 * instruction, or of any bytes of what is stored or loaded. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"
#include "src/tsx/state.h"
#include "src/tsx/status.h"

#define HW_DB 1
#define HW_BP 3

/* SDM 3B, "Debug Control Register (DR7)". RTM [11] is 0: no advanced debugging
 * of transactions, whatever IA32_DEBUGCTL says. */
#define DR7_ONE            UINT64_C(0x400) /* [10] is always 1 */
#define DR7_L(n)           (UINT64_C(1) << 2 * (n))
#define DR7_RW(n, what)    ((uint64_t)(what) << (16 + 4 * (n)))
#define WRITES             1 /* 0: instructions */
#define ACCESSES           3
#define DR7_LEN(n, len)    ((uint64_t)(len) << (18 + 4 * (n)))
#define LEN_8              2
#define DR7_INSTRUCTION(n) (DR7_ONE | DR7_L(n))
#define DR7_PIECE(n, what, len) \
    (DR7_ONE | DR7_L(n) | DR7_RW(n, what) | DR7_LEN(n, len))
#define DR7_DATA(n, what) DR7_PIECE(n, what, LEN_8)

#define XBEGIN_BYTES 6
#define PIECES       12 /* of a quadword, drawn */
#define ELIDED       8
#define STATE_TRIES  2
#define VALUE        UINT64_C(0xf1e2d3c4b5a69788)

struct breakpoint {
    const char *what;
    const uint8_t *body, *address; /* NULL: what the body stores to */
    uint64_t dr7;
    int vector; /* outside; TSX_RAN: it is not tried there */
};

static const struct breakpoint points[] = {
    {"data breakpoint", tsx_body_store, NULL, DR7_DATA(0, WRITES), HW_DB},
    {"data breakpoint of DR1", tsx_body_store, NULL, DR7_DATA(1, WRITES),
     HW_DB},
    {"data breakpoint of DR2", tsx_body_store, NULL, DR7_DATA(2, WRITES),
     HW_DB},
    {"data breakpoint of DR3", tsx_body_store, NULL, DR7_DATA(3, ACCESSES),
     HW_DB},
    {"data breakpoint on a load", tsx_body_load, NULL, DR7_DATA(0, ACCESSES),
     HW_DB},
    {"instruction breakpoint", tsx_body_store, tsx_body_store_fault,
     DR7_INSTRUCTION(0), HW_DB},
    {"instruction breakpoint of DR3", tsx_body_store, tsx_body_store_fault,
     DR7_INSTRUCTION(3), HW_DB},
    {"data breakpoint in an inner transaction", tsx_body_nest_store, NULL,
     DR7_DATA(2, WRITES), TSX_RAN},
    {"instruction breakpoint in an inner transaction", tsx_body_nest_store,
     tsx_body_nest_store_begin + XBEGIN_BYTES, DR7_INSTRUCTION(1), TSX_RAN},
    {"data breakpoint on a store of 1 byte", tsx_body_store_1, NULL,
     DR7_DATA(0, WRITES), TSX_RAN},
    {"data breakpoint on a store of 2 bytes", tsx_body_store_2, NULL,
     DR7_DATA(1, WRITES), TSX_RAN},
    {"data breakpoint on a store of 4 bytes", tsx_body_store_4, NULL,
     DR7_DATA(2, ACCESSES), TSX_RAN},
    {"data breakpoint on a store of 16 bytes", tsx_body_store_16, NULL,
     DR7_DATA(3, WRITES), TSX_RAN},
    {"INT3", tsx_body_int3, NULL, DR7_ONE, HW_BP},
};

/* In a transaction, until an abort sets EAX[4]. */
static void try_inside(struct test_context *t, const struct breakpoint *point,
                       const struct tsx_block *block, uint64_t dr0,
                       struct rtm_tally *probe)
{
    char text[RTM_STATUS_TEXT];

    rtm_clear(probe);
    for (unsigned i = 0; i < PROBE_TRIES && probe->matched == 0; i++)
        probe_watched(block, dr0, point->dr7, RTM_STATUS_BREAKPOINT, probe);
    WITH_PREFIX (t, "%s", point->what)
        probe_check(t, probe);
    check(t, probe->committed == 0,
          "%s inside a transaction: %u of %u committed; wanted 0", point->what,
          probe->committed, probe->tried);
    check(t, probe->matched != 0,
          "%s inside a transaction: none of %u aborts set EAX[4]; EAX = "
          "0x%08x (%s)",
          point->what, probe->aborted, probe->status,
          rtm_status_text(probe->status, text));
}

/* It is hit outside of transactions, or shows nothing inside. */
static bool is_hit_outside(struct test_context *t,
                           const struct breakpoint *point,
                           struct tsx_block *block, uint64_t dr0)
{
    if (point->vector == TSX_RAN)
        return true;

    const int outside = tsx_watched(tsx_outside, block, dr0, point->dr7);
    if (outside != point->vector)
        broken(t, "%s outside a transaction: got %s, wanted %s", point->what,
               fault_name(outside), fault_name(point->vector));
    return outside == point->vector;
}

/* Each LENn, at each place in the quadword, of each register: drawn. */
static void try_piece(struct test_context *t)
{
    static const uint8_t lengths[] = {0, 1, 3, LEN_8}; /* 1, 2, 4, 8 bytes */
    const unsigned which = (unsigned)(test_random(t) % 4), bytes = 1u << which;
    const unsigned at = (unsigned)(test_random(t) % (8 / bytes)) * bytes,
                   n = (unsigned)(test_random(t) % 4);
    const bool loads = test_random(t) % 2 != 0;
    _Alignas(64) volatile uint64_t cell = 0;
    char what[80];
    const struct breakpoint point = {
        .what = what,
        .body = loads ? tsx_body_load : tsx_body_store,
        .dr7 = DR7_PIECE(n, loads ? ACCESSES : WRITES, lengths[which]),
        .vector = HW_DB};
    struct tsx_block block = {.body = point.body,
                              .argument = (uint64_t)(uintptr_t)&cell,
                              .count = VALUE};
    struct rtm_tally probe;

    text_format(what, sizeof(what),
                "data breakpoint of DR%u, byte %u to %u of a %s of 8", n, at,
                at + bytes - 1, loads ? "load" : "store");
    if (!is_hit_outside(t, &point, &block, block.argument + at))
        return;
    cell = 0;
    try_inside(t, &point, &block, block.argument + at, &probe);
}

/* What such an abort restores: that of a load. */
static const struct state_row states[] = {
    {"general registers, status flags, XMM0 to XMM15 and MXCSR changed, then a "
     "load with a breakpoint",
     tsx_change_both, tsx_end_read, 0},
    {"DF changed, then a load with a breakpoint", tsx_change_direction,
     tsx_end_read, 0},
    {"the x87 changed, then a load with a breakpoint", tsx_change_x87,
     tsx_end_read, 0},
    {"memory changed, then a load with a breakpoint", tsx_change_memory,
     tsx_end_read, 0},
    {"YMM0 to YMM15 changed, then a load with a breakpoint", tsx_change_ymm,
     tsx_end_read, XCR0_AVX},
};

struct watched_state {
    struct tsx_block block; /* for tsx_watched() */
    struct test_context *t;
    const struct state_row *row;
    uint64_t components;
    unsigned commits;
};

static int run_state(struct tsx_block *block)
{
    struct watched_state *w = (struct watched_state *)(void *)block;

    w->commits = state_try(w->t, w->row, w->components, STATE_TRIES);
    return TSX_RAN;
}

static void try_state(struct test_context *t, const struct state_row *row)
{
    struct watched_state w = {
        .t = t, .row = row, .components = state_components(test_cpu(t))};

    if ((w.components & row->components) != row->components)
        return;
    (void)tsx_watched(run_state, &w.block,
                      (uint64_t)(uintptr_t)state_argument(t),
                      DR7_DATA(0, ACCESSES));
    check(t, w.commits == 0, "%s: %u of %u committed; wanted 0", row->what,
          w.commits, STATE_TRIES);
}

/* SDM 1, "Runtime Considerations": in an elided section it is suppressed, and
 * comes back where the section is executed without elision: with the lock
 * taken, and after the store. */
static void try_elided(struct test_context *t)
{
    _Alignas(64) volatile uint64_t cells[16] = {0}; /* lock, data: two lines */
    struct tsx_block block = {.body = tsx_body_elided,
                              .argument = (uint64_t)(uintptr_t)cells,
                              .count = VALUE};
    unsigned wrong = 0;
    int last = HW_DB;
    uint64_t lock = 0;

    for (unsigned i = 0; i < ELIDED; i++) {
        cells[0] = cells[8] = 0;
        const int vector =
            tsx_watched(tsx_outside, &block, (uint64_t)(uintptr_t)&cells[8],
                        DR7_DATA(0, WRITES));
        if (vector == HW_DB && cells[0] == 1 && cells[8] == VALUE)
            continue;
        wrong++;
        last = vector;
        lock = cells[0];
    }
    check(t, wrong == 0,
          "a data breakpoint on a store between XACQUIRE and XRELEASE: %u of "
          "%u tries ended with %s, the lock %lu; wanted #DB after the store, "
          "with the lock taken (1)",
          wrong, ELIDED, last == TSX_RAN ? "no exception" : fault_name(last),
          lock);
}

TEST(
    tsx_debug_breakpoint,
    .asks = "Does a breakpoint inside a transaction abort it, undelivered, and "
            "set EAX[4]?",
    .cite = "SDM 1, \"RTM-Enabled Debugger Support\", table \"RTM Abort Status "
            "Definition\"",
    .needs = {.features = NEED_INTEL | NEED_RTM})
{
    /* Set-up. */
    if (!probe_set_up(t))
        return;

    FOR_EACH_ROW (t, i, points) {
        const struct breakpoint *point = &points[i];
        /* Of a store of 16 bytes; from byte 0 of a line on. */
        _Alignas(64) volatile uint64_t cells[2] = {0};
        struct tsx_block block = {.body = point->body,
                                  .argument = (uint64_t)(uintptr_t)cells,
                                  .count = 1};
        uint64_t dr0 = point->address != NULL
                           ? (uint64_t)(uintptr_t)point->address
                           : block.argument;

        struct rtm_tally probe;
        char text[RTM_STATUS_TEXT];

        if (!is_hit_outside(t, point, &block, dr0))
            continue;

        /* Measured, and checked. */
        cells[0] = 0;
        try_inside(t, point, &block, dr0, &probe);
        if (point->vector != TSX_RAN)
            note(t, "%s inside a transaction: EAX = 0x%08x (%s)", point->what,
                 probe.status, rtm_status_text(probe.status, text));
        check(t, cells[0] == 0 && cells[1] == 0,
              "%s: the store of an aborted transaction remained in memory",
              point->what);
    }
    for (unsigned i = 0; i < PIECES; i++)
        try_piece(t);
    for (unsigned i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        try_state(t, &states[i]);
    if (test_cpu(t)->hle && hle_hints(t))
        try_elided(t);
}
