/* SPDX-License-Identifier: BSD-2-Clause */
/* TSX_FORCE_ABORT belongs to one logical processor: setting it on one, each in
 * turn, changes neither its value nor RTM on any other. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define BIT0  TSX_FORCE_ABORT_RTM_FORCE_ABORT
#define TRIES 20 /* transactions of each check of a processor */

/* What is checked on one processor. */
struct look {
    const char *state;   /* for the line */
    bool change, forced; /* write bit 0 first; its value then */
};

static void look_at(struct run *peer, void *argument)
{
    const struct look *look = argument;
    uint64_t want = look->forced ? BIT0 : 0, value;
    struct rtm_tally tally;

    if (run_regime(peer) != REGIME_B || !run_cpu(peer)->rtm) {
        skip(peer, "needs regime B and RTM on every processor");
        return;
    }
    if (look->change
            ? !force_abort_change(peer, look->forced ? 0 : BIT0, want, &value)
            : !get_msr(peer, TSX_FORCE_ABORT, &value))
        return;
    check(peer, (value & BIT0) == want,
          "%s: TSX_FORCE_ABORT (10FH) reads 0x%lx; wanted [0] = %d",
          look->state, (unsigned long)value, look->forced);
    rtm_try(TRIES, &tally);
    if (look->forced)
        rtm_check_forced(peer, look->state, &tally);
    else
        check(peer, tally.committed != 0,
              "%s: %u of %u transactions committed, %u aborted with EAX = 0; "
              "wanted some committed",
              look->state, tally.committed, tally.tried, tally.forced);
}

/* All processors but `except` at once, which must be found with bit 0 clear. */
static bool look_at_others(struct run *t, unsigned except, const char *state,
                           bool change)
{
    struct look look = {state, change, false};

    return on_all_but(t, except, look_at, &look);
}

static bool set_on_one(struct run *t, unsigned setter)
{
    struct look set = {"set on this processor", true, true};
    struct look hold = {"still set on this processor", false, true};
    struct look clear = {"cleared on this processor", true, false};

    return on_processor(t, setter, look_at, &set) &&
           look_at_others(t, setter, "while it is set on another processor",
                          false) &&
           on_processor(t, setter, look_at, &hold) &&
           on_processor(t, setter, look_at, &clear) &&
           look_at_others(t, setter, "after it was set on another processor",
                          false);
}

TEST(
    force_abort_thread_scope,
    .asks = "Does TSX_FORCE_ABORT act on one logical processor alone?",
    .cite = "White paper 604224, section 2.2 (\"thread-scope\") and appendix A",
    .scope = WHOLE_MACHINE,
    .needs = {.regimes = REGIME_B,
              .features = NEED_INTEL | NEED_RTM | NEED_TWO_PROCESSORS})
{
    unsigned setters = 0;

    if (!look_at_others(t, HW_PROCESSORS_MAX, "cleared on all processors",
                        true))
        return;
    while (setters < hw_processors() && set_on_one(t, setters))
        setters++;
    check(t, setters == hw_processors(),
          "processors that had the bit set in turn: got %u, wanted %u", setters,
          hw_processors());
}
