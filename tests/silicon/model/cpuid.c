/* SPDX-License-Identifier: BSD-2-Clause */
/* cpuid.c - CPUID: rows of the personality, and what has to be computed. */
#include "tests/silicon/model/cpuid.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/metrics.h"
#include "tests/silicon/model/pt/pt.h"
#include "tests/silicon/model/text.h"
#include "tests/silicon/model/tsx/tsx.h"

#define LEAF_HYPERVISOR      0x40000000u
#define LEAF_EXTENDED        0x80000000u
#define LEAF_EXTENDED_MAX    0x80000008u
#define LEAF1_ECX_X2APIC     BIT(21)
#define LEAF1_ECX_HYPERVISOR BIT(31)
#define LEAF1_EDX_HTT        BIT(28)
#define BRAND_BYTES          48

/* Four characters of a text as a register holds them, NUL past its end. */
static uint32_t pack(const char *s, size_t at)
{
    size_t length = text_length(s);
    uint32_t value = 0;

    for (size_t n = 0; n < 4; n++)
        if (at + n < length)
            value |= (uint32_t)(unsigned char)s[at + n] << (8 * n);
    return value;
}

static void leaf_1(struct processor *p, struct cpuid_result *out)
{
    const struct machine *m = p->machine;
    uint32_t revision = faults_revision(p, p->cpu->microcode);

    p->bios_sign = (uint64_t)revision << 32;
    out->eax = p->cpu->signature;
    out->ebx = p->apic_id << 24 | (m->processors & 0xFF) << 16 | 8 << 8;
    out->ecx = p->cpu->leaf1_ecx | (uint32_t)LEAF1_ECX_HYPERVISOR;
    out->edx = p->cpu->leaf1_edx;
    if (p->index % 2 != 0 && !faults_rule(m, THREADS_HAVE_DS, true))
        out->edx &= ~(uint32_t)BIT(21);
    if (m->x2apic)
        out->ecx |= (uint32_t)LEAF1_ECX_X2APIC;
    if (m->processors > 1)
        out->edx |= (uint32_t)LEAF1_EDX_HTT;
}

static void leaf_7(const struct processor *p, struct cpuid_result *out)
{
    out->ebx = p->cpu->leaf7_ebx;
    out->edx = p->cpu->leaf7_edx;
    if (tsx_hle_visible(p))
        out->ebx |= (uint32_t)LEAF7_EBX_HLE;
    if (tsx_rtm_visible(p))
        out->ebx |= (uint32_t)LEAF7_EBX_RTM;
    if (tsx_always_abort_visible(p))
        out->edx |= (uint32_t)LEAF7_EDX_RTM_ALWAYS_ABORT;
    if (tsx_force_abort_visible(p))
        out->edx |= (uint32_t)LEAF7_EDX_TSX_FORCE_ABORT;
    faults_leaf_7(p, &out->ebx, &out->edx);
    if (tsx_ctrl_clears(p) && !faults_rule(p->machine, CLEAR_HIDES_ALONE, true))
        out->ebx ^= BIT(5);
}

/* SDM 2A, leaf 0AH. From version 5 on: EDX[15] AnyThread is gone, ECX the fixed
 * counters as a set. */
#define LEAFA_EDX_NO_ANY_THREAD BIT(15)

/* Architectural performance monitoring; all events available, of which the
 * eighth is TOPDOWN.SLOTS. */
