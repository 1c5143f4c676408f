/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtm_store.h - transactions tried once each (asm/rtm_store.asm).
 */
#ifndef ASM_RTM_STORE_H
#define ASM_RTM_STORE_H

#include <stdbool.h>
#include <stdint.h>

/* What a transaction tried once answers; otherwise the vector, 0 to 31, of the
 * exception that XBEGIN (or XEND, where XBEGIN did not start one) raised. */
#define RTM_COMMITTED  (-1)
#define RTM_ABORTED    (-2)
#define RTM_UNRESTORED (-3) /* aborted, but a register was not restored */

/* Stores value at *cell and changes a register inside a transaction. *eax is
 * EAX as found after XEND (XBEGIN must leave ~0 there) or at the fallback
 * address (the abort status); on a fault it is not changed. */
int rtm_store(volatile uint64_t *cell, uint64_t value, uint32_t *eax);

/* XBEGIN and XEND, with nothing in between. */
int rtm_empty(void);

/* An XBEGIN that is only ever executed speculatively; or a jump in its place,
 * and all the rest the same. */
void rtm_shadow(bool transaction);

#endif
