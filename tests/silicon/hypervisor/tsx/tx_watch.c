/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tx_watch.c - breakpoints in a transaction abort it, so the host processor
 * must not meet one there: they are removed from it, and compared with each
 * access here. SDM volume 1, "RTM-Enabled Debugger Support".
 */
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/hypervisor.h"

#include "tests/silicon/model/hooks.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/bits.h"
#include "tests/silicon/model/msr.h"

void watch_data(struct watch *w, enum access access, uint64_t address,
                unsigned bytes)
{
    for (unsigned n = 0; w->dr7 != 0 && n < BREAKPOINTS; n++)
        if (faults_quantity(&hypervisor.machine, TX_WATCHED, n, 1) != 0 &&
            !faults_about(&hypervisor.machine, TX_UNWATCHED, bytes) &&
            w->physical[n] != UINT64_MAX &&
            (access != ACCESS_READ ||
             faults_rule(&hypervisor.machine, LOADS_WATCHED, true)) &&
            (!w->user ||
             faults_rule(&hypervisor.machine, WRITES_WATCHED_RING3, true)) &&
            breakpoint_hit(w->dr7, n, w->physical[n], access, address, bytes))
            w->hits |= 1u << n;
}

void watch_begin(struct vcpu *v)
{
    struct watch *w = &v->tx.watch;

    w->hits = 0;
    w->dr7 = 0;
    if ((v->vmcb->dr7 & DR7_ENABLED) == 0)
        return;
    w->dr7 = v->vmcb->dr7;
    w->user = v->vmcb->cpl > 0;
    read_breakpoints(w->at);
    v->vmcb->dr7 = DR7_RESET;
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (!breakpoint_for(w->dr7, n, ACCESS_WRITE) ||
            !guest_physical(v, w->at[n], &w->physical[n]))
            w->physical[n] = UINT64_MAX;
}

/* QEMU remembers a watched access, also one of the host, and shows it in DR6 at
 * each #DB of any kind, until the next write to that page that is not
 * watched: one that changes nothing. So it does where the host sees the page at
 * the same linear address as the guest. Where each processor is a thread of
 * QEMU's, it does not look at what is locked; an operating system's page, which
 * another processor may be writing to, is not written to without. */
static void flush_watchpoint(uint64_t physical)
{
    uint8_t *byte = (uint8_t *)(physical ^ PAGE_BYTES / 2);

    if (hypervisor.has_os)
        __asm__ volatile("lock orb $0, %0" : "+m"(*byte));
    else
        __asm__ volatile("orb $0, %0" : "+m"(*byte));
}

static void flush_host_accesses(const struct watch *w)
{
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (w->physical[n] != UINT64_MAX)
            flush_watchpoint(w->physical[n]);
}

void watch_forget(const struct vcpu *v, uint64_t hits)
{
    uint64_t at[BREAKPOINTS], physical;

    read_breakpoints(at);
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if ((hits >> n & 1) != 0 &&
            breakpoint_for(v->vmcb->dr7, n, ACCESS_WRITE) &&
            guest_physical(v, at[n], &physical) && guest_is_ram(physical))
            flush_watchpoint(physical);
}

uint64_t watch_stepped(const struct vcpu *v, uint64_t among)
{
    uint64_t at[BREAKPOINTS], hits = 0;

    if (among == 0) /* at nearly each step */
        return 0;
    read_breakpoints(at);
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        for (unsigned a = 0; (among >> n & 1) != 0 && a < v->accesses; a++)
            if (v->access[a].kind <= DATA_STORE &&
                breakpoint_hit(v->vmcb->dr7, n, at[n],
                               v->access[a].kind == DATA_STORE ? ACCESS_WRITE
                                                               : ACCESS_READ,
                               v->access[a].linear, v->access[a].bytes))
                hits |= UINT64_C(1) << n;
    return hits;
}

/* "Advanced debugging of RTM transactional regions". */
bool watch_is_debugged(const struct vcpu *v)
{
    const struct machine *m = v->model->machine;
    uint64_t dr7 = v->tx.watch.dr7 != 0 ? v->tx.watch.dr7 : v->vmcb->dr7;
    uint64_t debugctl = 0;

    msr_read(v->model, IA32_DEBUGCTL, &debugctl);
    if (v->tx.hle)
        return v->tx.watch.hits != 0 &&
               !faults_rule(m, ELISION_HIDES_DEBUG, true);
    return ((dr7 & DR7_RTM) != 0 ||
            !faults_rule(m, DEBUGGED_NEEDS_DR7, true)) &&
           ((debugctl & DEBUGCTL_RTM) != 0 ||
            !faults_rule(m, DEBUGGED_NEEDS_DEBUGCTL, true)) &&
           faults_rule(m, DEBUGGED_AT_XBEGIN, true);
}

void watch_end(struct vcpu *v)
{
    struct watch *w = &v->tx.watch;

    if (w->dr7 == 0)
        return;
    flush_host_accesses(w);
    v->vmcb->dr7 = w->dr7;
    w->dr7 = 0;
}

bool watch_instruction(struct vcpu *v)
{
    const struct watch *w = &v->tx.watch;

    if (w->dr7 == 0)
        return false;
    if ((v->current.flags & INSTRUCTION_GETS_DR) != 0) {
        tx_abort(v, TX_CAUSE_INSTRUCTION); /* DR7 is not the guest's */
        return true;
    }
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (breakpoint_hit(w->dr7, n, w->at[n], ACCESS_EXECUTE, v->current_rip,
                           1)) {
            v->tx.watch.hits |= 1u << n;
            tx_abort(v, TX_CAUSE_DEBUG);
            return true;
        }
    return false;
}
