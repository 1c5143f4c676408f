/* SPDX-License-Identifier: BSD-2-Clause */
/* status.c - the error codes. */
#include "efi/status.h"

const char *status_name(EFI_STATUS status)
{
    /* By number, without the high bit that makes it an error. */
    static const char *const errors[] = {
        [1] = "EFI_LOAD_ERROR",
        [2] = "EFI_INVALID_PARAMETER",
        [3] = "EFI_UNSUPPORTED",
        [4] = "EFI_BAD_BUFFER_SIZE",
        [5] = "EFI_BUFFER_TOO_SMALL",
        [6] = "EFI_NOT_READY",
        [7] = "EFI_DEVICE_ERROR",
        [8] = "EFI_WRITE_PROTECTED",
        [9] = "EFI_OUT_OF_RESOURCES",
        [10] = "EFI_VOLUME_CORRUPTED",
        [11] = "EFI_VOLUME_FULL",
        [12] = "EFI_NO_MEDIA",
        [13] = "EFI_MEDIA_CHANGED",
        [14] = "EFI_NOT_FOUND",
        [15] = "EFI_ACCESS_DENIED",
        [16] = "EFI_NO_RESPONSE",
        [17] = "EFI_NO_MAPPING",
        [18] = "EFI_TIMEOUT",
        [19] = "EFI_NOT_STARTED",
        [20] = "EFI_ALREADY_STARTED",
        [21] = "EFI_ABORTED",
        [22] = "EFI_ICMP_ERROR",
        [23] = "EFI_TFTP_ERROR",
        [24] = "EFI_PROTOCOL_ERROR",
        [25] = "EFI_INCOMPATIBLE_VERSION",
        [26] = "EFI_SECURITY_VIOLATION",
        [27] = "EFI_CRC_ERROR",
        [28] = "EFI_END_OF_MEDIA",
        [31] = "EFI_END_OF_FILE",
        [32] = "EFI_INVALID_LANGUAGE",
        [33] = "EFI_COMPROMISED_DATA",
    };
    EFI_STATUS number = status & ~EFIERR(0);

    if (status == EFI_SUCCESS)
        return "EFI_SUCCESS";
    if (!EFI_ERROR(status) || number >= sizeof(errors) / sizeof(errors[0]) ||
        errors[number] == NULL)
        return "a status without a name";
    return errors[number];
}
