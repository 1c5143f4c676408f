/* SPDX-License-Identifier: BSD-2-Clause */
/* XEND raises #GP where no transaction runs, or runs any more; with LOCK before
 * it, it and the others of RTM raise #UD; so do XEND and XTEST with other
 * prefixes. */
#include "src/harness/case.h"
#include "src/base/names.h"
#include "src/tsx/probe.h"

static const struct row {
    const char *name;
    const uint8_t *body;
} refused[] = {{"LOCK XBEGIN", tsx_body_lock_xbegin},
               {"LOCK XEND", tsx_body_lock_xend},
               {"LOCK XABORT", tsx_body_lock_xabort},
               {"LOCK XTEST", tsx_body_lock_xtest},
#define PREFIXED_ROW(name, what) {what, tsx_body_##name},
               TSX_PREFIXED(PREFIXED_ROW)};

/* What comes before XEND: nothing, and what XABORT has ended. */
static const struct before {
    const char *what;
    const uint8_t *body;
    uint64_t count;
} befores[] = {
    {"", NULL, 0},
    {" after a transaction that aborted", tsx_bodies_xabort, 0},
    {" after an abort at the third level", tsx_body_nest_deep, 2},
};
#define BEFORES (sizeof(befores) / sizeof(befores[0]))

static void abort_before(const struct before *before)
{
    struct tsx_block block = {.body = before->body, .count = before->count};

    if (before->body != NULL)
        (void)tsx_inside(&block);
}

/* The last of the outcomes that were not what they had to be. */
struct wrong {
    unsigned times;
    int outcome;
    const struct before *before;
    uint32_t error;
};

TEST(tsx_xend_outside,
     .asks =
         "Does XEND outside a transaction raise #GP, and LOCK before XBEGIN, "
         "XEND, XABORT and XTEST #UD?",
     .cite = "SDM 2, XBEGIN, XEND, XABORT and XTEST, exceptions",
     .needs = {.features = NEED_INTEL | NEED_RTM})
{
    unsigned tries = test_trials(t, 100, BEFORES), errors = 0;
    struct wrong other = {.before = befores}, error = other;

    /* Set-up: where it would end a transaction. */
    if (!probe_set_up(t))
        return;

    /* Measured. */
    for (unsigned i = 0; i < tries; i++) {
        const struct before *before = &befores[i % BEFORES];
        struct tsx_block block = {.body = tsx_body_xend};
        hw_poll();
        abort_before(before);
        int outcome = tsx_outside(&block);
        struct wrong *wrong = outcome != HW_GP   ? &other
                              : block.error != 0 ? &error
                                                 : NULL;
        errors += outcome == HW_GP;
        if (wrong != NULL)
            *wrong =
                (struct wrong){wrong->times + 1, outcome, before, block.error};
    }

    /* Check. */
    check(t, other.times == 0,
          "XEND outside a transaction%s: %u of %u raised something else, at "
          "last %s; wanted #GP",
          other.before->what, other.times, tries,
          other.outcome == TSX_RAN ? "no exception"
                                   : fault_name(other.outcome));
    /* An interrupt in between may have written there. */
    check(t, 2 * error.times <= errors,
          "XEND outside a transaction%s: %u of %u #GP with an error code, at "
          "last 0x%x; wanted 0",
          error.before->what, error.times, errors, error.error);
    FOR_EACH_ROW (t, i, refused) {
        struct tsx_block block = {.body = refused[i].body};
        int outcome = tsx_outside(&block);
        check(t, outcome == HW_UD,
              "%s outside a transaction: got %s, wanted #UD", refused[i].name,
              outcome == TSX_RAN ? "no exception" : fault_name(outcome));
    }
}
