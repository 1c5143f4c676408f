/* SPDX-License-Identifier: BSD-2-Clause */
/* packets.c - the packets of a trace, one after another. */
#include "src/trace/packets.h"

#include "src/pt/ip.h"
#include "src/trace/path_walk.h"

void packets_open(struct packets *packets, const uint8_t *bytes, size_t size)
{
    packets->ip = 0;
    pt_open(&packets->reader);
    packets->reader.synced = true; /* nothing is before it */
    pt_feed(&packets->reader, bytes, size, true);
}

bool packets_next(struct packets *packets, struct pt_packet *packet)
{
    if (pt_next(&packets->reader, packet) != PT_OK)
        return false;
    if (packet->kind == PT_PSB)
        packets->ip = 0;
    else if (walk_has_ip(packet->kind))
        packets->ip = pt_ip(packets->ip, packet->detail, packet->payload);
    return true;
}
