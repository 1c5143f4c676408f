/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serial.c - the report on a serial port, by its own registers
 * (src/serial/uart.h): the firmware's console would add escape sequences and
 * lines of its own. Which port it is: serial_find.c.
 */
#include "efi/serial_find.h"
#include "efi/sinks.h"
#include "efi/warnings.h"
#include "src/base/text.h"

static struct uart uart;
static char failure[UART_TEXT_BYTES + 80];
static uint64_t missing; /* bytes that were not sent */
static enum { SENDS, STALLS, STALLS_TOLD, SENDS_AGAIN } state;

static void put(uint8_t character)
{
    uart_put(&uart, character);
    missing += uart.stalled;
}

static void serial_write(void *self, const char *text, size_t bytes)
{
    (void)self;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n')
            put('\r');
        put((uint8_t)text[i]);
    }
    if (uart.stalled && state == SENDS)
        state = STALLS;
}

/* After each test: a console server may have come back. What was cut ends its
 * line. */
static void serial_flush(void *self)
{
    (void)self;
    if (!uart.stalled || !uart_retry(&uart))
        return;
    put('\r');
    put('\n');
    state = SENDS_AGAIN;
}

static const char *serial_failure(void *self)
{
    char name[UART_TEXT_BYTES];

    (void)self;
    switch (state) {
    case STALLS:
        text_format(failure, sizeof(failure),
                    "the serial port is not ready in time, and is tried again "
                    "after each test: %s",
                    uart_text(&uart, name));
        state = STALLS_TOLD;
        return failure;
    case SENDS_AGAIN:
        text_format(failure, sizeof(failure),
                    "the serial port is ready again: %lu bytes are missing "
                    "there",
                    missing);
        state = SENDS;
        missing = 0;
        return failure;
    case SENDS:
    case STALLS_TOLD:
        break;
    }
    return NULL;
}

bool serial_open(const struct options *options, struct sink *out,
                 const char **which, struct warnings *warnings)
{
    static char text[UART_TEXT_BYTES + 32];
    char name[UART_TEXT_BYTES];
    const char *how;

    *which = NULL;
    state = SENDS;
    missing = 0;
    if (options->serial == SERIAL_OFF)
        return false;
    how = serial_find(options, &uart, warnings);
    if (how == NULL)
        return false;
    text_format(text, sizeof(text), "%s (%s)", uart_text(&uart, name), how);
    *which = text;
    *out = (struct sink){.write = serial_write,
                         .flush = serial_flush,
                         .failure = serial_failure};
    return true;
}
