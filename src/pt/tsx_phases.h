/* SPDX-License-Identifier: BSD-2-Clause */
/* tsx_phases.h - a packet's part in the transactions; for tsx_events.c. */
#ifndef SRC_PT_TSX_PHASES_H
#define SRC_PT_TSX_PHASES_H

#include "src/pt/tsx_events.h"

/* "Packet Ordering": these may stand between the packets of an event; and
 * "Maintenance Packet": it is model-specific when that is sent. */
static inline bool may_stand_between(unsigned kind)
{
    return kind == PT_PAD || kind == PT_CYC || kind == PT_MTC ||
           kind == PT_TSC || kind == PT_TMA || kind == PT_CBR || kind == PT_MNT;
}

/* The FUP that follows, if any, belongs to this packet. Where IP is 1, and
 * PacketEn, there has to be one: "PTW", "EXSTOP", "BEP", "CFE Packet
 * Definition" and TRIG's. MODE.Exec "always immediately precedes" a FUP or
 * TIP; MWAIT shares the FUP of its EXSTOP. */
static inline bool owns_fup(const struct pt_packet *packet)
{
    switch (packet->kind) {
    case PT_MWAIT:
    case PT_MODE_EXEC:
        return true;
    case PT_PTW:
    case PT_EXSTOP:
    case PT_BEP:
    case PT_CFE:
    case PT_TRIG:
        return packet->detail != 0;
    default:
        return false;
    }
}

/* The packet at `offset`. True: it makes an event; a second one is deferred. */
bool tsx_step(struct pt_tsx *tsx, const struct pt_packet *packet,
              uint64_t offset, struct pt_tsx_event *event);

/* A MODE.TSX with both bits, at tsx->reader.where; *event says so. */
void tsx_refused_mode(struct pt_tsx *tsx, struct pt_tsx_event *event);

/* The packets end, or are lost, at tsx->reader.where. True: something was
 * pending, and is *event. */
bool tsx_end(struct pt_tsx *tsx, struct pt_tsx_event *event);

#endif
