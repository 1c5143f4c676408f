/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * power.c - what tells a frequency, and energy. IA32_MPERF and IA32_APERF count
 * in C0, so HLT exits once they have been read: the TSC's ticks and the core's
 * cycles, as counters of reference cycles and of cycles do. The package takes
 * one power all the time, whatever it does: some 4 W at 1 GHz.
 *
 * SDM volume 3B, "Hardware Feedback Interface" and "RAPL Interfaces"; volume
 * 4, "Architectural MSRs".
 */
#include "tests/silicon/hypervisor/guest/power.h"

#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#define IA32_MPERF 0x0E7u
#define IA32_APERF 0x0E8u

#define MSR_PKG_ENERGY_STATUS  0x611u
#define MSR_DRAM_ENERGY_STATUS 0x619u
#define MSR_PP0_ENERGY_STATUS  0x639u

#define PACKAGE_SHIFT 14 /* ticks of the TSC a unit */

bool power_is_clock(uint32_t number)
{
    return number == IA32_MPERF || number == IA32_APERF;
}

static uint64_t clock_of(struct vcpu *v, uint32_t number)
{
    uint64_t unhalted = time_tsc(v) - v->time.adjust - v->levels.halted;

    return number == IA32_MPERF ? unhalted
                                : unhalted / turns_instruction_tsc() *
                                      v->model->choices.cycles_other;
}

uint64_t power_clock(struct vcpu *v, uint32_t number)
{
    struct levels *l = &v->levels;

    l->tells_halts = hypervisor.has_os;
    return clock_of(v, number) - (number == IA32_MPERF ? l->mperf : l->aperf);
}

void power_write_clock(struct vcpu *v, uint32_t number, uint64_t value)
{
    uint64_t *from = number == IA32_MPERF ? &v->levels.mperf : &v->levels.aperf;

    *from = clock_of(v, number) - value;
}

/* Bits 31:0: "Total Energy Consumed". */
uint64_t power_energy(uint32_t number)
{
    unsigned shift = PACKAGE_SHIFT;

    if (number == MSR_PP0_ENERGY_STATUS)
        shift += 1;
    else if (number == MSR_DRAM_ENERGY_STATUS)
        shift += 2;
    else if (number != MSR_PKG_ENERGY_STATUS)
        return 0;
    return (uint32_t)(time_tsc_of_first() >> shift);
}
