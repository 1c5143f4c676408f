/* SPDX-License-Identifier: BSD-2-Clause */
/* machine.h - what firmware says of the machine. */
#ifndef EFI_MACHINE_H
#define EFI_MACHINE_H

#include "src/cpu/machine.h"

/* NULL where a pointer of the firmware's leads nowhere. */
const struct machine *machine_gather(void);

#endif
