/* SPDX-License-Identifier: BSD-2-Clause */
/* identity_fixture.h - CPUID of a processor, leaf by leaf. */
#ifndef TESTS_HOST_CPU_IDENTITY_FIXTURE_H
#define TESTS_HOST_CPU_IDENTITY_FIXTURE_H

#include "src/base/msr.h"
#include "src/cpu/cpuid_bits.h"
#include "src/cpu/identity.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum reg { EAX, EBX, ECX, EDX };

static inline uint32_t *leaf_register(uint32_t leaf, uint32_t subleaf,
                                      enum reg reg)
{
    struct hw_cpuid *r = fake_leaf(leaf, subleaf);

    return reg == EAX   ? &r->eax
           : reg == EBX ? &r->ebx
           : reg == ECX ? &r->ecx
                        : &r->edx;
}

/* A processor that has all of the leaves. */
static inline void make(void)
{
    fake_reset();
    fake_leaf(0, 0)->eax = 0x23;
    fake_leaf(0x80000000, 0)->eax = 0x80000008;
    fake_leaf(7, 0)->edx |= 1u << 15 | 1u << 19; /* hybrid, LBRs */
    fake_leaf(7, 0)->ebx |= 1u << 25;
    fake_leaf(1, 0)->ecx |= 1u << 15;
    fake_leaf(0x14, 0)->eax = 1;
    fake_leaf(0xb, 0)->ebx = fake_leaf(0xb, 1)->ebx = 1;
    fake_leaf(0xb, 0)->ecx = 0x100;
    fake_leaf(0xb, 1)->ecx = 0x201;
    fake_msr(IA32_PLATFORM_ID)->value = 0;
    fake_msr(IA32_MISC_ENABLE)->value = 0;
}

#endif
