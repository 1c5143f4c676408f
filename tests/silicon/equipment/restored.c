/* SPDX-License-Identifier: BSD-2-Clause */
/* restored.c - reads a machine's state twice and compares. */
#include "tests/silicon/equipment/restored.h"

#include "tests/silicon/equipment/registers.h"
#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/msr.h"
#include "tests/silicon/model/counters/pmu_msr.h"
#include "tests/silicon/model/text.h"

#define MSRS           0x2000u /* the model's are all below */
#define MEMORY_MAP_MAX 32768
#define LINES_MAX      12 /* differences reported of each kind */
#define ALLOCATED_MAX  256
#define RAM_END        (UINT64_C(1) << 32)

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

/* What was allocated in between may change, even when it is free again. What
 * the application frees the firmware gets with the next start: some fills it,
 * byte by byte, which is a third of a short boot. */
static struct {
    uint64_t start, end;
    bool by_app, is_free;
} allocated[ALLOCATED_MAX];
static unsigned allocations;
static EFI_ALLOCATE_PAGES allocate_pages;
static EFI_FREE_PAGES free_pages;

static bool of_image(uint64_t at)
{
    return at + PAGE_BYTES > (uint64_t)image &&
           at < (uint64_t)image + image_bytes;
}

static bool of_silicon(uint64_t at)
{
    return at + PAGE_BYTES > hypervisor.image && at < hypervisor.image_end;
}

static EFI_STATUS EFIAPI allocate_noted(EFI_ALLOCATE_TYPE type,
                                        EFI_MEMORY_TYPE memory, UINTN count,
                                        EFI_PHYSICAL_ADDRESS *at)
{
    EFI_STATUS status = allocate_pages(type, memory, count, at);

    if (!EFI_ERROR(status) && allocations < ALLOCATED_MAX) {
        allocated[allocations].by_app =
            of_image((uint64_t)__builtin_return_address(0));
        allocated[allocations].is_free = false;
        allocated[allocations].start = *at;
        allocated[allocations++].end = *at + count * PAGE_BYTES;
    }
    return status;
}

static EFI_STATUS EFIAPI free_noted(EFI_PHYSICAL_ADDRESS at, UINTN count)
{
    for (unsigned n = 0; n < allocations; n++)
        if (allocated[n].by_app && !allocated[n].is_free &&
            allocated[n].start == at &&
            allocated[n].end == at + count * PAGE_BYTES) {
            allocated[n].is_free = true;
            return EFI_SUCCESS;
        }
    return free_pages(at, count);
}

static uint64_t pages_of(unsigned n)
{
    return (allocated[n].end - allocated[n].start) / PAGE_BYTES;
}

static uint64_t pages_unfreed(void)
{
    uint64_t count = 0;

    for (unsigned n = 0; n < allocations; n++)
        if (allocated[n].by_app && !allocated[n].is_free)
            count += pages_of(n);
    return count;
}

/* Of the application before, if any. */
static void free_all(void)
{
    for (unsigned n = 0; n < allocations; n++)
        if (allocated[n].is_free)
            free_pages(allocated[n].start, (UINTN)pages_of(n));
    allocations = 0;
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
        k->at[n] = register_read(n);
    k->inside = true;
}

/* Between two jobs of a test, or given back: no counter more than at first. */
static bool is_off(const struct baseline *k, size_t n, uint64_t is)
{
    return register_msr(n) == IA32_PERF_GLOBAL_CTRL &&
           (is & ~k->msr[IA32_PERF_GLOBAL_CTRL]) == 0;
}

/* all: false, only what interrupts need. */
static void compare_registers(const struct vcpu *v, bool all)
{
    struct baseline *k = &baselines[v->model->index];

    for (size_t n = 0; n < REGISTERS; n++) {
        uint64_t is;

        if (!all && !register_is_for_interrupts(n))
            continue;
        is = register_read(n);
        if (is != k->at[n] && !is_off(k, n, is) && k->reported++ < LINES_MAX)
            report_difference(v, register_name(n), 0, k->at[n], is);
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
                !of_image(d->PhysicalStart + n * PAGE_BYTES) &&
                !of_silicon(d->PhysicalStart + n * PAGE_BYTES))
                page(d->PhysicalStart + n * PAGE_BYTES, d->Type);
    }
}

static void sum_page(uint64_t at, UINT32 type)
{
    (void)type;
    if (at < RAM_END && at != 0)
        sums[at / PAGE_BYTES] =
            register_sum((const void *)at, PAGE_BYTES, UINT64_MAX);
}

static unsigned pages_compared, pages_reported;

static void compare_page(uint64_t at, UINT32 type)
{
    uint64_t is;

    if (at >= RAM_END || sums[at / PAGE_BYTES] == 0 || was_allocated(at))
        return; /* it was of another type then */
    pages_compared++;
    is = register_sum((const void *)at, PAGE_BYTES, UINT64_MAX);
    if (is != sums[at / PAGE_BYTES] && pages_reported++ < LINES_MAX)
        report_difference(NULL, "memory at (type, address)", (uint32_t)type, at,
                          is);
}

static void read_msrs(unsigned p)
{
    struct processor copy = hypervisor.models[p];

    for (uint32_t n = 0; n < MSRS; n++)
        baselines[p].readable[n] =
            n != MSR_SMI_COUNT &&
            register_read_model(&copy, n, &baselines[p].msr[n]);
}

void restored_begin(EFI_BOOT_SERVICES *bs, const void *base, uint64_t bytes,
                    bool memory)
{
    image = base;
    image_bytes = bytes;
    with_memory = memory;
    free_all();
    pages_compared = pages_reported = 0;
    allocate_pages = bs->AllocatePages;
    bs->AllocatePages = allocate_noted;
    free_pages = bs->FreePages;
    bs->FreePages = free_noted;
    for (unsigned p = 0; p < hypervisor.processors; p++) {
        baselines[p].reported = baselines[p].compared = 0;
        baselines[p].inside = false;
        read_msrs(p);
    }
    if (memory)
        for_each_page(bs, sum_page);
    restored_enter(vcpu_current());
}

/* Returns how many were compared. */
static unsigned compare_msrs(unsigned p, unsigned *reported)
{
    struct processor copy = hypervisor.models[p];
    unsigned count = 0;

    for (uint32_t n = 0; n < MSRS; n++) {
        uint64_t is = 0;

        count += baselines[p].readable[n];
        if (baselines[p].readable[n] &&
            (!register_read_model(&copy, n, &is) ||
             is != baselines[p].msr[n]) &&
            !register_was_garbled(&copy, n, baselines[p].msr[n], is) &&
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
