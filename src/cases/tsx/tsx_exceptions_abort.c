/* SPDX-License-Identifier: BSD-2-Clause */
/* An exception inside a transaction aborts it and is not delivered: nothing is
 * left of it, not in EAX, not in CR2, not on the stack. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/harness/mapping.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define EACH  3  /* aborts, at least */
#define MOST  64 /* tries, where each second is aborted before its cause */
#define HW_DE 0
#define HW_NM 7
#define HW_PF 14
#define HW_MF 16

/* Bits 63:47 differ: not canonical, with any number of paging levels. */
#define NOT_CANONICAL UINT64_C(0x8000000000000000)
#define CR2_PLANTED   UINT64_C(0x0000123456789abc)

/* What may watch this processor (a debugger, an emulator) may take it. */
#define NOT_OUTSIDE (HW_NO_FAULT - 1)

static const struct row {
    const char *what;
    const uint8_t *body;
    uint64_t argument; /* 0: an address that is not mapped */
    int vector;        /* outside of transactions */
    uint32_t may;      /* bits of EAX */
    uint64_t cr0;      /* bits that are set meanwhile */
} rows[] = {
    {"UD2", tsx_body_ud2, 1, HW_UD, 0, 0},
    {"division by zero", tsx_body_divide, 1, HW_DE, 0, 0},
    {"load from a non-canonical address", tsx_body_load, NOT_CANONICAL, HW_GP,
     0, 0},
    {"load from an unmapped address", tsx_body_load, 0, HW_PF, 0, 0},
    {"store to an unmapped address", tsx_body_store, 0, HW_PF, 0, 0},
    {"INT1", tsx_body_int1, 1, NOT_OUTSIDE, RTM_STATUS_BREAKPOINT, 0},
    {"MOVAPS with CR0.TS = 1", tsx_body_sse, 1, HW_NM, 0, TSX_CR0_TS},
    {"an x87 division by zero, not masked", tsx_body_x87, 1, HW_MF, 0,
     TSX_CR0_NE},
};

/* what: of the row, or in an inner transaction, of which EAX[5] tells. */
static void try_inside(struct test_context *t, const struct row *row,
                       const char *what, const struct tsx_block *block,
                       int outside)
{
    const uint32_t nested = what != row->what ? RTM_STATUS_NESTED : 0;
    char text[RTM_STATUS_TEXT];
    struct rtm_tally probe;
    uint64_t cr2 = CR2_PLANTED;
    unsigned changed = 0, below = 0;

    /* Measured. */
    rtm_clear(&probe);
    for (unsigned n = 0;
         n < probe_row_tries(t) || ((nested & ~probe.ever) != 0 && n < MOST);
         n++) {
        hw_poll();
        tsx_cr2_set(CR2_PLANTED);
        below += probe_below(block, row->cr0, &probe) != 0;
        uint64_t after = tsx_cr2_get();
        changed += after != CR2_PLANTED;
        if (after != CR2_PLANTED)
            cr2 = after;
    }

    /* Check. */
    WITH_PREFIX (t, "%s", what) {
        probe_check(t, &probe);
        probe_check_status(t, nested, row->may, &probe);
    }
    WITH_PREFIX (t, "%s inside a transaction", what) {
        check(t, probe.committed == 0, "%u of %u committed; wanted 0",
              probe.committed, probe.tried);
        check(t, changed == 0,
              "CR2 changed to 0x%lx, %u of %u; wanted as if the exception had "
              "not occurred",
              cr2, changed, probe.tried);
    }
    /* An interrupt may push there, after the abort. */
    check(t, below < probe.aborted || below < EACH,
          "%s inside a transaction: memory below RSP changed, in each of %u "
          "aborts; wanted as if the exception had not occurred",
          what, below);
    if (nested == 0 && row->vector != NOT_OUTSIDE && row->cr0 == 0)
        note(t, "%s: %s outside, %u of %u aborts inside; EAX = 0x%08x (%s)",
             row->what, fault_name(outside), probe.aborted, probe.tried,
             probe.status, rtm_status_text(probe.status, text));
}

TEST(tsx_exceptions_abort,
     .asks =
         "Does an exception inside a transaction abort it, undelivered, and "
         "leave no trace?",
     .cite = "SDM 1, \"Programming with Intel Transactional Synchronization "
             "Extensions\", \"Runtime Considerations\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    /* Set-up. */
    if (!probe_set_up(t))
        return;
    /* By the paging structures: an address that is tried may be a device's. */
    uint64_t unmapped = mapping_find_absent();
    char what[80];

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct row *row = &rows[i];
        struct tsx_block block = {.body = row->body,
                                  .argument = row->argument != 0 ? row->argument
                                                                 : unmapped};

        if (block.argument == 0) {
            note(t, "%s: not tested: needs an address that is not mapped",
                 row->what);
            continue;
        }
        /* It is delivered outside of transactions, or shows nothing inside. */
        int outside = row->vector == NOT_OUTSIDE ? NOT_OUTSIDE
                      : row->cr0 != 0
                          ? tsx_with_cr0(tsx_outside, &block, row->cr0)
                          : tsx_outside(&block);
        if (outside != row->vector) {
            broken(t, "%s outside a transaction: got %s, wanted %s", row->what,
                   fault_name(outside), fault_name(row->vector));
            continue;
        }
        try_inside(t, row, row->what, &block, outside);
        block.count = (uint64_t)(uintptr_t)row->body;
        block.body = tsx_body_nest_jump;
        text_format(what, sizeof(what), "%s at the second level", row->what);
        try_inside(t, row, what, &block, outside);
    }
}
