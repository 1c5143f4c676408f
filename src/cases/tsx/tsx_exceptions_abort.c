/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception inside a transaction aborts it and is not delivered. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define HW_DE 0
#define HW_PF 14

/* Bits 63:47 differ: not canonical, with any number of paging levels. */
#define NOT_CANONICAL UINT64_C(0x8000000000000000)
/* The last page of the lower half: no firmware maps it. */
#define NOT_MAPPED UINT64_C(0x00007ffffffff000)

static const struct {
    const char *what;
    const uint8_t *body;
    uint64_t argument;
    int vector;
} rows[] = {
    {"UD2", tsx_body_ud2, 0, HW_UD},
    {"division by zero", tsx_body_divide, 0, HW_DE},
    {"load from a non-canonical address", tsx_body_load, NOT_CANONICAL, HW_GP},
    {"load from an unmapped address", tsx_body_load, NOT_MAPPED, HW_PF},
};

TEST(tsx_exceptions_abort,
     .asks = "Does an exception inside a transaction abort it, undelivered?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Runtime Considerations\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    char text[RTM_STATUS_TEXT];

    /* Set-up. */
    if (!probe_set_up(t))
        return;

    FOR_EACH_ROW (t, i, rows) {
        struct tsx_block block = {.body = rows[i].body,
                                  .argument = rows[i].argument};
        struct rtm_tally probe;
        int outside = tsx_outside(&block);

        /* It is delivered outside of transactions, or shows nothing inside. */
        if (outside != rows[i].vector) {
            broken(t, "%s outside a transaction: got %s, wanted %s",
                   rows[i].what, fault_name(outside),
                   fault_name(rows[i].vector));
            continue;
        }

        /* Measured. */
        rtm_clear(&probe);
        for (unsigned n = 0; n < probe_row_tries(t); n++) {
            hw_poll();
            probe_once(&block, 0, &probe);
        }

        /* Check. */
        probe_check(t, rows[i].what, &probe);
        check(t, probe.committed == 0,
              "%s inside a transaction: %u of %u committed; wanted 0",
              rows[i].what, probe.committed, probe.tried);
        note(t, "%s: %s outside, %u of %u aborts inside; EAX = 0x%08x (%s)",
             rows[i].what, fault_name(outside), probe.aborted, probe.tried,
             probe.status, rtm_status_text(probe.status, text));
    }
}
