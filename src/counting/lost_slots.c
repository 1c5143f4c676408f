/* SPDX-License-Identifier: BSD-2-Clause */
/* lost_slots.c - mispredicted branches, code and data from memory. */
#include "src/counting/lost_slots.h"

#include <stdint.h>

#define BRANCHES 8 /* in one of random ones */
#define ROUNDS   16

/* A branch of random direction, for a volatile is not stored to else. */
void lost_unpredictable(void *argument)
{
    uint64_t *random = argument;
    volatile unsigned taken = 0;

    for (unsigned i = 0; i < BRANCHES; i++) {
        *random = *random * 0x5851f42d4c957f2d + 1;
        if ((*random >> 63) != 0)
            taken = i;
    }
    (void)taken;
}

static void flush(const void *line)
{
    __asm__ volatile("clflush (%0); mfence" : : "r"(line) : "memory");
}

void lost_from_memory(void *argument)
{
    const volatile uint64_t *random = argument;

    flush(argument);
    (void)*random;
}

/* It is fetched again each time. */
__attribute__((noinline)) static void rounds(void)
{
    for (volatile unsigned i = 0; i < ROUNDS; i++)
        ;
}

void lost_code_from_memory(void *argument)
{
    (void)argument;
    flush((const void *)(uintptr_t)rounds);
    rounds();
}
