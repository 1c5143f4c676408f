/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file.c - files of the volume that the program was started from:
 * src/store/volume.h, and small texts. There may be no volume: a program booted
 * over the network has none.
 *
 * UEFI specification, "File Protocol".
 */
#include "efi/file.h"
#include "efi/pages.h"
#include "efi/platform.h"
#include "efi/status.h"
#include "src/base/text.h"
#include "src/store/volume.h"

#define FOLDER L"tsxpmu"
#define MODE   (EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE)

/* Between the last write to a USB stick and the end of its power: what the
 * firmware's driver calls flushed may still be in the stick's own cache. */
#define STICK_FLUSH_US 2000000

#define LOAD_BYTES_MAX (16u << 20)

static EFI_FILE_HANDLE files[VOLUME_FILES];
/* The volume does not answer, or another is in its place: each further call may
 * take a driver seconds. */
static bool gone;

/* Of the device that the program was started from, or NULL. */
static void *device_protocol(const EFI_GUID *guid)
{
    EFI_GUID image_guid = LOADED_IMAGE_PROTOCOL;
    EFI_LOADED_IMAGE *image = platform_protocol(platform_image, &image_guid);

    if (image == NULL || image->DeviceHandle == NULL)
        return NULL;
    return platform_protocol(image->DeviceHandle, guid);
}

static EFI_FILE_HANDLE open_volume(void)
{
    EFI_GUID guid = SIMPLE_FILE_SYSTEM_PROTOCOL;
    EFI_FILE_HANDLE root = NULL;
    EFI_FILE_IO_INTERFACE *volume = device_protocol(&guid);

    if (volume == NULL || EFI_ERROR(volume->OpenVolume(volume, &root)))
        return NULL;
    return root;
}

static EFI_STATUS open_in(EFI_FILE_HANDLE folder, const CHAR16 *path,
                          UINT64 mode, UINT64 attributes, EFI_FILE_HANDLE *out)
{
    return folder->Open(folder, out, (CHAR16 *)(uintptr_t)path, mode,
                        attributes);
}

static const char *with_status(const char *what, EFI_STATUS status)
{
    static char reason[80];

    text_format(reason, sizeof(reason), "%s (%s)", what, status_name(status));
    return reason;
}

/* Of any length is the name at its end. */
union information {
    EFI_FILE_INFO info;
    char room[sizeof(EFI_FILE_INFO) + VOLUME_NAME_BYTES * sizeof(CHAR16)];
};

static EFI_STATUS get_information(EFI_FILE_HANDLE file, union information *out,
                                  UINTN *bytes)
{
    EFI_GUID guid = EFI_FILE_INFO_ID;

    *bytes = sizeof(*out);
    return file->GetInfo(file, &guid, bytes, out);
}

/* As far as the firmware says. */
static bool is_folder(EFI_FILE_HANDLE file, bool otherwise)
{
    static union information u;
    UINTN bytes;

    if (EFI_ERROR(get_information(file, &u, &bytes)))
        return otherwise;
    return (u.info.Attribute & EFI_FILE_DIRECTORY) != 0;
}

size_t file_read(const CHAR16 *path, char *text, size_t bytes, const char **why)
{
    EFI_FILE_HANDLE root = open_volume(), file;
    UINTN got = bytes;

    *why = NULL;
    if (root == NULL)
        return 0;
    EFI_STATUS status = open_in(root, path, EFI_FILE_MODE_READ, 0, &file);
    root->Close(root);
    if (status == EFI_NOT_FOUND)
        return 0;
    if (!EFI_ERROR(status)) {
        bool folder = is_folder(file, false);
        if (!folder)
            status = file->Read(file, &got, text);
        file->Close(file);
        if (folder)
            *why = "it is a folder";
        if (!folder && !EFI_ERROR(status))
            return got;
    }
    if (*why == NULL)
        *why = with_status("it cannot be read", status);
    return 0;
}

