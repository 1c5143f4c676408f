/* SPDX-License-Identifier: BSD-2-Clause */
/* msr.c - the MSRs: common ones here, a personality's own in its file. */
#include "tests/silicon/model/msr.h"

#include "tests/silicon/faults/hooks.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/counters.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/pebs.h"
#include "tests/silicon/model/pt.h"
#include "tests/silicon/model/tsx.h"

/* SDM volume 4, "Architectural MSRs" and the tables of each family. */
static const struct msr_row common[] = {
    {0x017, MSR_READ_ONLY, 0, UINT64_C(1) << 50}, /* IA32_PLATFORM_ID */
    {0x03A, MSR_READ_ONLY, 0, 1},  /* IA32_FEATURE_CONTROL: locked */
    {0x079, MSR_WRITE_ONLY, 0, 0}, /* IA32_BIOS_UPDT_TRIG */
    {0x0CE, MSR_READ_ONLY, 0, 0x80000080F2000}, /* MSR_PLATFORM_INFO */
    /* IA32_MISC_ENABLE: fast strings, perfmon available, BTS unavailable
     * (bit 11), PEBS available (bit 12 clear). Read-only bits have their
     * value: see msr_write. */
    {IA32_MISC_ENABLE, MSR_SPECIAL, 0x0000000400450009, 0x0000000000000881},
    {IA32_DEBUGCTL, MSR_SPECIAL, 0, 0},
    {IA32_PEBS_ENABLE, MSR_SPECIAL, BITS(35, 32) | BITS(3, 0), 0},
    {0x3F6, MSR_READ_WRITE, BITS(15, 0), 0}, /* MSR_PEBS_LD_LAT */
    {IA32_DS_AREA, MSR_SPECIAL, 0, 0},
};
#define COMMON_ROWS (sizeof(common) / sizeof(common[0]))
_Static_assert(COMMON_ROWS <= MSR_ROWS_MAX, "processor.common_msr");

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
    for (size_t n = 0; n < COMMON_ROWS; n++)
        if (common[n].number == number) {
            *value = &p->common_msr[n];
            return &common[n];
        }
    return NULL;
}

void msr_reset(struct processor *p)
{
    const struct personality *cpu = p->cpu;

    for (size_t n = 0; n < cpu->msr_rows && n < MSR_ROWS_MAX; n++)
        p->personality_msr[n] = cpu->msrs[n].reset;
    for (size_t n = 0; n < COMMON_ROWS; n++)
        p->common_msr[n] = common[n].reset;
}

static bool is_canonical(uint64_t address)
{
    uint64_t high = address >> 47;

    return high == 0 || high == UINT64_MAX >> 47;
}

static bool is_tsx(uint32_t number)
{
    return number == MSR_TSX_FORCE_ABORT || number == 0x122 || number == 0x123;
}

static bool is_offcore(uint32_t number)
{
    return number == MSR_OFFCORE_RSP_0 || number == MSR_OFFCORE_RSP_1;
}

bool msr_read(struct processor *p, uint32_t number, uint64_t *value)
{
    const struct personality *cpu = p->cpu;
    const struct msr_row *row;
    uint64_t *stored;

    switch (number) {
    case MSR_SMI_COUNT:
        *value = p->smi_count;
        return true;
    case IA32_BIOS_SIGN_ID:
        *value = p->bios_sign;
        return true;
    case IA32_ARCH_CAPABILITIES:
        *value = cpu->arch_capabilities;
        return (cpu->leaf7_edx & LEAF7_EDX_ARCH_CAPABILITIES) != 0;
    case IA32_PERF_CAPABILITIES:
        *value = cpu->perf_capabilities;
        return true;
    }
    if (is_tsx(number))
        return tsx_read(p, number, value);
    if (pt_is_msr(number))
        return pt_read(p, number, value);
    if (uncore_is_msr(p->machine, number))
        return uncore_read(p->machine, number, value);
    row = find_row(p, number, &stored);
    if (row == NULL)
        return counters_read(p, number, value);
    *value = *stored;
    return row->kind != MSR_WRITE_ONLY;
}

/* The registers of MSR_SPECIAL rows. */
static bool write_special(struct processor *p, const struct msr_row *row,
                          uint64_t *stored, uint64_t value)
{
    if (row->number == IA32_DEBUGCTL) {
        if ((value & ~p->cpu->debugctl_writable) != 0)
            return false;
        *stored = value;
        return true;
    }
    if (row->number == IA32_DS_AREA) {
        if (!is_canonical(value))
            return false;
        *stored = p->pebs.ds_area = value;
        return true;
    }
    if (row->number == IA32_PEBS_ENABLE) {
        if ((value & ~row->writable) != 0)
            return false;
        *stored = value;
        pebs_write_enable(p, value);
        return true;
    }
    /* IA32_MISC_ENABLE: read-only bits may be written back as they are. */
    if (((value ^ *stored) & ~row->writable) != 0)
        return false;
    *stored = value;
    return true;
}

bool msr_write(struct processor *p, uint32_t number, uint64_t value)
{
    const struct msr_row *row;
    uint64_t *stored;

    switch (number) {
    case IA32_BIOS_SIGN_ID:
        /* Read-only but for the documented write of 0 before CPUID(1). */
        if (value != 0)
            return false;
        p->bios_sign = 0;
        return true;
    case MSR_SMI_COUNT:
    case IA32_ARCH_CAPABILITIES:
    case IA32_PERF_CAPABILITIES:
        return false;
    }
    if (is_tsx(number))
        return tsx_write(p, number, value);
    if (pt_is_msr(number))
        return pt_write(p, number, value);
    if (uncore_is_msr(p->machine, number))
        return uncore_write(p->machine, number, value);
    row = find_row(p, number, &stored);
    if (row == NULL)
        return counters_write(p, number, value);
    switch (row->kind) {
    case MSR_READ_WRITE:
        if ((value & ~row->writable) != 0 &&
            !(is_offcore(number) && faults_accept_offcore(p)))
            return false;
        *stored = value & row->writable;
        return true;
    case MSR_SPECIAL:
        return write_special(p, row, stored, value);
    case MSR_WRITE_ONLY:
        return true;
    case MSR_READ_ONLY:
        break;
    }
    return false;
}
