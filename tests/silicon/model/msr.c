/* SPDX-License-Identifier: BSD-2-Clause */
/* msr.c - the MSRs: common ones here, a personality's own in its file. */
#include "tests/silicon/model/msr.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/microcode.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"
#include "tests/silicon/model/tsx/speculation.h"
#include "tests/silicon/model/tsx/tsx.h"

#define RATIO_LEAST UINT64_C(8)
/* Of the TSC, the core and one core alone; with an operating system's clock of
 * 1 GHz all are the same. */
#define RATIO_TSC  32
#define RATIO_CORE 30
#define RATIO_MOST 35
#define RATIO_OS   10

/* SDM volume 4, "Architectural MSRs" and the tables of each family. */
static const struct msr_row common[] = {
    {IA32_PLATFORM_ID, MSR_READ_ONLY, 0, UINT64_C(1) << 50},
    {IA32_FEATURE_CONTROL, MSR_READ_ONLY, 0, 1}, /* locked */
    {IA32_BIOS_UPDT_TRIG, MSR_WRITE_ONLY, 0, 0},
    {MSR_PLATFORM_INFO, MSR_READ_ONLY, 0,
     RATIO_LEAST << 48 | RATIO_LEAST << 40},
    {IA32_PERF_STATUS, MSR_READ_ONLY, 0, 0},
    /* "Target performance State Value", which changes nothing. */
    {IA32_PERF_CTL, MSR_READ_WRITE, BIT(32) | BITS(15, 0), RATIO_CORE << 8},
    /* IA32_MISC_ENABLE: fast strings, perfmon available, BTS unavailable
     * (bit 11), PEBS available (bit 12 clear), EIST (bit 16). Read-only bits
     * have their value: see may_be_written. */
    {IA32_MISC_ENABLE, MSR_SPECIAL, 0x0000000400C50009, 0x0000000000010881},
    {IA32_DEBUGCTL, MSR_SPECIAL, 0, 0},
    {IA32_PEBS_ENABLE, MSR_SPECIAL, BITS(35, 32) | BITS(3, 0), 0},
    {MSR_PEBS_LD_LAT, MSR_READ_WRITE, BITS(15, 0), 0},
    {IA32_DS_AREA, MSR_SPECIAL, 0, 0},
};
#define COMMON_ROWS (sizeof(common) / sizeof(common[0]))
_Static_assert(COMMON_ROWS <= MSR_ROWS_MAX, "processor.common_msr");

/* Those of struct personality's power: most that are asked for are not. */
#define POWER_FIRST 0x0E2u
#define POWER_LAST  0x6B1u
static bool may_be_power(uint32_t number)
{
    return number - POWER_FIRST <= POWER_LAST - POWER_FIRST;
}

/* Where the row of an MSR is, and where its value. A personality's own rows
 * stand before the common ones. */
static const struct msr_row *find_row(struct processor *p, uint32_t number,
                                      uint64_t **value)
{
    const struct personality *cpu = p->cpu;

    for (size_t n = 0; n < cpu->msr_rows && n < MSR_ROWS_MAX; n++)
        if (cpu->msrs[n].number == number) {
            *value = &p->personality_msr[n];
            return &cpu->msrs[n];
        }
    for (size_t n = 0; may_be_power(number) && n < cpu->power_rows; n++)
        if (cpu->power[n].number == number) {
            *value = &p->power_msr[n];
            return &cpu->power[n];
        }
    for (size_t n = 0; n < COMMON_ROWS; n++)
        if (common[n].number == number) {
            *value = &p->common_msr[n];
            return &common[n];
        }
    return NULL;
}

/* SDM volume 3A, table "IA-32 and Intel 64 Processor States Following Power-up,
 * Reset, or INIT": IA32_PERF_GLOBAL_CTRL "sets n-1:0", n counters. */
