/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elision_try.h - one attempt to elide a lock (asm/elision_try.asm).
 */
#ifndef ASM_ELISION_TRY_H
#define ASM_ELISION_TRY_H

#include <stdint.h>

/* RTM_STATUS_STARTED where critical(argument) has run in a transaction that
 * found *lock 0 and committed; else the abort status. */
uint32_t elision_try(volatile uint32_t *lock, void (*critical)(void *argument),
                     void *argument);

/* A critical section: argument points to these; adds 1 to count, with so many
 * turns of a loop, at least 1, between load and store. */
struct elision_counted {
    volatile uint64_t count, turns;
};
void elision_count(void *argument);

#endif
