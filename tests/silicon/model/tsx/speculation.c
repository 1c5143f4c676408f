/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * speculation.c - SDM volume 4, table "IA-32 Architectural MSRs", 48H, 49H and
 * 10BH: each bit with the one that enumerates it; volume 2A, CPUID, leaf 07H.
 */
#include "tests/silicon/model/tsx/speculation.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/cpuid.h"

#define IA32_SPEC_CTRL 0x048u
#define IA32_PRED_CMD  0x049u
#define IA32_FLUSH_CMD 0x10Bu

static const struct bit {
    uint32_t number;
    uint64_t leaf7_edx; /* it is there where this is set */
    uint64_t bit;
} bits[] = {
    {IA32_SPEC_CTRL, LEAF7_EDX_IBRS, BIT(0)},
    {IA32_SPEC_CTRL, LEAF7_EDX_STIBP, BIT(1)},
    {IA32_SPEC_CTRL, LEAF7_EDX_SSBD, BIT(2)},
    {IA32_PRED_CMD, LEAF7_EDX_IBRS, BIT(0)}, /* IBPB */
    {IA32_FLUSH_CMD, LEAF7_EDX_L1D_FLUSH, BIT(0)},
};
#define ROWS (sizeof(bits) / sizeof(bits[0]))

/* 0: the register is not there. */
static uint64_t bits_of(const struct processor *p, uint32_t number)
{
    uint64_t all = 0;

    for (size_t n = 0; n < ROWS; n++)
        if (bits[n].number == number &&
            (p->cpu->leaf7_edx & bits[n].leaf7_edx) != 0)
            all |= bits[n].bit;
    return all;
}

bool speculation_is_msr(struct processor *p, uint32_t number)
{
    (void)p;
    return number == IA32_SPEC_CTRL || number == IA32_PRED_CMD ||
           number == IA32_FLUSH_CMD;
}

/* The commands are write-only. */
bool speculation_read(struct processor *p, uint32_t number, uint64_t *value)
{
    *value = p->spec_ctrl;
    return number == IA32_SPEC_CTRL && bits_of(p, number) != 0;
}

bool speculation_write(struct processor *p, uint32_t number, uint64_t value)
{
    uint64_t all = bits_of(p, number);

    if (all == 0 || (value & ~all) != 0)
        return false;
    if (number == IA32_SPEC_CTRL)
        p->spec_ctrl = value;
    return true;
}