void msr_reset(struct processor *p)
{
    const struct personality *cpu = p->cpu;

    p->pmu.global_ctrl = BIT(p->counters) - 1;
    for (size_t n = 0; n < cpu->msr_rows && n < MSR_ROWS_MAX; n++)
        p->personality_msr[n] = cpu->msrs[n].reset;
    for (size_t n = 0; n < cpu->power_rows; n++)
        p->power_msr[n] = cpu->power[n].reset;
    for (size_t n = 0; n < COMMON_ROWS; n++)
        p->common_msr[n] = common[n].reset;
}

static bool is_canonical(uint64_t address)
{
    uint64_t high = address >> 47;

    return high == 0 || high == UINT64_MAX >> 47;
}

static bool is_in_row(struct processor *p, uint32_t number)
{
    uint64_t *stored;

    return find_row(p, number, &stored) != NULL;
}

unsigned msr_tsc_ratio(const struct processor *p)
{
    return p->machine->os ? RATIO_OS : RATIO_TSC;
}

unsigned msr_core_ratio(const struct processor *p)
{
    return p->machine->os ? RATIO_OS : RATIO_CORE;
}

/* What a register says of ratios to the bus clock. */
static uint64_t ratios(const struct processor *p, uint32_t number)
{
    switch (number) {
    case MSR_PLATFORM_INFO: /* "Maximum Non-Turbo Ratio" */
        return msr_tsc_ratio(p) << 8;
    case IA32_PERF_STATUS: /* "Current Performance State Value" */
        return msr_core_ratio(p) << 8;
    case MSR_TURBO_RATIO_LIMIT: /* for each number of cores */
        return UINT64_C(0x0101010101010101) *
               (p->machine->os ? RATIO_OS : RATIO_MOST);
    case MSR_CONFIG_TDP_NOMINAL:
        return msr_tsc_ratio(p);
    default:
        return 0;
    }
}

static bool read_row(struct processor *p, uint32_t number, uint64_t *value)
{
    uint64_t *stored;
    const struct msr_row *row = find_row(p, number, &stored);

    *value = *stored | ratios(p, number);
    return row->kind != MSR_WRITE_ONLY;
}

static bool may_be_written(const struct processor *p, const struct msr_row *row,
                           uint64_t was, uint64_t value)
{
    switch (row->number) {
    case IA32_DEBUGCTL:
        return (value & ~p->cpu->debugctl_writable) == 0;
    case IA32_DS_AREA:
        return is_canonical(value);
    case IA32_MISC_ENABLE: /* read-only bits may be written back as they are */
        return ((value ^ was) & ~row->writable) == 0 ||
               !faults_rule(p->machine, MISC_ENABLE_HELD, true);
    case MSR_OFFCORE_RSP_0:
    case MSR_OFFCORE_RSP_1:
        return (value & ~row->writable) == 0 || faults_accept_offcore(p);
    default:
        return (value & ~row->writable) == 0;
    }
}

/* What a write changes beside its own register: nothing. */
static void change_others(struct processor *p, uint32_t number, uint64_t value)
{
    const struct machine *m = p->machine;

    if (number == IA32_PEBS_ENABLE && value == 0 &&
        !faults_rule(m, PEBS_ENABLE_KEEPS_CTRL, true))
        p->pmu.global_ctrl = 0;
    if (number == IA32_DS_AREA && !faults_rule(m, DS_AREA_KEEPS_ENABLE, true))
        msr_write(p, IA32_PEBS_ENABLE, 0);
    if (number == MSR_PEBS_LD_LAT && !faults_rule(m, LD_LAT_KEEPS_ENABLE, true))
        msr_write(p, IA32_PEBS_ENABLE, p->pebs.enable & ~BITS(35, 32));
    if (number == IA32_DS_AREA && !faults_rule(m, DS_AREA_KEEPS_PMC, true))
        p->pmu.counter[0] &= BITS(31, 0);
    if (number == MSR_OFFCORE_RSP_1 &&
        (p->pmu.select[0] & BITS(7, 0)) == 0xBB &&
        !faults_rule(m, OFFCORE_KEEPS_PMC, true))
        p->pmu.counter[0] = 0;
    if (number == IA32_DS_AREA && !faults_rule(m, DS_AREA_KEEPS_STATUS, true))
        p->pmu.global_status &= ~BIT(62);
    if (number == IA32_DEBUGCTL)
        p->faults.has_frozen = false;
    if (number == IA32_DEBUGCTL && !faults_rule(m, DEBUGCTL_KEEPS_STATUS, true))
        p->pmu.global_status = 0;
    if (number == IA32_DEBUGCTL &&
        !faults_rule(m, DEBUGCTL_SETS_NO_STATUS, true))
        p->pmu.global_status |= BIT(62);
}

