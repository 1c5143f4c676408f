/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapping.h - what the paging structures map, by walking them: an address is
 * not tried to find out, since a device may answer.
 *
 * SDM 3A, "Paging", "4-Level Paging and 5-Level Paging". Their addresses are
 * linear ones too, as under UEFI.
 */
#ifndef SRC_HARNESS_MAPPING_H
#define SRC_HARNESS_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

/* A canonical address under an entry of the first table that is not present, by
 * CR3 and CR4; 0 where each is. From the upper half on: firmware that maps all
 * physical addresses maps them in the lower half. */
uint64_t mapping_find_absent(uint64_t cr3, uint64_t cr4);

/* Whether the address, a canonical one, is mapped. */
bool mapping_is_present(uint64_t cr3, uint64_t cr4, uint64_t address);

#endif
