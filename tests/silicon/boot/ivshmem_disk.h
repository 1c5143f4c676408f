/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ivshmem_disk.h - a disk in memory that QEMU shares with a file. QEMU's own
 * disks answer by the host's time, which virtual time does not know;
 * this one answers within the instruction. What is written is in
 * the file at once.
 */
#ifndef SILICON_BOOT_IVSHMEM_DISK_H
#define SILICON_BOOT_IVSHMEM_DISK_H

#include <efi.h>

/* The handle of the first volume on the shared memory; NULL where the machine
 * has no such device, or no file system is on it. */
EFI_HANDLE ivshmem_disk_find(EFI_BOOT_SERVICES *bs);

#endif
