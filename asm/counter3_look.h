/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter3_look.h - what counter 3's registers hold, read at once and with
 * nothing in between (asm/counter3_look.asm).
 */
#ifndef ASM_COUNTER3_LOOK_H
#define ASM_COUNTER3_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In this order for counter3_look.asm. */
struct counter3_seen {
    uint64_t select;  /* IA32_PERFEVTSEL3 (189H) */
    uint64_t control; /* IA32_PERF_GLOBAL_CTRL (38FH) */
    uint64_t in_use;  /* IA32_PERF_GLOBAL_INUSE (392H) */
    uint64_t count;   /* IA32_PMC3 (C4H) */
    uint64_t twin;    /* IA32_PMC1 (C2H), with no branch after C4H */
};
_Static_assert(offsetof(struct counter3_seen, twin) == 0x20, "twin");

/* None of them is tried before: they have to be there. 392H is read where
 * has_in_use; else in_use is left alone. */
void counter3_look(struct counter3_seen *out, bool has_in_use);

#endif
