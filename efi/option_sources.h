/* SPDX-License-Identifier: BSD-2-Clause */
/* option_sources.h - where the options come from. */
#ifndef EFI_OPTION_SOURCES_H
#define EFI_OPTION_SOURCES_H

#include "efi/warnings.h"
#include "src/options/options.h"

/* True where whoever starts the program asks for help, which is then said. */
bool options_helped(void);
/* \tsxpmu.cfg on the boot volume, then the load options; later ones win. */
void options_gather(struct options *out, struct warnings *warnings);

#endif
