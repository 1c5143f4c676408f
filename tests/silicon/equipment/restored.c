/* SPDX-License-Identifier: BSD-2-Clause */
/* restored.c - reads a machine's state twice and compares. */
#include "tests/silicon/equipment/restored.h"

#include "tests/silicon/hypervisor/x86.h"
#include "tests/silicon/model/cpuid.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/pt.h"
#include "tests/silicon/model/text.h"

#define MSRS           0x2000u /* the model's are all below */
#define MEMORY_MAP_MAX 32768
#define LINES_MAX      12 /* differences reported of each kind */
#define ALLOCATED_MAX  256
#define RAM_END        (UINT64_C(1) << 32)

/* What a processor has besides the model: SDM volume 3A, "Control Registers",
 * "Debug Registers", "Memory-Management Registers", table "Local APIC Register
 * Address Map"; volume 4, "Architectural MSRs". COM1: 16550 data sheet. */
/* clang-format off */
enum register_kind {
    CONTROL, EXTENDED, TABLE, DEBUG, FLAGS, HOST, MODEL, APIC, PORT,
};
/* clang-format on */

static const struct {
    const char *name;
    enum register_kind kind;
    uint32_t number;
} registers[] = {
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
    {"LVT CMCI", APIC, 0x2F0},
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
#define REGISTERS (sizeof(registers) / sizeof(registers[0]))

struct baseline {
    uint64_t msr[MSRS];
    bool readable[MSRS];
    uint64_t at[REGISTERS];
    unsigned reported, compared; /* of its registers, all calls */
    bool inside;                 /* entered, and not left */
};

static struct baseline *baselines; /* one a processor */
static uint64_t *sums;             /* of each page; 0: not compared */
static const uint8_t *image;
static uint64_t image_bytes;
static bool with_memory;

/* What was allocated in between may change, even when it is free again. */
static struct {
    uint64_t start, end;
    bool unfreed; /* by the application */
} allocated[ALLOCATED_MAX];
static unsigned allocations;
static EFI_ALLOCATE_PAGES allocate_pages;
static EFI_FREE_PAGES free_pages;

static bool of_image(uint64_t at)
{
    return at + PAGE_BYTES > (uint64_t)image &&
           at < (uint64_t)image + image_bytes;
}

static EFI_STATUS EFIAPI allocate_noted(EFI_ALLOCATE_TYPE type,
                                        EFI_MEMORY_TYPE memory, UINTN count,
                                        EFI_PHYSICAL_ADDRESS *at)
{
    EFI_STATUS status = allocate_pages(type, memory, count, at);

    if (!EFI_ERROR(status) && allocations < ALLOCATED_MAX) {
        allocated[allocations].unfreed =
            of_image((uint64_t)__builtin_return_address(0));
        allocated[allocations].start = *at;
        allocated[allocations++].end = *at + count * PAGE_BYTES;
    }
    return status;
}

static EFI_STATUS EFIAPI free_noted(EFI_PHYSICAL_ADDRESS at, UINTN count)
{
    EFI_STATUS status = free_pages(at, count);

    for (unsigned n = 0; !EFI_ERROR(status) && n < allocations; n++)
        if (allocated[n].start == at &&
            allocated[n].end == at + count * PAGE_BYTES)
            allocated[n].unfreed = false;
    return status;
}

static uint64_t pages_unfreed(void)
{
    uint64_t count = 0;

    for (unsigned n = 0; n < allocations; n++)
        if (allocated[n].unfreed)
            count += (allocated[n].end - allocated[n].start) / PAGE_BYTES;
    return count;
}

static bool was_allocated(uint64_t at)
{
    for (unsigned n = 0; n < allocations; n++)
        if (at >= allocated[n].start && at < allocated[n].end)
            return true;
    return false;
}

void restored_prepare(void *(*pages)(size_t count))
{
    size_t bytes = hypervisor.processors * sizeof(struct baseline);
    uint64_t end = 0;

    for (unsigned n = 0; n < hypervisor.ram_ranges; n++)
        if (hypervisor.ram[n].end <= RAM_END && hypervisor.ram[n].end > end)
            end = hypervisor.ram[n].end;
    baselines = pages((bytes + PAGE_BYTES - 1) / PAGE_BYTES);
    sums = pages((size_t)(end / PAGE_BYTES * sizeof(*sums) / PAGE_BYTES + 1));
}

static uint64_t sum_of(const void *data, size_t bytes, uint64_t mask)
{
    const uint64_t *words = data;
    uint64_t sum = 1;

    /* Nowhere else does QEMU execute as many instructions, most boots over. */
#pragma GCC unroll 16
    for (size_t n = 0; n < bytes / 8; n++)
        sum = (sum ^ (words[n] & mask)) * UINT64_C(0x9E3779B97F4A7C15);
    return sum | 1;
}

/* The tables that CR3 leads to, without their Accessed and Dirty bits. SDM
 * volume 3A, "4-Level Paging and 5-Level Paging". */
static uint64_t sum_tables(const uint64_t *table, unsigned level)
{
    const uint64_t address = UINT64_C(0x000FFFFFFFFFF000);
    uint64_t sum = sum_of(table, PAGE_BYTES, ~UINT64_C(0x60));

    for (unsigned n = 0; level > 1 && n < 512; n++)
        if ((table[n] & 0x81) == 1) /* present, and not a large page */
            sum = sum * 3 ^
                  sum_tables((const uint64_t *)(table[n] & address), level - 1);
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
        return sum_of((const void *)r->base, r->limit + 1u, UINT64_MAX);
    }
}

