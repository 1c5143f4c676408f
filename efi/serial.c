/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serial.c - the report on the first serial port, by its own registers: the
 * firmware's console would add escape sequences and lines of its own.
 *
 * 16550 UART: registers at the port's base, by the names of its data sheet.
 */
#include "efi/platform.h"

#define COM1 0x3f8

#define THR 0 /* transmitter holding; divisor low with LCR[7] */
#define IER 1 /* interrupt enable; divisor high with LCR[7] */
#define FCR 2 /* FIFO control */
#define LCR 3 /* line control */
#define MCR 4 /* modem control */
#define LSR 5 /* line status */
#define SCR 7 /* scratch */

#define LCR_8N1      0x03
#define LCR_DIVISOR  0x80
#define LSR_THRE     0x20 /* transmitter holding register empty */
#define BAUD_DIVISOR 1    /* 115200 */
#define WAIT_MS      50   /* for one character: 87 us at 115200 baud */

static bool dead;

static void out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static uint8_t in8(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static void put(uint8_t character)
{
    if (!(in8(COM1 + LSR) & LSR_THRE)) {
        uint64_t deadline = clock_deadline(WAIT_MS);
        while (!(in8(COM1 + LSR) & LSR_THRE))
            if (clock_passed(deadline)) {
                dead = true; /* and the other sinks carry on */
                return;
            }
    }
    out8(COM1 + THR, character);
}

static void serial_write(void *self, const char *text, size_t bytes)
{
    (void)self;
    for (size_t i = 0; i < bytes && !dead; i++) {
        if (text[i] == '\n')
            put('\r');
        put((uint8_t)text[i]);
    }
}

static void serial_flush(void *self)
{
    (void)self;
}

bool serial_open(struct sink *out)
{
    /* A port that is not there reads all ones, or does not remember. */
    out8(COM1 + SCR, 0x5a);
    if (in8(COM1 + SCR) != 0x5a || in8(COM1 + LSR) == 0xff)
        return false;
    out8(COM1 + IER, 0);
    out8(COM1 + LCR, LCR_DIVISOR);
    out8(COM1 + THR, BAUD_DIVISOR);
    out8(COM1 + IER, 0);
    out8(COM1 + LCR, LCR_8N1);
    out8(COM1 + FCR, 0x07); /* FIFOs on and empty */
    out8(COM1 + MCR, 0x03); /* DTR, RTS */
    *out = (struct sink){.write = serial_write, .flush = serial_flush};
    return true;
}
