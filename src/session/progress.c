/* SPDX-License-Identifier: BSD-2-Clause */
/* progress.c - ticks. */
#include "src/session/progress.h"

void progress_start(struct progress *progress, struct ktap *out)
{
    uint64_t now = hw_ms();

    *progress = (struct progress){.out = out, .start = now, .last = now};
}

void progress_tick(void *argument)
{
    struct progress *progress = argument;
    uint64_t now = hw_ms();

    ktap_tick(progress->out);
    if (now - progress->last < PROGRESS_TICK_MS)
        return;
    progress->last = now;
    ktap_note(progress->out, "tick %lu s: test %u",
              (now - progress->start) / 1000, progress->test);
}
