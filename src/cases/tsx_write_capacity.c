/* SPDX-License-Identifier: BSD-2-Clause */
/* How many lines a transaction can write, and what it says of one too many. */
#include "src/case.h"
#include "src/tsx/probe.h"
#include "src/tsx/status.h"

#define LINE_BYTES 64
#define LINES_MAX  (RUN_BUFFER_BYTES / LINE_BYTES)
#define STEP       (LINE_BYTES / sizeof(uint64_t))
#define TRIES      4
#define OLD        UINT64_C(0xdededededededede)

/* Lines, from the first on, that do not hold this; the value that is stored to
 * a line is 64 times its number. */
static unsigned lines_wrong(const volatile uint64_t *lines, unsigned count,
                            bool stored)
{
    unsigned wrong = 0;

    for (unsigned n = 0; n < count; n++)
        wrong += lines[n * STEP] != (stored ? (n + 1) * LINE_BYTES : OLD);
    return wrong;
}

/* Tries to write so many lines until a transaction commits. All lines are
 * written before, so that they are in the cache, writable and dirty. */
static bool lines_commit(volatile uint64_t *lines, unsigned count,
                         struct rtm_tally *probe, unsigned *wrong)
{
    const struct tsx_block block = {.body = tsx_body_write_lines,
                                    .argument = (uint64_t)(uintptr_t)lines,
                                    .count = count};

    rtm_clear(probe);
    for (unsigned i = 0; i < TRIES && probe->committed == 0; i++) {
        for (unsigned n = 0; n < count; n++)
            lines[n * STEP] = OLD;
        bool stored =
            probe_once(&block, RTM_STATUS_CAPACITY, probe) == TSX_COMMITTED;
        *wrong += lines_wrong(lines, count, stored);
    }
    return probe->committed != 0;
}

/* The largest number of lines found to commit, 0 to LINES_MAX, and in *above
 * the outcomes of the smallest found not to. */
static unsigned find_limit(struct run *t, struct rtm_tally *above, unsigned *wrong)
{
    volatile uint64_t *lines = run_buffer(t);
    unsigned good = 0, bad = 1;
    struct rtm_tally probe;

    for (; bad <= LINES_MAX && lines_commit(lines, bad, &probe, wrong);
         bad *= 2) {
        probe_check(t, "stores to many lines", &probe);
        good = bad;
    }
    if (bad > LINES_MAX)
        return good;

    *above = probe;
    while (bad - good > 1) {
        unsigned middle = good + (bad - good) / 2;
        if (lines_commit(lines, middle, &probe, wrong)) {
            good = middle;
        } else {
            bad = middle;
            *above = probe;
        }
    }
    return good;
}

TEST(tsx_write_capacity,
     .asks =
         "How many lines can a transaction write, and does one too many set "
         "EAX[3]?",
     .cite = "SDM 1, table \"RTM Abort Status Definition\" and \"Transactional "
             "Aborts\"",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    char text[RTM_STATUS_TEXT];
    struct rtm_tally above;
    unsigned limit, wrong = 0;

    /* Set-up. */
    if (!probe_set_up(t))
        return;
    rtm_clear(&above);

    /* Measured. */
    limit = find_limit(t, &above, &wrong);

    /* Check. That there is a limit is the implementation's affair. */
    check(t, wrong == 0,
          "stores to many lines: %u lines hold what they must not (committed: "
          "the old value; aborted: the new one)",
          wrong);
    if (limit == LINES_MAX) {
        note(t,
             "transactions that write %u lines of 64 bytes commit; more were "
             "not tried",
             LINES_MAX);
        return;
    }
    probe_check(t, "stores to too many lines", &above);
    note(t,
         "transactions that write %u lines of 64 bytes commit; of %u that "
         "write %u none did",
         limit, above.tried, limit + 1);
    check(t, above.matched != 0,
          "stores to %u lines: none of %u aborts set EAX[3] (capacity); EAX = "
          "0x%08x (%s)",
          limit + 1, above.aborted, above.status,
          rtm_status_text(above.status, text));
}
