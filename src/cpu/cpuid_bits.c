/* SPDX-License-Identifier: BSD-2-Clause */
/* cpuid_bits.c - bits of CPUID by leaf, register and name. */
#include "src/cpu/cpuid_bits.h"

#include "src/base/text.h"
#include "src/cpu/identity.h"

enum reg { EAX, EBX, ECX, EDX };

static const struct row {
    uint32_t leaf;
    bool has_subleaf; /* 0 */
    enum reg reg;
    uint32_t mask;
    const char *name;
} rows[CPUID_BITS] = {
    [CPUID_DTES64] = {1, false, ECX, UINT32_C(1) << 2, "a 64-bit DS area"},
    [CPUID_PDCM] = {1, false, ECX, UINT32_C(1) << 15, "PDCM"},
    [CPUID_HYPERVISOR] = {1, false, ECX, UINT32_C(1) << 31, "a hypervisor"},
    [CPUID_DS] = {1, false, EDX, UINT32_C(1) << 21, "the debug store"},
    [CPUID_HLE] = {7, true, EBX, LEAF7_EBX_HLE, "HLE"},
    [CPUID_RTM] = {7, true, EBX, LEAF7_EBX_RTM, "RTM"},
    [CPUID_PT] = {7, true, EBX, LEAF7_EBX_PT, "Processor Trace"},
    [CPUID_RTM_ALWAYS_ABORT] = {7, true, EDX, LEAF7_EDX_RTM_ALWAYS_ABORT,
                                "RTM_ALWAYS_ABORT"},
    [CPUID_TSX_FORCE_ABORT] = {7, true, EDX, LEAF7_EDX_TSX_FORCE_ABORT,
                               "TSX_FORCE_ABORT"},
    [CPUID_HYBRID] = {7, true, EDX, LEAF7_EDX_HYBRID, "hybrid"},
    [CPUID_LA57] = {7, true, ECX, LEAF7_ECX_LA57, "57-bit addresses"},
    [CPUID_TSXLDTRK] = {7, true, EDX, LEAF7_EDX_TSXLDTRK,
                        "suspension of load tracking"},
    [CPUID_ARCH_LBR] = {7, true, EDX, LEAF7_EDX_ARCH_LBR, "architectural LBRs"},
    [CPUID_ARCH_CAPABILITIES] = {7, true, EDX, LEAF7_EDX_ARCH_CAPABILITIES,
                                 "IA32_ARCH_CAPABILITIES"},
    [CPUID_PT_TOPA] = {0x14, true, ECX, LEAF14_TOPA, "trace output by ToPA"},
    [CPUID_PT_RANGE] = {0x14, true, ECX, LEAF14_RANGE,
                        "trace output to a single range"},
    [CPUID_PT_EVENT] = {0x14, true, EBX, LEAF14_EVENT, "event trace"},
    [CPUID_PT_DISTNT] = {0x14, true, EBX, LEAF14_DISTNT, "a trace without TNT"},
    [CPUID_PT_PTWRITE] = {0x14, true, EBX, LEAF14_PTW, "PTWRITE"},
};

bool cpuid_bit_set(enum cpuid_bit bit, const struct hw_cpuid *leaf)
{
    const uint32_t registers[] = {leaf->eax, leaf->ebx, leaf->ecx, leaf->edx};

    return (registers[rows[bit].reg] & rows[bit].mask) != 0;
}

const char *cpuid_bit_name(enum cpuid_bit bit)
{
    return rows[bit].name;
}

const char *cpuid_bit_register(enum cpuid_bit bit, char out[CPUID_BIT_BYTES])
{
    static const char *const names[] = {"EAX", "EBX", "ECX", "EDX"};

    text_format(out, CPUID_BIT_BYTES, "%s[%d]", names[rows[bit].reg],
                __builtin_ctz(rows[bit].mask));
    return out;
}

const char *cpuid_bit_place(enum cpuid_bit bit, char out[CPUID_BIT_BYTES])
{
    char in_register[CPUID_BIT_BYTES];

    text_format(out, CPUID_BIT_BYTES, "CPUID.%X%s%s:%s", rows[bit].leaf,
                rows[bit].leaf > 9 ? "H" : "",
                rows[bit].has_subleaf ? ".0" : "",
                cpuid_bit_register(bit, in_register));
    return out;
}
