/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.c - each register that is to be left as found, and how it is
 * read. */
#include "tests/silicon/equipment/registers.h"

#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/pt/pt.h"

/* What a processor has besides the model: SDM volume 3A, "Control Registers",
 * "Debug Registers", "Memory-Management Registers", table "Local APIC Register
 * Address Map"; volume 4, "Architectural MSRs". COM1: 16550 data sheet. */
/* clang-format off */
enum register_kind {
    CONTROL, EXTENDED, TABLE, DEBUG, FLAGS, HOST, MODEL, APIC, PORT,
};
/* clang-format on */

#define LVT_CMCI 0x2F0u

static const struct {
    const char *name;
    enum register_kind kind;
    uint32_t number;
} registers[REGISTERS] = {
    {"CR0", CONTROL, 0},
    {"CR3", CONTROL, 3},
    {"CR4", CONTROL, 4},
    {"CR8", CONTROL, 8},
    {"XCR0", EXTENDED, 0},
    {"RFLAGS.IF and DF", FLAGS, 0},
    {"IDTR base", TABLE, 0},
    {"IDTR limit", TABLE, 1},
    {"the IDT", TABLE, 2},
    {"GDTR base", TABLE, 3},
    {"GDTR limit", TABLE, 4},
    {"the GDT", TABLE, 5},
    {"the page tables", TABLE, 6},
    {"DR0", DEBUG, 0},
    {"DR1", DEBUG, 1},
    {"DR2", DEBUG, 2},
    {"DR3", DEBUG, 3},
    {"DR6", DEBUG, 6},
    {"DR7", DEBUG, 7},
    {"IA32_APIC_BASE", HOST, 0x1B},
    {"IA32_SYSENTER_CS", HOST, 0x174},
    {"IA32_SYSENTER_ESP", HOST, 0x175},
    {"IA32_SYSENTER_EIP", HOST, 0x176},
    {"IA32_PAT", HOST, 0x277},
    {"IA32_MTRR_DEF_TYPE", HOST, 0x2FF},
    {"IA32_EFER", HOST, 0xC0000080},
    {"IA32_STAR", HOST, 0xC0000081},
    {"IA32_LSTAR", HOST, 0xC0000082},
    {"IA32_FMASK", HOST, 0xC0000084},
    {"IA32_FS_BASE", HOST, 0xC0000100},
    {"IA32_GS_BASE", HOST, 0xC0000101},
    {"IA32_PERF_GLOBAL_CTRL", MODEL, 0x38F},
    {"IA32_RTIT_CTL", MODEL, 0x570},
    {"the APIC's TPR", APIC, 0x080},
    {"the APIC's LDR", APIC, 0x0D0},
    {"the APIC's spurious vector", APIC, 0x0F0},
    {"LVT CMCI", APIC, LVT_CMCI},
    {"LVT timer", APIC, 0x320},
    {"LVT thermal", APIC, 0x330},
    {"LVT performance counters", APIC, 0x340},
    {"LVT LINT0", APIC, 0x350},
    {"LVT LINT1", APIC, 0x360},
    {"LVT error", APIC, 0x370},
    {"the APIC's divide", APIC, 0x3E0},
    {"the first 8259's mask", PORT, 0x21},
    {"the second 8259's mask", PORT, 0xA1},
};

#define SUM_FACTOR UINT64_C(0x9E3779B97F4A7C15)

/* Nowhere else does QEMU execute as many instructions, most boots over. */
uint64_t register_sum(const void *data, size_t bytes, uint64_t mask)
{
    const uint64_t *words = data;
    uint64_t sum = 1;

#pragma GCC unroll 16
    for (size_t n = 0; n < bytes / 8; n++)
        sum = (sum ^ (words[n] & mask)) * SUM_FACTOR;
    return sum | 1;
}

#define TABLE_ENTRIES 512
#define ENTRY_PRESENT UINT64_C(1)
#define ENTRY_LARGE   UINT64_C(0x80)
#define ENTRY_ADDRESS UINT64_C(0x000FFFFFFFFFF000)
#define ENTRY_NOTED   UINT64_C(0x60) /* Accessed, Dirty: the processor's */

/* The tables that CR3 leads to. SDM volume 3A, "4-Level Paging and 5-Level
 * Paging". */
