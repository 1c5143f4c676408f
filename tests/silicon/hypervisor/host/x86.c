/* SPDX-License-Identifier: BSD-2-Clause */
/* x86.c - those instructions; unit tests have others in their place. */
#include "tests/silicon/hypervisor/host/x86.h"

uint64_t rdmsr(uint32_t number)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return (uint64_t)high << 32 | low;
}

void wrmsr(uint32_t number, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)),
                       "c"(number)
                     : "memory");
}

void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                     : "a"(leaf), "c"(subleaf));
}

void read_breakpoints(uint64_t at[4])
{
    __asm__ volatile("mov %%dr0, %0" : "=r"(at[0]));
    __asm__ volatile("mov %%dr1, %0" : "=r"(at[1]));
    __asm__ volatile("mov %%dr2, %0" : "=r"(at[2]));
    __asm__ volatile("mov %%dr3, %0" : "=r"(at[3]));
}

uint16_t read_tr(void)
{
    uint16_t selector;

    __asm__ volatile("str %0" : "=r"(selector));
    return selector;
}

void write_cr3(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(value) : "memory");
}

uint64_t read_cr4(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr4, %0" : "=r"(value));
    return value;
}

void write_cr4(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

void write_dr0(uint64_t value)
{
    __asm__ volatile("mov %0, %%dr0" : : "r"(value));
}

void write_dr7(uint64_t value)
{
    __asm__ volatile("mov %0, %%dr7" : : "r"(value));
}

void write_dr6(uint64_t value)
{
    __asm__ volatile("mov %0, %%dr6" : : "r"(value));
}

void outb(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

void outw(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

void outl(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

uint32_t inl(uint16_t port)
{
    uint32_t value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

uint8_t inb(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

uint64_t rdtsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

void cpu_pause(void)
{
    __asm__ volatile("pause");
}

void gate_set(struct gate *g, const char *handler)
{
    uint64_t at = (uint64_t)handler;

    __asm__ volatile("mov %%cs, %0" : "=r"(g->selector));
    g->flags = GATE_INTERRUPT;
    g->offset_low = (uint16_t)at;
    g->offset_middle = (uint16_t)(at >> 16);
    g->offset_high = (uint32_t)(at >> 32);
}
