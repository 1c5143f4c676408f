/* SPDX-License-Identifier: BSD-2-Clause */
/* path_walk.c - PSB+, timing packets and modes on the way. */
#include "src/trace/path_walk.h"

#include "src/base/mem.h"
#include "src/pt/ip.h"

bool walk_has_ip(unsigned kind)
{
    return kind == PT_TIP || kind == PT_TIP_PGE || kind == PT_TIP_PGD ||
           kind == PT_FUP;
}

bool walk_wrong(struct walk *w, const char *text, uint64_t offset, unsigned got,
                uint64_t value)
{
    if (w->seen->wrong != NULL)
        return false;
    w->seen->wrong = text;
    w->seen->offset = offset;
    w->seen->got = got;
    w->seen->value = value;
    return false;
}

static void take_cbr(struct path_seen *seen, uint8_t ratio)
{
    struct path_times *times = &seen->times;

    if (seen->packets[PT_CBR] == 1 || ratio < times->cbr_least)
        times->cbr_least = ratio;
    if (ratio > times->cbr_most)
        times->cbr_most = ratio;
}

/* TNT, or a packet with an address; PT_KINDS where there is none. In PSB+ a FUP
 * is the processor's state. */
static uint8_t next_flow(struct pt_reader reader)
{
    struct pt_packet packet;
    bool in_psb = false;

    while (pt_next(&reader, &packet) == PT_OK) {
        if (packet.kind == PT_PSB || packet.kind == PT_PSBEND)
            in_psb = packet.kind == PT_PSB;
        if (!in_psb && (walk_has_ip(packet.kind) || packet.kind == PT_TNT_8 ||
                        packet.kind == PT_TNT_64))
            return packet.kind;
    }
    return PT_KINDS;
}

/* The packet as it stands in the stream; its address, where it has one, in the
 * payload. */
static bool read_packet(struct walk *w, struct pt_packet *packet,
                        uint64_t *offset)
{
    *offset = pt_offset(&w->reader);
    enum pt_result result = pt_next(&w->reader, packet);

    if (result == PT_LOST && w->path->cut && w->seen->psbs == 0) {
        *offset = pt_offset(&w->reader);
        result = pt_next(&w->reader, packet);
    }
    w->ended = result == PT_END;
    if (w->ended)
        return walk_wrong(w, "the trace ends", *offset, PT_KINDS, 0);
    if (result != PT_OK)
        return walk_wrong(w, pt_result_text(result), w->reader.where, PT_KINDS,
                          0);
    w->seen->packets[packet->kind]++;
    if (packet->kind != PT_PAD) {
        w->before = w->kind;
        w->kind = packet->kind;
    }
    if (walk_has_ip(packet->kind) && packet->detail != 0) {
        w->last_ip = pt_ip(w->last_ip, packet->detail, packet->payload);
        packet->payload = w->last_ip;
    }
    if (packet->kind == PT_CBR)
        take_cbr(w->seen, (uint8_t)packet->payload);
    if (packet->kind == PT_MODE_TSX)
        packet->payload &= PT_MODE_TSX_INTX | PT_MODE_TSX_TXABORT;
    if (packet->kind == PT_OVF) {
        w->seen->overflow = true;
        w->seen->after_overflow = next_flow(w->reader);
        return walk_wrong(w, "packets were lost", *offset, PT_OVF, 0);
    }
    return true;
}

static bool is_timing(unsigned kind)
{
    return kind == PT_CYC || kind == PT_MTC || kind == PT_TSC || kind == PT_TMA;
}

static unsigned timing_bit(unsigned kind)
{
    switch (kind) {
    case PT_CYC:
        return PATH_TIMING_CYC;
    case PT_MTC:
        return PATH_TIMING_MTC;
    case PT_TSC:
        return PATH_TIMING_TSC;
    default:
        return PATH_TIMING_TMA;
    }
}