/* What only events change is not compared (MSR_SMI_COUNT: each SMI).
 * Reading may change what the model is to do next: a copy is read. */
static bool read_model_msr(unsigned processor, uint32_t number, uint64_t *value)
{
    struct processor copy = hypervisor.models[processor];
    bool good = msr_read(&copy, number, value);

    if (number == IA32_RTIT_STATUS) /* software cannot write these */
        *value &= ~(RTIT_FILTER_EN | RTIT_CONTEXT_EN | RTIT_TRIGGER_EN);
    return good;
}

static uint64_t read_register(enum register_kind kind, uint32_t number)
{
    uint64_t value = 0;

    switch (kind) {
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
        read_model_msr(vcpu_current()->model->index, number, &value);
        return value;
    case APIC:
        return apic_read(rdmsr(IA32_APIC_BASE), number);
    case PORT:
        break;
    }
    return inb((uint16_t)number);
}

static void report_difference(const struct vcpu *v, const char *name,
                              uint32_t msr, uint64_t was, uint64_t is)
{
    char line[160];
    struct text t;

    text_start(&t, line, sizeof(line));
    text_add(&t, "error: not left as found: ");
    if (v != NULL) {
        text_add(&t, "processor ");
        text_add_unsigned(&t, v->model->index);
        text_add(&t, ", ");
    }
    text_add(&t, name);
    if (msr != 0)
        text_add_hex(&t, msr);
    text_add(&t, msr != 0 ? "H was " : " was ");
    text_add_hex(&t, was);
    text_add(&t, "H, is ");
    text_add_hex(&t, is);
    text_add(&t, "H");
    log_print(line);
}

void restored_enter(const struct vcpu *v)
{
    struct baseline *k = &baselines[v->model->index];

    for (size_t n = 0; n < REGISTERS; n++)
        k->at[n] = read_register(registers[n].kind, registers[n].number);
    k->inside = true;
}

/* all: false, only what interrupts need. */
static void compare_registers(const struct vcpu *v, bool all)
{
    struct baseline *k = &baselines[v->model->index];

    for (size_t n = 0; n < REGISTERS; n++) {
        enum register_kind kind = registers[n].kind;
        uint64_t is;

        if (!all && kind != FLAGS && kind != APIC)
            continue;
        is = read_register(kind, registers[n].number);
        if (is != k->at[n] && k->reported++ < LINES_MAX)
            report_difference(v, registers[n].name, 0, k->at[n], is);
        k->compared++;
    }
}

void restored_leave(const struct vcpu *v)
{
    compare_registers(v, true);
    baselines[v->model->index].inside = false;
}

void restored_call(const struct vcpu *v)
{
    if (baselines[v->model->index].inside)
        compare_registers(v, false);
}

static bool is_compared(UINT32 type)
{
    return type == EfiConventionalMemory || type == EfiReservedMemoryType ||
           type == EfiACPIReclaimMemory || type == EfiACPIMemoryNVS ||
           type == EfiRuntimeServicesCode;
}

