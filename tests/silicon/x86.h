/* SPDX-License-Identifier: BSD-2-Clause */
/* x86.h - the privileged instructions that the hypervisor itself executes. */
#ifndef SILICON_X86_H
#define SILICON_X86_H

#include <stdint.h>

static inline uint64_t rdmsr(uint32_t number)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return (uint64_t)high << 32 | low;
}

static inline void wrmsr(uint32_t number, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "a"((uint32_t)value),
                     "d"((uint32_t)(value >> 32)), "c"(number) : "memory");
}

static inline void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
                     : "a"(leaf), "c"(subleaf));
}

/* DR0-DR3, which the guest and the host have in common. */
static inline void read_breakpoints(uint64_t at[4])
{
    __asm__ volatile("mov %%dr0, %0" : "=r"(at[0]));
    __asm__ volatile("mov %%dr1, %0" : "=r"(at[1]));
    __asm__ volatile("mov %%dr2, %0" : "=r"(at[2]));
    __asm__ volatile("mov %%dr3, %0" : "=r"(at[3]));
}

static inline void outb(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline void outw(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static inline void outl(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint32_t inl(uint16_t port)
{
    uint32_t value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint8_t inb(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint64_t rdtsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* What SGDT, SIDT, LGDT and LIDT store and load. */
struct table_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

/* AMD64 APM volume 2, "Interrupt-Gate Descriptor, long mode". */
struct gate {
    uint16_t offset_low, selector, flags, offset_middle;
    uint32_t offset_high, reserved;
};
#define GATE_INTERRUPT 0x8E00

static inline void gate_set(struct gate *g, const char *handler)
{
    uint64_t at = (uint64_t)handler;

    __asm__ volatile("mov %%cs, %0" : "=r"(g->selector));
    g->flags = GATE_INTERRUPT;
    g->offset_low = (uint16_t)at;
    g->offset_middle = (uint16_t)(at >> 16);
    g->offset_high = (uint32_t)(at >> 32);
}

static inline void cpu_pause(void)
{
    __asm__ volatile("pause");
}

#endif
