/* SPDX-License-Identifier: BSD-2-Clause */
/* ptws.c - the PTW packets of a trace. */
#include "src/trace/ptws.h"

#include "src/trace/packets.h"

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
    struct packets packets;
    struct pt_packet packet;
    unsigned results = 0;
    bool fup = false;

    *out = (struct ptws){0};
    packets_open(&packets, p->memory, trace_bytes(p));
    while (packets_next(&packets, &packet)) {
        if (packet.kind == PT_PAD || packet.kind == PT_CYC)
            continue; /* may stand anywhere */
        if (packet.kind == PT_TNT_8 || packet.kind == PT_TNT_64)
            results += packet.detail;
        out->lost |= packet.kind == PT_OVF;
        out->without_fup += fup && packet.kind != PT_FUP;
        if (fup && packet.kind == PT_FUP && last(out) != NULL)
            last(out)->fup = packets.ip;
        fup = packet.kind == PT_PTW && packet.detail != 0;
        if (packet.kind == PT_PTW)
            take(out, &packet, results);
    }
}

void ptws_check_forms(struct test_context *t, const char *what,
                      const struct ptws *found, uint64_t operand)
{
    check(t, found->count == PTWS_FORMS,
          "%s: %u PTW in a trace of %u PTWRITEs; wanted one of each", what,
          found->count, PTWS_FORMS);
    for (unsigned n = 0; n < found->count && n < PTWS_FORMS; n++) {
        const struct ptw *ptw = &found->of[n];
        const bool whole = n % 2 == 0;
        const uint64_t want = whole ? operand : (uint32_t)operand;

        check(t, ptw->payload == want && ptw->whole == whole,
              "%s: PTWRITE %u: a PTW of %u bytes, 0x%lx; wanted %u bytes, "
              "0x%lx",
              what, n, ptw->whole ? 8 : 4, ptw->payload, whole ? 8 : 4, want);
    }
}
