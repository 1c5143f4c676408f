/* SPDX-License-Identifier: BSD-2-Clause */
/* needs.c - compares needs with a processor. */
#include "src/session/needs.h"

#include "src/base/msr.h"
#include "src/cpu/cpuid_bits.h"
#include "src/lbr/record.h"
#include "src/uncore/offcore.h"
#include "src/uncore/uncore.h"

struct feature_row {
    enum feature feature;
    bool present;
    const char *name; /* NULL: the bit's */
    enum cpuid_bit bit;
};

static void name_regimes(unsigned regimes, enum regime have,
                         char text[NEEDS_TEXT_BYTES])
{
    const char *between = "needs regime ";

    text[0] = '\0';
    for (unsigned left = regimes; left != 0;) {
        text_append(text, NEEDS_TEXT_BYTES, "%s%s", between,
                    regime_name(left & -left));
        left &= left - 1; /* the lowest bit is written */
        between = (left & (left - 1)) == 0 ? " or " : ", ";
    }
    text_append(text, NEEDS_TEXT_BYTES, "; this one is %s", regime_name(have));
}

static void name_missing(const struct feature_row *row,
                         char text[NEEDS_TEXT_BYTES])
{
    char place[CPUID_BIT_BYTES];

    if (row->name != NULL)
        text_format(text, NEEDS_TEXT_BYTES, "needs %s", row->name);
    else
        text_format(text, NEEDS_TEXT_BYTES, "needs %s (%s)",
                    cpuid_bit_name(row->bit), cpuid_bit_place(row->bit, place));
}