static bool write_row(struct processor *p, uint32_t number, uint64_t value)
{
    uint64_t *stored;
    const struct msr_row *row = find_row(p, number, &stored);

    if (row->kind == MSR_WRITE_ONLY)
        return true;
    if (row->kind == MSR_READ_ONLY)
        return false;
    if (!may_be_written(p, row, *stored, value) &&
        !faults_accept_pebs(p, number, value & ~row->writable)) {
        if (number == IA32_PEBS_ENABLE &&
            !faults_rule(p->machine, REFUSED_ENABLE_KEPT, true))
            *stored = value & row->writable;
        if (number == IA32_DEBUGCTL &&
            !faults_rule(p->machine, REFUSED_DEBUGCTL_KEPT, true))
            *stored = value & p->cpu->debugctl_writable;
        return false;
    }
    /* KVM's patches for "Arch LBR": IA32_DEBUGCTL[0] "can be written to 0 or 1,
     * but reads will always return 0". */
    if (number == IA32_DEBUGCTL && lbr_is_architectural(p))
        value &= ~DEBUGCTL_LBR;
    *stored = row->kind == MSR_READ_WRITE ? value & row->writable : value;
    if (number == IA32_DS_AREA &&
        (p->pebs.ds_area == 0 || faults_rule(p->machine, DS_AREA_TAKEN, true)))
        p->pebs.ds_area = value;
    if (number == IA32_DEBUGCTL && !lbr_is_architectural(p))
        lbr_enable(p, (value & DEBUGCTL_LBR) != 0);
    if (number == IA32_PEBS_ENABLE)
        pebs_write_enable(p, value);
    change_others(p, number, value);
    return true;
}

/* Nothing ever goes wrong: these read 0. SDM volume 3B, "IA32_MCi_STATUS
 * MSRs": "writing 1s to them causes a general-protection exception". */
static bool is_check_status(uint32_t number)
{
    uint32_t at = number - IA32_MC0_STATUS;

    return at % 4 == 0 && at / 4 < MACHINE_CHECK_BANKS;
}

/* Registers whose value is somewhere else. */
static bool is_computed(struct processor *p, uint32_t number)
{
    (void)p;
    return is_check_status(number) || number == MSR_SMI_COUNT ||
           number == IA32_BIOS_SIGN_ID || number == IA32_ARCH_CAPABILITIES ||
           number == IA32_PERF_CAPABILITIES;
}

static bool read_computed(struct processor *p, uint32_t number, uint64_t *value)
{
    *value = 0;
    if (is_check_status(number))
        return true;
    switch (number) {
    case MSR_SMI_COUNT:
        *value = p->smi_count;
        return true;
    case IA32_BIOS_SIGN_ID:
        *value = p->bios_sign;
        return true;
    case IA32_ARCH_CAPABILITIES:
        *value = p->cpu->arch_capabilities;
        return (p->cpu->leaf7_edx & LEAF7_EDX_ARCH_CAPABILITIES) != 0;
    default:
        *value = p->cpu->perf_capabilities;
        if (p->index % 2 != 0 &&
            !faults_rule(p->machine, THREADS_SAY_PEBS_TRAP, true))
            *value ^= BIT(6);
        return true;
    }
}

