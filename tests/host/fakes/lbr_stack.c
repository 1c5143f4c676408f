/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_stack.c - what a stack of last branch records leaves out, and the entry
 * that it writes of a branch. */
#include "src/lbr/stack.h"
#include "tests/host/fakes/lbr_device.h"

#include <stddef.h>

struct lbr_device lbr_device;

/* IA32_LBR_CTL as MSR_LBR_SELECT would have it: 1 leaves out. */
static uint64_t selected(void)
{
    static const uint8_t captures[] = {1, 2, 16, 19, 20, 21, 18, 17, 22};
    uint64_t select = 0;

    if (lbr_device.format != ARCH)
        return fake_msr(MSR_LBR_SELECT)->value;
    for (unsigned n = 0; n < sizeof(captures); n++)
        if ((fake_msr(IA32_LBR_CTL)->value >> captures[n] & 1) == 0)
            select |= BIT(n);
    return select;
}

static bool captured(uint32_t kind)
{
    uint64_t select = selected();
    const bool user = (kind & LBR_TO_USR) != 0;

    if (lbr_is(SELECT_IGNORED))
        select &= ~BIT(lbr_device.number);
    if (lbr_is(SELECT_TAKES) && (select & MSR_LBR_SELECT_KINDS) != 0)
        select |= BIT(lbr_device.number);
    if (lbr_is(JUMPS_TAKE_CALLS))
        select |= (select >> 6 & 1) * BITS(5, 4) | (select >> 7 & 1) * BIT(3);
    if (lbr_is(KIND_CANCELS) && (select & MSR_LBR_SELECT_KINDS) != 0)
        select &= ~BITS(1, 0);
    if (lbr_is(LEVEL_CANCELS) && (select & BITS(1, 0)) != 0)
        select &= ~MSR_LBR_SELECT_KINDS;
    if (lbr_is(LEVELS_CANCEL) && (select & BITS(1, 0)) == BITS(1, 0))
        select &= ~BITS(1, 0);
    if ((select & BIT(user ? 1 : 0)) != 0)
        return lbr_is(LEVEL_IGNORED);
    return (select & MSR_LBR_SELECT_KIND(kind & LBR_KIND)) == 0;
}

static uint64_t flags_of(uint32_t kind)
{
    const bool abort = (kind & LBR_ABORT) != 0;
    uint64_t flags = 0;

    if (((kind & LBR_IN_TX) != 0 && !lbr_is(IN_TX_NEVER)) ||
        lbr_is(IN_TX_ALWAYS))
        flags |= BIT(62);
    if ((abort && !lbr_is(ABORT_NEVER)) || lbr_is(ABORT_ALWAYS))
        flags |= BIT(61);
    if ((lbr_is(MISPREDICTED) || lbr_device.windows % 2 != 0) &&
        !lbr_is(PREDICTED) &&
        ((kind & LBR_KIND) != LBR_IND_JMP ||
         (!lbr_is(TARGETS_PREDICTED) && !lbr_is(ENTRY_MISPREDICTED))))
        flags |= BIT(63);
    if ((kind & LBR_IN_TX) != 0 && lbr_is(IN_TX_PREDICTED))
        flags &= ~BIT(63);
    if ((kind & LBR_FROM_USR) != 0 && lbr_is(RING3_PREDICTED))
        flags &= ~BIT(63);
    if (lbr_is(KIND_PREDICTED) && (kind & LBR_KIND) == lbr_device.number)
        flags &= ~BIT(63);
    if ((lbr_device.enters && lbr_is(ENTRY_MISPREDICTED)) ||
        (lbr_is(KIND_MISPREDICTED) && (kind & LBR_KIND) == lbr_device.number))
        flags |= BIT(63);
    return lbr_device.format == 3 ? flags & BIT(63) : flags;
}

/* CYC_CNT_VALID, BR_TYPE: JCC, relative and indirect call, return, indirect and
 * relative jump, and others. */
static uint64_t info_of(uint32_t kind)
{
    static const uint64_t types[] = {8, 0, 4, 3, 5, 1, 2, 8, 8};
    const bool next = lbr_is(TYPE_OF_NEXT);

    if (lbr_device.format != ARCH)
        return 0;
    return (lbr_is(UNTIMED) ? 0 : BIT(60)) | types[(kind & LBR_KIND) + next]
                                                 << 56;
}

/* The newest is entry 0. */
static void push(unsigned depth, uint64_t from, uint64_t to, uint64_t info)
{
    for (unsigned n = depth - 1; n > 0; n--) {
        fake_msr(IA32_LBR_FROM_IP(n))->value =
            fake_msr(IA32_LBR_FROM_IP(n - 1))->value;
        fake_msr(IA32_LBR_TO_IP(n))->value =
            fake_msr(IA32_LBR_TO_IP(n - 1))->value;
        fake_msr(IA32_LBR_INFO(n))->value =
            fake_msr(IA32_LBR_INFO(n - 1))->value;
    }
    fake_msr(IA32_LBR_FROM_IP(0))->value = from;
    fake_msr(IA32_LBR_TO_IP(0))->value = to;
    fake_msr(IA32_LBR_INFO(0))->value = info;
}

void lbr_add(uint32_t kind, uint64_t from, uint64_t to, uint64_t cycles)
{
    if (lbr_is(NO_CYCLES))
        cycles = 0;
    const unsigned depth =
        lbr_is(HALF_DEEP) ? lbr_device.depth / 2 : lbr_device.depth;
    const bool abort = (kind & LBR_ABORT) != 0;

    if (lbr_device.stopped || !captured(kind) ||
        (abort && lbr_is(ABORT_MISSING)))
        return;
    from += (kind == (LBR_RET | LBR_FROM_USR | LBR_TO_USR) &&
             lbr_is(RETURN_OF_RING3));
    from += lbr_is(FROM_OFF) || (abort && lbr_is(ABORT_FROM)) ? 256 : 0;
    to += lbr_is(TO_OFF) || (abort && lbr_is(ABORT_TO)) ? 1 : 0;
    if (lbr_device.format == ARCH) {
        const bool user = (kind & LBR_FROM_USR) != 0;
        if (user != ((kind & LBR_TO_USR) != 0) &&
            (selected() & BIT(user ? 1 : 0)) != 0)
            from = UINT64_MAX;
        push(depth, from, to, flags_of(kind) | info_of(kind) | cycles);
        return;
    }
    struct fake_msr *tos = fake_msr(MSR_LASTBRANCH_TOS);
    const unsigned n = (unsigned)(tos->value + 1) % depth;
    if (!lbr_is(TOS_STUCK))
        tos->value = n;
    uint64_t *flagged =
        &fake_msr(lbr_device.format == 5 ? MSR_LBR_INFO(n)
                                         : MSR_LASTBRANCH_FROM_IP(n))
             ->value;
    const uint64_t stays =
        lbr_is(MISPREDICTED_STAYS) ? *flagged & LBR_MISPRED : 0;
    fake_msr(MSR_LASTBRANCH_FROM_IP(n))->value = from;
    fake_msr(MSR_LASTBRANCH_TO_IP(n))->value = to;
    *flagged =
        (lbr_device.format == 5 ? cycles : from) | flags_of(kind) | stays;
}
