/* SPDX-License-Identifier: BSD-2-Clause */
/* mp_services.c - MP services over processors that sleep in the hypervisor. */
#include "tests/silicon/boot/mp_services.h"

#include "tests/silicon/boot/memory_types.h"
#include "tests/silicon/model/hooks.h"
#include "tests/silicon/equipment/restored.h"
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/host/x86.h"

#define START_US    1000000
#define POLL_US     10   /* in a call that waits */
#define TICK_US     1000 /* between two polls of one that does not */
#define HUNDRED_NS  10   /* in a microsecond */
#define END_OF_LIST ((UINTN)0xFFFFFFFF)

/* SDM volume 3A, "Local APIC Register Address Map", "Interrupt Command Register
 * (ICR)". */
#define APIC_ICR_LOW   0x300u
#define APIC_LVT_TIMER 0x320u
#define APIC_VECTOR    0xFFu
#define ICR_SELF       0x40000u
#define VECTORS_OF_CPU 32u

/* An application processor, by the firmware's number. */
struct ap {
    bool disabled;
    mp_procedure procedure;
    VOID *argument;
};

/* A call in progress: StartupAllAPs at the boot processor's number,
 * StartupThisAP at that of the AP. */
struct call {
    bool pending[PROCESSORS_MAX]; /* not yet done */
    bool single;                  /* one after another */
    mp_procedure procedure;
    VOID *argument;
    UINTN timeout_us, waited_us; /* 0: for ever */
    EFI_EVENT wait, timer;       /* where the call does not wait */
    UINTN **failed;
    BOOLEAN *finished;
};

static struct ap aps[PROCESSORS_MAX];
static struct call calls[PROCESSORS_MAX];
static EFI_BOOT_SERVICES *bs;
static struct mp_services *services, original;
static UINTN bsp; /* the boot processor's number */

/* --- On the other processors --------------------------------------------- */

/* Some are lost: their procedure does not run. */
static bool is_lost(const struct vcpu *v)
{
    return v->model->index == hypervisor.lost ||
           faults_processor_lost(&hypervisor.machine, v->model->index);
}

/* EDK II's MP library starts the timer of an AP as that of the boot processor
 * is, and masks it then: one that has gone off in between is pending for as
 * long as RFLAGS.IF is 0. */
static void pend_timer(void)
{
    uint64_t base = rdmsr(IA32_APIC_BASE);
    uint32_t vector = apic_read(base, APIC_LVT_TIMER) & APIC_VECTOR;

    if (vector >= VECTORS_OF_CPU)
        apic_write(base, APIC_ICR_LOW, ICR_SELF | vector);
}

static void run_procedure(struct vcpu *v, const struct ap *m)
{
    if (is_lost(v))
        return;
    if (hypervisor.late_timer)
        pend_timer();
    vcpu_enter(v);
    restored_enter(v);
    while (v->model->index != 0 && v->model->index == hypervisor.stuck)
        cpu_pause();
    m->procedure(m->argument);
    restored_leave(v);
    vcpu_leave();
}

static VOID EFIAPI ap_loop(VOID *argument)
{
    struct vcpu *v = vcpu_current();
    struct ap *m;

    (void)argument;
    if (v == NULL)
        return;
    m = &aps[v - hypervisor.vcpus]; /* the model is not there yet */
    memory_types_take();
    svm_setjmp(v->restart);
    for (;;) {
        vcpu_prepare(v);
        turns_sleep(v);
        if (startup_is_due(v))
            vcpu_enter(v); /* and stays there */
        run_procedure(v, m);
    }
}

/* --- On the boot processor, in its guest --------------------------------- */

/* "If the WaitEvent is not NULL .. after EFI_EVENT_GROUP_READY_TO_BOOT
 * is signaled, EFI_UNSUPPORTED": some firmware does it all the same. */
static bool is_refused(EFI_EVENT wait)
{
    return hypervisor.mp_blocking && wait != NULL;
}

static void assign(UINTN number, const struct call *call)
{
    struct ap *m = &aps[number];

    m->procedure = call->procedure;
    m->argument = call->argument;
    /* Who was given up just when it was done must not break this off. */
    hypervisor.vcpus[number].reset = false;
    __atomic_store_n(&hypervisor.vcpus[number].has_work, 1, __ATOMIC_SEQ_CST);
    vcpu_wake();
}

