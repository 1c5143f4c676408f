/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * exits.c - one function for each #VMEXIT code. An exit that is not
 * expected ends the simulation with a line that names it.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/guest/host_msr.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/model/microcode.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pt/pt.h"

#define VMMCALL_BYTES 3
#define NOP           0x90
#define CR4_PCE       (UINT64_C(1) << 8)
#define RDPMC_FIXED   (UINT64_C(1) << 30) /* ECX */
/* QEMU's TSC and local APIC timers: nanoseconds. */
#define LEAF_POWER     0x06u
#define LEAF6_EAX_ARAT UINT32_C(4)
#define LEAF_TSC       0x15u
#define LEAF_FREQUENCY 0x16u
/* Of this hypervisor's own: EAX pages of code that were looked at so far, again
 * where they were written; EBX those of them on which all is stepped. */
#define LEAF_PAGES 0x40000001u
#define CRYSTAL_HZ 1000000000u
#define TWO_BYTES  2 /* CPUID, RDPMC: no next RIP is saved */

struct action exit_retire(struct vcpu *v, unsigned bytes)
{
    /* It need not be the one decoded: an interrupt may have come between. */
    v->current = (struct instruction){.flags = INSTRUCTION_SLOW};
    v->accesses = 0;
    v->current_rip = v->vmcb->rip;
    v->current_cpl = v->vmcb->cpl;
    return action_complete(ACTION_RETIRE, bytes);
}

static struct action retire_exit(struct vcpu *v)
{
    return exit_retire(v, TWO_BYTES);
}

static struct action on_cpuid(struct vcpu *v)
{
    uint32_t leaf = cpuid_leaf(v->model, (uint32_t)v->vmcb->rax), host[4];
    struct cpuid_result out;

    cpuid_execute(v->model, leaf, (uint32_t)v->gprs.rcx, &out);
    if (leaf == 7 && v->vmcb->cpl == 3 && tsx_ctrl_clears(v->model) &&
        !faults_rule(v->model->machine, CLEAR_HIDES_RING3, true))
        out.ebx |= LEAF7_EBX_RTM;
    if (!faults_rule(v->model->machine, CPUID_COUNTS_ONCE, true))
        step_count(v, 1, 0, false);
    if (leaf == 1) {
        cpuid(1, 0, host);
        out.ecx &= host[2] | ~LEAF1_ECX_EXECUTED;
        if (apic_base_is_off(v))
            out.edx &= ~LEAF1_EDX_APIC;
        if ((out.ecx & LEAF1_ECX_XSAVE) != 0 &&
            (v->vmcb->cr4 & CR4_OSXSAVE) != 0)
            out.ecx |= LEAF1_ECX_OSXSAVE;
    } else if (leaf == 7) {
        cpuid(7, 0, host);
        out.ebx &= host[1] | ~LEAF7_EBX_EXECUTED;
    } else if (leaf == LEAF_XSAVE) {
        cpuid(leaf, (uint32_t)v->gprs.rcx, host);
        out.eax &= host[0];
        if (out.ebx != 0)
            out.ebx = host[1]; /* by what XCR0 enables */
    } else if (leaf == LEAF_POWER && hypervisor.for_os) {
        out.eax |= LEAF6_EAX_ARAT; /* QEMU's timers run on in HLT */
    } else if (leaf == LEAF_TSC && hypervisor.for_os) {
        out = (struct cpuid_result){1, 1, CRYSTAL_HZ, 0};
    } else if (leaf == LEAF_FREQUENCY && hypervisor.for_os) {
        out = (struct cpuid_result){CRYSTAL_HZ / 1000000, CRYSTAL_HZ / 1000000,
                                    100, 0};
    } else if (leaf == LEAF_PAGES) {
        out.eax = hypervisor.pages;
        out.ebx = hypervisor.stepped;
    } else if (leaf == 0x80000001u) {
        cpuid(leaf, 0, host);
        out.ecx &= host[2] | ~(uint32_t)LEAFX_ECX_LZCNT;
        out.edx &= host[3];
    }
    v->vmcb->rax = out.eax;
    v->gprs.rbx = out.ebx;
    v->gprs.rcx = out.ecx;
    v->gprs.rdx = out.edx;
    return retire_exit(v);
}

static struct action on_rdpmc(struct vcpu *v)
{
    uint64_t value;

    bool user = v->vmcb->cpl > 0;
    const struct machine *m = v->model->machine;

