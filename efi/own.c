/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own.c - the boot processor's jobs, and its way out of one for a moment:
 * the firmware, which a sink may need, needs its interrupts for that.
 */
#include "efi/platform.h"

#define IDLE_MS 250 /* between two calls that hw_idle() makes */

struct own_job {
    struct apic_saved apic;
    uint64_t flags;
};

static struct own_job *inside; /* the outermost: it has the firmware's state */
static void (*idle_call)(void *context);
static void *idle_context;
static uint64_t idle_next; /* clock_deadline() */

static uint64_t interrupts_off(void)
{
    uint64_t flags;

    __asm__ volatile("pushfq; pop %0; cli" : "=r"(flags) : : "memory");
    return flags;
}

static void flags_restore(uint64_t flags)
{
    __asm__ volatile("push %0; popfq" : : "r"(flags) : "memory", "cc");
}

void own_identify(struct identity *out)
{
    static struct exceptions mine;
    uint64_t flags = interrupts_off();

    exceptions_install(&mine);
    identity_read(out);
    exceptions_remove(&mine);
    flags_restore(flags);
}

void own_run(struct hw_result *result, void (*job)(unsigned, void *),
             void *context)
{
    struct own_job mine = {.flags = interrupts_off()};
    bool outermost = inside == NULL;

    apic_mask(&mine.apic);
    if (outermost)
        inside = &mine;
    bool returned = exceptions_guard(0, job, context, &result->exception);
    if (outermost)
        inside = NULL;
    apic_restore(&mine.apic);
    flags_restore(mine.flags);
    result->end = returned ? HW_DONE : HW_EXCEPTION;
}

void own_outside(void (*call)(void *context), void *context)
{
    struct own_job *job = inside;

    if (job == NULL) {
        call(context);
        return;
    }
    inside = NULL; /* for what the firmware calls meanwhile */
    apic_restore(&job->apic);
    flags_restore(job->flags);
    call(context);
    (void)interrupts_off();
    apic_mask(&job->apic);
    inside = job;
}

void own_idle(void)
{
    if (idle_call == NULL || !clock_passed(idle_next) || pmi_active(0))
        return;
    idle_next = clock_deadline(IDLE_MS);
    own_outside(idle_call, idle_context);
}

void hw_on_idle(void (*call)(void *context), void *context)
{
    idle_call = call;
    idle_context = context;
    idle_next = clock_deadline(IDLE_MS);
}

void hw_idle(void)
{
    /* The time first: to find one's number is slow on a simulated processor. */
    if (clock_passed(idle_next) && processors_self() == 0)
        own_idle();
}
