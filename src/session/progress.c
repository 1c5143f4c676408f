/* SPDX-License-Identifier: BSD-2-Clause */
/* progress.c - ticks. */
#include "src/session/progress.h"

void progress_start(struct progress *progress, struct ktap *out,
                    unsigned planned)
{
    uint64_t now = hw_ms();

    *progress = (struct progress){.out = out,
                                  .planned = planned,
                                  .name = "none yet",
                                  .start = now,
                                  .last = now};
}

void progress_test(struct progress *progress, unsigned now, const char *name)
{
    progress->now = now;
    progress->name = name;
}

void progress_tick(void *argument)
{
    struct progress *progress = argument;
    uint64_t now = hw_ms();

    ktap_tick(progress->out);
    if (now - progress->last < PROGRESS_TICK_MS)
        return;
    progress->last = now;
    ktap_note(progress->out, "tick %lu s: test %u of %u, %s",
              (now - progress->start) / 1000, progress->now, progress->planned,
              progress->name);
}
