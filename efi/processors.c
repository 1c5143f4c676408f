/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processors.c - every logical processor as a worker, and jobs for them.
 *
 * Firmware may wake processors by INIT-SIPI-SIPI at each call, which resets
 * what a test has set up. So one non-blocking StartupAllAPs brings all of them
 * into worker(), which stays until the end of the run and takes jobs from a
 * mailbox. Firmware that refuses the non-blocking call (the specification lets
 * it, after ReadyToBoot) is asked for each job with StartupThisAP instead: the
 * jobs of one hw_run() then follow one another.
 *
 * The state of a processor that StartupThisAP has given up, only its firmware
 * knows: the specification has it terminated, which most do by INIT. INIT
 * leaves MSRs as they are, so PEBS and Processor Trace may go on writing to our
 * memory. Such a processor gets no more jobs, and the memory is not freed.
 *
 * UEFI Platform Initialization specification, volume 2, "MP Services Protocol".
 */
#include "efi/processors.h"

#include "efi/apic.h"
#include "efi/bsp_jobs.h"
#include "efi/clock.h"
#include "efi/mp.h"
#include "efi/pages.h"
#include "efi/platform.h"
#include "efi/start.h"
#include "efi/status.h"
#include "efi/watch.h"
#include "efi/worker.h"
#include "src/base/text.h"

#define RESCUE_MS    1000     /* for an NMI to end a worker's job */
#define SLACK_MS     20000    /* of the boot processor: a false NMI is worse */
#define START_MS     2000     /* for all workers to come up */
#define STOP_MS      2000     /* for all to leave */
#define TIMER_SECOND 10000000 /* of 100 ns */

static bool parallel;
static struct mp_services *mp;
static EFI_EVENT all_left;

unsigned hw_processors(void)
{
    return members_count;
}

bool hw_run_is_parallel(void)
{
    return parallel;
}

/* --- On the boot processor ----------------------------------------------- */

static void give_job(struct member *member, void (*job)(unsigned, void *),
                     void *context)
{
    member->job = job;
    member->context = context;
    set_state(member, GIVEN);
}

static bool usable(const struct member *member)
{
    return !member->lost && state_of(member) == IDLE;
}

/* The answer of a processor whose job has ended. */
static void collect_result(struct member *member, struct hw_result *result)
{
    result->end = HW_DONE;
    if (!change_state(member, RAISED, IDLE))
        return;
    result->end = HW_EXCEPTION;
    result->exception = member->exception;
}

/* One that does not answer may hang where an NMI ends its job. */
static void rescue(struct member *member)
{
    uint64_t deadline = clock_deadline(RESCUE_MS);

    if (state_of(member) != BUSY)
        return;
    apic_send_nmi(member->apic_id);
    while (state_of(member) == BUSY && !clock_passed(deadline)) {
        watch_beat();
        __asm__ volatile("pause");
    }
}

/* That of a worker, in time or not. */
static void collect_worker(struct member *member, struct hw_result *result)
{
    rescue(member);
    if (change_state(member, GIVEN, IDLE) || state_of(member) == BUSY) {
        result->end = HW_TIMEOUT;
        member->lost = true;
        return;
    }
    collect_result(member, result);
}

/* That of one job, by what the firmware says of its call as well. One that the
 * firmware has not started, or that has not come to us, is not in our code. */
static void collect_turn(struct member *member, EFI_STATUS status,
                         struct hw_result *result)
{
    bool begun = !change_state(member, GIVEN, IDLE);

    if (status != EFI_TIMEOUT && begun && state_of(member) != BUSY) {
        collect_result(member, result);
        return;
    }
    member->lost = true;
    member->stuck = status == EFI_TIMEOUT || begun;
    result->end = member->stuck ? HW_TIMEOUT : HW_LOST;
}

static VOID EFIAPI poll_by_timer(EFI_EVENT event, VOID *context)
{
    (void)event, (void)context;
    bsp_poll();
}

struct turn {
    unsigned processor, timeout_ms;
    EFI_STATUS status;
};

/* The firmware waits for the other processor here; a timer lets the session
 * write ticks meanwhile, at the highest TPL at which files may be used. */
