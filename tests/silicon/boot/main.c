/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * main.c - silicon.efi: reads its configuration, takes the machine into a
 * guest that sees the configured Intel processor, and starts the application
 * there. All that does not depend on the configuration comes before it is
 * read, so that a snapshot taken while it waits starts fast.
 */
#include <efi.h>

#include "tests/silicon/boot/config.h"
#include "tests/silicon/boot/config_source.h"
#include "tests/silicon/boot/figures.h"
#include "tests/silicon/boot/file_path.h"
#include "tests/silicon/boot/ivshmem_disk.h"
#include "tests/silicon/boot/mp_services.h"
#include "tests/silicon/boot/pm_timer.h"
#include "tests/silicon/boot/resident.h"
#include "tests/silicon/boot/start_time.h"
#include "tests/silicon/equipment/restored.h"
#include "tests/silicon/equipment/sweep.h"

#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/tsx/tsx.h"
#include "tests/silicon/hypervisor/processors/processors.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/host/x86.h"
#include "tests/silicon/model/text.h"

#define FW_CFG_CONFIG  "opt/tsxpmu/silicon"
#define FILE_CONFIG    "\\silicon.cfg"
#define APP_BESIDE     "\\tsxpmu.efi" /* silicon.efi, on one volume */
#define APP_OF_STICK   "\\EFI\\BOOT\\BOOTX64.EFI"
#define TABLE_PAGES    96  /* for each table of a processor */
#define OS_TABLE_PAGES 520 /* the same, for an operating system */
#define TX_TABLE_PAGES 48
#define STACK_PAGES    8
#define FOUR_GIB       (UINT64_C(1) << 32)
#define POLL_US        1000

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

struct hypervisor hypervisor;

static EFI_SYSTEM_TABLE *st;
static EFI_BOOT_SERVICES *bs;
static struct cache_state *caches;
static uint8_t *empty_page; /* a page: x2apic_start() */
static EFI_HANDLE volume;
static bool from_shared_disk;
static struct config config;

static void power_off(void) __attribute__((noreturn));
static void power_off(void)
{
    st->RuntimeServices->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
    for (;;)
        cpu_pause();
}

static void fail(const char *what, const char *detail)
{
    char line[160];
    struct text t;

    text_start(&t, line, sizeof(line));
    text_add(&t, "error: ");
    text_add(&t, what);
    text_add(&t, detail);
    log_print(line);
    power_off();
}

/* Memory that is never freed, cleared. */
static void *allocate_pages(size_t count)
{
    EFI_PHYSICAL_ADDRESS at;

    if (EFI_ERROR(bs->AllocatePages(AllocateAnyPages, EfiRuntimeServicesData,
                                    count, &at)))
        fail("out of memory", "");
    __builtin_memset((void *)at, 0, count * PAGE_BYTES);
    return (void *)at;
}

static size_t pages_for(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
}

/* AMD64 APM volume 2, "Enabling SVM"; nested paging is 8000000AH:EDX[0]. */
static void check_host(void)
{
    uint32_t out[4];

    cpuid(0x80000001u, 0, out);
    if ((out[2] & 4) == 0)
        fail("this processor has no AMD-V", " (QEMU: -cpu with svm and npt)");
    cpuid(0x8000000Au, 0, out);
    if ((out[3] & 1) == 0)
        fail("no nested paging", " (QEMU: -cpu with npt)");
    if ((rdmsr(MSR_VM_CR) & VM_CR_SVMDIS) != 0)
        fail("AMD-V has been disabled by the firmware", "");
}

static bool is_ram(UINT32 type)
{
    return type != EfiReservedMemoryType && type != EfiUnusableMemory &&
           type != EfiMemoryMappedIO && type != EfiMemoryMappedIOPortSpace;
}

static void find_ram(void)
{
    static UINT8 map[32768];
    UINTN bytes = sizeof(map), key, each;
    UINT32 version;

    if (EFI_ERROR(bs->GetMemoryMap(&bytes, (EFI_MEMORY_DESCRIPTOR *)map, &key,
                                   &each, &version)))
        fail("memory map too large", "");
    for (UINTN at = 0; at < bytes; at += each) {
        const EFI_MEMORY_DESCRIPTOR *d = (EFI_MEMORY_DESCRIPTOR *)(map + at);
        uint64_t end = d->PhysicalStart + d->NumberOfPages * PAGE_BYTES;
        unsigned n = hypervisor.ram_ranges;

        if (!is_ram(d->Type))
            continue;
        if (n > 0 && hypervisor.ram[n - 1].end == d->PhysicalStart) {
            hypervisor.ram[n - 1].end = end;
        } else if (n < RAM_RANGES_MAX) {
            hypervisor.ram[n].start = d->PhysicalStart;
            hypervisor.ram[n].end = end;
            hypervisor.ram_ranges++;
        }
    }
}

