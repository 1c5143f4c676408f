/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tsx_events.c - follows the transactions of a trace.
 *
 * One function for each phase; idle() is the usual one. Where a packet ends
 * what another began, it is handled again in idle(). What can be stepped over
 * while idle, nearly everything, is in skip.h.
 */
#include "src/pt/tsx_events.h"

#include "src/pt/ip.h"
#include "src/pt/skip.h"

/* "Packet Ordering": these may stand between the packets of an event. */
static bool may_stand_between(unsigned kind)
{
    return kind == PT_PAD || kind == PT_CYC || kind == PT_MTC ||
           kind == PT_TSC || kind == PT_TMA || kind == PT_CBR;
}

/* Packets are missing: what was known is no longer. */
static void forget(struct pt_tsx *tsx)
{
    tsx->phase = PT_IDLE;
    tsx->in_tx = tsx->packet_en = PT_UNKNOWN;
    tsx->fup_owned = tsx->overflow = tsx->has_region = false;
}

/* The transition that is pending, complete or given up, and its state. */
static bool emit(struct pt_tsx *tsx, uint64_t at, enum pt_deviation deviation,
                 struct pt_tsx_event *event)
{
    struct pt_tsx_event *pending = &tsx->pending;
    const bool begins = pending->transition == PT_BEGIN;