/* From its end, so that no information about it is needed. */
static void *read_whole(EFI_FILE_HANDLE file, size_t *bytes, const char **why)
{
    static const char unread[] = "the file cannot be read";
    UINT64 end = 0;
    void *at;

    EFI_STATUS status = file->SetPosition(file, UINT64_MAX);
    if (!EFI_ERROR(status))
        status = file->GetPosition(file, &end);
    if (!EFI_ERROR(status))
        status = file->SetPosition(file, 0);
    *why = EFI_ERROR(status)      ? with_status(unread, status)
           : end == 0             ? "the file is empty"
           : end > LOAD_BYTES_MAX ? "the file is larger than 16 MB"
                                  : NULL;
    if (*why != NULL)
        return NULL;
    *why = "no memory for the file";
    *bytes = (size_t)end;
    at = allocate_pages((size_t)end);
    if (at == NULL)
        return NULL;
    UINTN got = (UINTN)end;
    status = file->Read(file, &got, at);
    if (!EFI_ERROR(status) && got == end)
        return at;
    *why = with_status(unread, status);
    free_pages(at);
    return NULL;
}

void *file_load(const char *name, size_t *bytes, const char **why)
{
    EFI_FILE_HANDLE root = open_volume(), file;
    CHAR16 path[VOLUME_NAME_BYTES * 2];
    size_t n = 0;

    *why = "there is no volume to read the file from";
    if (root == NULL)
        return NULL;
    for (; name[n] != '\0' && n < sizeof(path) / sizeof(*path) - 1; n++)
        path[n] = name[n] == '/' ? L'\\' : (CHAR16)name[n];
    path[n] = 0;
    EFI_STATUS status = open_in(root, path, EFI_FILE_MODE_READ, 0, &file);
    root->Close(root);
    if (EFI_ERROR(status)) {
        *why = with_status("there is no such file on the volume", status);
        return NULL;
    }
    void *at = read_whole(file, bytes, why);
    file->Close(file);
    return at;
}

static bool is_usb(void)
{
    EFI_GUID guid = DEVICE_PATH_PROTOCOL;
    const EFI_DEVICE_PATH *path = device_protocol(&guid);

    for (; path != NULL && !IsDevicePathEndType(path);
         path = NextDevicePathNode(path))
        if (DevicePathType(path) == MESSAGING_DEVICE_PATH &&
            DevicePathSubType(path) == MSG_USB_DP)
            return true;
    return false;
}

void file_finish(void)
{
    if (gone)
        return;
    for (unsigned i = 0; i < VOLUME_FILES; i++)
        if (files[i] != NULL)
            volume_close((enum volume_file)i);
    if (is_usb())
        platform_boot->Stall(STICK_FLUSH_US);
}

/* --- src/store/volume.h -------------------------------------------------- */

static char failure[48];

const char *volume_status(void)
{
    return failure;
}

static enum volume_end volume_end_of(EFI_STATUS status)
{
    if (EFI_ERROR(status) && status != EFI_NOT_FOUND)
        text_format(failure, sizeof(failure), " (%s)", status_name(status));
    gone = gone || status == EFI_NO_MEDIA || status == EFI_MEDIA_CHANGED ||
           status == EFI_DEVICE_ERROR;
    if (gone)
        return VOLUME_GONE;
    switch (status) {
    case EFI_SUCCESS:
        return VOLUME_OK;
    case EFI_NOT_FOUND:
        return VOLUME_NOT_FOUND;
    case EFI_WRITE_PROTECTED:
    case EFI_ACCESS_DENIED:
        return VOLUME_READ_ONLY;
    case EFI_VOLUME_FULL:
        return VOLUME_FULL;
    default:
        return VOLUME_FAILED;
    }
}

