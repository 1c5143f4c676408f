/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stick.h - a volume in memory that QEMU shares with a file. A disk of QEMU's
 * answers when the machine below gets to it, which no virtual time knows of;
 * this one has answered when the instruction is done. What is written is in
 * the file at once.
 */
#ifndef SILICON_STICK_H
#define SILICON_STICK_H

#include <efi.h>

/* The handle of the first volume on the shared memory; NULL where the machine
 * has no such device, or no file system is on it. */
EFI_HANDLE stick_find(EFI_BOOT_SERVICES *bs);

#endif
