/* SPDX-License-Identifier: BSD-2-Clause */
/* msr_exits.c - RDMSR and WRMSR: whose a register is, and what a write of it
 * means for counting, stepping and a trace. */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/guest/host_msr.h"
#include "tests/silicon/hypervisor/guest/power.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/microcode.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pt/pt.h"

#define MSR_BYTES 2 /* of RDMSR and WRMSR: no next RIP is saved */

static bool read_msr(struct vcpu *v, uint32_t number, uint64_t *value)
{
    if (number == MSR_EFER) {
        *value = levels_efer(v, true) & ~EFER_SVME;
        return true;
    }
    if (x2apic_is_msr(number))
        return x2apic_read(v, number, value);
    if (time_is_msr(v, number)) {
        *value = time_tsc(v);
        return true;
    }
    if (host_msr_has(number)) {
        *value = host_msr_read(v, number);
        return true;
    }
    if (power_is_clock(number)) {
        *value = power_clock(v, number);
        return true;
    }
    if (!msr_read(v->model, number, value))
        return false;
    *value |= power_energy(number);
    return true;
}

/* SDM volume 4, IA32_EFER: SCE, LME, NXE; LMA is read-only. */
static bool write_efer(struct vcpu *v, uint64_t value)
{
    if ((value & ~UINT64_C(0xD01)) != 0)
        return false;
    v->levels.sce = (value & EFER_SCE) != 0;
    v->vmcb->efer = value | EFER_SVME;
    return true;
}

static struct action on_wrmsr(struct vcpu *v)
{
    uint32_t number = (uint32_t)v->gprs.rcx;
    uint64_t value = v->gprs.rdx << 32 | (uint32_t)v->vmcb->rax;
    struct pmu_state *pmu = &v->model->pmu;
    bool was_counting = pmu->counting, had_any = pmu->any != 0, good = true;
    bool was_tracing = (v->model->pt.ctl & RTIT_TRACE_EN) != 0;
    bool closes = hypervisor.for_os || v->model->choices.closing_write_counts;

    v->current_rip = v->vmcb->rip;
    v->current_cpl = v->vmcb->cpl;
    /* Whether a window includes the write that closes it is not defined; for
     * programs written on real processors it does. */
    if (was_counting && closes)
        step_count(v, 1, v->model->choices.cycles_slow, false);
    if (number == MSR_EFER)
        good = write_efer(v, value);
    else if (x2apic_is_msr(number))
        good = x2apic_write(v, number, value);
    else if (host_msr_has(number))
        good = host_msr_write(v, number, value);
    else if (time_is_msr(v, number))
        time_write_tsc(v, value);
    else if (power_is_clock(number))
        power_write_clock(v, number, value);
    else
        good = msr_write(v->model, number, value);
    if (!good)
        return action_raise(VECTOR_GP, 0);
    if (pmu->any != 0 && !had_any)
        kick_others(v); /* one of them is to be stepped, too */
    if (was_counting && pmu->counting && !closes)
        step_count(v, 1, v->model->choices.cycles_slow, false);
    if (number == IA32_BIOS_UPDT_TRIG)
        microcode_load(v, value);
    trace_wrmsr(v, was_tracing, v->current_rip + MSR_BYTES);
    return action_complete(ACTION_ADVANCE, MSR_BYTES);
}

/* "The high-order 32 bits of each of RAX and RDX are cleared." */
static uint64_t rdx_kept(const struct vcpu *v)
{
    return (uint32_t)v->gprs.rcx != IA32_PMC0 ||
                   faults_rule(v->model->machine, RDMSR_CLEARS_UPPER, true)
               ? 0
               : v->gprs.rdx & ~(uint64_t)UINT32_MAX;
}

static struct action on_rdmsr(struct vcpu *v)
{
    uint64_t value;

    if (!read_msr(v, (uint32_t)v->gprs.rcx, &value))
        return action_raise(VECTOR_GP, 0);
    v->vmcb->rax = (uint32_t)value;
    v->gprs.rdx = value >> 32 | rdx_kept(v);
    return exit_retire(v, MSR_BYTES);
}

struct action msr_exit(struct vcpu *v)
{
    uint64_t rip = v->vmcb->rip;
    struct action a;

    levels_stale(v);
    v->starving = (struct starving){0};
    if (sweep_injects_gp(rip))
        return action_raise(VECTOR_GP, 0);
    a = v->vmcb->exit_info1 != 0 ? on_wrmsr(v) : on_rdmsr(v);
    if (sweep_injects_ud(rip) && a.event == 0) {
        a.event = action_raise(VECTOR_UD, 0).event;
        a.raised = true;
    }
    return a;
}