/* In the folder; create: makes the file, and the folder where there is none. */
static enum volume_end open_file(const char *name, bool create,
                                 EFI_FILE_HANDLE *out)
{
    UINT64 mode = create ? MODE | EFI_FILE_MODE_CREATE : MODE;
    EFI_FILE_HANDLE root = open_volume(), folder;
    CHAR16 path[VOLUME_NAME_BYTES];
    size_t n = 0;

    if (gone)
        return VOLUME_GONE;
    if (root == NULL)
        return VOLUME_NONE;
    for (; name[n] != '\0' && n < VOLUME_NAME_BYTES - 1; n++)
        path[n] = (CHAR16)name[n];
    path[n] = 0;
    EFI_STATUS status = open_in(root, FOLDER, MODE, 0, &folder);
    if (status == EFI_NOT_FOUND && create)
        status = open_in(root, FOLDER, mode, EFI_FILE_DIRECTORY, &folder);
    root->Close(root);
    if (EFI_ERROR(status))
        return volume_end_of(status);
    if (!is_folder(folder, true)) {
        folder->Close(folder);
        return VOLUME_NOT_FOLDER;
    }
    status = open_in(folder, path, mode, 0, out);
    folder->Close(folder);
    if (EFI_ERROR(status))
        *out = NULL;
    return volume_end_of(status);
}

enum volume_end volume_open(enum volume_file file, const char *name)
{
    return open_file(name, false, &files[file]);
}

enum volume_end volume_create(enum volume_file file, const char *name)
{
    EFI_FILE_HANDLE there;
    enum volume_end end = open_file(name, false, &there);

    if (end == VOLUME_OK) {
        there->Close(there);
        return VOLUME_EXISTS;
    }
    return end == VOLUME_NOT_FOUND ? open_file(name, true, &files[file]) : end;
}

size_t volume_read(enum volume_file file, size_t at, void *data, size_t bytes)
{
    EFI_FILE_HANDLE handle = files[file];
    UINTN got = bytes;

    if (gone)
        return 0;
    EFI_STATUS status = handle->SetPosition(handle, at);
    if (!EFI_ERROR(status))
        status = handle->Read(handle, &got, data);
    return EFI_ERROR(status) ? 0 : got; /* at the end of the file too */
}

enum volume_end volume_write(enum volume_file file, size_t at, const void *data,
                             size_t bytes)
{
    EFI_FILE_HANDLE handle = files[file];
    UINTN written = bytes;

    if (gone)
        return VOLUME_GONE;
    EFI_STATUS status = handle->SetPosition(handle, at);
    if (!EFI_ERROR(status))
        status = handle->Write(handle, &written, (void *)(uintptr_t)data);
    if (!EFI_ERROR(status) && written != bytes)
        return VOLUME_FULL;
    return volume_end_of(status);
}

enum volume_end volume_flush(enum volume_file file)
{
    if (gone)
        return VOLUME_GONE;
    EFI_STATUS status = files[file]->Flush(files[file]);
    /* A driver that holds nothing back need not support it. */
    return status == EFI_UNSUPPORTED ? VOLUME_OK : volume_end_of(status);
}

enum volume_end volume_truncate(enum volume_file file, size_t bytes)
{
    EFI_FILE_HANDLE handle = files[file];
    EFI_GUID guid = EFI_FILE_INFO_ID;
    static union information u;
    UINTN size;

    if (gone)
        return VOLUME_GONE;
    EFI_STATUS status = get_information(handle, &u, &size);
    if (EFI_ERROR(status))
        return volume_end_of(status);
    u.info.FileSize = bytes;
    return volume_end_of(handle->SetInfo(handle, &guid, size, &u));
}

void volume_close(enum volume_file file)
{
    if (!gone)
        files[file]->Close(files[file]);
    files[file] = NULL;
}

void volume_delete(enum volume_file file)
{
    if (!gone)
        files[file]->Delete(files[file]);
    files[file] = NULL;
}

bool volume_time(struct volume_time *out)
{
    EFI_TIME time;

    if (EFI_ERROR(platform_system->RuntimeServices->GetTime(&time, NULL)))
        return false;
    *out = (struct volume_time){time.Year, time.Month, time.Day, time.Hour,
                                time.Minute};
    return time.Year >= 1998 && time.Year <= 9999 && time.Month >= 1 &&
           time.Month <= 12 && time.Day >= 1 && time.Day <= 31;
}
