/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest.c - MWAIT, where there is one that ends, else PAUSE.
 *
 * SDM 3A, "MONITOR/MWAIT Instruction": a store to the line that is monitored
 * ends MWAIT, also between the two.
 */
#include "efi/rest.h"
#include "src/base/hw.h"
#include "src/base/msr.h"

#define LEAF1_ECX_MONITOR BIT(3)
#define HINT_C1           0
#define PAUSES            256

/* Models of family 6 on which that store may not end it, by specification
 * updates: APL30, ICX143 and ICXD80, LNL030; on the first three the line has to
 * be flushed before, as Linux' X86_BUG_CLFLUSH_MONITOR says. */
static bool may_not_end(uint32_t signature)
{
    static const uint8_t models[] = {0x1d, 0x2e, 0x2f, 0x5c, 0x6a, 0x6c, 0xbd};
    const uint32_t model = (signature >> 12 & 0xf0) | (signature >> 4 & 15);

    if ((signature >> 8 & 15) != 6)
        return false;
    for (size_t i = 0; i < sizeof(models); i++)
        if (models[i] == model)
            return true;
    return false;
}

void rest(const bool *flag)
{
    struct hw_cpuid leaf;

    hw_cpuid(1, 0, &leaf);
    if ((leaf.ecx & LEAF1_ECX_MONITOR) == 0 || may_not_end(leaf.eax)) {
        for (unsigned i = 0; i < PAUSES; i++)
            __asm__ volatile("pause");
        return;
    }
    __asm__ volatile("monitor" : : "a"(flag), "c"(0), "d"(0) : "memory");
    if (__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        __asm__ volatile("mwait" : : "a"(HINT_C1), "c"(0) : "memory");
}
