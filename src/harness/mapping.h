/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapping.h - an address that nothing is mapped at, by the paging structures:
 * no address is tried to find out, since a device may answer.
 */
#ifndef SRC_HARNESS_MAPPING_H
#define SRC_HARNESS_MAPPING_H

#include <stdint.h>

/* A canonical address, with 4 and with 5 levels of paging, that is not mapped;
 * 0: none was found. From the upper half on: firmware that maps all physical
 * addresses maps them in the lower half. */
uint64_t mapping_find_absent(void);

#endif
