/* SPDX-License-Identifier: BSD-2-Clause */
/* sweep.c - counts the points, and chooses the one that goes wrong. */
#include "tests/silicon/equipment/sweep.h"

#include "tests/silicon/hypervisor/guest/guest.h"
#include "tests/silicon/hypervisor/host/host.h"
#include "tests/silicon/hypervisor/hypervisor.h"
#include "tests/silicon/model/text.h"

static enum sweep kind;
static uint64_t at, step; /* the one that goes wrong, from 1 on */
static uint64_t counted;  /* in this run */
static bool in_application;
static uint64_t image, image_end;

static EFI_STATUS(EFIAPI *open_volume)(EFI_FILE_IO_INTERFACE *,
                                       EFI_FILE_HANDLE *);
static EFI_FILE_OPEN open_file;
static EFI_FILE_WRITE write_file;

/* Several processors may count at the same time. */
static bool is_chosen(enum sweep what)
{
    return in_application && kind == what &&
           __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED) == at;
}

static bool of_image(uint64_t rip)
{
    return rip >= image && rip < image_end;
}

bool sweep_injects_gp(uint64_t rip)
{
    return of_image(rip) && is_chosen(SWEEP_MSR);
}

bool sweep_injects_ud(uint64_t rip)
{
    return of_image(rip) && is_chosen(SWEEP_EXCEPTION);
}

static EFI_STATUS EFIAPI write_or_fail(EFI_FILE_HANDLE file, UINTN *bytes,
                                       VOID *data)
{
    return is_chosen(SWEEP_WRITE) ? EFI_DEVICE_ERROR
                                  : write_file(file, bytes, data);
}

static EFI_STATUS EFIAPI open_wrapped(EFI_FILE_HANDLE directory,
                                      EFI_FILE_HANDLE *file, CHAR16 *name,
                                      UINT64 mode, UINT64 attributes);

/* Each file has function pointers of its own, all to the same functions. */
static void wrap_file(EFI_FILE_HANDLE file)
{
    if (file->Open != open_wrapped)
        open_file = file->Open;
    if (file->Write != write_or_fail)
        write_file = file->Write;
    file->Open = open_wrapped;
    file->Write = write_or_fail;
}

static EFI_STATUS EFIAPI open_wrapped(EFI_FILE_HANDLE directory,
                                      EFI_FILE_HANDLE *file, CHAR16 *name,
                                      UINT64 mode, UINT64 attributes)
{
    EFI_STATUS status = open_file(directory, file, name, mode, attributes);

    if (!EFI_ERROR(status))
        wrap_file(*file);
    return status;
}

static EFI_STATUS EFIAPI open_volume_wrapped(EFI_FILE_IO_INTERFACE *this,
                                             EFI_FILE_HANDLE *root)
{
    EFI_STATUS status = open_volume(this, root);

    if (!EFI_ERROR(status))
        wrap_file(*root);
    return status;
}

void sweep_prepare(EFI_BOOT_SERVICES *bs, EFI_HANDLE volume,
                   const struct sweep_config *config)
{
    EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_FILE_IO_INTERFACE *files;

    kind = config->kind;
    at = config->first;
    step = config->step;
    if (kind == SWEEP_WRITE &&
        !EFI_ERROR(bs->HandleProtocol(volume, &guid, (VOID **)&files))) {
        open_volume = files->OpenVolume;
        files->OpenVolume = open_volume_wrapped;
    }
}

void sweep_begin(const void *base, uint64_t bytes)
{
    image = (uint64_t)base;
    image_end = image + bytes;
    counted = 0;
    in_application = true;
}

bool sweep_end(void)
{
    char line[80];
    struct text t;

    in_application = false;
    if (kind == SWEEP_NONE)
        return false;
    text_start(&t, line, sizeof(line));
    text_add(&t, "sweep: number ");
    text_add_unsigned(&t, at);
    text_add(&t, " of ");
    text_add_unsigned(&t, counted);
    text_add(&t, " went wrong");
    log_print(line);
    at += step;
    return at <= counted;
}
