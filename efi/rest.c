/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rest.c - MWAIT, where there is one, else PAUSE.
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

void rest(const bool *flag)
{
    struct hw_cpuid leaf;

    hw_cpuid(1, 0, &leaf);
    if ((leaf.ecx & LEAF1_ECX_MONITOR) == 0) {
        for (unsigned i = 0; i < PAUSES; i++)
            __asm__ volatile("pause");
        return;
    }
    __asm__ volatile("monitor" : : "a"(flag), "c"(0), "d"(0) : "memory");
    if (__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        __asm__ volatile("mwait" : : "a"(HINT_C1), "c"(0) : "memory");
}
