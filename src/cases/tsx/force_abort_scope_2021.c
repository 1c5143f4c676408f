/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits 1 and 2 of TSX_FORCE_ABORT belong to one logical processor: one has
 * another value than all the others, which see nothing of it. */
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/options/options.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define BIT0  TSX_FORCE_ABORT_RTM_FORCE_ABORT
#define CLEAR TSX_FORCE_ABORT_TSX_CPUID_CLEAR
#define SDV   TSX_FORCE_ABORT_SDV_ENABLE_RTM
#define TRIES 20

/* What is done and checked on one processor: bits 2 and 1. */
struct part {
    const char *state; /* for the line */
    bool change;       /* write them first */
    uint64_t bits;
};

static void check_bits(struct test_context *peer, const struct part *part)
{
    const unsigned regimes = REGIME_C | REGIME_C_PRIME | REGIME_D;
    bool shown = (part->bits & CLEAR) == 0, aborts = (part->bits & SDV) == 0;
    uint64_t want = part->bits | (aborts ? BIT0 : 0), value;
    struct enumeration now;
    struct rtm_tally tally;

    if ((test_regime(peer) & regimes) == 0) {
        skip(peer, "needs regime C, C' or D on every processor");
        return;
    }
    if (part->change
            ? !force_abort_change(peer, CLEAR | SDV, part->bits, &value)
            : !get_msr(peer, TSX_FORCE_ABORT, &value))
        return;
    check(peer, value == want,
          "TSX_FORCE_ABORT (10FH) reads 0x%lx here, wanted 0x%lx", value, want);
    enumeration_read(test_cpu(peer), &now);
    check(peer,
          (now.leaf7.ebx & (LEAF7_EBX_RTM | LEAF7_EBX_HLE)) ==
              (shown ? LEAF7_EBX_RTM | LEAF7_EBX_HLE : 0),
          "CPUID.07H.0:EBX = 0x%08x here, wanted [11] (RTM) and [4] (HLE) = "
          "%d",
          now.leaf7.ebx, shown);
    check(peer, ((now.leaf7.edx & LEAF7_EDX_RTM_ALWAYS_ABORT) != 0) == aborts,
          "CPUID.07H.0:EDX = 0x%08x here, wanted [11] (RTM_ALWAYS_ABORT) = "
          "%d",
          now.leaf7.edx, aborts);
    rtm_try(TRIES, &tally);
    if (aborts && shown)
        rtm_check_forced(peer, &tally);
    else
        check(peer, !aborts || tally.committed == 0,
              "%u of %u transactions committed here; wanted 0", tally.committed,
              tally.tried);
}

static void check_part(struct test_context *peer, void *argument)
{
    const struct part *part = argument;

    WITH_PREFIX (peer, "%s", part->state)
        check_bits(peer, part);
}

/* One has these bits, the others have not. */
static bool differ(struct test_context *t, unsigned one, uint64_t bits,
                   const char *name)
{
    char set[64], still[64], others[64];
    struct part here = {set, true, bits}, after = {still, false, bits};
    struct part there = {others, false, 0};
    struct part undo = {"10FH[2:1] written with 00", true, 0};

    text_format(set, sizeof(set), "%s = 1 on this processor alone", name);
    text_format(still, sizeof(still), "%s = 1, still", name);
    text_format(others, sizeof(others), "%s = 0, 1 on another processor", name);
    return on_processor(t, one, check_part, &here) &&
           on_all_but(t, one, check_part, &there) &&
           on_processor(t, one, check_part, &after) &&
           on_processor(t, one, check_part, &undo);
}

TEST(force_abort_scope_2021,
     .asks = "Do TSX_CPUID_CLEAR and SDV_ENABLE_RTM act on one logical "
             "processor alone?",
     .cite = "White paper 604224, section 2.2 (\"thread-scope\") and table "
             "2.2-1",
     .scope = WHOLE_MACHINE,
     .needs = {.regimes = REGIME_C | REGIME_C_PRIME | REGIME_D,
               .features = NEED_INTEL | NEED_TWO_PROCESSORS})
{
    struct part begin = {"10FH[2:1] written with 00", true, 0};
    bool sdv = test_allowed(t, ALLOW_SDV_ENABLE_RTM);
    unsigned done = 0;

    if (!on_all_but(t, HW_PROCESSORS_MAX, check_part, &begin))
        return;
    while (done < hw_processors() &&
           differ(t, done, CLEAR, "10FH[1] (TSX_CPUID_CLEAR)") &&
           (!sdv || differ(t, done, SDV, "10FH[2] (SDV_ENABLE_RTM)")))
        done++;
    check(t, done == hw_processors(),
          "processors that had bits 1 and 2 set in turn: got %u, wanted %u",
          done, hw_processors());
    if (!sdv)
        note(t, "not tried: 10FH[2]: needs the option allow=sdv_enable_rtm");
}