static bool is_busy(UINTN number)
{
    return __atomic_load_n(&hypervisor.vcpus[number].has_work,
                           __ATOMIC_SEQ_CST) != 0;
}

static bool is_done(struct call *call)
{
    for (UINTN n = 0; n < hypervisor.processors; n++) {
        if (!call->pending[n])
            continue;
        if (is_busy(n))
            return false;
        call->pending[n] = false;
        /* One after another: the next one is started. */
        for (UINTN k = n + 1; call->single && k < hypervisor.processors; k++)
            if (call->pending[k]) {
                assign(k, call);
                return false;
            }
    }
    return true;
}

/* Those that are not done are stopped, and listed. */
static void time_out_call(struct call *call)
{
    UINTN count = 0, *list = NULL;

    if (call->failed != NULL &&
        !EFI_ERROR(bs->AllocatePool(EfiBootServicesData,
                                    (hypervisor.processors + 1) * sizeof(*list),
                                    (VOID **)&list)))
        *call->failed = list;
    for (UINTN n = 0; n < hypervisor.processors; n++) {
        if (!call->pending[n])
            continue;
        if (list != NULL)
            list[count++] = n;
        call->pending[n] = false;
        hypervisor.vcpus[n].reset = is_busy(n);
        vcpu_wake();
        while (is_busy(n))
            cpu_pause();
    }
    if (list != NULL)
        list[count] = END_OF_LIST;
}

static VOID EFIAPI poll_call(EFI_EVENT timer, VOID *context)
{
    struct call *call = context;
    bool done = is_done(call);

    call->waited_us += TICK_US;
    if (!done && (call->timeout_us == 0 || call->waited_us < call->timeout_us))
        return;
    if (!done)
        time_out_call(call);
    if (call->finished != NULL)
        *call->finished = done;
    bs->CloseEvent(timer);
    call->timer = NULL;
    bs->SignalEvent(call->wait);
}

static EFI_STATUS wait_for_call(struct call *call)
{
    while (!is_done(call)) {
        if (call->timeout_us != 0 && call->waited_us >= call->timeout_us) {
            time_out_call(call);
            return EFI_TIMEOUT;
        }
        bs->Stall(POLL_US);
        call->waited_us += POLL_US;
    }
    if (call->finished != NULL)
        *call->finished = TRUE;
    return EFI_SUCCESS;
}

/* The call's processors are chosen. */
static EFI_STATUS start_call(struct call *call)
{
    EFI_STATUS status = EFI_SUCCESS;

    if (call->finished != NULL)
        *call->finished = FALSE;
    if (call->failed != NULL)
        *call->failed = NULL;
    if (call->wait != NULL)
        status = bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
                                 poll_call, call, &call->timer);
    if (EFI_ERROR(status))
        return status;
    for (UINTN n = 0; n < hypervisor.processors; n++) {
        if (!call->pending[n])
            continue;
        assign(n, call);
        if (call->single)
            break;
    }
    if (call->wait == NULL)
        return wait_for_call(call);
    /* Not before they have work: one that has none counts as done. */
    return bs->SetTimer(call->timer, TimerPeriodic, TICK_US * HUNDRED_NS);
}

static EFI_STATUS EFIAPI startup_all_aps(struct mp_services *this,
                                         mp_procedure procedure,
                                         BOOLEAN single_thread, EFI_EVENT wait,
                                         UINTN timeout_us, VOID *argument,
                                         UINTN **failed)
{
    struct call call = {
        .single = single_thread,
        .procedure = procedure,
        .argument = argument,
        .timeout_us = timeout_us,
        .wait = wait,
        .failed = failed,
    };
    unsigned pending = 0;

    (void)this;
    restored_call(vcpu_current());
    if (is_refused(wait))
        return EFI_UNSUPPORTED;
    if (procedure == NULL)
        return EFI_INVALID_PARAMETER;
    for (UINTN n = 0; n < hypervisor.processors; n++) {
        if (n == bsp || aps[n].disabled)
            continue;
        if (is_busy(n))
            return EFI_NOT_READY;
        call.pending[n] = true;
        pending++;
    }
    if (pending == 0)
        return EFI_NOT_STARTED;
    calls[bsp] = call;
    return start_call(&calls[bsp]);
}