static void start_table(struct npt *t, size_t pages, uint64_t flags)
{
    npt_start(t, allocate_pages(pages), pages,
              NPT_PRESENT | NPT_WRITE | NPT_USER | flags);
    for (uint64_t at = 0; at < FOUR_GIB; at += UINT64_C(0x200000))
        npt_fill(t, at);
}

static void start_vcpu(struct vcpu *v, struct processor *model)
{
    uint8_t *stack = allocate_pages(STACK_PAGES);

    v->vmcb = allocate_pages(2); /* and the host's save area */
    v->vmcb_address = (uint64_t)v->vmcb;
    v->host_stack = (uint64_t)(stack + STACK_PAGES * PAGE_BYTES);
    v->model = model;
    start_table(&v->pages_free, TABLE_PAGES, 0);
    start_table(&v->pages_step, TABLE_PAGES, 0);
    start_table(&v->pages_catch, TABLE_PAGES, NPT_NX);
    v->tx.shadow = allocate_pages(TX_PAGES_OPEN);
    lines_start(&v->tx.lines,
                allocate_pages(pages_for(LINE_ENTRIES * sizeof(uint64_t))));
    v->tx.undo =
        allocate_pages(pages_for(UNDO_LINES * sizeof(struct undo_line)));
    for (unsigned n = 0; n < OVERLAYS_MAX; n++) {
        v->overlays[n].copy = allocate_pages(1);
        v->overlays[n].before = allocate_pages(1);
    }
    v->direct.root = allocate_pages(1);
    v->code_page = UINT64_MAX;
    npt_start(&v->tx_pages, allocate_pages(TX_TABLE_PAGES), TX_TABLE_PAGES, 0);
}

/* A processor takes the right to store away from all. */
static void start_os_tables(struct vcpu *v)
{
    start_table(&v->pages_free, OS_TABLE_PAGES, 0);
    start_table(&v->pages_step, OS_TABLE_PAGES, 0);
    start_table(&v->pages_catch, OS_TABLE_PAGES, NPT_NX);
    v->blocks.known =
        allocate_pages(pages_for(BLOCKS_KNOWN * sizeof(struct block)));
    v->blocks.code = allocate_pages(pages_for(BLOCKS_KNOWN * BLOCK_CODE_BYTES));
}

/* What does not depend on the configuration. */
static void prepare(void)
{
    struct hypervisor *h = &hypervisor;

    resident_note(h);
    h->processors = mp_find(bs);
    h->msr_map = allocate_pages(2);
    h->io_map = allocate_pages(3);
    msr_map_fill(h->msr_map);
    h->models =
        allocate_pages(pages_for(h->processors * sizeof(struct processor)));
    h->vcpus = allocate_pages(pages_for(h->processors * sizeof(struct vcpu)));
    for (unsigned n = 0; n < h->processors; n++)
        start_vcpu(&h->vcpus[n], &h->models[n]);
    caches = allocate_pages(pages_for(cache_bytes(h->processors)));
    find_ram();
    if (!host_tables_prepare(allocate_pages))
        fail("more memory than silicon has page tables for", "");
    restored_prepare(allocate_pages);
    empty_page = allocate_pages(1);
    apic_base_prepare(empty_page);
    if (!mp_start())
        fail("the firmware does not let other processors stay", "");
}

/* The disk in shared memory, or where silicon.efi was loaded from. */
static void find_volume(EFI_HANDLE image)
{
    EFI_GUID image_guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *self;

    volume = ivshmem_disk_find(bs);
    from_shared_disk = volume != NULL;
    if (!from_shared_disk &&
        !EFI_ERROR(bs->HandleProtocol(image, &image_guid, (VOID **)&self)))
        volume = self->DeviceHandle;
}

static bool is_wait(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        length--;
    return length == 4 && text[0] == 'w' && text[1] == 'a' && text[2] == 'i' &&
           text[3] == 't';
}

/* From fw_cfg, as soon as it is there. False: there is none. */
static bool ask_qemu(char *text, size_t size, UINTN *bytes)
{
    bool waited;

    if (!fw_cfg_read(FW_CFG_CONFIG, text, size, bytes))
        return false;
    waited = is_wait(text, *bytes);
    if (waited)
        log_print("ready");
    while (is_wait(text, *bytes)) {
        bs->Stall(POLL_US);
        fw_cfg_read(FW_CFG_CONFIG, text, size, bytes);
    }
    /* The snapshot may have been taken between the file's length and its
     * bytes: those of the next reading belong together. */
    if (waited)
        fw_cfg_read(FW_CFG_CONFIG, text, size, bytes);
    return true;
}

