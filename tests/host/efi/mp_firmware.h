/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mp_firmware.h - a firmware that lists, starts and gives up processors as a
 * test says, under efi/processors.c. There is one thread: a processor runs when
 * firmware is called that starts it.
 */
#ifndef TESTS_HOST_EFI_MP_FIRMWARE_H
#define TESTS_HOST_EFI_MP_FIRMWARE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The file itself: each test starts with its state as in a new image. */
#include "efi/enables.c"
#include "efi/worker.c"

#include "efi/processors.c"
#include "efi/status.c"

#define LISTED_MAX 300

/* How the firmware's processor takes what it is started with. */
enum take { NOT_AT_ALL, TO_THE_END, FOR_EVER };

static struct firmware {
    bool services, waits_only; /* waits_only: a call with an event is refused */
    UINTN listed, enabled;
    struct mp_processor list[LISTED_MAX];
    enum take take;
    EFI_STATUS status; /* of StartupThisAP */
    bool signals;      /* all_left */
    bool late;         /* one comes up while the event is looked at */
    unsigned calls;    /* of StartupThisAP */
    mp_procedure procedure;
    VOID *argument;
} firmware;

static uint32_t here; /* the APIC ID of the processor that runs */
static bool outside;  /* of a job */
static unsigned installed, jobs, events;
static bool raises;
static uint64_t msr_38f, msr_570; /* of processor 1 */
static jmp_buf hung;
static char *taken;
static uint64_t now;

EFI_BOOT_SERVICES *platform_boot;

/* --- What the rest of efi/ does ------------------------------------------ */

uint32_t apic_id(void)
{
    return here;
}

void apic_mask(struct apic_saved *saved)
{
    (void)saved;
}

void apic_restore(const struct apic_saved *saved)
{
    (void)saved;
}

/* Of processor 1, which hangs. */
static bool nmi_ends_it;
static unsigned nmis;

void apic_send_nmi(uint32_t id)
{
    assert_int_equal(id, 1);
    nmis++;
    if (nmi_ends_it)
        members[1].state = RAISED;
}

/* Each processor's own. */
unsigned watch_limit(unsigned limit_ms)
{
    return limit_ms;
}

void watch_beat(void)
{
}

void watch_look(struct watcher *watcher, uint32_t bsp)
{
    (void)watcher, (void)bsp;
}

void rest(const bool *flag)
{
    (void)flag;
}

bool apic_counters_entry(uint32_t *entry)
{
    *entry = 0x100 + here;
    return true;
}

void exceptions_install(struct exceptions *mine)
{
    (void)mine;
    installed++;
}

void exceptions_remove(const struct exceptions *mine)
{
    (void)mine;
    installed--;
}

static bool is_a_tests(void (*job)(unsigned, void *))
{
    return job != enables_find && job != enables_stop;
}

static char warned[512];

void warnings_add(void *warnings, const char *line)
{
    size_t at = strlen(warned);

    (void)warnings;
    snprintf(warned + at, sizeof(warned) - at, "%s\n", line);
}

/* What it warns of, or NULL. */
static const char *start_processors(void)
{
    warned[0] = '\0';
    assert_true(processors_start(NULL));
    return warned[0] != '\0' ? warned : NULL;
}

bool exceptions_guard(unsigned processor, void (*job)(unsigned, void *),
                      void *context, struct hw_exception *exception)
{
    if (is_a_tests(job) && here != 0 && firmware.take == FOR_EVER)
        longjmp(hung, 1);
    job(processor, context);
    exception->vector = 6;
    return !is_a_tests(job) || !raises;
}

uint64_t clock_deadline(uint64_t ms)
{
    return now + ms;
}

bool clock_passed(uint64_t deadline)
{
    return now++ >= deadline;
}

void *allocate_low_pages(size_t bytes)
{
    assert_int_not_equal(bytes, 0);
    taken = aligned_alloc(128, bytes); /* no byte more */
    return taken;
}

void bsp_run(struct hw_result *result, void (*job)(unsigned, void *),
             void *context)
{
    job(0, context);
    result->end = HW_DONE;
}

void bsp_poll(void)
{
}

void bsp_outside(void (*call)(void *context), void *context)
{
    outside = true;
    call(context);
    outside = false;
}

static uint64_t *msr_at(uint32_t msr)
{
    static uint64_t others;

    if (msr != 0x38f && msr != 0x570)
        return NULL;
    return here != 1 ? &others : msr == 0x38f ? &msr_38f : &msr_570;
}

