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
 * UEFI Platform Initialization specification, volume 2, "MP Services Protocol".
 */
#include "efi/mp.h"
#include "efi/platform.h"
#include "efi/start.h"

#define START_MS     2000     /* for all workers to come up */
#define STOP_MS      2000     /* for all to leave */
#define TIMER_SECOND 10000000 /* of 100 ns */

enum state { ABSENT, IDLE, BUSY, RAISED, GONE };

/* One processor's mailbox, on cache lines of its own. */
struct member {
    UINTN number; /* the firmware's */
    uint32_t apic_id;
    bool lost;        /* did not answer once: never asked again */
    enum state state; /* written by one side at a time: see give() */
    void (*job)(unsigned processor, void *context);
    void *context;
    struct hw_exception exception;
    struct exceptions exceptions;
} __attribute__((aligned(128)));

static struct member *members;
static unsigned count = 1;
static bool parallel;
static bool leave;
static struct mp_services *mp;
static EFI_EVENT all_left;

static enum state state_of(const struct member *member)
{
    return __atomic_load_n(&member->state, __ATOMIC_ACQUIRE);
}

static void set_state(struct member *member, enum state state)
{
    __atomic_store_n(&member->state, state, __ATOMIC_RELEASE);
}

unsigned hw_processors(void)
{
    return count;
}

bool hw_run_is_parallel(void)
{
    return parallel;
}

unsigned processors_self(void)
{
    uint32_t id = apic_id();

    for (unsigned i = 0; i < count; i++)
        if (members[i].apic_id == id)
            return i;
    return 0;
}

/* --- On the other processors ---------------------------------------------- */

static void do_job(unsigned self)
{
    struct member *me = &members[self];

    bool returned =
        exceptions_guard(self, me->job, me->context, &me->exception);
    set_state(me, returned ? IDLE : RAISED);
}

static VOID EFIAPI worker(VOID *argument)
{
    unsigned self = processors_self();
    struct member *me = &members[self];
    struct apic_saved apic;

    (void)argument;
    if (self == 0)
        return; /* not in the list: nothing it could be asked */
    exceptions_install(&me->exceptions);
    apic_mask(&apic);
    set_state(me, IDLE);
    while (!__atomic_load_n(&leave, __ATOMIC_ACQUIRE)) {
        if (state_of(me) == BUSY)
            do_job(self);
        __asm__ volatile("pause");
    }
    apic_restore(&apic);
    exceptions_remove(&me->exceptions);
    set_state(me, GONE);
}

/* The same for a single job, where firmware does not let workers stay. */
static VOID EFIAPI one_job(VOID *argument)
{
    unsigned self = (unsigned)(uintptr_t)argument;
    struct member *me = &members[self];
    struct apic_saved apic;

    exceptions_install(&me->exceptions);
    apic_mask(&apic);
    do_job(self);
    apic_restore(&apic);
    exceptions_remove(&me->exceptions);
}

/* --- On the boot processor ------------------------------------------------ */

static void give(struct member *member, void (*job)(unsigned, void *),
                 void *context)
{
    member->job = job;
    member->context = context;
    set_state(member, BUSY);
}

/* The answer of a processor that was given a job. */
static void collect(struct member *member, struct hw_result *result)
{
    enum state state = state_of(member);

    result->end = state == IDLE     ? HW_DONE
                  : state == RAISED ? HW_EXCEPTION
                                    : HW_TIMEOUT;
    if (state == RAISED) {
        result->exception = member->exception;
        set_state(member, IDLE);
    }
    member->lost = state == BUSY;
}

static bool usable(const struct member *member)
{
    return !member->lost && state_of(member) == IDLE;
}

static VOID EFIAPI idle_by_timer(EFI_EVENT event, VOID *context)
{
    (void)event, (void)context;
    own_idle();
}

/* The firmware waits for the other processor here; a timer of its own lets the
 * session speak meanwhile. */
static void run_in_turn(unsigned p, unsigned timeout_ms)
{
    BOOLEAN finished = FALSE;
    EFI_EVENT timer = NULL;

    if (EFI_ERROR(platform_boot->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL,
                                             TPL_CALLBACK, idle_by_timer, NULL,
                                             &timer)))
        timer = NULL;
    if (timer != NULL)
        (void)platform_boot->SetTimer(timer, TimerPeriodic, TIMER_SECOND);
    (void)mp->StartupThisAP(mp, one_job, members[p].number, NULL,
                            (UINTN)timeout_ms * 1000, (VOID *)(uintptr_t)p,
                            &finished);
    if (timer != NULL)
        (void)platform_boot->CloseEvent(timer);
}

