/* SPDX-License-Identifier: BSD-2-Clause */
/* packets.h - the packets of a trace, one after another, with the address that
 * compression leaves of each. */
#ifndef SRC_TRACE_PACKETS_H
#define SRC_TRACE_PACKETS_H

#include "src/pt/packet.h"

struct packets {
    struct pt_reader reader;
    uint64_t ip; /* the last one since the last PSB; else 0 */
};

/* A trace that begins with a packet, be it a PSB or not. */
void packets_open(struct packets *packets, const uint8_t *bytes, size_t size);

/* False at the end, or where something is no packet. */
bool packets_next(struct packets *packets, struct pt_packet *packet);

#endif
