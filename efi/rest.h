/* SPDX-License-Identifier: BSD-2-Clause */
/* rest.h - a processor that has nothing to do for long. */
#ifndef EFI_REST_H
#define EFI_REST_H

#include <stdbool.h>

/* A while, which ends at the latest when *flag is written. */
void rest(const bool *flag);

#endif