    if (deviation == PT_NO_DEVIATION && begins && tsx->in_tx == PT_YES)
        deviation = PT_BEGIN_INSIDE;
    if (deviation == PT_NO_DEVIATION && !begins && tsx->in_tx == PT_NO)
        deviation = pending->transition == PT_ABORT ? PT_ABORT_OUTSIDE
                                                    : PT_COMMIT_OUTSIDE;
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

static bool emit_deviation(struct pt_tsx *tsx, uint64_t offset, uint64_t at,
                           enum pt_deviation deviation,
                           struct pt_tsx_event *event)
{
    tsx->phase = PT_IDLE;
    *event = (struct pt_tsx_event){
        .deviation = deviation, .offset = offset, .at = at};
    return true;
}

static bool idle_fup(struct pt_tsx *tsx, bool has_ip, uint64_t offset,
                     struct pt_tsx_event *event)
{
    tsx->packet_en = PT_YES;
    if (tsx->fup_owned || tsx->overflow) {
        tsx->fup_owned = tsx->overflow = false;
        return false;
    }
    tsx->pending.offset = offset;
    if (tsx->in_tx == PT_YES) { /* reported once, and then unknown */
        tsx->in_tx = PT_UNKNOWN;
        emit_deviation(tsx, offset, offset, PT_EVENT_INSIDE, event);
        event->has_ip = has_ip;
        event->ip = tsx->last_ip;
        tsx->phase = PT_ASYNCHRONOUS;
        return true;
    }
    tsx->phase = PT_ASYNCHRONOUS;
    return false;
}

static void idle_mode(struct pt_tsx *tsx, uint64_t payload, uint64_t offset)
{
    tsx->pending = (struct pt_tsx_event){.offset = offset};
    tsx->pending.transition = (payload & PT_MODE_TSX_INTX) != 0 ? PT_BEGIN
                              : (payload & PT_MODE_TSX_TXABORT) != 0
                                  ? PT_ABORT
                                  : PT_COMMIT;
    tsx->phase = PT_WANTS_FUP;
}

static bool idle(struct pt_tsx *tsx, const struct pt_packet *packet,
                 uint64_t offset, struct pt_tsx_event *event)
{
    switch (packet->kind) {
    case PT_MODE_TSX:
        idle_mode(tsx, packet->payload, offset);
        break;
    case PT_FUP:
        return idle_fup(tsx, packet->detail != 0, offset, event);
    case PT_TNT_8:
    case PT_TNT_64:
    case PT_TIP:
    case PT_TIP_PGE:
        tsx->packet_en = PT_YES;
        tsx->overflow = false;
        break;
    case PT_TIP_PGD:
        tsx->packet_en = PT_NO;
        tsx->overflow = false;
        break;
    case PT_OVF: /* what was lost may have been a transition */
        forget(tsx);
        tsx->overflow = true;
        break;
    case PT_PSB:
        tsx->pending = (struct pt_tsx_event){.transition = PT_STATE};
        tsx->psb_fup = tsx->psb_mode = false;
        tsx->phase = PT_IN_PSB;
        break;
    case PT_MWAIT:
        tsx->fup_owned = true;
        break;
    case PT_PTW:
    case PT_EXSTOP:
    case PT_BEP:
    case PT_CFE:
    case PT_TRIG:
        tsx->fup_owned |= packet->detail != 0;
        break;
    default:
        break;
    }
    return false;
}

/* The packet ends what was pending, and is handled itself. */
static void handle_again(struct pt_tsx *tsx, const struct pt_packet *packet,
                         uint64_t offset)
{
    if (idle(tsx, packet, offset, &tsx->deferred))
        tsx->has_deferred = true;
}

static void set_target(struct pt_tsx *tsx, const struct pt_packet *packet)
{
    tsx->pending.has_target =
        tsx->pending.transition == PT_ABORT && packet->detail != 0;
    tsx->pending.target = tsx->pending.has_target ? tsx->last_ip : 0;
    tsx->packet_en = packet->kind == PT_TIP_PGD ? PT_NO : PT_YES;
    tsx->overflow = false;
}

/* After a MODE.TSX. With PacketEn = 0 there is no FUP: rows 28b and 28e, and
 * all transitions while FilterEn = 0; and row 28c has none either, although
 * PacketEn was 1. */
static bool wants_fup(struct pt_tsx *tsx, const struct pt_packet *packet,
                      uint64_t offset, struct pt_tsx_event *event)
{
    const bool aborts = tsx->pending.transition == PT_ABORT;
    bool on = tsx->packet_en == PT_YES;

    if (may_stand_between(packet->kind))
        return false;
    switch (packet->kind) {
    case PT_FUP:
        tsx->pending.has_ip = packet->detail != 0;
        tsx->pending.ip = packet->detail != 0 ? tsx->last_ip : 0;
        tsx->packet_en = PT_YES;
        tsx->overflow = false;
        if (!aborts)
            return emit(tsx, offset, PT_NO_DEVIATION, event);
        tsx->phase = PT_WANTS_TIP;
        return false;
    case PT_TIP_PGE:
        set_target(tsx, packet);
        return emit(tsx, offset, PT_NO_DEVIATION, event);
    case PT_TIP_PGD:
        if (!aborts)
            break;
        set_target(tsx, packet);
        return emit(tsx, offset, PT_NO_DEVIATION, event);
    case PT_TIP:
        if (aborts)
            set_target(tsx, packet);
        on = true; /* else there would be no such packet */
        break;
    case PT_TNT_8:
    case PT_TNT_64:
        on = true;
        break;
    case PT_OVF:
        return idle(tsx, packet, offset, event);
    default:
        break;
    }
    emit(tsx, offset, on ? PT_MODE_WITHOUT_FUP : PT_NO_DEVIATION, event);
    handle_again(tsx, packet, offset);
    return true;
}

static bool wants_tip(struct pt_tsx *tsx, const struct pt_packet *packet,
                      uint64_t offset, struct pt_tsx_event *event)
{
    if (may_stand_between(packet->kind))
        return false;
    if (packet->kind == PT_OVF)
        return idle(tsx, packet, offset, event);
    if (packet->kind == PT_TIP || packet->kind == PT_TIP_PGD) {
        set_target(tsx, packet);
        return emit(tsx, offset, PT_NO_DEVIATION, event);
    }
    emit(tsx, offset, PT_ABORT_WITHOUT_TARGET, event);
    handle_again(tsx, packet, offset);
    return true;
}

static bool asynchronous(struct pt_tsx *tsx, const struct pt_packet *packet,
                         uint64_t offset, struct pt_tsx_event *event)
{
    if (may_stand_between(packet->kind) || packet->kind == PT_PIP ||
        packet->kind == PT_VMCS || packet->kind == PT_MODE_EXEC)
        return false;
    tsx->phase = PT_IDLE;
    if (packet->kind == PT_TIP || packet->kind == PT_TIP_PGD ||
        packet->kind == PT_OVF)
        return idle(tsx, packet, offset, event);
    emit_deviation(tsx, tsx->pending.offset, offset, PT_FUP_WITHOUT_TIP, event);
    handle_again(tsx, packet, offset);
    return true;
}

/* The end of PSB+: FUP is in it where PacketEn is 1, MODE.TSX where ContextEn
 * and BranchEn are. */
static bool end_psb(struct pt_tsx *tsx, uint64_t at, struct pt_tsx_event *event)
{
    const enum pt_known in_tx = tsx->pending.in_tx ? PT_YES : PT_NO;

    tsx->phase = PT_IDLE;
    tsx->packet_en = tsx->psb_fup ? PT_YES : PT_NO;
    if (!tsx->psb_mode)
        return false;
    *event = tsx->pending;
    event->at = at;
    if (tsx->in_tx != PT_UNKNOWN && tsx->in_tx != in_tx)
        event->deviation = PT_STATE_DIFFERS;
    if (tsx->in_tx != in_tx)
        tsx->has_region = false;
    tsx->in_tx = in_tx;
    return true;
}

/* "PSB+": the order in it is not fixed; an OVF ends it like PSBEND. */
static bool in_psb(struct pt_tsx *tsx, const struct pt_packet *packet,
                   uint64_t offset, struct pt_tsx_event *event)
{
    bool is_event;

    if (may_stand_between(packet->kind))
        return false;
    switch (packet->kind) {
    case PT_MODE_TSX:
        tsx->psb_mode = true;
        tsx->pending.offset = offset;
        tsx->pending.in_tx = (packet->payload & PT_MODE_TSX_INTX) != 0;
        return false;
    case PT_FUP:
        tsx->psb_fup = true;
        tsx->pending.has_ip = packet->detail != 0;
        tsx->pending.ip = tsx->last_ip;
        return false;
    case PT_PIP:
    case PT_VMCS:
    case PT_MODE_EXEC:
        return false;
    case PT_PSBEND:
        return end_psb(tsx, offset, event);
    default:
        is_event = end_psb(tsx, offset, event);
        handle_again(tsx, packet, offset);
        return is_event;
    }
}

static bool step(struct pt_tsx *tsx, const struct pt_packet *packet,
                 uint64_t offset, struct pt_tsx_event *event)
{
    if (packet->kind == PT_PSB)
        tsx->last_ip = 0;
    if (packet->kind >= PT_TIP && packet->kind <= PT_FUP)
        tsx->last_ip = pt_ip(tsx->last_ip, packet->detail, packet->payload);
    switch (tsx->phase) {
    case PT_WANTS_FUP:
        return wants_fup(tsx, packet, offset, event);
    case PT_WANTS_TIP:
        return wants_tip(tsx, packet, offset, event);
    case PT_ASYNCHRONOUS:
        return asynchronous(tsx, packet, offset, event);
    case PT_IN_PSB:
        return in_psb(tsx, packet, offset, event);
    default:
        return idle(tsx, packet, offset, event);
    }
}

/* A MODE.TSX that is no transition ends what is pending. The FUP after it, if
 * any, is its own. */
static void mode_with_both_bits(struct pt_tsx *tsx, struct pt_tsx_event *event)
{
    const uint64_t offset = tsx->reader.where;
    struct pt_tsx_event *deviation = event;

    if (tsx->phase == PT_WANTS_FUP || tsx->phase == PT_WANTS_TIP) {
        emit(tsx, offset,
             tsx->phase == PT_WANTS_FUP ? PT_MODE_WITHOUT_FUP
                                        : PT_ABORT_WITHOUT_TARGET,
             event);
        deviation = &tsx->deferred;
        tsx->has_deferred = true;
    }
    if (tsx->phase == PT_IN_PSB) {
        emit_deviation(tsx, offset, offset, PT_INTX_AND_TXABORT, deviation);
        tsx->phase = PT_IN_PSB;
        return;
    }
    emit_deviation(tsx, offset, offset, PT_INTX_AND_TXABORT, deviation);
    tsx->in_tx = PT_UNKNOWN;
    tsx->fup_owned = true;
}

void pt_tsx_open(struct pt_tsx *tsx)
{
    *tsx = (struct pt_tsx){.phase = PT_IDLE};
    pt_open(&tsx->reader);
}

enum pt_result pt_tsx_next(struct pt_tsx *tsx, struct pt_tsx_event *event)
{
    struct pt_reader *reader = &tsx->reader;
    struct pt_packet packet;
    enum pt_result result;

    if (tsx->has_deferred) {
        tsx->has_deferred = false;
        *event = tsx->deferred;
        return PT_OK;
    }
    for (;;) {
        if (reader->synced && reader->block == 0)
            skip_pads(reader);
        if (tsx->phase == PT_IDLE && tsx->packet_en == PT_YES &&
            !tsx->overflow && reader->synced && reader->block == 0)
            skip_ahead(tsx);
        const uint64_t offset = pt_offset(reader);
        result = pt_next(reader, &packet);
        if (result != PT_OK)
            break;
        if (step(tsx, &packet, offset, event))
            return PT_OK;
    }
    if (result == PT_RESERVED_MODE_TSX) {
        mode_with_both_bits(tsx, event);
        return PT_OK;
    }
    if (result == PT_END &&
        (tsx->phase == PT_WANTS_FUP || tsx->phase == PT_WANTS_TIP)) {
        emit(tsx, pt_offset(reader), PT_PENDING_AT_END, event);
        return PT_OK;
    }
    if (!reader->synced)
        forget(tsx);
    return result;
}