/* Read-only but for the documented write of 0 to IA32_BIOS_SIGN_ID before
 * CPUID(1). */
static bool write_computed(struct processor *p, uint32_t number, uint64_t value)
{
    if (is_check_status(number))
        return value == 0;
    if (number != IA32_BIOS_SIGN_ID || value != 0)
        return false;
    if (faults_rule(p->machine, REVISION_CLEARED, true))
        p->bios_sign = 0;
    return true;
}

static bool is_pt(struct processor *p, uint32_t number)
{
    (void)p;
    return pt_is_msr(number);
}

static bool read_pt(struct processor *p, uint32_t number, uint64_t *value)
{
    return pt_read(p, number, value);
}

static bool is_uncore(struct processor *p, uint32_t number)
{
    return uncore_is_msr(p->machine, number);
}

static bool read_uncore(struct processor *p, uint32_t number, uint64_t *value)
{
    bool good = uncore_read(p->machine, number, value);

    if (p->index % 2 != 0 && uncore_is_fixed(number) &&
        !faults_rule(p->machine, UNCORE_OF_PACKAGE, true))
        *value = 0;
    return good;
}

static bool write_uncore(struct processor *p, uint32_t number, uint64_t value)
{
    return uncore_write(p->machine, number, value);
}

static bool is_tsx(struct processor *p, uint32_t number)
{
    (void)p;
    return tsx_is_msr(number);
}

static bool is_any(struct processor *p, uint32_t number)
{
    (void)p;
    (void)number;
    return true;
}

/* Whose a register is: the first that says so. The last one refuses what
 * nobody has. */
static const struct owner {
    bool (*has)(struct processor *p, uint32_t number);
    bool (*read)(struct processor *p, uint32_t number, uint64_t *value);
    bool (*write)(struct processor *p, uint32_t number, uint64_t value);
} owners[] = {
    {is_computed, read_computed, write_computed},
    {is_tsx, tsx_read, tsx_write},
    {speculation_is_msr, speculation_read, speculation_write},
    {is_pt, read_pt, pt_write},
    {lbr_is_msr, lbr_read, lbr_write},
    {is_uncore, read_uncore, write_uncore},
    {is_in_row, read_row, write_row},
    {is_any, counters_read, counters_write},
};

static const struct owner *owner_of(struct processor *p, uint32_t number)
{
    const struct owner *o = owners;

    while (!o->has(p, number))
        o++;
    return o;
}

bool msr_read(struct processor *p, uint32_t number, uint64_t *value)
{
    const struct machine *m = p->machine;
    bool good = owner_of(p, number)->read(p, number, value);

    if (!good && faults_about(m, OF_MSR_ABSENT, number)) {
        *value = 0;
        return true;
    }
    if (!good || faults_about(m, OF_MSR_REFUSED, number))
        return false;
    *value = faults_quantity(m, OF_MSR_READ, number, *value);
    return true;
}

bool msr_write(struct processor *p, uint32_t number, uint64_t value)
{
    const struct machine *m = p->machine;
    const struct owner *o = owner_of(p, number);
    bool good;

    if (faults_about(m, OF_MSR_REFUSED, number))
        return false;
    if (faults_about(m, OF_MSR_TAKEN, number))
        value &= ~fault_entry(m->fault)->set;
    value = faults_quantity(m, OF_MSR_WRITTEN, number, value);
    good = o->write(p, number, value);
    if (!good && faults_about(m, OF_MSR_CHANGED, number))
        o->write(p, number, fault_entry(m->fault)->set);
    if (good && p->sibling != NULL && faults_about(m, OF_MSR_SHARED, number))
        o->write(p->sibling, number, value);
    return good || faults_about(m, OF_MSR_DISCARDED, number);
}
