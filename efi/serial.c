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
static char failure[UART_TEXT_BYTES + 64];
static bool reported;

static void serial_write(void *self, const char *text, size_t bytes)
{
    (void)self;
    for (size_t i = 0; i < bytes && !uart.dead; i++) {
        if (text[i] == '\n')
            uart_put(&uart, '\r');
        uart_put(&uart, (uint8_t)text[i]);
    }
}

static void serial_flush(void *self)
{
    (void)self;
}

static const char *serial_failure(void *self)
{
    char name[UART_TEXT_BYTES];

    (void)self;
    if (!uart.dead || reported)
        return NULL;
    reported = true;
    text_format(failure, sizeof(failure),
                "the serial port is not ready in time and is dropped: %s",
                uart_text(&uart, name));
    return failure;
}

bool serial_open(const struct options *options, struct sink *out,
                 const char **which, struct warnings *warnings)
{
    static char text[UART_TEXT_BYTES + 32];
    char name[UART_TEXT_BYTES];
    const char *how;

    *which = NULL;
    reported = false;
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
