/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.c - reports to Processor Trace and to the last branch records what the
 * guest does, and writes packets to memory. The guest is stepped while it is
 * traced or its branches are recorded, in handlers of interrupts too.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/lbr/lbr.h"
#include "tests/silicon/model/pt/pt.h"

#define CS_D        UINT16_C(0x400)
#define PAUSE_BYTES 2

static uint64_t read_word(uint64_t address)
{
    return guest_is_ram(address) ? *(const volatile uint64_t *)address : 0;
}

static void write_bytes(uint64_t address, const uint8_t *bytes, unsigned count)
{
    if (guest_is_ram(address) && guest_is_ram(address + count - 1))
        __builtin_memcpy((void *)address, bytes, count);
}

static void fill_now(const struct vcpu *v, struct pt_step *now, uint64_t ip,
                     uint64_t next)
{
    *now = (struct pt_step){
        .ip = ip,
        .next = next,
        .cr3 = v->vmcb->cr3,
        .tsc = time_tsc(v),
        .cpl = v->vmcb->cpl,
        .cs_l = (v->vmcb->cs.attributes & CS_L) != 0,
        .cs_d = (v->vmcb->cs.attributes & CS_D) != 0,
        .interrupts = (v->vmcb->rflags & RFLAGS_IF) != 0,
        .cr2 = v->vmcb->cr2,
    };
}

static void write_packets(struct vcpu *v, uint64_t next)
{
    struct pt_memory memory = {.read = read_word, .write = write_bytes};

    v->pt_ip = next;
    pt_output(v->model, &memory);
}

void trace_wrmsr(struct vcpu *v, bool was, uint64_t next)
{
    bool is = (v->model->pt.ctl & RTIT_TRACE_EN) != 0;
    struct pt_step now;

    if (!pt_is_switched(v->model, was, (uint32_t)v->gprs.rcx))
        return;
    fill_now(v, &now, v->current_rip, next);
    now.cycles = v->model->choices.cycles_slow;
    if (is)
        pt_started(v->model, &now);
    else
        pt_stopped(v->model, &now);
    write_packets(v, now.next);
    lbr_trace_changed(v->model, is);
}

static bool is_mispredicted(struct vcpu *v, const struct retirement *r)
{
    const struct machine *m = v->model->machine;
    bool is = faults_rule(m, LBR_MISPRED_IN_TIME, true)
                  ? r->mispredicted
                  : v->model->faults.was_mispredicted;

    if (r->branch != 0 && r->taken)
        v->model->faults.was_mispredicted = r->mispredicted;
    return is && ((r->branch & INSTRUCTION_CONDITIONAL) != 0 ||
                  faults_rule(m, LBR_MISPRED_OF_TARGETS, true));
}

/* "Ring >0". */
static bool lbr_is_user(const struct vcpu *v, unsigned cpl)
{
    return cpl == 3 || (cpl > 0 && faults_rule(v->model->machine,
                                               LBR_INNER_RINGS_ARE_USER, true));
}

void trace_branch(struct vcpu *v, const struct retirement *r)
{
    const struct lbr_branch b = {
        .from = v->current_rip,
        .to = v->vmcb->rip,
        .user = r->user && lbr_is_user(v, v->current_cpl),
        .to_user = lbr_is_user(v, v->vmcb->cpl),
        .taken = r->taken,
        .mispredicted = is_mispredicted(v, r),
        .in_tx = v->tx.depth == 1 ||
                 (v->tx.depth > 1 &&
                  faults_rule(v->model->machine, LBR_IN_TSX_NESTED, true)),
    };

    v->model->faults.ret_operand = (v->current.flags & INSTRUCTION_FREES) != 0;
    lbr_pass(v->model, r->cycles);
    lbr_retired(v->model, &v->current, &b);
    if (r->branch != 0 && r->taken &&
        !faults_rule(v->model->machine, LBR_CYCLES_OF_RECORDED, true))
        v->model->lbr.cycles = 0;
}

static void record_event(struct vcpu *v)
{
    const bool beyond = v->injected_int &&
                        !faults_rule(v->model->machine, LBR_INT_N_AT_IT, true);
    const struct lbr_branch b = {
        .from = v->pt_ip + (beyond ? 4 : 0),
        .to = v->vmcb->rip,
        .user = v->event_user,
        .to_user = v->vmcb->cpl > 0,
    };

    if (lbr_records(v->model) &&
        (!v->injected_int ||
         faults_rule(v->model->machine, LBR_HAS_INT_N, true)) &&
        (!v->injected_outer ||
         faults_rule(v->model->machine, LBR_HAS_INTERRUPTS, true)) &&
        (v->event_vector != VECTOR_NMI ||
         faults_rule(v->model->machine, LBR_HAS_NMIS, true)))
        lbr_event(v->model, &b);
}

