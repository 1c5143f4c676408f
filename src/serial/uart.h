/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uart.h - a 16550 UART, wherever its registers are. It only sends.
 *
 * Registers by the names of the PC16550D data sheet, "Register Addresses".
 */
#ifndef SRC_SERIAL_UART_H
#define SRC_SERIAL_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UART_CLOCK 1843200u /* Hz, where nothing else is known */
#define UART_SPEED 115200u

struct uart {
    bool memory;     /* else I/O ports */
    uint64_t base;   /* of register 0 */
    unsigned stride; /* bytes from register to register */
    unsigned width;  /* bytes of one access: 1, 2 or 4 */
    uint32_t clock;  /* Hz; UART_CLOCK */
    uint32_t speed;  /* bits a second; 0: as it is programmed already */
    bool stalled;    /* was not ready in time: nothing is sent before retry */
};

/* True where something answers at all: a port that is not there reads all
 * ones. */
bool uart_answers(const struct uart *uart);
/* True where it also remembers a scratch byte and loops its modem lines back;
 * both are restored. For a port that was not named by the user. */
bool uart_probe(const struct uart *uart);
/* What uart_set_up() changes, to be given back. */
struct uart_saved {
    uint8_t ier, lcr, mcr, fifo;
    uint16_t divisor;
};
void uart_save(const struct uart *uart, struct uart_saved *out);
/* When all is sent, or a bounded time later. */
void uart_restore(const struct uart *uart, const struct uart_saved *saved);
/* 8 bits, no parity, one stop bit, the speed, FIFOs, no interrupts. */
void uart_set_up(const struct uart *uart);
/* Waits a bounded time, then takes the UART for stalled. */
void uart_put(struct uart *uart, uint8_t character);
/* Without waiting: false where it is still not ready. */
bool uart_retry(struct uart *uart);

/* "I/O port 3F8H" or "memory at FE034000H, registers 4 bytes apart", with its
 * speed. Returns out. */
#define UART_TEXT_BYTES 80
const char *uart_text(const struct uart *uart, char out[UART_TEXT_BYTES]);

#endif
