/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rings.c - instructions that change the privilege level and, on their way,
 * the TF that steps the guest: carried out here while it is stepped. SYSCALL
 * masks TF by IA32_FMASK, SYSRET loads what SYSCALL saved, and INT n and INT3
 * clear it for their handler. IRET and far RET need nothing: the host traps
 * after an instruction that began with TF set.
 *
 * SDM volume 2B, "SYSCALL", "SYSRET", "INT n"; AMD64 APM volume 2, "Event
 * Injection", for software interrupts.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/host/x86.h"

#define IA32_STAR  0xC0000081u
#define IA32_LSTAR 0xC0000082u
#define IA32_FMASK 0xC0000084u

/* Flat segments that SYSCALL and SYSRET load: present, accessed, G, and L or
 * D. */
#define CODE_64   0xA9Bu
#define CODE_32   0xC9Bu
#define DATA_32   0xC93u
#define DPL_3     0x060u
#define RPL_3     3u
#define LIMIT_ALL 0xFFFFFFFFu

#define RFLAGS_FIXED  UINT64_C(2)
#define RFLAGS_SYSRET UINT64_C(0x3C7FD7)

#define GATE_BYTES 16

static void load_flat(struct vmcb_segment *s, unsigned selector,
                      unsigned attributes)
{
    *s = (struct vmcb_segment){
        .selector = (uint16_t)selector,
        .attributes = (uint16_t)attributes,
        .limit = LIMIT_ALL,
    };
}

static bool is_canonical(uint64_t address)
{
    return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

static struct action system_call(struct vcpu *v)
{
    struct vmcb *b = v->vmcb;
    uint64_t star = rdmsr(IA32_STAR);
    unsigned selector = (unsigned)(star >> 32) & 0xFFFC;

    v->gprs.rcx = b->rip + v->current.length;
    v->gprs.r11 = (b->rflags & ~(uint64_t)(RFLAGS_RF | RFLAGS_TF)) |
                  (v->levels.tf ? RFLAGS_TF : 0);
    v->levels.tf = v->levels.tf && (rdmsr(IA32_FMASK) & RFLAGS_TF) == 0;
    b->rflags = (v->gprs.r11 & ~rdmsr(IA32_FMASK)) | RFLAGS_FIXED;
    load_flat(&b->cs, selector, CODE_64);
    load_flat(&b->ss, selector + 8, DATA_32);
    b->cpl = 0;
    return action_branch(rdmsr(IA32_LSTAR));
}

static struct action system_return(struct vcpu *v)
{
    struct vmcb *b = v->vmcb;
    unsigned selector = (unsigned)(rdmsr(IA32_STAR) >> 48) & 0xFFFC;
    bool wide = v->current.operand_bytes == 8;

    if (b->cpl != 0 || (wide && !is_canonical(v->gprs.rcx)))
        return action_raise(VECTOR_GP, 0);
    v->levels.tf = hypervisor.has_os && (v->gprs.r11 & RFLAGS_TF) != 0;
    b->rflags =
        (v->gprs.r11 & RFLAGS_SYSRET & ~(uint64_t)RFLAGS_TF) | RFLAGS_FIXED;
    load_flat(&b->cs, (selector + (wide ? 16 : 0)) | RPL_3,
              (wide ? CODE_64 : CODE_32) | DPL_3);
    load_flat(&b->ss, (selector + 8) | RPL_3, DATA_32 | DPL_3);
    b->cpl = 3;
    return action_branch(wide ? v->gprs.rcx : (uint32_t)v->gprs.rcx);
}

/* May this privilege level use the gate? The host raises #GP where not, or
 * where there is none. */
static bool may_interrupt(const struct vcpu *v, unsigned vector)
{
    struct gate gate;
    uint64_t at = v->vmcb->idtr.base + vector * GATE_BYTES;

    return vector * GATE_BYTES + GATE_BYTES - 1 <= v->vmcb->idtr.limit &&
           guest_copy(v, at, &gate, sizeof(gate), false) &&
           (gate.flags >> 13 & 3) >= v->vmcb->cpl;
}

static struct action software_interrupt(struct vcpu *v)
{
    struct action a = action_complete(ACTION_ADVANCE, v->current.length);

    a.event = EVENT_VALID | EVENT_TYPE_SOFTWARE | v->current.immediate;
    a.raised = true;
    if (faults_rule(v->model->machine, SOFT_INT_COUNTED, true))
        step_count_current(v);
    return a;
}

struct action rings_instruction(struct vcpu *v)
{
    bool calls =
        (v->vmcb->efer & EFER_SCE) != 0 && (v->vmcb->cs.attributes & CS_L) != 0;

    switch (v->current.system) {
    case SYSTEM_SYSCALL:
        return calls ? system_call(v) : action_of(ACTION_EXECUTE);
    case SYSTEM_SYSRET:
        return calls ? system_return(v) : action_of(ACTION_EXECUTE);
    case SYSTEM_INT:
        return may_interrupt(v, v->current.immediate)
                   ? software_interrupt(v)
                   : action_of(ACTION_EXECUTE);
    case SYSTEM_NONE:
        break;
    }
    return action_of(ACTION_EXECUTE);
}
