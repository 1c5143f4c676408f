/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bsp_jobs.c - the boot processor's jobs, and its way out of one for a moment:
 * the firmware, which a sink may need, needs its interrupts for that.
 */
#include "efi/bsp_jobs.h"
#include "efi/apic.h"
#include "efi/clock.h"
#include "efi/exceptions.h"
#include "efi/pmi.h"
#include "efi/processors.h"
#include "efi/watch.h"
#include "efi/worker.h"
#include "src/base/hw.h"

#define POLL_MS 250 /* between two calls that hw_poll() makes */

struct bsp_job {
    struct apic_saved apic;
    uint64_t flags;
};

static struct bsp_job
    *current_job; /* the outermost: it has the firmware's state */
static void (*poll_call)(void *context);
static void *poll_context;
static uint64_t poll_next; /* clock_deadline() */

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

/* Before processors_start(), in a run that does without, and after
 * processors_stop(): exceptions are ours for the job alone. */
static bool guarded_alone(void (*job)(unsigned, void *), void *context,
                          struct hw_exception *exception)
{
    static struct exceptions mine;

    exceptions_install(&mine);
    bool returned = exceptions_guard(0, job, context, exception);
    exceptions_remove(&mine);
    return returned;
}

static void identify(unsigned processor, void *context)
{
    (void)processor;
    identity_read(context);
}

void bsp_identify(struct identity *out)
{
    struct hw_result unused;

    bsp_run(&unused, identify, out);
}

void bsp_run(struct hw_result *result, void (*job)(unsigned, void *),
             void *context)
{
    struct bsp_job mine = {.flags = interrupts_off()};
    bool outermost = current_job == NULL;
    bool alone = members == NULL || workers_leave;

    apic_mask(&mine.apic);
    if (outermost)
        current_job = &mine;
    bool returned;
    if (alone)
        returned = guarded_alone(job, context, &result->exception);
    else if (outermost) /* the firmware has the processor after it */
        returned = enables_guard(&members[0].enables, 0, job, context,
                                 &result->exception);
    else
        returned = exceptions_guard(0, job, context, &result->exception);
    if (outermost)
        current_job = NULL;
    apic_restore(&mine.apic);
    flags_restore(mine.flags);
    result->end = returned ? HW_DONE : HW_EXCEPTION;
}

void bsp_outside(void (*call)(void *context), void *context)
{
    struct bsp_job *job = current_job;

    if (job == NULL) {
        call(context);
        return;
    }
    current_job = NULL; /* for what the firmware calls meanwhile */
    unsigned limit = watch_limit(0);
    apic_restore(&job->apic);
    flags_restore(job->flags);
    call(context);
    (void)interrupts_off();
    apic_mask(&job->apic);
    current_job = job;
    (void)watch_limit(limit);
}

bool bsp_in_job(void)
{
    return current_job != NULL;
}

void bsp_poll(void)
{
    watch_beat();
    if (poll_call == NULL || !clock_passed(poll_next) || pmi_active(0))
        return;
    poll_next = clock_deadline(POLL_MS);
    bsp_outside(poll_call, poll_context);
}

void hw_on_poll(void (*call)(void *context), void *context)
{
    poll_call = call;
    poll_context = context;
    poll_next = clock_deadline(POLL_MS);
}

void hw_poll(void)
{
    /* The time first: to find one's number is slow on a simulated processor. */
    if (clock_passed(poll_next) && processors_self() == 0)
        bsp_poll();
}
