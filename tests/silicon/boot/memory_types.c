/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_types.c - MTRRs of one processor for all. */
#include "tests/silicon/boot/memory_types.h"

#include "tests/silicon/hypervisor/host/x86.h"

/* IA32_MTRR_DEF_TYPE last: it enables. */
static const struct {
    uint32_t first, last;
} ranges[] = {{0x250, 0x250},
              {0x258, 0x259},
              {0x268, 0x26f},
              {0x200, 0x20f},
              {0x2ff, 0x2ff}};

#define MTRRS (1 + 2 + 8 + 16 + 1)

static uint64_t noted[MTRRS];

static void for_each(void (*mtrr)(uint32_t number, uint64_t *value))
{
    unsigned n = 0;

    for (unsigned i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
        for (uint32_t at = ranges[i].first; at <= ranges[i].last; at++)
            mtrr(at, &noted[n++]);
}

static void note(uint32_t number, uint64_t *value)
{
    *value = rdmsr(number);
}

static void take(uint32_t number, uint64_t *value)
{
    wrmsr(number, *value);
}

void memory_types_note(void)
{
    for_each(note);
}

void memory_types_take(void)
{
    for_each(take);
}