static void start_one_processor(void *context)
{
    struct turn *turn = context;
    BOOLEAN finished = FALSE;
    EFI_EVENT timer = NULL;

    if (EFI_ERROR(platform_boot->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL,
                                             TPL_CALLBACK, poll_by_timer, NULL,
                                             &timer)))
        timer = NULL;
    if (timer != NULL)
        (void)platform_boot->SetTimer(timer, TimerPeriodic, TIMER_SECOND);
    turn->status = mp->StartupThisAP(
        mp, worker_single_job, members[turn->processor].number, NULL,
        (UINTN)turn->timeout_ms * 1000, (VOID *)(uintptr_t)turn->processor,
        &finished);
    if (timer != NULL)
        (void)platform_boot->CloseEvent(timer);
}

static void run_one_in_turn(unsigned p, unsigned timeout_ms,
                            struct hw_result *result)
{
    struct turn turn = {.processor = p, .timeout_ms = timeout_ms};

    bsp_outside(start_one_processor, &turn);
    collect_turn(&members[p], turn.status, result);
}

static void wait_for_worker(const struct member *member, uint64_t deadline)
{
    while (state_of(member) == GIVEN || state_of(member) == BUSY) {
        if (clock_passed(deadline))
            return;
        watch_beat();
        bsp_poll();
        __asm__ volatile("pause");
    }
}

void hw_run(const bool set[], void (*job)(unsigned processor, void *context),
            void *context, unsigned timeout_ms, struct hw_result results[])
{
    uint64_t deadline = clock_deadline(timeout_ms);

    for (unsigned p = 1; p < members_count; p++) {
        results[p].end = !set[p]               ? HW_NOT_SELECTED
                         : usable(&members[p]) ? HW_DONE
                                               : HW_LOST;
        if (results[p].end != HW_DONE)
            continue;
        give_job(&members[p], job, context);
        if (!parallel)
            run_one_in_turn(p, timeout_ms, &results[p]);
    }
    results[0].end = HW_NOT_SELECTED;
    if (set[0]) {
        unsigned before = watch_limit(timeout_ms + SLACK_MS);
        bsp_run(&results[0], job, context);
        (void)watch_limit(before);
    }
    for (unsigned p = 1; parallel && p < members_count; p++) {
        if (results[p].end != HW_DONE)
            continue;
        wait_for_worker(&members[p], deadline);
        collect_worker(&members[p], &results[p]);
    }
}

/* Fills members[] from the firmware's list: the boot processor first, then the
 * enabled others in the firmware's order. The boot processor is recognized
 * by its flag, and, where firmware has not set that, by its number. */
static void list_members(UINTN processors)
{
    struct mp_processor info;

    for (UINTN n = 0; n < processors && members_count < processors; n++) {
        if (EFI_ERROR(mp->GetProcessorInfo(mp, n, &info)) ||
            info.StatusFlag & MP_PROCESSOR_IS_BSP ||
            !(info.StatusFlag & MP_PROCESSOR_ENABLED) ||
            (uint32_t)info.ProcessorId == members[0].apic_id)
            continue;
        members[members_count].number = n;
        members[members_count].apic_id = (uint32_t)info.ProcessorId;
        members[members_count].state = ABSENT;
        members_count++;
    }
}

static bool allocate(UINTN processors)
{
    members = allocate_low_pages(processors * sizeof(*members));
    if (members == NULL)
        return false;
    memset(members, 0, processors * sizeof(*members));
    members[0].apic_id = apic_id();
    members[0].state = IDLE;
    return true;
}

/* EFI_SUCCESS where the firmware lets a worker stay on every processor. */
static EFI_STATUS start_workers(void)
{
    EFI_STATUS status = platform_boot->CreateEvent(0, 0, NULL, NULL, &all_left);

    if (EFI_ERROR(status))
        return status;
    status = mp->StartupAllAPs(mp, worker, FALSE, all_left, 0, NULL, NULL);
    if (EFI_ERROR(status)) {
        (void)platform_boot->CloseEvent(all_left);
        return status;
    }

    uint64_t deadline = clock_deadline(START_MS);
    for (unsigned p = 1; p < members_count; p++)
        while (state_of(&members[p]) == ABSENT && !clock_passed(deadline))
            __asm__ volatile("pause");
    return EFI_SUCCESS;
}