static void take_mtc(struct path_seen *seen, uint8_t ctc)
{
    struct path_times *times = &seen->times;
    const uint8_t step = (uint8_t)(ctc - times->last_mtc);

    if (seen->packets[PT_MTC] == 1)
        times->first_mtc = ctc;
    else {
        times->mtc_steps += step;
        times->mtc_repeats += step == 0;
    }
    times->last_mtc = ctc;
    times->mtc_ones |= ctc;
    times->mtc_zeros |= (uint8_t)~ctc;
    times->mtc_payloads[ctc / 64] |= UINT64_C(1) << ctc % 64;
}

static void take_cyc(const struct walk *w, uint64_t cycles)
{
    if (w->seen->packets[PT_CYC] == 1)
        return;
    w->seen->times.cycles += cycles;
    w->seen->times.cyc_short += cycles < w->path->cyc_least;
}

static bool take_timing(struct walk *w, const struct pt_packet *packet,
                        uint64_t offset)
{
    struct path_seen *seen = w->seen;

    if ((w->path->timing & timing_bit(packet->kind)) == 0)
        return walk_wrong(w, "a timing packet that is not enabled", offset,
                          packet->kind, packet->payload);
    switch (packet->kind) {
    case PT_TSC:
        if (seen->packets[PT_TSC] == 1)
            seen->times.first_tsc = packet->payload;
        seen->times.last_tsc = packet->payload;
        return true;
    case PT_TMA:
        if (seen->packets[PT_TMA] == 1)
            seen->times.tma = packet->payload;
        return w->before == PT_TSC ||
               walk_wrong(w, "a TMA that does not follow a TSC", offset, PT_TMA,
                          packet->payload);
    case PT_MTC:
        take_mtc(seen, (uint8_t)packet->payload);
        return true;
    default:
        take_cyc(w, packet->payload);
        return true;
    }
}

static bool take_mode_exec(struct walk *w, const struct pt_packet *packet,
                           uint64_t offset, uint8_t mode)
{
    w->mode_known = true;
    w->mode_said = packet->payload & (PT_MODE_EXEC_CS_L | PT_MODE_EXEC_CS_D);
    if (w->mode_said == mode)
        return true;
    return walk_wrong(w, "MODE.Exec of another mode", offset, packet->kind,
                      packet->payload);
}

/* What PSB+ may hold ("Decoder Synchronization (PSB+)"). */
static bool take_status(struct walk *w, const struct pt_packet *packet,
                        uint64_t offset, struct path_psb *psb)
{
    switch (packet->kind) {
    case PT_PAD:
    case PT_CBR:
    case PT_VMCS:
    case PT_MNT:
        return true;
    case PT_MODE_EXEC:
        psb->mode_exec = (uint8_t)packet->payload;
        return take_mode_exec(w, packet, offset, w->mode);
    case PT_MODE_TSX:
        psb->mode_tsx = (uint8_t)packet->payload;
        return true;
    case PT_PIP:
        psb->pip = packet->payload;
        return true;
    case PT_FUP:
        psb->ip = packet->payload;
        return packet->detail != 0 || walk_wrong(w, "a FUP without an address",
                                                 offset, packet->kind, 0);
    default:
        if (is_timing(packet->kind)) {
            psb->tsc = packet->kind == PT_TSC ? packet->payload : psb->tsc;
            psb->tma = packet->kind == PT_TMA ? packet->payload : psb->tma;
            return take_timing(w, packet, offset);
        }
        return walk_wrong(w, "not a packet of PSB+", offset, packet->kind,
                          packet->payload);
    }
}

/* A decoder that begins here knows no call before. Of those after the last
 * packet of the control flow it is not known which came first. */
static void forget_calls(struct walk *w)
{
    for (unsigned i = 0; i < w->call_count; i++) {
        struct walk_call *call = &w->calls[i];
        call->over_psb = true;
        call->unsure = call->step >= w->flow_step;
    }
}

