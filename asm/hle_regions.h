/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hle_regions.h - critical sections between XACQUIRE and XRELEASE
 * (asm/hle_regions.asm).
 */
#ifndef ASM_HLE_REGIONS_H
#define ASM_HLE_REGIONS_H

#include <stddef.h>
#include <stdint.h>

struct hle_block {
    volatile void *lock;
    uint64_t ask;     /* not 0: XTEST exists, and is asked */
    uint64_t data;    /* 1 is added inside */
    uint64_t seen;    /* the lock as read inside */
    uint64_t inside;  /* 1: XTEST said inside that a transaction runs */
    uint64_t outside; /* the same, after the XRELEASE */
    uint64_t rax;     /* RAX inside */
    uint64_t unused;
    uint64_t turns;      /* of a loop inside, at least 1; read there, */
    uint64_t between[7]; /* and this is on its line alone */
    uint64_t far;        /* on another line: as data */
};
_Static_assert(offsetof(struct hle_block, data) == 0x10, "data");
_Static_assert(offsetof(struct hle_block, rax) == 0x30, "rax");
_Static_assert(offsetof(struct hle_block, turns) == 0x40, "turns");
_Static_assert(offsetof(struct hle_block, far) == 0x80, "far");

/* RAX before the XACQUIRE; EAX is 0. An abort status in EAX would clear the
 * upper half. */
#define HLE_RAX (UINT64_C(1) << 63)

typedef void hle_region(struct hle_block *block);

/* The lock has 8 bytes, of which each uses as many as it names, else 4. First
 * what it must hold before, then what it holds inside; the XRELEASE brings the
 * first back.
 */
#define HLE_REGIONS(FORM)                                           \
    FORM(xchg, 0, 1, "XCHG")                                        \
    FORM(xchg_mov, 0, 1, "XCHG, MOV of a register")                 \
    FORM(xchg_imm, 0, 1, "XCHG, MOV of an immediate")               \
    FORM(xchg_byte, 0, 1, "XCHG, MOV of a byte")                    \
    FORM(xchg_word, 0, 1, "XCHG, MOV of a word")                    \
    FORM(xchg_quad, 0, 1, "XCHG, MOV of a quadword")                \
    FORM(xchg_byte_imm, 0, 1, "XCHG, MOV of an immediate byte")     \
    FORM(xchg_quad_imm, 0, 1, "XCHG, MOV of an immediate quadword") \
    FORM(lock_xchg, 0, 1, "LOCK XCHG")                              \
    FORM(add, 0, 1, "LOCK ADD, SUB")                                \
    FORM(sub, 1, 0, "LOCK SUB, ADD")                                \
    FORM(adc, 0, 1, "LOCK ADC, SBB")                                \
    FORM(sbb, 1, 0, "LOCK SBB, ADC")                                \
    FORM(and, 1, 0, "LOCK AND, OR")                                 \
    FORM(or, 0, 1, "LOCK OR, AND")                                  \
    FORM(xor, 0, 1, "LOCK XOR")                                     \
    FORM(bts, 0, 1, "LOCK BTS, BTR")                                \
    FORM(btr, 1, 0, "LOCK BTR, BTS")                                \
    FORM(btc, 0, 1, "LOCK BTC")                                     \
    FORM(inc, 0, 1, "LOCK INC, DEC")                                \
    FORM(dec, 1, 0, "LOCK DEC, INC")                                \
    FORM(neg, 1, UINT32_MAX, "LOCK NEG")                            \
    FORM(not, 0, UINT32_MAX, "LOCK NOT")                            \
    FORM(not_quad, 0, UINT64_MAX, "LOCK NOT of 8")                  \
    FORM(xadd, 0, 1, "LOCK XADD")                                   \
    FORM(cmpxchg, 0, 1, "LOCK CMPXCHG")                             \
    FORM(cmpxchg8b, 0, 1, "LOCK CMPXCHG8B")

#define HLE_DECLARE(name, before, held, words) hle_region hle_##name;
HLE_REGIONS(HLE_DECLARE)

/* One lock in another, 64 bytes after it, both taken by XCHG. */
hle_region hle_two;
extern const uint8_t hle_two_acquire[], hle_two_acquired[], hle_two_release[];
#define HLE_TWO_OUTER_BYTES 3 /* of the outer XACQUIRE, the first of both */

/* Acquired by XCHG, the lock is 1 inside. The XRELEASE writes 2 to it; writes 1
 * to its highest byte and 0 to the others; to its second, its third; 1 to a
 * lock of one byte, 1 << 8 to one of two; 2 to another lock inside, 64 bytes
 * after it; writes 1 << 32 to 8 bytes; writes 0 64 bytes after it instead;
 * writes 0 to its first byte alone. */
hle_region hle_other_value, hle_other_byte, hle_other_second, hle_other_third,
    hle_other_in_byte, hle_other_in_word, hle_other_inner, hle_other_half,
    hle_other_address, hle_other_size;
/* The lock, taken by XCHG, and where it is elided, inside of it the lock 64
 * bytes after and a PAUSE inside of both. Of the block, lock, turns and data
 * are looked at; XTEST has to exist. */
hle_region hle_inner;
extern const uint8_t hle_inner_acquired[], hle_inner_pause[];
/* The lock is taken by XCHG; a store to each of `turns` lines, from 4096 bytes
 * after it on. Of the block, lock and turns are looked at. */
hle_region hle_stores;
extern const uint8_t hle_stores_acquire[], hle_stores_acquired[];
/* The lock is taken by XCHG; 1 is added to the quadword after its own, on the
 * same line, and to data; then, where ask is not 0 and it is elided, a PAUSE
 * aborts. Of the block, lock, ask and data are looked at. */
hle_region hle_line;
/* The lock is taken by LOCK ADD, and a PAUSE inside aborts. Turns is a TSC:
 * where a transaction runs inside after that, there is no PAUSE, and inside
 * is 1. */
hle_region hle_again;
/* The lock is taken by LOCK ADD, and CPUID, PAUSE or DIV by 0 is executed where
 * it is elided: inside is 1 where the transaction goes on. XTEST has to exist.
 */
hle_region hle_stays_cpuid, hle_stays_pause, hle_stays_divide;
/* The XACQUIRE of each, and what aborts. */
extern const uint8_t hle_stays_cpuid_acquire[], hle_stays_cpuid_at[],
    hle_stays_pause_acquire[], hle_stays_pause_at[], hle_stays_divide_acquire[],
    hle_stays_divide_at[];
/* hle_xchg without the prefixes. */
hle_region hle_plain;

/* The instruction after the XACQUIRE of hle_xchg, of hle_other_value. */
extern const uint8_t hle_xchg_acquired[], hle_other_value_acquired[];
/* XACQUIRE and XRELEASE themselves, and the instruction after the latter. */
extern const uint8_t hle_xchg_acquire[], hle_xchg_release[];
extern const uint8_t hle_other_value_acquire[], hle_other_value_release[],
    hle_other_value_released[];

#endif
