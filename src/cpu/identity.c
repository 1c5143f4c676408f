/* SPDX-License-Identifier: BSD-2-Clause */
/* identity.c - reads CPUID and the MSRs that identify a processor. */
#include "src/cpu/identity.h"

#include "src/base/hw.h"
#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/text.h"
#include "src/cpu/cpuid_bits.h"
#include "src/cpu/generation.h"

#define LEAF_BRAND_LAST    0x80000004u
#define LEAF_ADDRESS_SIZES 0x80000008u
#define LEVEL_SMT          1 /* CPUID.0BH:ECX[15:8] */
#define LEVEL_CORE         2

static uint32_t field(uint32_t value, unsigned high, unsigned low)
{
    return (uint32_t)((value & BITS(high, low)) >> low);
}

/* Twelve characters of three registers. */
static void name12(char out[13], uint32_t a, uint32_t b, uint32_t c)
{
    memcpy(out, &a, 4);
    memcpy(out + 4, &b, 4);
    memcpy(out + 8, &c, 4);
    out[12] = '\0';
}

static void read_brand(struct identity *out)
{
    struct hw_cpuid r;
    char text[49] = "";

    hw_cpuid(0x80000000u, 0, &r);
    if (r.eax < LEAF_BRAND_LAST || r.eax > 0x8000ffffu)
        return;
    for (uint32_t i = 0; i < 3; i++) {
        hw_cpuid(0x80000002u + i, 0, &r);
        memcpy(text + 16 * i, &r, 16);
    }
    const char *start = text; /* the brand may be right-justified */
    while (*start == ' ')
        start++;
    text_format(out->brand, sizeof(out->brand), "%s", start);
}

/* SDM 2A, CPUID: 36 where there is no such leaf. */
static void read_physical(struct identity *out)
{
    struct hw_cpuid r;

    out->physical_bits = 36;
    hw_cpuid(0x80000000u, 0, &r);
    if (r.eax < LEAF_ADDRESS_SIZES || r.eax > 0x8000ffffu)
        return;
    hw_cpuid(LEAF_ADDRESS_SIZES, 0, &r);
    out->physical_bits = (uint8_t)r.eax;
}

/* SDM 3A, "Update Signature and Verification": write 0, CPUID.1, read. */
static void read_microcode(struct identity *out)
{
    struct hw_cpuid r;
    uint64_t value;

    if (!identity_is_intel(out) ||
        hw_msr_write(IA32_BIOS_SIGN_ID, 0) != HW_NO_FAULT)
        return;
    hw_cpuid(1, 0, &r);
    if (hw_msr_read(IA32_BIOS_SIGN_ID, &value) != HW_NO_FAULT)
        return;
    out->microcode = (uint32_t)(value >> 32);
    out->microcode_known = true;
}

static void read_platform(struct identity *out)
{
    uint64_t value;

    if (!identity_is_intel(out) ||
        hw_msr_read(IA32_PLATFORM_ID, &value) != HW_NO_FAULT)
        return;
    out->platform = (uint8_t)(value >> IA32_PLATFORM_ID_SHIFT & 7);
    out->platform_known = true;
}

/* SDM 2A, CPUID, "Version Information Returned by CPUID in EAX". */
static void read_signature(struct identity *out)
{
    struct hw_cpuid r;

    hw_cpuid(1, 0, &r);
    uint32_t family = field(r.eax, 11, 8), model = field(r.eax, 7, 4);
    if (family == 6 || family == 15)
        model += field(r.eax, 19, 16) << 4;
    if (family == 15)
        family += field(r.eax, 27, 20);
    out->signature = r.eax;
    out->family = (uint16_t)family;
    out->model = (uint16_t)model;
    out->stepping = (uint8_t)field(r.eax, 3, 0);
    out->apic_id = field(r.ebx, 31, 24);
    out->dtes64 = cpuid_bit_set(CPUID_DTES64, &r);
    out->pdcm = cpuid_bit_set(CPUID_PDCM, &r);
    out->ds = cpuid_bit_set(CPUID_DS, &r);
    out->hypervisor = cpuid_bit_set(CPUID_HYPERVISOR, &r);
    if (out->hypervisor) {
        hw_cpuid(0x40000000u, 0, &r);
        name12(out->hypervisor_name, r.ebx, r.ecx, r.edx);
    }
}

