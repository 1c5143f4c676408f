/* SPDX-License-Identifier: BSD-2-Clause */
/* sweep.c - counts the points, and chooses the one that goes wrong. */
#include "tests/silicon/sweep.h"

#include "tests/silicon/model/text.h"

static enum sweep kind;
static uint64_t at, step;       /* the one that goes wrong, from 1 on */
static uint64_t seen;           /* in this run */
static bool running;
static uint64_t image, image_end;

static EFI_STATUS(EFIAPI *open_volume)(EFI_FILE_IO_INTERFACE *,
                                       EFI_FILE_HANDLE *);
static EFI_FILE_OPEN open_file;
static EFI_FILE_WRITE write_file;

/* Several processors may count at the same time. */
static bool it_is(enum sweep what)
{
    return running && kind == what &&
           __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED) == at;
}

static bool of_image(uint64_t rip)
{
    return rip >= image && rip < image_end;
}

bool sweep_faults(uint64_t rip)
{
    return of_image(rip) && it_is(SWEEP_MSR);
}

bool sweep_throws(uint64_t rip)
{
    return of_image(rip) && it_is(SWEEP_EXCEPTION);
}

static EFI_STATUS EFIAPI write_or_fail(EFI_FILE_HANDLE file, UINTN *bytes,
                                       VOID *data)
{
    return it_is(SWEEP_WRITE) ? EFI_DEVICE_ERROR
                              : write_file(file, bytes, data);
}

static EFI_STATUS EFIAPI open_watched(EFI_FILE_HANDLE directory,
                                      EFI_FILE_HANDLE *file, CHAR16 *name,
                                      UINT64 mode, UINT64 attributes);

/* Each file has function pointers of its own, all to the same functions. */
static void watch(EFI_FILE_HANDLE file)
{
    if (file->Open != open_watched)
        open_file = file->Open;
    if (file->Write != write_or_fail)
        write_file = file->Write;
    file->Open = open_watched;
    file->Write = write_or_fail;
}

static EFI_STATUS EFIAPI open_watched(EFI_FILE_HANDLE directory,
                                      EFI_FILE_HANDLE *file, CHAR16 *name,
                                      UINT64 mode, UINT64 attributes)
{
    EFI_STATUS status = open_file(directory, file, name, mode, attributes);

    if (!EFI_ERROR(status))
        watch(*file);
    return status;
}

static EFI_STATUS EFIAPI open_volume_watched(EFI_FILE_IO_INTERFACE *this,
                                             EFI_FILE_HANDLE *root)
{
    EFI_STATUS status = open_volume(this, root);

    if (!EFI_ERROR(status))
        watch(*root);
    return status;
}

void sweep_prepare(EFI_BOOT_SERVICES *bs, EFI_HANDLE volume,
                   const struct config *config)
{
    EFI_GUID guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_FILE_IO_INTERFACE *files;

    kind = config->sweep;
    at = config->sweep_first;
    step = config->sweep_step;
    if (kind == SWEEP_WRITE &&
        !EFI_ERROR(bs->HandleProtocol(volume, &guid, (VOID **)&files))) {
        open_volume = files->OpenVolume;
        files->OpenVolume = open_volume_watched;
    }
}

void sweep_begin(const void *base, uint64_t bytes)
{
    image = (uint64_t)base;
    image_end = image + bytes;
    seen = 0;
    running = true;
}

bool sweep_end(void)
{
    char line[80];
    struct text t;

    running = false;
    if (kind == SWEEP_NONE)
        return false;
    text_start(&t, line, sizeof(line));
    text_add(&t, "sweep: number ");
    text_add_unsigned(&t, at);
    text_add(&t, " of ");
    text_add_unsigned(&t, seen);
    text_add(&t, " went wrong");
    report_line(line);
    at += step;
    return at <= seen;
}
