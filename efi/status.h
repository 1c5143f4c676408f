/* SPDX-License-Identifier: BSD-2-Clause */
/* status.h - EFI_STATUS by name, for lines of a report. */
#ifndef EFI_STATUS_H
#define EFI_STATUS_H

#include <efi.h>

/* "EFI_WRITE_PROTECTED"; "a status without a name" for what the specification
 * does not list. UEFI specification, appendix "Status Codes". */
const char *status_name(EFI_STATUS status);

#endif