static void leaf_0a(const struct processor *p, struct cpuid_result *out)
{
    bool less = p->cpu->counters_told != 0;
    unsigned counters =
        faults_counters(p, less ? p->cpu->counters_told : p->counters);
    unsigned fixed = less ? p->cpu->fixed_told : p->fixed_counters;
    bool v5 = p->cpu->perfmon_version >= 5;

    out->eax = p->cpu->perfmon_version | counters << 8 | COUNTER_WIDTH << 16 |
               (fixed > FIXED_SLOTS ? 8u : 7u) << 24;
    out->edx = fixed | COUNTER_WIDTH << 5;
    if (v5) {
        out->ecx = (uint32_t)(BIT(fixed) - 1);
        out->edx |= (uint32_t)LEAFA_EDX_NO_ANY_THREAD;
        if (p->index % 2 != 0 &&
            !faults_rule(p->machine, THREADS_HAVE_FIXED, true))
            out->ecx |= 1 << 6;
    }
    if (p->index % 2 != 0 &&
        !faults_rule(p->machine, THREADS_COUNT_ALIKE, true))
        out->eax -= 1 << 8;
    if ((p->pmu.global_ctrl & BITS(34, 32)) != 0 &&
        !faults_rule(p->machine, LEAF_0A_WHILE_ENABLED, true))
        out->eax -= 1 << 8;
    faults_leaf_0a(p, out);
}

/* Extended topology: level 1 is SMT, level 2 is core; EAX shifts an APIC ID
 * to that of the next level. */
static void leaf_0b(const struct processor *p, uint32_t level,
                    struct cpuid_result *out)
{
    const struct machine *m = p->machine;
    uint32_t package_shift = 0;

    while ((1u << package_shift) < m->processors)
        package_shift++;
    if (m->smt && package_shift == 0)
        package_shift = 1;
    out->ecx = level & 0xFF;
    out->edx = p->apic_id;
    if (level == 0) {
        out->eax = m->smt ? 1 : 0;
        out->ebx = m->smt && m->processors > 1 ? 2 : 1;
        out->ecx |= 1 << 8;
    } else if (level == 1) {
        out->eax = package_shift;
        out->ebx = m->processors;
        out->ecx |= 2 << 8;
    }
}

static void leaf_vendor(uint32_t max, struct cpuid_result *out)
{
    static const char vendor[] = "GenuineIntel";

    out->eax = max;
    out->ebx = pack(vendor, 0);
    out->edx = pack(vendor, 4);
    out->ecx = pack(vendor, 8);
}

static void leaf_hypervisor(struct cpuid_result *out)
{
    static const char signature[] = "SimulatedCPU";

    out->eax = LEAF_HYPERVISOR + 1; /* exits.c has that one */
    out->ebx = pack(signature, 0);
    out->ecx = pack(signature, 4);
    out->edx = pack(signature, 8);
}

static void leaf_brand(const struct processor *p, uint32_t leaf,
                       struct cpuid_result *out)
{
    size_t at = (leaf - 0x80000002u) * 16;

    out->eax = pack(p->cpu->brand, at);
    out->ebx = pack(p->cpu->brand, at + 4);
    out->ecx = pack(p->cpu->brand, at + 8);
    out->edx = pack(p->cpu->brand, at + 12);
}

static void leaf_14(const struct processor *p, uint32_t subleaf,
                    struct cpuid_result *out)
{
    struct cpuid_row row = pt_leaf(p, subleaf);

    *out = (struct cpuid_result){row.eax, row.ebx, row.ecx, row.edx};
}

static void leaf_of_personality(const struct processor *p, uint32_t leaf,
                                uint32_t subleaf, struct cpuid_result *out)
{
    struct cpuid_row row = personality_leaf(p->cpu, leaf, subleaf);

    *out = (struct cpuid_result){row.eax, row.ebx, row.ecx, row.edx};
}

/* SDM 2A, leaf 04H. A core has its own L1 and L2; EAX[25:14], the IDs that
 * share one, less 1, are those of its threads. */
static void leaf_4(const struct processor *p, uint32_t subleaf,
                   struct cpuid_result *out)
{
    leaf_of_personality(p, 4, subleaf, out);
    if (subleaf < 3 && !p->machine->smt)
        out->eax &= ~(uint32_t)BITS(25, 14);
}

