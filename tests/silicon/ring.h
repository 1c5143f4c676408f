/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_log.h - the last exits of a processor, printed before a panic. */
#ifndef SILICON_RING_H
#define SILICON_RING_H

#include <stdint.h>

#include "tests/silicon/vmcb.h"

#define RING_EXITS 32

struct ring {
    struct ring_exit {
        uint64_t code, rip, info1, info2;
        uint64_t event;         /* that was being delivered */
        uint64_t rflags;
    } exits[RING_EXITS];
    uint64_t count;             /* of all exits */
};

/* The guest has exited, as this control block says. */
void ring_add(struct ring *r, const struct vmcb *b);

/* Calls line() with a text for each exit in the log, the oldest first. */
void ring_tell(const struct ring *r, void (*line)(const char *text));

#endif
