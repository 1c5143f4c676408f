/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.h - what firmware says of the machine. */
#ifndef EFI_MACHINE_H
#define EFI_MACHINE_H

#include "efi/warnings.h"
#include "src/cpu/machine.h"

/* Never NULL; a pointer of the firmware's that leads nowhere is a warning. */
const struct machine *machine_gather(struct warnings *warnings);

#endif
