/* SPDX-License-Identifier: BSD-2-Clause */
/* processors.c - processors over a firmware that does as a test says. */
#include "tests/host/efi/mp_firmware.h"

/* What processor 1's does to its registers. */
static uint64_t leaves_38f = 0xf, leaves_570 = 1;

static void job(unsigned processor, void *context)
{
    (void)processor;
    *(unsigned *)context = *(unsigned *)context * 10 + here + 1;
    jobs++;
    if (here == 1) {
        msr_38f = leaves_38f;
        msr_570 = leaves_570;
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
    (void)state;
    const char *warning = start_processors();
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
    (void)state;
    (void)start_processors();
    for (unsigned i = 0; i < 2; i++) {
        raises = i == 1;
        run_all();
        assert_int_equal(results[1].end, raises ? HW_EXCEPTION : HW_DONE);
        assert_int_equal(msr_38f, 0);
        assert_int_equal(msr_570, 0);
    }
}

/* What a job has turned off stays so: the selects are a test's by then. All as
 * found may be given back, and no more. */
static void what_a_job_turns_off_stays_off(void **state)
{
    static const uint64_t leaves[] = {0, 0x7, 0x3, 0x8};
    static const uint64_t stays[] = {0, 0x7, 0x3, 0};

    (void)state;
    (void)start_processors();
    leaves_570 = 0;
    for (unsigned i = 0; i < 4; i++) {
        leaves_38f = leaves[i];
        run_all();
        assert_int_equal(msr_38f, stays[i]);
    }
    leaves_38f = 0xf;
    leaves_570 = 1;
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
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const struct ending *e = &endings[i];

        start(state);
        firmware.listed = 2;
        (void)start_processors();
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
    (void)state;
    firmware.listed = 2;
    (void)start_processors();
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
    (void)state;
    firmware.list[0].StatusFlag = MP_PROCESSOR_ENABLED;
    (void)start_processors();
    assert_int_equal(hw_processors(), 3);
    assert_int_equal(run_all(), 231);
}

/* Nor the boot processor's own number. */
static void no_entry_is_the_boot_processor(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        firmware.list[n].ProcessorId = n + 1;
        firmware.list[n].StatusFlag = MP_PROCESSOR_ENABLED;
    }
    (void)start_processors();
    assert_int_equal(hw_processors(), 3);
}

static void disabled_ones_are_left_out(void **state)
{
    (void)state;
    firmware.list[1].StatusFlag = 0;
    firmware.enabled = 2;
    assert_null(strstr(start_processors(), "enabled"));
    assert_int_equal(hw_processors(), 2);
    assert_int_equal(run_all(), 31);
}

/* A call that fails, or two with one number. */
static void enabled_ones_that_are_not_listed(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        start(state);
        firmware.list[1].ProcessorId = 0;
        firmware.waits_only = i == 0;
        const char *warning = start_processors();
        assert_non_null(strstr(warning, "3 processors are enabled, and which "
                                        "for 2 alone"));
        assert_int_equal(strstr(warning, "one after another") != NULL, i == 0);
        assert_int_equal(hw_processors(), 2);
        end(state);
    }
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

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        start(state);
        firmware.services = rows[i].services;
        firmware.listed = rows[i].listed;
        const char *warning = start_processors();
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
    (void)state;
    firmware.listed = LISTED_MAX;
    firmware.waits_only = false;
    firmware.signals = false;
    const char *warning = start_processors();
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

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        start(state);
        firmware.waits_only = false;
        const char *warning = start_processors();
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
        bool nmi, ends_it;
    } rows[] = {
        {IDLE, IDLE, HW_DONE, false, false},
        {RAISED, IDLE, HW_EXCEPTION, false, false},
        {GIVEN, IDLE, HW_TIMEOUT, false, false},
        {BUSY, BUSY, HW_TIMEOUT, true, false},
        {BUSY, IDLE, HW_EXCEPTION, true, true},
    };
    const bool set[] = {true, true};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        start(state);
        firmware.listed = 2;
        firmware.waits_only = false;
        (void)start_processors();
        members[1].state = IDLE;
        becomes = rows[i].becomes;
        nmi_ends_it = rows[i].ends_it;
        hw_run(set, take, NULL, 7, results);
        assert_int_equal(results[1].end, rows[i].end);
        assert_int_equal(nmis, rows[i].nmi);
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
        cmocka_unit_test_setup_teardown(what_a_job_turns_off_stays_off, start,
                                        end),
        cmocka_unit_test(how_a_call_ends),
        cmocka_unit_test_setup_teardown(who_comes_late_finds_no_job, start,
                                        end),
        cmocka_unit_test_setup_teardown(no_entry_has_the_flag, start, end),
        cmocka_unit_test_setup_teardown(no_entry_is_the_boot_processor, start,
                                        end),
        cmocka_unit_test_setup_teardown(disabled_ones_are_left_out, start, end),
        cmocka_unit_test(enabled_ones_that_are_not_listed),
        cmocka_unit_test(alone),
        cmocka_unit_test_setup_teardown(more_than_there_is_room_for, start,
                                        end),
        cmocka_unit_test(workers_that_never_came),
        cmocka_unit_test(workers_that_do_not_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