bool needs_met(const struct needs *needs, const struct identity *id,
               enum regime regime, unsigned processors,
               char text[NEEDS_TEXT_BYTES])
{
    const bool intel = identity_is_intel(id);
    const bool native = identity_is_native(id);
    const char *const bare = "a bare machine: a hypervisor shows its guest "
                             "one thing, and does another";
    struct lbr_model lbr;
    const struct feature_row rows[] = {
        {NEED_PMU, id->perfmon_version >= 2,
         .name = "architectural performance monitoring version 2 "
                 "(CPUID.0AH:EAX[7:0])"},
        {NEED_PERFMON_4, id->perfmon_version >= 4,
         .name = "architectural performance monitoring version 4 "
                 "(CPUID.0AH:EAX[7:0])"},
        {NEED_RTM, id->rtm, .bit = CPUID_RTM},
        {NEED_HLE, id->hle, .bit = CPUID_HLE},
        {NEED_HLE, native, .name = bare},
        {NEED_TSXLDTRK, id->tsxldtrk, .bit = CPUID_TSXLDTRK},
        {NEED_FULL_WIDTH, id->full_width_writes,
         .name = "full-width counter writes (IA32_PERF_CAPABILITIES[13])"},
        {NEED_METRICS,
         (id->perf_capabilities & IA32_PERF_CAPABILITIES_PERF_METRICS) != 0,
         .name = "performance metrics (IA32_PERF_CAPABILITIES[15])"},
        {NEED_METRICS, (id->fixed_set >> 3 & 1) != 0,
         .name = "IA32_FIXED_CTR3 (CPUID.0AH:ECX[3] or EDX[4:0])"},
        {NEED_PEBS, id->ds, .bit = CPUID_DS},
        {NEED_PEBS, native, .name = bare},
        {NEED_PEBS, id->dtes64, .bit = CPUID_DTES64},
        {NEED_PEBS, !id->pebs_unavailable,
         .name = "PEBS; IA32_MISC_ENABLE (1A0H)[12] (PEBS unavailable) is 1"},
        {NEED_PEBS, id->pebs_format <= 4,
         .name = "PEBS records of format 1 to 6, not later ones "
                 "(IA32_PERF_CAPABILITIES[11:8])"},
        {NEED_PEBS,
         id->pebs_format < 4 || (id->perf_capabilities &
                                 IA32_PERF_CAPABILITIES_PEBS_BASELINE) != 0,
         .name = "adaptive PEBS (IA32_PERF_CAPABILITIES[14])"},
        {NEED_PEBS, id->pebs_format != 0,
         .name =
             "PEBS records of format 1 to 6 (IA32_PERF_CAPABILITIES[11:8])"},
        {NEED_PEBS, id->counters >= 4,
         .name = "the four general-purpose counters that PEBS has"},
        {NEED_PEBS_2, id->pebs_format >= 2,
         .name =
             "PEBS records of format 2 to 6 (IA32_PERF_CAPABILITIES[11:8])"},
        {NEED_PEBS_3, id->pebs_format >= 3,
         .name =
             "PEBS records of format 3 to 6 (IA32_PERF_CAPABILITIES[11:8])"},
        {NEED_ADAPTIVE_PEBS, id->pebs_format == 4,
         .name =
             "adaptive PEBS records (IA32_PERF_CAPABILITIES[11:8] = 4, 5, 6)"},
        {NEED_PT, id->pt, .bit = CPUID_PT},
        {NEED_PT, (id->leaf14_ecx & (LEAF14_TOPA | LEAF14_RANGE)) != 0,
         .name = "a trace in memory (CPUID.14H.0:ECX[0] or ECX[2])"},
        {NEED_PT_TOPA, (id->leaf14_ecx & LEAF14_TOPA) != 0,
         .bit = CPUID_PT_TOPA},
        {NEED_PT_RANGE, (id->leaf14_ecx & LEAF14_RANGE) != 0,
         .bit = CPUID_PT_RANGE},
        {NEED_PT_EVENT, (id->leaf14_ebx & LEAF14_EVENT) != 0,
         .bit = CPUID_PT_EVENT},
        {NEED_PT_DISTNT, (id->leaf14_ebx & LEAF14_DISTNT) != 0,
         .bit = CPUID_PT_DISTNT},
        {NEED_PT_PTWRITE, (id->leaf14_ebx & LEAF14_PTW) != 0,
         .bit = CPUID_PT_PTWRITE},
        {NEED_OFFCORE | NEED_UNCORE, native, .name = bare},
        {NEED_OFFCORE, offcore_of(id) != NULL,
         .name = "off-core response bits that the manual names for this "
                 "DisplayFamily_DisplayModel"},
        {NEED_UNCORE, uncore_of(id) != NULL,
         .name =
             "the uncore of a client processor of the 2nd to 8th generation "
             "(DisplayFamily_DisplayModel)"},
        {NEED_LBR, lbr_of(id, &lbr),
         .name = "last branch records of a known format (345H[5:0] = 3 to 5), "
                 "or 16 architectural ones with filters (CPUID.1CH)"},
        {NEED_TWO_PROCESSORS, processors >= 2,
         .name = "two logical processors"},
    };

    if (!intel && (needs->features & NEED_INTEL) != 0) {
        text_format(text, NEEDS_TEXT_BYTES,
                    "needs an Intel processor; this one is \"%s\"", id->vendor);
        return false;
    }
    if (needs->regimes != 0 && (needs->regimes & regime) == 0) {
        name_regimes(needs->regimes, regime, text);
        return false;
    }
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if ((needs->features & rows[i].feature) != 0 && !rows[i].present) {
            name_missing(&rows[i], text);
            return false;
        }
    if (id->counters < needs->counters) {
        const bool of_core =
            native &&
            (identity_generation(id) &
             (SANDY_BRIDGE | IVY_BRIDGE | HASWELL | BROADWELL | SKYLAKE)) != 0;
        text_format(text, NEEDS_TEXT_BYTES,
                    "needs %u general-purpose counters; there are %u%s",
                    needs->counters, id->counters,
                    of_core && id->counters == 4 && needs->counters <= 8
                        ? ", and may be 8 with Hyper-Threading off"
                        : "");
        return false;
    }
    return true;
}
