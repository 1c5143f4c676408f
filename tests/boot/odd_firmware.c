/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * odd_firmware.c - starts \tsxpmu.efi on firmware that does what real firmware
 * does at times. \firmware.txt on the volume has a letter for each:
 *
 *   a  a pointer in ACPI's XSDT is not canonical
 *   c  Stall() by which the program measures its clock is ten times too short:
 *      its seconds are
 *   d  the divisor of COM2 is said at I/O port 402H in the end
 *   e  a serial port of PCI decodes nothing; what of I/O and memory it decodes
 *      in the end is said at I/O port 402H
 *   f  Flush() of a file is not supported
 *   h  the code at each offset that \hang.txt has, in hexadecimal, hangs
 *   k  a machine check comes there instead (INT 18)
 *   m  the console is 80 by 25; changes of that are said at I/O port 402H
 *   n  NMIs, of a watchdog, come every 20 ms while interrupts are on
 *   p  no console has a device path
 *   q  time passes ten times as fast in Stall() of 10 ms: for waits of minutes
 *   s  each row on a console takes 50 ms more
 *   x  the stick is pulled out while the report is written
 *
 * UEFI specification, "Boot Services", "Simple Text Output Protocol"; ACPI
 * specification, "Extended System Description Table (XSDT)"; SDM 3A, "Interrupt
 * Command Register (ICR)".
 */
#include "tests/boot/load_app.h"
#include "tests/boot/odd_volume.h"

#include <stdint.h>

#define RSDP_XSDT      24
#define TABLE_LENGTH   4
#define TABLE_CHECKSUM 9
#define XSDT_ENTRIES   36
#define NOT_CANONICAL  UINT64_C(0x8000000000001000)
#define APIC_ICR_LOW   ((volatile uint32_t *)0xFEE00300)
#define ICR_SELF       0x40000u
#define ICR_NMI        0x400u
#define NMI_PERIOD     200000 /* of 100 ns */
#define LOOK_US        10000
#define MEASURE_US     4000
#define QUICK          10
#define ROW_US         50000
#define CONSOLES_MAX   8
#define SAY_PORT       ((uint16_t)0x402)
#define COM2           ((uint16_t)0x2f8)

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static EFI_SYSTEM_TABLE *st;
static EFI_BOOT_SERVICES *bs;

static EFI_STALL stall;
static EFI_HANDLE_PROTOCOL handle_protocol;

static struct console {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    EFI_TEXT_OUTPUT_STRING write;
} consoles[CONSOLES_MAX];
static unsigned consoles_count;
static EFI_HANDLE without_path[CONSOLES_MAX];
static unsigned without_path_count;

static BOOLEAN same(const EFI_GUID *a, const EFI_GUID *b)
{
    const UINT8 *x = (const UINT8 *)a, *y = (const UINT8 *)b;

    for (unsigned i = 0; i < sizeof(*a); i++)
        if (x[i] != y[i])
            return FALSE;
    return TRUE;
}

static VOID break_acpi(void)
{
    EFI_GUID acpi = ACPI_20_TABLE_GUID;

    for (UINTN i = 0; i < st->NumberOfTableEntries; i++)
        if (same(&st->ConfigurationTable[i].VendorGuid, &acpi)) {
            UINT8 *rsdp = st->ConfigurationTable[i].VendorTable;
            UINT8 *xsdt = *(UINT8 **)(rsdp + RSDP_XSDT);
            *(uint64_t *)(xsdt + XSDT_ENTRIES) = NOT_CANONICAL;
            UINT8 sum = 0;
            for (UINT32 n = 0; n < *(uint32_t *)(xsdt + TABLE_LENGTH); n++)
                sum = (UINT8)(sum + xsdt[n]);
            xsdt[TABLE_CHECKSUM] = (UINT8)(xsdt[TABLE_CHECKSUM] - sum);
        }
}

struct idt_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static uint64_t firmwares_idt;

static uint64_t idt_base(void)
{
    struct idt_register idt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    return idt.base;
}

/* Firmware's own handler would end the machine. */
static VOID EFIAPI send_nmi(EFI_EVENT event, VOID *context)
{
    (void)event, (void)context;
    if (idt_base() != firmwares_idt)
        *APIC_ICR_LOW = ICR_SELF | ICR_NMI;
}

static VOID start_nmis(void)
{
    EFI_EVENT event;

    firmwares_idt = idt_base();
    if (!EFI_ERROR(bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK,
                                   send_nmi, NULL, &event)))
        (void)bs->SetTimer(event, TimerPeriodic, NMI_PERIOD);
}

