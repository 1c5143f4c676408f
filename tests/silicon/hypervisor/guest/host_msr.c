/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * host_msr.c - MSRs that are the host's, as an operating system reads and
 * writes them: QEMU's take any value, and a processor raises #GP.
 *
 * SDM volume 2C, "WRMSR": "MSRs that must contain canonical addresses"; volume
 * 3A, "Memory Type Range Registers", tables "Memory Types That Can Be Encoded
 * in MTRRs" and "Address Mapping for Fixed-Range MTRRs"; "Page Attribute
 * Table", table "Memory Types That Can Be Encoded With PAT"; volume 3B,
 * "IA32_MCG_CAP MSR".
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/guest/host_msr.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/bits.h"

#define ABOVE_PHYSICAL BITS(63, 39) /* MAXPHYADDR is 39 */

enum values {
    READ_ONLY,
    CANONICAL,
    TYPES,        /* of memory, in each byte */
    TYPES_OF_PAT, /* the same, and UC- */
    RANGE_BASE_OR_MASK,
    DEFAULT_TYPE,
};

static const struct rule_of_msr {
    uint32_t first, last;
    enum values values;
} rules[] = {
    {0x0FE, 0x0FE, READ_ONLY},           /* IA32_MTRRCAP */
    {0x175, 0x176, CANONICAL},           /* IA32_SYSENTER_ESP, _EIP */
    {0x179, 0x179, READ_ONLY},           /* IA32_MCG_CAP */
    {0x200, 0x20F, RANGE_BASE_OR_MASK},  /* IA32_MTRR_PHYSBASEn, _PHYSMASKn */
    {0x250, 0x250, TYPES},               /* IA32_MTRR_FIX64K_00000 */
    {0x258, 0x259, TYPES},               /* IA32_MTRR_FIX16K_.. */
    {0x268, 0x26F, TYPES},               /* IA32_MTRR_FIX4K_.. */
    {0x277, 0x277, TYPES_OF_PAT},        /* IA32_PAT */
    {0x2FF, 0x2FF, DEFAULT_TYPE},        /* IA32_MTRR_DEF_TYPE */
    {0xC0000082, 0xC0000083, CANONICAL}, /* IA32_LSTAR, _CSTAR */
    {0xC0000100, 0xC0000102, CANONICAL}, /* bases of FS, GS; GS for SWAPGS */
};
#define RULES (sizeof(rules) / sizeof(rules[0]))

void host_msr_start(void)
{
    for (size_t n = 0; n < RULES; n++)
        msr_map_intercept(hypervisor.msr_map, rules[n].first, rules[n].last);
}

/* UC, WC, WT, WP, WB. */
static bool is_type(uint64_t value)
{
    return (value & 0xFF) <= 1 || ((value & 0xFF) >= 4 && (value & 0xFF) <= 6);
}

static bool are_types(uint64_t value, bool pat)
{
    for (unsigned n = 0; n < 8; n++, value >>= 8)
        if (!is_type(value) && !(pat && (value & 0xFF) == 7))
            return false;
    return true;
}

static bool obeys(uint32_t number, uint64_t value, enum values values)
{
    switch (values) {
    case CANONICAL:
        return (uint64_t)((int64_t)(value << 16) >> 16) == value;
    case TYPES:
    case TYPES_OF_PAT:
        return are_types(value, values == TYPES_OF_PAT);
    case RANGE_BASE_OR_MASK:
        return (number & 1) != 0
                   ? (value & (ABOVE_PHYSICAL | BITS(10, 0))) == 0
                   : (value & (ABOVE_PHYSICAL | BITS(11, 8))) == 0 &&
                         is_type(value);
    case DEFAULT_TYPE:
        return (value & ~(BITS(11, 10) | BITS(7, 0))) == 0 && is_type(value);
    case READ_ONLY:
    default:
        return false;
    }
}

/* NULL: none has it. */
static const struct rule_of_msr *find(uint32_t number)
{
    for (size_t n = 0; n < RULES; n++)
        if (number >= rules[n].first && number <= rules[n].last)
            return &rules[n];
    return NULL;
}

bool host_msr_has(uint32_t number)
{
    return hypervisor.has_os &&
           (number == IA32_APIC_BASE || find(number) != NULL);
}

uint64_t host_msr_read(const struct vcpu *v, uint32_t number)
{
    return number == IA32_APIC_BASE ? v->apic_base : rdmsr(number);
}

bool host_msr_write(struct vcpu *v, uint32_t number, uint64_t value)
{
    if (number == IA32_APIC_BASE)
        return apic_base_write(v, value);
    if (!obeys(number, value, find(number)->values))
        return false;
    wrmsr(number, value);
    return true;
}
