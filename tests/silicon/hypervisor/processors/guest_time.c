/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * guest_time.c - under an operating system on one processor, the guest's clocks
 * stand still while silicon works: its time is what QEMU's -icount gives the
 * instructions that it executes freely, and what the model's cycles take of
 * those that are stepped. So the TSC, the local APIC's timer, the ACPI PM timer
 * and reference cycles keep one ratio, whatever is measured. The HPET is not
 * there, and other devices' clocks are QEMU's.
 *
 * The timer is that of the host's local APIC while the guest runs freely, set
 * to what is left of the guest's, and silicon's own meanwhile; the registers
 * of the APIC exit. Where a counter overflows before, it ends somewhat before
 * that, by an NMI, which is the host's.
 *
 * AMD64 APM volume 2, "TSC_OFFSET"; SDM volume 3A, "APIC Timer"; ACPI
 * specification, "Power Management Timer"; IA-PC HPET specification.
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/stepping/stepping.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/bits.h"

#define IA32_TIME_STAMP_COUNTER 0x10u

#define APIC_LVT_TIMER 0x320u
#define APIC_INITIAL   0x380u
#define APIC_CURRENT   0x390u
#define APIC_DIVIDE    0x3E0u
#define LVT_VECTOR     0xFFu
/* A timer's is reserved; QEMU takes it. */
#define LVT_NMI      0x400u
#define LVT_MASK     0x10000u
#define LVT_PERIODIC 0x20000u
#define DIVIDE_BITS  0xBu
#define ICR_ASSERT   0x04000u
#define ICR_NMI      0x00400u

#define APIC_ISR 0x100u /* and IRR: eight registers each */
#define APIC_IRR 0x200u

#define NEVER UINT64_MAX
/* More than the instructions between reading the clock and the timer take. */
#define NEAR_TICKS 200
#define COUNT_MAX  UINT64_C(0xFFFFFFFF) /* of the timer */

/* The TSC runs at 1 GHz here. */
#define TSC_HZ         UINT64_C(1000000000)
#define PM_TIMER_HZ    UINT64_C(3579545)
#define PM_TIMER_PORTS 4
#define PM_TIMER_BITS  BITS(23, 0)
/* A read goes to the chipset and back, a microsecond; a loop that waits for the
 * timer is as many exits. */
#define PM_TIMER_READ (TSC_HZ / 1000000)

/* Of exit_info1, an access to a port. */
#define IO_IN 1u

bool time_is_own(const struct vcpu *v)
{
    return v->time.own;
}

uint64_t time_tsc(const struct vcpu *v)
{
    return v->time.own ? v->time.now + v->time.adjust : rdtsc();
}

/* For the uncore, which asks for no processor. */
uint64_t time_tsc_of_first(void)
{
    return time_tsc(&hypervisor.vcpus[0]);
}

/* --- The local APIC's timer ---------------------------------------------- */

/* SDM volume 3A, figure "Divide Configuration Register": 111B is 1. */
static unsigned shift_of(uint32_t divide)
{
    return (((divide & 3) | (divide >> 1 & 4)) + 1) & 7;
}

static uint64_t period(const struct guest_time *t)
{
    return (uint64_t)t->initial << t->shift;
}

/* The next expiry after now. */
static uint64_t find_next(const struct guest_time *t)
{
    uint64_t ran = t->now - t->loaded;

    if (t->initial == 0)
        return NEVER;
    if ((t->lvt & LVT_PERIODIC) != 0)
        return t->loaded + (ran / period(t) + 1) * period(t);
    return ran < period(t) ? t->loaded + period(t) : NEVER;
}

static uint32_t current_count(const struct guest_time *t)
{
    uint64_t next = find_next(t);

    return next == NEVER ? 0 : (uint32_t)((next - t->now) >> t->shift);
}

/* Stores to its registers; others are not its. */
bool time_apic_write(struct vcpu *v, uint32_t offset, uint32_t value)
{
    struct guest_time *t = &v->time;

    if (!t->own)
        return false;
    if (offset == APIC_LVT_TIMER) {
        t->lvt = value;
        /* The host's ends once, and is set again. */
        apic_write(rdmsr(IA32_APIC_BASE), offset, value & ~LVT_PERIODIC);
    } else if (offset == APIC_INITIAL) {
        t->initial = value;
        t->loaded = t->now;
    } else if (offset == APIC_DIVIDE) {
        t->divide = value & DIVIDE_BITS;
        t->shift = shift_of(value);
        apic_write(rdmsr(IA32_APIC_BASE), offset, value);
    } else {
        return false;
    }
    t->next = find_next(t);
    return true;
}

