/* SPDX-License-Identifier: BSD-2-Clause */
/* worker.c - the loop of a worker, and the single job. */
#include "efi/worker.h"

#include "efi/apic.h"
#include "efi/processors.h"
#include "efi/rest.h"
#include "efi/watch.h"

#define LOOK_EACH 4096 /* rounds of waiting: a sibling may be measured */

struct member *members;
unsigned members_count = 1;
bool workers_leave, workers_rest;

unsigned processors_self(void)
{
    if (members == NULL || members_count == 1)
        return 0;
    const uint32_t id = apic_id();
    for (unsigned i = 0; i < members_count; i++)
        if (members[i].apic_id == id)
            return i;
    return 0;
}

void *processors_stack(unsigned processor)
{
    return processor == 0 ? NULL : members[processor].stack + STACK_BYTES;
}

static void do_job(unsigned self)
{
    struct member *me = &members[self];

    bool returned =
        exceptions_guard(self, me->job, me->context, &me->exception);
    set_state(me, returned ? IDLE : RAISED);
}

void worker_find_lvt(struct member *me)
{
    me->lvt_known = me->lvt_known || apic_counters_entry(&me->lvt);
}

bool hw_found_lvt(unsigned processor, uint32_t *entry)
{
    if (members == NULL || !members[processor].lvt_known)
        return false;
    *entry = members[processor].lvt;
    return true;
}

VOID EFIAPI worker(VOID *unused)
{
    unsigned self = processors_self();
    struct member *me = &members[self];
    struct apic_saved apic;

    struct watcher watcher = {.beat = 0};
    unsigned looks = 0;

    (void)unused;
    if (self == 0)
        return; /* not in the list: it gets no jobs */
    exceptions_install(&me->exceptions);
    worker_find_lvt(me);
    apic_mask(&apic);
    set_state(me, IDLE);
    while (!__atomic_load_n(&workers_leave, __ATOMIC_ACQUIRE)) {
        if (state_of(me) == GIVEN && change_state(me, GIVEN, BUSY))
            do_job(self);
        if (__atomic_load_n(&workers_rest, __ATOMIC_ACQUIRE))
            rest(&workers_rest);
        if (++looks % LOOK_EACH == 0)
            watch_look(&watcher, members[0].apic_id);
        __asm__ volatile("pause");
    }
    apic_restore(&apic);
    exceptions_remove(&me->exceptions);
    set_state(me, GONE);
}

/* The same for a single job, where firmware does not let workers stay. A job
 * that starts after its timeout is not run. */
VOID EFIAPI worker_single_job(VOID *number)
{
    unsigned self = (unsigned)(uintptr_t)number;
    struct member *me = &members[self];
    struct apic_saved apic;

    if (!change_state(me, GIVEN, BUSY))
        return;
    exceptions_install(&me->exceptions);
    worker_find_lvt(me);
    apic_mask(&apic);
    bool returned =
        enables_guard(&me->enables, self, me->job, me->context, &me->exception);
    apic_restore(&apic);
    exceptions_remove(&me->exceptions);
    set_state(me, returned ? IDLE : RAISED);
}
