/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serial_find.c - finds a serial port.
 *
 * ACPI specification, "Root System Description Pointer (RSDP)", "Extended
 * System Description Table (XSDT)"; UEFI specification, "EFI PCI I/O Protocol";
 * PCI Local Bus Specification, "Class Codes", "Base Addresses".
 */
#include "efi/serial_find.h"

#include "efi/bsp_jobs.h"
#include "efi/platform.h"
#include "src/base/mem.h"
#include "src/base/text.h"
#include "src/serial/spcr.h"

#include <efipciio.h>

#define RSDP_BYTES     36
#define RSDP_REVISION  15
#define RSDP_RSDT      16
#define RSDP_XSDT      24
#define PCI_CLASS      0x08 /* a dword: class, subclass, interface, revision */
#define PCI_BAR0       0x10
#define CLASS_SERIAL   0x0700
#define INTERFACE_LAST 0x06 /* 16550 and what is compatible with it */
#define BAR_IO         1u
#define BAR_64         4u

struct candidate {
    const struct uart *uart;
    bool (*answers)(const struct uart *uart);
    bool good;
};

/* The port in use, as it was. */
static struct {
    bool changed;
    struct uart uart;
    struct uart_saved saved;
    EFI_PCI_IO *pci; /* whose decoding was off; NULL: none */
    UINT64 decode;
} before;

/* As a job: an address at which there is nothing raises an exception. */
static void try_job(unsigned processor, void *context)
{
    struct candidate *candidate = context;

    (void)processor;
    if (!candidate->answers(candidate->uart))
        return;
    before.uart = *candidate->uart;
    uart_save(&before.uart, &before.saved);
    before.changed = true;
    uart_set_up(candidate->uart);
    candidate->good = true;
}

static void give_back_job(unsigned processor, void *context)
{
    (void)processor, (void)context;
    uart_restore(&before.uart, &before.saved);
}

static void stop_decoding(void)
{
    if (before.pci != NULL)
        (void)before.pci->Attributes(
            before.pci, EfiPciIoAttributeOperationDisable, before.decode, NULL);
    before.pci = NULL;
}

void serial_give_back(void)
{
    struct hw_result result;

    if (before.changed)
        bsp_run(&result, give_back_job, NULL);
    before.changed = false;
    stop_decoding();
}

static bool port_works(const struct uart *uart, bool probe)
{
    struct candidate candidate = {uart, probe ? uart_probe : uart_answers,
                                  false};
    struct hw_result result;

    bsp_run(&result, try_job, &candidate);
    return result.end == HW_DONE && candidate.good;
}

static void warn_no_answer(struct warnings *warnings, const char *how,
                           const struct uart *uart)
{
    char line[WARNING_BYTES], name[UART_TEXT_BYTES];

    text_format(line, sizeof(line), "serial port of %s: nothing answers: %s",
                how, uart_text(uart, name));
    warnings_add(warnings, line);
}

/* --- ACPI ------------------------------------------------------------------
 */

static const uint8_t *find_rsdp(void)
{
    static const EFI_GUID guid = ACPI_20_TABLE_GUID;

    for (UINTN i = 0; i < platform_system->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *entry =
            &platform_system->ConfigurationTable[i];
        if (memcmp(&entry->VendorGuid, &guid, sizeof(guid)) == 0)
            return entry->VendorTable;
    }
    return NULL;
}

static uint64_t pointer_at(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;

    memcpy(&value, from, bytes);
    return value;
}

static const uint8_t *find_table(const char *name)
{
    const uint8_t *rsdp = find_rsdp();

    if (rsdp == NULL || memcmp(rsdp, "RSD PTR ", 8) != 0)
        return NULL;
    bool wide = rsdp[RSDP_REVISION] >= 2 && pointer_at(rsdp + RSDP_XSDT, 8);
    unsigned size = wide ? 8 : 4;
    const uint8_t *root = (const uint8_t *)(uintptr_t)pointer_at(
        rsdp + (wide ? RSDP_XSDT : RSDP_RSDT), size);
    if (root == NULL)
        return NULL;
    size_t length = acpi_table_length(root, ACPI_TABLE_MAX);
    for (size_t at = ACPI_HEADER_BYTES; at + size <= length; at += size) {
        const uint8_t *table =
            (const uint8_t *)(uintptr_t)pointer_at(root + at, size);
        if (table != NULL && memcmp(table, name, 4) == 0)
            return table;
    }
    return NULL;
}

struct spcr_search {
    struct uart *uart;
    const char *wrong;
    bool found;
};

/* As a job: pointers of a table may lead anywhere. */
static void spcr_job(unsigned processor, void *context)
{
    struct spcr_search *search = context;
    const uint8_t *table = find_table("SPCR");

    (void)processor;
    search->found = table != NULL;
    if (search->found)
        search->wrong = spcr_parse(table, ACPI_TABLE_MAX, search->uart);
}

