/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_uart.c - a 16550 by its data sheet (National Semiconductor PC16550D,
 * "Registers"). */
#include "tests/host/fakes/fake_uart.h"

#include "src/base/hw.h"

struct fake_uart fake_uart;

/* The number of the register, or -1. */
static int register_at(bool memory, uint64_t address, unsigned bytes)
{
    const struct fake_uart *u = &fake_uart;

    if (memory != u->memory || bytes != u->width || address < u->base ||
        (address - u->base) % u->stride != 0 ||
        (address - u->base) / u->stride > 7)
        return -1;
    return (int)((address - u->base) / u->stride);
}

uint32_t hw_io_read(bool memory, uint64_t address, unsigned bytes)
{
    struct fake_uart *u = &fake_uart;
    bool divisor = (u->lcr & 0x80) != 0;

    switch (register_at(memory, address, bytes)) {
    case 0:
        return divisor ? u->divisor & 0xff : 0;
    case 1:
        return divisor ? u->divisor >> 8 : u->ier;
    case 2: /* FCR[0] as IIR[7:6]; no interrupt */
        return (u->fcr & 1) != 0 ? 0xc1 : 0x01;
    case 3:
        return u->lcr;
    case 4:
        return u->mcr;
    case 5:
        if (u->stuck)
            return 0x00;
        if (u->waited < u->ready_after + u->shifting)
            u->waited++;
        return u->waited < u->ready_after                 ? 0x00
               : u->waited < u->ready_after + u->shifting ? 0x20
                                                          : 0x60;
    case 6: /* in loopback: RTS to CTS, DTR to DSR, OUT1 to RI, OUT2 to DCD */
        if ((u->mcr & 0x10) == 0 || u->no_loop)
            return 0x00;
        return (u->mcr & 2u) << 3 | (u->mcr & 1u) << 5 | (u->mcr & 0xcu) << 4 |
               0x09 | u->lines; /* CTS and DCD have changed */
    case 7:
        return u->scr & (uint8_t)~u->no_scratch;
    default:
        return 0xffffffff;
    }
}

void hw_io_write(bool memory, uint64_t address, unsigned bytes, uint32_t value)
{
    struct fake_uart *u = &fake_uart;
    uint8_t byte = (uint8_t)value;
    bool divisor = (u->lcr & 0x80) != 0;

    switch (register_at(memory, address, bytes)) {
    case 0:
        if (divisor) {
            u->divisor = (uint16_t)((u->divisor & 0xff00) | byte);
            break;
        }
        u->lost += u->stuck || u->waited < u->ready_after;
        u->waited = 0;
        if (u->sent_bytes < sizeof(u->sent))
            u->sent[u->sent_bytes++] = (char)byte;
        break;
    case 1:
        if (divisor)
            u->divisor = (uint16_t)((u->divisor & 0xff) | byte << 8);
        else
            u->ier = byte;
        break;
    case 2:
        u->fcr = byte;
        break;
    case 3:
        u->lcr = byte;
        break;
    case 4:
        u->mcr = byte;
        break;
    case 7:
        u->scr = byte;
        break;
    default:
        break;
    }
}
