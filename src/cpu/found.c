/* SPDX-License-Identifier: BSD-2-Clause */
/* found.c - reads a processor as it is. */
#include "src/cpu/found.h"

#include "src/base/mem.h"
#include "src/base/msr.h"
#include "src/base/text.h"

const uint32_t found_msrs[FOUND_MSRS] = {
    IA32_PLATFORM_ID,       IA32_BIOS_SIGN_ID,       MSR_SMI_COUNT,
    IA32_PERF_CAPABILITIES, IA32_MISC_ENABLE,        IA32_DEBUGCTL,
    IA32_FIXED_CTR_CTRL,    IA32_PERF_GLOBAL_STATUS, IA32_PERF_GLOBAL_CTRL,
    IA32_PERF_GLOBAL_INUSE, IA32_PEBS_ENABLE,        IA32_RTIT_CTL,
};

#define LEAF1_ECX_PDCM (1u << 15)
#define LEAF1_EDX_DS   (1u << 21)
#define LEAF1_EDX_MTRR (1u << 12)
#define LEAF1_EDX_PAT  (1u << 16)
#define LEAF7_EBX_PT   (1u << 25)
#define INTEL_EBX      0x756e6547u /* "Genu" */
#define MTRRCAP_VCNT   BITS(7, 0)
#define DEF_TYPE_E     BIT(11)
#define PHYSMASK_VALID BIT(11)
#define PAGE_BYTES     4096
#define TYPE           BITS(7, 0)
#define ADDRESS        BITS(51, 12)

/* What says that an MSR is there. */
struct enumerated {
    bool intel, pdcm, ds, pt;
    unsigned version; /* of performance monitoring */
};

static bool is_enumerated(const struct enumerated *e, uint32_t msr)
{
    switch (msr) {
    case IA32_PERF_CAPABILITIES:
        return e->pdcm;
    case IA32_PEBS_ENABLE:
        return e->ds;
    case IA32_FIXED_CTR_CTRL:
    case IA32_PERF_GLOBAL_STATUS:
    case IA32_PERF_GLOBAL_CTRL:
        return e->version >= 2;
    case IA32_PERF_GLOBAL_INUSE:
        return e->version >= 4;
    case IA32_RTIT_CTL:
        return e->pt;
    default:
        return true;
    }
}

static void read_msrs(struct found *out, const struct enumerated *e)
{
    for (unsigned i = 0; i < FOUND_MSRS; i++)
        out->fault[i] = e->intel && is_enumerated(e, found_msrs[i])
                            ? hw_msr_read(found_msrs[i], &out->value[i])
                            : FOUND_NOT_READ;
}

bool found_has(const struct found *found, uint32_t msr)
{
    for (unsigned i = 0; i < FOUND_MSRS; i++)
        if (found_msrs[i] == msr)
            return found->fault[i] == HW_NO_FAULT;
    return false;
}

uint64_t found_value(const struct found *found, uint32_t msr)
{
    for (unsigned i = 0; i < FOUND_MSRS; i++)
        if (found_msrs[i] == msr && found->fault[i] == HW_NO_FAULT)
            return found->value[i];
    return 0;
}

static const struct found_leaf *read_leaves(struct found *out, uint32_t last)
{
    static const struct {
        uint32_t leaf, subleaf;
    } wanted[FOUND_LEAVES] = {{1, 0},    {7, 0},    {0xa, 0},
                              {0x14, 0}, {0x14, 1}, {0x23, 0},
                              {0x23, 1}, {0x23, 2}, {0x23, 3}};

    for (unsigned i = 0; i < FOUND_LEAVES; i++) {
        struct found_leaf *leaf = &out->leaves[i];
        leaf->leaf = wanted[i].leaf;
        leaf->subleaf = wanted[i].subleaf;
        /* EAX of subleaf 0 is the last subleaf, or of 23H their set. */
        const uint32_t eax =
            leaf->subleaf == 0 ? 1 : leaf[-(int)leaf->subleaf].value.eax;
        leaf->present =
            leaf->leaf <= last &&
            (leaf->leaf == 0x23 ? eax >> leaf->subleaf & 1 : eax) != 0;
        if (leaf->present)
            hw_cpuid(leaf->leaf, leaf->subleaf, &leaf->value);
    }
    return out->leaves;
}