static UINTN quick_us; /* the one wait that is ten times too short */

static EFI_STATUS EFIAPI stall_quickly(UINTN us)
{
    return stall(us == quick_us ? us / QUICK : us);
}

static EFI_STATUS EFIAPI write_slowly(SIMPLE_TEXT_OUTPUT_INTERFACE *out,
                                      CHAR16 *text)
{
    for (const CHAR16 *c = text; *c != 0; c++)
        if (*c == '\n')
            stall(ROW_US);
    for (unsigned i = 0; i < consoles_count; i++)
        if (consoles[i].out == out)
            return consoles[i].write(out, text);
    return EFI_DEVICE_ERROR;
}

static EFI_STATUS EFIAPI hide_path(EFI_HANDLE handle, EFI_GUID *guid,
                                   VOID **protocol)
{
    EFI_GUID path = DEVICE_PATH_PROTOCOL;

    for (unsigned i = 0; same(guid, &path) && i < without_path_count; i++)
        if (without_path[i] == handle)
            return EFI_UNSUPPORTED;
    return handle_protocol(handle, guid, protocol);
}

static VOID change_consoles(BOOLEAN slow, BOOLEAN pathless)
{
    EFI_GUID guid = SIMPLE_TEXT_OUTPUT_PROTOCOL;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;

    (void)bs->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles);
    for (UINTN i = 0; i < count && i < CONSOLES_MAX; i++) {
        SIMPLE_TEXT_OUTPUT_INTERFACE *out;
        if (pathless)
            without_path[without_path_count++] = handles[i];
        if (slow &&
            !EFI_ERROR(bs->HandleProtocol(handles[i], &guid, (VOID **)&out))) {
            consoles[consoles_count++] =
                (struct console){out, out->OutputString};
            out->OutputString = write_slowly;
        }
    }
}

static EFI_TEXT_SET_MODE set_mode;

static VOID say_number(UINTN number)
{
    if (number > 9)
        say_number(number / 10);
    __asm__ volatile("outb %b0, %1"
                     :
                     : "a"((char)('0' + number % 10)), "Nd"(SAY_PORT));
}

static VOID say(const char *text)
{
    for (; *text != '\0'; text++)
        __asm__ volatile("outb %b0, %1" : : "a"(*text), "Nd"(SAY_PORT));
}

static EFI_STATUS EFIAPI say_mode(SIMPLE_TEXT_OUTPUT_INTERFACE *out, UINTN mode)
{
    UINTN columns = 0, rows = 0;

    out->QueryMode(out, mode, &columns, &rows);
    say("mode ");
    say_number(columns);
    say(" by ");
    say_number(rows);
    say("\n");
    return set_mode(out, mode);
}

