/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * processors.h - the other processors as workers. hw_run() and its like too.
 */
#ifndef EFI_PROCESSORS_H
#define EFI_PROCESSORS_H

#include "efi/warnings.h"

#include <stdbool.h>

/* Asks the firmware's MP services to bring every other processor into a worker.
 * What is missing is a warning. False: there is no memory. */
bool processors_start(struct warnings *warnings);
/* Between runs the others need not be quick. */
void processors_rest(bool resting);
/* Sends the workers back to the firmware. False where one is, or may come to
 * be, inside our code, which must then not be given back to the firmware. */
bool processors_stop(void);
/* The number of the calling processor. */
unsigned processors_self(void);
/* Where a job's stack begins, aligned to 16 bytes; NULL: on that in use. */
void *processors_stack(unsigned processor);

#endif