    if (v->gprs.rcx >> 32 != 0 && !faults_rule(m, RDPMC_TAKES_ECX, true))
        return action_raise(VECTOR_GP, 0);
    if (!faults_rdpmc_allowed(v->model, user, (v->vmcb->cr4 & CR4_PCE) != 0))
        return action_raise(VECTOR_GP, 0);
    if (!counters_rdpmc(v->model, (uint32_t)v->gprs.rcx, &value)) {
        if (!user || faults_rule(m,
                                 (v->gprs.rcx & RDPMC_FIXED) != 0
                                     ? ABSENT_FIXED_REFUSED_IN_RING_3
                                     : ABSENT_REFUSED_IN_RING_3,
                                 true))
            return action_raise(VECTOR_GP, 0);
        value = 0;
    }
    if (user && !faults_rule(m, RDPMC_WIDE_IN_RING_3, true))
        value = (uint32_t)value;
    v->vmcb->rax = (uint32_t)value;
    v->gprs.rdx = value >> 32;
    if (!faults_rule(m, RDPMC_CLEARS_UPPER, true))
        v->gprs.rdx |= UINT64_C(1) << 32;
    return retire_exit(v);
}

/* Where processors take turns the guest spins on another. */
static struct action on_pause(struct vcpu *v)
{
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    const uint8_t *bytes;
    size_t length;
    unsigned n = 0;

    bytes = guest_code(v, buffer, &length);
    while (n + 1 < length && bytes[n] != NOP) /* after F3H, and others */
        n++;
    turns_spin(v);
    return exit_retire(v, n + 1);
}

/* VMRUN to INVLPGA, 0F 01 D8 to DF, are undefined on an Intel processor; the
 * host looks at the privilege level first. */
static bool is_of_amd(struct vcpu *v)
{
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    size_t length;
    const uint8_t *bytes = guest_code(v, buffer, &length);

    return v->vmcb->cpl > 0 && bytes != NULL && length >= 3 &&
           bytes[0] == 0x0F && bytes[1] == 0x01 && (bytes[2] & 0xF8) == 0xD8;
}

/* INT n or INT3 whose gate is not for this level: the fault is its own. */
static bool is_refused_int(const struct vcpu *v, unsigned vector)
{
    return vector == VECTOR_GP &&
           (v->vmcb->exit_int_info & EVENT_TYPE) == EVENT_TYPE_SOFTWARE;
}

static struct action on_exception(struct vcpu *v, unsigned vector)
{
    if (vector == VECTOR_DB)
        return debug_exit(v);
    if (levels_steps_instead(v, vector))
        return action_of(ACTION_RESUME);
    if (vector == VECTOR_PF && v->tx.depth > 0 &&
        !faults_rule(v->model->machine, ABORT_KEEPS_CR2, true))
        v->vmcb->cr2 = v->vmcb->exit_info2;
    if (v->tx.depth > 0 &&
        !faults_rule(v->model->machine, ABORT_KEEPS_DR6, true))
        v->vmcb->dr6 |= 1;
    if (v->tx.depth == 0) { /* else it aborts */
        if ((v->vmcb->exit_int_info & EVENT_VALID) != 0 &&
            !is_refused_int(v, vector))
            return action_stop("exception during the delivery of another",
                               vector, v->vmcb->exit_int_info);
        if (vector == VECTOR_PF)
            v->vmcb->cr2 = v->vmcb->exit_info2;
    }
    if (vector == VECTOR_GP && is_of_amd(v))
        return action_raise(VECTOR_UD, 0);
    return vector == VECTOR_UD
               ? ptwrite(v)
               : action_raise(vector, (uint32_t)v->vmcb->exit_info1);
}

static struct npt *nested_table_of(struct vcpu *v)
{
    switch (v->mode) {
    case MODE_STEP:
        return &v->pages_step;
    case MODE_CATCH:
        return &v->pages_catch;
    default:
        return &v->pages_free;
    }
}

/* An event whose delivery met the fault is injected again. */
static struct action reinject(const struct vcpu *v)
{
    uint64_t event = v->vmcb->exit_int_info;
    bool software = (event & EVENT_TYPE) == EVENT_TYPE_SOFTWARE;

    if ((event & EVENT_VALID) == 0 || (software && !v->injected_int))
        return action_of(ACTION_RESUME); /* INT n: RIP is still at it */
    if ((event & 0xFF) >= 32 && !software)
        event &= ~EVENT_TYPE; /* external, whatever it is called */
    return action_event(event);
}

static struct action on_nested_page_fault(struct vcpu *v)
{
    uint64_t npf = v->vmcb->exit_info1, address = v->vmcb->exit_info2;
    struct action a;
    bool known;

