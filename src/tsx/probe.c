/* SPDX-License-Identifier: BSD-2-Clause */
/* probe.c - tries bodies in transactions, counts and checks the outcomes. */
#include "src/tsx/probe.h"

#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/options/options.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/status.h"

#define BEFORE UINT64_C(0x5a5a5a5a5a5a5a5a)

/* An abort for one of these reasons may come before the one that is meant. */
#define FROM_OUTSIDE  (RTM_STATUS_CONFLICT | RTM_STATUS_CAPACITY)
#define ENOUGH_ABORTS 3 /* not all of them come from outside */

unsigned probe_row_tries(struct test_context *t)
{
    return (test_trials(t, PROBE_TRIES, 5) + 4) / 5;
}

static void count_abort(const struct tsx_block *tried, uint32_t bits,
                        struct rtm_tally *out)
{
    bool match = (tried->status & bits) == bits;

    out->aborted++;
    rtm_add_status(tried->status, out);
    out->unrestored += tried->unrestored != 0;
    out->leaked += tried->cell != BEFORE || tried->flags != BEFORE;
    if (match || out->matched == 0)
        out->status = tried->status;
    out->matched += match;
}

static int count_outcome(const struct tsx_block *tried, int outcome,
                         uint32_t bits, struct rtm_tally *out)
{
    out->tried++;
    if (outcome == TSX_COMMITTED) {
        out->committed++;
        out->lost += tried->cell != ~BEFORE;
        out->flagged += tried->flags != BEFORE;
    } else if (outcome == TSX_ABORTED) {
        count_abort(tried, bits, out);
    } else if (outcome == TSX_INNER) {
        out->inner++;
    } else {
        out->faulted++;
        out->vector = outcome;
    }
    return outcome;
}

static struct tsx_block prepared_block(const struct tsx_block *block)
{
    struct tsx_block tried = *block;

    tried.cell = BEFORE;
    tried.flags = BEFORE;
    return tried;
}

/* Where the cell is in its line, wherever the stack is: at its end, and in the
 * next try at its beginning. */
#define CELL_LAST  24
#define CELL_FIRST 32
_Static_assert(offsetof(struct tsx_block, cell) + CELL_FIRST == 64, "a line");

int probe_once(const struct tsx_block *block, uint32_t bits,
               struct rtm_tally *out)
{
    _Alignas(64) uint8_t lines[128];
    struct tsx_block *tried =
        (struct tsx_block *)(void *)(lines + (out->tried % 2 == 0
                                                  ? CELL_LAST
                                                  : CELL_FIRST));

    *tried = prepared_block(block);
    return count_outcome(tried, tsx_inside(tried), bits, out);
}

unsigned probe_below(const struct tsx_block *block, uint64_t cr0,
                     struct rtm_tally *out)
{
    struct tsx_block tried = prepared_block(block);
    const int outcome =
        cr0 == 0 ? tsx_inside(&tried) : tsx_with_cr0(tsx_inside, &tried, cr0);

    return count_outcome(&tried, outcome, 0, out) == TSX_ABORTED ? tried.below
                                                                 : 0;
}

int probe_watched(const struct tsx_block *block, uint64_t dr0, uint64_t dr7,
                  uint32_t bits, struct rtm_tally *out)
{
    struct tsx_block tried = prepared_block(block);
    int outcome = tsx_watched(tsx_inside, &tried, dr0, dr7);

    return count_outcome(&tried, outcome, bits, out);
}

void probe_run(const struct tsx_block *block, unsigned times, uint32_t bits,
               bool until_match, struct rtm_tally *out)
{
    rtm_clear(out);
    for (unsigned i = 0; i < times; i++) {
        probe_once(block, bits, out);
        if (until_match && out->matched != 0)
            return;
    }
}