bool time_apic_read(const struct vcpu *v, uint32_t offset, uint32_t *value)
{
    const struct guest_time *t = &v->time;

    if (!t->own)
        return false;
    switch (offset) {
    case APIC_LVT_TIMER:
        *value = t->lvt;
        return true;
    case APIC_INITIAL:
        *value = t->initial;
        return true;
    case APIC_CURRENT:
        *value = current_count(t);
        return true;
    case APIC_DIVIDE:
        *value = t->divide;
        return true;
    default:
        return false;
    }
}

/* Where the host's has interrupted it has ended, too, but for its rounding. */
static void expire(struct vcpu *v)
{
    struct guest_time *t = &v->time;
    bool sends = !t->interrupted;

    if (t->interrupted && t->now < t->next)
        t->now = t->next;
    t->interrupted = false;
    if (t->now < t->next)
        return;
    t->next = find_next(t);
    if (sends && (t->lvt & LVT_MASK) == 0)
        apic_send(rdmsr(IA32_APIC_BASE), ICR_ASSERT | (t->lvt & LVT_VECTOR));
}

/* --- Around runs of the guest, and steps --------------------------------- */

static void arm(struct vcpu *v, uint64_t overflow)
{
    struct guest_time *t = &v->time;
    uint64_t base = rdmsr(IA32_APIC_BASE);
    uint64_t ticks = t->next == NEVER ? NEVER : t->next - t->now, left;

    t->before_overflow = overflow < ticks;
    if (t->before_overflow)
        ticks = overflow;
    left = (ticks + (BIT(t->shift) - 1)) >> t->shift;
    if (left == 0)
        left = 1;
    if (t->before_overflow)
        apic_write(base, APIC_LVT_TIMER, LVT_NMI);
    t->armed_for = (left + 1) << t->shift; /* QEMU interrupts a tick late */
    t->armed_at = rdtsc();
    apic_write(base, APIC_INITIAL, (uint32_t)left);
    /* The host's ends once: for the next time there has to be an exit. */
    if (v->mode == MODE_FREE && (t->lvt & LVT_PERIODIC) != 0)
        v->vmcb->intercept_misc1 |= INTERCEPT1_INTR;
}

/* Is the interrupt pending, or being handled? */
static bool is_under_way(uint64_t base, uint32_t vector)
{
    uint32_t at = vector / 32 * 0x10;

    return ((apic_read(base, APIC_IRR + at) | apic_read(base, APIC_ISR + at)) >>
                vector % 32 &
            1) != 0;
}

/* Where it may have ended there is to be an NMI in any case, which the next run
 * of the guest exits for, and that is then known to be the host's. */
static void stopped_before_overflow(struct vcpu *v, uint64_t base, uint64_t ran)
{
    struct guest_time *t = &v->time;

    apic_write(base, APIC_LVT_TIMER, t->lvt & ~LVT_PERIODIC);
    t->before_overflow = false;
    if (ran + NEAR_TICKS < t->armed_for)
        return;
    __atomic_store_n(&v->nmi, 1, __ATOMIC_SEQ_CST);
    if (v->vmcb->exit_code != EXIT_NMI)
        apic_send(base, ICR_ASSERT | ICR_NMI);
}

/* Has it interrupted? Near its end that is not known by the clock, and the
 * handler cannot have come to its own end. */
void time_stopped(struct vcpu *v)
{
    struct guest_time *t = &v->time;
    uint64_t base = rdmsr(IA32_APIC_BASE), ran = rdtsc() - t->armed_at;

    if (!t->armed)
        return;
    apic_write(base, APIC_INITIAL, 0);
    t->armed = false;
    if (t->before_overflow) {
        stopped_before_overflow(v, base, ran);
        return;
    }
    t->interrupted = ran > t->armed_for + NEAR_TICKS ||
                     (ran + NEAR_TICKS >= t->armed_for &&
                      is_under_way(base, t->lvt & LVT_VECTOR));
}

void time_run(struct vcpu *v)
{
    struct guest_time *t = &v->time;
    const bool freely = v->mode == MODE_FREE;
    uint64_t overflow = NEVER;

    if (!t->own)
        return;
    if (freely)
        overflow = levels_ticks_left(v);
    t->armed = (t->next != NEVER && (freely || v->rounds.running)) ||
               overflow < COUNT_MAX;
    if (t->armed)
        arm(v, overflow);
    v->vmcb->tsc_offset =
        time_tsc(v) - rdtsc() - v->levels.between * turns_instruction_tsc();
}

