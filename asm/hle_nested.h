/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hle_nested.h - critical sections in one another, in RTM transactions and
 * around them; prefixes on instructions that do not take them
 * (asm/hle_nested.asm).
 */
#ifndef ASM_HLE_NESTED_H
#define ASM_HLE_NESTED_H

#include <stddef.h>
#include <stdint.h>

struct hle_nest {
    volatile void *outer, *inner; /* locks of 4 bytes, free (0) before */
    uint64_t ask;                 /* not 0: XTEST exists, and is asked */
    uint64_t data;                /* 1 is added inside */
    uint64_t seen[2];             /* the locks as read inside */
    uint64_t inside;  /* 1: XTEST said inside that a transaction runs; */
    uint64_t between; /* after the first release, of hle_nested before, too; */
    uint64_t outside; /* at the end */
    uint64_t status;  /* what some leave */
};
_Static_assert(offsetof(struct hle_nest, seen) == 0x20, "seen");
_Static_assert(offsetof(struct hle_nest, status) == 0x48, "status");

typedef void hle_nest_region(struct hle_nest *nest);

/* One lock in another; the same and a PAUSE between the releases, or inside of
 * both (status: 1 is added before the inner one); the same, the outer released
 * first; the same lock twice (status: what the second XCHG
 * found); a lock that is written (5) without XRELEASE. */
hle_nest_region hle_nested, hle_released, hle_paused, hle_crossed,
    hle_recursive, hle_written;
/* With RTM: a transaction in a section; a section in a transaction (status: EAX
 * at the fallback, ~0 after a commit). XBEGIN must exist. */
hle_nest_region hle_around_rtm, hle_in_rtm;
/* No XACQUIRE: F2H before MOV; before ADD without LOCK; F2H F3H before XCHG;
 * XRELEASE before XCHG. And one: F3H F2H before XCHG. */
hle_nest_region hle_odd_mov, hle_odd_add, hle_odd_first, hle_odd_release,
    hle_last_prefix;

#endif