static EFI_STATUS EFIAPI startup_this_ap(struct mp_services *this,
                                         mp_procedure procedure, UINTN number,
                                         EFI_EVENT wait, UINTN timeout_us,
                                         VOID *argument, BOOLEAN *finished)
{
    (void)this;
    restored_call(vcpu_current());
    if (is_refused(wait))
        return EFI_UNSUPPORTED;
    if (number >= hypervisor.processors)
        return EFI_NOT_FOUND;
    if (procedure == NULL || number == bsp || aps[number].disabled)
        return EFI_INVALID_PARAMETER;
    if (is_busy(number))
        return EFI_NOT_READY;
    calls[number] = (struct call){
        .procedure = procedure,
        .argument = argument,
        .timeout_us = timeout_us,
        .wait = wait,
        .finished = finished,
    };
    calls[number].pending[number] = true;
    return start_call(&calls[number]);
}

static EFI_STATUS EFIAPI enable_disable_ap(struct mp_services *this,
                                           UINTN number, BOOLEAN on,
                                           UINT32 *health)
{
    (void)this, (void)health;
    if (number >= hypervisor.processors)
        return EFI_NOT_FOUND;
    if (number == bsp)
        return EFI_INVALID_PARAMETER;
    aps[number].disabled = !on;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_processor_info(struct mp_services *this,
                                            UINTN number,
                                            struct mp_processor *info)
{
    EFI_STATUS status = original.GetProcessorInfo(this, number, info);

    if (!EFI_ERROR(status) && number < hypervisor.processors &&
        aps[number].disabled)
        info->StatusFlag &= ~MP_PROCESSOR_ENABLED;
    return status;
}

static EFI_STATUS EFIAPI switch_bsp(struct mp_services *this, UINTN number,
                                    BOOLEAN enable_old)
{
    (void)this, (void)number, (void)enable_old;
    return EFI_UNSUPPORTED;
}

/* --- Before the guest ---------------------------------------------------- */

unsigned mp_find(EFI_BOOT_SERVICES *boot_services)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    UINTN processors = 1, enabled = 1;

    bs = boot_services;
    if (EFI_ERROR(bs->LocateProtocol(&guid, NULL, (VOID **)&services)) ||
        EFI_ERROR(
            services->GetNumberOfProcessors(services, &processors, &enabled))) {
        services = NULL;
        processors = 1;
    }
    if (processors > PROCESSORS_MAX)
        processors = PROCESSORS_MAX;
    for (UINTN n = 0; n < processors; n++) {
        struct mp_processor info = {.ProcessorId = 0};

        if (services != NULL)
            services->GetProcessorInfo(services, n, &info);
        hypervisor.apic_ids[n] = (uint8_t)info.ProcessorId;
    }
    return (unsigned)processors;
}

bool mp_start(void)
{
    EFI_EVENT never;
    bool all = false;

    for (UINTN n = 0; n < hypervisor.processors; n++)
        hypervisor.vcpus[n].has_work = 1;
    vcpu_current()->awake = 1;
    if (services == NULL || hypervisor.processors == 1)
        return true;
    memory_types_note();
    if (EFI_ERROR(services->WhoAmI(services, &bsp)) ||
        EFI_ERROR(bs->CreateEvent(0, 0, NULL, NULL, &never)) ||
        EFI_ERROR(services->StartupAllAPs(services, ap_loop, FALSE, never, 0,
                                          NULL, NULL)))
        return false;
    for (unsigned us = 0; !all && us < START_US; us += TICK_US) {
        bs->Stall(TICK_US);
        all = true;
        for (UINTN n = 0; n < hypervisor.processors; n++)
            all = all && (n == bsp || !is_busy(n));
    }
    return all;
}

void mp_replace(void)
{
    if (services == NULL)
        return;
    original = *services;
    services->StartupAllAPs = startup_all_aps;
    services->StartupThisAP = startup_this_ap;
    services->EnableDisableAP = enable_disable_ap;
    services->GetProcessorInfo = get_processor_info;
    services->SwitchBSP = switch_bsp;
}
