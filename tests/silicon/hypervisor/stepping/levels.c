/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * levels.c - under an operating system, each privilege level is watched as
 * closely as what is measured there asks for: not at all, by how many
 * instructions it executes, or step by step. Where that differs, its way into
 * the kernel and out of it exits: interrupts, exceptions and INT n are
 * intercepted, and so is IRET; SYSCALL and SYSRET raise #UD, because EFER.SCE
 * is 0. Each is then carried out as one step.
 *
 * How many instructions the guest has executed, the TSC tells: QEMU's -icount
 * lets it advance by the same amount for each. A round of REP is one.
 *
 * TF is the host's while the guest is stepped; what the guest has made of its
 * own is in v->levels.tf, and traps as it should.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/counters/counters.h"
#include "tests/silicon/model/counters/demand.h"

/* Steps between two looks at what is measured, which changes by itself: an
 * overflow comes near, and is past. */
#define LOOK_STEPS 64

/* Instructions before an overflow that are stepped. A run of the guest is ended
 * by silicon's timer, somewhat later; without that one, these are more than
 * are executed between two looks. */
#define NEAR_INSTRUCTIONS         400
#define NEAR_INSTRUCTIONS_TIMED   200
#define NEAR_INSTRUCTIONS_UNTIMED 300000

#define OPCODE_POPF 0x9D
#define OPCODE_IRET 0xCF

#define GATES (INTERCEPT1_INTR | INTERCEPT1_INTN | INTERCEPT1_IRET)
/* #GP, where an Intel processor has #UD: exits.c. */
#define EXCEPTIONS_UNSTEPPED \
    (UINT32_C(1) << VECTOR_UD | UINT32_C(1) << VECTOR_GP)
/* Carried out as a step, where RIP is still at the instruction. */
#define EXCEPTIONS_GATES UINT32_C(0xFFFFFFFF)

/* --- The guest's TF ------------------------------------------------------ */

static bool is_prefix(uint8_t b)
{
    return (b & 0xF0) == 0x40 || b == 0x66 || b == 0x67 || b == 0xF2 ||
           b == 0xF3 || b == 0x2E || b == 0x36 || b == 0x3E || b == 0x26 ||
           b == 0x64 || b == 0x65;
}

void levels_step(struct vcpu *v, const uint8_t *bytes, size_t length)
{
    size_t at = 0;

    while (at < length && is_prefix(bytes[at]))
        at++;
    v->levels.traps = v->levels.tf;
    v->levels.returns = at < length && bytes[at] == OPCODE_IRET;
    v->levels.loads_tf =
        v->levels.returns || (at < length && bytes[at] == OPCODE_POPF);
}

void levels_stepped(struct vcpu *v)
{
    if (hypervisor.has_os && v->levels.loads_tf)
        v->levels.tf = (v->vmcb->rflags & RFLAGS_TF) != 0;
    if (hypervisor.has_os && v->levels.returns)
        v->levels.nmi_blocked = false;
    v->levels.loads_tf = v->levels.returns = false;
}

void levels_own_tf(struct vcpu *v, bool stepped)
{
    if (stepped)
        v->levels.tf = (v->vmcb->rflags & RFLAGS_TF) != 0;
    else
        v->vmcb->rflags = (v->vmcb->rflags & ~(uint64_t)RFLAGS_TF) |
                          (v->levels.tf ? RFLAGS_TF : 0);
}

/* --- What is to be done -------------------------------------------------- */

/* Where the TSC does not tell how many instructions, each is stepped, unless
 * the time is all that is wanted. */
static uint8_t demand_here(const struct vcpu *v, bool user)
{
    enum demand d = demand_of(demand_left(v->model, user),
                              time_is_own(v) ? NEAR_INSTRUCTIONS
                                             : NEAR_INSTRUCTIONS_UNTIMED);

    if (d != DEMAND_NONE && !turns_tsc_counts())
        d = demand_is_time(v->model, user) ? DEMAND_TOTAL : DEMAND_STEPS;
    return (uint8_t)d;
}

