/* SPDX-License-Identifier: BSD-2-Clause */
/* state_forced.c - what a forced abort restores, while all are forced. */
#include "src/tsx/state.h"

void state_check_forced(struct test_context *t, unsigned tries)
{
    static const struct state_row rows[] = {
        {"general registers, status flags, XMM0 to XMM15 and MXCSR changed",
         tsx_change_both, tsx_state_commit, 0},
        {"YMM0 to YMM15 changed", tsx_change_ymm, tsx_state_commit, XCR0_AVX},
        {"DF changed", tsx_change_direction, tsx_state_commit, 0},
        {"the x87 changed", tsx_change_x87, tsx_state_commit, 0},
        {"memory changed", tsx_change_stored, tsx_state_commit, 0},
    };
    const uint64_t components = state_components(test_cpu(t));

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if ((components & rows[i].components) != rows[i].components)
            continue;
        unsigned commits = state_try(t, &rows[i], components, tries);
        check(t, commits == 0, "%s: %u of %u committed; wanted 0", rows[i].what,
              commits, tries);
    }
}
