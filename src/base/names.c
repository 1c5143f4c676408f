/* SPDX-License-Identifier: BSD-2-Clause */
/* names.c - MSRs and exceptions by name. */
#include "src/base/names.h"

#include "src/base/msr.h"
#include "src/base/text.h"

/* Registers first, first + 1, ... first + count - 1; numbered where count >
 * 1. */
struct range {
    uint32_t first, count;
    const char *name;
};

static const struct range ranges[] = {
    {IA32_PLATFORM_ID, 1, "IA32_PLATFORM_ID"},
    {MSR_SMI_COUNT, 1, "MSR_SMI_COUNT"},
    {IA32_TSC_ADJUST, 1, "IA32_TSC_ADJUST"},
    {IA32_BIOS_SIGN_ID, 1, "IA32_BIOS_SIGN_ID"},
    {IA32_PMC(0), 10, "IA32_PMC"},
    {MSR_PLATFORM_INFO, 1, "MSR_PLATFORM_INFO"},
    {IA32_ARCH_CAPABILITIES, 1, "IA32_ARCH_CAPABILITIES"},
    {TSX_FORCE_ABORT, 1, "TSX_FORCE_ABORT"},
    {IA32_TSX_CTRL, 1, "IA32_TSX_CTRL"},
    {IA32_MCU_OPT_CTRL, 1, "IA32_MCU_OPT_CTRL"},
    {IA32_PERFEVTSEL(0), 10, "IA32_PERFEVTSEL"},
    {IA32_PERF_STATUS, 1, "IA32_PERF_STATUS"},
    {IA32_MISC_ENABLE, 1, "IA32_MISC_ENABLE"},
    {MSR_OFFCORE_RSP(0), 2, "MSR_OFFCORE_RSP_"},
    {MSR_TURBO_RATIO_LIMIT, 1, "MSR_TURBO_RATIO_LIMIT"},
    {MSR_LBR_SELECT, 1, "MSR_LBR_SELECT"},
    {MSR_LASTBRANCH_TOS, 1, "MSR_LASTBRANCH_TOS"},
    {IA32_DEBUGCTL, 1, "IA32_DEBUGCTL"},
    {IA32_FIXED_CTR(0), 4, "IA32_FIXED_CTR"},
    {MSR_PERF_METRICS, 1, "MSR_PERF_METRICS"},
    {IA32_PERF_CAPABILITIES, 1, "IA32_PERF_CAPABILITIES"},
    {IA32_FIXED_CTR_CTRL, 1, "IA32_FIXED_CTR_CTRL"},
    {IA32_PERF_GLOBAL_STATUS, 1, "IA32_PERF_GLOBAL_STATUS"},
    {IA32_PERF_GLOBAL_CTRL, 1, "IA32_PERF_GLOBAL_CTRL"},
    {IA32_PERF_GLOBAL_STATUS_RESET, 1, "IA32_PERF_GLOBAL_STATUS_RESET"},
    {IA32_PERF_GLOBAL_STATUS_SET, 1,
     "IA32_PERF_GLOBAL_STATUS_SET or MSR_UNC_PERF_GLOBAL_CTRL"},
    {IA32_PERF_GLOBAL_INUSE, 1,
     "IA32_PERF_GLOBAL_INUSE or MSR_UNC_PERF_GLOBAL_STATUS"},
    {MSR_UNC_PERF_FIXED_CTRL, 1, "MSR_UNC_PERF_FIXED_CTRL"},
    {MSR_UNC_PERF_FIXED_CTR, 1, "MSR_UNC_PERF_FIXED_CTR"},
    {MSR_UNC_CBO_CONFIG, 1, "MSR_UNC_CBO_CONFIG"},
    {MSR_UNC_ARB_PERFCTR(0), 2, "MSR_UNC_ARB_PERFCTR"},
    {MSR_UNC_ARB_PERFEVTSEL(0), 2, "MSR_UNC_ARB_PERFEVTSEL"},
    {IA32_PEBS_ENABLE, 1, "IA32_PEBS_ENABLE"},
    {MSR_PEBS_DATA_CFG, 1, "MSR_PEBS_DATA_CFG"},
    {MSR_PEBS_LD_LAT, 1, "MSR_PEBS_LD_LAT"},
    {IA32_A_PMC(0), 10, "IA32_A_PMC"},
    {IA32_RTIT_OUTPUT_BASE, 1, "IA32_RTIT_OUTPUT_BASE"},
    {IA32_RTIT_OUTPUT_MASK_PTRS, 1, "IA32_RTIT_OUTPUT_MASK_PTRS"},
    {IA32_RTIT_CTL, 1, "IA32_RTIT_CTL"},
    {IA32_RTIT_STATUS, 1, "IA32_RTIT_STATUS"},
    {IA32_RTIT_CR3_MATCH, 1, "IA32_RTIT_CR3_MATCH"},
    {IA32_RTIT_ADDR_A(0), 8, "IA32_RTIT_ADDR register "},
    {IA32_DS_AREA, 1, "IA32_DS_AREA"},
    {MSR_LASTBRANCH_FROM_IP(0), 32, "MSR_LASTBRANCH_FROM_IP of record "},
    {MSR_LASTBRANCH_TO_IP(0), 32, "MSR_LASTBRANCH_TO_IP of record "},
    {MSR_LBR_INFO(0), 32, "MSR_LBR_INFO_"},
    {IA32_LBR_INFO(0), 64, "IA32_LBR_INFO of record "},
    {IA32_LBR_CTL, 1, "IA32_LBR_CTL"},
    {IA32_LBR_DEPTH, 1, "IA32_LBR_DEPTH"},
    {IA32_LBR_FROM_IP(0), 64, "IA32_LBR_FROM_IP of record "},
    {IA32_LBR_TO_IP(0), 64, "IA32_LBR_TO_IP of record "},
    {IA32_EFER, 1, "IA32_EFER"},
    {IA32_STAR, 1, "IA32_STAR"},
    {IA32_LSTAR, 1, "IA32_LSTAR"},
    {IA32_FMASK, 1, "IA32_FMASK"},
    {IA32_FS_BASE, 1, "IA32_FS_BASE"},
    {IA32_GS_BASE, 1, "IA32_GS_BASE"},
    {MSR_UNC_PERF_GLOBAL_CTRL_SKYLAKE, 1, "MSR_UNC_PERF_GLOBAL_CTRL"},
    {MSR_UNC_PERF_GLOBAL_STATUS_SKYLAKE, 1, "MSR_UNC_PERF_GLOBAL_STATUS"},
};

