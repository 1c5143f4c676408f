/* SPDX-License-Identifier: BSD-2-Clause */
/* IA32_TSX_CTRL (122H): RTM_DISABLE aborts every transaction, TSX_CPUID_CLEAR
 * hides RTM and HLE, and both belong to one logical processor. */
#include "asm/tsx_bodies.h"
#include "src/harness/case.h"
#include "src/base/msr.h"
#include "src/base/names.h"
#include "src/counting/ring3_forced.h"
#include "src/tsx/force_abort.h"
#include "src/tsx/rtm.h"

#define DISABLE   IA32_TSX_CTRL_RTM_DISABLE
#define CLEAR     IA32_TSX_CTRL_TSX_CPUID_CLEAR
#define BOTH      (DISABLE | CLEAR)
#define TRIES     20
#define RFLAGS_ZF (1u << 6)
#define FIRST     16 /* transactions, each the first after a change */

/* What is done and checked on one processor. */
struct part {
    const char *state; /* for the line */
    bool change;       /* write bits 1 and 0 first */
    uint64_t bits;
};

static void check_leaf(struct test_context *t, const struct part *part)
{
    const struct identity *id = test_cpu(t);
    bool shown = (part->bits & CLEAR) == 0;
    struct enumeration now;
    uint32_t want = 0;

    enumeration_read(id, &now);
    uint32_t got = now.leaf7.ebx & (LEAF7_EBX_RTM | LEAF7_EBX_HLE);
    /* With the bit 0: what the processor has, as at the start of the run. */
    if (shown)
        want = id->leaf7_ebx & (LEAF7_EBX_RTM | LEAF7_EBX_HLE);
    check(t, got == want || (shown && want == 0),
          "CPUID.07H.0:EBX = 0x%08x here, wanted [11] (RTM) = %d and [4] "
          "(HLE) = %d",
          now.leaf7.ebx, (want & LEAF7_EBX_RTM) != 0,
          (want & LEAF7_EBX_HLE) != 0);
}

/* And nothing else of leaves 7 and 0AH but RTM_ALWAYS_ABORT, of which no
 * document says whether it follows. */
static void check_others(struct test_context *t, struct enumeration *before)
{
    struct enumeration now;

    enumeration_read(test_cpu(t), &now);
    now.leaf7.ebx &= ~(LEAF7_EBX_RTM | LEAF7_EBX_HLE);
    now.leaf7.edx &= ~LEAF7_EDX_RTM_ALWAYS_ABORT;
    before->leaf7.ebx &= ~(LEAF7_EBX_RTM | LEAF7_EBX_HLE);
    before->leaf7.edx &= ~LEAF7_EDX_RTM_ALWAYS_ABORT;
    enumeration_check(t, "but for RTM, HLE and RTM_ALWAYS_ABORT", &now, before);
}

/* At ring 0 and at ring 3. */
static void check_forced(struct test_context *peer,
                         const struct rtm_tally *tally)
{
    rtm_check_forced(peer, tally);
    ring3_check_forced(peer);
}

/* SDM 2, XTEST: #UD where CPUID enumerates neither RTM nor HLE; ZF = 1 outside
 * of transactions. XABORT and XEND are there as well. */
static void check_xtest(struct test_context *peer)
{
    struct tsx_block block = {.body = tsx_body_xtest, .argument = 1},
                     xabort = {.body = tsx_bodies_xabort},
                     xend = {.body = tsx_body_xend};
    int outcome = tsx_outside(&block);

    check(peer, outcome == TSX_RAN && (block.flags & RFLAGS_ZF) != 0,
          "XTEST outside a transaction: raised %s, RFLAGS = 0x%lx; wanted no "
          "exception, ZF [6] = 1",
          fault_name(outcome), block.flags);
    outcome = tsx_outside(&xabort);
    check(peer, outcome == TSX_RAN,
          "XABORT outside a transaction: raised %s; wanted no exception",
          fault_name(outcome));
    outcome = tsx_outside(&xend);
    check(peer, outcome == HW_GP,
          "XEND outside a transaction: got %s; wanted #GP",
          fault_name(outcome));
}

static void check_bits(struct test_context *peer, const struct part *part)
{
    struct rtm_tally tally;
    uint64_t value = 0;

    if (test_regime(peer) != REGIME_F ||
        try_get_msr(peer, IA32_TSX_CTRL, &value) != HW_NO_FAULT) {
        skip(peer, "needs IA32_TSX_CTRL (122H) on every processor");
        return;
    }
    struct enumeration before;
    enumeration_read(test_cpu(peer), &before);
    if (part->change &&
        (!set_msr(peer, IA32_TSX_CTRL, (value & ~BOTH) | part->bits) ||
         !get_msr(peer, IA32_TSX_CTRL, &value)))
        return;
    check(peer, (value & BOTH) == part->bits,
          "IA32_TSX_CTRL (122H) reads 0x%lx here, wanted [1:0] = %u%u", value,
          (unsigned)(part->bits >> 1), (unsigned)(part->bits & 1));
    check_leaf(peer, part);
    ring3_check_leaf7(peer);
    check_others(peer, &before);
    rtm_try(TRIES, &tally);
    /* While RTM is hidden no document says what XBEGIN does. */
    bool aborts =
        (part->bits & DISABLE) != 0 || test_cpu(peer)->rtm_always_abort;
    if (aborts && (part->bits & CLEAR) == 0 && test_cpu(peer)->rtm)
        check_forced(peer, &tally);
    else
        check(peer, !aborts || tally.committed == 0,
              "%u of %u transactions committed; wanted 0", tally.committed,
              tally.tried);
    /* No transaction is promised to commit; of so many some must. */
    if (!aborts && (part->bits & CLEAR) == 0 && test_cpu(peer)->rtm)
        check(peer, tally.committed != 0,
              "%u of %u transactions committed; wanted some", tally.committed,
              tally.tried);
    rtm_check_atomic(peer, &tally);
    if ((part->bits & CLEAR) == 0 && test_cpu(peer)->rtm)
        check_xtest(peer);
}

