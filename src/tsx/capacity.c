/* SPDX-License-Identifier: BSD-2-Clause */
/* capacity.c - the size at which a transaction aborts. */
#include "src/tsx/capacity.h"

#include "src/tsx/status.h"

#define LINE_BYTES 64
#define STEP       (LINE_BYTES / sizeof(uint64_t))
#define TRIES      32 /* of each size; half may abort without a cause */
#define XABORTS    2
#define ENOUGH     4 /* aborts that set EAX[3]: no more tries of this size */
#define OLD        UINT64_C(0xdededededededede)

static volatile uint64_t *lines_of(const struct capacity *c)
{
    return (volatile uint64_t *)(uintptr_t)c->argument;
}

/* So that they are in the cache, writable and dirty. */
static void fill_lines(const struct capacity *c, unsigned units)
{
    for (unsigned n = 0; c->stores && n < units; n++)
        lines_of(c)[n * STEP] = OLD;
}

/* Lines that do not hold this; what is stored to a line is 64 times its number.
 */
static unsigned lines_wrong(const struct capacity *c, unsigned units,
                            bool stored)
{
    unsigned wrong = 0;

    for (unsigned n = 0; c->stores && n < units; n++)
        wrong += lines_of(c)[n * STEP] != (stored ? (n + 1) * LINE_BYTES : OLD);
    return wrong;
}

/* Tries so many units until a transaction commits. */
static bool units_commit(struct capacity *c, unsigned units,
                         struct rtm_tally *tally)
{
    const struct tsx_block block = {
        .body = c->body, .argument = c->argument, .count = units};

    for (unsigned i = 0;
         i < TRIES && tally->committed == 0 && tally->matched < ENOUGH; i++) {
        fill_lines(c, units);
        bool stored =
            probe_once(&block, RTM_STATUS_CAPACITY, tally) == TSX_COMMITTED;
        c->wrong += lines_wrong(c, units, stored);
    }
    return tally->committed != 0;
}

static bool is_exact_enough(const struct capacity *c)
{
    unsigned between = c->bad - c->good;

    return between <= 1 ||
           (c->fraction != 0 && between <= c->bad / c->fraction);
}

void capacity_find(struct test_context *t, struct capacity *c)
{
    struct rtm_tally tally;
    unsigned next = 1;

    c->good = c->bad = c->wrong = 0;
    rtm_clear(&c->above);
    do {
        rtm_clear(&tally);
        if (units_commit(c, next, &tally)) {
            c->good = next;
            WITH_PREFIX (t, "%s", c->what)
                probe_check(t, &tally);
        } else {
            c->bad = next;
            c->above = tally;
        }
        if (c->bad == 0)
            next = c->good <= c->units_max / 2 ? c->good * 2 : c->units_max;
        else
            next = c->good + (c->bad - c->good) / 2;
    } while (c->good < c->units_max && (c->bad == 0 || !is_exact_enough(c)));
}

void capacity_judge(struct test_context *t, const struct capacity *c,
                    bool or_conflict)
{
    const struct rtm_tally *above = &c->above;
    char text[RTM_STATUS_TEXT];

    check(t, c->wrong == 0,
          "%s many lines: %u lines hold what they must not (committed: the old "
          "value; aborted: the new one)",
          c->what, c->wrong);
    /* That there is a limit is the implementation's affair. */
    if (c->bad == 0) {
        check(t, c->good == c->units_max, "%s no line commits", c->what);
        note(t, "%s %u lines of 64 bytes commit; more were not tried", c->what,
             c->good * c->unit);
        return;
    }
    WITH_PREFIX (t, "%s", c->what)
        probe_check(t, above);
    note(t, "%s %u lines of 64 bytes commit; aborts begin at %u (%u of %u)",
         c->what, c->good * c->unit, c->bad * c->unit, above->aborted,
         above->tried);
    check(t,
          above->matched != 0 ||
              (or_conflict && (above->status & RTM_STATUS_CONFLICT) != 0),
          "%s %u lines: none of %u aborts set EAX[3] (capacity); EAX = 0x%08x "
          "(%s)",
          c->what, c->bad * c->unit, above->aborted, above->status,
          rtm_status_text(above->status, text));
    WITH_PREFIX (t, "%s", c->what)
        probe_check_status(
            t, 0, RTM_STATUS_CAPACITY | (or_conflict ? RTM_STATUS_CONFLICT : 0),
            above);
}

void capacity_check_xabort(struct test_context *t, const struct capacity *c,
                           const uint8_t *body)
{
    const unsigned units = c->good / 2;
    const struct tsx_block block = {
        .body = body, .argument = c->argument, .count = units};
    struct rtm_tally tally;
    unsigned wrong = 0;

    rtm_clear(&tally);
    for (unsigned i = 0; i < XABORTS && units != 0; i++) {
        fill_lines(c, units);
        bool stored = probe_once(&block, 0, &tally) == TSX_COMMITTED;
        wrong += lines_wrong(c, units, stored);
    }
    WITH_PREFIX (t, "%s %u lines, then XABORT", c->what, units * c->unit) {
        probe_check(t, &tally);
        check(t, wrong == 0,
              "%u lines hold what was stored after %u aborts; wanted 0", wrong,
              tally.aborted);
    }
}

void capacity_check_inner(struct test_context *t, const struct capacity *c,
                          const uint8_t *body, bool or_conflict)
{
    const uint32_t both = RTM_STATUS_CAPACITY | RTM_STATUS_NESTED,
                   other = or_conflict ? RTM_STATUS_CONFLICT : 0;
    const struct tsx_block block = {
        .body = body, .argument = c->argument, .count = c->units_max};
    struct rtm_tally tally;
    char text[RTM_STATUS_TEXT];

    if (c->bad == 0)
        return;
    probe_run(&block, TRIES, both, true, &tally);
    WITH_PREFIX (t, "%s %u lines in an inner transaction", c->what,
                 c->units_max * c->unit) {
        probe_check(t, &tally);
        check(t,
              tally.matched != 0 ||
                  (tally.ever & (other | RTM_STATUS_NESTED)) ==
                      (RTM_STATUS_CONFLICT | RTM_STATUS_NESTED),
              "none of %u aborts set EAX[3] (capacity) and EAX[5] (nested); "
              "the last status is 0x%08x (%s)",
              tally.aborted, tally.status, rtm_status_text(tally.status, text));
        probe_check_status(t, RTM_STATUS_NESTED, RTM_STATUS_CAPACITY | other,
                           &tally);
    }
}
