/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file.c - files of the volume that the program was started from: the report,
 * and small texts. A volume is not a must: a program booted over the network
 * has none.
 *
 * UEFI specification, "File Protocol".
 */
#include "efi/platform.h"
#include "efi/start.h"

#define REPORT_PATH  L"\\tsxpmu.log"
#define BUFFER_BYTES 8192

static EFI_FILE_HANDLE report;
static char buffer[BUFFER_BYTES];
static size_t buffered;

static EFI_FILE_HANDLE open_volume(void)
{
    EFI_GUID image_guid = LOADED_IMAGE_PROTOCOL;
    EFI_GUID volume_guid = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_FILE_HANDLE root = NULL;
    EFI_LOADED_IMAGE *image = platform_protocol(platform_image, &image_guid);

    if (image == NULL || image->DeviceHandle == NULL)
        return NULL;
    EFI_FILE_IO_INTERFACE *volume =
        platform_protocol(image->DeviceHandle, &volume_guid);
    if (volume == NULL || EFI_ERROR(volume->OpenVolume(volume, &root)))
        return NULL;
    return root;
}

static EFI_FILE_HANDLE open_path(const CHAR16 *path, UINT64 mode)
{
    EFI_FILE_HANDLE root = open_volume(), file = NULL;

    if (root == NULL)
        return NULL;
    if (EFI_ERROR(root->Open(root, &file, (CHAR16 *)(uintptr_t)path, mode, 0)))
        file = NULL;
    root->Close(root);
    return file;
}

size_t file_read(const CHAR16 *path, char *text, size_t bytes)
{
    EFI_FILE_HANDLE file = open_path(path, EFI_FILE_MODE_READ);
    UINTN got = bytes;

    if (file == NULL)
        return 0;
    if (EFI_ERROR(file->Read(file, &got, text)))
        got = 0;
    file->Close(file);
    return got;
}

static void empty_buffer(void)
{
    UINTN bytes = buffered;

    buffered = 0;
    if (report == NULL || bytes == 0)
        return;
    if (EFI_ERROR(report->Write(report, &bytes, buffer))) {
        report->Close(report); /* full or gone: the other sinks carry on */
        report = NULL;
    }
}

static void file_write(void *self, const char *text, size_t bytes)
{
    (void)self;
    while (bytes != 0) {
        size_t part = BUFFER_BYTES - buffered;
        if (part > bytes)
            part = bytes;
        memcpy(buffer + buffered, text, part);
        buffered += part;
        text += part;
        bytes -= part;
        if (buffered == BUFFER_BYTES)
            empty_buffer();
    }
}

static void file_flush(void *self)
{
    (void)self;
    empty_buffer();
    if (report != NULL)
        report->Flush(report);
}

bool file_open(struct sink *out, const char **why)
{
    const UINT64 mode =
        EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE;

    /* An older report may be longer than the new one. */
    EFI_FILE_HANDLE old =
        open_path(REPORT_PATH, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE);
    if (old != NULL)
        old->Delete(old);
    report = open_path(REPORT_PATH, mode);
    if (report == NULL) {
        *why = "no writable boot volume: the report is not kept in a file";
        return false;
    }
    *out = (struct sink){.write = file_write, .flush = file_flush};
    return true;
}

void file_close(void)
{
    file_flush(NULL);
    if (report != NULL)
        report->Close(report);
    report = NULL;
}
