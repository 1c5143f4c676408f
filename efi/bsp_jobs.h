/* SPDX-License-Identifier: BSD-2-Clause */
/* bsp_jobs.h - jobs of the boot processor. hw_on_poll() and hw_poll() too. */
#ifndef EFI_BSP_JOBS_H
#define EFI_BSP_JOBS_H

#include "src/base/hw.h"
#include "src/cpu/identity.h"

/* Runs the job on the calling processor, which is the boot processor. */
void bsp_run(struct hw_result *result, void (*job)(unsigned, void *),
             void *context);
/* Reads the boot processor, which need not be started for it. */
void bsp_identify(struct identity *out);
/* Calls it on the boot processor with the firmware usable: out of the job that
 * it is in, if any, and back into it. */
void bsp_outside(void (*call)(void *context), void *context);
/* True while the boot processor is in a job, and not outside for a moment. */
bool bsp_in_job(void);
/* Of the boot processor: what hw_poll() does where it is due. */
void bsp_poll(void);

#endif
