/* SPDX-License-Identifier: BSD-2-Clause */
/* uart.c - a 16550 found, set up, written to and given up. */
#include "src/serial/uart.h"
#include "tests/host/fakes/fake_hw.h"
#include "tests/host/fakes/fake_uart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct uart com1 = {
    .base = 0x3f8, .stride = 1, .width = 1, .clock = UART_CLOCK, .speed = 9600};
static const struct uart mapped = {.memory = true,
                                   .base = 0xfe034000,
                                   .stride = 4,
                                   .width = 4,
                                   .clock = 48000000,
                                   .speed = 115200};

static void reset(const struct uart *at)
{
    fake_reset();
    fake_uart = (struct fake_uart){.memory = at->memory,
                                   .base = at->base,
                                   .stride = at->stride,
                                   .width = at->width,
                                   .scr = 0x77,
                                   .mcr = 0x03,
                                   .fcr = 0x01,
                                   .divisor = 12,
                                   .ier = 5};
}

static void found_and_left_as_it_was(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const struct uart *at = i == 0 ? &com1 : &mapped;
        reset(at);
        assert_true(uart_answers(at));
        assert_true(uart_probe(at));
        assert_int_equal(fake_uart.scr, 0x77);
        assert_int_equal(fake_uart.mcr, 0x03);
        assert_int_equal(fake_uart.sent_bytes, 0);
    }
}

static void not_there(void **state)
{
    struct uart other = com1;

    (void)state;
    reset(&com1);
    other.base = 0x2f8;
    assert_false(uart_answers(&other));
    assert_false(uart_probe(&other));
    other = mapped;
    reset(&mapped);
    other.width = 1; /* that one wants 32 bits */
    assert_false(uart_answers(&other));
    for (unsigned bit = 0; bit < 8; bit++) {
        reset(&com1);
        fake_uart.no_scratch = (uint8_t)(1 << bit);
        assert_false(uart_probe(&com1));
    }
    reset(&com1);
    fake_uart.no_loop = true;
    assert_false(uart_probe(&com1));
    assert_int_equal(fake_uart.mcr, 0x03);
    assert_int_equal(fake_uart.scr, 0x77);
    reset(&com1);
    fake_uart.lines = 0xf0; /* which say nothing of what is looped back */
    assert_false(uart_probe(&com1));
    assert_int_equal(fake_uart.mcr, 0x03);
}

static void set_up(void **state)
{
    struct uart kept = com1;

    (void)state;
    reset(&com1);
    uart_set_up(&com1);
    assert_int_equal(fake_uart.divisor, 12);
    assert_int_equal(fake_uart.lcr, 0x03);
    assert_int_equal(fake_uart.ier, 0);
    assert_int_equal(fake_uart.fcr, 0x07);
    reset(&mapped);
    uart_set_up(&mapped);
    assert_int_equal(fake_uart.divisor, 26); /* 48 MHz / 16 / 115200 */
    kept.speed = 0;
    reset(&com1);
    fake_uart.divisor = 0x123;
    uart_set_up(&kept);
    assert_int_equal(fake_uart.divisor, 0x123);
    kept.speed = 50; /* a divisor of more than a byte */
    uart_set_up(&kept);
    assert_int_equal(fake_uart.divisor, 2304);
    assert_int_equal(fake_uart.ier, 0);
    assert_int_equal(fake_uart.mcr, 0x03); /* DTR and RTS */
    kept.speed = 921600; /* faster than its clock allows: as fast as it does */
    uart_set_up(&kept);
    assert_int_equal(fake_uart.divisor, 1);
}

