/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processors.c - processors over a firmware that lists, starts and gives up
 * others as a test says. There is one thread: a processor runs when firmware is
 * called that starts it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The file itself: each test starts with its state as in a new image. */
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
static uint64_t msr_38f, msr_570;
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
    return job != save_enables && job != restore_enables;
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

void *allocate_pages(size_t bytes)
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
    return msr == 0x38f ? &msr_38f : msr == 0x570 ? &msr_570 : NULL;
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

/* --- What is tested ---------------------------------------------------------
 */

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
    here = installed = jobs = events = 0;
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

static void job(unsigned processor, void *context)
{
    (void)processor;
    *(unsigned *)context = *(unsigned *)context * 10 + here + 1;
    jobs++;
    if (here != 0) {
        msr_38f = 0xf;
        msr_570 = 1;
    }
}

static struct hw_result results[HW_PROCESSORS_MAX];

/* In the order in which they ran: a digit each. */
static unsigned run_all(void)
{
    static unsigned order;
    bool set[HW_PROCESSORS_MAX];

    order = 0;
    memset(set, true, sizeof(set));
    memset(results, 0, sizeof(results));
    hw_run(set, job, &order, 7, results);
    return order;
}

static void one_after_another(void **state)
{
    const char *warning;

    (void)state;
    assert_true(processors_start(&warning));
    assert_non_null(strstr(warning, "one after another"));
    assert_false(hw_run_is_parallel());
    assert_int_equal(hw_processors(), 3);
    assert_int_equal(run_all(), 231);
    for (unsigned p = 0; p < 3; p++)
        assert_int_equal(results[p].end, HW_DONE);
    assert_int_equal(run_all(), 231);
    assert_true(processors_stop());
    assert_int_equal(installed, 0);
    assert_int_equal(events, 0);
}

static void what_a_job_leaves_on_is_stopped(void **state)
{
    const char *warning;

    (void)state;
    assert_true(processors_start(&warning));
    for (unsigned i = 0; i < 2; i++) {
        raises = i == 1;
        run_all();
        assert_int_equal(results[1].end, raises ? HW_EXCEPTION : HW_DONE);
        assert_int_equal(msr_38f, 0x7);
        assert_int_equal(msr_570, 0);
    }
}

static const struct ending {
    EFI_STATUS status;
    enum take take;
    bool raises;
    enum hw_end end;
    bool asked_again, safe;
} endings[] = {
    {EFI_SUCCESS, TO_THE_END, false, HW_DONE, true, true},
    {EFI_SUCCESS, TO_THE_END, true, HW_EXCEPTION, true, true},
    {EFI_SUCCESS, NOT_AT_ALL, false, HW_LOST, false, true},
    {EFI_SUCCESS, FOR_EVER, false, HW_TIMEOUT, false, false},
    {EFI_TIMEOUT, FOR_EVER, false, HW_TIMEOUT, false, false},
    {EFI_TIMEOUT, NOT_AT_ALL, false, HW_TIMEOUT, false, false},
    {EFI_TIMEOUT, TO_THE_END, false, HW_TIMEOUT, false, false},
    {EFI_NOT_READY, NOT_AT_ALL, false, HW_LOST, false, true},
    {EFI_UNSUPPORTED, NOT_AT_ALL, false, HW_LOST, false, true},
    {EFI_DEVICE_ERROR, FOR_EVER, false, HW_TIMEOUT, false, false},
};

static void how_a_call_ends(void **state)
{
    const char *warning;

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const struct ending *e = &endings[i];

        start(state);
        firmware.listed = 2;
        assert_true(processors_start(&warning));
        firmware.status = e->status;
        firmware.take = e->take;
        raises = e->raises;
        run_all();
        assert_int_equal(results[1].end, e->end);
        if (e->end == HW_EXCEPTION)
            assert_int_equal(results[1].exception.vector, 6);
        firmware.calls = 0;
        run_all();
        assert_int_equal(firmware.calls, e->asked_again);
        assert_int_equal(results[1].end, e->asked_again ? e->end : HW_LOST);
        assert_int_equal(processors_stop(), e->safe);
        end(state);
    }
}

/* The job's context may be gone. */
static void who_comes_late_finds_no_job(void **state)
{
    const char *warning;

    (void)state;
    firmware.listed = 2;
    assert_true(processors_start(&warning));
    firmware.status = EFI_TIMEOUT;
    firmware.take = NOT_AT_ALL;
    run_all();
    assert_int_equal(jobs, 1); /* the boot processor's own */
    run_on(1);
    assert_int_equal(jobs, 1);
    assert_int_equal(installed, 1);
}

static void no_entry_has_the_flag(void **state)
{
    const char *warning;

    (void)state;
    firmware.list[0].StatusFlag = MP_PROCESSOR_ENABLED;
    assert_true(processors_start(&warning));
    assert_int_equal(hw_processors(), 3);
    assert_int_equal(run_all(), 231);
}