static void read_types(struct found *out)
{
    uint64_t cap;

    if (hw_msr_read(IA32_MTRRCAP, &cap) != HW_NO_FAULT ||
        hw_msr_read(IA32_MTRR_DEF_TYPE, &out->mtrr_default) != HW_NO_FAULT ||
        hw_msr_read(IA32_PAT, &out->pat) != HW_NO_FAULT)
        return;
    out->ranges = cap & MTRRCAP_VCNT;
    if (out->ranges > FOUND_VAR)
        out->ranges = FOUND_VAR;
    for (unsigned i = 0; i < out->ranges; i++)
        if (hw_msr_read(IA32_MTRR_PHYSBASE(i), &out->base[i]) != HW_NO_FAULT ||
            hw_msr_read(IA32_MTRR_PHYSMASK(i), &out->mask[i]) != HW_NO_FAULT)
            return;
    out->types_known = true;
}

/* SDM 3A, "Memory Types That Can Be Encoded in MTRRs", "Memory Types That Can
 * Be Encoded With PAT". */
static const char *type_name(unsigned type)
{
    static const char *const names[] = {[0] = "UC", [1] = "WC", [4] = "WT",
                                        [5] = "WP", [6] = "WB", [7] = "UC-"};

    return type < sizeof(names) / sizeof(names[0]) && names[type] != NULL
               ? names[type]
               : "?";
}

/* SDM 3A, "MTRR Precedences": UC wins, then WT over WB. */
const char *found_mtrr_type(const struct found *found, uint64_t physical)
{
    unsigned type = 0xff;

    if (!found->types_known)
        return "?";
    if ((found->mtrr_default & DEF_TYPE_E) == 0)
        return type_name(0);
    for (unsigned i = 0; i < found->ranges; i++) {
        uint64_t mask = found->mask[i] & ADDRESS;
        if ((found->mask[i] & PHYSMASK_VALID) == 0 ||
            (physical & mask) != (found->base[i] & mask))
            continue;
        unsigned here = found->base[i] & TYPE;
        type = here < type ? here : type; /* 0 UC, 4 WT, 6 WB */
    }
    return type_name(type != 0xff ? type : found->mtrr_default & TYPE);
}

const char *found_pat_type(const struct found *found, unsigned index)
{
    return found->types_known && index < 8
               ? type_name(found->pat >> 8 * index & TYPE)
               : "?";
}

static bool is_other(const char **seen, const char *type)
{
    bool other = *seen != NULL && !text_equal(*seen, type);

    if (*seen == NULL)
        *seen = type;
    return other;
}

static void look_at_memory(struct found *found, const char *at, size_t bytes)
{
    struct found_memory *m = &found->memory;
    bool several = false;
    uint64_t physical = 0;
    unsigned pat = 0;

    *m = (struct found_memory){
        .mapped = true, .contiguous = true, .bytes = bytes};
    for (size_t i = 0; i < bytes && m->mapped; i += PAGE_BYTES) {
        m->mapped = hw_physical(at + i, &physical, &pat);
        if (!m->mapped)
            return;
        m->physical = i == 0 ? physical : m->physical;
        m->contiguous = m->contiguous && physical == m->physical + i;
        several |= is_other(&m->mtrr, found_mtrr_type(found, physical));
        several |= is_other(&m->pat, found_pat_type(found, pat));
    }
    m->alike = !several;
}

void found_read(struct found *out, unsigned processor, const void *at,
                size_t bytes)
{
    struct hw_cpuid zero;

    memset(out, 0, sizeof(*out));
    hw_cpuid(0, 0, &zero);
    const struct found_leaf *leaves = read_leaves(out, zero.eax);
    const struct hw_cpuid *one = &leaves[0].value;
    const struct enumerated enumerated = {
        .intel = zero.ebx == INTEL_EBX,
        .pdcm = (one->ecx & LEAF1_ECX_PDCM) != 0,
        .ds = (one->edx & LEAF1_EDX_DS) != 0,
        .version = leaves[2].value.eax & 0xff,
        .pt = leaves[3].present && (leaves[1].value.ebx & LEAF7_EBX_PT) != 0,
    };
    read_msrs(out, &enumerated);
    if ((one->edx & LEAF1_EDX_MTRR) != 0 && (one->edx & LEAF1_EDX_PAT) != 0)
        read_types(out);
    out->lvt_known = hw_found_lvt(processor, &out->lvt);
    look_at_memory(out, at, bytes);
}