static void given_back_as_it_was(void **state)
{
    struct uart_saved saved;

    (void)state;
    reset(&com1);
    fake_uart.divisor = 0x1234;
    fake_uart.lcr = 0x1b;
    fake_uart.ier = 0x05;
    fake_uart.mcr = 0x08;
    uart_save(&com1, &saved);
    assert_int_equal(fake_uart.lcr, 0x1b);
    uart_set_up(&com1);
    fake_ms_step = 1;
    fake_uart.ready_after = 5; /* looks until all is sent */
    fake_uart.shifting = 4;
    uart_put(
        &(struct uart){
            .stalled = false, .base = com1.base, .stride = 1, .width = 1},
        'x');
    uart_restore(&com1, &saved);
    assert_int_equal(fake_uart.waited, 9);
    assert_int_equal(fake_uart.divisor, 0x1234);
    assert_int_equal(fake_uart.lcr, 0x1b);
    assert_int_equal(fake_uart.ier, 0x05);
    assert_int_equal(fake_uart.mcr, 0x08);
    assert_int_equal(fake_uart.fcr, 0x01); /* FIFOs were on */
    fake_uart.fcr = 0x00;                  /* a 16450 has none */
    uart_save(&com1, &saved);
    uart_set_up(&com1);
    uart_restore(&com1, &saved);
    assert_int_equal(fake_uart.fcr, 0x00);
    fake_uart.stuck = true;
    uint64_t then = fake_ms;
    uart_restore(&com1, &saved); /* ends */
    assert_in_range(fake_ms - then, 50, 60);
}

static void every_byte_waits_its_turn(void **state)
{
    struct uart uart = mapped;

    (void)state;
    reset(&mapped);
    fake_ms_step = 1;
    fake_uart.ready_after = 40;
    for (const char *c = "# END"; *c != '\0'; c++)
        uart_put(&uart, (uint8_t)*c);
    assert_false(uart.stalled);
    assert_int_equal(fake_uart.lost, 0);
    assert_int_equal(fake_uart.sent_bytes, 5);
    assert_memory_equal(fake_uart.sent, "# END", 5);
}

static void never_ready_is_given_up_in_time(void **state)
{
    struct uart uart = com1;

    (void)state;
    reset(&com1);
    fake_ms_step = 1;
    fake_uart.stuck = true;
    uart_put(&uart, 'x');
    assert_true(uart.stalled);
    assert_in_range(fake_ms, 50, 60); /* a character takes 1 of them */
    assert_int_equal(fake_uart.sent_bytes, 0);
    uint64_t then = fake_ms;
    uart_put(&uart, 'y'); /* no second wait */
    assert_int_equal(fake_ms, then);
    assert_false(uart_retry(&uart));
    assert_true(fake_ms <= then + 1);
    fake_uart.stuck = false; /* somebody reads again */
    assert_true(uart_retry(&uart));
    uart_put(&uart, 'y');
    assert_int_equal(fake_uart.sent_bytes, 1);
    assert_memory_equal(fake_uart.sent, "y", 1);
    fake_uart.sent_bytes = 0;
    /* A slow one has more time: a character at 50 bits a second is 200 ms. */
    uart = com1;
    uart.speed = 50;
    fake_uart.stuck = false;
    fake_uart.waited = 0;
    fake_uart.ready_after = 400;
    uart_put(&uart, 'z');
    assert_false(uart.stalled);
    assert_int_equal(fake_uart.sent_bytes, 1);
    fake_uart.stuck = true;
    then = fake_ms;
    uart_put(&uart, 'z');
    assert_in_range(fake_ms - then, 400, 470);
    uart.stalled = false;
    uart.speed = 0; /* not known: as any other */
    then = fake_ms;
    uart_put(&uart, 'z');
    assert_in_range(fake_ms - then, 50, 60);
}

static void as_text(void **state)
{
    char text[UART_TEXT_BYTES];
    struct uart uart = com1;

    (void)state;
    assert_string_equal(uart_text(&com1, text),
                        "I/O port 3F8H, 9600 bits a second");
    assert_string_equal(uart_text(&mapped, text),
                        "memory at FE034000H, registers 4 bytes apart, 115200 "
                        "bits a second");
    uart.speed = 0;
    assert_string_equal(uart_text(&uart, text),
                        "I/O port 3F8H, its speed as it was");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_and_left_as_it_was),
        cmocka_unit_test(not_there),
        cmocka_unit_test(set_up),
        cmocka_unit_test(given_back_as_it_was),
        cmocka_unit_test(every_byte_waits_its_turn),
        cmocka_unit_test(never_ready_is_given_up_in_time),
        cmocka_unit_test(as_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
