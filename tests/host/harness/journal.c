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

/* SDM 4: counters, by both their names, and PERF_METRICS go on, so what they
 * read is not compared; each other register is, beside IA32_RTIT_STATUS (571H)
 * [2:0], which the trace sets. */
static void what_is_compared(void **state)
{
    static const struct {
        uint32_t first, last;
    } counting[] = {{0xc1, 0xca},
                    {0x4c1, 0x4ca},
                    {0x309, 0x30c},
                    {0x329, 0x329},
                    {0x395, 0x395}};
    static const uint32_t looked[] = {0xb0,  0x180, 0x300, 0x320,
                                      0x380, 0x4b8, 0x560};

    (void)state;
    for (unsigned n = 0; n < 7 * 32; n++) {
        const uint32_t msr = looked[n / 32] + n % 32;
        bool compared = true;

        for (unsigned i = 0; i < 5; i++)
            compared &= msr < counting[i].first || msr > counting[i].last;
        if ((msr >= 0x390 && msr <= 0x392) || (msr >= 0x560 && msr != 0x571))
            continue;
        set_up(NULL);
        id.full_width_writes = false;
        fake_msr(msr)->value = 0;
        assert_int_equal(write(msr, 8), JOURNAL_WRITTEN);
        fake_msr(msr)->writable = 0;
        undo();
        assert_int_equal(failures_count, compared);
    }
    for (unsigned bit = 0; bit < 8; bit++) {
        set_up(NULL);
        fake_msr(0x571)->value = 0;
        assert_int_equal(write(0x571, 1u << bit), JOURNAL_WRITTEN);
        fake_msr(0x571)->writable = 0;
        undo();
        assert_int_equal(failures_count, bit > 2);
    }
}

/* Registers that a write does something to, once: nothing is to be restored. */
static void commands(void **state)
{
    static const uint32_t msrs[] = {0x8b, 0x390, 0x391, 0x392, 0xe02};

    (void)state;
    for (unsigned n = 0; n < 5; n++)
        for (unsigned version = 3; version <= 4; version++) {
            const bool is = msrs[n] != 0x391 || version == 4;

            set_up(NULL);
            id.perfmon_version = (uint8_t)version;
            fake_msr(msrs[n])->value = 0;
            assert_int_equal(journal_has(&journal, &id, msrs[n]), is);
            assert_int_equal(write(msrs[n], 1), JOURNAL_WRITTEN);
            assert_int_equal(journal.count, !is);
        }
    assert_false(journal_has(&journal, &id, 0x38f));
    assert_false(journal_has(&journal, &id, 0xe01));
}

/* Both enables come last, whatever was saved before them: what they enable is
 * as it was by then. */
static void enabled_last(void **state)
{
    static const uint32_t orders[][4] = {{0x189, 0x309, 0x38f, 0x3f1},
                                         {0x38f, 0x189, 0x3f1, 0x309},
                                         {0x3f1, 0x38f, 0x189, 0x309}};

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        set_up(NULL);
        for (unsigned i = 0; i < 4; i++) {
            fake_msr(orders[n][i])->value = 0xf;
            assert_int_equal(write(orders[n][i], 1), JOURNAL_WRITTEN);
        }
        undo();
        assert_int_equal(fake_written_count, 6); /* two of them twice */
        assert_int_equal(fake_written[4], 0x3f1);
        assert_int_equal(fake_written[5], 0x38f);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(fake_msr(orders[n][i])->value, 0xf);
    }
}

/* No counter counts on from its restored value: both enables are cleared first,
 * where they have been written. */
static void stopped_first(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        set_up(NULL);
        fake_msr(0x3f1)->value = fake_msr(0x38f)->value = 1;
        if (n & 1)
            write(0x38f, 3);
        if (n & 2)
            write(0x3f1, 3);
        write(0x186, 1);
        undo();
        unsigned at = 0;
        if (n & 1)
            assert_int_equal(fake_written[at++], 0x38f);
        if (n & 2)
            assert_int_equal(fake_written[at++], 0x3f1);
        assert_int_equal(fake_written[at++], 0x186);
        assert_int_equal(fake_written_count, at + (n & 1) + (n >> 1));
        assert_int_equal(fake_msr(0x3f1)->value, 1);
        assert_int_equal(fake_msr(0x38f)->value, 1);
    }
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
        cmocka_unit_test_setup(what_is_compared, set_up),
        cmocka_unit_test_setup(commands, set_up),
        cmocka_unit_test_setup(stopped_first, set_up),
        cmocka_unit_test_setup(enabled_last, set_up),
        cmocka_unit_test_setup(full, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