void hw_run(const bool set[], void (*job)(unsigned processor, void *context),
            void *context, unsigned timeout_ms, struct hw_result results[])
{
    uint64_t deadline = clock_deadline(timeout_ms);

    for (unsigned p = 1; p < count; p++) {
        results[p].end = !set[p]               ? HW_NOT_ASKED
                         : usable(&members[p]) ? HW_DONE
                                               : HW_LOST;
        if (results[p].end == HW_DONE)
            give(&members[p], job, context);
        if (results[p].end == HW_DONE && !parallel)
            run_in_turn(p, timeout_ms);
    }
    results[0].end = HW_NOT_ASKED;
    if (set[0])
        own_run(&results[0], job, context);
    for (unsigned p = 1; p < count; p++) {
        if (results[p].end != HW_DONE)
            continue;
        while (parallel && state_of(&members[p]) == BUSY &&
               !clock_passed(deadline)) {
            own_idle();
            __asm__ volatile("pause");
        }
        collect(&members[p], &results[p]);
    }
}

/* Fills members[] from the firmware's list: the boot processor first, then the
 * enabled others in the firmware's order. */
static void list_members(UINTN processors)
{
    struct mp_processor info;

    for (UINTN n = 0; n < processors && count < HW_PROCESSORS_MAX; n++) {
        if (EFI_ERROR(mp->GetProcessorInfo(mp, n, &info)) ||
            info.StatusFlag & MP_PROCESSOR_IS_BSP ||
            !(info.StatusFlag & MP_PROCESSOR_ENABLED))
            continue;
        members[count].number = n;
        members[count].apic_id = (uint32_t)info.ProcessorId;
        members[count].state = ABSENT;
        count++;
    }
}

static bool allocate(UINTN processors)
{
    members = memory_take(processors * sizeof(*members));
    if (members == NULL)
        return false;
    memset(members, 0, processors * sizeof(*members));
    members[0].apic_id = apic_id();
    members[0].state = IDLE;
    return true;
}

/* True where the firmware lets a worker stay on every processor. */
static bool start_workers(void)
{
    EFI_STATUS status = platform_boot->CreateEvent(0, 0, NULL, NULL, &all_left);

    if (!EFI_ERROR(status))
        status = mp->StartupAllAPs(mp, worker, FALSE, all_left, 0, NULL, NULL);
    if (EFI_ERROR(status))
        return false;

    uint64_t deadline = clock_deadline(START_MS);
    for (unsigned p = 1; p < count; p++)
        while (state_of(&members[p]) == ABSENT && !clock_passed(deadline))
            __asm__ volatile("pause");
    return true;
}

bool processors_start(const char **told)
{
    EFI_GUID guid = MP_SERVICES_GUID;
    UINTN processors = 1, enabled = 1;

    *told = NULL;
    if (EFI_ERROR(platform_boot->LocateProtocol(&guid, NULL, (VOID **)&mp)) ||
        EFI_ERROR(mp->GetNumberOfProcessors(mp, &processors, &enabled))) {
        mp = NULL;
        processors = 1;
        *told = "no MP services: only the boot processor is tested";
    }
    if (processors > HW_PROCESSORS_MAX) {
        processors = HW_PROCESSORS_MAX;
        *told = "more than 256 processors: the rest is not tested";
    }
    if (!allocate(processors))
        return false;
    exceptions_install(&members[0].exceptions);
    if (mp == NULL)
        return true;

    list_members(processors);
    if (count == 1)
        return true;
    parallel = start_workers();
    if (!parallel) {
        *told = "MP services refuse a non-blocking call: processors are asked "
                "one after another";
        for (unsigned p = 1; p < count; p++)
            members[p].state = IDLE;
    }
    return true;
}

bool processors_stop(void)
{
    bool safe = true, all = true;
    uint64_t deadline = clock_deadline(STOP_MS);

    __atomic_store_n(&leave, true, __ATOMIC_RELEASE);
    for (unsigned p = 1; parallel && p < count; p++) {
        while (state_of(&members[p]) == IDLE && !clock_passed(deadline))
            __asm__ volatile("pause");
        enum state state = state_of(&members[p]);
        all = all && state == GONE;
        safe = safe && (state == GONE || state == ABSENT);
    }
    /* The firmware notices by a timer of its own; until then it would refuse
     * the next call of whoever runs after us. */
    for (unsigned ms = 0; all && parallel && ms < STOP_MS; ms += 10) {
        if (platform_boot->CheckEvent(all_left) == EFI_SUCCESS)
            break;
        platform_boot->Stall(10000);
    }
    if (members != NULL)
        exceptions_remove(&members[0].exceptions);
    return safe;
}