void probe_add(struct rtm_tally *sum, const struct rtm_tally *more)
{
    sum->tried += more->tried;
    sum->committed += more->committed;
    sum->aborted += more->aborted;
    sum->inner += more->inner;
    sum->faulted += more->faulted;
    sum->leaked += more->leaked;
    sum->unrestored += more->unrestored;
    sum->lost += more->lost;
    sum->matched += more->matched;
    sum->ever |= more->ever;
    sum->always &= more->always;
    sum->malformed += more->malformed;
    if (more->malformed != 0)
        sum->malformed_status = more->malformed_status;
    if (more->aborted != 0)
        sum->status = more->status;
    if (more->faulted != 0)
        sum->vector = more->vector;
}

void probe_check(struct test_context *t, const struct rtm_tally *probe)
{
    if (probe->tried == 0)
        broken(t, "no transaction was tried");
    check(t, probe->faulted == 0,
          "%s was delivered, %u of %u transactions; wanted none",
          fault_name(probe->vector), probe->faulted, probe->tried);
    check(t, probe->inner == 0,
          "went on at the fallback of an inner transaction, %u of %u; "
          "wanted the outermost",
          probe->inner, probe->tried);
    rtm_check_atomic(t, probe);
}

void probe_check_status(struct test_context *t, uint32_t must, uint32_t may,
                        const struct rtm_tally *probe)
{
    uint32_t excluded = RTM_STATUS_CAUSES & ~must & ~may;
    uint32_t wrong = probe->ever & excluded & ~FROM_OUTSIDE;
    uint32_t each = probe->always & excluded & FROM_OUTSIDE;
    char text[RTM_STATUS_TEXT];

    check(t, (probe->ever & must) == must,
          "none of %u aborts set in EAX what names the cause: %s",
          probe->aborted, rtm_status_text(must & ~probe->ever, text));
    check(t, wrong == 0,
          "EAX names another cause, at least once in %u aborts: %s",
          probe->aborted, rtm_status_text(wrong, text));
    check(t, each == 0 || probe->aborted < ENOUGH_ABORTS,
          "EAX names another cause, in each of %u aborts: %s", probe->aborted,
          rtm_status_text(each, text));
}

/* Regime F: IA32_TSX_CTRL, or the microcode for good, may abort every RTM
 * transaction. Then there is none to look at. NULL: it does not. */
static const char *why_disabled(struct test_context *t)
{
    uint64_t control = 0;

    if (try_get_msr(t, IA32_TSX_CTRL, &control) == HW_NO_FAULT &&
        (control & IA32_TSX_CTRL_RTM_DISABLE) != 0)
        return "IA32_TSX_CTRL (122H)[0] (RTM_DISABLE) is 1";
    if (test_cpu(t)->rtm_always_abort)
        return "CPUID.07H.0:EDX[11] (RTM_ALWAYS_ABORT) is 1";
    return NULL;
}

bool probe_state(struct test_context *t)
{
    const char *why;
    uint64_t value;

    switch (test_regime(t)) {
    case REGIME_B:
        return force_abort_change(t, TSX_FORCE_ABORT_RTM_FORCE_ABORT, 0,
                                  &value);
    case REGIME_C:
    case REGIME_C_PRIME:
    case REGIME_D:
        return force_abort_change(t, TSX_FORCE_ABORT_TSX_CPUID_CLEAR,
                                  TSX_FORCE_ABORT_SDV_ENABLE_RTM, &value);
    case REGIME_F:
        why = why_disabled(t);
        if (why != NULL)
            skip(t, "needs RTM; %s", why);
        return why == NULL;
    default:
        return true;
    }
}

bool probe_state_if_any(struct test_context *t)
{
    const enum regime regime = test_regime(t);

    if (!test_cpu(t)->rtm || (regime == REGIME_F && why_disabled(t) != NULL))
        return false;
    if ((regime == REGIME_C || regime == REGIME_C_PRIME ||
         regime == REGIME_D) &&
        !test_allowed(t, ALLOW_SDV_ENABLE_RTM))
        return false;
    return probe_state(t);
}

bool probe_set_up(struct test_context *t)
{
    struct rtm_tally tally;

    if (!probe_state(t) || !rtm_usable(t))
        return false;
    rtm_try(PROBE_TRIES, &tally);
    if (tally.committed == 0)
        skip(t, "needs transactions that commit, and %u of %u aborted",
             tally.aborted, tally.tried);
    return tally.committed != 0;
}
