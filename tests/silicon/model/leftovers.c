/* SPDX-License-Identifier: BSD-2-Clause */
/* leftovers.c - random values for the model's MSRs. */
#include "tests/silicon/model/leftovers.h"

#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/microcode.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pebs/pebs.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"
#include "tests/silicon/model/tsx/tsx.h"

#define MSRS           0x2000u /* the model's are all below */
#define TOPIC_LEFTOVER 104
#define TRIES          64 /* of a value that is not refused */

#define MSR_TSX_CTRL     0x122u
#define MSR_MCU_OPT_CTRL 0x123u

#define BOX_STATUS         0x392u /* where there is no INUSE */
#define BOX_STATUS_SKYLAKE 0xE02u

struct range {
    uint32_t first, last;
};

static bool is_in(const struct range ranges[], size_t count, uint32_t number)
{
    for (size_t n = 0; n < count; n++)
        if (number >= ranges[n].first && number <= ranges[n].last)
            return true;
    return false;
}

/* Clocks, the local APIC's, machine check banks; commands; what decides which
 * processor it is; what lets it write to memory; bits that software can only
 * clear; the records' depth, of which any but the highest is a use of them. */
static bool is_left_alone(uint32_t number)
{
    static const struct range ranges[] = {
        {0x10, 0x1B},
        {0x400, 0x47F},
        {0x800, 0x8FF},
        {IA32_BIOS_UPDT_TRIG, IA32_BIOS_UPDT_TRIG},
        {IA32_BIOS_SIGN_ID, IA32_BIOS_SIGN_ID},
        {IA32_PERF_GLOBAL_STATUS_RESET, BOX_STATUS},
        {BOX_STATUS_SKYLAKE, BOX_STATUS_SKYLAKE},
        {MSR_TSX_FORCE_ABORT, MSR_TSX_FORCE_ABORT},
        {MSR_TSX_CTRL, MSR_MCU_OPT_CTRL},
        {IA32_MISC_ENABLE, IA32_MISC_ENABLE},
        {IA32_PEBS_ENABLE, IA32_PEBS_ENABLE},
        {IA32_RTIT_CTL, IA32_RTIT_CTL},
        {IA32_LBR_DEPTH, IA32_LBR_DEPTH},
    };

    return is_in(ranges, sizeof(ranges) / sizeof(ranges[0]), number);
}

/* They are lost with the first trace, where the two exclude each other. */
static bool is_record(uint32_t number)
{
    static const struct range ranges[] = {
        {MSR_LASTBRANCH_TOS, MSR_LASTBRANCH_TOS},
        {MSR_LASTBRANCH_0_FROM_IP, MSR_LASTBRANCH_0_FROM_IP + 0x1F},
        {MSR_LASTBRANCH_0_TO_IP, MSR_LASTBRANCH_0_TO_IP + 0x1F},
        {MSR_LBR_INFO_0, MSR_LBR_INFO_0 + 0x1F},
    };

    return is_in(ranges, sizeof(ranges) / sizeof(ranges[0]), number);
}

/* The bits that let something run. */
static uint64_t enables_of(uint32_t number)
{
    if (number >= IA32_PERFEVTSEL0 && number < IA32_PERFEVTSEL0 + COUNTERS_MAX)
        return EVTSEL_EN;
    switch (number) {
    case IA32_FIXED_CTR_CTRL:
        return UINT64_C(0x3333);
    case IA32_DEBUGCTL:
        return BITS(8, 0); /* LBR, BTF, TR, BTS */
    case IA32_LBR_CTL:
        return BIT(0);
    default:
        return 0;
    }
}

/* Fewer bits, and lower ones, the more often it was refused. */
static uint64_t value_of(struct random *r, unsigned tries)
{
    uint64_t value = random_next(r) & random_next(r);

    if (tries > TRIES / 4)
        value &= random_next(r) & random_next(r);
    return value >> (tries > TRIES / 2 ? tries : 0);
}

void leftovers_draw(struct processor *p)
{
    struct random r;
    uint64_t was;

    random_start(&r, p->machine->seed, p->index, TOPIC_LEFTOVER);
    for (uint32_t number = 0; number < MSRS; number++) {
        if (is_left_alone(number) || !msr_read(p, number, &was) ||
            (is_record(number) && !p->cpu->lbr_beside_pt))
            continue;
        for (unsigned n = 0; n < TRIES; n++)
            if (msr_write(p, number, value_of(&r, n) & ~enables_of(number)))
                break;
    }
}
