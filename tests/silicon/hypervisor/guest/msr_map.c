/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msr_map.c - the MSRs that the guest reads and writes in the host processor:
 * those that firmware and long mode live on. Every other access exits, and
 * what the model does not have raises #GP.
 *
 * AMD64 APM volume 2, "MSR Intercepts": two bits an MSR, read and write, in
 * three ranges of 2 KiB each. SDM volume 4, "Architectural MSRs".
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/msr.h"

#define MAP_BYTES 8192

static const struct {
    uint32_t first, last;
} passed_through[] = {
    {0x010, 0x010},           /* IA32_TIME_STAMP_COUNTER */
    {0x01B, 0x01B},           /* IA32_APIC_BASE */
    {0x0FE, 0x0FE},           /* IA32_MTRRCAP */
    {0x174, 0x176},           /* IA32_SYSENTER_CS, _ESP, _EIP */
    {0x179, 0x17B},           /* IA32_MCG_CAP, _STATUS, _CTL */
    {0x200, 0x20F},           /* IA32_MTRR_PHYSBASEn, _PHYSMASKn */
    {0x250, 0x250},           /* IA32_MTRR_FIX64K_00000 */
    {0x258, 0x259},           /* IA32_MTRR_FIX16K_.. */
    {0x268, 0x26F},           /* IA32_MTRR_FIX4K_.. */
    {0x277, 0x277},           /* IA32_PAT */
    {0x2FF, 0x2FF},           /* IA32_MTRR_DEF_TYPE */
    {0x400, 0x427},           /* IA32_MCi_.. of ten banks */
    {0x802, 0x83F},           /* the APIC in x2APIC mode */
    {0xC0000081, 0xC0000084}, /* IA32_STAR, _LSTAR, _CSTAR, _FMASK */
    {0xC0000100, 0xC0000103}, /* FS, GS base, IA32_TSC_AUX */
};

/* Both bits of one MSR. */
static void set_intercept(uint8_t *map, uint32_t msr, bool exits)
{
    size_t at = (msr & 0x1FFF) / 4 + (msr >= 0xC0000000 ? 0x800 : 0);
    uint8_t bits = (uint8_t)(3u << (msr % 4 * 2));

    map[at] = exits ? map[at] | bits : map[at] & (uint8_t)~bits;
}

void msr_map_fill(uint8_t *map)
{
    for (size_t n = 0; n < MAP_BYTES; n++)
        map[n] = 0xFF;
    for (size_t n = 0; n < sizeof(passed_through) / sizeof(passed_through[0]);
         n++)
        for (uint32_t msr = passed_through[n].first;
             msr <= passed_through[n].last; msr++)
            set_intercept(map, msr, false);
    /* QEMU's take any value. */
    for (uint32_t bank = 0; bank < MACHINE_CHECK_BANKS; bank++)
        set_intercept(map, IA32_MC0_STATUS + 4 * bank, true);
}

void msr_map_intercept(uint8_t *map, uint32_t first, uint32_t last)
{
    for (uint32_t msr = first; msr <= last; msr++)
        set_intercept(map, msr, true);
}