static bool take_psb(struct walk *w, uint64_t at)
{
    struct path_psb psb = {
        .offset = at, .step = w->seen->step, .packets = {[PT_PSB] = 1}};
    struct pt_packet packet;
    uint64_t offset;

    if (w->bound || w->mode_pending)
        return walk_wrong(w, "a PSB amid the packets of one event", at, PT_PSB,
                          0);
    w->last_ip = 0;
    w->mode_known = false;
    forget_calls(w);
    for (;;) {
        if (!read_packet(w, &packet, &offset))
            return false;
        psb.packets[packet.kind]++;
        if (packet.kind == PT_PSBEND)
            break;
        if (!take_status(w, &packet, offset, &psb))
            return false;
    }
    if (psb.packets[PT_MODE_TSX] != 0)
        w->status_said = psb.mode_tsx;
    if (w->seen->psbs < PATH_PSBS)
        w->seen->psb[w->seen->psbs] = psb;
    w->seen->psbs++;
    return true;
}

/* "MODE.Exec always immediately precedes a TIP or TIP.PGE": the latter, where
 * the mode has not changed, if the processor chooses to. It has to be there "if
 * the mode has changed since the last MODE.Exec, or if no MODE.Exec since last
 * PSB": one that PSB+ has, by an erratum too, is the last. */
static bool take_pending_mode(struct walk *w, const struct pt_packet *packet,
                              uint64_t offset)
{
    const bool pending = w->mode_pending;

    w->mode_pending = false;
    if (w->mode_due && (packet->kind == PT_TIP || packet->kind == PT_TIP_PGE)) {
        w->mode_due = false;
        w->mode = w->mode_next;
        return pending || (w->mode_known && w->mode_said == w->mode) ||
               walk_wrong(w, "a change of the mode without MODE.Exec", offset,
                          packet->kind, packet->payload);
    }
    return !pending || packet->kind == PT_TIP_PGE ||
           (w->lost && packet->kind == PT_TIP) ||
           walk_wrong(w, "MODE.Exec without a change of the mode", offset,
                      packet->kind, packet->payload);
}

/* One of PATH_MODE_TSX_MAYs; those before it were left out. */
static bool take_status_outside(struct walk *w, const struct pt_packet *packet)
{
    for (unsigned i = 0; i < w->status_count; i++) {
        if (w->statuses[i] != packet->payload)
            continue;
        w->status_count -= i + 1;
        memmove(w->statuses, w->statuses + i + 1, w->status_count);
        w->status_said = (uint8_t)packet->payload;
        return true;
    }
    return false;
}

/* "Compound Packet Event Summary": a TIP or TIP.PGD ends what a FUP begins, but
 * where that is of a transaction that does not abort; no PSB is between. */
static void bind(struct walk *w, const struct pt_packet *packet)
{
    w->bound = packet->kind == PT_FUP && !w->alone;
    w->alone = packet->kind == PT_MODE_TSX &&
               (packet->payload & PT_MODE_TSX_TXABORT) == 0;
}

bool walk_next(struct walk *w, struct pt_packet *packet, uint64_t *offset)
{
    for (;;) {
        if (!read_packet(w, packet, offset))
            return false;
        if (packet->kind == PT_PAD || packet->kind == PT_CBR ||
            packet->kind == PT_MNT)
            continue;
        if (is_timing(packet->kind)) {
            if (!take_timing(w, packet, *offset))
                return false;
            continue;
        }
        if (packet->kind == PT_PSB) {
            if (!take_psb(w, *offset))
                return false;
            continue;
        }
        if (packet->kind == PT_MODE_TSX && !w->mode_pending &&
            take_status_outside(w, packet))
            continue;
        if (packet->kind != PT_MODE_EXEC)
            break;
        if (!take_mode_exec(w, packet, *offset,
                            w->mode_due ? w->mode_next : w->mode))
            return false;
        w->mode_pending = true;
    }
    bind(w, packet);
    return take_pending_mode(w, packet, *offset);
}