static void read_features(struct identity *out)
{
    struct hw_cpuid r;
    uint64_t value;

    if (out->leaf_max < 7)
        return;
    hw_cpuid(7, 0, &r);
    out->leaf7_ebx = r.ebx;
    out->leaf7_edx = r.edx;
    out->hle = cpuid_bit_set(CPUID_HLE, &r);
    out->rtm = cpuid_bit_set(CPUID_RTM, &r);
    out->rtm_always_abort = cpuid_bit_set(CPUID_RTM_ALWAYS_ABORT, &r);
    out->la57 = cpuid_bit_set(CPUID_LA57, &r);
    out->tsxldtrk = cpuid_bit_set(CPUID_TSXLDTRK, &r);
    out->arch_lbr = cpuid_bit_set(CPUID_ARCH_LBR, &r);
    out->tsx_force_abort = cpuid_bit_set(CPUID_TSX_FORCE_ABORT, &r);
    out->arch_capabilities_present = cpuid_bit_set(CPUID_ARCH_CAPABILITIES, &r);
    if (out->arch_capabilities_present && identity_is_intel(out))
        (void)hw_msr_read(IA32_ARCH_CAPABILITIES, &out->arch_capabilities);
    if ((r.ecx & LEAF7_ECX_TME) != 0 && identity_is_intel(out) &&
        hw_msr_read(IA32_TME_ACTIVATE, &value) == HW_NO_FAULT)
        out->key_bits = (uint8_t)((value & IA32_TME_ACTIVATE_KEY_BITS) >> 32);
    if (out->leaf_max >= 0x1a && cpuid_bit_set(CPUID_HYBRID, &r)) {
        hw_cpuid(0x1a, 0, &r);
        out->core_type = (uint8_t)field(r.eax, 31, 24);
    }
}

/* "Architectural Performance Monitoring Extended Leaf", "Last Branch Records
 * Information Leaf". */
static void read_pmu_later(struct identity *out)
{
    struct hw_cpuid r;

    if (out->arch_lbr && out->leaf_max >= 0x1c) {
        hw_cpuid(0x1c, 0, &r);
        out->leaf1c_eax = r.eax;
        out->leaf1c_ebx = r.ebx;
        out->leaf1c_ecx = r.ecx;
        out->select_counts_lbr = field(r.ecx, 19, 16) != 0;
    }
    /* Of a hybrid, 0AH tells what both kinds of cores have; of these Linux has
     * two more on those of the first kind (arch/x86/events/intel/core.c,
     * intel_pmu_init(), "Initialize big core specific PerfMon capabilities").
     */
    if (out->core_type == CORE_TYPE_CORE && out->leaf_max < 0x23 &&
        out->counters == 6 && identity_generation(out) == GOLDEN_COVE)
        out->counters = 8;
    if (out->perfmon_version < 5 || out->leaf_max < 0x23)
        return;
    hw_cpuid(0x23, 0, &r);
    out->leaf23_ebx = r.ebx;
    if ((r.eax & 2) == 0) /* subleaf 1 */
        return;
    hw_cpuid(0x23, 1, &r);
    if ((r.eax & 1) != 0)
        out->counters = (uint8_t)__builtin_ctzll(~(uint64_t)r.eax);
    out->fixed_set |= r.ebx;
}