static bool by_spcr(struct uart *out, uint32_t speed, struct warnings *warnings)
{
    struct spcr_search search = {.uart = out};
    struct hw_result result;

    bsp_run(&result, spcr_job, &search);
    if (result.end != HW_DONE) {
        warnings_add(warnings, "serial port of SPCR: a pointer in ACPI's "
                               "tables leads nowhere; they are not used");
        return false;
    }
    if (!search.found)
        return false;
    if (speed != 0)
        out->speed = speed;
    if (search.wrong != NULL)
        warnings_add(warnings, search.wrong);
    else if (port_works(out, false))
        return true;
    else
        warn_no_answer(warnings, "SPCR", out);
    return false;
}

/* --- PCI -------------------------------------------------------------------
 */

/* The port of Intel's management engine (00:16.3) swallows what is sent while
 * nobody is connected: it is used where serial= names it. */
static bool is_management_engine(EFI_PCI_IO *pci)
{
    UINTN segment = 0, bus = 0, device = 0, function = 0;

    return !EFI_ERROR(
               pci->GetLocation(pci, &segment, &bus, &device, &function)) &&
           bus == 0 && device == 0x16;
}

static bool start_decoding(EFI_PCI_IO *pci, UINT64 decode)
{
    UINT64 now = 0;

    if (EFI_ERROR(pci->Attributes(pci, EfiPciIoAttributeOperationGet, 0, &now)))
        return false;
    if ((now & decode) != 0)
        return true;
    if (EFI_ERROR(pci->Attributes(pci, EfiPciIoAttributeOperationEnable, decode,
                                  NULL)))
        return false;
    before.pci = pci;
    before.decode = decode;
    return true;
}

static bool read_function(EFI_PCI_IO *pci, struct uart *out)
{
    UINT32 class = 0, bars[2] = {0, 0};

    if (is_management_engine(pci) ||
        EFI_ERROR(
            pci->Pci.Read(pci, EfiPciIoWidthUint32, PCI_CLASS, 1, &class)) ||
        class >> 16 != CLASS_SERIAL || (class >> 8 & 0xff) > INTERFACE_LAST ||
        EFI_ERROR(pci->Pci.Read(pci, EfiPciIoWidthUint32, PCI_BAR0, 2, bars)))
        return false;
    bool io = (bars[0] & BAR_IO) != 0;
    out->memory = !io;
    out->base = io ? bars[0] & ~3u : bars[0] & ~15u;
    if (!io && (bars[0] & BAR_64) != 0)
        out->base |= (uint64_t)bars[1] << 32;
    out->stride = out->width = 1;
    return out->base != 0 &&
           start_decoding(pci, io ? EFI_PCI_IO_ATTRIBUTE_IO
                                  : EFI_PCI_IO_ATTRIBUTE_MEMORY);
}

static bool by_pci(struct uart *out, struct warnings *warnings)
{
    EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;
    bool found = false;

    if (EFI_ERROR(platform_boot->LocateHandleBuffer(ByProtocol, &guid, NULL,
                                                    &count, &handles)))
        return false;
    for (UINTN i = 0; i < count && !found; i++) {
        EFI_PCI_IO *pci = platform_protocol(handles[i], &guid);
        if (pci == NULL || !read_function(pci, out))
            continue;
        found = port_works(out, false);
        if (found)
            break;
        warn_no_answer(warnings, "PCI", out);
        stop_decoding();
    }
    platform_boot->FreePool(handles);
    return found;
}

/* --- All -------------------------------------------------------------------
 */

static const char *by_probing(struct uart *out)
{
    static const struct {
        uint16_t port;
        const char *name;
    } ports[] = {{0x3f8, "COM1, probed"},
                 {0x2f8, "COM2, probed"},
                 {0x3e8, "COM3, probed"},
                 {0x2e8, "COM4, probed"}};

    for (unsigned i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
        out->base = ports[i].port;
        if (port_works(out, true))
            return ports[i].name;
    }
    return NULL;
}

static const char *by_option(const struct options *options, struct uart *out,
                             struct warnings *warnings)
{
    out->memory = options->serial_address > 0xffff;
    out->base = options->serial_address;
    out->stride = options->serial_stride;
    out->width = out->memory && out->stride <= 4 ? out->stride : 1;
    if (port_works(out, false))
        return "serial=";
    warn_no_answer(warnings, "serial=", out);
    return NULL;
}

const char *serial_find(const struct options *options, struct uart *out,
                        struct warnings *warnings)
{
    const struct uart usual = {
        .stride = 1,
        .width = 1,
        .clock = UART_CLOCK,
        .speed = options->speed != 0 ? options->speed : UART_SPEED,
    };
    const char *how;

    serial_give_back(); /* of a run before */
    *out = usual;
    if (options->serial == SERIAL_AT)
        return by_option(options, out, warnings);
    if (by_spcr(out, options->speed, warnings))
        return "SPCR";
    *out = usual;
    how = by_probing(out);
    if (how != NULL)
        return how;
    *out = usual;
    if (by_pci(out, warnings))
        return "PCI class 07/00";
    warnings_add(warnings, "no serial port: none in SPCR, COM1 to COM4, PCI");
    return NULL;
}
