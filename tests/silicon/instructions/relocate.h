/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relocate.h - ordinary integer instructions of 64-bit mode, made to do the
 * same in another place and with their memory operand in another one.
 */
#ifndef SILICON_INSTRUCTIONS_RELOCATE_H
#define SILICON_INSTRUCTIONS_RELOCATE_H

#include <stdint.h>

#define RELOCATED_MAX 20

/* Of the instruction that these bytes at `rip` begin with: how many bytes it
 * has where it is to be executed, which is `to`; its operand in memory, or what
 * it pushes or pops, is at `operand`, 0 where it is to have none. 0: it is none
 * that is known here, or the operand is too far. None of these raises an
 * exception but by its operand, writes elsewhere, or goes on elsewhere than
 * behind itself. */
unsigned relocate(uint8_t to[RELOCATED_MAX], const uint8_t *bytes, uint64_t rip,
                  uint64_t operand);

#endif
