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
struct bit0_check {
    const char *state;   /* for the line */
    bool change, forced; /* write bit 0 first; its value then */
};

static void check_state(struct test_context *peer,
                        const struct bit0_check *bit0_check)
{
    uint64_t want = bit0_check->forced ? BIT0 : 0, value;
    struct rtm_tally tally;

    if (test_regime(peer) != REGIME_B || !test_cpu(peer)->rtm) {
        skip(peer, "needs regime B and RTM on every processor");
        return;
    }
    if (bit0_check->change
            ? !force_abort_change(peer, bit0_check->forced ? 0 : BIT0, want,
                                  &value)
            : !get_msr(peer, TSX_FORCE_ABORT, &value))
        return;
    check(peer, (value & BIT0) == want,
          "TSX_FORCE_ABORT (10FH) reads 0x%lx; wanted [0] = %d", value,
          bit0_check->forced);
    rtm_try(TRIES, &tally);
    if (bit0_check->forced)
        rtm_check_forced(peer, &tally);
    else
        check(peer, tally.committed != 0,
              "%u of %u transactions committed, %u aborted with EAX = 0; "
              "wanted some committed",
              tally.committed, tally.tried, tally.forced);
}

static void check_bit0(struct test_context *peer, void *argument)
{
    const struct bit0_check *bit0_check = argument;

    WITH_PREFIX (peer, "%s", bit0_check->state)
        check_state(peer, bit0_check);
}

/* All processors but `except` at once, which must be found with bit 0 clear. */
static bool check_others(struct test_context *t, unsigned except,
                         const char *state, bool change)
{
    struct bit0_check bit0_check = {state, change, false};

    return on_all_but(t, except, check_bit0, &bit0_check);
}

/* The other way round: clear on one, set on all the others. */
static bool clear_on_one(struct test_context *t, unsigned one)
{
    struct bit0_check set = {"set on all processors", true, true};
    struct bit0_check clear = {"cleared on this processor alone", true, false};
    struct bit0_check others = {"set here, cleared on another processor", false,
                                true};
    struct bit0_check undo = {"cleared on all processors again", true, false};

    return on_all_but(t, HW_PROCESSORS_MAX, check_bit0, &set) &&
           on_processor(t, one, check_bit0, &clear) &&
           on_all_but(t, one, check_bit0, &others) &&
           on_all_but(t, HW_PROCESSORS_MAX, check_bit0, &undo);
}

static bool set_on_one(struct test_context *t, unsigned setter)
{
    struct bit0_check set = {"set on this processor", true, true};
    struct bit0_check hold = {"still set on this processor", false, true};
    struct bit0_check clear = {"cleared on this processor", true, false};

    return on_processor(t, setter, check_bit0, &set) &&
           check_others(t, setter, "while it is set on another processor",
                        false) &&
           on_processor(t, setter, check_bit0, &hold) &&
           on_processor(t, setter, check_bit0, &clear) &&
           check_others(t, setter, "after it was set on another processor",
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

    if (!check_others(t, HW_PROCESSORS_MAX, "cleared on all processors", true))
        return;
    while (setters < hw_processors() && set_on_one(t, setters) &&
           clear_on_one(t, setters))
        setters++;
    check(t, setters == hw_processors(),
          "processors that had the bit set in turn: got %u, wanted %u", setters,
          hw_processors());
}
