/* SPDX-License-Identifier: BSD-2-Clause */
/* XABORT does nothing where no transaction runs. */
#include "src/harness/case.h"
#include "src/tsx/probe.h"
#include "src/tsx/state.h"
#include "src/tsx/status.h"

#define TRIES 8 /* with other values in all registers */

/* Neither XABORT nor XTEST changes a register; of flags XTEST has its own. */
static void check_registers(struct test_context *t)
{
    static const struct state_row rows[] = {
        {"XABORT outside a transaction", tsx_change_nothing, tsx_end_ignored,
         0},
        {"XTEST outside a transaction", tsx_change_nothing, tsx_end_tested, 0},
    };
    uint64_t components = state_components(test_cpu(t));

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        state_try_outside(t, &rows[i], components, TRIES);
}

TEST(tsx_xabort_outside,
     .asks = "Does XABORT outside a transaction do nothing?",
     .cite = "SDM 2, XABORT, \"Operation\": treated as NOP",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    unsigned gone = 0, eax = 0, registers = 0, cells = 0;
    uint32_t last = RTM_STATUS_STARTED;

    /* Set-up: where it would abort a transaction. */
    if (!probe_set_up(t))
        return;

    /* Measured. */
    for (unsigned code = 0; code < 256; code++) {
        struct tsx_block block = {.body = tsx_bodies_xabort +
                                          code * TSX_XABORT_BYTES};
        gone += tsx_outside(&block) != TSX_RAN;
        registers += block.unrestored != 0;
        cells += block.cell != 0 || block.flags != 0;
        if (block.status != RTM_STATUS_STARTED) {
            eax++;
            last = block.status;
        }
    }

    /* Check. */
    check(t, gone == 0,
          "XABORT outside a transaction: %u of 256 did not go on at the next "
          "instruction",
          gone);
    check(t, eax == 0,
          "XABORT outside a transaction: EAX changed, %u of 256, at last to "
          "0x%08x; wanted 0x%08x",
          eax, last, RTM_STATUS_STARTED);
    check(t, registers == 0,
          "XABORT outside a transaction: another register changed, %u of 256",
          registers);
    check(t, cells == 0,
          "XABORT outside a transaction: memory changed, %u of 256", cells);
    check_registers(t);
}