void trace_abort(struct vcpu *v)
{
    const bool user = v->vmcb->cpl > 0;
    const bool level =
        user && faults_rule(v->model->machine, LBR_ABORT_LEVEL, true);
    const bool lost =
        user && !faults_rule(v->model->machine, LBR_ABORT_OF_RING_3, true);
    const struct lbr_branch b = {
        /* "EIP at the time of the TSX Abort". */
        .from = faults_rule(v->model->machine, LBR_ABORT_HERE, true)
                    ? v->pt_ip
                    : v->tx.begin,
        .to = lost ? 0
              : v->tx.hle && !faults_rule(v->model->machine,
                                          LBR_ELISION_TO_BEGIN, true)
                  ? v->tx.resume_ip
                  : v->vmcb->rip,
        .user = level,
        .to_user = level,
    };

    const bool unseen =
        (user && v->tx.cause != TX_CAUSE_XABORT &&
         !faults_rule(v->model->machine, LBR_OTHER_ABORTS_RING_3, true)) ||
        (user && v->tx.cause == TX_CAUSE_WRITES &&
         !faults_rule(v->model->machine, LBR_CAPACITY_ABORTS_RING_3, true)) ||
        (v->tx.cause == TX_CAUSE_DEBUG &&
         !faults_rule(v->model->machine, LBR_ABORTS_OF_BREAKPOINTS, true)) ||
        (v->tx.cause == TX_CAUSE_CONFLICT &&
         !faults_rule(v->model->machine, LBR_ABORTS_OF_CONFLICTS, true)) ||
        (v->tx.cause == TX_CAUSE_EVENT &&
         !faults_rule(v->model->machine, LBR_ABORTS_OF_EVENTS, true));

    if (lbr_records(v->model) && !unseen)
        lbr_aborted(v->model, &b);
}

void trace_retire(struct vcpu *v, uint32_t cycles)
{
    struct pt_step now;

    if (!pt_tracing(v->model)) {
        v->pt_ip = v->vmcb->rip;
        return;
    }
    fill_now(v, &now, v->current_rip, v->vmcb->rip);
    now.cycles = cycles;
    now.ptw = v->ptw;
    pt_retired(v->model, &v->current, &now);
    pt_overflow(v->model, &now);
    write_packets(v, now.next);
    if (v->tx.depth > 0 && faults_trace_aborts(v->model))
        tx_abort(v, TX_CAUSE_EVENT);
}

void trace_catch(struct vcpu *v)
{
    v->pt_event = true;
    if (v->mode == MODE_FREE)
        v->pt_ip = v->vmcb->rip;
    v->event_user = v->vmcb->cpl > 0;
    step_set_mode(v, MODE_CATCH);
}

void trace_event(struct vcpu *v)
{
    struct pt_step now;

    if (!v->pt_event)
        return;
    v->pt_event = false;
    if (v->vmcb->rip == v->pt_ip)
        return; /* an interrupt that was withdrawn */
    record_event(v);
    fill_now(v, &now, v->pt_ip, v->vmcb->rip);
    now.cycles = v->model->choices.cycles_slow;
    now.vector = v->event_of_apic ? pmi_vector_in_service() : v->event_vector;
    now.from_user = v->event_user;
    now.external = v->event_of_apic;
    pt_event(v->model, &now);
    write_packets(v, now.next);
}

/* "Packet generation does not distinguish" RTM and HLE, nor what aborts. */
static bool is_abort_traced(const struct vcpu *v)
{
    const struct processor *p = v->model;

    switch (v->tx.cause) {
    case TX_CAUSE_INSTRUCTION:
        return v->current.is_pause || faults_pt(p, PT_ABORT_OF_CPUID, true);
    case TX_CAUSE_EXCEPTION:
        return v->vmcb->exit_code != EXIT_EXCEPTION_0 + VECTOR_PF ||
               faults_pt(p, PT_ABORT_OF_PAGE_FAULT, true);
    case TX_CAUSE_DEBUG:
        return v->tx.watch.hits == 0 ||
               faults_pt(p, PT_ABORT_OF_BREAKPOINT, true);
    case TX_CAUSE_READS:
        return faults_pt(p, PT_ABORT_OF_READS, true);
    default:
        return true;
    }
}

static bool is_elided_abort_traced(const struct vcpu *v)
{
    const struct processor *p = v->model;

    switch (v->tx.cause) {
    case TX_CAUSE_INSTRUCTION:
        return faults_pt(p,
                         v->current.is_pause ? PT_HLE_ABORT_OF_PAUSE
                                             : PT_HLE_ABORT_OF_CPUID,
                         true);
    case TX_CAUSE_EXCEPTION:
        return faults_pt(p, PT_HLE_ABORT_OF_EXCEPTION, true);
    case TX_CAUSE_WRITES:
        return faults_pt(p, PT_HLE_ABORT_OF_WRITES, true);
    case TX_CAUSE_CONFLICT:
        return faults_pt(p, PT_HLE_ABORT_OF_CONFLICT, true);
    case TX_CAUSE_EVENT:
        return faults_pt(p, PT_HLE_ABORT_OF_EVENT, true);
    default:
        return true;
    }
}

void trace_tx(struct vcpu *v, enum trace_tx what, uint64_t next)
{
    const struct tx_decision *decision = &v->tx.decision;
    struct pt_step now;

    fill_now(v, &now, v->pt_ip, next);
    if (v->current.is_pause && !faults_pt(v->model, PT_PAUSE_HERE, true))
        now.ip += PAUSE_BYTES;
    now.nested = v->tx.depth > 1;
    if (what == TRACE_TX_ABORT)
        now.cycles = v->model->choices.cycles_abort;
    else if (what == TRACE_TX_COMMIT || !v->tx.hle)
        now.cycles = v->model->choices.cycles_other;
    switch (what) {
    case TRACE_TX_BEGIN:
        if (!pt_tx_begin(v->model, &now,
                         decision->fate == TX_DOOMED && decision->steps == 0 &&
                             !decision->at_xend))
            return;
        break;
    case TRACE_TX_NESTED:
        pt_tx_nested(v->model, &now);
        break;
    case TRACE_TX_COMMIT:
        pt_tx_commit(v->model, &now);
        break;
    case TRACE_TX_ABORT:
        if (!(v->tx.hle ? is_elided_abort_traced(v) : is_abort_traced(v)))
            return;
        pt_tx_abort(v->model, &now);
        break;
    }
    pt_overflow(v->model, &now);
    write_packets(v, now.next);
}
