/* SPDX-License-Identifier: BSD-2-Clause */
/* enumeration.c - what goes wrong with what CPUID, IA32_PERF_GLOBAL_INUSE and
 * RDPMC say of counters. */
#include "tests/silicon/model/hooks.h"

#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/counters/pmu_msr.h"

FAULT(inuse_by_enable,
      .what = "[any with perfmon 4] GLOBAL_INUSE[n] is PERFEVTSELn.EN",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(inuse_by_global_ctrl,
      .what = "[any with perfmon 4] GLOBAL_INUSE shows enabled counters alone",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(inuse_misses_fixed,
      .what = "[any with perfmon 4] GLOBAL_INUSE[34:32] are 0",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(inuse_fixed_shifted,
      .what = "[any with perfmon 4] GLOBAL_INUSE[33] shows fixed counter 0",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(inuse_fixed_by_pmi,
      .what = "[any with perfmon 4] GLOBAL_INUSE[34:32] are set by the PMI "
              "bit alone, too",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(inuse_fixed_os,
      .what = "[any with perfmon 4] GLOBAL_INUSE[34:32] show ring 0 alone",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(inuse_no_pmi, .what = "[any with perfmon 4] GLOBAL_INUSE[63] is 0",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(inuse_no_fixed_pmi,
      .what = "[any with perfmon 4] GLOBAL_INUSE[63] leaves out fixed "
              "counters",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(inuse_no_pebs_pmi,
      .what = "[any with perfmon 4] GLOBAL_INUSE[63] leaves out PEBS",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

FAULT(rdpmc_fixed_is_general,
      .what = "[any] RDPMC of a fixed counter gives a general one",
      .caught = {"skylake-2018 on 1 fixed_counter_writes FAIL"})

FAULT(rdpmc_fixed_order, .what = "[any] RDPMC confuses fixed counters 1 and 2",
      .caught = {"haswell on 1 fixed_counter_writes FAIL"})

FAULT(rdpmc_beyond, .what = "[any] RDPMC beyond the last counter gives 0",
      .caught = {"skylake-2018 on 1 rdpmc_indices FAIL"})

FAULT(rdpmc_fixed_beyond,
      .what = "[any] RDPMC beyond the last fixed counter gives 0",
      .caught = {"skylake-2018 on 1 rdpmc_indices FAIL"})

FAULT(rdpmc_reserved, .what = "[any] RDPMC ignores ECX[29:8]",
      .caught = {"skylake-2018 on 1 rdpmc_indices FAIL"})

FAULT(rdpmc_32_bits, .what = "[any] RDPMC gives 32 bits",
      .caught = {"skylake-2018 on 1 fixed_counter_writes FAIL"})

FAULT(rdpmc_user_refused,
      .what = "[any] RDPMC in ring 3 raises #GP with CR4.PCE = 1",
      .caught = {"skylake-2018 on 1 rdpmc_ring3 FAIL"})

FAULT(rdpmc_supervisor_refused,
      .what = "[any] RDPMC in ring 0 raises #GP with CR4.PCE = 0",
      .caught = {"skylake-2018 on 1 rdpmc_indices FAIL",
                 "skylake-2018 on 1 counter_while_running ERROR"})

FAULT(cpuid_leaf_by_ecx, .what = "[any] CPUID 0AH is 0 unless ECX is 0",
      .caught = {"skylake-2018 on 1 counter_enumeration FAIL",
                 "icelake-server on 1 counter_enumeration FAIL"},
      .breaks = LEAF_0A_WHOLE)

FAULT(cpuid_one_fixed_less, .what = "[any] CPUID 0AH says 2 fixed counters",
      .caught = {"skylake-2018 on 1 counter_reserved_bits FAIL"})

FAULT(threads_count_apart,
      .what = "[any with SMT] CPUID 0AH of the second thread of a core has a "
              "counter less",
      .caught = {"skylake-2018 on 2 perf_capabilities FAIL",
                 "haswell on 2 perf_capabilities FAIL"},
      .breaks = THREADS_COUNT_ALIKE)

FAULT(threads_ds_apart,
      .what = "[any with SMT] CPUID.1:EDX[21] is 0 on the second thread of a "
              "core",
      .caught = {"skylake-2018 on 2 perf_capabilities FAIL"},
      .breaks = THREADS_HAVE_DS)

FAULT(threads_trap_apart,
      .what = "[any with SMT] 345H[6] of the second thread of a core is not "
              "that of the first",
      .caught = {"sandybridge on 2 perf_capabilities FAIL",
                 "icelake-server on 2 perf_capabilities FAIL"},
      .breaks = THREADS_SAY_PEBS_TRAP)

FAULT(cpuid_width_40,
      .what = "[any] CPUID 0AH says 40 bits of general counters",
      .caught = {"haswell on 1 counter_carry FAIL"})

FAULT(cpuid_fixed_width_32,
      .what = "[any] CPUID 0AH says 32 bits of fixed counters",
      .caught = {"skylake-2018 on 1 fixed_counter_writes FAIL"})

FAULT(cpuid_version_high,
      .what = "[any before perfmon 4] CPUID 0AH says version 4",
      .caught = {"haswell on 1 counter_reserved_bits FAIL"})

FAULT(inuse_with_umask,
      .what = "[any with perfmon 4] GLOBAL_INUSE[n] is set by "
              "PERFEVTSELn[15:8] too",
      .caught = {"skylake-2018 on 1 counter_inuse FAIL"})

static uint64_t inuse_of_counters(const struct processor *p, uint64_t value)
{
    for (unsigned n = 0; n < p->counters; n++) {
        uint64_t select = p->pmu.select[n];

        if (has_fault(p, FAULT_inuse_by_enable))
            value = (value & ~BIT(n)) | (select & EVTSEL_EN ? BIT(n) : 0);
        if (has_fault(p, FAULT_inuse_with_umask) && (select & BITS(15, 8)) != 0)
            value |= BIT(n);
    }
    return value;
}

static uint64_t inuse_of_fixed(const struct processor *p, uint64_t value)
{
    uint64_t ctrl = p->pmu.fixed_ctrl;

    for (unsigned n = 0; n < p->fixed_counters; n++, ctrl >>= 4) {
        if (has_fault(p, FAULT_inuse_fixed_by_pmi) && (ctrl & FIXED_PMI) != 0)
            value |= BIT(32 + n);
        if (has_fault(p, FAULT_inuse_fixed_os) && (ctrl & FIXED_OS) == 0)
            value &= ~BIT(32 + n);
        if (has_fault(p, FAULT_inuse_no_fixed_pmi) && (ctrl & FIXED_PMI) != 0)
            value &= ~INUSE_PMI;
    }
    return value;
}

uint64_t faults_inuse(const struct processor *p, uint64_t value)
{
    switch (p->machine->fault) {
    case FAULT_none:
        return value;
    case FAULT_inuse3_stuck:
        return value | BIT(3);
    case FAULT_inuse_by_global_ctrl:
        return value & (p->pmu.global_ctrl | INUSE_PMI);
    case FAULT_inuse_misses_fixed:
        return value & ~BITS(34, 32);
    case FAULT_inuse_fixed_shifted:
        return (value & BIT(32)) != 0 ? value | BIT(33) : value;
    case FAULT_inuse_no_pmi:
        return value & ~INUSE_PMI;
    case FAULT_inuse_no_pebs_pmi:
        return (p->pebs.enable & BITS(3, 0)) != 0 ? value & ~INUSE_PMI : value;
    default:
        return inuse_of_fixed(p, inuse_of_counters(p, value));
    }
}

bool faults_rdpmc_read(const struct processor *p, uint32_t ecx, uint64_t *value,
                       bool good)
{
    bool fixed = (ecx & BIT(30)) != 0;
    uint32_t n = ecx & 0xFF;

    switch (p->machine->fault) {
    case FAULT_rdpmc_fixed_is_general:
        if (fixed && good)
            *value = p->pmu.counter[n];
        break;
    case FAULT_rdpmc_fixed_order:
        if (fixed && good && n != 0)
            *value = p->pmu.fixed[3 - n];
        break;
    case FAULT_rdpmc_beyond:
    case FAULT_rdpmc_fixed_beyond:
        if (good || fixed != has_fault(p, FAULT_rdpmc_fixed_beyond) ||
            ecx >> 31 != 0)
            break;
        *value = 0;
        return true;
    case FAULT_rdpmc_reserved:
        if (good || fixed || ecx >> 31 != 0 || n >= p->counters)
            break;
        *value = p->pmu.counter[n];
        return true;
    case FAULT_rdpmc_32_bits:
        *value &= BITS(31, 0);
        break;
    default:
        break;
    }
    return good;
}

bool faults_rdpmc_allowed(const struct processor *p, bool user, bool pce)
{
    return user ? pce && !has_fault(p, FAULT_rdpmc_user_refused)
                : pce || !has_fault(p, FAULT_rdpmc_supervisor_refused);
}

void faults_leaf_0a(const struct processor *p, struct cpuid_result *out)
{
    switch (p->machine->fault) {
    case FAULT_cpuid_one_fixed_less:
        out->edx--;
        break;
    case FAULT_cpuid_width_40:
        out->eax -= 8 << 16;
        break;
    case FAULT_cpuid_fixed_width_32:
        out->edx -= 16 << 5;
        break;
    case FAULT_cpuid_version_high:
        out->eax |= 4;
        out->eax &= ~3u;
        break;
    default:
        break;
    }
}

FAULT(misc_enable_written,
      .what = "[any] read-only bits of IA32_MISC_ENABLE take what is written",
      .caught = {"skylake-2018 on 1 perf_capabilities FAIL",
                 "haswell on 1 perf_capabilities FAIL"},
      .breaks = MISC_ENABLE_HELD)

FAULT(cpuid_no_ds,
      .what = "[any] CPUID.1:EDX[21] (DS) is 0, and IA32_DS_AREA is there",
      .caught = {"skylake-2018 on 1 perf_capabilities FAIL"},
      .quantity = OF_EDX, .number = 1, .clear = 1 << 21)

FAULT(cpuid_fixed_5,
      .what = "[perfmon version 5] CPUID 0AH:ECX has IA32_FIXED_CTR5, which "
              "is not there",
      .caught = {"icelake-server on 1 counter_enumeration FAIL"},
      .quantity = OF_ECX, .number = 0xA, .set = 1 << 5)

FAULT(threads_fixed_apart,
      .what = "[perfmon version 5 with SMT] CPUID 0AH:ECX of the second thread "
              "of a core has a counter more",
      .caught = {"icelake-server on 2 perf_capabilities FAIL"},
      .breaks = THREADS_HAVE_FIXED)
