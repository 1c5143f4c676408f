/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fixups.h - which instructions may fault, and where to go on when one does.
 *
 * The convention: the exception handler looks RIP up here; where it is found it
 * sets RAX to the vector and RIP to what is returned, leaves every other
 * register alone, and returns from the exception.
 */
#ifndef ASM_FIXUPS_H
#define ASM_FIXUPS_H

#include <stdint.h>

/* The address to go on at, or 0 where the instruction at rip has no fix-up. */
uint64_t fixup_find(uint64_t rip);

#endif
