/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_uart.h - a 16550 that answers hw_io_read() and hw_io_write(); any other
 * address reads all ones. */
#ifndef TESTS_HOST_FAKES_FAKE_UART_H
#define TESTS_HOST_FAKES_FAKE_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern struct fake_uart {
    bool memory;
    uint64_t base;
    unsigned stride, width; /* an access of another width goes nowhere */
    uint8_t no_scratch;     /* bits that SCR does not hold */
    bool no_loop;
    uint8_t lines;        /* of MSR: set whatever is looped back */
    unsigned ready_after; /* reads of LSR until THRE is set after a byte */
    unsigned shifting;    /* and until TEMT is */
    bool stuck;           /* neither is set again */
    /* What it holds: */
    uint8_t ier, fcr, lcr, mcr, scr;
    uint16_t divisor;
    unsigned waited;
    char sent[256];
    size_t sent_bytes;
    unsigned lost; /* bytes written while THRE was clear */
} fake_uart;

#endif
