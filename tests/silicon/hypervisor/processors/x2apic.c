/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x2apic.c - a local APIC in x2APIC mode, as firmware leaves it on machines of
 * many processors. The host's is in xAPIC mode: an access to an MSR is
 * carried out on its registers in memory, and the guest sees nothing there.
 *
 * SDM volume 3A, "Extended XAPIC (x2APIC)": tables "Local APIC Register Address
 * Map Supported by x2APIC" and "x2APIC Operating Mode Configurations", topics
 * "Reserved Bit Checking", "Error Handling", "ICR Operation in x2APIC Mode",
 * "Deriving Logical x2APIC ID from the Local x2APIC ID".
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"

#define BASE_EXTD    (UINT64_C(1) << 10)
#define BASE_ENABLE  (UINT64_C(1) << 11)
#define BASE_ADDRESS UINT64_C(0x000FFFFFFFFFF000)

#define FIRST    0x800u
#define LAST     0x83Fu
#define ID       0x802u
#define EOI      0x80Bu
#define LDR      0x80Du
#define ESR      0x828u
#define ICR      0x830u
#define SELF_IPI 0x83Fu

#define ICR_LOW_OFFSET  0x300u
#define ICR_HIGH_OFFSET 0x310u
#define ICR_SELF        0x40000u /* destination shorthand */

enum rights { NONE, READ, WRITE, BOTH };

static enum rights rights_of(uint32_t msr)
{
    if (msr == 0x802 || msr == 0x803 || msr == 0x80A || msr == LDR ||
        (msr >= 0x810 && msr <= 0x827) || msr == 0x839)
        return READ;
    if (msr == EOI || msr == SELF_IPI)
        return WRITE;
    if (msr == 0x808 || msr == 0x80F || msr == ESR || msr == ICR ||
        (msr >= 0x832 && msr <= 0x838) || msr == 0x83E || msr == 0x82F)
        return BOTH;
    return NONE;
}

static volatile uint32_t *apic_register(uint32_t offset)
{
    return (volatile uint32_t *)((rdmsr(IA32_APIC_BASE) & BASE_ADDRESS) +
                                 offset);
}

static uint32_t offset_of(uint32_t msr)
{
    return (msr - FIRST) * 16;
}

bool x2apic_is_msr(uint32_t msr)
{
    return hypervisor.x2apic &&
           (msr == IA32_APIC_BASE || (msr >= FIRST && msr <= LAST));
}

bool x2apic_read(const struct vcpu *v, uint32_t msr, uint64_t *value)
{
    uint32_t timer;

    if (msr == IA32_APIC_BASE) {
        *value = rdmsr(msr) | BASE_EXTD;
        return true;
    }
    if ((rights_of(msr) & READ) == 0)
        return false;
    if (time_apic_read(v, offset_of(msr), &timer)) {
        *value = timer;
        return true;
    }
    *value = *apic_register(offset_of(msr));
    if (msr == ID)
        *value >>= 24;
    if (msr == LDR) {
        uint32_t id = *apic_register(offset_of(ID)) >> 24;
        *value = (id & ~UINT32_C(0xF)) << 12 | UINT32_C(1) << (id & 0xF);
    }
    if (msr == ICR)
        *value |= (uint64_t)(*apic_register(ICR_HIGH_OFFSET) >> 24) << 32;
    return true;
}

bool x2apic_write(struct vcpu *v, uint32_t msr, uint64_t value)
{
    if (msr == IA32_APIC_BASE) /* leaving the mode is a #GP too */
        return value == (rdmsr(msr) | BASE_EXTD);
    if ((rights_of(msr) & WRITE) == 0 || (msr != ICR && value >> 32 != 0) ||
        ((msr == EOI || msr == ESR) && value != 0))
        return false;
    if (msr == ICR &&
        startup_command(v, (uint32_t)value, (uint32_t)(value >> 32)))
        return true;
    if (time_apic_write(v, offset_of(msr), (uint32_t)value))
        return true;
    if (msr == ICR) {
        *apic_register(ICR_HIGH_OFFSET) = (uint32_t)(value >> 32) << 24;
        *apic_register(ICR_LOW_OFFSET) = (uint32_t)value;
    } else if (msr == SELF_IPI) {
        *apic_register(ICR_LOW_OFFSET) = ICR_SELF | (uint32_t)(value & 0xFF);
    } else {
        *apic_register(offset_of(msr)) = (uint32_t)value;
    }
    return true;
}

/* "Accesses to the memory-mapped interface .. are not supported": an empty
 * page is there instead. */
bool x2apic_start(uint8_t *empty_page)
{
    uint64_t at = rdmsr(IA32_APIC_BASE) & BASE_ADDRESS;
    bool good = true;

    msr_map_intercept(hypervisor.msr_map, IA32_APIC_BASE, IA32_APIC_BASE);
    msr_map_intercept(hypervisor.msr_map, FIRST, LAST);
    for (size_t n = 0; n < PAGE_BYTES; n++)
        empty_page[n] = 0xFF;
    for (unsigned n = 0; n < hypervisor.processors; n++) {
        struct vcpu *v = &hypervisor.vcpus[n];
        struct npt *tables[] = {&v->pages_free, &v->pages_step,
                                &v->pages_catch};

        for (unsigned i = 0; i < 3; i++)
            good = good &&
                   npt_map_page(tables[i], at, (uint64_t)empty_page,
                                NPT_PRESENT | NPT_WRITE | NPT_USER | NPT_NX);
    }
    return good;
}
