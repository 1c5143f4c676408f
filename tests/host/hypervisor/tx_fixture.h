/* SPDX-License-Identifier: BSD-2-Clause */
/* tx_fixture.h - a processor with TSX, and its memory. */
#ifndef TESTS_HOST_HYPERVISOR_TX_FIXTURE_H
#define TESTS_HOST_HYPERVISOR_TX_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"

#define GP_ (EVENT_VALID | EVENT_HAS_ERROR | EVENT_TYPE_EXCEPTION | VECTOR_GP)
#define UD_ (EVENT_VALID | EVENT_TYPE_EXCEPTION | VECTOR_UD)

static struct vcpu *start_with(const char *fault)
{
    struct vcpu *v;

    fake_cpu_start("haswell", fault);
    v = fake_cpu_vcpu(0);
    v->gprs.rdi = (uint64_t)fake_cpu_page(8);
    return v;
}

static struct vcpu *start(void)
{
    return start_with("none");
}

static uint64_t word(unsigned page, unsigned at)
{
    uint64_t value;

    memcpy(&value, fake_cpu_page(page) + at, sizeof(value));
    return value;
}

#endif
