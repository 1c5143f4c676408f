/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loop.c - one round of the loop that runs a guest: up to an exit, or one
 * instruction that the host carries out, and then what the handler returns.
 * Nothing else moves RIP or injects, but for what action.h says of aborts.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pt/pt.h"

#define VECTORS_WITH_ERROR \
    (1u << 8 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 17)

struct action action_raise(unsigned vector, uint32_t error)
{
    uint64_t event = EVENT_VALID | EVENT_TYPE_EXCEPTION | vector;

    if ((VECTORS_WITH_ERROR >> vector & 1) != 0)
        event |= EVENT_HAS_ERROR | (uint64_t)error << 32;
    return (struct action){
        .kind = ACTION_RESUME, .event = event, .raised = true};
}

/* What a delivery would push, without one. */
static void leave_frame(struct vcpu *v)
{
    uint64_t frame[6] = {0};
    const uint64_t rsp = v->vmcb->rsp & ~UINT64_C(15);

    (void)guest_copy(v, rsp - sizeof(frame), frame, sizeof(frame), true);
}

/* SDM volume 1, "Runtime Considerations": an exception in a transaction aborts
 * it, and is not delivered. */
static bool aborts_instead(struct vcpu *v, uint64_t event)
{
    if (v->tx.depth == 0)
        return false;
    const struct machine *m = v->model->machine;
    const bool inner = v->tx.depth > 1;
    tx_abort(v, TX_CAUSE_EXCEPTION);
    if (inner && (event & 0xFF) == VECTOR_GP &&
        !faults_rule(m, INNER_FAULT_STAYS, true))
        return false;
    if (v->vmcb->cpl == 3 && faults_about(m, RING3_DELIVERED, event & 0xFF))
        return false;
    if (!faults_rule(m, EXCEPTION_KEEPS_STACK, true))
        leave_frame(v);
    return !faults_deliver_exception(v->model, event & 0xFF);
}

/* SDM volume 3B, "Resume Flag": set in the image that a fault saves. */
static bool is_fault(uint64_t event)
{
    unsigned vector = event & 0xFF;

    return (event & EVENT_TYPE) == EVENT_TYPE_EXCEPTION &&
           vector != VECTOR_DB && vector != VECTOR_BP && vector != VECTOR_OF;
}

static bool is_debug(uint64_t event)
{
    return (event & (EVENT_TYPE | 0xFF)) == (EVENT_TYPE_EXCEPTION | VECTOR_DB);
}

static void note_event(struct vcpu *v, uint64_t event)
{
    v->event_of_apic = false;
    v->event_vector = (uint8_t)event;
    v->injected_int = (event & EVENT_TYPE) == EVENT_TYPE_SOFTWARE;
    v->injected_outer = (event & EVENT_TYPE) != EVENT_TYPE_SOFTWARE &&
                        (event & EVENT_TYPE) != EVENT_TYPE_EXCEPTION;
}

/* "Single-Stepping on Branches": "the processor clears the BTF flag when it
 * generates a debug exception". */
static void clear_btf(struct processor *p)
{
    uint64_t debugctl;

    if (faults_rule(p->machine, DEBUG_CLEARS_BTF, true) &&
        msr_read(p, IA32_DEBUGCTL, &debugctl) && (debugctl & DEBUGCTL_BTF) != 0)
        msr_write(p, IA32_DEBUGCTL, debugctl & ~DEBUGCTL_BTF);
}

static void inject(struct vcpu *v, const struct action *a)
{
    if (a->raised && aborts_instead(v, a->event))
        return;
    v->vmcb->event_inject = a->event;
    if (is_debug(a->event)) {
        lbr_debug_exception(v->model);
        clear_btf(v->model);
    }
    if (hypervisor.has_os) {
        if (a->raised && is_fault(a->event))
            v->vmcb->rflags |= RFLAGS_RF;
        note_event(v, a->event);
        levels_event(v);
        return;
    }
    if (!a->raised && !pt_tracing(v->model) && !lbr_records(v->model) &&
        !(v->model->pmu.counting && (a->event & EVENT_TYPE) == EVENT_TYPE_NMI))
        return;
    /* Delivery would save the host's TF; the handler is caught at its
     * first instruction instead. */
    v->vmcb->rflags &= ~(uint64_t)RFLAGS_TF;
    note_event(v, a->event);
    if (v->mode == MODE_STEP)
        trace_catch(v);
}

