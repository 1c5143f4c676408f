/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace.c - reports to Processor Trace what the guest does, and writes its
 * packets to memory. The guest is stepped while it is traced, in handlers of
 * interrupts too.
 */
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/x86.h"
#include "tests/silicon/model/pt.h"

#define CS_D UINT16_C(0x400)

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
        .tsc = rdtsc(),
        .cpl = v->vmcb->cpl,
        .cs_l = (v->vmcb->cs.attributes & CS_L) != 0,
        .cs_d = (v->vmcb->cs.attributes & CS_D) != 0,
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

    if (was == is)
        return;
    fill_now(v, &now, v->current_rip, next);
    now.cycles = v->model->choices.cycles_slow;
    if (is)
        pt_started(v->model, &now);
    else
        pt_stopped(v->model, &now);
    write_packets(v, now.next);
}

void trace_retire(struct vcpu *v, uint32_t cycles)
{
    struct pt_step now;

    if (!pt_tracing(v->model))
        return;
    fill_now(v, &now, v->current_rip, v->vmcb->rip);
    now.cycles = cycles;
    pt_retired(v->model, &v->current, &now);
    pt_overflow(v->model, &now);
    write_packets(v, now.next);
    if (v->tx.depth > 0 && faults_trace_aborts(v->model))
        tx_abort(v, TX_CAUSE_EVENT);
}

void trace_catch(struct vcpu *v)
{
    v->pt_event = true;
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
    fill_now(v, &now, v->pt_ip, v->vmcb->rip);
    now.cycles = v->model->choices.cycles_slow;
    pt_event(v->model, &now);
    write_packets(v, now.next);
}

void trace_tx(struct vcpu *v, enum trace_tx what, uint64_t next)
{
    const struct tx_decision *decision = &v->tx.decision;
    struct pt_step now;

    fill_now(v, &now, v->pt_ip, next);
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
        pt_tx_abort(v->model, &now);
        break;
    }
    pt_overflow(v->model, &now);
    write_packets(v, now.next);
}
