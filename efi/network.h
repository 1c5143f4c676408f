/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * network.h - files of the TFTP server that the program was started from by
 * firmware's network boot.
 *
 * UEFI specification, "EFI PXE Base Code Protocol". Every wait is firmware's
 * own time-out.
 */
#ifndef EFI_NETWORK_H
#define EFI_NETWORK_H

#include <stddef.h>

#define NETWORK_NAME_BYTES 64

/* Reads a file of at most `bytes`; its length, 0 where there is none, or no
 * such server. */
size_t network_read(const char *name, char *text, size_t bytes);

/* Writes the file tsxpmu-WHO.log there; who: "" is the network card's address.
 * Returns NULL, or why it could not; name: the file's. */
const char *network_send(const char *who, const char *text, size_t bytes,
                         char name[NETWORK_NAME_BYTES]);

#endif