/* Calls with each page of memory that is compared. */
static void for_each_page(EFI_BOOT_SERVICES *bs,
                          void (*page)(uint64_t at, UINT32 type))
{
    static UINT8 map[MEMORY_MAP_MAX];
    UINTN bytes = sizeof(map), key, each;
    UINT32 version;

    if (EFI_ERROR(bs->GetMemoryMap(&bytes, (EFI_MEMORY_DESCRIPTOR *)map, &key,
                                   &each, &version))) {
        log_print("error: memory map too large");
        return;
    }
    for (UINTN at = 0; at < bytes; at += each) {
        const EFI_MEMORY_DESCRIPTOR *d = (EFI_MEMORY_DESCRIPTOR *)(map + at);

        for (UINT64 n = 0; is_compared(d->Type) && n < d->NumberOfPages; n++)
            if (guest_is_ram(d->PhysicalStart + n * PAGE_BYTES) &&
                !of_image(d->PhysicalStart + n * PAGE_BYTES))
                page(d->PhysicalStart + n * PAGE_BYTES, d->Type);
    }
}

static void sum_page(uint64_t at, UINT32 type)
{
    (void)type;
    if (at < RAM_END && at != 0)
        sums[at / PAGE_BYTES] =
            sum_of((const void *)at, PAGE_BYTES, UINT64_MAX);
}

static unsigned pages_compared, pages_reported;

static void compare_page(uint64_t at, UINT32 type)
{
    uint64_t is;

    if (at >= RAM_END || sums[at / PAGE_BYTES] == 0 || was_allocated(at))
        return; /* it was of another type then */
    pages_compared++;
    is = sum_of((const void *)at, PAGE_BYTES, UINT64_MAX);
    if (is != sums[at / PAGE_BYTES] && pages_reported++ < LINES_MAX)
        report_difference(NULL, "memory at (type, address)", (uint32_t)type, at,
                          is);
}

void restored_begin(EFI_BOOT_SERVICES *bs, const void *base, uint64_t bytes,
                    bool memory)
{
    image = base;
    image_bytes = bytes;
    with_memory = memory;
    pages_compared = pages_reported = allocations = 0;
    allocate_pages = bs->AllocatePages;
    bs->AllocatePages = allocate_noted;
    free_pages = bs->FreePages;
    bs->FreePages = free_noted;
    for (unsigned p = 0; p < hypervisor.processors; p++) {
        baselines[p].reported = baselines[p].compared = 0;
        baselines[p].inside = false;
        for (uint32_t n = 0; n < MSRS; n++)
            baselines[p].readable[n] =
                n != MSR_SMI_COUNT &&
                read_model_msr(p, n, &baselines[p].msr[n]);
    }
    if (memory)
        for_each_page(bs, sum_page);
    restored_enter(vcpu_current());
}

/* Returns how many were compared. */
static unsigned compare_msrs(unsigned p, unsigned *reported)
{
    unsigned count = 0;

    for (uint32_t n = 0; n < MSRS; n++) {
        uint64_t is = 0;

        count += baselines[p].readable[n];
        if (baselines[p].readable[n] &&
            (!read_model_msr(p, n, &is) || is != baselines[p].msr[n]) &&
            (*reported)++ < LINES_MAX)
            report_difference(&hypervisor.vcpus[p], "MSR ", n,
                              baselines[p].msr[n], is);
    }
    return count;
}

static void add_count(struct text *t, unsigned count, const char *what)
{
    text_add_unsigned(t, count);
    text_add(t, what);
}

void restored_end(EFI_BOOT_SERVICES *bs)
{
    unsigned msrs = 0, values = 0, reported = 0;
    char line[200];
    struct text t;

    bs->AllocatePages = allocate_pages;
    bs->FreePages = free_pages;
    restored_leave(vcpu_current());
    for (unsigned p = 0; p < hypervisor.processors; p++) {
        msrs += compare_msrs(p, &reported);
        values += baselines[p].compared;
        reported += baselines[p].reported;
        if (baselines[p].inside)
            report_difference(&hypervisor.vcpus[p],
                              "the processor, which has not come back,", 0, 0,
                              1);
        reported += baselines[p].inside;
    }
    if (with_memory)
        for_each_page(bs, compare_page);
    reported += pages_reported;
    if (pages_unfreed() != 0) {
        report_difference(NULL, "pages that the application has taken", 0, 0,
                          pages_unfreed());
        reported++;
    }
    text_start(&t, line, sizeof(line));
    text_add(&t, reported == 0 ? "left as found: " : "compared: ");
    add_count(&t, msrs, " MSRs, ");
    add_count(&t, values, " registers and tables, ");
    add_count(&t, pages_compared, " pages of memory; ");
    add_count(&t, reported, " differ");
    log_print(line);
}
