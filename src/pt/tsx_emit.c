/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_emit.c - what is said of transitions, and what is known after it. */
#include "src/pt/tsx_emit.h"

#include "src/pt/ip.h"

void tsx_forget(struct pt_tsx *tsx)
{
    tsx->phase = PT_IDLE;
    tsx->in_tx = tsx->packet_en = PT_UNKNOWN;
    tsx->overflow = tsx->has_region = false;
}

/* No address of what is pending is to be believed. The FUP of an abort may be
 * that of a fault, whose address need not be canonical. */
static enum pt_deviation forget_addresses(struct pt_tsx *tsx)
{
    struct pt_tsx_event *pending = &tsx->pending;
    const bool aborts = pending->transition == PT_ABORT;
    const bool doubtful =
        tsx->doubtful && (pending->has_ip || pending->has_target);

    if (!doubtful && pt_is_canonical(aborts ? pending->target : pending->ip))
        return PT_NO_DEVIATION;
    pending->has_ip = pending->has_target = false;
    pending->ip = pending->target = 0;
    return doubtful ? PT_DOUBTFUL : PT_NOT_CANONICAL;
}

bool tsx_emit(struct pt_tsx *tsx, uint64_t at, enum pt_deviation deviation,
              struct pt_tsx_event *event)
{
    struct pt_tsx_event *pending = &tsx->pending;
    const bool begins = pending->transition == PT_BEGIN;
    const enum pt_deviation address = forget_addresses(tsx);

    if (deviation == PT_NO_DEVIATION && begins && tsx->in_tx == PT_YES)
        deviation = PT_BEGIN_INSIDE;
    if (deviation == PT_NO_DEVIATION && !begins && tsx->in_tx == PT_NO)
        deviation = pending->transition == PT_ABORT ? PT_ABORT_OUTSIDE
                                                    : PT_COMMIT_OUTSIDE;
    if (deviation == PT_NO_DEVIATION)
        deviation = address;
    pending->deviation = deviation;
    pending->at = at;
    if (begins) {
        tsx->region = pending->ip;
    } else {
        pending->region = tsx->region;
        pending->has_region = tsx->has_region;
    }
    tsx->has_region = begins && pending->has_ip;
    tsx->in_tx = begins ? PT_YES : PT_NO;
    tsx->phase = PT_IDLE;
    *event = *pending;
    return true;
}

bool tsx_emit_deviation(struct pt_tsx *tsx, uint64_t offset, uint64_t at,
                        enum pt_deviation deviation, struct pt_tsx_event *event)
{
    tsx->phase = PT_IDLE;
    *event = (struct pt_tsx_event){
        .deviation = deviation, .offset = offset, .at = at};
    return true;
}
