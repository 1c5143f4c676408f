/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pt_salvage.h - transitions in bytes that were passed over, up to a PSB. The
 * reader says only what is certain from the front; here packets count that lead
 * to the PSB exactly.
 */
#ifndef HOST_PT_SALVAGE_H
#define HOST_PT_SALVAGE_H

#include "src/pt/tsx_events.h"

#define PT_SALVAGE ((size_t)64 << 10) /* bytes at most */

struct pt_salvage {
    struct pt_tsx tsx;
    uint64_t certain; /* addresses are, from this offset on */
    uint8_t lengths[PT_SALVAGE];
};

/* After PT_LOST, where the reader is at a PSB and was at one before: the bytes
 * before its block's are those of the stream. False: nothing is certain. */
bool pt_salvage_open(struct pt_salvage *salvage,
                     const struct pt_reader *reader);

/* The next transition or overflow. False: no more. */
bool pt_salvage_next(struct pt_salvage *salvage, struct pt_tsx_event *event);

#endif