static void look(struct vcpu *v)
{
    struct levels *l = &v->levels;

    l->steps = 0;
    l->demand[0] = demand_here(v, false);
    l->demand[1] = demand_here(v, true);
    l->gates = l->demand[0] != l->demand[1] ||
               (l->demand[0] == DEMAND_TOTAL && demand_tells_levels(v->model));
}

void levels_stale(struct vcpu *v)
{
    v->levels.steps = LOOK_STEPS;
}

static enum demand demand_at(const struct vcpu *v, bool user)
{
    return (enum demand)v->levels.demand[user];
}

/* In MODE_FREE. */
static void set_gates(struct vcpu *v)
{
    struct vmcb *b = v->vmcb;
    bool counted = demand_at(v, b->cpl > 0) == DEMAND_TOTAL;

    b->efer = levels_efer(v, false);
    b->intercept_exceptions = EXCEPTIONS_UNSTEPPED;
    if (v->levels.gates) {
        b->intercept_misc1 |= GATES;
        b->intercept_exceptions = EXCEPTIONS_GATES;
    }
    if (counted || v->levels.tells_halts)
        b->intercept_misc1 |= INTERCEPT1_INTR | INTERCEPT1_HLT;
    if (v->levels.nmi_blocked)
        b->intercept_misc1 |= INTERCEPT1_IRET;
}

uint64_t levels_efer(const struct vcpu *v, bool seen_by_guest)
{
    uint64_t efer = v->vmcb->efer & ~EFER_SCE;

    if (v->levels.sce && (seen_by_guest || v->mode != MODE_FREE ||
                          !hypervisor.has_os || !v->levels.gates))
        efer |= EFER_SCE;
    return efer;
}

void levels_choose(struct vcpu *v)
{
    if (v->mode == MODE_FREE || v->levels.steps >= LOOK_STEPS ||
        v->levels.user != (v->vmcb->cpl > 0))
        look(v);
    v->levels.user = v->vmcb->cpl > 0;
    v->levels.steps++;
    if (v->tx.depth > 0 || code_scan_is_stepped(v) ||
        demand_at(v, v->levels.user) == DEMAND_STEPS) {
        step_set_mode(v, MODE_STEP);
        v->vmcb->intercept_misc1 |= INTERCEPT1_INTR | INTERCEPT1_HLT;
    } else {
        step_set_mode(v, MODE_FREE);
        set_gates(v);
    }
    v->vmcb->efer = levels_efer(v, false);
}

/* An event is to be delivered, or one that the host has waits: its handler is
 * caught where it is not to run as what is running does. */
void levels_event(struct vcpu *v)
{
    if (v->mode == MODE_CATCH)
        return;
    if (v->mode == MODE_FREE)
        look(v);
    if (v->mode == MODE_STEP || demand_at(v, false) != DEMAND_NONE)
        trace_catch(v);
}

bool levels_passes_gate(struct vcpu *v)
{
    if (v->mode != MODE_FREE || !hypervisor.has_os)
        return false;
    step_set_mode(v, MODE_STEP);
    v->vmcb->efer = levels_efer(v, false);
    return true;
}

/* XEND and XTEST of a guest that runs freely; SYSCALL and SYSRET at a gate. */
static bool is_stepped_instead(struct vcpu *v)
{
    uint8_t buffer[INSTRUCTION_BYTES_MAX];
    const uint8_t *bytes;
    struct instruction i;
    size_t length;

    if (!hypervisor.has_os || v->mode != MODE_FREE)
        return false;
    bytes = guest_code(v, buffer, &length);
    instruction_classify(&i, bytes, length);
    if (i.kind != INSTRUCTION_OTHER)
        return true;
    return v->levels.sce && (v->vmcb->efer & EFER_SCE) == 0 &&
           (i.system == SYSTEM_SYSCALL || i.system == SYSTEM_SYSRET);
}

bool levels_steps_instead(struct vcpu *v, unsigned vector)
{
    return (vector == VECTOR_BP ||
            (vector == VECTOR_UD && is_stepped_instead(v))) &&
           levels_passes_gate(v);
}