static uint64_t sum_tables(const uint64_t *table, unsigned level)
{
    uint64_t sum = 1, large = ENTRY_LARGE;

#pragma GCC unroll 16
    for (unsigned n = 0; n < TABLE_ENTRIES; n++) {
        sum = (sum ^ (table[n] & ~ENTRY_NOTED)) * SUM_FACTOR;
        large &= table[n]; /* do all of them lead to pages? */
    }
    for (unsigned n = 0; level > 1 && large == 0 && n < TABLE_ENTRIES; n++)
        if ((table[n] & (ENTRY_PRESENT | ENTRY_LARGE)) == ENTRY_PRESENT)
            sum = sum * 3 ^
                  sum_tables((const uint64_t *)(table[n] & ENTRY_ADDRESS),
                             level - 1);
    return sum;
}

static uint64_t read_control(uint32_t number)
{
    uint64_t value;

    switch (number) {
    case 0:
        __asm__ volatile("mov %%cr0, %0" : "=r"(value));
        break;
    case 3:
        __asm__ volatile("mov %%cr3, %0" : "=r"(value));
        break;
    case 4:
        __asm__ volatile("mov %%cr4, %0" : "=r"(value));
        break;
    default:
        __asm__ volatile("mov %%cr8, %0" : "=r"(value));
    }
    return value;
}

/* Reading a register that an APIC has not is an error in its ESR. SDM volume
 * 3A, "Local APIC Version Register", Max LVT Entry; "Local Vector Table". */
static bool apic_has_cmci(void)
{
    return ((apic_read(rdmsr(IA32_APIC_BASE), 0x030) >> 16) & 0xFF) >= 6;
}

/* XGETBV needs CR4.OSXSAVE. */
static uint64_t read_xcr0(void)
{
    uint32_t out[4], low, high;
    uint64_t cr4 = read_control(4);

    cpuid(1, 0, out);
    if ((out[2] & LEAF1_ECX_XSAVE) == 0)
        return 0;
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | CR4_OSXSAVE));
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4));
    return (uint64_t)high << 32 | low;
}

static uint64_t read_debug(uint32_t number)
{
    uint64_t at[4], value;

    read_breakpoints(at);
    if (number < 4)
        return at[number];
    if (number == 6)
        __asm__ volatile("mov %%dr6, %0" : "=r"(value));
    else
        __asm__ volatile("mov %%dr7, %0" : "=r"(value));
    return value;
}

static uint64_t read_table(uint32_t number)
{
    struct table_register idt, gdt, *r = number < 3 ? &idt : &gdt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    __asm__ volatile("sgdt %0" : "=m"(gdt));
    switch (number) {
    case 0:
    case 3:
        return r->base;
    case 1:
    case 4:
        return r->limit;
    case 6:
        return sum_tables(
            (const uint64_t *)(read_control(3) & ~UINT64_C(0xFFF)), 4);
    default:
        return register_sum((const void *)r->base, r->limit + 1u, UINT64_MAX);
    }
}

bool register_read_model(struct processor *copy, uint32_t number,
                         uint64_t *value)
{
    if (!msr_read(copy, number, value))
        return false;
    *copy = hypervisor.models[copy->index];
    if (number == IA32_RTIT_STATUS) /* software cannot write these */
        *value &= ~(RTIT_FILTER_EN | RTIT_CONTEXT_EN | RTIT_TRIGGER_EN);
    return true;
}

static uint64_t read_model(uint32_t number)
{
    struct processor copy = *vcpu_current()->model;
    uint64_t value = 0;

    register_read_model(&copy, number, &value);
    return value;
}

uint64_t register_read(size_t n)
{
    const uint32_t number = registers[n].number;
    uint64_t value = 0;

    switch (registers[n].kind) {
    case CONTROL:
        return read_control(number);
    case EXTENDED:
        return read_xcr0();
    case TABLE:
        return read_table(number);
    case DEBUG:
        return read_debug(number);
    case FLAGS:
        __asm__ volatile("pushfq; popq %0" : "=r"(value));
        return value & (RFLAGS_IF | RFLAGS_DF);
    case HOST:
        return rdmsr(number);
    case MODEL:
        return read_model(number);
    case APIC:
        if (number == LVT_CMCI && !apic_has_cmci())
            return 0;
        return apic_read(rdmsr(IA32_APIC_BASE), number);
    case PORT:
        break;
    }
    return inb((uint16_t)number);
}

uint32_t register_msr(size_t n)
{
    return registers[n].kind == MODEL ? registers[n].number : 0;
}

bool register_was_garbled(const struct processor *p, uint32_t number,
                          uint64_t was, uint64_t is)
{
    return number == IA32_PERF_GLOBAL_CTRL && p->pmu.disabled3 &&
           was == (is | BIT(3));
}

const char *register_name(size_t n)
{
    return registers[n].name;
}

bool register_is_for_interrupts(size_t n)
{
    return registers[n].kind == FLAGS || registers[n].kind == APIC;
}
