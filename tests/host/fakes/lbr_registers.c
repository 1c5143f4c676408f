/* SPDX-License-Identifier: BSD-2-Clause */
/* lbr_registers.c - the registers of a stack of last branch records: what they
 * refuse, lose and share. */
#include "tests/host/fakes/lbr_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Reserved bits; and in format 5, where no flags are beside them, addresses
 * that are not canonical. */
static bool is_refused(uint32_t msr, uint64_t value)
{
    const uint64_t select = lbr_device.format == 3 ? BITS(8, 0) : BITS(9, 0);
    const bool address =
        msr >= MSR_LASTBRANCH_FROM_IP(0) && msr <= MSR_LASTBRANCH_TO_IP(31);
    const uint64_t kept = lbr_is(RESERVED_KEPT) ? UINT64_MAX
                          : lbr_is(BIT_KEPT)    ? BIT(lbr_device.number)
                                                : 0;

    if (msr == IA32_LBR_CTL || msr == MSR_LBR_SELECT) {
        const uint64_t bits = msr == IA32_LBR_CTL ? UINT64_C(0x7f000f) : select;
        return (value & ~bits & ~kept) != 0 ||
               (lbr_is(BIT_REFUSED) && (value >> lbr_device.number & 1) != 0);
    }
    if (msr == IA32_LBR_DEPTH)
        return value != 8 && value != 16 && value != 32 && !lbr_is(DEPTH_ANY);
    return address && lbr_device.format == 5 && !lbr_is(ANY_ADDRESS) &&
           value >> 47 != 0 && value >> 47 != BITS(16, 0);
}

/* Is it of an architectural entry from the depth on? */
static bool is_beyond(uint32_t msr)
{
    const uint64_t from = fake_msr(IA32_LBR_DEPTH)->value;

    for (uint64_t n = from; n < lbr_device.depth; n++)
        if (msr == IA32_LBR_FROM_IP(n) || msr == IA32_LBR_TO_IP(n) ||
            msr == IA32_LBR_INFO(n))
            return true;
    return false;
}

/* Writes: what a register refuses, loses, or shares. */
int lbr_access(uint32_t msr, const uint64_t *written)
{
    if (lbr_device.before != NULL)
        lbr_device.before(msr, written);
    if (lbr_is(MSR_MISSING) && msr == lbr_device.number)
        return HW_GP;
    if (lbr_device.format == 63 && is_beyond(msr) && !lbr_is(DEPTH_READS))
        return HW_GP;
    if (written == NULL)
        return HW_NO_FAULT;
    if (is_refused(msr, *written))
        return HW_GP;
    for (unsigned n = 0; msr == IA32_LBR_DEPTH && n < lbr_device.depth; n++)
        if (!lbr_is(DEPTH_KEEPS))
            fake_msr(IA32_LBR_FROM_IP(n))->value =
                fake_msr(IA32_LBR_TO_IP(n))->value =
                    fake_msr(IA32_LBR_INFO(n))->value = 0;
    if (lbr_is(CONTROL_HELD) && msr == IA32_LBR_CTL)
        fake_msr(msr)->writable =
            (fake_msr(msr)->value & *written & 1) != 0 ? 1 : UINT64_MAX;
    if (lbr_is(MSR_SHARED) && msr == lbr_device.number) {
        const unsigned here = fake_current;

        fake_current = !here;
        fake_msr(msr)->value = *written;
        fake_current = here;
    }
    return HW_NO_FAULT;
}
uint64_t *lbr_entry_of(unsigned n, unsigned entry)
{
    static const uint32_t first[2][3] = {
        {MSR_LASTBRANCH_FROM_IP(0), MSR_LASTBRANCH_TO_IP(0), MSR_LBR_INFO(0)},
        {IA32_LBR_FROM_IP(0), IA32_LBR_TO_IP(0), IA32_LBR_INFO(0)}};

    return n == 2 && lbr_device.format < 5
               ? NULL
               : &fake_msr(first[lbr_device.format == ARCH][n] + entry)->value;
}