const char *msr_name(uint32_t msr, char out[MSR_NAME_BYTES])
{
    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        const struct range *r = &ranges[i];
        if (msr < r->first || msr - r->first >= r->count)
            continue;
        if (r->count == 1)
            text_format(out, MSR_NAME_BYTES, "%s (%XH)", r->name, msr);
        else
            text_format(out, MSR_NAME_BYTES, "%s%u (%XH)", r->name,
                        msr - r->first, msr);
        return out;
    }
    text_format(out, MSR_NAME_BYTES, "MSR %XH", msr);
    return out;
}

/* SDM 3A, "Protected-Mode Exceptions and Interrupts". */
const char *vector_name(uint64_t vector)
{
    static const char *const names[32] = {
        "#DE",       "#DB",       "NMI",       "#BP",       "#OF",
        "#BR",       "#UD",       "#NM",       "#DF",       "vector 9",
        "#TS",       "#NP",       "#SS",       "#GP",       "#PF",
        "vector 15", "#MF",       "#AC",       "#MC",       "#XM",
        "#VE",       "#CP",       "vector 22", "vector 23", "vector 24",
        "vector 25", "vector 26", "vector 27", "vector 28", "vector 29",
        "vector 30", "vector 31",
    };

    return vector < 32 ? names[vector] : "no exception";
}

const char *fault_name(int fault)
{
    return vector_name((uint64_t)(int64_t)fault);
}

const char *bits_name(uint64_t bits, char out[BITS_NAME_BYTES])
{
    text_format(out, BITS_NAME_BYTES, "%s", bits == 0 ? "none" : "");
    for (int high = 63; high >= 0; high--) {
        int low = high;
        if ((bits >> high & 1) == 0)
            continue;
        while (low > 0 && (bits >> (low - 1) & 1) != 0)
            low--;
        const char *between = out[0] != '\0' ? " " : "";
        if (text_length(out) + sizeof(" [63:62] ..") > BITS_NAME_BYTES) {
            text_append(out, BITS_NAME_BYTES, "%s..", between);
            break;
        }
        if (high == low)
            text_append(out, BITS_NAME_BYTES, "%s[%d]", between, high);
        else
            text_append(out, BITS_NAME_BYTES, "%s[%d:%d]", between, high, low);
        high = low;
    }
    return out;
}

const char *bits_change(uint64_t from, uint64_t to, char out[BITS_CHANGE_BYTES])
{
    const uint64_t set = to & ~from, cleared = from & ~to;
    char bits[BITS_NAME_BYTES];

    text_format(out, BITS_CHANGE_BYTES, "%s", from == to ? "no change" : "");
    if (set != 0)
        text_append(out, BITS_CHANGE_BYTES, "%s set", bits_name(set, bits));
    if (cleared != 0)
        text_append(out, BITS_CHANGE_BYTES, "%s%s cleared",
                    set != 0 ? ", " : "", bits_name(cleared, bits));
    return out;
}
