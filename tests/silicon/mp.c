/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mp.c - firmware starts the other processors itself, below the guest. So the
 * functions of its MP services are wrapped: a processor enters its guest
 * before the caller's procedure runs there, and leaves it behind it.
 *
 * UEFI Platform Initialization specification, volume 2, "MP Services Protocol".
 */
#include "tests/silicon/mp.h"

#include "tests/silicon/left.h"
#include "tests/silicon/x86.h"

/* A call that does not wait needs its argument after it has returned. */
#define CALLS_MAX 64

struct call {
    mp_procedure procedure;
    VOID *argument;
};

static struct call calls[CALLS_MAX];
static unsigned next_call;
static struct mp_services *services, original;

static VOID EFIAPI run_in_guest(VOID *argument)
{
    const struct call *call = argument;
    struct vcpu *v = vcpu_here();

    if (v == NULL)
        return;
    if (v->model->index == hypervisor.lost ||
        (fault_is(&hypervisor.machine, FAULT_processor_lost) &&
         v->model->index == hypervisor.processors - 1))
        return;
    vcpu_enter(v);
    left_enter(v);
    while (v->model->index != 0 && v->model->index == hypervisor.stuck)
        cpu_pause();
    call->procedure(call->argument);
    left_leave(v);
    vcpu_leave();
}

static struct call *new_call(mp_procedure procedure, VOID *argument)
{
    struct call *call = &calls[next_call++ % CALLS_MAX];

    call->procedure = procedure;
    call->argument = argument;
    return call;
}

/* "If the specified WaitEvent is not NULL ... after EFI_EVENT_GROUP_READY_TO_BOOT
 * is signaled, EFI_UNSUPPORTED": the firmware below does it all the same. */
static bool refused(EFI_EVENT wait)
{
    return hypervisor.in_turn && wait != NULL;
}

/* Firmware may wait for its own timer, whose interrupt must get through. */
static struct vcpu *begin(EFI_EVENT wait)
{
    struct vcpu *caller = vcpu_here();

    left_call(caller);
    caller->waiting = wait == NULL;
    return caller;
}

/* Behind a call that has waited. Firmware ends what has not come back in time
 * by INIT, and nobody tells the processor's host. */
static EFI_STATUS waited(struct vcpu *caller, EFI_STATUS status)
{
    caller->waiting = false;
    for (unsigned n = 0; status == EFI_TIMEOUT && n < hypervisor.processors;
         n++)
        if (&hypervisor.vcpus[n] != caller && hypervisor.vcpus[n].entered)
            share_reset(&hypervisor.vcpus[n]);
    return status;
}

static EFI_STATUS EFIAPI startup_all(struct mp_services *this,
                                     mp_procedure procedure,
                                     BOOLEAN single_thread, EFI_EVENT wait,
                                     UINTN timeout_us, VOID *argument,
                                     UINTN **failed)
{
    struct vcpu *caller;
    EFI_STATUS status;

    if (procedure == NULL)
        return EFI_INVALID_PARAMETER;
    if (refused(wait))
        return EFI_UNSUPPORTED;
    caller = begin(wait);
    status = original.StartupAllAPs(this, run_in_guest, single_thread, wait,
                                    timeout_us, new_call(procedure, argument),
                                    failed);
    return waited(caller, status);
}

static EFI_STATUS EFIAPI startup_one(struct mp_services *this,
                                     mp_procedure procedure, UINTN number,
                                     EFI_EVENT wait, UINTN timeout_us,
                                     VOID *argument, BOOLEAN *finished)
{
    struct vcpu *caller;
    EFI_STATUS status;

    if (procedure == NULL)
        return EFI_INVALID_PARAMETER;
    if (refused(wait))
        return EFI_UNSUPPORTED;
    caller = begin(wait);
    status = original.StartupThisAP(this, run_in_guest, number, wait,
                                    timeout_us, new_call(procedure, argument),
                                    finished);
    return waited(caller, status);
}

unsigned mp_find(EFI_BOOT_SERVICES *bs)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    UINTN processors = 1, enabled = 1;

    if (EFI_ERROR(bs->LocateProtocol(&guid, NULL, (VOID **)&services)) ||
        EFI_ERROR(services->GetNumberOfProcessors(services, &processors,
                                                  &enabled))) {
        services = NULL;
        processors = 1;
    }
    if (processors > PROCESSORS_MAX)
        processors = PROCESSORS_MAX;
    for (UINTN n = 0; n < processors; n++) {
        struct mp_processor info = { .ProcessorId = 0 };

        if (services != NULL)
            services->GetProcessorInfo(services, n, &info);
        hypervisor.apic_ids[n] = (uint8_t)info.ProcessorId;
    }
    return (unsigned)processors;
}

void mp_wrap(void)
{
    if (services == NULL)
        return;
    original = *services;
    services->StartupAllAPs = startup_all;
    services->StartupThisAP = startup_one;
}
