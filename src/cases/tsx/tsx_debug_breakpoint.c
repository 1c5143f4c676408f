/* SPDX-License-Identifier: BSD-2-Clause */
/* A breakpoint hit inside a transaction aborts it and says so in EAX[4]. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"
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
#define DR7_LEN_8(n)       (UINT64_C(2) << (18 + 4 * (n)))
#define DR7_INSTRUCTION(n) (DR7_ONE | DR7_L(n))
#define DR7_DATA(n, what)  (DR7_ONE | DR7_L(n) | DR7_RW(n, what) | DR7_LEN_8(n))

struct breakpoint {
    const char *what;
    const uint8_t *body, *address; /* NULL: what the body stores to */
    uint64_t dr7;
    int vector;
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
    {"INT3", tsx_body_int3, NULL, DR7_ONE, HW_BP},
};

/* In a transaction, until an abort sets EAX[4]. */
static void try_inside(struct test_context *t, const struct breakpoint *point,
                       const struct tsx_block *block, uint64_t dr0)
{
    char text[RTM_STATUS_TEXT];
    struct rtm_tally probe;

    rtm_clear(&probe);
    for (unsigned i = 0; i < PROBE_TRIES && probe.matched == 0; i++)
        probe_watched(block, dr0, point->dr7, RTM_STATUS_BREAKPOINT, &probe);
    WITH_PREFIX (t, "%s", point->what)
        probe_check(t, &probe);
    check(t, probe.committed == 0,
          "%s inside a transaction: %u of %u committed; wanted 0", point->what,
          probe.committed, probe.tried);
    check(t, probe.matched != 0,
          "%s inside a transaction: none of %u aborts set EAX[4]; EAX = "
          "0x%08x (%s)",
          point->what, probe.aborted, probe.status,
          rtm_status_text(probe.status, text));
    note(t, "%s inside a transaction: EAX = 0x%08x (%s)", point->what,
         probe.status, rtm_status_text(probe.status, text));
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
        _Alignas(64) volatile uint64_t cell = 0; /* byte 0 of a line */
        struct tsx_block block = {.body = point->body,
                                  .argument = (uint64_t)(uintptr_t)&cell,
                                  .count = 1};
        uint64_t dr0 = point->address != NULL
                           ? (uint64_t)(uintptr_t)point->address
                           : block.argument;

        /* It is hit outside of transactions, or shows nothing inside. */
        int outside = tsx_watched(tsx_outside, &block, dr0, point->dr7);
        if (outside != point->vector) {
            broken(t, "%s outside a transaction: got %s, wanted %s",
                   point->what, fault_name(outside), fault_name(point->vector));
            continue;
        }

        /* Measured, and checked. */
        cell = 0;
        try_inside(t, point, &block, dr0);
        check(t, cell == 0,
              "%s: the store of an aborted transaction remained in memory",
              point->what);
    }
}
