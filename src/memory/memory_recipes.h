/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_recipes.h - single loads and stores of one kind each: which window of
 * asm/memory_windows.h makes them, and over which addresses.
 */
#ifndef SRC_MEMORY_MEMORY_RECIPES_H
#define SRC_MEMORY_MEMORY_RECIPES_H

#include "src/harness/case.h"
#include "src/memory/memory_judge.h"

/* Accesses in a window. */
#define MEMORY_ACCESSES 96

/* What is done with which addresses, so that .. */
enum memory_recipe_id {
    LOADS_SPREAD,  /* .. each is another address */
    LOADS_L1,      /* .. the L1 data cache has the line */
    LOADS_L2,      /* .. the L1 data cache has it no more, the L2 cache has */
    LOADS_L3,      /* .. nor has the L2 cache, the L3 cache has */
    LOADS_FLUSH,   /* .. no cache has it */
    LOADS_STLB,    /* .. no TLB has the page */
    LOADS_SPLIT,   /* .. each is of two lines */
    LOADS_WIDE,    /* .. each is of 16 bytes, at an odd address */
    LOADS_FS,      /* .. each is relative to FS */
    LOADS_BYTE,    /* .. each is of one byte, at an odd address */
    LOADS_X87,     /* .. each is by an x87 instruction */
    LOADS_VEX,     /* .. each is by one with a VEX prefix */
    LOADS_STLB_L1, /* .. as LOADS_STLB, and the L1 data cache has the line */
    LOCKED,        /* .. each is locked, a load and a store */
    EXCHANGED,     /* .. the same by XCHG */
    STORES_SPREAD,
    STORES_L1,
    STORES_FLUSH,
    STORES_STLB,
    STORES_SPLIT,
    STORES_WIDE,
    STORES_STRING, /* .. each is of a string instruction */
    STORES_DIRECT, /* .. each goes past the caches */
    STORES_PUSH,   /* .. each is a PUSH */
    LOADS_INDEXED, /* .. each has base, index and displacement */
    STORES_INDEXED,
    LOADS_POP,    /* .. each is a POP */
    UPDATED,      /* .. each is a load and a store, not locked */
    LOCKED_BYTE,  /* .. each is locked, of one byte */
    LOADS_RETURN, /* .. each is a RET */
    LOADS_JUMP,   /* .. each is a JMP through memory */
    LOADS_LEAVE,
    LOADS_GS,
    LOADS_CONDITIONAL, /* .. each is a CMOV whose condition is false */
    LOADS_STRING,
    LOADS_RELATIVE, /* .. each is relative to RIP */
    STORES_CALL,    /* .. each is a CALL */
    PUSHED,         /* .. each is a PUSH of memory, a load and a store */
    COMPARED,       /* .. each is a CMPXCHG, locked, that changes nothing */
    LOADS_BIT,      /* .. each is a BT */
    LOADS_NARROW,   /* .. each has an address of 32 bits */
    LOADS_DOWN,     /* .. as LOADS_STRING, with DF = 1 */
    LOADS_LODS,
    LOADS_SCAS,
    LOADS_CALL,  /* .. each is a CALL through memory */
    STORES_POP,  /* .. each is a POP to memory */
    ADDED,       /* .. each is an XADD, locked */
    LOADS_FAR,   /* .. no cache has it, and no TLB the page */
    LOCKED_STLB, /* .. each is locked, and no TLB has the page */
    LOADS_TURNS, /* .. by turns the L1 data cache has the line, and none has */
    STORES_TURNS,
    STORES_TURNS_1, /* .. the same, of so many bytes */
    STORES_TURNS_2,
    STORES_TURNS_4,
    STORES_TURNS_16,
    STORES_FS, /* .. each is relative to FS */
    STORES_GS,
    STORES_PAGES, /* .. each is of two pages */
    LOADS_PAGES,  /* .. each is of two pages */
    MEMORY_RECIPES
};

struct memory_recipe {
    memory_window *window;
    const uint8_t *loop, *access, *next, *end; /* of the window */
    bool in_buffer; /* test_buffer(), 64 KiB; else test_source(), read only */
    bool locked;
    uint64_t at, step, mask; /* of the walk, `at` in the buffer */
};

/* By the processor. */
const struct memory_recipe *memory_recipe_of(struct test_context *t,
                                             enum memory_recipe_id recipe);
struct memory_walk memory_recipe_walk(struct test_context *t,
                                      const struct memory_recipe *r);

#endif
