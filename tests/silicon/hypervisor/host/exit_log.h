/* SPDX-License-Identifier: BSD-2-Clause */
/* exit_log.h - the last exits of a processor, printed before a panic. */
#ifndef SILICON_HYPERVISOR_HOST_EXIT_LOG_H
#define SILICON_HYPERVISOR_HOST_EXIT_LOG_H

#include <stdint.h>

#include "tests/silicon/hypervisor/host/vmcb.h"

#define EXIT_LOG_MAX 32

struct exit_log {
    struct exit_log_entry {
        uint64_t code, rip, info1, info2;
        uint64_t event; /* that was being delivered */
        uint64_t rflags;
    } exits[EXIT_LOG_MAX];
    uint64_t count; /* of all exits */
};

/* The guest has exited, as this control block says. */
void exit_log_add(struct exit_log *r, const struct vmcb *b);

/* Calls line() with a text for each exit in the log, the oldest first. */
void exit_log_print(const struct exit_log *r, void (*line)(const char *text));

#endif