/* SDM volume 1, "RTM-Enabled Debugger Support": what has aborted the
 * transaction is a #DB, also if it was #BP; of the outermost XBEGIN. */
static void trap_debugged(struct vcpu *v)
{
    struct action a = action_raise(VECTOR_DB, 0);

    v->tx.debugged = false;
    v->vmcb->dr6 =
        (v->vmcb->dr6 & ~(DR6_B | DR6_RTM)) | v->tx.watch.hits |
        faults_quantity(v->model->machine, DEBUGGED_DR6, ANY_NUMBER, 0);
    inject(v, &a);
}

/* An operating system's own TF, over an instruction that the host has carried
 * out. */
static void trap_carried_out(struct vcpu *v)
{
    struct action a = action_raise(VECTOR_DB, 0);

    v->vmcb->dr6 |= DR6_BS;
    inject(v, &a);
}

static void apply_action(struct vcpu *v, const struct action *a)
{
    bool traps = hypervisor.has_os && a->kind == ACTION_RETIRE &&
                 (v->mode == MODE_STEP ? v->levels.traps
                                       : (v->vmcb->rflags & RFLAGS_TF) != 0);

    switch (a->kind) {
    case ACTION_ADVANCE:
    case ACTION_RETIRE:
        v->vmcb->rip += a->bytes;
        if (a->kind == ACTION_RETIRE && v->mode == MODE_STEP)
            step_retire(v);
        else if (a->kind == ACTION_RETIRE && hypervisor.has_os)
            levels_carried_out(v);
        step_end(v);
        break;
    case ACTION_BRANCH:
        v->vmcb->rip = a->to;
        step_retire(v);
        step_end(v);
        break;
    case ACTION_STOP:
        log_panic(v, a->reason, a->information[0], a->information[1]);
    default:
        break;
    }
    if (v->tx.debugged)
        trap_debugged(v);
    else if (a->event != 0)
        inject(v, a);
    else if (traps)
        trap_carried_out(v);
}

static struct action run_to_exit(struct vcpu *v, bool stepped)
{
    /* An event delivered while stepping saves TF in its frame, and IRET
     * brings it back. */
    if (stepped)
        v->vmcb->rflags |= RFLAGS_TF;
    if (!stepped || !direct_step(v)) {
        direct_leave(v);
        kick_run_guest(v);
        v->vmcb->event_inject = 0;
        v->vmcb->tlb_control = TLB_DO_NOTHING;
        if (hypervisor.has_os)
            levels_ran(v);
        if (stepped)
            blocks_stepped(v);
    }
    exit_log_add(&v->exit_log, v->vmcb);
    return exit_handle(v);
}

bool loop_round(struct vcpu *v)
{
    uint64_t tsc = v->measure ? rdtsc() : 0;
    struct action a = action_of(ACTION_EXECUTE);
    bool stepped;

    if (v->tx.depth > 0 && v->tx.conflict && v->vmcb->event_inject == 0)
        tx_abort(v, TX_CAUSE_CONFLICT);
    stepped = v->mode == MODE_STEP;
    if (levels_nmi_is_due(v) && v->vmcb->event_inject == 0)
        a = levels_nmi(v);
    else if (stepped && v->vmcb->event_inject == 0 && !rounds_run(v, &a))
        a = blocks_run(v) ? action_of(ACTION_RESUME) : step_begin(v);
    if (a.kind == ACTION_EXECUTE)
        a = run_to_exit(v, stepped);
    apply_action(v, &a);
    turns_round(v, stepped);
    if (v->measure && stepped)
        v->step_tsc += rdtsc() - tsc;
    return a.kind != ACTION_LEAVE;
}
