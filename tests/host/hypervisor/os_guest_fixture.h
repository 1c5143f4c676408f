/* SPDX-License-Identifier: BSD-2-Clause */
/* os_guest_fixture.h - a guest with an operating system, which counters make
 * stepped. */
#ifndef TESTS_HOST_HYPERVISOR_OS_GUEST_FIXTURE_H
#define TESTS_HOST_HYPERVISOR_OS_GUEST_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/host/fakes/fake_cpu.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/model/msr.h"

#define OS           UINT64_C(0x420000)
#define INSTRUCTIONS (OS | 0xC0)
#define BRANCHES     (OS | 0xC4)
#define CS_L         UINT16_C(0x200)

static struct vcpu *start_os_guest(void)
{
    static max_align_t caches[1u << 20];
    struct vcpu *v;

    fake_cpu_start("skylake-2018", "none");
    assert_true(cache_bytes(FAKE_CPU_PROCESSORS) <= sizeof(caches));
    cache_start(&hypervisor.machine, (struct cache_state *)caches);
    hypervisor.has_os = hypervisor.for_os = true;
    v = fake_cpu_vcpu(0);
    v->vmcb->cs.attributes |= CS_L;
    direct_never(v);
    v->levels = (struct levels){.sce = true};
    return v;
}

/* Counter 0 has branches, counter 1 the event, from this value on. */
static void start_counting(struct vcpu *v, uint64_t event, uint64_t from)
{
    assert_true(msr_write(v->model, 0x186, BRANCHES));
    assert_true(msr_write(v->model, 0x187, event));
    assert_true(msr_write(v->model, 0x4C2, from));
    assert_true(msr_write(v->model, 0x38F, 3));
    levels_choose(v);
    assert_int_equal(v->mode, MODE_STEP);
}

static uint64_t counted(struct vcpu *v, uint32_t msr)
{
    uint64_t value;

    assert_true(msr_read(v->model, msr, &value));
    return value;
}

#endif
