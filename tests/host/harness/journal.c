/* SPDX-License-Identifier: BSD-2-Clause */
/* journal.c - old values of MSRs saved and restored. */
#include "src/harness/journal.h"
#include "src/base/msr.h"
#include "tests/host/fakes/fake_hw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct journal journal;
static struct identity id;
static struct journal_failure failures[8];
static unsigned failures_count;
static int vector;

static int set_up(void **state)
{
    (void)state;
    fake_reset();
    identity_read(&id);
    fake_written_count = 0;
    journal.count = 0;
    failures_count = 0;
    return 0;
}

static void report(void *context, const struct journal_failure *failure)
{
    assert_ptr_equal(context, &journal);
    assert_true(failures_count < 8);
    failures[failures_count++] = *failure;
}

static enum journal_access write(uint32_t msr, uint64_t value)
{
    return journal_write(&journal, &id, msr, value, &vector);
}

static void undo(void)
{
    fake_written_count = 0;
    journal_undo(&journal, &id, report, &journal);
}

static void first_value_comes_back_in_reverse(void **state)
{
    (void)state;
    fake_msr(0x38f)->value = 7;
    fake_msr(0x186)->value = 0x430000;
    assert_int_equal(write(0x38f, 0), JOURNAL_WRITTEN);
    assert_int_equal(write(0x186, 1), JOURNAL_WRITTEN);
    assert_int_equal(write(0x38f, 15), JOURNAL_WRITTEN);
    assert_int_equal(write(0x186, 2), JOURNAL_WRITTEN);
    assert_int_equal(fake_msr(0x38f)->value, 15);
    undo();
    assert_int_equal(fake_msr(0x38f)->value, 7);
    assert_int_equal(fake_msr(0x186)->value, 0x430000);
    /* First of all the counters are stopped. */
    assert_int_equal(fake_written_count, 3);
    assert_int_equal(fake_written[0], 0x38f);
    assert_int_equal(fake_written[1], 0x186);
    assert_int_equal(fake_written[2], 0x38f);
    assert_int_equal(failures_count, 0);
    undo(); /* empty now */
    assert_int_equal(fake_written_count, 0);
}

static void what_cannot_be_read_is_not_written(void **state)
{
    (void)state;
    fake_msr(0x10f)->read_vector = HW_GP;
    assert_int_equal(write(0x10f, 1), JOURNAL_READ_FAULTED);
    assert_int_equal(vector, HW_GP);
    assert_int_equal(fake_msr(0x10f)->writes, 0);
    assert_int_equal(journal.count, 0);
}

/* The write may have had an effect all the same: it is undone. */
static void write_that_faults(void **state)
{
    (void)state;
    fake_msr(0x10f)->write_vector = HW_GP;
    assert_int_equal(write(0x10f, 1), JOURNAL_WRITE_FAULTED);
    assert_int_equal(vector, HW_GP);
    fake_msr(0x10f)->write_vector = HW_NO_FAULT;
    undo();
    assert_int_equal(fake_written_count, 1);
}

/* 390H and, in version 4, 391H: a restore would be one more command. */
static void commands_are_not_saved(void **state)
{
    (void)state;
    assert_int_equal(write(0x390, 15), JOURNAL_WRITTEN);
    assert_int_equal(write(0x391, 15), JOURNAL_WRITTEN);
    assert_int_equal(journal.count, 0);
    assert_int_equal(fake_msr(0x390)->reads, 0);
    id.perfmon_version = 3; /* 391H is an uncore register then */
    assert_int_equal(write(0x391, 3), JOURNAL_WRITTEN);
    undo();
    assert_int_equal(fake_msr(0x391)->value, 15);
}

static void failure_is_reported(void **state)
{
    (void)state;
    fake_msr(0x186)->value = 0x430000;
    write(0x186, 1);
    write(0x187, 1);
    fake_msr(0x186)->writable = 0;
    fake_msr(0x187)->write_vector = HW_GP;
    undo();
    assert_int_equal(failures_count, 2);
    assert_int_equal(failures[0].msr, 0x187);
    assert_int_equal(failures[0].vector, HW_GP);
    assert_int_equal(failures[1].msr, 0x186);
    assert_int_equal(failures[1].vector, HW_NO_FAULT);
    assert_int_equal(failures[1].old, 0x430000);
    assert_int_equal(failures[1].got, 1);
}

/* C1H takes 32 bits; a counter may go on counting, so it is not compared. */
static void counters(void **state)
{
    (void)state;
    write(0xc1, 0);
    undo();
    assert_int_equal(fake_written[0], 0x4c1);
    id.full_width_writes = false;
    write(0xc1, 0);
    write(0x309, 0);
    fake_msr(0x395);
    write(0x395, 0);
    fake_msr(0xc1)->writable = fake_msr(0x309)->writable = 0;
    fake_msr(0x395)->writable = 0;
    fake_msr(0xc1)->value = fake_msr(0x395)->value = 77;
    undo();
    assert_int_equal(fake_written[2], 0xc1);
    assert_int_equal(failures_count, 0);
}

static void full(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < JOURNAL_MAX; i++) {
        fake_msr(0x5000 + i);
        assert_int_equal(write(0x5000 + i, 1), JOURNAL_WRITTEN);
    }
    fake_msr(0x6000);
    assert_int_equal(write(0x6000, 1), JOURNAL_FULL);
    assert_int_equal(fake_msr(0x6000)->writes, 0);
    assert_int_equal(write(0x5000, 2), JOURNAL_WRITTEN); /* has its place */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(first_value_comes_back_in_reverse, set_up),
        cmocka_unit_test_setup(what_cannot_be_read_is_not_written, set_up),
        cmocka_unit_test_setup(write_that_faults, set_up),
        cmocka_unit_test_setup(commands_are_not_saved, set_up),
        cmocka_unit_test_setup(failure_is_reported, set_up),
        cmocka_unit_test_setup(counters, set_up),
        cmocka_unit_test_setup(full, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