static void read_pmu(struct identity *out)
{
    uint64_t misc = IA32_MISC_ENABLE_PEBS_UNAVAILABLE;
    struct hw_cpuid r;

    if (out->leaf_max >= 0xa) {
        hw_cpuid(0xa, 0, &r);
        out->leaf0a_eax = r.eax;
        out->leaf0a_ebx = r.ebx;
        out->leaf0a_edx = r.edx;
        out->perfmon_version = (uint8_t)field(r.eax, 7, 0);
        out->counters = (uint8_t)field(r.eax, 15, 8);
        out->counter_bits = (uint8_t)field(r.eax, 23, 16);
        if (out->perfmon_version >= 2) { /* EDX is defined from there */
            out->fixed_counters = (uint8_t)field(r.edx, 4, 0);
            out->fixed_bits = (uint8_t)field(r.edx, 12, 5);
            out->fixed_set = (UINT32_C(1) << out->fixed_counters) - 1;
        }
        if (out->perfmon_version >= 5)
            out->fixed_set |= r.ecx;
    }
    read_pmu_later(out);
    if (out->ds && identity_is_intel(out))
        (void)hw_msr_read(IA32_MISC_ENABLE, &misc);
    out->pebs_unavailable = (misc & IA32_MISC_ENABLE_PEBS_UNAVAILABLE) != 0;
    if (out->pdcm && identity_is_intel(out) &&
        hw_msr_read(IA32_PERF_CAPABILITIES, &out->perf_capabilities) ==
            HW_NO_FAULT) {
        out->pebs_format = out->perf_capabilities >> 8 & 15;
        out->pebs_area_5 = out->pebs_format == 5 || out->pebs_format == 6;
        out->pebs_counters = out->pebs_format == 6;
        if (out->pebs_area_5)
            out->pebs_format = 4;
        out->full_width_writes =
            (out->perf_capabilities & IA32_PERF_CAPABILITIES_FW_WRITE) != 0;
    }
}

/* SDM 3C, Intel Processor Trace, "CPUID Leaf 14H Enumeration of Intel PT
 * Capabilities". */
static void read_trace(struct identity *out)
{
    struct hw_cpuid r;

    out->pt = out->leaf_max >= 0x14 && (out->leaf7_ebx & LEAF7_EBX_PT) != 0;
    if (!out->pt)
        return;
    hw_cpuid(0x14, 0, &r);
    out->leaf14_ebx = r.ebx;
    out->leaf14_ecx = r.ecx;
    if (r.eax == 0) /* the last subleaf */
        return;
    hw_cpuid(0x14, 1, &r);
    out->leaf14_1_eax = r.eax;
    out->leaf14_1_ebx = r.ebx;
    if (out->leaf_max < 0x15)
        return;
    hw_cpuid(0x15, 0, &r);
    out->leaf15_eax = r.eax;
    out->leaf15_ebx = r.ebx;
}

static void read_topology(struct identity *out)
{
    struct hw_cpuid r;

    if (out->leaf_max < 0xb)
        return;
    for (uint32_t level = 0; level < 2; level++) {
        hw_cpuid(0xb, level, &r);
        uint32_t type = field(r.ecx, 15, 8);
        if (type == 0 || r.ebx == 0)
            return;
        out->topology_known = true;
        out->apic_id = r.edx;
        if (type == LEVEL_SMT)
            out->smt_shift = (uint8_t)field(r.eax, 4, 0);
        if (type == LEVEL_CORE)
            out->core_shift = (uint8_t)field(r.eax, 4, 0);
    }
}

void identity_read(struct identity *out)
{
    struct hw_cpuid r;

    memset(out, 0, sizeof(*out));
    hw_cpuid(0, 0, &r);
    out->leaf_max = r.eax;
    name12(out->vendor, r.ebx, r.edx, r.ecx);
    read_signature(out);
    read_microcode(out);
    read_platform(out);
    read_features(out);
    read_pmu(out);
    read_trace(out);
    read_topology(out);
    read_brand(out);
    read_physical(out);
}

bool identity_is_intel(const struct identity *id)
{
    return text_equal(id->vendor, "GenuineIntel");
}

bool identity_here_is_intel(void)
{
    struct identity here;
    struct hw_cpuid r;

    hw_cpuid(0, 0, &r);
    name12(here.vendor, r.ebx, r.edx, r.ecx);
    return identity_is_intel(&here);
}

enum generation identity_generation(const struct identity *id)
{
    return generation_of(id->family, id->model, id->core_type);
}

bool identity_is_native(const struct identity *id)
{
    return !id->hypervisor ||
           text_equal(id->hypervisor_name, IDENTITY_SIMULATED);
}

bool identity_known(const struct identity *id)
{
    return identity_generation(id) != GENERATION_UNKNOWN;
}

bool identity_siblings(const struct identity *a, const struct identity *b)
{
    return a->apic_id >> a->smt_shift == b->apic_id >> b->smt_shift;
}

bool identity_one_package(const struct identity *a, const struct identity *b)
{
    return a->core_shift == 0 ||
           a->apic_id >> a->core_shift == b->apic_id >> b->core_shift;
}
