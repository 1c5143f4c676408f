/* SPDX-License-Identifier: BSD-2-Clause */
/* figures.h - what a run cost the simulator: exits, steps, transactions. */
#ifndef SILICON_BOOT_FIGURES_H
#define SILICON_BOOT_FIGURES_H

#include <efi.h>

void figures_print(EFI_BOOT_SERVICES *bs);

#endif
