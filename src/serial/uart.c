/* SPDX-License-Identifier: BSD-2-Clause */
/* uart.c - a 16550's registers. */
#include "src/serial/uart.h"

#include "src/base/hw.h"
#include "src/base/text.h"

#define THR 0 /* transmitter holding; divisor low with LCR[7] */
#define IER 1 /* interrupt enable; divisor high with LCR[7] */
#define FCR 2 /* FIFO control */
#define IIR 2 /* interrupt identification, where it is read */
#define LCR 3 /* line control */
#define MCR 4 /* modem control */
#define LSR 5 /* line status */
#define MSR 6 /* modem status */
#define SCR 7 /* scratch */

#define LCR_8N1     0x03
#define LCR_DIVISOR 0x80
#define FCR_CLEAR   0x07 /* FIFOs on and empty */
#define FCR_ON      0x01
#define IIR_FIFO    0xc0 /* FIFOs are on */
#define MCR_DTR_RTS 0x03
#define MCR_LOOP    0x1a /* loopback, with OUT2 and RTS set */
#define MSR_LOOPED  0x90 /* what these two come back as: DCD and CTS */
#define MSR_LINES   0xf0
#define LSR_THRE    0x20 /* transmitter holding register empty */
#define LSR_TEMT    0x40 /* and the shift register too */

#define WAIT_MS     50    /* for a character, and twice what it may take: */
#define CHARACTER_2 20000 /* milliseconds at 1 bit a second */

static uint8_t read_register(const struct uart *uart, unsigned n)
{
    return (uint8_t)hw_io_read(uart->memory, uart->base + n * uart->stride,
                               uart->width);
}

static void write_register(const struct uart *uart, unsigned n, uint8_t value)
{
    hw_io_write(uart->memory, uart->base + n * uart->stride, uart->width,
                value);
}

bool uart_answers(const struct uart *uart)
{
    return read_register(uart, LSR) != 0xff;
}

static bool remembers(const struct uart *uart, uint8_t value)
{
    write_register(uart, SCR, value);
    return read_register(uart, SCR) == value;
}

bool uart_probe(const struct uart *uart)
{
    if (!uart_answers(uart))
        return false;
    uint8_t scratch = read_register(uart, SCR),
            modem = read_register(uart, MCR);
    bool good = remembers(uart, 0x5a) && remembers(uart, 0xa5);

    write_register(uart, SCR, scratch);
    if (!good)
        return false;
    write_register(uart, MCR, MCR_LOOP);
    good = (read_register(uart, MSR) & MSR_LINES) == MSR_LOOPED;
    write_register(uart, MCR, modem);
    return good;
}

static void write_divisor(const struct uart *uart, uint16_t divisor)
{
    write_register(uart, LCR, LCR_DIVISOR);
    write_register(uart, THR, (uint8_t)divisor);
    write_register(uart, IER, (uint8_t)(divisor >> 8));
}

void uart_save(const struct uart *uart, struct uart_saved *out)
{
    out->ier = read_register(uart, IER);
    out->lcr = read_register(uart, LCR);
    out->mcr = read_register(uart, MCR);
    out->fifo = read_register(uart, IIR) & IIR_FIFO;
    write_register(uart, LCR, LCR_DIVISOR);
    out->divisor =
        (uint16_t)(read_register(uart, THR) | read_register(uart, IER) << 8);
    write_register(uart, LCR, out->lcr);
}

void uart_restore(const struct uart *uart, const struct uart_saved *saved)
{
    uint64_t start = hw_ms();

    while ((read_register(uart, LSR) & LSR_TEMT) == 0 &&
           hw_ms() - start <= WAIT_MS)
        ;
    write_divisor(uart, saved->divisor);
    write_register(uart, LCR, saved->lcr);
    write_register(uart, FCR, saved->fifo != 0 ? FCR_ON : 0);
    write_register(uart, MCR, saved->mcr);
    write_register(uart, IER, saved->ier);
}

void uart_set_up(const struct uart *uart)
{
    write_register(uart, IER, 0);
    if (uart->speed != 0) {
        uint32_t divisor = uart->clock / 16 / uart->speed;
        divisor = divisor != 0 ? divisor : 1;
        write_divisor(uart, (uint16_t)divisor);
    }
    write_register(uart, LCR, LCR_8N1);
    write_register(uart, FCR, FCR_CLEAR);
    write_register(uart, MCR, MCR_DTR_RTS);
}

static bool is_ready(const struct uart *uart)
{
    return (read_register(uart, LSR) & LSR_THRE) != 0;
}

bool uart_retry(struct uart *uart)
{
    uart->stalled = uart->stalled && !is_ready(uart);
    return !uart->stalled;
}

void uart_put(struct uart *uart, uint8_t character)
{
    if (uart->stalled)
        return;
    if (!is_ready(uart)) {
        uint64_t wait =
            WAIT_MS + (uart->speed != 0 ? CHARACTER_2 / uart->speed : 0);
        uint64_t start = hw_ms();
        while (!is_ready(uart))
            if (hw_ms() - start > wait && !is_ready(uart)) {
                uart->stalled = true;
                return;
            }
    }
    write_register(uart, THR, character);
}

const char *uart_text(const struct uart *uart, char out[UART_TEXT_BYTES])
{
    text_format(out, UART_TEXT_BYTES, "%s %lXH",
                uart->memory ? "memory at" : "I/O port", uart->base);
    if (uart->stride != 1)
        text_append(out, UART_TEXT_BYTES, ", registers %u bytes apart",
                    uart->stride);
    if (uart->speed != 0)
        text_append(out, UART_TEXT_BYTES, ", %u bits a second", uart->speed);
    else
        text_append(out, UART_TEXT_BYTES, ", its speed as it was");
    return out;
}
