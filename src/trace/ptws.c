/* SPDX-License-Identifier: BSD-2-Clause */
/* ptws.c - the PTW packets of a trace. */
#include "src/trace/ptws.h"

#include "src/pt/ip.h"
#include "src/pt/packet.h"
#include "src/trace/path_walk.h"

/* Bytes of a PTW with PayloadBytes = 1, of 8. */
#define LENGTH_WHOLE 10

static struct ptw *last(struct ptws *ptws)
{
    return ptws->count > 0 && ptws->count <= PTWS_MAX
               ? &ptws->of[ptws->count - 1]
               : NULL;
}

static void take(struct ptws *out, const struct pt_packet *packet,
                 unsigned results)
{
    out->count++;
    if (last(out) != NULL)
        *last(out) = (struct ptw){
            .payload = packet->payload,
            .results = results,
            .whole = packet->length == LENGTH_WHOLE,
            .ip = packet->detail != 0,
        };
}

void ptws_read(const struct trace *p, struct ptws *out)
{
    struct pt_reader reader;
    struct pt_packet packet;
    uint64_t ip = 0;
    unsigned results = 0;
    bool fup = false;

    *out = (struct ptws){0};
    pt_open(&reader);
    pt_feed(&reader, p->memory, trace_bytes(p), true);
    while (pt_next(&reader, &packet) == PT_OK) {
        if (packet.kind == PT_PAD || packet.kind == PT_CYC)
            continue; /* may stand anywhere */
        if (packet.kind == PT_PSB)
            ip = 0;
        else if (walk_has_ip(packet.kind))
            ip = pt_ip(ip, packet.detail, packet.payload);
        if (packet.kind == PT_TNT_8 || packet.kind == PT_TNT_64)
            results += packet.detail;
        out->lost |= packet.kind == PT_OVF;
        out->without_fup += fup && packet.kind != PT_FUP;
        if (fup && packet.kind == PT_FUP && last(out) != NULL)
            last(out)->fup = ip;
        fup = packet.kind == PT_PTW && packet.detail != 0;
        if (packet.kind == PT_PTW)
            take(out, &packet, results);
    }
}
