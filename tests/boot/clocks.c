/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clocks.c - an application that takes the machine over as an operating system
 * does, and says how far each clock goes while a loop runs: with no counter
 * running, with those of cycles, and with branches counted too, for which
 * silicon.efi steps each instruction. clocks.py compares them.
 *
 * SDM volume 2B, "RDTSCP"; volume 3A, "APIC Timer"; volume 3B, "Fixed-function
 * Performance Counters"; ACPI specification, "Power Management Timer".
 */
#include "tests/boot/takeover.h"

#define IA32_PERFEVTSEL0      0x186u
#define IA32_FIXED_CTR_CTRL   0x38Du
#define IA32_TSC_AUX          0xC0000103u
#define IA32_PERF_GLOBAL_CTRL 0x38Fu
#define BRANCHES              0x4300C4u /* enabled, of all levels */
#define FIXED_1_AND_2         0x330u    /* the same */
#define RDPMC_FIXED           0x40000000u

#define APIC_LVT_TIMER ((volatile uint32_t *)0xFEE00320)
#define APIC_INITIAL   ((volatile uint32_t *)0xFEE00380)
#define APIC_CURRENT   ((volatile uint32_t *)0xFEE00390)
#define APIC_DIVIDE    ((volatile uint32_t *)0xFEE003E0)
#define LVT_MASKED     0x10000u /* one-shot */
#define DIVIDE_BY_1    0xBu

#define PM_TIMER 0x608 /* of QEMU's q35; 24 bits */

#define AUX 0x80000005u /* what IA32_TSC_AUX has */

#define ROUNDS_FREE 2000000u
#define ROUNDS      5000u

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

struct sample {
    uint64_t tsc, apic, pm, cycles, reference;
    uint64_t tscp; /* by RDTSCP */
    uint32_t aux;  /* by RDTSCP, too */
};

static uint64_t rdpmc(uint32_t number)
{
    uint32_t low, high;

    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
    return (uint64_t)high << 32 | low;
}

static uint64_t rdtsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static uint64_t rdtscp(uint32_t *aux)
{
    uint32_t low, high;

    __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(*aux));
    return (uint64_t)high << 32 | low;
}

static uint32_t inl(uint16_t port)
{
    uint32_t value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "d"(port));
    return value;
}

static void take(struct sample *s)
{
    s->tsc = rdtsc();
    s->apic = *APIC_CURRENT; /* counts down */
    s->pm = inl(PM_TIMER);
    s->cycles = rdpmc(RDPMC_FIXED + 1);
    s->reference = rdpmc(RDPMC_FIXED + 2);
    s->tscp = rdtscp(&s->aux);
}

static __attribute__((noinline)) uint32_t step(uint32_t n)
{
    return n % 10 < 4 ? n * 3 : n + 1;
}

static void measure(const char *what, uint64_t select, uint64_t enabled,
                    unsigned rounds)
{
    volatile uint32_t sum = 0;
    struct sample from, to;

    wrmsr(IA32_PERFEVTSEL0, select);
    wrmsr(IA32_FIXED_CTR_CTRL, FIXED_1_AND_2);
    *APIC_INITIAL = UINT32_MAX;
    wrmsr(IA32_PERF_GLOBAL_CTRL, enabled);
    take(&from);
    for (unsigned n = 0; n < rounds; n++)
        sum = step(sum) + n;
    take(&to);
    wrmsr(IA32_PERF_GLOBAL_CTRL, 0);
    say_text("clocks: ");
    say_text(what);
    say_number(" tsc ", to.tsc - from.tsc);
    say_number(" apic ", from.apic - to.apic);
    say_number(" pm ", (to.pm - from.pm) & 0xFFFFFF);
    say_number(" cycles ", to.cycles - from.cycles);
    say_number(" reference ", to.reference - from.reference);
    say_number(" tscp ", to.tscp - from.tscp);
    say_number(" aux ", to.aux);
    say('\n');
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    if (!take_over(image, system->BootServices))
        return EFI_LOAD_ERROR;
    *APIC_LVT_TIMER = LVT_MASKED;
    *APIC_DIVIDE = DIVIDE_BY_1;
    wrmsr(IA32_TSC_AUX, AUX);
    measure("none", 0, 0, ROUNDS_FREE);
    measure("cycles", 0, UINT64_C(6) << 32, ROUNDS_FREE);
    measure("branches", BRANCHES, UINT64_C(6) << 32 | 1, ROUNDS);
    say_text("clocks: end\n");
    power_off();
    return EFI_SUCCESS;
}
