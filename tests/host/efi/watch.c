/* SPDX-License-Identifier: BSD-2-Clause */
/* watch.c - when a boot processor is taken to hang, and when never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "efi/watch.c"

#define TICKS 7 /* of a millisecond */
#define BSP   12

static uint64_t now;
static unsigned nmis, resets;

uint64_t clock_ticks(uint64_t ms)
{
    return ms * TICKS;
}

uint64_t clock_deadline(uint64_t ms)
{
    return now + clock_ticks(ms);
}

bool clock_passed(uint64_t deadline)
{
    return now >= deadline;
}

void apic_send_nmi(uint32_t id)
{
    assert_int_equal(id, BSP);
    nmis++;
}

void hw_io_write(bool memory, uint64_t address, unsigned bytes, uint32_t value)
{
    assert_false(memory);
    assert_int_equal(address, 0xcf9);
    assert_int_equal(bytes, 1);
    resets += (value & 4) != 0;
}

static int start(void **state)
{
    (void)state;
    beats = told = 0;
    limit = 0;
    nmis = resets = 0;
    now = 1000000;
    return 0;
}

/* So many milliseconds of looking. */
static void look(struct watcher *watcher, unsigned ms)
{
    for (unsigned i = 0; i < ms; i++) {
        now += TICKS;
        watch_look(watcher, BSP);
    }
}

static void hangs(void **state)
{
    struct watcher a = {.beat = 0}, b = {.beat = 0};

    (void)state;
    assert_int_equal(watch_limit(300), 0);
    look(&a, 300);
    assert_int_equal(nmis, 0);
    look(&a, 2);
    assert_int_equal(nmis, 1);
    look(&b, 400); /* one of them sends it */
    assert_int_equal(nmis, 1);
    look(&a, RESET_MS - 500);
    assert_int_equal(resets, 0);
    look(&a, 600);
    assert_true(resets != 0);
    assert_int_equal(nmis, 1);
}

/* It comes back, and hangs in the next job too. */
static void hangs_twice(void **state)
{
    struct watcher a = {.beat = 0};

    (void)state;
    (void)watch_limit(300);
    look(&a, 400);
    assert_int_equal(nmis, 1);
    (void)watch_limit(0);
    (void)watch_limit(300);
    look(&a, 290);
    assert_int_equal(nmis, 1);
    look(&a, 100);
    assert_int_equal(nmis, 2);
    assert_int_equal(resets, 0);
}

static void lives(void **state)
{
    struct watcher a = {.beat = 0};

    (void)state;
    (void)watch_limit(300);
    for (unsigned i = 0; i < 100; i++) {
        look(&a, 250);
        watch_beat();
    }
    assert_int_equal(watch_limit(0), 300); /* firmware is called */
    look(&a, 100000);
    (void)watch_limit(300);
    look(&a, 299);
    (void)watch_limit(0);
    look(&a, 100000);
    assert_int_equal(nmis, 0);
}

/* A watcher that was away does not take that for the other's silence. */
static void looks_anew(void **state)
{
    struct watcher a = {.beat = 0};

    (void)state;
    (void)watch_limit(300);
    look(&a, 10);
    (void)watch_limit(0);
    now += 1000000; /* in a job of its own, no look in between */
    (void)watch_limit(300);
    look(&a, 299);
    assert_int_equal(nmis, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hangs, start),
        cmocka_unit_test_setup(hangs_twice, start),
        cmocka_unit_test_setup(lives, start),
        cmocka_unit_test_setup(looks_anew, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