/* Nor the boot processor's own number. */
static void no_entry_is_the_boot_processor(void **state)
{
    const char *warning;

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        firmware.list[n].ProcessorId = n + 1;
        firmware.list[n].StatusFlag = MP_PROCESSOR_ENABLED;
    }
    assert_true(processors_start(&warning));
    assert_int_equal(hw_processors(), 3);
}

static void disabled_ones_are_left_out(void **state)
{
    const char *warning;

    (void)state;
    firmware.list[1].StatusFlag = 0;
    assert_true(processors_start(&warning));
    assert_int_equal(hw_processors(), 2);
    assert_int_equal(run_all(), 31);
}

static void alone(void **state)
{
    static const struct {
        bool services;
        UINTN listed;
        const char *warning;
    } rows[] = {
        {false, 1, "no MP services (EFI_"},
        {true, 0, "know of no processor"},
        {true, 1, NULL},
    };
    const char *warning;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        start(state);
        firmware.services = rows[i].services;
        firmware.listed = rows[i].listed;
        assert_true(processors_start(&warning));
        assert_int_equal(warning != NULL, rows[i].warning != NULL);
        if (warning != NULL)
            assert_non_null(strstr(warning, rows[i].warning));
        assert_int_equal(hw_processors(), 1);
        assert_int_equal(run_all(), 1);
        assert_true(processors_stop());
        end(state);
    }
}

static void more_than_there_is_room_for(void **state)
{
    const char *warning;

    (void)state;
    firmware.listed = LISTED_MAX;
    firmware.waits_only = false;
    firmware.signals = false;
    assert_true(processors_start(&warning));
    assert_non_null(strstr(warning, "more than 256"));
    assert_int_equal(hw_processors(), HW_PROCESSORS_MAX);
}

/* Workers that never came up: the firmware may start them yet, until it says
 * that all have returned. */
static void workers_that_never_came(void **state)
{
    static const struct {
        bool signals, late, safe;
    } rows[] = {
        {false, false, false},
        {true, false, true},
        {true, true, true},
        {false, true, false}, /* processor 2 is still to come */
    };
    const char *warning;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        start(state);
        firmware.waits_only = false;
        assert_true(processors_start(&warning));
        assert_null(warning);
        assert_true(hw_run_is_parallel());
        run_all();
        assert_int_equal(results[1].end, HW_LOST);
        firmware.signals = rows[i].signals;
        firmware.late = rows[i].late;
        assert_int_equal(processors_stop(), rows[i].safe);
        assert_int_equal(installed, 0);
        assert_int_equal(state_of(&members[1]), rows[i].late ? GONE : ABSENT);
        end(state);
    }
}

static enum state becomes; /* of processor 1, while the job is out */

static void take(unsigned processor, void *context)
{
    (void)processor, (void)context;
    members[1].state = becomes;
}

/* Workers that are up, and do not answer. Not begun, the job is taken back. */
static void workers_that_do_not_answer(void **state)
{
    static const struct {
        enum state becomes, after;
        enum hw_end end;
    } rows[] = {
        {IDLE, IDLE, HW_DONE},
        {RAISED, IDLE, HW_EXCEPTION},
        {GIVEN, IDLE, HW_TIMEOUT},
        {BUSY, BUSY, HW_TIMEOUT},
    };
    const bool set[] = {true, true};
    const char *warning;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        start(state);
        firmware.listed = 2;
        firmware.waits_only = false;
        assert_true(processors_start(&warning));
        members[1].state = IDLE;
        becomes = rows[i].becomes;
        hw_run(set, take, NULL, 7, results);
        assert_int_equal(results[1].end, rows[i].end);
        assert_int_equal(state_of(&members[1]), rows[i].after);
        assert_int_equal(usable(&members[1]), rows[i].end != HW_TIMEOUT);
        assert_false(processors_stop()); /* no worker leaves here */
        end(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_after_another, start, end),
        cmocka_unit_test_setup_teardown(what_a_job_leaves_on_is_stopped, start,
                                        end),
        cmocka_unit_test(how_a_call_ends),
        cmocka_unit_test_setup_teardown(who_comes_late_finds_no_job, start,
                                        end),
        cmocka_unit_test_setup_teardown(no_entry_has_the_flag, start, end),
        cmocka_unit_test_setup_teardown(no_entry_is_the_boot_processor, start,
                                        end),
        cmocka_unit_test_setup_teardown(disabled_ones_are_left_out, start, end),
        cmocka_unit_test(alone),
        cmocka_unit_test_setup_teardown(more_than_there_is_room_for, start,
                                        end),
        cmocka_unit_test(workers_that_never_came),
        cmocka_unit_test(workers_that_do_not_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
