/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * start_time.h - every run begins at the same time. How long firmware took to
 * start depends on disks, which are no part of QEMU's virtual time; and its
 * timer has ticked since.
 */
#ifndef SILICON_BOOT_START_TIME_H
#define SILICON_BOOT_START_TIME_H

#include <efi.h>

#include <stdint.h>

/* Returns at the next multiple of 100 s plus offset, in ns, exactly to the
 * tick where QEMU counts instructions, with the firmware's timer started anew.
 * Nothing else runs: the other processors are asleep. */
void start_time_wait(EFI_BOOT_SERVICES *bs, uint64_t offset);

#endif
