/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * turns.c - one simulated processor runs at a time, so that a simulation is a
 * function of its inputs.
 *
 * QEMU's processors share a thread, or have one each: how far one of them gets
 * before another goes on depends on the host's time. So one
 * processor has the turn, and all others are halted in the host until an NMI
 * wakes them. The turn is passed on where the guest spins (PAUSE is
 * intercepted), and after a number of steps: never by a clock.
 *
 * The one that passes it on still executes some instructions while the next
 * wakes up, in an order that QEMU chooses. So the next one starts at
 * an agreed tick of the TSC: with QEMU's -icount each instruction takes the
 * same time, and what is missing until then is spent on NOPs.
 *
 * Without turns, processors sleep here that have no work, and no others.
 */
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"

/* From the decision to pass the turn on to the first instruction of the next
 * processor: more than both execute meanwhile. */
#define PASS_INSTRUCTIONS 256

#define TURN_STEPS 64

#define MEASURED 8

/* A processor that spins, in the same state, has the turn in each eighth
 * round alone, unless all of them spin. */
#define SPINS_IDLE  2
#define ROUNDS_IDLE 8

static bool enabled, exact;
static volatile uint64_t turn_tsc;   /* when it begins */
static uint64_t instruction_tsc = 1; /* that an instruction takes */
static unsigned rounds;

bool turns_start(bool on)
{
    uint32_t ticks = svm_tsc_per_64();

    exact = ticks % 64 == 0;
    for (unsigned n = 0; n < MEASURED; n++)
        exact = exact && svm_tsc_per_64() == ticks;
    enabled = on;
    instruction_tsc = exact ? ticks / 64 : 1;
    return exact;
}

bool turns_enabled(void)
{
    return enabled;
}

bool turns_tsc_counts(void)
{
    return exact;
}

uint64_t turns_instruction_tsc(void)
{
    return instruction_tsc;
}

/* Whose turn comes after that of v. */
static struct vcpu *next_of(const struct vcpu *v)
{
    struct vcpu *idle = NULL;

    for (unsigned k = 1; k <= hypervisor.processors; k++) {
        unsigned n = (v->model->index + k) % hypervisor.processors;
        struct vcpu *o = &hypervisor.vcpus[n];

        if (n == 0)
            rounds++;
        if (!o->has_work)
            continue;
        if (o->spins < SPINS_IDLE || rounds % ROUNDS_IDLE == 0)
            return o;
        if (idle == NULL)
            idle = o;
    }
    return idle;
}

static void sleep_until_turn(struct vcpu *v)
{
    kick_sleep(v);
    if (enabled)
        svm_wait_until_tsc(turn_tsc, instruction_tsc);
}

static void pass_turn(struct vcpu *v, struct vcpu *to)
{
    if (to == v)
        return;
    turn_tsc = rdtsc() + PASS_INSTRUCTIONS * instruction_tsc;
    v->awake = 0;
    to->awake = 1;
    kick_send(to);
    sleep_until_turn(v);
}

void turns_yield(struct vcpu *v)
{
    v->turn_steps = 0;
    if (enabled)
        pass_turn(v, next_of(v));
    else
        cpu_pause();
}

/* Of a guest that polls memory, and does nothing else meanwhile, neither
 * RIP nor a register is another one than the last time. */
static uint64_t spin_state_of(const struct vcpu *v)
{
    const uint64_t *g = (const uint64_t *)&v->gprs;
    uint64_t sum = v->vmcb->rip * 3 + v->vmcb->rax + v->vmcb->rsp;

    for (size_t n = 0; n < sizeof(v->gprs) / sizeof(*g); n++)
        sum = sum * 3 + g[n];
    return sum;
}

void turns_spin(struct vcpu *v)
{
    uint64_t at = spin_state_of(v);

    v->spins = at == v->spin_state ? v->spins + 1 : 0;
    v->spin_state = at;
    turns_yield(v);
}

void turns_round(struct vcpu *v, bool stepped)
{
    if (!enabled)
        return;
    if (stepped) {
        v->spins = 0;
        if (++v->turn_steps >= TURN_STEPS)
            turns_yield(v);
    }
    if (step_is_due(v))
        step_end(v);
}

void turns_sleep(struct vcpu *v)
{
    bool has_turn = enabled && v->awake != 0;

    if (!enabled)
        v->awake = 0;
    __atomic_store_n(&v->has_work, 0, __ATOMIC_SEQ_CST);
    if (has_turn)
        pass_turn(v, next_of(v));
    else
        sleep_until_turn(v);
}

void turns_wake(void)
{
    for (unsigned n = 0; !enabled && n < hypervisor.processors; n++) {
        struct vcpu *o = &hypervisor.vcpus[n];

        if (o->reset)
            kick_send(o);
        if (!o->has_work || o->awake != 0)
            continue;
        o->awake = 1;
        kick_send(o);
    }
}