static UINT8 read_port(uint16_t port)
{
    UINT8 value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static VOID write_port(uint16_t port, UINT8 value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

/* PC16550D, "Line Control Register", "Programmable Baud Generator". */
static VOID say_divisor(uint16_t port)
{
    UINT8 line = read_port((uint16_t)(port + 3));

    write_port((uint16_t)(port + 3), line | 0x80);
    say("divisor ");
    say_number(read_port(port) | (UINTN)read_port((uint16_t)(port + 1)) << 8);
    write_port((uint16_t)(port + 3), line);
    say(", line control ");
    say_number(line);
    say("\n");
}

/* PCI Local Bus Specification 3.0, 6.2.1 and 6.2.2: Class Code, Command. */
#define PCI_COMMAND    4
#define PCI_CLASS      8
#define CLASS_SERIAL   0x0700u
#define COMMAND_DECODE 3u /* I/O, memory */

static EFI_PCI_IO *pci_serial; /* the first; NULL: none */

/* As firmware without a driver for it leaves it. */
static VOID decode_nothing(VOID)
{
    EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;

    (void)bs->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles);
    for (UINTN i = 0; i < count && pci_serial == NULL; i++) {
        EFI_PCI_IO *pci;
        UINT32 class = 0;
        if (EFI_ERROR(bs->HandleProtocol(handles[i], &guid, (VOID **)&pci)) ||
            EFI_ERROR(pci->Pci.Read(pci, EfiPciIoWidthUint32, PCI_CLASS, 1,
                                    &class)) ||
            class >> 16 != CLASS_SERIAL)
            continue;
        pci_serial = pci;
        (void)bs->DisconnectController(handles[i], NULL, NULL);
        (void)pci->Attributes(
            pci, EfiPciIoAttributeOperationDisable,
            EFI_PCI_IO_ATTRIBUTE_IO | EFI_PCI_IO_ATTRIBUTE_MEMORY, NULL);
    }
}

static VOID say_decoding(VOID)
{
    UINT16 command = 0;

    if (pci_serial == NULL ||
        EFI_ERROR(pci_serial->Pci.Read(pci_serial, EfiPciIoWidthUint16,
                                       PCI_COMMAND, 1, &command)))
        return;
    say("decodes ");
    say_number(command & COMMAND_DECODE);
    say("\n");
}

static BOOLEAN has_letter(const char *letters, char letter)
{
    for (; *letters != '\0'; letters++)
        if (*letters == letter)
            return TRUE;
    return FALSE;
}

static VOID read_text(EFI_HANDLE image, CHAR16 *name, char *text, UINTN bytes)
{
    EFI_GUID loaded = LOADED_IMAGE_PROTOCOL;
    EFI_GUID file_system = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_LOADED_IMAGE *self;
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE_HANDLE root, file;

    if (!EFI_ERROR(bs->HandleProtocol(image, &loaded, (VOID **)&self)) &&
        !EFI_ERROR(bs->HandleProtocol(self->DeviceHandle, &file_system,
                                      (VOID **)&volume)) &&
        !EFI_ERROR(volume->OpenVolume(volume, &root)) &&
        !EFI_ERROR(root->Open(root, &file, name, EFI_FILE_MODE_READ, 0)))
        (void)file->Read(file, &bytes, text);
}

/* At each offset of the program that the text has: JMP to itself, or INT 18. */
static const UINT8 HANG[2] = {0xeb, 0xfe}, MACHINE_CHECK[2] = {0xcd, 18};

static VOID patch(EFI_HANDLE image, EFI_HANDLE app, const UINT8 code[2])
{
    EFI_GUID loaded = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *program;
    char text[32] = "";

    read_text(image, L"hang.txt", text, sizeof(text) - 1);
    if (EFI_ERROR(bs->HandleProtocol(app, &loaded, (VOID **)&program)))
        return;
    for (const char *c = text; *c != '\0'; c++) {
        UINTN offset = 0;
        for (; *c > ' '; c++)
            offset =
                offset * 16 + (UINTN)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
        UINT8 *at = (UINT8 *)program->ImageBase + offset;
        at[0] = code[0];
        at[1] = code[1];
    }
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    char letters[16] = "";
    EFI_HANDLE app;
    EFI_STATUS status;

    st = system;
    bs = system->BootServices;
    read_text(image, L"firmware.txt", letters, sizeof(letters) - 1);
    status = load_app(image, system, &app);
    if (EFI_ERROR(status))
        return status;
    if (has_letter(letters, 'a'))
        break_acpi();
    if (has_letter(letters, 'e'))
        decode_nothing();
    if (has_letter(letters, 'h'))
        patch(image, app, HANG);
    if (has_letter(letters, 'k'))
        patch(image, app, MACHINE_CHECK);
    if (has_letter(letters, 'm')) {
        set_mode = st->ConOut->SetMode;
        (void)set_mode(st->ConOut, 0);
        st->ConOut->SetMode = say_mode;
    }
    if (has_letter(letters, 'n'))
        start_nmis();
    if (has_letter(letters, 'q') || has_letter(letters, 'c')) {
        quick_us = has_letter(letters, 'q') ? LOOK_US : MEASURE_US;
        stall = bs->Stall;
        bs->Stall = stall_quickly;
    }
    if (has_letter(letters, 's'))
        stall = bs->Stall;
    change_consoles(has_letter(letters, 's'), has_letter(letters, 'p'));
    if (has_letter(letters, 'p')) {
        handle_protocol = bs->HandleProtocol;
        bs->HandleProtocol = hide_path;
    }
    if (has_letter(letters, 'f') || has_letter(letters, 'x'))
        odd_volume(image, bs,
                   has_letter(letters, 'f') ? EFI_UNSUPPORTED : EFI_SUCCESS,
                   has_letter(letters, 'x'));
    status = bs->StartImage(app, NULL, NULL);
    if (has_letter(letters, 'd'))
        say_divisor(COM2);
    if (has_letter(letters, 'e'))
        say_decoding();
    return status;
}
