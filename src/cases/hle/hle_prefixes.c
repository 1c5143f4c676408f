/* SPDX-License-Identifier: BSD-2-Clause */
/* XACQUIRE and XRELEASE where they do not belong: no transaction begins, and
 * the instruction does what it does. */
#include "asm/hle_nested.h"
#include "src/harness/case.h"
#include "src/tsx/hle.h"
#include "src/tsx/probe.h"

static const struct row {
    const char *what;
    hle_nest_region *region;
} rows[] = {
    {"F2H before MOV to memory", hle_odd_mov},
    {"F2H before ADD to memory without LOCK", hle_odd_add},
    {"F2H F3H before XCHG (an XRELEASE)", hle_odd_first},
    {"XRELEASE XCHG without XACQUIRE", hle_odd_release},
};

/* How many of the tries ran in a transaction. */
static unsigned try_region(struct test_context *t, hle_nest_region *region,
                           unsigned tries)
{
    volatile uint64_t *lock = test_buffer(t);
    unsigned inside = 0, wrong = 0;
    uint64_t seen = 1;

    for (unsigned i = 0; i < tries; i++) {
        struct hle_nest nest = {
            .outer = lock, .inner = lock + 16, .ask = hle_can_ask(t)};
        hw_poll();
        lock[0] = lock[16] = 0;
        region(&nest);
        inside += nest.inside != 0;
        if (nest.seen[0] != 1 || nest.data != 1 || nest.outside != 0 ||
            lock[0] != 0) {
            wrong++;
            seen = nest.seen[0];
        }
    }
    check_known(
        t, wrong == 0, ERRATUM_HLE_OLD_VALUE, inside != 0 && seen == 0,
        "not as without the prefix, %u of %u; the last read 0x%lx, wanted "
        "0x1",
        wrong, tries, seen);
    return inside;
}

TEST(hle_prefixes,
     .asks = "Are XACQUIRE and XRELEASE ignored where they do not apply, and "
             "does the prefix next to the opcode count?",
     .cite = "SDM 2, XACQUIRE/XRELEASE, \"Description\" and \"Operation\"",
     .needs = {.features = NEED_INTEL | NEED_HLE})
{
    unsigned tries = probe_row_tries(t);

    if (!hle_hints(t))
        return;

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        prefix_push(t, "%s", rows[i].what);
        unsigned inside = try_region(t, rows[i].region, tries);
        check_none(t, "XTEST says that a transaction runs", inside, tries);
        prefix_pop(t);
    }
    prefix_push(t, "F3H F2H before XCHG (an XACQUIRE)");
    unsigned inside = try_region(t, hle_last_prefix, tries);
    prefix_pop(t);
    observe(t, "F3H F2H before XCHG, an XACQUIRE, elides", inside, tries);
}
