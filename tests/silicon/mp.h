/* SPDX-License-Identifier: BSD-2-Clause */
/* mp.h - other processors enter their guest when firmware starts them. */
#ifndef SILICON_MP_H
#define SILICON_MP_H

#include <efi.h>

#include "efi/mp.h"

/* Counts the processors and notes their APIC IDs; 1 without MP services. */
unsigned mp_find(EFI_BOOT_SERVICES *bs);

/* From now on what is started on another processor runs in its guest. */
void mp_wrap(void);

#endif
