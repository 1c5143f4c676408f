/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * x86.h - the privileged instructions that the hypervisor itself executes, and
 * others that a unit test replaces by functions of its own.
 */
#ifndef SILICON_HYPERVISOR_HOST_X86_H
#define SILICON_HYPERVISOR_HOST_X86_H

#include <stdint.h>

#define CR4_OSXSAVE (UINT64_C(1) << 18)

uint64_t rdmsr(uint32_t number);
void wrmsr(uint32_t number, uint64_t value);
void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4]);

/* DR0-DR3, which the guest and the host have in common. */
void read_breakpoints(uint64_t at[4]);

/* The selector of the task register. */
uint16_t read_tr(void);

void write_cr3(uint64_t value);
uint64_t read_cr4(void);
void write_cr4(uint64_t value);
void write_dr0(uint64_t value);
void write_dr6(uint64_t value);
void write_dr7(uint64_t value);

void outb(uint16_t port, uint8_t value);
void outw(uint16_t port, uint16_t value);
uint8_t inb(uint16_t port);

void outl(uint16_t port, uint32_t value);
uint32_t inl(uint16_t port);
uint64_t rdtsc(void);
void cpu_pause(void);

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

/* Of a handler in this code segment. */
void gate_set(struct gate *g, const char *handler);

#endif
