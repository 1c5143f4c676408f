/* SPDX-License-Identifier: BSD-2-Clause */
/* io.c - registers of devices (src/base/hw.h): I/O ports, and memory as the
 * firmware maps it, one to one. */
#include "src/base/hw.h"

uint32_t hw_io_read(bool memory, uint64_t address, unsigned bytes)
{
    uint16_t port = (uint16_t)address;
    uint32_t value = 0;

    if (memory && bytes == 4)
        return *(volatile uint32_t *)address;
    if (memory && bytes == 2)
        return *(volatile uint16_t *)address;
    if (memory)
        return *(volatile uint8_t *)address;
    if (bytes == 4)
        __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    else if (bytes == 2)
        __asm__ volatile("inw %1, %w0" : "+a"(value) : "Nd"(port));
    else
        __asm__ volatile("inb %1, %b0" : "+a"(value) : "Nd"(port));
    return value;
}

void hw_io_write(bool memory, uint64_t address, unsigned bytes, uint32_t value)
{
    uint16_t port = (uint16_t)address;

    if (memory && bytes == 4)
        *(volatile uint32_t *)address = value;
    else if (memory && bytes == 2)
        *(volatile uint16_t *)address = (uint16_t)value;
    else if (memory)
        *(volatile uint8_t *)address = (uint8_t)value;
    else if (bytes == 4)
        __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
    else if (bytes == 2)
        __asm__ volatile("outw %w0, %1" : : "a"(value), "Nd"(port));
    else
        __asm__ volatile("outb %b0, %1" : : "a"(value), "Nd"(port));
}
