/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx_events.c - follows the transactions of a trace.
 *
 * What packets mean is in tsx_phases.c; those that change nothing, nearly all,
 * are stepped over by pt_skip().
 */
#include "src/pt/tsx_events.h"

#include "src/pt/bytes.h"
#include "src/pt/many.h"
#include "src/pt/tsx_phases.h"

/* Steps over PADs, eight at a time. */
static void skip_pads(struct pt_reader *reader)
{
    while (reader->at + 8 <= reader->size &&
           pt_get64(reader->bytes + reader->at) == 0)
        reader->at += 8;
}

void pt_tsx_open(struct pt_tsx *tsx)
{
    *tsx = (struct pt_tsx){.phase = PT_IDLE};
    pt_open(&tsx->reader);
}

static enum pt_result next_event(struct pt_tsx *tsx, struct pt_tsx_event *event)
{
    struct pt_reader *reader = &tsx->reader;
    struct pt_packet packet;
    enum pt_result result;

    if (tsx->has_deferred) {
        tsx->has_deferred = false;
        *event = tsx->deferred;
        return PT_OK;
    }
    if (tsx->held != PT_OK) {
        result = tsx->held;
        tsx->held = PT_OK;
        return result;
    }
    for (;;) {
        if (reader->synced && reader->block == 0)
            skip_pads(reader);
        if (tsx->phase == PT_IDLE && tsx->packet_en == PT_YES &&
            !tsx->overflow && !tsx->doubtful && reader->synced &&
            reader->block == 0)
            pt_skip(tsx);
        const uint64_t offset = pt_offset(reader);
        result = pt_next(reader, &packet);
        if (result != PT_OK)
            break;
        if (tsx_step(tsx, &packet, offset, event))
            return PT_OK;
    }
    if (result == PT_RESERVED_MODE_TSX) {
        tsx_refused_mode(tsx, event);
        return PT_OK;
    }
    if (result == PT_BROKEN_PSB && reader->synced) {
        packet = (struct pt_packet){.kind = PT_PSB};
        if (!tsx_step(tsx, &packet, reader->where, event))
            return result;
        tsx->held = result;
        return PT_OK;
    }
    const bool lost = !reader->synced || result == PT_END || result == PT_CUT;
    if (result == PT_MORE || !lost)
        return result;
    const bool pending = tsx_end(tsx, event);
    tsx->held = pending ? result : PT_OK;
    return pending ? PT_OK : result;
}

enum pt_result pt_tsx_next(struct pt_tsx *tsx, struct pt_tsx_event *event)
{
    const enum pt_result result = next_event(tsx, event);

    if (result == PT_OK ? event->deviation != PT_NO_DEVIATION : result > PT_END)
        tsx->doubtful |= tsx->doubts;
    return result;
}
