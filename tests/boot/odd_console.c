/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * odd_console.c - keys that nobody presses, and a screen without modes.
 *
 * UEFI specification, "Simple Text Input Protocol", "Simple Text Output
 * Protocol".
 */
#include "tests/boot/odd_console.h"
#include "tests/boot/odd_services.h"

#define HELD_LOOKS   20  /* a key in so many looks */
#define ECHO_KEYS    256 /* that a driver keeps */
#define NO_MODE      (-1)
#define ROW_US       50000
#define CONSOLES_MAX 8

static unsigned looks;

static EFI_STATUS EFIAPI read_held(SIMPLE_INPUT_INTERFACE *in,
                                   EFI_INPUT_KEY *key)
{
    (void)in;
    *key = (EFI_INPUT_KEY){0, 'x'};
    return ++looks % HELD_LOOKS == 0 ? EFI_SUCCESS : EFI_NOT_READY;
}

void odd_key_held(EFI_SYSTEM_TABLE *st)
{
    st->ConIn->ReadKeyStroke = read_held;
}

static CHAR16 echoed[ECHO_KEYS];
static unsigned first, kept;
static EFI_TEXT_OUTPUT_STRING output;

static EFI_STATUS EFIAPI write_echoed(SIMPLE_TEXT_OUTPUT_INTERFACE *out,
                                      CHAR16 *text)
{
    for (const CHAR16 *c = text; *c != 0 && kept < ECHO_KEYS; c++)
        echoed[(first + kept++) % ECHO_KEYS] = *c;
    return output(out, text);
}

static EFI_STATUS EFIAPI read_echoed(SIMPLE_INPUT_INTERFACE *in,
                                     EFI_INPUT_KEY *key)
{
    (void)in;
    if (kept == 0)
        return EFI_NOT_READY;
    *key = (EFI_INPUT_KEY){0, echoed[first]};
    first = (first + 1) % ECHO_KEYS;
    kept--;
    return EFI_SUCCESS;
}

void odd_echo(EFI_SYSTEM_TABLE *st)
{
    output = st->ConOut->OutputString;
    st->ConOut->OutputString = write_echoed;
    st->ConIn->ReadKeyStroke = read_echoed;
}

static EFI_STATUS EFIAPI query_nothing(SIMPLE_TEXT_OUTPUT_INTERFACE *out,
                                       UINTN mode, UINTN *columns, UINTN *rows)
{
    (void)out;
    *columns = *rows = 0;
    return mode == 0 ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}

static EFI_STATUS EFIAPI set_nothing(SIMPLE_TEXT_OUTPUT_INTERFACE *out,
                                     UINTN mode)
{
    (void)out, (void)mode;
    return EFI_DEVICE_ERROR;
}

void odd_modes(EFI_SYSTEM_TABLE *st)
{
    st->ConOut->QueryMode = query_nothing;
    st->ConOut->SetMode = set_nothing;
    st->ConOut->Mode->Mode = NO_MODE;
    st->ConOut->Mode->MaxMode = NO_MODE;
}

static EFI_STALL stall;
static EFI_HANDLE_PROTOCOL handle_protocol;

static struct console {
    SIMPLE_TEXT_OUTPUT_INTERFACE *out;
    EFI_TEXT_OUTPUT_STRING write;
} consoles[CONSOLES_MAX];
static unsigned consoles_count;
static EFI_HANDLE without_path[CONSOLES_MAX];
static unsigned without_path_count;

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

    for (unsigned i = 0; odd_same(guid, &path) && i < without_path_count; i++)
        if (without_path[i] == handle)
            return EFI_UNSUPPORTED;
    return handle_protocol(handle, guid, protocol);
}

void odd_consoles(EFI_BOOT_SERVICES *bs, BOOLEAN slow, BOOLEAN pathless)
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
    stall = bs->Stall;
    if (pathless) {
        handle_protocol = bs->HandleProtocol;
        bs->HandleProtocol = hide_path;
    }
}