/* SDM volume 3A, "Handling Multiple NMIs": the next one waits for IRET, and
 * one alone. That IRET is stepped. */
struct action levels_nmi(struct vcpu *v)
{
    struct levels *l = &v->levels;

    l->nmi_waiting = l->nmi_blocked;
    if (hypervisor.has_os)
        v->vmcb->intercept_misc1 |= INTERCEPT1_IRET;
    if (l->nmi_blocked)
        return action_of(ACTION_RESUME);
    l->nmi_blocked = hypervisor.has_os;
    return action_event(EVENT_VALID | EVENT_TYPE_NMI | VECTOR_NMI);
}

bool levels_nmi_is_due(const struct vcpu *v)
{
    return v->levels.nmi_waiting && !v->levels.nmi_blocked;
}

/* Until there is an interrupt, which is then taken where RIP is after HLT; the
 * others have their turns meanwhile. With IF = 0 it may be an NMI, which VMRUN
 * takes. */
static struct action halt_here(struct vcpu *v)
{
    uint64_t since = rdtsc();

    if ((v->vmcb->rflags & RFLAGS_IF) == 0) {
        turns_spin(v);
        return action_of(ACTION_RESUME);
    }
    while (!apic_interrupts())
        turns_spin(v);
    v->spins = 0;
    counters_halted(v->model, rdtsc() - since);
    return action_complete(ACTION_RETIRE, 1);
}

/* Under an operating system it is over at once where it is stepped; else the
 * guest halts when it is here again, and no time is taken for instructions. */
struct action levels_halt(struct vcpu *v)
{
    if (!hypervisor.has_os)
        return halt_here(v);
    if (v->mode == MODE_STEP)
        time_halted(v);
    return v->mode == MODE_STEP ? action_complete(ACTION_RETIRE, 1)
                                : action_of(ACTION_RESUME);
}

/* --- Counting by the clock ----------------------------------------------- */

uint64_t levels_ticks_left(const struct vcpu *v)
{
    uint64_t left;

    if (!v->levels.counts)
        return UINT64_MAX;
    left = demand_left(v->model, v->levels.user);
    if (left <= NEAR_INSTRUCTIONS_TIMED)
        return 0;
    return (left - NEAR_INSTRUCTIONS_TIMED) * turns_instruction_tsc();
}

void levels_run(struct vcpu *v)
{
    struct levels *l = &v->levels;

    l->counts = v->mode == MODE_FREE && !l->idle &&
                v->vmcb->event_inject == 0 &&
                demand_at(v, v->vmcb->cpl > 0) == DEMAND_TOTAL;
    l->user = v->vmcb->cpl > 0;
    if (l->idle)
        v->vmcb->intercept_misc1 &= ~INTERCEPT1_HLT;
    v->model->pt.clocks_stopped |= v->mode == MODE_FREE;
    host_tables_follow(v);
    time_run(v);
    l->tsc = rdtsc();
    svm_vmrun(v);
    l->tsc = rdtsc() - l->tsc;
}

void levels_ran(struct vcpu *v)
{
    struct levels *l = &v->levels;
    uint64_t tick = turns_instruction_tsc(), count = l->tsc / tick;

    if (v->vmcb->exit_code == EXIT_INTN && count > 0)
        count--; /* it is still to come, and QEMU has counted it */
    if (l->idle)
        l->halted += l->tsc;
    l->idle = v->vmcb->exit_code == EXIT_HLT && v->mode == MODE_FREE;
    if (v->vmcb->exit_code == EXIT_VMMCALL && l->between == 0)
        l->between = count; /* none but VMMCALL: vcpu_os_takes_over */
    if (l->counts && count > l->between)
        demand_executed(v->model, l->user, count - l->between);
    if (count > l->between)
        time_ran(v, (count - l->between) * tick);
    else
        time_ran(v, 0);
}

void levels_carried_out(struct vcpu *v)
{
    if (v->levels.counts)
        demand_executed(v->model, v->levels.user, 1);
    time_cycles(v, v->model->choices.cycles_other);
}
