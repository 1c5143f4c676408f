/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * odd_firmware.c - starts \tsxpmu.efi on firmware that does what real firmware
 * does at times. \firmware.txt on the volume has a letter for each:
 *
 *   a  a pointer in ACPI's XSDT is not canonical
 *   b  SMBIOS' structures are where nothing is
 *   c  Stall() by which the program measures its clock is ten times too short:
 *      its seconds are
 *   d  the divisor of COM2 is said at I/O port 402H in the end
 *   e  a serial port of PCI decodes nothing; what of I/O and memory it decodes
 *      in the end is said at I/O port 402H
 *   f  Flush() of a file is not supported
 *   g  GetTime() fails
 *   h  the code at each offset that \hang.txt has, in hexadecimal, hangs
 *   i  what is there says that CR4.CET is 1
 *   j  MP services say nothing of the last processor
 *   k  a machine check comes there (INT 18)
 *   l  the load options are bytes, no text
 *   m  the console is 80 by 25; changes of that are said at I/O port 402H
 *   n  NMIs, of a watchdog, come every 20 ms while interrupts are on
 *   o  no text mode has a size, and none can be set
 *   p  no console has a device path
 *   q  time passes ten times as fast in Stall() of 10 ms: for waits of minutes
 *   r  a key repeats for ever, and time passes a hundred times as fast
 *   s  each row on a console takes 50 ms more
 *   t  the other processors have stacks of 3 KB; how many there were, and what
 *      was taken below them, is said at I/O port 402H in the end
 *   v  the terminal sends back what is written to it
 *   w  Write() of a file writes less than it is given, and says so
 *   x  the stick is pulled out while the report is written
 *   y  Stall() does not wait
 *
 * UEFI specification, "Boot Services", "Simple Text Output Protocol"; ACPI
 * specification, "Extended System Description Table (XSDT)"; SDM 3A, "Interrupt
 * Command Register (ICR)".
 */
#include "tests/boot/load_app.h"
#include "tests/boot/odd_console.h"
#include "tests/boot/odd_services.h"
#include "tests/boot/odd_stacks.h"
#include "tests/boot/odd_volume.h"

#include <stdint.h>

#define APIC_ICR_LOW ((volatile uint32_t *)0xFEE00300)
#define ICR_SELF     0x40000u
#define ICR_NMI      0x400u
#define NMI_PERIOD   200000 /* of 100 ns */
#define LOOK_US      10000
#define MEASURE_US   4000
#define QUICK        10
#define SAY_PORT     ((uint16_t)0x402)
#define COM2         ((uint16_t)0x2f8)

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static EFI_SYSTEM_TABLE *st;
static EFI_BOOT_SERVICES *bs;

static EFI_STALL stall;

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

/* How many times too short these two are. */
static UINTN quick_look = 1, quick_measure = 1;

static EFI_STATUS EFIAPI stall_quickly(UINTN us)
{
    return stall(us == LOOK_US      ? us / quick_look
                 : us == MEASURE_US ? us / quick_measure
                                    : us);
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

static VOID say_overrun(VOID)
{
    say_number(odd_stacks_used());
    say(" small stacks, overrun by ");
    say_number(odd_stacks_overrun());
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

/* At each offset of the program that the text has: JMP to itself, INT 18, or
 * MOV EAX, CET; RET. */
#define CODE_BYTES 6
static const UINT8 HANG[CODE_BYTES] = {0xeb, 0xfe},
                   MACHINE_CHECK[CODE_BYTES] = {0xcd, 18},
                   CET[CODE_BYTES] = {0xb8, 0, 0, 0x80, 0, 0xc3};

static VOID patch(EFI_HANDLE image, EFI_HANDLE app,
                  const UINT8 code[CODE_BYTES])
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
        for (unsigned i = 0; i < (code == CET ? CODE_BYTES : 2); i++)
            at[i] = code[i];
    }
}

/* As a loader's own structures. */
static VOID load_bytes(EFI_HANDLE app)
{
    static UINT8 bytes[] = {0x4e, 0xac, 0x08, 0x81, 0x11, 0x9f, 0x59, 0x4d,
                            0x85, 0x0e, 0xe2, 0x1a, 0x52, 0x2c, 0x59, 0xb2};
    EFI_GUID loaded = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *program;

    if (EFI_ERROR(bs->HandleProtocol(app, &loaded, (VOID **)&program)))
        return;
    program->LoadOptions = bytes;
    program->LoadOptionsSize = sizeof(bytes);
}

static EFI_STATUS EFIAPI do_not_stall(UINTN us)
{
    (void)us;
    return EFI_SUCCESS;
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
        odd_acpi(st);
    if (has_letter(letters, 'e'))
        decode_nothing();
    if (has_letter(letters, 'h'))
        patch(image, app, HANG);
    if (has_letter(letters, 'k'))
        patch(image, app, MACHINE_CHECK);
    if (has_letter(letters, 'i'))
        patch(image, app, CET);
    if (has_letter(letters, 'b'))
        odd_smbios(st);
    if (has_letter(letters, 'g'))
        odd_time(st);
    if (has_letter(letters, 'j'))
        odd_processors(bs);
    if (has_letter(letters, 't'))
        odd_stacks(bs);
    if (has_letter(letters, 'l'))
        load_bytes(app);
    if (has_letter(letters, 'o'))
        odd_modes(st);
    if (has_letter(letters, 'r'))
        odd_key_held(st);
    if (has_letter(letters, 'v'))
        odd_echo(st);
    if (has_letter(letters, 'm')) {
        set_mode = st->ConOut->SetMode;
        (void)set_mode(st->ConOut, 0);
        st->ConOut->SetMode = say_mode;
    }
    if (has_letter(letters, 'n'))
        start_nmis();
    stall = bs->Stall;
    bs->Stall = has_letter(letters, 'y') ? do_not_stall : stall_quickly;
    if (has_letter(letters, 'q'))
        quick_look = QUICK;
    if (has_letter(letters, 'c'))
        quick_measure = QUICK;
    if (has_letter(letters, 'r'))
        quick_look = quick_measure = QUICK * QUICK;
    odd_consoles(bs, has_letter(letters, 's'), has_letter(letters, 'p'));
    if (has_letter(letters, 'f') || has_letter(letters, 'w') ||
        has_letter(letters, 'x'))
        odd_volume(image, bs,
                   has_letter(letters, 'f') ? EFI_UNSUPPORTED : EFI_SUCCESS,
                   has_letter(letters, 'x'), has_letter(letters, 'w'));
    status = bs->StartImage(app, NULL, NULL);
    if (has_letter(letters, 'd'))
        say_divisor(COM2);
    if (has_letter(letters, 'e'))
        say_decoding();
    if (has_letter(letters, 't'))
        say_overrun();
    return status;
}