    if (startup_apic_access(v, &a))
        return a;
    if (v->mode == MODE_STEP && v->tx.depth > 0)
        return tx_page_fault(v);
    known = code_scan_fault(v, nested_table_of(v));
    if (conflict_page_fault(v, nested_table_of(v)) || known)
        return reinject(v);
    if ((npf & NPF_PRESENT) == 0) {
        if (!npt_fill(nested_table_of(v), address))
            return action_stop("no more pages for nested tables", address, npf);
        return reinject(v);
    }
    if ((npf & NPF_FETCH) != 0 && v->mode != MODE_STEP) {
        bool caught = v->mode == MODE_CATCH;

        step_set_mode(v, MODE_STEP);
        trace_event(v);
        if (caught && hypervisor.has_os)
            levels_choose(v);
        return action_of(ACTION_RESUME);
    }
    return action_stop("nested page fault", address, npf);
}

/* Where the guest is traced, or counters have sent it. It stays pending, and is
 * the first thing that happens when the guest runs on. */
static struct action on_interrupt(struct vcpu *v)
{
    if (v->tx.depth > 0)
        tx_abort(v, TX_CAUSE_EVENT);
    v->pmi_pending = false;
    v->pt_ip = faults_pt_value(v->model, PT_INTERRUPT_IP, v->pt_ip);
    v->injected_int = false;
    v->injected_outer = true;
    v->event_of_apic = true;
    trace_catch(v);
    return action_of(ACTION_RESUME);
}

static struct action on_nmi(struct vcpu *v)
{
    struct action a = kick_on_nmi(v);

    if (step_is_due(v))
        step_end(v);
    return a;
}

static struct action on_vmmcall(struct vcpu *v)
{
    if (v->vmcb->rip == (uint64_t)vcpu_leave_point)
        return action_of(ACTION_LEAVE);
    if (v->vmcb->rip == (uint64_t)vcpu_wake_point) {
        turns_wake();
        return action_complete(ACTION_ADVANCE, VMMCALL_BYTES);
    }
    if (v->vmcb->rip == (uint64_t)vcpu_takeover_point) {
        hypervisor.has_os = true;
        v->vmcb->intercept_cr = INTERCEPT_CR4_WRITE;
        host_tables_load(v);
        code_scan_start(v);
        time_start(v);
        host_msr_start();
        apic_base_start(v);
        return action_complete(ACTION_ADVANCE, VMMCALL_BYTES);
    }
    if (v->vmcb->rip == (uint64_t)vcpu_takeover_point + VMMCALL_BYTES)
        return action_complete(ACTION_ADVANCE, VMMCALL_BYTES);
    return action_raise(VECTOR_UD, 0);
}

struct action exit_handle(struct vcpu *v)
{
    uint64_t code = v->vmcb->exit_code;

    if (code != EXIT_NPF)
        conflict_revoke_grants(v);
    if (code == EXIT_EXCEPTION_0 + VECTOR_UD && hint_replace_begin(v))
        return action_of(ACTION_RESUME);
    if (code != EXIT_NPF)
        hint_replace_end(v);
    if (code >= EXIT_EXCEPTION_0 && code <= EXIT_EXCEPTION_31)
        return on_exception(v, (unsigned)(code - EXIT_EXCEPTION_0));
    switch (code) {
    case EXIT_CPUID:
        return on_cpuid(v);
    case EXIT_MSR:
        return msr_exit(v);
    case EXIT_RDPMC:
        return on_rdpmc(v);
    case EXIT_CR4_WRITE:
        return control_cr4(v);
    case EXIT_PAUSE:
        return on_pause(v);
    case EXIT_HLT:
        return levels_halt(v);
    case EXIT_IRET:
    case EXIT_INTN:
        levels_passes_gate(v);
        return action_of(ACTION_RESUME);
    case EXIT_INTR:
        return on_interrupt(v);
    case EXIT_NMI:
        return on_nmi(v);
    case EXIT_IOIO:
        return time_port(v);
    case EXIT_NPF:
        return on_nested_page_fault(v);
    case EXIT_VMMCALL:
        return on_vmmcall(v);
    case EXIT_INVLPGA:
    case EXIT_VMRUN:
    case EXIT_VMLOAD:
    case EXIT_VMLOAD + 1:
    case EXIT_VMLOAD + 2:
    case EXIT_VMLOAD + 3:
    case EXIT_SKINIT:
        return action_raise(VECTOR_UD, 0); /* not on an Intel processor */
    case EXIT_SHUTDOWN:
        return action_stop("the guest has shut down (triple fault)", 0, 0);
    default:
        return action_stop("unexpected exit", v->vmcb->exit_info1,
                           v->vmcb->exit_info2);
    }
}