int hw_msr_read(uint32_t msr, uint64_t *value)
{
    if (msr_at(msr) == NULL)
        return HW_GP;
    *value = *msr_at(msr);
    return HW_NO_FAULT;
}

int hw_msr_write(uint32_t msr, uint64_t value)
{
    if (msr_at(msr) == NULL)
        return HW_GP;
    *msr_at(msr) = value;
    return HW_NO_FAULT;
}

/* --- The firmware ----------------------------------------------------------
 */

static EFI_STATUS EFIAPI get_number(struct mp_services *this, UINTN *processors,
                                    UINTN *enabled)
{
    (void)this;
    *processors = firmware.listed;
    *enabled = firmware.enabled;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_info(struct mp_services *this, UINTN number,
                                  struct mp_processor *info)
{
    (void)this;
    assert_true(number < firmware.listed);
    *info = firmware.list[number];
    return EFI_SUCCESS;
}

static void run_on(UINTN number)
{
    here = (uint32_t)firmware.list[number].ProcessorId;
    if (setjmp(hung) == 0)
        firmware.procedure(firmware.argument);
    here = 0;
}

static EFI_STATUS EFIAPI start_all(struct mp_services *this,
                                   mp_procedure procedure, BOOLEAN single,
                                   EFI_EVENT wait, UINTN timeout_us,
                                   VOID *argument, UINTN **failed)
{
    (void)this, (void)single, (void)timeout_us, (void)failed;
    firmware.procedure = procedure;
    firmware.argument = argument;
    return wait != NULL && firmware.waits_only ? EFI_UNSUPPORTED : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI start_one(struct mp_services *this,
                                   mp_procedure procedure, UINTN number,
                                   EFI_EVENT wait, UINTN timeout_us,
                                   VOID *argument, BOOLEAN *finished)
{
    (void)this, (void)finished;
    assert_true(outside);
    assert_null(wait);
    assert_int_equal(timeout_us, 7000);
    firmware.calls++;
    firmware.procedure = procedure;
    firmware.argument = argument;
    if (firmware.take != NOT_AT_ALL)
        run_on(number);
    return firmware.status;
}

static struct mp_services services = {
    .GetNumberOfProcessors = get_number,
    .GetProcessorInfo = get_info,
    .StartupAllAPs = start_all,
    .StartupThisAP = start_one,
};

static EFI_STATUS EFIAPI locate(EFI_GUID *guid, VOID *registration,
                                VOID **interface)
{
    (void)guid, (void)registration;
    *interface = &services;
    return firmware.services ? EFI_SUCCESS : EFI_NOT_FOUND;
}

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL level,
                                      EFI_EVENT_NOTIFY notify, VOID *context,
                                      EFI_EVENT *event)
{
    (void)type, (void)level, (void)notify, (void)context;
    events++;
    *event = &firmware;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY type,
                                   UINT64 time)
{
    (void)event, (void)type, (void)time;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    (void)event;
    events--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    (void)event;
    if (firmware.late)
        run_on(1);
    firmware.late = false;
    return firmware.signals ? EFI_SUCCESS : EFI_NOT_READY;
}

static EFI_STATUS EFIAPI stall(UINTN microseconds)
{
    (void)microseconds;
    return EFI_SUCCESS;
}

static int start(void **state)
{
    static EFI_BOOT_SERVICES boot;

    (void)state;
    boot.LocateProtocol = (EFI_LOCATE_PROTOCOL)locate;
    boot.CreateEvent = create_event;
    boot.SetTimer = set_timer;
    boot.CloseEvent = close_event;
    boot.CheckEvent = check_event;
    boot.Stall = stall;
    platform_boot = &boot;
    members = NULL;
    members_count = 1;
    parallel = workers_leave = outside = raises = false;
    here = installed = jobs = events = nmis = 0;
    nmi_ends_it = false;
    msr_38f = 0x7;
    msr_570 = 0;
    memset(&firmware, 0, sizeof(firmware));
    firmware.services = firmware.waits_only = true;
    firmware.listed = firmware.enabled = 3;
    firmware.take = TO_THE_END;
    firmware.signals = true;
    for (unsigned n = 0; n < LISTED_MAX; n++)
        firmware.list[n] = (struct mp_processor){
            .ProcessorId = n,
            .StatusFlag = MP_PROCESSOR_ENABLED | MP_PROCESSOR_HEALTHY |
                          (n == 0 ? MP_PROCESSOR_IS_BSP : 0),
        };
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(taken);
    taken = NULL;
    return 0;
}

#endif