/* SDM 2A, leaf 80000006H, ECX: size in KB, associativity, line size of L2; 7 is
 * "see leaf 04H". */
static uint32_t leaf_l2(const struct processor *p)
{
    static const uint8_t codes[] = {
        [1] = 1, [2] = 2, [4] = 4, [8] = 6, [16] = 8};
    const struct cpuid_row l2 = personality_leaf(p->cpu, 4, 2);
    const uint32_t line = (l2.ebx & 0xFFF) + 1, ways = (l2.ebx >> 22) + 1;
    const uint32_t code = ways < sizeof(codes) ? codes[ways] : 0;

    return line * ways * (l2.ecx + 1) >> 10 << 16 |
           (code != 0 ? code : 7) << 12 | line;
}

uint32_t cpuid_leaf(const struct processor *p, uint32_t leaf)
{
    bool hypervisor = leaf >> 28 == LEAF_HYPERVISOR >> 28;
    bool exists = leaf < LEAF_HYPERVISOR
                      ? leaf <= p->cpu->leaf_max
                      : leaf >= LEAF_EXTENDED && leaf <= LEAF_EXTENDED_MAX;

    return hypervisor || exists ? leaf : p->cpu->leaf_max;
}

void cpuid_execute(struct processor *p, uint32_t asked, uint32_t subleaf,
                   struct cpuid_result *out)
{
    uint32_t leaf = cpuid_leaf(p, asked);

    *out = (struct cpuid_result){0};
    switch (leaf) {
    case 0:
        leaf_vendor(p->cpu->leaf_max, out);
        break;
    case 1:
        leaf_1(p, out);
        break;
    case 2:
        out->eax = 0x0000FF01; /* no descriptors: leaf 4 has the caches */
        break;
    case 4:
        leaf_4(p, subleaf, out);
        break;
    case 6: /* IA32_MPERF and IA32_APERF: hypervisor/guest/power.c */
        out->ecx = 0x00000001;
        break;
    case 7:
        if (subleaf == 0)
            leaf_7(p, out);
        break;
    case 0x0A:
        if (subleaf == 0 || faults_rule(p->machine, LEAF_0A_WHOLE, true))
            leaf_0a(p, out);
        break;
    case 0x0B:
        leaf_0b(p, subleaf, out);
        break;
    case 0x14:
        leaf_14(p, subleaf, out);
        break;
    case LEAF_HYPERVISOR:
        leaf_hypervisor(out);
        break;
    case LEAF_EXTENDED:
        out->eax = LEAF_EXTENDED_MAX;
        break;
    case 0x80000001u:
        out->ecx = 0x00000001; /* LAHF in 64-bit mode */
        if ((p->cpu->leaf7_ebx & LEAF7_EBX_BMI1) != 0)
            out->ecx |= (uint32_t)LEAFX_ECX_LZCNT; /* they came together */
        out->edx = 0x2C100800; /* SYSCALL, NX, 1G, RDTSCP, 64-bit */
        break;
    case 0x80000002u:
    case 0x80000003u:
    case 0x80000004u:
        leaf_brand(p, leaf, out);
        break;
    case 0x80000006u:
        out->ecx = leaf_l2(p);
        break;
    case 0x80000007u:
        out->edx = 0x00000100; /* invariant TSC */
        break;
    case 0x80000008u:
        out->eax = 0x3027; /* 48 bits linear, 39 physical */
        break;
    default:
        leaf_of_personality(p, leaf, subleaf, out);
        break;
    }
    out->eax = (uint32_t)faults_quantity(p->machine, OF_EAX, leaf, out->eax);
    out->ebx = (uint32_t)faults_quantity(p->machine, OF_EBX, leaf, out->ebx);
    out->ecx = (uint32_t)faults_quantity(p->machine, OF_ECX, leaf, out->ecx);
    out->edx = (uint32_t)faults_quantity(p->machine, OF_EDX, leaf, out->edx);
}