void time_ran(struct vcpu *v, uint64_t ticks)
{
    struct guest_time *t = &v->time;

    if (!t->own)
        return;
    if (v->mode == MODE_FREE)
        t->now += ticks;
    time_stopped(v);
    expire(v);
}

void time_cycles(struct vcpu *v, uint32_t cycles)
{
    struct guest_time *t = &v->time;
    uint32_t by = v->model->choices.cycles_other;

    if (!t->own)
        return;
    t->rest += (uint64_t)cycles * turns_instruction_tsc();
    t->now += t->rest / by;
    t->rest %= by;
    if (!t->interrupted)
        expire(v);
}

void time_halted(struct vcpu *v)
{
    struct guest_time *t = &v->time;

    if (!t->own || t->next == NEVER || apic_interrupts())
        return;
    v->levels.halted += t->next - t->now;
    t->now = t->next;
    expire(v);
}

/* --- What else tells the time -------------------------------------------- */

bool time_is_msr(const struct vcpu *v, uint32_t msr)
{
    return v->time.own && msr == IA32_TIME_STAMP_COUNTER;
}

void time_write_tsc(struct vcpu *v, uint64_t value)
{
    v->time.adjust = value - v->time.now;
}

static uint64_t pm_timer(const struct guest_time *t)
{
    return t->now / TSC_HZ * PM_TIMER_HZ +
           t->now % TSC_HZ * PM_TIMER_HZ / TSC_HZ;
}

/* Cycles in which nothing is executed. */
static void wait(struct vcpu *v, uint64_t ticks)
{
    uint64_t cycles =
        ticks * v->model->choices.cycles_other / turns_instruction_tsc();

    step_count(v, 0, (uint32_t)cycles, false);
}

/* exit_info1: the port above 16, bits for 1, 2 and 4 bytes from 4 on. */
struct action time_port(struct vcpu *v)
{
    struct action done =
        exit_retire(v, (unsigned)(v->vmcb->exit_info2 - v->vmcb->rip));
    uint64_t info = v->vmcb->exit_info1;
    unsigned byte = (unsigned)(info >> 16 & 0xFFFF) - hypervisor.pm_timer;
    unsigned bits = (unsigned)(info >> 4 & 7) * 8;
    uint64_t mask = bits >= 32 ? BITS(31, 0) : BIT(bits) - 1;
    uint64_t value = (pm_timer(&v->time) & PM_TIMER_BITS) >> 8 * byte & mask;

    if ((info & IO_IN) != 0)
        v->vmcb->rax = bits >= 32 ? value : (v->vmcb->rax & ~mask) | value;
    wait(v, PM_TIMER_READ);
    return done;
}

static void set_port(uint8_t *map, unsigned port)
{
    map[port / 8] |= (uint8_t)(1u << port % 8);
}

/* Reference cycles are then those of the TSC, whatever SEED has drawn. SDM
 * volume 3B, "Fixed-function Performance Counters": CPU_CLK_UNHALTED.REF_TSC
 * "increments at the same rate as the TSC". */
static void set_reference(struct choices *c)
{
    c->ref_up = (uint8_t)turns_instruction_tsc();
    c->ref_down = c->cycles_other;
}

/* As firmware has left it. */
static void take_timer(struct guest_time *t)
{
    uint64_t base = rdmsr(IA32_APIC_BASE);

    t->lvt = apic_read(base, APIC_LVT_TIMER);
    t->divide = apic_read(base, APIC_DIVIDE);
    t->shift = shift_of(t->divide);
    t->initial = apic_read(base, APIC_INITIAL);
    t->loaded = t->now - ((uint64_t)(t->initial - apic_read(base, APIC_CURRENT))
                          << t->shift);
    t->next = find_next(t);
    apic_write(base, APIC_INITIAL, 0);
    apic_write(base, APIC_LVT_TIMER, t->lvt & ~LVT_PERIODIC);
}

void time_start(struct vcpu *v)
{
    struct guest_time *t = &v->time;

    *t = (struct guest_time){.next = NEVER};
    if (hypervisor.processors != 1 || !turns_tsc_counts())
        return;
    t->own = true;
    t->now = rdtsc();
    take_timer(t);
    set_reference(&v->model->choices);
    msr_map_intercept(hypervisor.msr_map, IA32_TIME_STAMP_COUNTER,
                      IA32_TIME_STAMP_COUNTER);
    v->vmcb->intercept_misc1 |= INTERCEPT1_IOIO;
    for (unsigned n = 0; hypervisor.pm_timer != 0 && n < PM_TIMER_PORTS; n++)
        set_port(hypervisor.io_map, hypervisor.pm_timer + n);
}