/* Sets mp. The number of processors that may be listed, the boot processor
 * among them; *enabled: of those that can be used. */
static UINTN find_services(UINTN *enabled, struct warnings *warnings)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    UINTN processors = 1;
    char line[WARNING_BYTES];

    *enabled = 1;
    EFI_STATUS status =
        platform_boot->LocateProtocol(&guid, NULL, (VOID **)&mp);
    if (!EFI_ERROR(status))
        status = mp->GetNumberOfProcessors(mp, &processors, enabled);
    if (EFI_ERROR(status)) {
        mp = NULL;
        text_format(line, sizeof(line),
                    "no MP services (%s): only the boot processor is tested",
                    status_name(status));
        warnings_add(warnings, line);
        return 1;
    }
    if (processors == 0) {
        warnings_add(warnings, "MP services know of no processor: only the "
                               "boot processor is tested");
        return 1;
    }
    if (processors > HW_PROCESSORS_MAX) {
        warnings_add(warnings,
                     "more than 256 processors: the rest is not tested");
        return HW_PROCESSORS_MAX;
    }
    return processors;
}

/* Else nobody would see that some are missing. */
static void warn_of_unlisted(UINTN listed, UINTN enabled,
                             struct warnings *warnings)
{
    char line[WARNING_BYTES];

    if (enabled > listed)
        enabled = listed;
    if (members_count >= enabled)
        return;
    text_format(line, sizeof(line),
                "MP services say that %u processors are enabled, and which for "
                "%u alone: the others are not tested",
                (unsigned)enabled, members_count);
    warnings_add(warnings, line);
}

bool processors_start(struct warnings *warnings)
{
    UINTN enabled, processors = find_services(&enabled, warnings);
    char line[WARNING_BYTES];

    if (!allocate(processors))
        return false;
    exceptions_install(&members[0].exceptions);
    worker_find_lvt(&members[0]);
    if (mp != NULL)
        list_members(processors);
    warn_of_unlisted(processors, enabled, warnings);
    if (members_count == 1)
        return true;
    EFI_STATUS status = start_workers();
    parallel = !EFI_ERROR(status);
    if (!parallel) {
        text_format(line, sizeof(line),
                    "MP services refuse a non-blocking call (%s): processors "
                    "run jobs one after another",
                    status_name(status));
        warnings_add(warnings, line);
        for (unsigned p = 1; p < members_count; p++)
            members[p].state = IDLE;
    }
    return true;
}

/* True where the firmware says that all have come back to it. It notices by a
 * timer of its own; until then it would refuse the next call of what runs
 * after us. */
static bool firmware_has_all(void)
{
    for (unsigned ms = 0; ms < STOP_MS; ms += 10) {
        if (platform_boot->CheckEvent(all_left) == EFI_SUCCESS) {
            (void)platform_boot->CloseEvent(all_left);
            return true;
        }
        platform_boot->Stall(10000);
    }
    return false;
}

/* One that never came up may do so yet, and run what is no longer there, as
 * long as the firmware waits for it. */
static bool workers_have_left(void)
{
    uint64_t deadline = clock_deadline(STOP_MS);
    bool all = true;

    for (unsigned p = 1; p < members_count; p++) {
        while (state_of(&members[p]) == IDLE && !clock_passed(deadline))
            __asm__ volatile("pause");
        enum state state = state_of(&members[p]);
        if (state != GONE && state != ABSENT)
            return false;
        all = all && state == GONE;
    }
    return firmware_has_all() || all;
}

static bool none_is_stuck(void)
{
    bool none = true;

    for (unsigned p = 1; p < members_count; p++)
        none = none && !members[p].stuck;
    return none;
}

void processors_rest(bool resting)
{
    __atomic_store_n(&workers_rest, resting, __ATOMIC_RELEASE);
}

bool processors_stop(void)
{
    processors_rest(false);
    __atomic_store_n(&workers_leave, true, __ATOMIC_RELEASE);
    bool safe = parallel ? workers_have_left() : none_is_stuck();
    if (members != NULL)
        exceptions_remove(&members[0].exceptions);
    return safe;
}
