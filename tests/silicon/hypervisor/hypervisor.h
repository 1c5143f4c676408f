/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hypervisor.h - what all processors under the hypervisor share. The seams of
 * its files are in the header of each folder.
 */
#ifndef SILICON_HYPERVISOR_HYPERVISOR_H
#define SILICON_HYPERVISOR_HYPERVISOR_H

#include "tests/silicon/hypervisor/guest/action.h"
#include "tests/silicon/hypervisor/processors/apic.h"
#include "tests/silicon/hypervisor/guest/vcpu.h"

#define RAM_RANGES_MAX 64

struct hypervisor {
    struct machine machine;
    struct processor *models; /* one a processor */
    struct vcpu *vcpus;
    unsigned processors;
    uint64_t lost;                    /* an AP that never starts, 0: none */
    uint64_t stuck;                   /* an AP that never returns, 0: none */
    uint8_t apic_ids[PROCESSORS_MAX]; /* of the host */
    uint8_t *msr_map, *io_map;
    uint64_t image, image_end; /* of silicon.efi itself */
    unsigned pm_timer;         /* its port; 0: not known */
    bool x2apic;               /* the guest's APICs are in x2APIC mode */
    bool mp_blocking;          /* MP services: blocking mode alone */
    bool late_timer;           /* APs have their timers' interrupts pending */
    uint32_t pages, stepped;   /* of code: looked at, with TSX */
    bool for_os;               /* CPUID has the clocks of QEMU */
    bool has_os;               /* an operating system runs: no boot services */
    struct {
        uint64_t start, end;
    } ram[RAM_RANGES_MAX];
    unsigned ram_ranges;
};
extern struct hypervisor hypervisor;

#endif