/* A snapshot taken meanwhile has not seen the volume yet. */
static void read_config(EFI_HANDLE image)
{
    static char text[SOURCE_TEXT_MAX];
    VOID *file = text;
    UINTN bytes = 0;
    char *line;
    bool asked = ask_qemu(text, sizeof(text), &bytes);

    find_volume(image);
    if (!asked &&
        EFI_ERROR(volume_read_file(bs, volume, FILE_CONFIG, &file, &bytes)))
        bytes = 0;
    bool good = config_parse(&config, file, bytes);
    for (line = config.message; *line != '\0';) {
        char *end = line;

        while (*end != '\n')
            end++;
        *end = '\0';
        log_print(line);
        line = end + 1;
    }
    if (!good)
        power_off();
}

static EFI_HANDLE load_app(EFI_HANDLE parent, EFI_LOADED_IMAGE **loaded)
{
    static CHAR16 options[CONFIG_OPTIONS_MAX];
    EFI_GUID guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *app;
    EFI_HANDLE handle = NULL;
    const char *name = config.app;
    UINTN n = 0;

    if (*name == '\0')
        name = from_shared_disk ? APP_OF_STICK : APP_BESIDE;
    if (EFI_ERROR(bs->LoadImage(FALSE, parent,
                                file_path(bs, volume, name, allocate_pages),
                                NULL, 0, &handle)) ||
        EFI_ERROR(bs->HandleProtocol(handle, &guid, (VOID **)&app)))
        fail("cannot load ", name);
    for (; config.options[n] != '\0'; n++)
        options[n] = (CHAR16)config.options[n];
    app->LoadOptions = options;
    app->LoadOptionsSize = (UINT32)(n > 0 ? 2 * (n + 1) : 0);
    code_pages_mark(app->ImageBase, app->ImageSize);
    *loaded = app;
    return handle;
}

static void print_banner(void)
{
    char line[200];
    struct text t;

    text_start(&t, line, sizeof(line));
    text_add(&t, "simulated processor ");
    text_add(&t, config.machine.cpu->name);
    text_add(&t, ", seed ");
    text_add_unsigned(&t, config.machine.seed);
    text_add(&t, ", fault ");
    text_add(&t, fault_name(config.machine.fault));
    text_add(&t, config.machine.smt ? ", smt on, " : ", smt off, ");
    text_add(&t, config.machine.x2apic ? "x2APIC, " : "");
    text_add(&t, config.mp_blocking ? "MP services blocking, processors "
                                    : "processors ");
    text_add_unsigned(&t, hypervisor.processors);
    log_print(line);
}

/* As after power-on. Nothing runs on the other processors. */
static void reset_machine(void)
{
    struct hypervisor *h = &hypervisor;

    machine_start(&h->machine, &config.machine, h->processors);
    cache_start(&h->machine, caches);
    h->machine.uncore.tsc = time_tsc_of_first;
    for (unsigned n = 0; n < h->processors; n++) {
        processor_start(&h->models[n], &h->machine, n, h->apic_ids[n]);
        h->vcpus[n].measure = config.figures;
    }
}

/* In the guest. */
static void run_app(EFI_HANDLE app, const EFI_LOADED_IMAGE *loaded)
{
    restored_begin(bs, loaded->ImageBase, loaded->ImageSize, config.memory);
    sweep_begin(loaded->ImageBase, loaded->ImageSize);
    bs->StartImage(app, NULL, NULL);
    restored_end(bs);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
    struct hypervisor *h = &hypervisor;
    EFI_LOADED_IMAGE *loaded;

    if (!resident_is())
        return resident_go_on(image, table, efi_main);
    st = table;
    bs = table->BootServices;
    check_host();
    prepare();
    read_config(image);
    h->lost = config.lost;
    h->stuck = config.stuck;
    h->x2apic = config.machine.x2apic;
    h->mp_blocking = config.mp_blocking;
    h->late_timer = config.late_timer;
    h->for_os = config.machine.os;
    h->pm_timer = pm_timer_find(table);
    for (unsigned n = 0; h->for_os && n < h->processors; n++)
        start_os_tables(&h->vcpus[n]);
    if (h->x2apic && !x2apic_start(empty_page))
        fail("no more pages for nested tables", "");
    reset_machine();
    sweep_prepare(bs, volume, &config.sweep);
    mp_replace();
    resident_watch(bs);
    print_banner();
    if (turns_start(config.turns))
        start_time_wait(bs, config.offset);

    vcpu_enter(vcpu_current());
    /* From here on this code, too, runs in the guest. */
    do {
        reset_machine();
        EFI_HANDLE app = load_app(image, &loaded);
        run_app(app, loaded);
    } while (sweep_end());
    if (config.figures)
        figures_print(bs);
    power_off();
}
