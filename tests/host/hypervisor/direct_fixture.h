/* SPDX-License-Identifier: BSD-2-Clause */
/* direct_fixture.h - a processor that steps without VMRUN where it may. */
#ifndef TESTS_HOST_HYPERVISOR_DIRECT_FIXTURE_H
#define TESTS_HOST_HYPERVISOR_DIRECT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/host/fakes/fake_cpu.h"

#include "tests/silicon/model/counters/pmu_msr.h"

#define CS_L     UINT16_C(0x200)
#define FIXED_0  UINT64_C(1)
#define OTHER_TR 0x40

/* In MODE_STEP, with a counter of instructions on. */
static struct vcpu *start_on(const char *cpu)
{
    struct vcpu *v;

    fake_cpu_start(cpu, "none");
    v = fake_cpu_vcpu(0);
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_IF;
    v->vmcb->cs.attributes = CS_L;
    v->vmcb->dr6 = 0xFFFF0FF2;
    v->gprs.rdi = (uint64_t)fake_cpu_page(8);
    v->model->pmu.fixed_ctrl = 3;
    v->model->pmu.global_ctrl = UINT64_C(1) << 32;
    pmu_update(v->model);
    fake_cpu.tr = OTHER_TR;
    for (unsigned n = 0; n < FAKE_CPU_PAGES; n++)
        assert_true(npt_fill(&v->pages_step, (uint64_t)fake_cpu_page(n)));
    direct_start(v);
    step_end(v);
    return v;
}

static inline struct vcpu *start(void)
{
    return start_on("skylake-2018");
}

#endif