static void check_part(struct test_context *peer, void *argument)
{
    const struct part *part = argument;

    WITH_PREFIX (peer, "%s", part->state)
        check_bits(peer, part);
}

static bool differ(struct test_context *t, unsigned one, uint64_t bits,
                   const char *name)
{
    char set[64], others[64];
    struct part here = {set, true, bits}, there = {others, false, 0};
    struct part undo = {"122H[1:0] written with 00", true, 0};

    text_format(set, sizeof(set), "%s = 1 on this processor", name);
    text_format(others, sizeof(others), "%s = 0, 1 on another processor", name);
    return on_processor(t, one, check_part, &here) &&
           (hw_processors() < 2 || on_all_but(t, one, check_part, &there)) &&
           on_processor(t, one, check_part, &undo);
}

/* From its clearing on, and not only from the second transaction on; and from
 * its setting on. */
static void check_first(struct test_context *t)
{
    const uint64_t value = msr_value(t, IA32_TSX_CTRL) & ~BOTH;
    unsigned committed[2] = {0};

    if (!test_cpu(t)->rtm || test_cpu(t)->rtm_always_abort ||
        !set_msr(t, IA32_TSX_CTRL, value))
        return;
    for (unsigned i = 0; i < 2 * FIRST; i++) {
        const bool disable = i % 2 != 0;
        struct tsx_block block = {.body = tsx_body_nothing};

        if (!set_msr_again(t, IA32_TSX_CTRL, value | (disable ? 0 : DISABLE)) ||
            !set_msr_again(t, IA32_TSX_CTRL, value | (disable ? DISABLE : 0)))
            return;
        committed[disable] += tsx_inside(&block) == TSX_COMMITTED;
    }
    set_msr_again(t, IA32_TSX_CTRL, value);
    check(t, committed[0] != 0 && committed[1] == 0,
          "the first transaction after IA32_TSX_CTRL (122H)[0] (RTM_DISABLE) "
          "was cleared: %u of %u committed, after it was set %u; wanted some, "
          "and none",
          committed[0], FIRST, committed[1]);
}

/* SDM 4: [63:2] are reserved; SDM 2, WRMSR: #GP. Where a bit is taken it is
 * undone at once. */
static void check_reserved(struct test_context *t)
{
    uint64_t found = msr_value(t, IA32_TSX_CTRL), accepted = 0, changed = 0;
    char bits[BITS_NAME_BYTES];

    for (unsigned bit = 2; bit < 64; bit++) {
        int vector =
            try_set_msr(t, IA32_TSX_CTRL, (found ^ DISABLE) | BIT(bit));
        if (vector != HW_GP)
            accepted |= BIT(bit);
        else if (msr_value(t, IA32_TSX_CTRL) == found)
            continue;
        else
            changed |= BIT(bit);
        set_msr(t, IA32_TSX_CTRL, found);
    }
    check(t, accepted == 0,
          "IA32_TSX_CTRL (122H): reserved bits %s raised no #GP, each written "
          "with [0] changed; wanted #GP",
          bits_name(accepted, bits));
    check(t, changed == 0,
          "IA32_TSX_CTRL (122H): a WRMSR with reserved bits %s, each with [0] "
          "changed, raised #GP, and it was 0x%lx no more; wanted no change",
          bits_name(changed, bits), found);
}

TEST(tsx_ctrl_disable,
     .asks =
         "Does IA32_TSX_CTRL abort transactions and hide TSX, on one logical "
         "processor alone?",
     .cite = "SDM 4, table \"IA-32 Architectural MSRs\", IA32_TSX_CTRL",
     .scope = WHOLE_MACHINE,
     .needs = {.regimes = REGIME_F, .features = NEED_INTEL})
{
    struct part begin = {"122H[1:0] written with 00", true, 0};
    unsigned done = 0;
    uint64_t value = 0;

    int vector = try_get_msr(t, IA32_TSX_CTRL, &value);
    if (vector != HW_NO_FAULT) {
        skip(t, "needs IA32_TSX_CTRL (122H); RDMSR raises %s",
             fault_name(vector));
        return;
    }
    if (!on_all_but(t, HW_PROCESSORS_MAX, check_part, &begin))
        return;
    while (done < hw_processors() &&
           differ(t, done, DISABLE, "122H[0] (RTM_DISABLE)") &&
           differ(t, done, CLEAR, "122H[1] (TSX_CPUID_CLEAR)") &&
           differ(t, done, BOTH, "122H[1:0]") &&
           differ(t, done, DISABLE, "again 122H[0] (RTM_DISABLE)"))
        done++;
    check(t, done == hw_processors(),
          "processors that had bits 0 and 1 set in turn: got %u, wanted %u",
          done, hw_processors());
    check_reserved(t);
    check_first(t);
}
