/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * costs.c - an application that takes the machine over as an operating system
 * does, and says when each thing begins and ends whose cost in the time of the
 * machine below costs.py measures: instructions of a loop that run freely, with
 * instructions counted and not, those of a loop and of calls with branches
 * counted, of calls with loads counted, both once more as single steps, exits,
 * and transactions.
 */
#include "tests/boot/takeover.h"

#define IA32_PERFEVTSEL0      0x186u
#define IA32_PERF_GLOBAL_CTRL 0x38Fu
#define BRANCHES              0x4300C4u /* enabled, of all levels */
#define INSTRUCTIONS          0x4300C0u
#define LOADS                 0x4381D0u

/* LE: "exact breakpoint enable", which nothing heeds; silicon.efi runs no
 * blocks where DR7 is not as a reset leaves it. */
#define DR7_NONE  UINT64_C(0x400)
#define DR7_EXACT UINT64_C(0x500)

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static void loop(uint64_t instructions)
{
    uint64_t rounds = instructions / 10;

    __asm__ volatile(".balign 64\n"
                     "1: nop; nop; nop; nop; nop; nop; nop; nop\n"
                     "   dec %0\n"
                     "   jnz 1b\n"
                     : "+r"(rounds));
}

static void call(uint64_t instructions)
{
    uint64_t rounds = instructions / 10;

    __asm__ volatile("1: call 2f\n"
                     "   dec %0\n"
                     "   jnz 1b\n"
                     "   jmp 3f\n"
                     "2: nop; nop; nop; nop; nop; nop\n"
                     "   ret\n"
                     "3:\n"
                     : "+r"(rounds));
}

static void load(uint64_t instructions)
{
    uint64_t rounds = instructions / 10;

    __asm__ volatile("1: call 2f\n"
                     "   dec %0\n"
                     "   jnz 1b\n"
                     "   jmp 3f\n"
                     "2: mov (%%rsp), %%rax; nop; mov -64(%%rsp), %%rdx; nop\n"
                     "   mov 1b(%%rip), %%rax; nop\n"
                     "   ret\n"
                     "3:\n"
                     : "+r"(rounds)
                     :
                     : "rax", "rdx");
}

static void cpuid(uint64_t times)
{
    while (times-- > 0) {
        uint32_t a = 0, c = 0;

        __asm__ volatile("cpuid" : "+a"(a), "+c"(c) : : "ebx", "edx");
    }
}

/* Not on a page with what is not to be stepped. */
static __attribute__((section(".text.apart"), aligned(4096))) void
transaction(uint64_t times)
{
    static uint64_t word;

    while (times-- > 0) {
        uint32_t status = UINT32_MAX;

        __asm__ volatile("xbegin 1f\n1:" : "+a"(status) : : "memory");
        if (status != UINT32_MAX)
            continue;
        __asm__ volatile("mov %1, %0; xend"
                         : "=m"(word)
                         : "r"(times)
                         : "memory");
    }
}

static void write_dr7(uint64_t value)
{
    __asm__ volatile("mov %0, %%dr7" : : "r"(value));
}

static void measure(const char *what, void (*run)(uint64_t times),
                    uint64_t times, uint64_t event)
{
    wrmsr(IA32_PERFEVTSEL0, event);
    say_text("costs: ");
    say_text(what);
    say_number(" begins ", times);
    say('\n');
    wrmsr(IA32_PERF_GLOBAL_CTRL, event != 0);
    run(times);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
    say_text("costs: ends\n");
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    if (!take_over(image, system->BootServices))
        return EFI_LOAD_ERROR;
    measure("free", loop, 1000000000, 0);
    measure("counted", loop, 1000000000, INSTRUCTIONS);
    measure("loop", loop, 1000000000, BRANCHES);
    measure("step", call, 200000, BRANCHES);
    measure("load", load, 200000, LOADS);
    write_dr7(DR7_EXACT);
    measure("single_step", call, 50000, BRANCHES);
    measure("single_load", load, 50000, LOADS);
    write_dr7(DR7_NONE);
    measure("exit", cpuid, 100000, 0);
    measure("transaction", transaction, 5000, 0);
    power_off();
    return EFI_SUCCESS;
}
