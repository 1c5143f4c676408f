/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * odd_volume.c - files over the firmware's own.
 *
 * UEFI specification, "Simple File System Protocol", "File Protocol".
 */
#include "tests/boot/odd_volume.h"

#define PULLED_US 3000000 /* that a driver takes to give up */
#define LESS      64      /* bytes that are always written */

static EFI_BOOT_SERVICES *bs;
static EFI_VOLUME_OPEN open_volume;
static EFI_FILE file; /* the firmware's functions */
static EFI_STATUS flush_status;
static BOOLEAN may_be_pulled, writes_less;
static unsigned writes;

/* How a call fails: EFI_SUCCESS where it does not. */
static EFI_STATUS pulled(void)
{
    if (!may_be_pulled || writes < PULLED_AT)
        return EFI_SUCCESS;
    bs->Stall(PULLED_US);
    return EFI_NO_MEDIA;
}

static VOID patch(EFI_FILE *handle);

static EFI_STATUS EFIAPI odd_open(EFI_FILE *this, EFI_FILE **new, CHAR16 *name,
                                  UINT64 mode, UINT64 attributes)
{
    EFI_STATUS status = pulled();

    if (!EFI_ERROR(status))
        status = file.Open(this, new, name, mode, attributes);
    if (!EFI_ERROR(status))
        patch(*new);
    return status;
}

static EFI_STATUS EFIAPI odd_write(EFI_FILE *this, UINTN *bytes, VOID *from)
{
    writes++;
    EFI_STATUS status = pulled();

    if (writes_less && *bytes > LESS)
        *bytes /= 2;
    return EFI_ERROR(status) ? status : file.Write(this, bytes, from);
}

static EFI_STATUS EFIAPI odd_flush(EFI_FILE *this)
{
    EFI_STATUS status = pulled();

    if (EFI_ERROR(status))
        return status;
    status = file.Flush(this);
    return EFI_ERROR(flush_status) ? flush_status : status;
}

static EFI_STATUS EFIAPI odd_set_info(EFI_FILE *this, EFI_GUID *type,
                                      UINTN bytes, VOID *from)
{
    EFI_STATUS status = pulled();

    return EFI_ERROR(status) ? status : file.SetInfo(this, type, bytes, from);
}

static EFI_STATUS EFIAPI odd_close(EFI_FILE *this)
{
    EFI_STATUS status = pulled();

    return EFI_ERROR(status) ? status : file.Close(this);
}

static VOID patch(EFI_FILE *handle)
{
    if (handle->Open == odd_open)
        return;
    file = *handle;
    handle->Open = odd_open;
    handle->Write = odd_write;
    handle->Flush = odd_flush;
    handle->SetInfo = odd_set_info;
    handle->Close = odd_close;
}

static EFI_STATUS EFIAPI odd_open_volume(EFI_FILE_IO_INTERFACE *this,
                                         EFI_FILE **root)
{
    EFI_STATUS status = open_volume(this, root);

    if (!EFI_ERROR(status))
        patch(*root);
    return status;
}

void odd_volume(EFI_HANDLE image, EFI_BOOT_SERVICES *services, EFI_STATUS flush,
                BOOLEAN may_pull, BOOLEAN less)
{
    EFI_GUID loaded = LOADED_IMAGE_PROTOCOL;
    EFI_GUID file_system = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_LOADED_IMAGE *self;
    EFI_FILE_IO_INTERFACE *volume;

    bs = services;
    flush_status = flush;
    may_be_pulled = may_pull;
    writes_less = less;
    if (EFI_ERROR(bs->HandleProtocol(image, &loaded, (VOID **)&self)) ||
        EFI_ERROR(bs->HandleProtocol(self->DeviceHandle, &file_system,
                                     (VOID **)&volume)))
        return;
    open_volume = volume->OpenVolume;
    volume->OpenVolume = odd_open_volume;
}
